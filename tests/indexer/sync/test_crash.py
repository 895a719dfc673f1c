"""Killed at any moment, on a full disk, on a read-only one: the index stays whole."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from indexer.errors import CorpusError, NoIndex
from indexer.store.manifest import read_manifest
from tests.support.folders import change_folder, make_folder
from tests.support.places import REPOSITORY
from tests.support.rows import check_same, check_store, content
from tests.support.toy_index import sync

pytestmark = pytest.mark.slow


# Indexes in a process of its own, slowed down to the pace of a model; commits every 0.2 s.
INDEXING = """
import sys, time
from pathlib import Path
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import sync

class SlowEncoder(ToyEncoder):
    def encode(self, texts):
        time.sleep(0.0002 * len(texts))
        return super().encode(texts)

root, store = map(Path, sys.argv[1:])
print("ready", flush=True)
sync(root, store, SlowEncoder(), commit_seconds=0.2)
"""


def index(root: Path, store: Path, kill_after: float | None = None) -> tuple[bool, float]:
    """Whether a run came to its end before it was killed, and how long it worked."""
    with subprocess.Popen(
        [sys.executable, "-c", INDEXING, root, store], cwd=REPOSITORY, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        started = time.monotonic()
        try:
            process.wait(kill_after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.returncode in (0, -signal.SIGKILL)
        return process.returncode == 0, time.monotonic() - started


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=pytest.mark.nightly)])
def test_killed_at_random_moments_the_index_stays_whole_and_is_finished_by_the_next_run(
    tmp_path, kills
):
    random = Random(int(os.environ.get("CRASH_SEED", "1")))
    root, store = tmp_path / "docs", tmp_path / "store"
    make_folder(root, 60, random)
    _, whole = index(root, tmp_path / "timed")
    killed = without_index = 0
    for _ in range(4 * kills):
        finished, _ = index(root, store, kill_after=random.uniform(0, whole))
        killed += not finished
        try:
            check_store(store)
        except NoIndex:
            without_index += 1
        if killed >= kills and without_index < killed:
            break
        if finished or random.random() < 0.3:
            change_folder(root, 0.3, random)
    assert killed >= kills
    assert without_index < killed  # the control: most kills hit an index that was there
    assert index(root, store)[0]
    assert read_manifest(store).complete
    check_store(store)
    sync(root, tmp_path / "fresh")
    check_same(store, tmp_path / "fresh")


# -- disks -----------------------------------------------------------------------------------------

DISK = 24 * 2**20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this process cannot mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def remount(disk: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True, capture_output=True)


def test_a_disk_that_is_full_at_any_point_costs_nothing_but_the_run(disk, tmp_path):
    random = Random(3)
    root, store = tmp_path / "docs", disk / "store"
    make_folder(root, 60, random, paragraphs=3)
    sync(root, store)
    refused = 0
    for _ in range(8):
        before = content(store)
        change_folder(root, 0.5, random)
        room = os.statvfs(disk)  # in whole blocks
        free = room.f_bavail * room.f_frsize
        (disk / "ballast").write_bytes(bytes(random.randrange(free * 92 // 100, free)))
        try:
            sync(root, store)
        except CorpusError as error:
            refused += 1
            assert "is full. What was indexed before is kept" in error.message
            assert content(store) == before
        check_store(store).close()  # also while there is no space left
        (disk / "ballast").unlink()
    assert refused > 1  # the control
    sync(root, store)
    check_store(store).close()
    sync(root, tmp_path / "fresh")
    check_same(store, tmp_path / "fresh")


def test_a_store_on_a_read_only_disk_can_be_searched_and_not_written(disk, tmp_path):
    root, store = tmp_path / "docs", disk / "store"
    make_folder(root, 5, Random(4))
    sync(root, store)
    remount(disk, "ro")
    check_store(store).close()
    change_folder(root, 0.5, Random(4))
    with pytest.raises(CorpusError, match="read-only file system"):
        sync(root, store)
    check_store(store).close()
    remount(disk, "rw")
    sync(root, store)
    check_store(store).close()
