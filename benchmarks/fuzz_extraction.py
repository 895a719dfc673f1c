"""Damaged documents: the evaluation files, and thousands made from them, through the workers.

    python benchmarks/fuzz_extraction.py [--files 2000] [--seed 1] [--made]

A small file of every format, as the tests make them, is among the originals; with --made there are
no others. What is a ZIP is also damaged within. Prints how many files ended with which status and
reason. Ends with an error where a file is left without a status or took longer than its limit.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import tempfile
import zipfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from benchmarks.common import data, print_table, timed
from corpus_agent.service import loading
from corpus_agent.settings import Settings
from indexer.chunk import Chunker
from indexer.files.walk import walk
from indexer.parsers.limits import limits_for
from indexer.records import FileRow
from indexer.store.texts import Texts
from indexer.sync.read import read_all
from tests.support.made_files import FILES

FOLDERS = ("markitdown", "tika", "py-pdf-sample-files")
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


def inside(content: bytearray, chance: random.Random) -> bytearray:
    """One member of a ZIP damaged, and packed again; other files as `flipped`."""
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


def make_corpus(folder: Path, *, made: bool, files: int, seed: int) -> None:
    """The originals, and `files` damaged ones; the same for the same seed."""
    found = [] if made else [p for n in FOLDERS for p in sorted(data("extract", n).rglob("*"))]
    known = {path.name: path.read_bytes() for path in found if path.is_file()} | FILES
    originals = [(name.replace(".key", ".keynote"), each) for name, each in known.items() if each]
    chance = random.Random(seed)
    for number, (name, content) in enumerate(originals):
        (folder / f"original-{number:03}-{name}").write_bytes(content)
    for number in range(files):
        name, content = chance.choice(originals)
        damage = chance.choice(KINDS)
        path = folder / f"{damage.__name__}-{number:04}-{name[-40:]}"
        path.write_bytes(damage(bytearray(content), chance))


def read(root: Path, store: Path, sources: list) -> list[FileRow]:
    """What comes of every file."""
    encoder = loading.encoder_for(Settings(), None)
    chunker = Chunker(encoder.tokenizer, encoder.max_tokens)
    with closing(read_all(root, sources, chunker, Texts(store))) as documents:
        return [row for _, row, _ in documents]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--files", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--made", action="store_true", help="the tests' own files alone")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root, store = Path(scratch, "root"), Path(scratch, "store")
        root.mkdir()
        store.mkdir()
        make_corpus(root, made=asked.made, files=asked.files, seed=asked.seed)
        seen = walk(root).files
        seconds, _, rows = timed(lambda: read(root, store, seen))
    counts = Counter((row.status, row.reason or "") for row in rows)
    print_table(("status", "reason", "files"), [(*key, n) for key, n in counts.most_common()])
    held = getrusage(RUSAGE_SELF).ru_maxrss >> 10
    print(f"{len(rows)} files in {seconds:.0f} s; this process held {held} MiB")
    late = [r.source for r in rows if r.seconds > limits_for(r.bytes).wall_seconds + GRACE_SECONDS]
    if [row.source for row in rows] != [file.source for file in seen] or late:
        sys.exit(f"files without a status or past their limit: {late}")


if __name__ == "__main__":
    main()
