"""The sealed process of a shard: what it may do, and that its end costs its shard."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from indexer.embed import FolderEncoder
from indexer.store.ownership import make_store
from indexer.sync.folder import sync_folder
from indexer.sync.shards import LocalHands
from tests.support.checks import check_same, check_store
from tests.support.folders import make_folder
from tests.support.places import REPOSITORY
from tests.support.processes import children, gone, network_sockets, until


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    base = tmp_path_factory.mktemp("made")
    make_folder(base / "docs", 24, random.Random(7), paragraphs=2)
    make_store(base / "store")
    sync_folder(base / "store", base / "docs", FolderEncoder())
    return base


DRIVER = """
import sys
from pathlib import Path
from indexer import FolderEncoder, LocalHands, sync_folder
store, root = map(Path, sys.argv[1:])
hands = LocalHands(2)
hands.least_bytes = 4_000
sync_folder(store, root, FolderEncoder(), hands=hands)
"""


# Tries to do what a document would have it do; `sealed` first, or not, as a control.
TRYING = """
import json, os, socket, sys
from pathlib import Path
from indexer.confine import confine
from indexer.sync.shards import OPENING, POLICY
opening, sealed = json.loads(sys.argv[1]), sys.argv[2] == "sealed"
os.environ[OPENING] = sys.argv[1]
if sealed:
    confine(POLICY())
store, outside = Path(opening["store"]), Path(sys.argv[3])

def done(attempt):
    try:
        attempt()
    except PermissionError:
        return False
    return True

print(json.dumps({
    "socket": done(lambda: socket.socket()),
    "unix": done(lambda: socket.socket(socket.AF_UNIX)),
    "read outside": done(outside.read_bytes),
    "write manifest": done(lambda: (store / "manifest.json").write_text("{}")),
    "write vectors": done(lambda: (store / "vectors.x").write_text("")),
    "write document": done(lambda: (Path(opening["root"]) / "a.txt").write_text("")),
    "read document": done((Path(opening["root"]) / "a.txt").read_bytes),
    "read store": done((store / "corpus-agent.store").read_bytes),
    "stage": done(lambda: (store / "staging" / "x").write_text("")),
}))
"""


def opening(base: Path) -> dict[str, object]:
    (base / "docs").mkdir()
    (base / "docs" / "a.txt").write_text("The lantern hangs over the harbour door.")
    make_store(base / "store")
    (base / "store" / "staging").mkdir()
    return {"root": str(base / "docs"), "store": str(base / "store"), "model": None}


@pytest.mark.slow
@pytest.mark.parametrize("sealed", [True, False])
def test_a_shards_process_has_no_socket_and_writes_nothing_but_staged_shards(tmp_path, sealed):
    outside = tmp_path / "outside.txt"
    outside.write_text("private")
    arguments = [json.dumps(opening(tmp_path)), "sealed" if sealed else "open", str(outside)]
    done = subprocess.run(
        [sys.executable, "-c", TRYING, *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    tried = json.loads(done.stdout)
    allowed = {"read document", "read store", "stage"}
    assert {what for what, was in tried.items() if was} == (allowed if sealed else {*tried})


# ---- The whole way, with the packaged model


@pytest.mark.nightly
@pytest.mark.slow
def test_a_killed_driver_leaves_no_process_and_the_next_run_finishes_its_work(made, tmp_path):
    store = tmp_path / "store"
    make_store(store)
    started = subprocess.Popen([sys.executable, "-c", DRIVER, store, made / "docs"], cwd=REPOSITORY)
    staging = store / "staging"
    assert until(
        lambda: staging.is_dir() and any(len(path.name) == 32 for path in staging.iterdir()), 120
    )
    left = children(started.pid)
    started.kill()
    started.wait()
    assert left
    assert all(map(gone, left))
    hands = LocalHands(1)
    hands.least_bytes = 4_000
    outcome = sync_folder(store, made / "docs", FolderEncoder(), hands=hands)
    assert outcome.embedded <= outcome.chunks
    check_store(store)
    check_same(made / "store", store)
    assert not staging.exists()


def shards() -> list[int]:
    """The processes of this one that make shards."""
    return [
        pid
        for pid in children(os.getpid())
        if b"sync.shards" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


@pytest.mark.nightly
@pytest.mark.slow
def test_killed_at_random_moments_its_processes_cost_their_shards_and_never_have_a_socket(
    made, tmp_path
):
    chance = random.Random(int(os.environ.get("CRASH_SEED", "1")))
    store = tmp_path / "store"
    make_store(store)
    hands = LocalHands(2)
    hands.least_bytes = 4_000
    killed: list[int] = []
    sockets: list[str] = []
    looked = 0
    over = threading.Event()

    def disturb() -> None:
        nonlocal looked
        due = math.inf  # from when a process is there
        while not over.wait(0.02):
            pids = shards()
            if pids and due == math.inf:
                due = time.monotonic() + chance.uniform(0.1, 0.6)
            for pid in pids:
                try:
                    sockets.extend(network_sockets(pid))
                    looked += 1
                except OSError:
                    continue
            if time.monotonic() > due and len(killed) < 3 and pids:
                victim = chance.choice(pids)
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)
                due = time.monotonic() + chance.uniform(0.3, 2.0)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        outcome = sync_folder(store, made / "docs", FolderEncoder(), hands=hands)
    finally:
        over.set()
        thread.join()
    assert killed
    assert outcome.added == 24
    assert outcome.cluster.here == 0  # each was made again by another process
    check_store(store)
    check_same(made / "store", store)
    assert looked
    assert sockets == []
    assert shards() == []
    for pid in killed:
        assert not Path(f"/proc/{pid}").exists()
