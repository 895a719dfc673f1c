"""Which index is meant where one stands, and where that of a folder is made."""

from pathlib import Path

import pytest

from corpus_agent import startup
from corpus_agent.settings import Settings
from corpus_agent.trust import user_state
from corpus_agent.trust.known import no_index_here, store_here, store_to_write
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
def test_the_index_of_the_nearest_folder_is_meant_else_the_only_one_below(monkeypatch):
    notes, contracts = folder("notes/deep").parent, folder("contracts")
    here = Path.cwd()
    assert store_here(here) is None
    assert indexed("notes") == notes / OWN
    assert store_here(here) == store_here(here.parent) == notes / OWN
    assert indexed("contracts") == contracts / OWN
    for within, store in ((notes / "deep", notes / OWN), (contracts, contracts / OWN)):
        assert store_here(within) == store, within
    with pytest.raises(UsageError, match=r"2 of your indexes lie below .*notes, contracts"):
        store_here(here)
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
