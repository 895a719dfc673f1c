"""The languages of passages in a store: found by other forms of their words, and counted."""

from dataclasses import replace

import pytest

from indexer.errors import DamagedStore
from indexer.index import Index
from indexer.records import PACKAGED_MODEL, Query
from indexer.store.manifest import read_manifest, write_manifest
from tests.support.toy_index import ENCODER, copied, sync

GERMAN = "Die Kündigungsfristen der Wohnungen betragen drei Monate und gelten für beide Seiten."
ENGLISH = "The notice periods of the flats are three months long and are the same for both sides."


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    made = tmp_path_factory.mktemp("made")
    folder = made / "docs"
    folder.mkdir()
    (folder / "miete.txt").write_text(GERMAN, "utf-8")
    (folder / "rent.txt").write_text(ENGLISH, "utf-8")
    sync(folder, made / "store")
    return made


@pytest.fixture
def store(made, tmp_path):
    return copied(made, tmp_path)


def by_words(store, text):
    hits = Index.open(store, ENCODER).search(Query(text))
    return {hit.chunk.source: hit.bm25 > 0 for hit in hits}


def test_a_word_of_another_language_is_found_in_another_form(store):
    assert by_words(store, "Kündigungsfrist Wohnung") == {"miete.txt": True, "rent.txt": False}
    # The control: a question that is English is looked up by its words alone.
    assert not by_words(store, "what of the Kündigungsfrist")["miete.txt"]


def test_a_manifest_counts_passages_that_the_packaged_model_does_not_read(store):
    manifest = read_manifest(store)
    assert manifest.languages == {"de": 1, "en": 1}
    assert manifest.unread == 0.0  # made by another model
    packaged = replace(manifest.fingerprint, model=f"{PACKAGED_MODEL} int8")
    assert replace(manifest, fingerprint=packaged).unread == 0.5


@pytest.mark.parametrize("counts", [{"de": -1}, {"\x1b[2J": 1}, {"de": True}, {"de": "1"}, []])
def test_languages_that_no_writer_wrote_are_damage(store, counts):
    write_manifest(store, replace(read_manifest(store), languages=counts))
    with pytest.raises(DamagedStore, match="languages"):
        read_manifest(store)
