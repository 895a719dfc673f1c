"""Any sequence of what people do to a folder, with `index` in between, ends in a fresh run's index.

Run as a program it is that sequence, in a process of its own, which gives up the superuser's right
to read and write whatever `chmod` said. After each run the index must equal a fresh one, apart from
documents that cannot be looked at and stay. Prints the steps of a sequence that fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.support import processes

if __name__ == "__main__":
    processes.give_up_the_superusers_right()  # before anything below starts threads

from tests.support.places import REPOSITORY
from tests.support.rows import check_same, check_store, content
from tests.support.toy_index import sync

STEPS = "25"  # in each sequence


@pytest.mark.slow
@pytest.mark.parametrize("examples", ["6", pytest.param("40", marks=pytest.mark.nightly)])
def test_any_sequence_of_changes_and_runs_equals_one_fresh_index(examples):
    command = [sys.executable, "-m", __spec__.name, examples, STEPS]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if "Operation not permitted" in done.stderr and "setgroups" in done.stderr:
        pytest.skip("this process cannot become another user")
    assert done.returncode == 0, done.stdout + done.stderr


NAMES = ("a.txt", "b.md", "sub/c.txt", "sub/deep/d.md", "it's.txt", "é.txt")
TEXTS = (
    b"",
    b"The boiler pressure is 1.4 bar.\n",
    b"The boiler pressure is 1.9 bar.\n",  # as long as the one before
    b"# Bread\n\nSourdough rises slowly.\n\nRye needs more water than wheat.\n",
    "Überraschung im Garten.\n".encode() * 40,
    b"\x00\x01\x02 nobody reads this \xff\xfe",
)


class Folder:
    """A folder, and the index that is brought up to date now and then."""

    def __init__(self, scratch: Path, random: Random) -> None:
        self.root, self.store, self.fresh = (scratch / n for n in ("docs", "store", "fresh"))
        self.root.mkdir()
        self.random = random
        self.ticks = 0
        (self.root / "always.txt").write_text("So that the folder is never empty.\n")
        self.steps: list[Callable[[], object]] = [
            self.write, self.write, self.delete, self.rename, self.rename_folder, self.chmod,
            self.truncate, self.touch, self.index, self.index,
        ]  # fmt: skip

    def any_file(self) -> Path:
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        return self.random.choice(files or [self.write()])

    def write(self) -> Path:
        path = self.root / self.random.choice(NAMES)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.chmod(0o600)
        path.write_bytes(self.random.choice(TEXTS))
        return path

    def delete(self) -> None:
        self.any_file().unlink()

    def rename(self) -> None:
        target = self.root / self.random.choice(NAMES)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.any_file().rename(target)

    def rename_folder(self) -> None:
        target = self.root / self.random.choice(("moved", "moved/sub"))
        if (self.root / "sub").is_dir() and not target.exists() and target.parent.is_dir():
            (self.root / "sub").rename(target)

    def chmod(self) -> None:
        self.any_file().chmod(self.random.choice((0o000, 0o400, 0o600)))

    def truncate(self) -> None:
        path = self.any_file()
        path.chmod(0o600)
        os.truncate(path, min(self.random.randrange(40), path.stat().st_size))

    def touch(self) -> None:
        path = self.any_file()
        path.chmod(0o600)
        # No time twice: of files of one size and time only --verify tells which is which.
        self.ticks += 1
        os.utime(path, self.random.choice((None, (self.ticks, self.ticks))))

    def index(self) -> None:
        before, prune = self.passages(), self.random.random() < 0.5
        sync(self.root, self.store, prune_unreachable=prune)
        sync(self.root, self.fresh)
        check_store(self.store).close()
        stayed = {row.source for row in content(self.store)[1] if row.status == "unreachable"}
        assert not (prune and stayed), stayed
        for source in stayed:
            assert not os.access(self.root / source, os.R_OK), source
            assert self.passages()[source] == before[source]
        check_same(self.store, self.fresh, without=stayed)
        shutil.rmtree(self.fresh)

    def passages(self) -> dict[str, list[str]]:
        """The texts of each source's passages, in their order."""
        found: dict[str, list[str]] = {}
        for row in content(self.store)[0].to_pylist() if self.store.exists() else ():
            found.setdefault(row["source"], []).append(row["text"])
        return found


def main(examples: int, steps: int) -> None:
    for seed in range(examples):
        random, done = Random(seed), []
        with tempfile.TemporaryDirectory() as scratch:
            folder = Folder(Path(scratch), random)
            try:
                for step in [*random.choices(folder.steps, k=steps), folder.index]:
                    done.append(step.__name__)
                    step()
            except BaseException:
                print(f"seed {seed}: {', '.join(done)}")
                raise
            for path in (folder.root, *folder.root.rglob("*")):
                path.chmod(0o700)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
