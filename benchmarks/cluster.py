"""A cluster of Ray on this machine beside one process: seconds, and whether the index is the same.

    unshare -rn python benchmarks/cluster.py FOLDER [--nodes 3]

Equality of rows, file rows, vectors to the last bit, and of what searches find.
"""

from __future__ import annotations

import argparse
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
from tests.support.rows import by_text, by_vector

ONE_RUN = """
import sys
from pathlib import Path
from corpus_agent.service.cluster import RayHands
from indexer import FolderEncoder, sync_folder
from indexer.store.ownership import make_store
store, root = Path(sys.argv[1]), Path(sys.argv[2])
make_store(store)
hands = RayHands(sys.argv[3]) if sys.argv[3:] else None
sync_folder(store, root, FolderEncoder(bulk=True), hands=hands, ocr="off")
"""


@contextmanager
def cluster_of(nodes: int) -> Iterator[str]:
    """The address of a cluster of nodes with one core each."""
    from ray.cluster_utils import Cluster

    one = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**one, "include_dashboard": False})
    for _ in range(nodes - 1):
        cluster.add_node(**one)
    yield cluster.address
    cluster.shutdown()


def searches_alike(stores: tuple[Path, Path], vectors: np.ndarray) -> list[bool]:
    """Whether the same is found, in the same order, by every fiftieth vector and its words."""
    snapshots = [Snapshot(store) for store in stores]
    texts = content(stores[0])[0]["text"].to_pylist()
    found = []
    for at in range(0, len(vectors), 50):
        words = Query(" ".join(texts[at].split()[:8]), 20)
        for search in (
            lambda each, at=at: by_vector(each, vectors[at], Query("", 20)),
            lambda each, words=words: by_text(each, words),
        ):
            one, other = ([(hit.chunk, hit.score) for hit in search(each)] for each in snapshots)
            found.append(one == other)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nodes", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        stores = Path(scratch, "plain"), Path(scratch, "cluster")
        with cluster_of(given.nodes) as address:
            for store, where in zip(stores, ((), (address,)), strict=True):
                command = [sys.executable, "-c", ONE_RUN, store, given.folder, *where]
                seconds, *_ = timed(lambda command=command: subprocess.run(command, check=True))
                print(f"{store.name}: {seconds:.1f} s")
        check_same(*stores)
        for store in stores:  # words of an index in several parts are weighed part by part
            made = read_manifest(store)
            with Writer(store, made.fingerprint, made.root) as writer:
                writer.commit(ignored=made.ignored, complete=True, anew=True)
        left, right = (vectors_of(content(store)[0]) for store in stores)
        alike = searches_alike(stores, left)
        print(f"rows and file rows equal; vectors to the last bit: {np.array_equal(left, right)}")
        print(f"searches alike: {sum(alike)} of {len(alike)}")


if __name__ == "__main__":
    main()
