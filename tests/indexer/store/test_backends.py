"""What finds passages in place of LanceDB: the backend that ships, and what one may not do."""

import numpy as np
import pytest

from indexer.errors import CorpusError
from indexer.index import Index
from indexer.records import Query
from indexer.store.backends import BackendRanking, MemoryBackend
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import sync

TEXTS = {
    "tar.md": "# Tar\n\nThe price of tar is nine crowns.\n",
    "rope.md": "# Rope\n\nThe price of rope is two crowns a fathom.\n",
    "sub/anchor.md": "# Anchor\n\nAn anchor was lost off Skagen.\n",
}


@pytest.fixture
def store(tmp_path):
    docs = tmp_path / "docs"
    for name, text in TEXTS.items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text)
    store = tmp_path / "store"
    sync(docs, store)
    return store


def sources(store, query, **more):
    index = Index.open(store, ToyEncoder(), **more)
    try:
        return [hit.chunk.source for hit in index.search(query)]
    finally:
        index.close()


@pytest.mark.slow
def test_the_backend_in_memory_finds_what_the_tables_find(store):
    for query in (
        Query("price of tar"),
        Query("anchor off Skagen"),
        Query("crowns", among=frozenset({"rope.md", "sub/anchor.md"})),
        Query('"two crowns a fathom"'),
    ):
        lance = sources(store, query)
        for name in ("memory", "memory:"):
            found = sources(store, query, backend=name)
            assert (found[0], set(found)) == (lance[0], set(lance)), query


class _Stubborn(MemoryBackend):
    """A backend that says something else than it was asked for."""

    def __init__(self, ids, scores):
        super().__init__()
        self._says = np.array(ids, np.uint64), np.array(scores)

    def nearest(self, vector, limit, among):
        return self._says


def test_a_backend_that_names_what_it_must_not_is_refused(store):
    index = Index.open(store, ToyEncoder())
    (snapshot,) = index._snapshots.parts.values()
    table = snapshot._chunks
    known, sources = (
        table.rows(["_rowid", "source"])[name].to_pylist() for name in ("_rowid", "source")
    )
    others = f"source != '{sources[0]}'"
    vector = np.ones(64, np.float32)
    for ids, scores, among, said in (
        ([known[0]], [1.0], "", ""),  # the control
        ([10**9], [1.0], "", "rows that it was not asked for"),
        ([known[0]], [1.0], others, "rows that it was not asked for"),
        ([known[0], known[0]], [1.0, 0.9], "", "gives no ranking"),
        ([known[0]], [float("nan")], "", "gives no ranking"),
        ([known[0]], [1.0, 0.5], "", "gives no ranking"),
    ):
        ranking = BackendRanking("stubborn", lambda: _Stubborn(ids, scores), table)  # noqa: B023
        if not said:
            assert ranking.nearest(vector, 5, among).ids.tolist() == ids
            continue
        with pytest.raises(CorpusError, match=said):
            ranking.nearest(vector, 5, among)
    index.close()
