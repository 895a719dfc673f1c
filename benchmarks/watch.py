"""How soon a watched folder is searchable after an edit, and what watching costs in memory.

    python benchmarks/watch.py [--notes 1000] [--events 10000] [--rate 20] [--toy]

Starts the real `index --watch` with the real model on a folder of generated notes (`--toy`: with
an encoder that costs nothing, so that what remains is the watching). First 1,000 edits at
`--rate` a second, each saved as editors do, through a temporary file, and with a word that stands
nowhere else: the figure is the time from the last edit until every word is in the committed index.
Then creations, edits, moves and deletions until there were `--events`. At the end the index must
equal the folder. The control is an edit after the watcher was stopped, which must not be found.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from common import print_table

from indexer.store.snapshot import Snapshot

EDITS = 1_000
LENGTH = 20  # of a note, in words
WORDS = [word for word in Path(__file__).read_text().split() if word.isalpha()]


class Folder:
    """Notes under seeded changes; `words` is what each note must be found by."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.words: dict[str, str] = {}
        self.number = 0

    def write(self, source: str) -> None:
        """Save a note as many editors do: a temporary file beside it, then a rename."""
        self.number += 1
        word = f"edit{self.number:06d}"
        body = " ".join(self.random.choices(WORDS, k=LENGTH))
        path = self.root / source
        path.parent.mkdir(exist_ok=True)
        temporary = path.with_name(path.name + ".tmp")
        temporary.write_text(f"# {source}\n\n{word} {body}\n")
        temporary.rename(path)
        self.words[source] = word

    def create(self) -> None:
        self.write(f"d{self.random.randrange(20)}/n{self.number}.md")

    def edit(self) -> None:
        self.write(self.random.choice(list(self.words)))

    def move(self) -> None:
        """Move a note to another folder, or delete it."""
        source = self.random.choice(list(self.words))
        word = self.words.pop(source)
        if self.random.random() < 0.5:
            (self.root / source).unlink()
            return
        target = f"d{self.random.randrange(20)}/m{self.number}-{word}.md"
        (self.root / target).parent.mkdir(exist_ok=True)
        (self.root / source).rename(self.root / target)
        self.words[target] = word

    def change(self) -> None:
        """One change of any kind."""
        self.random.choice((self.create, self.edit, self.edit, self.move, self.move))()


def found(store: Path) -> dict[str, str]:
    """The word of each note, as the committed index has it."""
    rows = Snapshot(store).chunk_rows().select(["source", "text"]).to_pylist()
    return {
        row["source"]: word
        for row in rows
        for word in row["text"].split()
        if word.startswith("edit") and word[4:].isdigit()
    }


def until_equal(store: Path, folder: Folder) -> float:
    """How long it takes until the index has the word of every note and no other."""
    started = time.monotonic()
    while found(store) != folder.words:
        if time.monotonic() - started > 600:
            sys.exit("the index is not the folder after 600 s")
        time.sleep(0.1)
    return time.monotonic() - started


def resident(pid: int) -> float:
    """Resident memory of a process, in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def paced(change: Callable[[], None], count: int, rate: float) -> None:
    """Make `count` changes, `rate` a second."""
    started = time.monotonic()
    for done in range(count):
        change()
        time.sleep(max(0.0, started + (done + 1) / rate - time.monotonic()))


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root, store = Path(scratch) / "notes", Path(scratch) / "store"
        root.mkdir()
        folder = Folder(root, given.seed)
        for _ in range(given.notes):
            folder.create()
        real = ["corpus_agent", "--store", store, "index", "--watch", root, "--json"]
        arguments = ["tests.support.watcher", store, root] if given.toy else real
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
        command = map(str, [sys.executable, "-m", *arguments])
        watcher = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert watcher.stdout is not None
        first = json.loads(watcher.stdout.readline())["index"]
        paced(folder.edit, min(EDITS, given.events), given.rate)
        delay, early = until_equal(store, folder), resident(watcher.pid)
        paced(folder.change, given.events - EDITS, given.rate)
        settled, late = until_equal(store, folder), resident(watcher.pid)
        watcher.send_signal(signal.SIGTERM)
        watcher.stdout.read()
        code = watcher.wait()
        folder.edit()
        time.sleep(3)
        control = found(store) != folder.words
    rows = [
        ("first run, notes / s", f"{first['added']} / {first['seconds']}"),
        (f"edits at {given.rate:.0f}/s, last one searchable after, s", delay),
        (f"{given.events} events, settled after the last, s", settled),
        (
            "memory after the edits, and growth over the rest, MB",
            f"{early:.0f}, {late - early:.0f}",
        ),
        ("exit code after SIGTERM", code),
        ("control: an edit after the end is not found", control),
    ]
    print_table(("what", "figure"), rows)


if __name__ == "__main__":
    main()
