"""The rows nearest to a query: from memory as counted by hand, equal ones by their id."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from indexer.records import Query
from indexer.store.ranking import FUSED, Vectors, _Rows
from indexer.store.snapshot import Snapshot
from tests.support.rows import chunk_rows, vectors_of
from tests.support.toy_index import ENCODER, sync


def exact(vectors, ids):
    columns = pa.table({name: [f"{name} {key}" for key in ids] for name in FUSED})
    found = Vectors(None)
    found._all = _Rows(np.array(ids, np.uint64), np.array(vectors, np.float32), columns)
    return found


SQUARE = exact([[1, 0], [0.8, -0.6], [0, 1], [0.8, 0.6]], [3, 2**33, 5, 8])  # in any order


@pytest.mark.parametrize(
    ("limit", "among", "ids", "scores"),
    [
        (3, None, [3, 8, 2**33], [1, 0.8, 0.8]),
        (2, None, [3, 8], [1, 0.8]),  # of equal ones the id decides
        (9, [5, 2**33], [2**33, 5], [0.8, 0]),
        (9, [], [], []),
    ],
)
def test_the_nearest_rows_come_first(limit, among, ids, scores):
    sources = None if among is None else {f"source {key}" for key in among}
    found = SQUARE.nearest(np.array([1, 0], np.float32), limit, sources)
    assert [*found] == ids
    assert [*found.values()] == pytest.approx(scores)


def test_rows_are_fused_by_what_they_are_in_the_order_of_their_ids():
    found = SQUARE.candidates([2**33, 3])
    assert [row[:5] for row in found] == [(n, *(f"{c} {n}" for c in FUSED)) for n in (2**33, 3)]
    assert np.array_equal([row.vector for row in found], np.array([[0.8, -0.6], [1, 0]], "f4"))


def test_a_vector_that_is_no_number_is_never_near():
    damaged = exact([[np.nan, 0], [0, 1]], [1, 2])
    assert [*damaged.nearest(np.array([1, 0], np.float32), 1)] == [2]


@pytest.mark.slow
def test_several_fragments_with_holes_are_ranked_as_their_rows_are(tmp_path):
    root, store = tmp_path / "root", tmp_path / "store"
    root.mkdir()
    for n in range(40):
        text = "\n\n".join(f"Boiler {n} of {m} was lit." for m in range(n % 3 + 1))
        (root / f"{'ab'[n % 2]}{n:02}.md").write_text(f"# Note {n}\n\n{text}\n")
    sync(root, store)
    (root / "a00.md").unlink()
    (root / "b01.md").write_text("# Note\n\nThe zeppelin is moored.\n")
    sync(root, store)
    snapshot = Snapshot(store)
    rows = chunk_rows(snapshot)
    sources = np.array(rows["source"].to_pylist())
    some = frozenset(s for s in sources if s.startswith("b") and "3.md" not in s)
    for query in (Query("", 999), Query("", 999, among=some)):
        chosen = [query.among is None or source in query.among for source in sources]
        for text in ("zeppelin", "Boiler 7 of 2", "a lamp"):
            vector = ENCODER.encode([text])[0]
            ranked = snapshot.ranked(query, vector)
            by_hand = np.sort(vectors_of(rows)[chosen] @ vector)[::-1]
            assert [*ranked.values()] == pytest.approx(by_hand, abs=1e-3)
            pool = snapshot.pool(ranked)
            assert sorted(row.source for row in pool) == sorted(sources[chosen])
            cosines = {row.id: row.vector @ vector for row in pool}
            assert cosines == pytest.approx(ranked, abs=1e-6)
        for text, every in {"zeppelin": True, "lit boiler": True, "lit zeppelin": False}.items():
            words = {*text.split()}
            held = [
                len(words & {*re.findall(r"\w+", text.lower())})
                for text in rows["text"].to_pylist()
            ]
            holds = np.array(held) >= (len(words) if every else 1)
            asked = replace(query, text=text)
            found = snapshot.hits(snapshot.ranked(asked, every_word=every))
            ids = {hit.chunk.id for hit in found.values()}
            assert ids == {*np.array(rows["id"].to_pylist())[holds & chosen]} != set(), words
