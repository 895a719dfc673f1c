"""Former versions: which are kept, what they hold, what changed, and back to one of them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from corpus_agent import render
from indexer.store.history import history, roll_back
from indexer.store.keeping import Keep
from indexer.store.manifest import hold
from indexer.store.snapshot import Snapshot
from indexer.store.versions import versions
from tests.support.checks import check_same, check_store
from tests.support.places import REPOSITORY
from tests.support.toy_index import found, rows, sync

KILLS = 20


ROLLING = """
import sys
from pathlib import Path
from indexer.store.history import roll_back
store = Path(sys.argv[1])
print("ready", flush=True)
while True:
    for number in (1, 2):
        roll_back(store, number)
        print("done", flush=True)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(4):
        (folder / f"n{number}.txt").write_text(f"Note {number} about the boiler.\n")
    return folder


@pytest.fixture
def edited(root: Path, tmp_path: Path) -> Path:
    """Three versions: an edit and an addition in the second, a move and a removal in the third."""
    store = tmp_path / "store"
    sync(root, store, keep=Keep(versions=5))
    (root / "n0.txt").write_text("Note 0 about the oven.\n")
    (root / "new.txt").write_text("A walrus.\n")
    sync(root, store)
    (root / "n1.txt").rename(root / "moved.txt")
    (root / "n2.txt").unlink()
    sync(root, store)
    return store


def numbers(store: Path) -> list[int]:
    return [manifest.version for manifest in versions(store)]


@pytest.mark.slow
def test_a_rollback_makes_a_version_current_and_the_next_run_goes_on_from_the_folder(
    edited, root, tmp_path
):
    first, last = chunk_texts(edited, 1), rows(edited)
    assert [each.same_as for each in history(edited).versions] == [None] * 3
    done = roll_back(edited, 1)
    assert [(each.number, each.same_as) for each in history(edited).versions][:2] == [
        (4, 1),
        (3, None),
    ]
    assert "current  as version 1 was" in list(render.history_lines(history(edited)))[1]
    assert (done.before, done.target, done.version) == (3, 1, 4)
    assert chunk_texts(edited, 4) == first
    check_store(edited)
    assert numbers(edited) == [1, 2, 3, 4]
    outcome = sync(root, edited)
    assert outcome.embedded == 0  # all of it was embedded before
    assert rows(edited) == last
    sync(root, tmp_path / "fresh")
    check_same(edited, tmp_path / "fresh")


def chunk_texts(store: Path, version: int) -> set[tuple[str, str]]:
    table = Snapshot(store, version=version).chunk_rows().to_pylist()
    return {(row["source"], row["text"]) for row in table}


@pytest.mark.nightly
@pytest.mark.slow
def test_killed_at_random_moments_a_rollback_is_done_or_was_never_begun(tmp_path):
    random = Random(int(os.environ.get("CRASH_SEED", "1")))
    root, store = tmp_path / "docs", tmp_path / "store"
    root.mkdir()
    for number in range(30):
        (root / f"n{number:02}.txt").write_text(f"Note {number} about the boiler.\n")
    sync(root, store, keep=Keep(versions=100))
    for path in root.iterdir():
        path.write_text(f"Something about the oven of {path.name}.\n")
    sync(root, store)
    wanted = {"boiler": chunk_texts(store, 1), "oven": chunk_texts(store, 2)}
    rolled, seen = 0, set()
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", ROLLING, store], cwd=REPOSITORY, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout.readline() == b"ready\n"
            for _ in range(random.choice((0, 1, 1, 2))):  # a slow machine too has done some
                rolled += process.stdout.readline() == b"done\n"
            time.sleep(random.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
            rolled += process.stdout.read().count(b"done")
        manifest, held = hold(store)
        os.close(held)
        word = "boiler" if found(store, "boiler") else "oven"
        assert chunk_texts(store, manifest.version) == wanted[word]
        assert {1, 2} <= {*numbers(store)}
        seen.add(word)
        if manifest.version > 80:  # so that the first two stay among those that are kept
            break
    print(f"{rolled} rollbacks beside {KILLS} kills")
    assert seen == {"boiler", "oven"}  # the control: there was something to be killed
    check_store(store)
    assert sync(root, store).interrupted is False
    assert found(store, "boiler") == set()
