"""One document read again for a program that wrote it, and how passages are cut from then on."""

import pytest

from indexer.errors import CorpusError, Refused, UsageError
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


def counts(outcome):
    return outcome.added, outcome.updated, outcome.removed


def text_of(store, source):
    index = Index.open(store, TOY)
    try:
        return "\n".join(line.text for line in index.read(source).lines)
    finally:
        index.close()


@pytest.mark.slow
def test_one_document_is_read_again_and_all_others_wait(place):
    store, docs = place
    walked = read_manifest(store).walked_ns
    for name in ("a.md", "b.md"):
        (docs / name).write_text(f"# {name}\n\nAnother, longer text of {name}.\n")
    (docs / "c.md").write_text("# c\n\nNew.\n")
    assert counts(sync_folder(store, docs, TOY, only="a.md")) == (0, 1, 0)
    rows = {row.source: row.bytes for row in Index.open(store, TOY).files()}
    assert rows.keys() == {"a.md", "b.md"}
    assert rows["a.md"] == (docs / "a.md").stat().st_size != rows["b.md"]
    assert read_manifest(store).walked_ns == walked  # nobody looked at the others
    assert counts(sync_folder(store, docs, TOY, only="c.md")) == (1, 0, 0)
    (docs / "a.md").unlink()
    assert counts(sync_folder(store, docs, TOY, only="a.md")) == (0, 0, 1)
    assert counts(sync_folder(store, docs, TOY, only="c.md")) == (
        0,
        1,
        0,
    )
    assert counts(sync_folder(store, docs, TOY)) == (0, 1, 0)  # what waited: b.md


def test_what_is_nowhere_or_has_no_index_to_go_into_is_refused(place, tmp_path):
    store, docs = place
    with pytest.raises(Refused, match="neither in the folder nor in the index"):
        sync_folder(store, docs, TOY, only="x.md")
    other = ToyEncoder(32)
    with pytest.raises(CorpusError, match="no whole index"):
        sync_folder(store, docs, other, only="a.md")
    own(tmp_path / "fresh", docs)
    with pytest.raises(CorpusError, match="no whole index"):
        sync_folder(tmp_path / "fresh", docs, TOY, only="a.md")
    assert "first text" in text_of(store, "a.md")


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
