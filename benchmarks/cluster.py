"""What `index --cluster local:N` costs beside plain `index`, and whether the index is the same.

    python benchmarks/cluster.py FOLDER [--slots 2] [--files 400] [--least-bytes 100000] [--nodes 3]

Processor time of the process and of all that it started, of the writer alone, and equality of rows,
file rows, vectors to the last bit, and of what searches find. With --nodes it is a cluster of Ray
on this machine, of so many nodes (in a network namespace: `unshare -rn`), whose time is not
counted; --files 0 takes all.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.common import timed
from indexer.records import Query
from indexer.store.manifest import read_manifest
from indexer.store.snapshot import Snapshot
from indexer.store.writer import Writer
from tests.support.checks import check_same, content, vectors_of

ONE_RUN = """
import json, resource, sys
from pathlib import Path
from corpus_agent.service.cluster import RayHands
from indexer import FolderEncoder, LocalHands, sync_folder
from indexer.store.manifest import read_manifest
from indexer.store.ownership import make_store
store, root, where, least = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
make_store(store)
hands = None
if where != "plain":
    hands = LocalHands(int(where[6:])) if where.startswith("local:") else RayHands(where)
    hands.least_bytes = least
outcome = sync_folder(store, root, FolderEncoder(bulk=True), hands=hands, ocr="off")
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, outcome.chunks,
                  outcome.cluster and [outcome.cluster.shards, outcome.cluster.again]]))
"""


def run(store: Path, root: Path, where: str, least: int) -> tuple[float, float, str]:
    """Processor seconds of a run, its seconds, and what it printed; `where`: plain, a cluster."""
    command = [sys.executable, "-c", ONE_RUN, store, root, where, str(least)]
    seconds, used, done = timed(
        lambda: subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    )
    return used, seconds, done.stdout.strip()


@contextmanager
def cluster_of(nodes: int) -> Iterator[str | None]:
    """The address of a cluster of nodes with one core each, None of no nodes."""
    if not nodes:
        yield None
        return
    from ray.cluster_utils import Cluster

    one = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**one, "include_dashboard": False})
    for _ in range(nodes - 1):
        cluster.add_node(**one)
    yield cluster.address
    cluster.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--least-bytes", type=int, default=100_000)
    parser.add_argument("--nodes", type=int, default=0, help="of a cluster of Ray")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "docs")
        files = sorted(path for path in given.folder.rglob("*") if path.is_file())
        files = files[: given.files or None]
        if not files:
            parser.error(f"no files in {given.folder}")
        for path in files:
            to = root / path.relative_to(given.folder)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, to)
        stores = Path(scratch, "plain"), Path(scratch, "cluster")
        least = given.least_bytes
        with cluster_of(given.nodes) as address:
            names = ("plain", address or f"local:{given.slots}")
            figures = [run(*each, least) for each in zip(stores, (root, root), names, strict=True)]
        print("processor s, s, [writer s, writer MB, chunks, cluster]")
        for name, figure in zip(names, figures, strict=True):
            print(f"{name:<10} {figure[0]:8.1f} {figure[1]:8.1f}  {figure[2]}")
        if not given.nodes:
            print(f"more processor time: {figures[1][0] / figures[0][0] - 1:+.1%}")
        check_same(*stores)
        print("rows and file rows equal: True")
        for store in stores:  # words of an index in several parts are weighed part by part
            made = read_manifest(store)
            with Writer(store, made.fingerprint, made.root) as writer:
                writer.commit(ignored=made.ignored, complete=True, anew=True)
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
