"""Runs and the watch of a server, without a server: how far, how fast, and one at a time."""

import threading

import pytest

from corpus_agent.service import session
from corpus_agent.settings import Settings
from corpus_agent.web.runs import IndexRuns
from tests.support.processes import until


@pytest.mark.slow  # two looks at the folder are two seconds apart
def test_a_watch_indexes_what_is_saved_and_lets_no_run_begin_beside_it(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "heron.md").write_text("The heron nests in the reeds.\n")
    settings = Settings(store=tmp_path / "store", ocr="off")
    session.index(settings, tmp_path / "docs")
    runs = IndexRuns(settings)
    runs.watch()
    watched = runs.watched
    assert until(lambda: len(watched.lines) == 1)
    first = runs.shown
    (tmp_path / "docs" / "otter.md").write_text("Otters swim.\n")
    runs.begin()
    runs.watch()
    assert runs.watched is watched
    assert until(lambda: len(watched.lines) == 2)
    assert "1 added" in watched.lines[0]
    assert runs.shown is not first
    assert runs.shown.outcome.added == 1
    assert watched.error is None
    runs.stop()
    assert until(lambda: not watched.is_open)
    runs.begin()
    assert until(lambda: not runs.shown.is_open)
    assert runs.shown.outcome.unchanged == 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_program_is_said_of_a_run_and_of_a_watch(tmp_path):
    before = set(threading.enumerate())
    runs = IndexRuns(Settings(store=tmp_path / "st\0re"))  # no system opens it: a ValueError
    runs.begin()
    assert until(lambda: not runs.shown.is_open)
    assert runs.shown.failed
    assert runs.problem == "It failed; the terminal of the server says why."
    runs.watch()
    assert until(lambda: not runs.watched.is_open)
    assert runs.watched.failed
    for thread in set(threading.enumerate()) - before:
        thread.join(10)  # it prints its traceback
