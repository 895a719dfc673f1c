"""Many passages and many files: memory, disk, and what nothing-to-do costs.

    python benchmarks/scale.py [--chunks 200000] [--files 10000] [--seed 1] [--keep DIR]

First, `index` and `search` over so many passages, each in a process of its own that reports its
largest resident memory. The default model is loaded and embeds a text in a thousand; the other
vectors are random, since only their number matters here. Then so many unchanged files of 10 KB,
with and without --verify. Exit 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from benchmarks.common import print_table  # noqa: E402
from indexer.records import Query  # noqa: E402

CHUNKS_PER_FILE = 50
WORDS_PER_CHUNK = 160
UNCHANGED_BYTES = 10_000

BARS = {
    "index: resident memory, MB": 1_500,
    "search: resident memory, MB": 600,
    "disk / (text + vectors) after cleanup": 3.0,
    "unchanged files, s of work": 2.0,
    "unchanged files with --verify, s of work": 5.0,
}


def make_texts(root: Path, chunks: int, seed: int) -> None:
    """Files of words that the model's vocabulary knows, common ones often."""
    from indexer.embed import FolderEncoder

    vocabulary = FolderEncoder().tokenizer.get_vocab()
    words = sorted(word for word in vocabulary if word.isalpha() and word.isascii())
    random = np.random.default_rng(seed)
    for number in range(chunks // CHUNKS_PER_FILE):
        ranks = random.zipf(1.2, CHUNKS_PER_FILE * WORDS_PER_CHUNK) % len(words)
        text = [words[rank] for rank in ranks]
        paragraphs = (
            " ".join(text[start : start + WORDS_PER_CHUNK])
            for start in range(0, len(text), WORDS_PER_CHUNK)
        )
        path = root / f"{number // 100:03}" / f"document {number:05}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(paragraphs) + "\n")


def index(root: Path, store: Path) -> dict[str, float]:
    """An index run with mostly random vectors, in this process."""
    from indexer.chunk import Chunker
    from indexer.embed import FolderEncoder
    from indexer.files.walk import walk
    from indexer.records import Choices
    from indexer.store.lance import import_lancedb
    from indexer.store.manifest import root_for
    from indexer.store.ownership import make_store
    from indexer.store.writer import Writer
    from indexer.sync.plan import make_plan
    from indexer.sync.run import Run, fingerprint_of

    class MostlyRandom(FolderEncoder):
        calls = 0
        random = np.random.default_rng(1)

        def encode(self, texts):  # noqa: ANN001, ANN202
            self.calls += 1
            if self.calls % 16 == 1:
                super().encode(texts[:1])
            rows = self.random.standard_normal((len(texts), self.dimension), np.float32)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    started = time.monotonic()
    encoder = MostlyRandom()
    chunker = Chunker(encoder.tokenizer, encoder.max_tokens)
    today = fingerprint_of(encoder, chunker)
    make_store(store)
    import_lancedb()
    loaded = time.monotonic()
    with Writer(store, today, root_for(store, root)) as writer:
        seen = walk(root)
        todo = make_plan(root, seen, writer.files, writer.manifest, today, Choices(verify=VERIFY))
        outcome = Run(root, writer, encoder, chunker).apply(todo, seen.ignored, seen.started_ns)
        work = time.monotonic() - loaded
    return {"chunks": outcome.chunks, "seconds": time.monotonic() - started, "work": work}


VERIFY = False


def search(root: Path, store: Path) -> dict[str, float]:
    """Fifty searches with the real model and query vectors."""
    from indexer.embed import FolderEncoder
    from indexer.index import Index

    corpus = Index.open(store, FolderEncoder())
    random = Random(1)
    paths = sorted(root.rglob("*.txt"))
    seconds = []
    for _ in range(50):
        words = random.choice(paths).read_text().split()
        started = time.monotonic()
        assert corpus.search(Query(" ".join(random.sample(words, 4))))
        seconds.append(time.monotonic() - started)
    return {"median": float(np.median(seconds)), "max": max(seconds)}


def cleanup(root: Path, store: Path) -> dict[str, float]:
    """Cleaning up, and what is left on the disk beside text and vectors."""
    import pyarrow.compute as pc

    from indexer.store.folder import usage
    from indexer.store.manifest import read_manifest
    from indexer.store.snapshot import Snapshot
    from indexer.store.writer import Writer

    manifest = read_manifest(store)
    before = usage(store)
    with Writer(store, manifest.fingerprint, manifest.root) as writer:
        writer.cleanup()
    after = usage(store)
    rows = Snapshot(store).chunk_rows().select(["text"])
    text = pc.sum(pc.binary_length(rows["text"])).as_py()
    vectors = 4 * manifest.fingerprint.dimension * manifest.chunks
    return {
        "before": before.bytes,
        "tables": after.tables,
        "bytes": after.bytes,
        "share": after.bytes / (text + vectors),
        "text": text,
    }


def memory(name: str) -> float:
    """A figure of the memory of this process, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{name}:")[1].split()[0]) / 1024


def in_process(step: str, root: Path, store: Path) -> dict[str, float]:
    """The figures of a step that runs in a process of its own, and its memory."""
    command = [sys.executable, __file__, "--step", step, "--root", str(root), "--store", str(store)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(step, {key: round(value, 3) for key, value in figures.items()}, flush=True)
    return figures


def main() -> None:
    options = parse()
    if options.step:
        global VERIFY
        VERIFY = options.step == "verify"
        step = {"search": search, "cleanup": cleanup}.get(options.step, index)
        figures = step(options.root, options.store)
        told = {"memory": memory("VmHWM"), "anonymous": memory("RssAnon")}  # most, and at the end
        print(json.dumps({**figures, **told}))
        return
    scratch = options.keep or Path(tempfile.mkdtemp())
    found = {**many_passages(scratch, options), **many_files(scratch, options)}
    print_table(
        ("figure", "measured", "bar"),
        [(name, f"{found[name]:.2f}", f"< {bar}") for name, bar in BARS.items()],
    )
    sys.exit(any(found[name] >= bar for name, bar in BARS.items()))


def many_passages(scratch: Path, options: argparse.Namespace) -> dict[str, float]:
    root, store = scratch / "passages", scratch / "passages-store"
    if not root.exists():
        make_texts(root, options.chunks, options.seed)
    first = in_process("index", root, store)
    edited = next(root.rglob("*.txt"))
    edited.write_text(edited.read_text() + "\n\nOne more paragraph.\n")
    second = in_process("edit", root, store)
    searching = in_process("search", root, store)
    disk = in_process("cleanup", root, store)
    again = in_process("search", root, store)
    return {
        "index: resident memory, MB": max(first["memory"], second["memory"], disk["memory"]),
        "search: resident memory, MB": max(searching["memory"], again["memory"]),
        "disk / (text + vectors) after cleanup": disk["share"],
    }


def many_files(scratch: Path, options: argparse.Namespace) -> dict[str, float]:
    root, store = scratch / "files", scratch / "files-store"
    if not root.exists():
        for number in range(options.files):
            path = root / f"{number % 97:02}" / f"file {number:05}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            line = f"File {number} of many.\n"
            path.write_text(line + "x" * 99 + "\n" * (UNCHANGED_BYTES - len(line) - 99))
            os.utime(path, (1, 1))
    in_process("index", root, store)
    unchanged = in_process("unchanged", root, store)
    verified = in_process("verify", root, store)
    return {
        "unchanged files, s of work": unchanged["work"],
        "unchanged files with --verify, s of work": verified["work"],
    }


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=200_000)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="A folder to work in that stays.")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
