"""Damaged documents: the evaluation files, and thousands made from them, through the workers.

    python benchmarks/fuzz_extraction.py [--files 2000] [--seed 1]

Prints one table: how many files ended with which status and reason, and which took longest. Ends
with an error where a file is left without a status or took longer than its limit.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from common import data, print_table

from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer.chunk import Chunker
from indexer.files.walk import walk
from indexer.parsers.limits import limits_for
from indexer.records import FileRow
from indexer.store.texts import Texts
from indexer.sync.read import read_all

FOLDERS = ("markitdown", "tika", "py-pdf-sample-files")
LONGEST = 5  # rows of the slowest files
GRACE_SECONDS = 10.0  # beyond a limit, for starting a process and telling that another has ended


def flipped(content: bytearray, chance: random.Random) -> bytearray:
    """A few bytes changed, up to one in a thousand."""
    for _ in range(chance.randint(1, max(1, len(content) // 1_000))):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return content


def cut(content: bytearray, chance: random.Random) -> bytearray:
    """The beginning alone."""
    return content[: chance.randrange(len(content))]


def duplicated(content: bytearray, chance: random.Random) -> bytearray:
    """A stretch that stands there up to twenty times."""
    start = chance.randrange(len(content))
    end = min(len(content), start + chance.randint(1, 20_000))
    return content[:start] + content[start:end] * chance.randint(2, 20) + content[end:]


def blanked(content: bytearray, chance: random.Random) -> bytearray:
    """A stretch of zeros."""
    start = chance.randrange(len(content))
    end = min(len(content), start + chance.randint(1, 20_000))
    return content[:start] + bytes(end - start) + content[end:]


DAMAGES = (flipped, cut, duplicated, blanked)


def make_corpus(folder: Path, files: int, seed: int) -> None:
    """The originals, and `files` damaged ones; the same for the same seed."""
    chance = random.Random(seed)
    found = [path for name in FOLDERS for path in sorted(data("extract", name).rglob("*"))]
    originals = [path for path in found if path.is_file() and path.stat().st_size]
    for number, path in enumerate(originals):
        (folder / f"original-{number:03}{path.suffix}").write_bytes(path.read_bytes())
    for number in range(files):
        path = chance.choice(originals)
        damage = chance.choice(DAMAGES)
        content = damage(bytearray(path.read_bytes()), chance)
        name = f"{damage.__name__}-{number:04}-{path.stem[:30]}{path.suffix}"
        (folder / name).write_bytes(content)


def resident_mib() -> int:
    """The most memory that this process has held."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def main() -> None:
    """Make the files, read them, print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--files", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    encoder = session.encoder_for(Settings(), None)
    chunker = Chunker(encoder.tokenizer, encoder.max_tokens)
    with tempfile.TemporaryDirectory() as scratch:
        root, store = Path(scratch, "root"), Path(scratch, "store")
        root.mkdir()
        store.mkdir()
        make_corpus(root, asked.files, asked.seed)
        seen = walk(root).files
        started = time.monotonic()
        with closing(read_all(root, seen, chunker, Texts(store))) as documents:
            rows = [row for _, row, _ in documents]
        seconds = time.monotonic() - started
    report(rows, seconds)
    late = [r.source for r in rows if r.seconds > limits_for(r.bytes).wall_seconds + GRACE_SECONDS]
    if [row.source for row in rows] != [file.source for file in seen] or late:
        sys.exit(f"files without a status or past their limit: {late}")


def report(rows: list[FileRow], seconds: float) -> None:
    """Print what came of the files."""
    counts = Counter((row.status, row.reason or "") for row in rows)
    print_table(("status", "reason", "files"), [(*key, n) for key, n in counts.most_common()])
    print()
    slowest = sorted(rows, key=lambda row: -row.seconds)[:LONGEST]
    cells = [(row.source, row.seconds, row.status, row.reason or "") for row in slowest]
    print_table(("slowest", "seconds", "status", "reason"), cells)
    crashed = [(row.source, row.detail) for row in rows if row.reason == "crashed"]
    if crashed:
        print()
        print_table(("crashed", "with"), crashed)
    print(f"\n{len(rows)} files in {seconds:.0f} s; this process held {resident_mib()} MiB")


if __name__ == "__main__":
    main()
