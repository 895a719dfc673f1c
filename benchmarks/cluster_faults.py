"""What kills of the parts of a cluster cost: a shard's process, a worker, a node, the driver.

    python benchmarks/cluster_faults.py [child,driver,worker,node] [--kills 25] [--seed 1]

A folder is indexed again and again, while SIGKILL meets the part at random moments, and a reader
looks at the store. Afterwards the index must be that of one process, nothing may be embedded again
but the shards that were in the making, and after `cleanup` nothing may be left: no process, no
staged shard. The reader must never see half an index. Workers and nodes are Ray's (in a network
namespace: `unshare -rn`), with the packaged model; else embedding is slept. Exit 1 where it fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from benchmarks.cluster_slots import SleepingEncoder, SleepingHands  # noqa: E402
from benchmarks.common import print_table  # noqa: E402
from corpus_agent.service.cluster import RayHands  # noqa: E402
from indexer import Encoder, FolderEncoder, LocalHands, Outcome, clean_up, sync_folder  # noqa: E402
from indexer.files.walk import walk  # noqa: E402
from indexer.store.ownership import make_store  # noqa: E402
from indexer.store.snapshot import Snapshot  # noqa: E402
from indexer.sync.shards import cut  # noqa: E402
from tests.support.checks import check_same, check_store  # noqa: E402
from tests.support.folders import make_folder  # noqa: E402

SLOTS = 2
DOCUMENTS = 60
LEAST_BYTES = 4_000  # of a shard: some fifteen of them
SECONDS_PER_TEXT = 0.03
MOST_RUNS = 60


class Reader:
    """Looks at a store in a thread until the end of the block; each look must find it whole."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._read)
        self.looks, self.wrong = 0, [*()]

    def __enter__(self) -> Reader:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._thread.join()

    def _read(self) -> None:
        while not self._over.wait(0.25):
            if not (self._store / "manifest.json").exists():  # between two runs
                continue
            try:
                with_rows = Snapshot(self._store)
                rows = with_rows.chunk_rows()["source"].to_pylist()
                expected = sum(row.chunks for row in with_rows.files())
                with_rows.close()
            except Exception as error:  # noqa: BLE001 - whatever it is, a reader met it
                self.wrong.append(repr(error))
                continue
            self.looks += 1
            if not len(rows) == expected == with_rows.manifest.chunks:
                self.wrong.append(f"{len(rows)} rows of {expected}")


class Killer:
    """Kills what `targets` names at random moments, until `count` are killed or the block ends."""

    def __init__(self, targets: Callable[[], list[int]], count: int, random: Random) -> None:
        self._targets, self._count, self._random = targets, count, random
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._kill)
        self.killed = 0

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._thread.join()

    def _kill(self) -> None:
        while self.killed < self._count and not self._over.wait(self._random.uniform(0.05, 2.5)):
            if found := self._targets():
                try:
                    os.kill(self._random.choice(found), signal.SIGKILL)
                except ProcessLookupError:
                    continue
                self.killed += 1


def processes(*words: bytes) -> Iterator[int]:
    """Processes of this network namespace whose command line holds all of these words."""
    here = Path("/proc/self/ns/net").stat().st_ino
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            if all(word in command for word in words) and (folder / "ns/net").stat().st_ino == here:
                yield int(folder.name)
        except OSError:
            continue


def run(store: Path, root: Path, encoder: Encoder, hands: LocalHands | RayHands) -> Outcome:
    """One run over a store that holds a few documents already, which a reader reads meanwhile."""
    hands.least_bytes = LEAST_BYTES
    if not store.exists():
        shutil.copytree(root.with_name("base"), store)
    return sync_folder(store, root, encoder, hands=hands, ocr="off")


class Trial:
    """One kind of fault, over as many runs as its kills need."""

    def __init__(self, folder: Path, plain: Path, root: Path, kills: int, random: Random) -> None:
        self.folder, self.plain, self.root = folder, plain, root
        self.left, self.random = kills, random
        self.embedded = ""
        self.killed = self.runs = self.again = self.looks = 0
        self.wrong: list[str] = []
        self.counted = str(folder / "counted")
        self.passages = [row.chunks for row in Snapshot(plain).files()]
        self.new = sum(self.passages) - Snapshot(root.with_name("base")).manifest.chunks

    def check_embedded(self, shards: int) -> None:
        """Note if more was embedded than the finished runs hold, and so many shards a kill."""
        made = sum(map(int, Path(self.counted).read_text().split()))
        sizes = cut(walk(self.root).files, SLOTS, LEAST_BYTES)
        at, largest = 0, 0
        for shard in sizes:
            largest = max(largest, sum(self.passages[at : at + len(shard.files)]))
            at += len(shard.files)
        most = self.runs * self.new + self.killed * shards * largest
        self.embedded = f"{max(0, made - self.runs * self.new):,} of at most "
        self.embedded += f"{self.killed * shards * largest:,}"
        if made > most:
            self.wrong.append(f"{made:,} texts embedded, where {most:,} were to be")

    def finished(self, store: Path, outcome: Outcome, killed: int) -> None:
        """Compare a finished index with that of one process, and clean it up.

        Each part that was `killed` may cost one shard, which is made again.
        """
        check_store(store).close()
        check_same(self.plain, store)
        clean_up(store)
        if (store / "staging").exists():
            self.wrong.append("staged shards are left")
        assert outcome.cluster is not None
        again = outcome.cluster.again
        self.again += len(again)
        if len(again) > killed:
            self.wrong.append(f"{len(again)} shards made again for {killed} kills: {again}")
        self.runs += 1
        shutil.rmtree(store)

    def parts(
        self,
        targets: Callable[[], list[int]],
        encoder: Encoder,
        hands: Callable[[], LocalHands | RayHands],
    ) -> None:
        """Kill parts of a run, until there were enough."""
        while self.left > 0 and self.runs < MOST_RUNS:
            store = self.folder / f"store-{self.runs}"
            with Reader(store) as reader, Killer(targets, self.left, self.random) as killer:
                outcome = run(store, self.root, encoder, hands())
            self.note(reader, killer.killed)
            self.finished(store, outcome, killer.killed)

    def note(self, reader: Reader, killed: int) -> None:
        self.killed += killed
        self.left -= killed
        self.looks += reader.looks
        self.wrong += reader.wrong


def drivers(trial: Trial) -> None:
    """Kill the driver, and run it again on what it left, until one ends in peace."""
    store = trial.folder / "driven"
    command = [sys.executable, __file__, "--drive", str(store), str(trial.root)]
    command += ["--counted", trial.counted]
    while trial.left > 0:
        with Reader(store) as reader:
            process = subprocess.Popen(command)
            try:
                process.wait(trial.random.uniform(0.5, 8.0))
            except subprocess.TimeoutExpired:
                process.kill()
            process.wait()
        trial.note(reader, int(process.returncode == -signal.SIGKILL))
        deadline = time.monotonic() + 10
        while (orphans := [*processes(b"cluster_slots", str(process.pid).encode())]) and (
            time.monotonic() < deadline
        ):
            time.sleep(0.1)
        trial.wrong += [f"{len(orphans)} processes are left"] * bool(orphans)
        if process.returncode == 0:
            shutil.rmtree(store)
            trial.runs += 1
    last = SleepingHands(SLOTS, SECONDS_PER_TEXT, trial.counted)
    trial.finished(store, run(store, trial.root, SleepingEncoder(), last), 0)


def children() -> list[int]:
    return [*processes(b"cluster_slots", str(os.getpid()).encode())]


def with_ray(trial: Trial, kind: str) -> None:
    """Kill workers of Ray, or take whole nodes away, which come back."""
    from ray.cluster_utils import Cluster

    cpu = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**cpu, "include_dashboard": False})
    nodes = [cluster.add_node(**cpu) for _ in range(2)]

    def workers() -> list[int]:
        return [*processes(b"ray::shard_task")]

    def fell_node() -> list[int]:
        if nodes and workers():
            node = nodes.pop(trial.random.randrange(len(nodes)))
            cluster.remove_node(node, allow_graceful=False)  # SIGKILL of its raylet
        return []

    if kind == "worker":
        trial.parts(workers, FolderEncoder(), lambda: RayHands(cluster.address))
    while kind == "node" and trial.left > 0 and trial.runs < MOST_RUNS:
        store = trial.folder / f"store-{trial.runs}"
        with Reader(store) as reader, Killer(fell_node, 10**6, trial.random):
            outcome = run(store, trial.root, FolderEncoder(), RayHands(cluster.address))
        felled = 2 - len(nodes)
        trial.note(reader, felled)
        trial.finished(store, outcome, felled)
        nodes += [cluster.add_node(**cpu) for _ in range(felled)]  # in the main thread alone
    cluster.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="?", default="child,driver")
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drive", nargs=2, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--counted", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.drive:
        hands = SleepingHands(SLOTS, SECONDS_PER_TEXT, given.counted)
        run(*given.drive, SleepingEncoder(), hands)
        return
    lines, failed = [], False
    for kind in given.kinds.split(","):
        with tempfile.TemporaryDirectory() as scratch:
            root, plain = Path(scratch, "docs"), Path(scratch, "plain")
            own = FolderEncoder() if kind in ("worker", "node") else SleepingEncoder()
            for store, count in ((root.with_name("base"), DOCUMENTS // 6), (plain, DOCUMENTS)):
                make_folder(root, count, Random(given.seed), paragraphs=2)
                make_store(store)
                sync_folder(store, root, own, ocr="off")
            trial = Trial(Path(scratch), plain, root, given.kills, Random(given.seed))
            if kind == "child":
                trial.parts(
                    children,
                    own,
                    lambda to=trial.counted: SleepingHands(SLOTS, SECONDS_PER_TEXT, to),
                )
                trial.check_embedded(shards=1)
            elif kind == "driver":
                drivers(trial)
                trial.check_embedded(shards=SLOTS)
            else:
                with_ray(trial, kind)
        failed |= bool(trial.wrong)
        lines.append((
            kind, str(trial.killed), str(trial.runs), str(trial.again), trial.embedded,
            f"{trial.looks:,}", "; ".join(trial.wrong[:3]) or "nothing",
        ))  # fmt: skip
        print(lines[-1], file=sys.stderr, flush=True)
    print_table(
        ("killed", "times", "in runs", "shards made again", "passages again", "looks", "wrong"),
        lines,
    )
    sys.exit(failed)


if __name__ == "__main__":
    main()
