"""Answers that a command writes to a file: new files alone, opened before the seal."""

import json
import os

import pytest

from corpus_agent.cli.printing import opened_new, write_text
from indexer import UsageError


def test_a_file_that_is_there_is_not_overwritten(tmp_path):
    other, away = tmp_path / "other", tmp_path / "away"
    other.touch()
    for kind, make in {
        "document": lambda path: path.write_text("The lease."),
        "older receipt": lambda path: path.write_text('{"receipt": 1}'),
        "link": lambda path: path.symlink_to(other),
        "dangling link": lambda path: path.symlink_to(away),
        "hard link": lambda path: path.hardlink_to(other),
        "folder": lambda path: path.mkdir(),
        "unheard fifo": os.mkfifo,
    }.items():
        path = tmp_path / kind
        make(path)
        with pytest.raises(UsageError, match=r"is not overwritten|cannot be written"):
            opened_new(path)
        assert not away.exists(), kind
        path.rmdir() if kind == "folder" else path.unlink()
        os.close(opened_new(path))  # the control: a new one
        write_text(opened_new(path), "kept")  # and an empty one
        assert (path.read_text(), path.stat().st_mode & 0o777) == ("kept", 0o600), kind
    with pytest.raises(UsageError, match="cannot be written"):
        opened_new(tmp_path / "nowhere/a.md")


@pytest.mark.slow
def test_an_answer_is_written_beside_the_documents_and_never_over_a_file(cli, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "lease.md").write_text("The rent is due on the first day of every month.\n")
    assert cli("index", docs).returncode == 0
    asked = ("ask", "On which day of the month is the rent due?", "--llm", "none")
    done = cli(*asked, "--receipt", "r.json", "--export", "a.md")
    assert done.returncode == 0, done.stderr
    assert "among your documents" not in done.stderr  # the control: beside them
    text = (tmp_path / "a.md").read_text()
    assert "The rent is due on the first day of every month." in text
    assert cli("check", "r.json").returncode == 0
    assert json.loads((tmp_path / "r.json").read_bytes())["receipt"] == 1
    missing = cli("check", "gone.md")
    assert (missing.returncode, missing.stderr.splitlines()[1][:5]) == (2, "Try: ")
    assert cli("check", "r.json", "--llm", "none").returncode == 2
    refused = cli(*asked, "--export", "a.md")
    assert (refused.returncode, "is not overwritten" in refused.stderr) == (2, True)
    assert "among your documents" in cli(*asked, "--export", docs / "b.md").stderr
