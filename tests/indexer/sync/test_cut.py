"""How passages are cut, until it is said otherwise."""

import pytest

from indexer.errors import UsageError
from indexer.index import Index
from indexer.store.manifest import read_manifest
from indexer.sync.folder import plan_folder, sync_folder
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import own

TOY = ToyEncoder()


@pytest.fixture
def place(tmp_path):
    docs, store = tmp_path / "docs", tmp_path / "store"
    docs.mkdir()
    for name in ("a.md", "b.md"):
        (docs / name).write_text(f"# {name}\n\nThe first text of {name}.\n")
    own(store, docs)
    sync_folder(store, docs, TOY)
    return store, docs


@pytest.mark.slow
def test_how_passages_are_cut_is_kept_until_it_is_said_otherwise(place):
    store, docs = place
    (docs / "a.md").write_text(" ".join(f"word{n}" for n in range(200)))
    sync_folder(store, docs, TOY)
    before = read_manifest(store)
    chosen = sync_folder(store, docs, TOY, chunk_tokens=12, chunk_overlap=3)
    assert chosen.rebuilt and chosen.chunks > before.chunks
    assert plan_folder(store, docs, TOY).changes_nothing  # with no word about it
    again = sync_folder(store, docs, TOY)
    assert (again.rebuilt, again.chunks) == (False, chosen.chunks)
    hits = Index.open(store, TOY)  # a search needs no word about it either
    assert hits.version == chosen.version
    hits.close()
    assert "overlap=" not in before.fingerprint.chunker
    with pytest.raises(UsageError, match="12 tokens cannot overlap by 12"):
        sync_folder(store, docs, TOY, chunk_overlap=12)
    back = sync_folder(store, docs, TOY, chunk_tokens=200, chunk_overlap=0)
    assert (back.rebuilt, back.chunks) == (True, before.chunks)
    assert read_manifest(store).fingerprint == before.fingerprint
