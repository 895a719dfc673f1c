"""A disk that is full or read-only at any point: a clear error, and the old index serves."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from indexer.errors import CorpusError
from tests.support.checks import check_same, check_store, content
from tests.support.folders import change_folder, make_folder
from tests.support.places import REPOSITORY
from tests.support.toy_index import sync

pytestmark = pytest.mark.slow

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


# Runs as a user whom permissions stop, who may no longer write once it embeds.
FORBIDDEN = """
import sys
from pathlib import Path
from tests.support import no_override
no_override.drop()
from indexer.errors import CorpusError
from tests.support.fakes import ToyEncoder
from tests.support.toy_index import sync

root, store = map(Path, sys.argv[1:])

class Forbidding(ToyEncoder):
    def encode(self, texts):
        for path in (store, *store.rglob("*")):
            path.chmod(path.stat().st_mode & ~0o222)
        return super().encode(texts)

try:
    sync(root, store, Forbidding(), commit_seconds=0.01)
except CorpusError as error:
    print(error.message)
"""


def test_a_store_that_may_no_longer_be_written_midway_stays_what_it_was(open_folder):
    root, store = open_folder / "docs", open_folder / "store"
    make_folder(root, 30, Random(5))
    sync(root, store)
    change_folder(root, 0.3, Random(5))
    for path in root.rglob("*.*"):
        path.write_text(path.read_text().replace(" ba", " ba ba"))
    before = content(store)
    done = subprocess.run(
        [sys.executable, "-c", FORBIDDEN, root, store],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "may not write in" in done.stdout
    for path in (store, *store.rglob("*")):
        path.chmod(0o700)
    check_store(store).close()
    assert content(store) == before
    sync(root, store)
    sync(root, open_folder / "fresh")
    check_same(store, open_folder / "fresh")
