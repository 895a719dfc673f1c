"""Reader processes that search and read while one writer commits again and again.

    python benchmarks/readers.py [--readers 8] [--commits 200] [--seed 1]

Each document carries a generation in every passage, and the writer replaces whole documents. A
reader fails on any error, on passages of two generations in one document of one version, and on a
version that goes while it is held. Exit 1 on any failure. A look is opening the index, a search and
a read; a document that was replaced since its commit is parsed anew by the reader that opens it.
"""

from __future__ import annotations

import argparse
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median

from benchmarks.common import timed
from indexer.errors import Refused
from indexer.index import Index
from indexer.records import Query
from indexer.store.snapshot import Snapshot
from tests.support.fakes import ToyEncoder
from tests.support.folders import paragraph
from tests.support.rows import check_store, chunk_rows
from tests.support.toy_index import sync

FILES = 60
PARAGRAPHS = 8
REPLACED = 6  # documents in a commit
PAUSE = 0.05  # between two looks of a reader


def write(path: Path, generation: int, random: Random) -> None:
    """Replace a document as careful editors do: a reader of the file sees the old or the new."""
    text = "".join(f"generation{generation} {paragraph(random, 40)}" for _ in range(PARAGRAPHS))
    new = path.with_suffix(".part")
    new.write_text(text)
    new.replace(path)


def reader(store: Path, seed: int) -> None:
    """Look until told to stop by the end of input; print the seconds that each look took."""
    random, encoder = Random(seed), ToyEncoder()
    held: Snapshot | None = None

    def look() -> Snapshot:
        corpus = Index.open(store, encoder)
        hits = corpus.search(Query(f"note {random.randrange(FILES):02}", limit=50))
        try:
            corpus.read(hits[0].chunk.source)
        except Refused as refused:  # replaced this moment: says so, and is no error
            assert "changed" in str(refused) or "no longer" in str(refused), refused
        return corpus.parts[""]

    look()  # what the first use costs is no matter
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], PAUSE)[0]:
        seconds, _, snapshot = timed(look)
        if held is None or random.random() < 0.05:
            held = snapshot  # and the one before is let go
        for looked_at in (snapshot, held):
            check_generations(looked_at)
        print(seconds, flush=True)


def check_generations(snapshot: Snapshot) -> None:
    """Fail where the passages of one document are of two generations, or not all there."""
    rows = chunk_rows(snapshot).select(["source", "text", "file_sha256"]).to_pylist()
    for file in snapshot.rows():
        own = [row for row in rows if row["source"] == file.source]
        words = {word for row in own for word in row["text"].lower().split()}
        generations = {word for word in words if word.startswith("generation")}
        assert len(generations) == 1, f"{file.source} holds {generations}"
        assert {row["file_sha256"] for row in own} == {file.sha256}
        assert len(own) == file.chunks


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        return reader(options.read, options.seed)
    random = Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        root, store = Path(scratch, "docs"), Path(scratch, "store")
        root.mkdir()
        said = [Path(scratch, str(seed)) for seed in range(options.readers)]
        processes: list[subprocess.Popen[bytes]] = []
        for generation in range(options.commits + 1):
            replaced = random.sample(range(FILES), REPLACED) if generation else range(FILES)
            for number in replaced:
                write(root / f"note {number:02}.txt", generation, random)
            sync(root, store)
            if not generation:
                command = [sys.executable, __file__, "--read", str(store), "--seed"]
                for path in said:
                    process = subprocess.Popen(
                        [*command, path.name], stdin=subprocess.PIPE, stdout=path.open("w")
                    )
                    processes.append(process)
                while not all(path.stat().st_size for path in said):
                    time.sleep(PAUSE)
                    assert not any(process.poll() for process in processes)
        for process in processes:
            process.communicate()
        check_store(store)
        seconds = [float(line) for path in said for line in path.read_text().splitlines()[1:]]
    failed = sum(process.returncode != 0 for process in processes)
    print(f"{len(seconds)} looks while writing, p50 {1000 * median(seconds):.0f} ms")
    print(f"failed readers: {failed} of {options.readers}")
    return sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
