"""What a person sees while a model reads: passages, the time, the draft; elsewhere one line."""

import os
import pty
from contextlib import redirect_stderr

from corpus_agent.answering.records import Answer, Citation
from corpus_agent.cli.live import READING, Watching
from indexer.records import Coverage
from tests.support.fakes import passages

DUE = "The rent is due on the 3rd."
CITED = Citation(1, "lease.md", None, 13, 13, DUE, "verified")
FOUND = Answer("q", DUE, "perhaps", "extractive", passages(CITED), Coverage(1), 1)


def at_a_terminal(found: Answer) -> str:
    """What is written to a terminal while a model reads and writes."""
    leader, follower = pty.openpty()
    shown = b""
    with os.fdopen(follower, "w") as terminal, redirect_stderr(terminal):
        with Watching() as watching:
            watching.passages(found)
            watching.draft("On the")
            while b"On the" not in shown:  # it is drawn eight times a second
                shown += os.read(leader, 65_536)
        terminal.write("END")
        terminal.flush()
        while not shown.endswith(b"END"):
            shown += os.read(leader, 65_536)
    os.close(leader)
    return shown.decode()


def test_at_a_terminal_the_passages_stand_above_the_time_and_the_draft_and_are_erased():
    shown = at_a_terminal(FOUND)
    for text in (READING, "lease.md:13", DUE, "… 0 s", "On the"):
        assert text in shown
    assert shown.rindex("\x1b[2K") > shown.rindex(DUE)


def test_without_passages_there_is_the_time_alone():
    shown = at_a_terminal(Answer("q", "No.", "not_found", "extractive", (), Coverage(1), 1))
    assert READING not in shown and "… 0 s" in shown


def test_elsewhere_one_line_says_that_a_model_is_asked_and_none_where_it_is_to_be_quiet(capsys):
    for quiet, lines in (
        (False, ["1 passage found; asking the model, which can take minutes."]),
        (True, []),
    ):
        with Watching(quiet=quiet) as watching:
            watching.passages(FOUND)
            watching.event("search: rent")
            watching.draft("On the")
        printed = capsys.readouterr()
        assert (printed.err.splitlines(), printed.out) == (lines, "")
