"""Runs of a server, without a server: one at a time, and a fault is said."""

import threading

import pytest

from corpus_agent.service import session
from corpus_agent.settings import Settings
from corpus_agent.web.jobs import IndexRuns
from tests.support.processes import until


@pytest.mark.slow
def test_a_run_indexes_what_was_saved_and_lets_no_other_begin_beside_it(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "heron.md").write_text("The heron nests in the reeds.\n")
    settings = Settings(store=tmp_path / "store", ocr="off")
    session.index(settings, tmp_path / "docs")
    (tmp_path / "docs" / "otter.md").write_text("Otters swim.\n")
    runs = IndexRuns(settings)
    runs.begin()
    first = runs.last
    runs.begin()
    assert runs.last is first
    assert until(lambda: not first.is_open)
    assert (first.outcome.added, first.failure) == (1, "")
    runs.begin()  # the control
    assert runs.last is not first
    assert until(lambda: not runs.last.is_open)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_program_is_said(tmp_path):
    before = set(threading.enumerate())
    runs = IndexRuns(Settings(store=tmp_path / "st\0re"))  # no system opens it: a ValueError
    runs.begin()
    assert until(lambda: not runs.last.is_open)
    assert runs.last.failure == "It failed; the terminal of the server says why."
    for thread in set(threading.enumerate()) - before:
        thread.join(10)  # it prints its traceback
