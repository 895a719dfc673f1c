"""The rows nearest to a query: from memory the same as from the table, and as counted by hand."""

import numpy as np
import pyarrow as pa
import pytest

from indexer.records import Query
from indexer.store.exact import FUSED, PART_ROWS, ROW_ID, ExactVectors, Ranked
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


def test_no_more_rows_than_there_are():
    assert len(SQUARE.nearest(np.array([1, 0], np.float32), 60).ids) == 4


def test_of_some_rows_alone_the_nearest():
    among = SQUARE.places(np.array([2**33, 5], np.uint64))
    assert SQUARE.nearest(np.array([1, 0], np.float32), 1, among).ids.tolist() == [2**33]
    assert SQUARE.nearest(np.array([1, 0], np.float32), 9, among[:0]).ids.tolist() == []


def test_rows_compared_in_several_parts_or_alone_have_the_cosines_of_one_product():
    random = np.random.default_rng(5)
    matrix = random.normal(size=(3 * PART_ROWS + 7, 6)).astype(np.float32)
    rows, vector = exact(matrix.tolist(), range(len(matrix))), matrix[4]
    cosines = np.vecdot(rows.matrix, vector / np.linalg.norm(vector))
    for places in (None, np.arange(5, len(matrix), 2), np.arange(3, len(matrix), 999)):
        at = np.arange(len(matrix)) if places is None else places
        found = rows.nearest(vector / np.linalg.norm(vector), 20, places)
        wanted = at[np.argsort(-cosines[at], kind="stable")[:20]]
        assert found.ids.tolist() == wanted.tolist()
        assert found.scores.tolist() == cosines[wanted].tolist()


@pytest.mark.parametrize("limit", [1, 2, 7, 30, 199, 200, 201])
def test_of_equally_near_rows_the_first_ids_are_taken_with_and_without_a_filter(limit):
    chance = np.random.default_rng(limit)
    ids = chance.permutation(400)
    turned = exact(np.tile([[1, 0], [0.8, 0.6]], (200, 1)), ids.tolist())
    rows = [*sorted(ids[::2].tolist()), *sorted(ids[1::2].tolist())]  # the nearer ones first
    query, some = np.array([1, 0], np.float32), chance.permutation(ids)[:250].astype(np.uint64)
    assert turned.nearest(query, limit).ids.tolist() == rows[:limit]
    found = turned.nearest(query, limit, turned.places(some)).ids.tolist()
    assert found == [row for row in rows if row in some][:limit]


def test_a_vector_that_is_no_number_is_never_near():
    damaged = exact([[np.nan, 0], [0, 1]], [1, 2])
    assert damaged.nearest(np.array([1, 0], np.float32), 1).ids.tolist() == [2]


def test_a_pool_is_in_the_order_that_is_asked_for():
    pool = SQUARE.pool(np.array([8, 3], np.uint64))
    assert pool.sources == ["source 8", "source 3"]
    assert pool.vectors.tolist() == [[pytest.approx(0.8), pytest.approx(0.6)], [1, 0]]


def test_rows_found_by_words_stand_behind_those_found_before():
    one = Ranked(np.array([4, 2], np.uint64), np.array([2.0, 1.0]))
    more = one.more(Ranked(np.array([2, 9], np.uint64), np.array([5.0, 0.5])))
    assert (more.ids.tolist(), more.scores.tolist()) == ([4, 2, 9], [2.0, 1.0, 0.5])


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


def test_hits_are_the_rows_of_their_ids_in_the_order_of_the_ranking(store):
    snapshot = Snapshot(store)
    near = snapshot.nearest(ENCODER.encode(["zeppelin"])[0], Query("", 30))
    hits, pool = snapshot.hits(near), snapshot.pool(near)
    assert [(hit.chunk.source, hit.chunk.ordinal) for hit in hits] == list(
        zip(pool.sources, pool.ordinals, strict=True)
    )
    assert [hit.score for hit in hits] == near.scores.tolist()
    turned = snapshot.hits(Ranked(near.ids[::-1], near.scores[::-1]))
    assert [hit.chunk for hit in turned] == [hit.chunk for hit in reversed(hits)]
    gone = [
        hit.chunk.source
        for hit in snapshot.by_vector(ENCODER.encode(["Note 0"])[0], Query("", 999))
    ]
    assert "a00.md" not in gone
    assert "b01.md" in gone


def test_rows_of_files_are_the_same_from_memory_and_from_the_table(store):
    snapshot = Snapshot(store)
    rows = {row.source: row for row in snapshot.files()}
    named = ["b01.md", "a02.md", "none.md"]
    assert snapshot.files_named(named) == {name: rows[name] for name in named[:2]}
    assert snapshot.files_named(["none.md"]) == snapshot.files_named([]) == {}


def test_rows_that_share_words_equally_come_by_their_id_however_many_are_asked_for(store):
    snapshot = Snapshot(store)
    every = snapshot.worded(Query("lit", 60))
    assert len({*every.scores.tolist()}) < len(every.ids) / 4  # many are equal
    pairs = list(zip((-every.scores).tolist(), every.ids.tolist(), strict=True))
    assert pairs == sorted(pairs)
    for limit in (1, 7, 30):
        assert snapshot.worded(Query("lit", limit)).ids.tolist() == every.ids[:limit].tolist()


def test_rows_are_known_to_be_there_or_not():
    every = SQUARE.ids
    assert SQUARE.has(every)
    assert SQUARE.has(every[:0])
    assert not SQUARE.has(np.array([*every.tolist(), 77], np.uint64))
    assert not SQUARE.has(np.array([2**62], np.uint64))
