"""What finds passages in place of LanceDB: the backend in memory."""

import pytest

from indexer.errors import UsageError
from indexer.index import Index
from indexer.records import Query
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
        found = sources(store, query, backend="memory")
        assert (found[0], set(found)) == (lance[0], set(lance)), query


def test_a_name_of_no_backend_is_refused(store):
    with pytest.raises(UsageError, match="'lists'"):
        Index.open(store, ToyEncoder(), backend="lists")
