"""Damaged documents: the evaluation files, and thousands made from them, through the workers.

    python benchmarks/fuzz_extraction.py [--files 2000] [--seed 1] [--made]

A small file of every format, as the tests make them, is among the originals; with --made there are
no others. What is packed is also damaged within: unpacked, damaged and packed again.

Prints one table: how many files ended with which status and reason, and which took longest. Ends
with an error where a file is left without a status or took longer than its limit.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import lzma
import random
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from common import data, print_table

from corpus_agent.service import loading
from corpus_agent.settings import Settings
from indexer.chunk import Chunker
from indexer.files.walk import walk
from indexer.parsers.limits import limits_for
from indexer.records import FileRow
from indexer.store.texts import Texts
from indexer.sync.read import read_all

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.support.made_files import FILES

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


# How a packed file is unpacked and packed again, by its first bytes.
PACKERS: dict[bytes, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": (gzip.decompress, gzip.compress),
    b"BZh": (bz2.decompress, bz2.compress),
    b"\xfd7zXZ": (lzma.decompress, lzma.compress),
}


def inside(content: bytearray, chance: random.Random) -> bytearray:
    """What is packed in it damaged, and packed again; other files as `flipped`."""
    for magic, (unpack, pack) in PACKERS.items():
        if content.startswith(magic):
            return bytearray(pack(chance.choice(DAMAGES)(bytearray(unpack(content)), chance)))
    if not content.startswith(b"PK\x03\x04"):
        return flipped(content, chance)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
        return flipped(content, chance)
    victim = chance.choice([name for name, inner in members.items() if inner] or [""])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, inner in members.items():
            hurt = chance.choice(DAMAGES)(bytearray(inner), chance) if name == victim else inner
            archive.writestr(name, bytes(hurt))
    return bytearray(buffer.getvalue())


DAMAGES = (flipped, cut, duplicated, blanked)
KINDS = (*DAMAGES, inside)


def originals_of(folders: bool) -> list[tuple[str, bytes]]:
    """(name, bytes) of the evaluation files, and of a small file of each format."""
    found = [p for name in FOLDERS for p in sorted(data("extract", name).rglob("*")) if folders]
    files = [(path.name, path.read_bytes()) for path in found if path.is_file()]
    everything = (
        (name.replace(".key", ".keynote"), each) for name, each in (*files, *FILES.items())
    )
    return [(name, content) for name, content in everything if content]


def make_corpus(folder: Path, originals: list[tuple[str, bytes]], files: int, seed: int) -> None:
    """The originals, and `files` damaged ones; the same for the same seed."""
    chance = random.Random(seed)
    for number, (name, content) in enumerate(originals):
        (folder / f"original-{number:03}-{name}").write_bytes(content)
    for number in range(files):
        name, content = chance.choice(originals)
        damage = chance.choice(KINDS)
        path = folder / f"{damage.__name__}-{number:04}-{name[-40:]}"
        path.write_bytes(damage(bytearray(content), chance))


def resident_mib() -> int:
    """The most memory that this process has held."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def main() -> None:
    """Make the files, read them, print the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--files", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--made", action="store_true", help="the tests' own files alone")
    asked = options.parse_args()
    encoder = loading.encoder_for(Settings(), None)
    chunker = Chunker(encoder.tokenizer, encoder.max_tokens)
    with tempfile.TemporaryDirectory() as scratch:
        root, store = Path(scratch, "root"), Path(scratch, "store")
        root.mkdir()
        store.mkdir()
        make_corpus(root, originals_of(not asked.made), asked.files, asked.seed)
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
