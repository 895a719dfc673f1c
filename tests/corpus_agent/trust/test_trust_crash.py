"""Killed while a store is made and recorded: the next `index` finds what it can go on from."""

import json
import subprocess
import sys

import pytest

from corpus_agent.settings import Settings
from corpus_agent.startup import for_indexing
from corpus_agent.trust.stores import StorePlace, record
from indexer.errors import CorpusError, UntrustedStore
from indexer.store.storage import Identity, make_store
from tests.support.places import REPOSITORY

# Forks a child for each moment at which something on the disk is about to change, which kills
# itself there; then another one makes the store. Says for each what was left and what came of it.
KILLING = """
import json, os, signal, sys
from pathlib import Path
from corpus_agent.startup import for_indexing
from corpus_agent.settings import Settings
from corpus_agent.trust.stores import place_of

CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.chmod"}

def changes(event, arguments):
    if event == "open":
        return bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    return event in CHANGES

def making(folder, kill_at):
    seen = 0
    def look(event, arguments):
        nonlocal seen
        if changes(event, arguments):
            seen += 1
            if seen == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
    if kill_at:
        sys.addaudithook(look)
    settings = Settings(store=folder / "store")
    for_indexing(settings, folder / "docs", seal_off=True)
    os._exit(0 if place_of(folder / "store", settings).root == folder / "docs" else 1)

def child(folder, kill_at):
    pid = os.fork()
    if pid == 0:
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        making(folder, kill_at)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

found = []
for kill_at in range(1, 200):
    folder = Path(sys.argv[1]) / str(kill_at)
    (folder / "docs").mkdir(parents=True)
    ended = child(folder, kill_at)
    left = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.name != "docs")
    found.append([ended, left, child(folder, 0)])
    if ended == 0:
        break
    found[-1].append(sorted(os.listdir(folder / "state/corpus-agent")))
print(json.dumps(found))
"""


@pytest.mark.slow
def test_killed_at_any_moment_a_store_is_made_by_the_next_index(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLING, tmp_path],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    *killed, whole = json.loads(done.stdout)
    assert whole[0] == 0  # no moment is left
    assert {ended for ended, *_ in killed} == {-9}
    assert len({tuple(left) for _, left, *_ in killed}) >= 5
    for _, left, again, state in killed:
        assert again == 0, left
        assert state == ["stores.json"], left  # and what was begun has gone
    # Before anything of a store is there, the record is.
    begun = [left for _, left, *_ in killed if any("corpus-agent.store" in name for name in left)]
    assert begun and all("state/corpus-agent/stores.json" in left for left in begun)


def test_a_store_that_was_not_announced_would_stay_a_strangers(tmp_path):
    """The control: made before it is recorded, as it was, and killed in between."""
    (tmp_path / "docs").mkdir()
    make_store(tmp_path / "store")
    with pytest.raises(UntrustedStore, match="there is no record that you did"):
        for_indexing(Settings(store=tmp_path / "store"), tmp_path / "docs", seal_off=True)


def test_a_record_of_a_folder_that_is_still_empty_trusts_nobody_elses_store(tmp_path):
    """Who fills the folder between the record and the marker does not know the id."""
    (tmp_path / "docs").mkdir()

    def announce(identity: Identity) -> None:
        record(StorePlace(tmp_path / "store", tmp_path / "docs"), identity)
        raise InterruptedError("right here")

    with pytest.raises(CorpusError):
        make_store(tmp_path / "store", announce)
    (tmp_path / "store/corpus-agent.store").write_text(f"corpus-agent store\nid = {32 * 'a'}\n")
    with pytest.raises(UntrustedStore, match="another one is in the place"):
        for_indexing(Settings(store=tmp_path / "store"), tmp_path / "docs", seal_off=True)
