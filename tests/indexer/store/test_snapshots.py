"""Several stores that are searched as one: names, paths, filters, and the same hits as of one."""

from dataclasses import replace
from pathlib import Path

import pytest

from indexer.errors import Refused
from indexer.fusion import search
from indexer.index import Index
from indexer.records import PACKAGED_MODEL, Query
from indexer.store.manifest import read_manifest
from indexer.store.snapshot import Snapshots
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import ENCODER, copied, indexed

TEXTS = {
    "bread.md": "# Bread\n\nSourdough rises slowly, and the dough is folded.\n",
    "tax/2024.md": "# Tax\n\nThe tax for the year is paid in June.\n",
    "tax/2025.txt": "The tax for the next year is paid in May.\n",
    "lease.md": "# Lease\n\nThe tenant pays the rent on the third day.\n",
    "boat.md": "# Boat\n\nThe mast and the sails of the boat are stored in May.\n",
    "tea.txt": "Green tea is not boiled; the water rests for a minute.\n",
}
HOME, WORK = ("bread.md", "tax/2024.md", "tea.txt"), ("tax/2025.txt", "lease.md", "boat.md")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of all texts, and two of a half each."""
    folder = tmp_path_factory.mktemp("several")
    for name, sources in (("all", tuple(TEXTS)), ("home", HOME), ("work", WORK)):
        indexed(folder / name, {source: TEXTS[source] for source in sources})
    return folder


@pytest.fixture
def stores(folder: Path) -> dict[str, tuple[Path, Path | None]]:
    return {f"{name}:": (folder / name / "store", None) for name in ("home", "work")}


@pytest.fixture
def several(stores: dict[str, tuple[Path, Path | None]]) -> Index:
    return Index(stores, ToyEncoder())


def snapshots(folder: Path, *names: str) -> Snapshots:
    prefixes = [f"{name}:" for name in names] if len(names) > 1 else [""]
    stores = {p: (folder / n / "store", None) for p, n in zip(prefixes, names, strict=True)}
    return Snapshots(stores)


def own(source: str) -> str:
    return source.partition(":")[2]


@pytest.mark.slow
def test_vectors_of_two_stores_are_ranked_as_those_of_one(folder):
    one, two = snapshots(folder, "all"), snapshots(folder, "home", "work")
    for text in ("sourdough", "tax of the year", "the boat in May", "tea"):
        vector = ENCODER.encode([text])[0]
        query = Query(text, 4)
        whole, cut = one.ranked(query, vector), two.ranked(query, vector)
        assert [*cut.values()] == pytest.approx([*whole.values()]), text
        least = min(whole.values()) + 1e-6  # of equal ones at the end any may be left out
        found = {own(hit.chunk.source) for hit in two.hits(cut) if hit.score > least}
        assert found == {h.chunk.source for h in one.hits(whole) if h.score > least}, text


@pytest.mark.slow
def test_words_of_a_small_store_count_beside_a_large_one(tmp_path):
    small = {f"{n}.md": f"Tokens of kind {n} expire in May.\n" for n in range(6)}
    small["api.md"] = "The rate limit is 120 requests.\n"
    large = {f"{n:03}.md": f"Report {n} of the harbour: berths and cranes.\n" for n in range(60)}
    large["rate.md"] = "The rate of interest is set by the bank, and the rate is paid in May.\n"
    for name, texts in (("small", small), ("large", large)):
        indexed(tmp_path / name, texts)
    both = snapshots(tmp_path, "large", "small")
    first = both.hits(both.ranked(Query("rate limit", 2)))[0]
    assert first.chunk.source == "small:api.md"


@pytest.mark.slow
def test_paths_name_a_store_or_are_of_all(folder):
    found = snapshots(folder, "home", "work")
    cases = {
        ("home:",): {"home:bread.md", "home:tax/2024.md", "home:tea.txt"},
        ("tax/",): {"home:tax/2024.md", "work:tax/2025.txt"},
        ("*.txt",): {"home:tea.txt", "work:tax/2025.txt"},
        ("work:*.md",): {"work:lease.md", "work:boat.md"},
        ("home:tax", "work:lease"): {"home:tax/2024.md", "work:lease.md"},
        ("home",): set(),
        ("other:tax",): set(),
    }
    for paths, sources in cases.items():
        assert {row.source for row in found.files(paths)} == sources, paths
        assert all(found.selects(path) for path in paths) == bool(sources), paths
    rest = {row.source for row in found.files((), ("home:", "boat.md"))}
    assert rest == {"work:tax/2025.txt", "work:lease.md"}
    none = Query("tax", among=frozenset({"work:lease.md", "home:tea.txt"}))
    assert {hit.chunk.source for hit in search(found, ENCODER, none)} == none.among


def test_a_document_is_read_from_the_store_that_its_name_begins_with(several):
    window = several.read("work:lease.md")
    assert (window.source, window.lines[2].text) == ("work:lease.md", TEXTS["lease.md"][9:-1])
    refused = {
        "lease.md": "'lease.md' is not in the index.*'work:lease.md'",
        "home:lease.md": "'home:lease.md' is not in the index",
        "other:lease.md": "is not in the index",
        "home:../../work/docs/lease.md": "is not in the index",
        "work:": "is not in the index",
    }
    for source, message in refused.items():
        with pytest.raises(Refused, match=message):
            several.read(source)
    assert several.similar("work:leasse.md") == ["work:lease.md"]


# -- the languages of passages ---------------------------------------------------------------------


GERMAN = "Die Kündigungsfristen der Wohnungen betragen drei Monate und gelten für beide Seiten."
ENGLISH = "The notice periods of the flats are three months long and are the same for both sides."


@pytest.fixture(scope="module")
def in_two(tmp_path_factory):
    return indexed(tmp_path_factory.mktemp("made"), {"miete.txt": GERMAN, "rent.txt": ENGLISH})


@pytest.fixture
def store(in_two, tmp_path):
    return copied(in_two, tmp_path)


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
