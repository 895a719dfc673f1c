"""Which index is meant where one stands, and where that of a folder is made."""

import os
import shutil
from pathlib import Path

import pytest

from corpus_agent import startup
from corpus_agent.settings import NamedStore, Settings
from corpus_agent.trust import user_state
from corpus_agent.trust.dropping import drop
from corpus_agent.trust.finding import gone_notices, holding, store_to_write, stores_here
from corpus_agent.trust.stores import (
    STATE,
    entries,
    permission,
    place_of,
    trust,
)
from indexer.errors import NoIndex, UntrustedStore, UsageError
from tests.support.toy_index import sync

OWN = ".corpus-agent"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


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
def test_the_index_of_a_folder_lies_in_it_and_each_is_found_where_it_was_made(monkeypatch):
    notes, contracts = folder("notes/deep").parent, folder("contracts")
    here = Path.cwd()
    assert indexed("notes") == notes / OWN
    assert stores_here(here) == [notes / OWN]
    assert indexed("contracts") == contracts / OWN  # it was refused beside the other
    assert stores_here(here) == [notes / OWN, contracts / OWN]
    assert indexed("notes") == notes / OWN  # the same again
    for within, store in ((notes / "deep", notes / OWN), (contracts, contracts / OWN)):
        assert stores_here(within) == [store], within
    assert stores_here(here.parent) == []  # the control
    with pytest.raises(UsageError, match=r"2 indexes were made from here, of .*notes.*contracts"):
        store_to_write(Settings(), None)
    monkeypatch.chdir(notes / "deep")
    assert store_to_write(Settings(), None) == notes / OWN


@pytest.mark.slow
def test_a_folder_within_an_indexed_one_gets_its_own_and_that_is_told(monkeypatch):
    outer, inner = folder("notes"), folder("notes/deep")
    indexed("notes")
    monkeypatch.chdir(inner)
    assert store_to_write(Settings(), None) == outer / OWN
    assert holding(inner) == outer and holding(outer) is None
    launch = startup.for_indexing(Settings(), Path(), seal_off=True)
    assert launch.settings.store == inner / OWN
    assert f"that of {str(outer)!r} holds its documents too" in launch.notices[0]
    sync(inner, inner / OWN)
    assert stores_here(inner) == [inner / OWN] and stores_here(outer) == [outer / OWN]
    assert startup.for_indexing(Settings(), Path(), seal_off=True).notices == ()  # once


@pytest.mark.slow
def test_a_store_that_is_named_is_written_and_found_from_within_alone(tmp_path):
    docs = folder("docs")
    assert indexed("docs", tmp_path / "store") == tmp_path / "store"
    assert stores_here(docs) == [tmp_path / "store"]
    assert stores_here(Path.cwd()) == []
    assert store_to_write(Settings(), docs) == docs / OWN  # not the one that --store named
    assert store_to_write(Settings(store=tmp_path / "store"), docs) == tmp_path / "store"
    several = Settings(several=tuple(NamedStore(name, docs) for name in "ab"))
    with pytest.raises(UsageError, match="works on one index"):
        store_to_write(several, docs)


@pytest.mark.slow
def test_one_that_came_with_a_folder_is_refused_unless_others_are_meant(tmp_path, monkeypatch):
    docs, here = folder("docs"), Path.cwd()
    came = folder("came")
    sync(came, came / OWN)  # by another hand: its record is taken away
    user_state.update(STATE, lambda _: {})
    assert stores_here(came) == [came / OWN]
    with pytest.raises(UntrustedStore, match="not made by you"):
        place_of(came / OWN, Settings())
    with pytest.raises(UntrustedStore, match="not made by you") as error:
        startup.for_indexing(Settings(), came, seal_off=True)
    assert "corpus-agent trust" in error.value.hint and "--store DIR" in error.value.hint
    monkeypatch.chdir(came)
    indexed(str(docs))
    assert stores_here(came) == [came / OWN]  # it is not passed over in silence
    (came / "below").mkdir()
    monkeypatch.chdir(came / "below")
    assert stores_here(came / "below") == [came / OWN]
    indexed(str(docs))
    assert stores_here(came / "below") == [docs / OWN]
    assert here


@pytest.mark.slow
def test_a_folder_that_is_gone_with_its_index_is_named(monkeypatch):
    notes, here = folder("notes"), Path.cwd()
    indexed("notes")
    notes.rename(here / "moved")
    with pytest.raises(NoIndex, match=r"notes' is not there, and its index lies in it") as error:
        stores_here(here)
    assert "corpus-agent trust" in error.value.hint
    with pytest.raises(UntrustedStore, match=r"you made it at .*notes.*it was moved"):
        startup.for_indexing(Settings(), here / "moved", seal_off=True)
    assert stores_here(here.parent) == []

    other = folder("other")
    indexed("other")
    assert stores_here(here) == [other / OWN]
    (notice,) = gone_notices(here)
    assert str(notes) in notice and "corpus-agent trust" in notice
    found = permission(here / "moved" / OWN)
    trust(found.place)  # it is found where it was found before, and under one path
    assert stores_here(here) == [other / OWN, here / "moved" / OWN]
    assert gone_notices(here) == []
    recorded = entries(user_state.load(STATE))
    assert str(notes / OWN) not in recorded
    assert recorded[str(here / "moved" / OWN)]["name"] == "notes"  # which its sources begin with


@pytest.mark.slow
def test_one_that_is_gone_for_good_is_taken_off_the_list_by_its_name():
    notes, other = folder("notes"), folder("other")
    indexed("notes"), indexed("other")
    shutil.rmtree(notes)
    for name, why in (("other", "is there"), ("nosuch", "is not known")):
        with pytest.raises(UsageError, match=f"The index '{name}' {why}"):
            drop(["notes", name])
    assert len(gone_notices(Path.cwd())) == 1
    assert drop(["notes"]) == [notes / OWN]
    assert gone_notices(Path.cwd()) == [] and stores_here(Path.cwd()) == [other / OWN]


def test_where_the_folder_or_the_record_cannot_be_written_it_lies_where_one_stands(
    tmp_path, monkeypatch
):
    docs, here = folder("docs"), Path.cwd()
    if os.geteuid():
        docs.chmod(0o500)
        assert store_to_write(Settings(), docs) == here / OWN
        docs.chmod(0o700)
    assert store_to_write(Settings(), docs) == docs / OWN  # the control
    (tmp_path / "no").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "no"))
    assert store_to_write(Settings(), docs) == here / OWN
    assert stores_here(here) == []
