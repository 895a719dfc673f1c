"""Several stores that are searched as one: names, paths, filters, and the same hits as of one."""

import gc
import weakref
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from indexer.errors import DamagedStore, IncompatibleStore, Refused, Unreachable, UsageError
from indexer.index import Index
from indexer.records import Fingerprint, Query
from indexer.retrieve import search
from indexer.store.backends import LANCE, MEMORY
from indexer.store.snapshot import Snapshot
from indexer.store.snapshots import Snapshots
from indexer.sync.documents import check_fingerprint
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import ENCODER, sync

TEXTS = {
    "bread.md": "# Bread\n\nSourdough rises slowly, and the dough is folded.\n",
    "tax/2024.md": "# Tax\n\nThe tax for the year is paid in June.\n",
    "tax/2025.txt": "The tax for the next year is paid in May.\n",
    "lease.md": "# Lease\n\nThe tenant pays the rent on the third day.\n",
    "boat.md": "# Boat\n\nThe mast and the sails of the boat are stored in May.\n",
    "tea.txt": "Green tea is not boiled; the water rests for a minute.\n",
}
HOME, WORK = ("bread.md", "tax/2024.md", "tea.txt"), ("tax/2025.txt", "lease.md", "boat.md")


def made(folder: Path, sources: tuple[str, ...]) -> Path:
    for source in sources:
        (folder / "docs" / source).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / source).write_text(TEXTS[source])
    sync(folder / "docs", folder / "store")
    return folder / "store"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of all texts, and two of a half each."""
    folder = tmp_path_factory.mktemp("several")
    for name, sources in (("all", tuple(TEXTS)), ("home", HOME), ("work", WORK)):
        made(folder / name, sources)
    return folder


@pytest.fixture
def stores(folder: Path) -> dict[str, tuple[Path, Path | None]]:
    return {f"{name}:": (folder / name / "store", None) for name in ("home", "work")}


@pytest.fixture
def several(stores: dict[str, tuple[Path, Path | None]]) -> Index:
    return Index.over(stores, ToyEncoder())


def snapshots(folder: Path, *names: str, backend: str = LANCE) -> Snapshots:
    if len(names) == 1:
        return Snapshots({"": Snapshot(folder / names[0] / "store", backend=backend)})
    return Snapshots(
        {f"{name}:": Snapshot(folder / name / "store", backend=backend) for name in names}
    )


def own(source: str) -> str:
    return source.partition(":")[2]


@pytest.mark.slow
def test_vectors_of_two_stores_are_ranked_as_those_of_one(folder):
    one, two = snapshots(folder, "all"), snapshots(folder, "home", "work")
    for text in ("sourdough", "tax of the year", "the boat in May", "tea"):
        vector = ENCODER.encode([text])[0]
        query = Query(text, 4)
        whole, cut = one.nearest(vector, query), two.nearest(vector, query)
        assert cut.scores.tolist() == pytest.approx(whole.scores.tolist()), text
        least = min(whole.scores) + 1e-6  # of equal ones at the end any may be left out
        found = {own(hit.chunk.source) for hit in two.hits(cut) if hit.score > least}
        assert found == {h.chunk.source for h in one.hits(whole) if h.score > least}, text


@pytest.mark.slow
def test_a_search_finds_in_each_store_and_names_it(folder):
    hits = search(snapshots(folder, "home", "work"), ENCODER, Query("tax for the year", 3))
    assert {hit.chunk.source for hit in hits[:2]} == {"home:tax/2024.md", "work:tax/2025.txt"}
    assert hits[0].score >= hits[1].score > 0
    alone = search(snapshots(folder, "home"), ENCODER, Query("tax for the year", 3))
    assert alone[0].chunk.source == "tax/2024.md"  # one store has no name


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
        hits = search(found, ENCODER, Query("tax tea rent boat sourdough", 9, paths=paths))
        assert {hit.chunk.source for hit in hits} == sources, paths
    rest = {row.source for row in found.files((), ("home:", "boat.md"))}
    assert rest == {"work:tax/2025.txt", "work:lease.md"}
    none = Query("tax", among=frozenset({"work:lease.md", "home:tea.txt"}))
    assert {hit.chunk.source for hit in search(found, ENCODER, none)} == none.among


def test_a_filter_is_of_all_stores_and_its_path_may_name_one(folder):
    found = snapshots(folder, "home", "work")
    cases = {
        "type=txt": {"home:tea.txt", "work:tax/2025.txt"},
        "type=txt path=work:": {"work:tax/2025.txt"},
        "path!=tax/ path=home:": {"home:bread.md", "home:tea.txt"},
    }
    for where, sources in cases.items():
        assert found.filtered(where) == sources, where


def test_what_is_counted_is_the_sum(folder):
    found = snapshots(folder, "home", "work")
    parts = [part.manifest for part in found.parts.values()]
    assert found.coverage.indexed == 6 == sum(part.coverage.indexed for part in parts)
    assert found.version == sum(part.version for part in parts)
    assert sum(found.languages.values()) == sum(part.chunks for part in parts)


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


@pytest.mark.slow
def test_a_file_whose_own_name_has_a_colon_stays_in_its_store(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name / "docs").mkdir(parents=True)
    (tmp_path / "a/docs/b:lease.md").write_text("The rent of a.\n")
    (tmp_path / "b/docs/lease.md").write_text("The rent of b.\n")
    stores = {}
    for name in ("a", "b"):
        sync(tmp_path / name / "docs", tmp_path / name / "store")
        stores[f"{name}:"] = (tmp_path / name / "store", None)
    both = Index.over(stores, ToyEncoder())
    assert {row.source for row in both.files()} == {"a:b:lease.md", "b:lease.md"}
    assert both.read("a:b:lease.md").lines[0].text == "The rent of a."
    assert both.read("b:lease.md").lines[0].text == "The rent of b."


@pytest.mark.slow
def test_bounds_and_rows_are_named_as_sources_are(several):
    bounded = several.bounded({"home:tea.txt", "work:boat.md"}, ["less"])
    assert [row.source for row in bounded.files()] == ["home:tea.txt", "work:boat.md"]
    assert (bounded.coverage().indexed, bounded.notices) == (2, ("less",))
    assert {hit.chunk.source for hit in bounded.search(Query("tax tea boat", 9))} == {
        "home:tea.txt",
        "work:boat.md",
    }
    with pytest.raises(Refused, match="not in the index"):
        bounded.read("work:lease.md")
    row = several.file("work:lease.md")
    assert row is not None
    assert row.source == "work:lease.md"


@pytest.mark.slow
def test_what_changed_on_the_disk_is_told_of_each_store(tmp_path):
    stores = {f"{n}:": (made(tmp_path / n, s), None) for n, s in (("h", HOME), ("w", WORK))}
    both = Index.over(stores, ToyEncoder())
    assert not any(hit.stale for hit in both.search(Query("tax boat tea", 9)))  # the control
    (tmp_path / "w/docs/boat.md").write_text("No more boat.\n")
    stale = {hit.chunk.source for hit in both.search(Query("tax boat tea", 9)) if hit.stale}
    assert stale == {"w:boat.md"}
    (tmp_path / "w/docs").rename(tmp_path / "w/away")
    both.check_root()  # the other one can be read
    assert both.read("h:tea.txt").lines
    with pytest.raises(Unreachable, match=r"w/docs', is not there"):
        both.read("w:boat.md")
    (tmp_path / "h/docs").rename(tmp_path / "h/away")
    with pytest.raises(Unreachable, match="not there"):
        both.check_root()


@pytest.mark.slow
def test_a_newer_version_of_any_store_is_seen(tmp_path):
    stores = {f"{n}:": (made(tmp_path / n, s), None) for n, s in (("h", HOME), ("w", WORK))}
    both = Index.over(stores, ToyEncoder())
    assert both.latest() is both
    (tmp_path / "w/docs/new.md").write_text("A canoe.\n")
    sync(tmp_path / "w/docs", tmp_path / "w/store")
    assert both.file("w:new.md") is None  # each answer keeps its versions
    newest = both.latest()
    assert newest.file("w:new.md") is not None
    assert newest.version > both.version
    assert [one.name for one in newest.stores] == ["h", "w"]
    with pytest.raises(UsageError, match="Version 1 may be one of each"):
        Index.over(stores, at="1")


@pytest.mark.slow
def test_a_store_of_another_model_is_refused_by_its_name(tmp_path):
    other = ToyEncoder()
    other.name = "other"
    (tmp_path / "w/docs").mkdir(parents=True)
    (tmp_path / "w/docs/a.md").write_text("A canoe.\n")
    sync(tmp_path / "w/docs", tmp_path / "w/store", other)
    stores = {"h:": (made(tmp_path / "h", HOME), None), "w:": (tmp_path / "w/store", None)}
    with pytest.raises(IncompatibleStore, match=r"The index w was made with other.*-s w index"):
        Index.over(stores, ToyEncoder())
    assert len(Index.over(stores).files()) == 4  # without a model they are read


@pytest.mark.parametrize(
    ("made_by", "way"),
    [
        ("small", "it: --model DIR, its folder is called 'small'. Or bring it up to date: "),
        ("all-MiniLM-L6-v2 int8", "it: the packaged one (no --model, no --embedder). Or bring it"),
        ("x-gone/1.0", "Bring it up to date: corpus-agent index"),
        ("toy", "Bring it up to date: corpus-agent index"),  # of the same name: other weights
    ],
)
def test_an_index_of_another_model_is_told_with_what_chooses_it(made_by, way):
    today = Fingerprint("toy", "b" * 64, 8, "", "", "c/1", "n/1")
    stored = replace(today, model=made_by, weights_sha256="a" * 64)
    with pytest.raises(IncompatibleStore) as refused:
        check_fingerprint("", stored, today, past=False)
    assert way in str(refused.value)
    check_fingerprint("", today, today, past=False)  # the control


def test_a_passage_that_is_not_what_was_embedded_is_told_with_its_store(several):
    hit = several.search(Query("boat", 1))[0]
    several._check_text(hit)  # the control
    forged = replace(hit, chunk=replace(hit.chunk, text="forged"))
    with pytest.raises(DamagedStore, match="work/store' is damaged: a passage of 'work:boat"):
        several._check_text(forged)


def test_versions_that_nobody_holds_any_more_go_at_once(folder):
    several = snapshots(folder, "home", "work")
    gone = [weakref.ref(part) for part in several.parts.values()]
    several.nearest(
        ENCODER.encode(["rent"])[0], Query("rent", 2, among=frozenset({"home:bread.md"}))
    )
    gc.disable()
    try:
        assert all(part() is not None for part in gone)  # the control
        del several
        assert all(part() is None for part in gone)
    finally:
        gc.enable()


@pytest.mark.slow
def test_a_word_weighs_what_it_would_in_one_store(tmp_path):
    """In the small store "tax" is rare, in both together it is not."""
    texts = {f"tax{n}.txt": f"The tax of year {n} is due in the ninth month." for n in range(12)}
    others = {f"boat{n}.txt": f"The boat of year {n} is out in the ninth month." for n in range(12)}
    others["levy.txt"] = "The tax on mooring is due in the ninth month."
    others["norway.txt"] = "The boat of Norway is out in the ninth month."
    both = {"one": {**texts, **others}, "home": texts, "work": others}
    for name, documents in both.items():
        (tmp_path / name / "docs").mkdir(parents=True)
        for source, text in documents.items():
            (tmp_path / name / "docs" / source).write_text(text)
        sync(tmp_path / name / "docs", tmp_path / name / "store")
    query = Query("tax norway", 30)
    one, several = snapshots(tmp_path, "one"), snapshots(tmp_path, "home", "work")
    whole, parts = one.worded(query), several.worded(query)
    assert one.hits(whole)[0].chunk.source == "norway.txt"
    assert several.hits(parts)[0].chunk.source == "work:norway.txt"
    assert np.allclose(parts.scores, whole.scores, rtol=0.06)  # but for how long rows are
    alone = several.parts["work:"].worded(query)  # the control: by itself "tax" is rare there
    assert alone.scores[1] > 3 * whole.scores[1]


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of all, and two of parts where words are not equally rare; beside an empty one."""
    folder = tmp_path_factory.mktemp("uneven")
    random = Random(3)
    several = "rent lease boiler notice month organisation court street water heating 東京都"
    words = several.split()
    for name in ("one", "home", "work", "none"):
        (folder / name / "docs").mkdir(parents=True)
    for number in range(60):
        name = "home" if number < 45 else "work"
        common = "deposit" if name == "home" else random.choice(words)
        text = f"{' '.join(random.choices(words, k=random.randint(12, 20)))} {common}\n"
        for each in ("one", name):
            (folder / each / "docs" / f"{number:02}.txt").write_text(text)
    for name in ("one", "home", "work", "none"):
        sync(folder / name / "docs", folder / name / "store")
    return folder


@pytest.mark.parametrize("backend", [LANCE, MEMORY])
@pytest.mark.parametrize(
    "text",
    [
        "boiler notice",  # the control
        "rent-deposit",
        "boiler-notice deposit",
        "deposit deposit court",
        "deposit’s court? (The notice.)",
        "heating/re-organisation",
        "東京都の deposit",
    ],
)
def test_words_weigh_so_however_they_are_written_and_repeated(uneven, text, backend):
    one = snapshots(uneven, "one", backend=backend)
    several = snapshots(uneven, "none", "home", "work", backend=backend)
    query = Query(text, 100)
    whole = {hit.chunk.source: hit.score for hit in one.hits(one.worded(query))}
    parts = {own(hit.chunk.source): hit.score for hit in several.hits(several.worded(query))}
    assert whole.keys() == parts.keys()
    assert parts == pytest.approx(whole, rel=0.03)  # but for how long rows are
