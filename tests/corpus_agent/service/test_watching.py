"""A watched folder: the command itself, sealed and with the real model; real signals."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.files.watch import LEAST_SECONDS, next_pause, picture
from indexer.store.manifest import read_manifest

pytestmark = pytest.mark.slow
PATIENCE = 200.0  # seconds for what takes two or three; the machine may be busy


class Watching:
    """A process that watches `root`, and the objects that it prints."""

    def __init__(self, *command: object, cwd: Path) -> None:
        self.process = subprocess.Popen(
            [*map(str, command)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        self._unread = b""

    def next(self, key: str) -> dict:
        """The next object that has `key`."""
        deadline = time.monotonic() + PATIENCE
        while True:
            line, newline, rest = self._unread.partition(b"\n")
            if newline:
                self._unread = rest
                if key in (found := json.loads(line)):
                    return found
                continue
            assert time.monotonic() < deadline, f"never saw {key!r}; left: {self._unread!r}"
            assert self.process.stdout is not None
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                read = os.read(self.process.stdout.fileno(), 65_536)
                assert read, f"ended without {key!r}: {self.end()}"
                self._unread += read

    def signal(self, number: int) -> int:
        """The exit code after the signal."""
        self.process.send_signal(number)
        return self.end()[0]

    def end(self) -> tuple[int, str]:
        """Exit code and standard error, once it has ended."""
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors.decode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs/sub").mkdir(parents=True)
    (tmp_path / "docs/a.md").write_text("# Bread\n\nSourdough rises slowly.\n")
    (tmp_path / "docs/sub/b.txt").write_text("The boiler pressure is 1.4 bar.\n")
    return tmp_path / "docs"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def watching(root: Path, store: Path) -> Iterator[Watching]:
    program = [sys.executable, "-m", "corpus_agent", "--store", store]
    started = Watching(*program, "index", "--watch", root, "--json", cwd=root.parent)
    yield started
    started.process.kill()
    started.process.communicate()


def test_a_file_that_grows_all_the_time_is_looked_at_ever_more_seldom():
    pauses = [LEAST_SECONDS]
    for changed in (True, True, True, True, True, False, True):
        pauses.append(next_pause(pauses[-1], changed=changed))
    assert pauses == [1, 2, 4, 8, 15, 15, 1, 2]


def test_a_file_written_just_now_is_looked_at_again_and_a_change_is_seen(root):
    assert picture(root) is None  # it may be written once more within a tick of the clock
    for path in root.rglob("*.*"):
        os.utime(path, (1e9, 1e9))
    before = picture(root)
    os.utime(root / "a.md", (1e9, 1e9 + 1))
    assert None is not before != picture(root)


def test_a_folder_that_was_replaced_ends_the_watching_and_keeps_the_index(watching, root, store):
    watching.next("index")
    shutil.copytree(root, root.with_name("other"))
    root.rename(root.with_name("away"))
    root.with_name("other").rename(root)
    code, errors = watching.end()
    assert (code, "another is in its place" in errors) == (1, True)
    assert read_manifest(store).coverage.indexed == 2


def test_it_watches_from_inside_the_seal_until_a_signal(watching, root):
    first = watching.next("index")
    assert (first["seal"], first["index"]["added"]) == ("enforced", 2)
    (root / "c.txt").write_text("A third one.\n")
    assert watching.next("index")["index"]["added"] == 1
    (root / "a.md").write_text("Rye bread instead of wheat.\n")
    assert watching.next("index")["index"]["updated"] == 1
    assert watching.signal(signal.SIGINT) == 130
