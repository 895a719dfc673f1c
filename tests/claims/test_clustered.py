"""The self-test of a cluster: it passes on a live one, and would say so where a claim fails."""

from importlib.util import find_spec

import pytest

from indexer import CorpusError
from tests.attacks.clustered import trial

CLEAN = {"processes": 4, "sockets": 0, "documents": 0, "texts": 0}
CONTROL = {"processes": 1, "sockets": 1, "documents": 1, "texts": 1}
SEEN = {
    "readers": {**CLEAN, "documents": 3},
    "others": {**CLEAN, "sockets": 4},
    "control": CONTROL,
    "out": 0,
    "own": 7,
}


def test_what_breaks_a_claim_is_said_and_so_is_a_control_that_sees_nothing():
    socket, document, text, packets = (row.what for row in trial._claims("ray", SEEN))
    for changed, expected in (
        ({}, []),
        ({"readers": {**CLEAN, "sockets": 1}}, [socket]),
        ({"readers": {**CLEAN, "processes": 0}}, [socket]),
        ({"others": {**CLEAN, "documents": 1}}, [document]),
        ({"others": {**CLEAN, "texts": 1}}, [text]),
        ({"out": 1}, [packets]),
        ({"own": 0}, [packets]),
        ({"control": {**CONTROL, "sockets": 0}}, [socket]),
        ({"control": {**CONTROL, "documents": 0, "texts": 0}}, [document, text]),
    ):
        rows = trial._claims("ray", {**SEEN, **changed})
        assert [row.what for row in rows if not row.passed] == expected, changed


NEEDS_RAY = pytest.mark.skipif(find_spec("ray") is None, reason="no extra [cluster]")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "kind", ["local", pytest.param("ray", marks=[NEEDS_RAY, pytest.mark.nightly])]
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
