"""The stores of a user: by name, and by where one stands; where that of a folder is made."""

import shutil
from pathlib import Path

import pytest

from corpus_agent import startup
from corpus_agent.settings import Settings
from corpus_agent.trust import user_state
from corpus_agent.trust.stores import MAX_NAME_CHARS, STATE, name_for, place_of
from corpus_agent.trust.which_index import chosen_stores, no_index_here, store_here, store_to_write
from indexer.errors import UntrustedStore, UsageError
from tests.support.toy_index import sync


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def made(folder: Path) -> Path:
    """The store within a folder of one document."""
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("Sourdough rises slowly.\n")
    sync(folder, folder / ".corpus-agent")
    return folder / ".corpus-agent"


def named(*given: object, everything: bool = False) -> dict[str, Path]:
    chosen, _ = chosen_stores([Path(str(one)) for one in given], everything=everything)
    return {one.name: one.store for one in chosen}


def test_a_name_is_the_folders_in_plain_letters():
    cases = {
        "notes": "notes",
        "My notes (2024)": "My-notes-2024",
        "Verträge": "Verträge",
        "a:b": "a-b",
        "...": "store",
        "x" * 90: "x" * MAX_NAME_CHARS,
        "data": "data-2",  # data:x would be taken for a link
        "my-mailto": "my-mailto-2",
        "C-3\x1b[2J": "C-3-2J",
        "x\u3164y": "xy",  # a letter that is not shown: no number made a name of it, without end
        "\uffa0": "store",
        "a-\u115f": "a",
    }
    for folder, name in cases.items():
        assert name_for(Path("/home/ann") / folder) == name, folder
    assert name_for(Path("/a/notes"), ["notes", "notes-2"]) == "notes-3"


@pytest.mark.slow
def test_a_record_keeps_its_name_and_no_two_are_the_same(tmp_path):
    first, second = made(tmp_path / "one/notes"), made(tmp_path / "two/notes")
    assert named(first, second) == {"notes": first, "notes-2": second}
    shutil.rmtree(first)
    sync(tmp_path / "one/notes", first)  # made anew: its record is the newest now
    assert named(first, second) == {"notes": first, "notes-2": second}


@pytest.mark.slow
def test_a_store_is_chosen_by_name_path_and_folder(tmp_path):
    store, other = made(tmp_path / "notes"), made(tmp_path / "papers")
    assert named("notes") == named(store) == named(tmp_path / "notes") == {"notes": store}
    assert named("papers", "notes", store) == {"papers": other, "notes": store}  # each once
    assert named(everything=True) == {"notes": store, "papers": other}
    new = tmp_path / "new"
    assert list(named(new).values()) == [new]  # none yet: index makes it


@pytest.mark.slow
def test_a_store_of_somebody_in_the_working_folder_is_refused_and_not_taken_for_the_name(
    tmp_path, monkeypatch
):
    store = made(tmp_path / "notes")
    (tmp_path / "theirs").mkdir()
    shutil.copytree(tmp_path / "notes", tmp_path / "theirs/notes")
    monkeypatch.chdir(tmp_path / "theirs")
    [(_, chosen)] = named("notes").items()
    with pytest.raises(UntrustedStore, match="not made by you here"):
        place_of(chosen, Settings())
    monkeypatch.chdir(tmp_path / "state")
    assert place_of(named("notes")["notes"], Settings()).store == store  # the control


OWN = ".corpus-agent"


def folder(path: str) -> Path:
    """A folder of one document below the working folder, or the one that is there."""
    place = Path.cwd() / path
    place.mkdir(parents=True, exist_ok=True)
    (place / "a.md").write_text("Sourdough rises slowly.\n")
    return place


def indexed(path: str, store: Path | None = None) -> Path:
    """The store that `index PATH`, typed in the working folder, writes; as the command makes it."""
    launch = startup.for_indexing(Settings(store=store), Path(path), seal_off=True)
    assert launch.settings.store is not None
    sync(folder(path), launch.settings.store)
    return launch.settings.store


@pytest.mark.slow
def test_the_index_of_the_nearest_folder_is_meant_else_the_only_one_below(monkeypatch):
    notes, contracts = folder("notes/deep").parent, folder("contracts")
    here = Path.cwd()
    assert store_here(here) is None
    assert indexed("notes") == notes / OWN
    assert store_here(here) == store_here(here.parent) == notes / OWN
    assert indexed("contracts") == contracts / OWN
    for within, store in ((notes / "deep", notes / OWN), (contracts, contracts / OWN)):
        assert store_here(within) == store, within
    with pytest.raises(UsageError, match=r"2 of your indexes lie below") as which:
        store_here(here)
    assert "-s notes, -s contracts" in which.value.hint
    with pytest.raises(UsageError, match=r"2 of your indexes"):
        store_to_write(Settings(), None)
    monkeypatch.chdir(notes / "deep")
    assert store_to_write(Settings(), None) == notes / OWN
    assert "notes, contracts" in no_index_here().hint


@pytest.mark.slow
def test_an_index_apart_is_found_from_its_documents_and_written_again(tmp_path):
    docs, apart = folder("docs"), tmp_path / "apart"
    assert indexed("docs", apart) == apart
    assert store_here(docs) == apart
    assert store_to_write(Settings(), docs) == apart


@pytest.mark.slow
def test_one_that_came_with_a_folder_is_refused_and_never_passed_over(monkeypatch):
    came = folder("came")
    sync(came, came / OWN)  # by another hand: its record is taken away
    user_state.update(STATE, lambda _: {})
    with pytest.raises(UntrustedStore, match="not made by you"):
        place_of(came / OWN, Settings())
    with pytest.raises(UntrustedStore, match="not made by you") as error:
        startup.for_indexing(Settings(), came, seal_off=True)
    assert "corpus-agent trust" in error.value.hint and "--store DIR" in error.value.hint
    monkeypatch.chdir(came)
    folder("below")
    indexed("below")
    assert store_here(came) == came / OWN
    assert store_here(came / "below") == came / "below" / OWN


@pytest.mark.slow
def test_a_folder_that_moved_is_recorded_where_it_is_now(tmp_path):
    docs, apart = folder("docs"), tmp_path / "apart"
    indexed("docs", apart)
    moved = docs.rename(docs.with_name("moved"))
    startup.for_indexing(Settings(store=apart), moved, seal_off=True)
    assert place_of(apart, Settings()).root == moved
