"""A cluster of Ray on this machine beside one process: seconds, and whether the index is the same.

    unshare -rn python benchmarks/cluster.py FOLDER [--nodes 3]

Equality of rows, file rows and, to the last bit, of vectors.
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
from tests.support.checks import check_same, content, vectors_of

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
        left, right = (vectors_of(content(store)[0]) for store in stores)
        print(f"rows and file rows equal; vectors to the last bit: {np.array_equal(left, right)}")


if __name__ == "__main__":
    main()
