"""The self-test of a cluster: it passes on a live one, and would say so where a claim fails."""

import os
from importlib.util import find_spec

import pytest

from corpus_agent.cli.checking import selftest
from corpus_agent.selftest.clustered import trial
from corpus_agent.selftest.clustered.watching import holds
from indexer import CorpusError, UsageError

CLEAN = {"processes": 4, "sockets": 0, "documents": 0, "texts": 0}
CONTROL = {"processes": 1, "sockets": 1, "documents": 1, "texts": 1}
SEEN = {
    "readers": {**CLEAN, "documents": 3},
    "others": {**CLEAN, "sockets": 4},
    "control": CONTROL,
    "out": 0,
    "own": 7,
}


def failing(**changed):
    rows = trial._claims("ray", {**SEEN, **changed})
    return [row.what for row in rows if not row.passed]


def test_what_breaks_a_claim_is_said_and_so_is_a_control_that_sees_nothing():
    assert failing() == []
    socket, document, text, packets = (row.what for row in trial._claims("ray", SEEN))
    assert failing(readers={**CLEAN, "sockets": 1}) == [socket]
    assert failing(others={**CLEAN, "documents": 1}) == [document]
    assert failing(others={**CLEAN, "texts": 1}) == [text]
    assert failing(out=1) == [packets]
    assert failing(control={**CONTROL, "sockets": 0}) == [socket]
    assert failing(control={**CONTROL, "documents": 0, "texts": 0}) == [document, text]
    assert failing(own=0) == [packets]
    assert failing(readers={**CLEAN, "processes": 0}) == [socket]


@pytest.mark.slow
def test_a_word_is_found_in_the_memory_of_a_process_that_holds_it():
    word = os.urandom(16).hex()
    assert holds(os.getpid(), word.encode())
    assert not holds(os.getppid(), word.encode())


def test_two_tests_at_once_are_refused():
    with pytest.raises(UsageError, match="are two tests"):
        selftest.callback(attack=True, strings=None, cluster=True, as_json=False)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "kind",
    [
        "local",
        pytest.param(
            "ray",
            marks=pytest.mark.skipif(find_spec("ray") is None, reason="no extra [cluster]"),
        ),
    ],
)
def test_on_a_live_cluster_no_process_with_a_document_has_a_socket(kind):
    try:
        rows = trial.run_cluster_selftest([kind])
    except CorpusError as error:
        if "No network namespace" in error.message:
            pytest.skip(error.message)
        raise
    assert [row.found for row in rows] == [0] * (4 if kind == "ray" else 2)
    assert all(row.control for row in rows)
    assert all(row.passed for row in rows), trial.table(rows)
