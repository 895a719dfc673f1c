"""How soon a watched folder is searchable after an edit, and what watching costs in memory.

    python benchmarks/watch.py [--notes 1000] [--events 10000] [--rate 20] [--words 20] [--toy]

Starts the real `corpus-agent watch` with the real model on a folder of generated notes (`--toy`:
the same with an encoder that costs nothing, so that what remains is the watching). First 1,000
edits at `--rate` a second, each saved as editors do, through a temporary file, and with a word that
stands nowhere else: the figure is the time from the last edit until every word is in the committed
index. Then creations, edits, moves and deletions until there were `--events`, while the memory of
the watching process is sampled. At the end the index must equal the folder. The control is an edit
after the watcher was stopped, which must not be found.
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
from pathlib import Path

from common import print_table

from indexer.store.snapshot import Snapshot

EDITS = 1_000
WORDS = [word for word in Path(__file__).read_text().split() if word.isalpha()]


class Folder:
    """Notes under seeded changes; `words` is what each note must be found by."""

    def __init__(self, root: Path, length: int, seed: int) -> None:
        self.root = root
        self.length = length  # of a note, in words
        self.random = random.Random(seed)
        self.words: dict[str, str] = {}
        self.number = 0

    def write(self, source: str) -> None:
        """Save a note as many editors do: a temporary file beside it, then a rename."""
        self.number += 1
        word = f"edit{self.number:06d}"
        body = " ".join(self.random.choices(WORDS, k=self.length))
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

    def delete(self) -> None:
        source = self.random.choice(list(self.words))
        (self.root / source).unlink()
        del self.words[source]

    def move(self) -> None:
        source = self.random.choice(list(self.words))
        target = f"d{self.random.randrange(20)}/m{self.number}-{self.random.random()}.md"
        (self.root / target).parent.mkdir(exist_ok=True)
        (self.root / source).rename(self.root / target)
        self.words[target] = self.words.pop(source)

    def change(self) -> None:
        """One change of any kind."""
        self.random.choice((self.create, self.edit, self.edit, self.delete, self.move))()


def found(store: Path) -> dict[str, str]:
    """The word of each note, as the committed index has it."""
    rows = Snapshot(store).chunk_rows().select(["source", "text"]).to_pylist()
    return {
        row["source"]: word
        for row in rows
        for word in row["text"].split()
        if word.startswith("edit") and word[4:].isdigit()
    }


def until_equal(store: Path, folder: Folder, seconds: float) -> float:
    """How long it takes until the index has the word of every note and no other."""
    started = time.monotonic()
    while found(store) != folder.words:
        if time.monotonic() - started > seconds:
            sys.exit(f"the index is not the folder after {seconds} s")
        time.sleep(0.1)
    return time.monotonic() - started


def resident(pid: int) -> float:
    """Resident memory of a process, in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu(pid: int) -> float:
    """Seconds of processor time that a process has used, all threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def on_disk(store: Path) -> float:
    """Size of a store, in MB."""
    return sum(path.stat().st_size for path in store.rglob("*") if path.is_file()) / 1e6


def paced(folder: Folder, count: int, rate: float, pid: int, change: str) -> list[float]:
    """Make `count` changes, `rate` a second; the memory of `pid` once a second."""
    samples: list[float] = []
    started = time.monotonic()
    for done in range(count):
        getattr(folder, change)()
        if done % max(1, int(rate)) == 0:
            samples.append(resident(pid))
        time.sleep(max(0.0, started + (done + 1) / rate - time.monotonic()))
    return samples


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--words", type=int, default=20)
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root, store = Path(scratch) / "notes", Path(scratch) / "store"
        root.mkdir()
        folder = Folder(root, given.words, given.seed)
        for _ in range(given.notes):
            folder.create()
        arguments = ["corpus_agent", "--store", store, "watch", root, "--json"]
        if given.toy:
            arguments = ["tests.support.watcher", store, root]
        command = [sys.executable, "-m", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
        watcher = subprocess.Popen(
            [*map(str, command)], stdout=subprocess.PIPE, text=True, env=environment
        )
        assert watcher.stdout is not None
        first = json.loads(watcher.stdout.readline())["index"]
        before = cpu(watcher.pid)
        early = paced(folder, EDITS, given.rate, watcher.pid, "edit")
        delay = until_equal(store, folder, 120)
        busy = cpu(watcher.pid) - before
        early.append(resident(watcher.pid))
        late = paced(folder, given.events - EDITS, given.rate, watcher.pid, "change")
        settled = until_equal(store, folder, 600)
        late.append(resident(watcher.pid))
        watcher.send_signal(signal.SIGTERM)
        watcher.stdout.read()
        code = watcher.wait()
        folder.edit()
        time.sleep(3)
        control = found(store) != folder.words
        rows = [
            ("first run, notes / s", f"{first['added']} / {first['seconds']}"),
            (f"{EDITS} edits at {given.rate:.0f}/s, last one searchable after, s", delay),
            (f"processor time of the watcher for them, s, {given.words} words a note", busy),
            (f"{given.events} events, settled after the last, s", settled),
            ("memory after the first 1,000 events, MB", early[-1]),
            ("memory, most during the rest, MB", max(late)),
            ("memory, growth over the rest, MB", late[-1] - early[-1]),
            ("disk of the store at the end, MB", on_disk(store)),
            ("exit code after SIGTERM", code),
            ("control: an edit after the end is not found", control),
        ]
        print_table(("what", "figure"), rows)


if __name__ == "__main__":
    main()
