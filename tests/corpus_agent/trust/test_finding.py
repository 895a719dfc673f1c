"""Which index is meant where one stands, and where that of a folder is made."""

from pathlib import Path

import pytest

from corpus_agent import startup
from corpus_agent.settings import Settings
from corpus_agent.trust import user_state
from corpus_agent.trust.finding import store_to_write, stores_here
from corpus_agent.trust.stores import (
    STATE,
    place_of,
)
from indexer.errors import UntrustedStore, UsageError
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
