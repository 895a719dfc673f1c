"""The progress of a run outside of a terminal."""

from corpus_agent.cli import progress
from corpus_agent.cli.progress import IndexProgress
from indexer import Progress


def halfway(files: int) -> Progress:
    return Progress(files, 4, files * 100, 400, 7, f"notes/{files}.md")


def test_each_file_is_a_line_with_verbose_and_no_file_twice(capsys):
    shown = IndexProgress(None, verbose=True)
    for files in (1, 2, 2, 4):
        shown.advance(halfway(files))
    assert capsys.readouterr().err.splitlines() == [
        "1/4 notes/1.md", "2/4 notes/2.md", "4/4 notes/4.md"
    ]  # fmt: skip


def test_otherwise_there_is_a_line_every_ten_seconds_with_the_time_left(capsys):
    assert progress.SECONDS_BETWEEN_LINES == 10.0
    IndexProgress(None).advance(halfway(1))
    assert capsys.readouterr().err == ""
    shown = IndexProgress(None, seconds=0.0)
    shown.advance(halfway(2))
    line = capsys.readouterr().err
    assert line.startswith("indexed 2 of 4 files (notes/2.md), about ")
    assert line.endswith("left\n")
    shown.advance(halfway(4))  # what came of it follows
    assert capsys.readouterr().err == ""
