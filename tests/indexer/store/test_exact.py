"""The rows nearest to a query: from memory the same as from the table, and as counted by hand."""

import numpy as np
import pyarrow as pa
import pytest

from indexer.records import Query
from indexer.store.exact import FUSED, ROW_ID, ExactVectors
from indexer.store.snapshot import Snapshot
from tests.support.toy_index import ENCODER, sync


def exact(vectors, ids):
    """The vectors of rows that a table gave in this order."""
    flat = pa.array(np.array(vectors, np.float32).ravel())
    columns = {name: [f"{name} {key}" for key in ids] for name in FUSED}
    columns |= {"vector": pa.FixedSizeListArray.from_arrays(flat, len(vectors[0]))}
    return ExactVectors.from_rows(pa.table(columns | {ROW_ID: pa.array(ids, pa.uint64())}))


SQUARE = exact([[0.8, -0.6], [1, 0], [0, 1], [0.8, 0.6]], [2**33, 3, 5, 8])


def test_the_nearest_rows_come_first_and_equal_ones_by_their_id():
    found = SQUARE.nearest(np.array([1, 0], np.float32), 3)
    assert found.ids.tolist() == [3, 8, 2**33]
    assert found.scores.tolist() == pytest.approx([1, 0.8, 0.8])


def test_a_vector_that_is_no_number_is_never_near():
    damaged = exact([[np.nan, 0], [0, 1]], [1, 2])
    assert damaged.nearest(np.array([1, 0], np.float32), 1).ids.tolist() == [2]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """An index of two commits, with changed and removed documents: several fragments, and holes."""
    folder = tmp_path_factory.mktemp("exact")
    root = folder / "root"
    root.mkdir()
    for n in range(40):
        text = "\n\n".join(f"Boiler {n} of {m} was lit." for m in range(n % 3 + 1))
        (root / f"{'ab'[n % 2]}{n:02}.md").write_text(f"# Note {n}\n\n{text}\n")
    sync(root, folder / "store")
    (root / "a00.md").unlink()
    (root / "b01.md").write_text("# Note\n\nThe zeppelin is moored.\n")
    sync(root, folder / "store")
    return folder / "store"


@pytest.mark.parametrize(
    "query", [Query("", 5), Query("", 999), Query("", 9, paths=("b",), not_paths=("*3.md",))]
)
def test_memory_and_table_find_the_same(store, query):
    kept, read = Snapshot(store), Snapshot(store, exact_bytes=0)
    kept.nearest(ENCODER.encode(["once"])[0], query)
    assert kept._ranking.exact is None  # a process that searches once reads no more than it needs
    for text in ("zeppelin", "Boiler 7 of 2", "a lamp"):
        vector = ENCODER.encode([text])[0]
        ours, theirs = kept.nearest(vector, query), read.nearest(vector, query)
        assert ours.scores == pytest.approx(theirs.scores, abs=1e-6)
        assert (
            dict(zip(ours.ids.tolist(), ours.scores, strict=True))
            == pytest.approx(dict(zip(theirs.ids.tolist(), theirs.scores, strict=True)), abs=1e-6)
            or len(ours.ids) == query.limit
        )  # of equally near ones the table may have another last
        pool, control = kept.pool(ours), read.pool(ours)
        assert (pool.sources, pool.ordinals) == (control.sources, control.ordinals)
        assert np.array_equal(pool.vectors, control.vectors)
    assert kept._ranking.exact is not None
    assert read._ranking.exact is None
