"""What `index --cluster local:N` costs beside plain `index`, and whether the index is the same.

    python benchmarks/cluster.py FOLDER [--slots 2] [--files 400] [--least-bytes 100000]

Processor time of the process and of all that it started, of the writer alone, and equality of rows,
vectors to the last bit, and of what searches find.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from indexer.records import Query
from indexer.store.cleanup import clean_up
from indexer.store.snapshot import Snapshot
from tests.support.checks import check_same, content, vectors_of

ONE_RUN = """
import json, resource, sys
from pathlib import Path
from indexer import FolderEncoder, LocalHands, sync_folder
from indexer.store.ownership import make_store
store, root, slots, least = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
make_store(store)
hands = LocalHands(slots) if slots else None
if hands:
    hands.least_bytes = least
outcome = sync_folder(store, root, FolderEncoder(bulk=True), hands=hands, ocr="off")
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, outcome.chunks,
                  outcome.cluster and [outcome.cluster.shards, outcome.cluster.again]]))
"""


def run(store: Path, root: Path, slots: int, least: int) -> tuple[float, float, str]:
    """Processor seconds of a run, its seconds, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", ONE_RUN, store, root, str(slots), str(least)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.monotonic() - started, done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--least-bytes", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "docs")
        files = sorted(path for path in given.folder.rglob("*") if path.is_file())[: given.files]
        if not files:
            parser.error(f"no files in {given.folder}")
        for path in files:
            to = root / path.relative_to(given.folder)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, to)
        stores = Path(scratch, "plain"), Path(scratch, "cluster")
        least = given.least_bytes
        figures = [run(stores[0], root, 0, least), run(stores[1], root, given.slots, least)]
        print("processor s, s, [writer s, writer MB, chunks, cluster]")
        for name, figure in zip(("plain", f"local:{given.slots}"), figures, strict=True):
            print(f"{name:<10} {figure[0]:8.1f} {figure[1]:8.1f}  {figure[2]}")
        print(f"more processor time: {figures[1][0] / figures[0][0] - 1:+.1%}")
        check_same(*stores)
        for store in stores:  # words of an index in several parts are weighed part by part
            clean_up(store)
        left, right = (vectors_of(content(store)[0]) for store in stores)
        print(f"vectors equal to the last bit: {np.array_equal(left, right)}")
        print(f"searches alike: {sum(searches_alike(stores, left))} of {2 * len(left[::50])}")


def searches_alike(stores: tuple[Path, Path], vectors: np.ndarray) -> list[bool]:
    """Whether the same is found, in the same order, by every fiftieth vector and its words."""
    snapshots = [Snapshot(store) for store in stores]
    texts = content(stores[0])[0]["text"].to_pylist()
    found = []
    for at in range(0, len(vectors), 50):
        words = " ".join(texts[at].split()[:8])
        for search in (
            lambda each, at=at: each.by_vector(vectors[at], Query("", 20)),
            lambda each, words=words: each.by_text(Query(words, 20)),
        ):
            one, other = ([(h.chunk, h.score) for h in search(each)] for each in snapshots)
            found.append(one == other)
    return found


if __name__ == "__main__":
    main()
