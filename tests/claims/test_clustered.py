"""The self-test of a cluster: it passes on a live one, and would say so where a claim fails."""

from importlib.util import find_spec

import pytest

from indexer import CorpusError
from tests.attacks.clustered import trial

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
    assert all(row.passed for row in rows), rows
