"""How `index --cluster local:N` grows with its slots, and what it costs its driver.

    python benchmarks/cluster_slots.py [--slots 1,2,4,8,16] [--documents 20000] [--stretch 1]

Embedding is slept: the stand-in encoder waits as long as the packaged model takes for texts of such
a length (measured first, on one core), so that sixteen slots can be had on two cores. All else is
done: sealed processes apart, which are not needed for times, every slot is a process that parses,
cuts and stages, and the driver checks, stores and commits. Prints for each number of slots passages
a second, the efficiency against one slot, processor time a passage of slots and driver (all
threads; its own) and the driver's largest memory. Documents are generated, one passage each. Where
two cores are too few for what sixteen slots do besides sleeping, `--stretch 10` makes all ten times
as slow: then the driver's share of a core at full speed is ten times what is shown.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import resource
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from benchmarks.common import print_table  # noqa: E402
from indexer import FolderEncoder, LocalHands, Plan, Progress, RunDisplay, sync_folder  # noqa: E402
from indexer.confine import starting  # noqa: E402
from indexer.store.ownership import make_store  # noqa: E402

WORDS = 120  # of a document: one passage
FOLDER_FILES = 200
SEED = 7


class SleepingEncoder(FolderEncoder):
    """The packaged model's name and tokenizer, and vectors that are slept for."""

    seconds_per_text = 0.0
    counted = ""  # a file that gets a line with the number of texts of each call

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.counted:
            with Path(self.counted).open("a") as file:
                file.write(f"{len(texts)}\n")
        time.sleep(self.seconds_per_text * len(texts))
        seeds = [int.from_bytes(text.encode()[-8:]) for text in texts]
        rows = np.stack([np.random.default_rng(seed).standard_normal(384) for seed in seeds])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class SleepingHands(LocalHands):
    """Processes that embed with SleepingEncoder, not sealed: this script is none of their files."""

    def __init__(self, slots: int, seconds_per_text: float, counted: str = "") -> None:
        code = (
            "import sys; from pathlib import Path; "
            f"sys.path.insert(0, {str(REPOSITORY)!r}); from benchmarks.cluster_slots import child; "
            f"child({seconds_per_text}, {counted!r})"
        )
        super().__init__(slots, command=starting.python(code))

    def work(self, opening: Mapping[str, Any], order: str, seconds: float, *, fresh: bool) -> str:
        return super().work({**opening, "confined": False}, order, seconds, fresh=fresh)


def child(seconds_per_text: float, counted: str) -> None:
    """The process of a shard, with the stand-in encoder."""
    from indexer.sync import shard_child
    from indexer.sync.shard_work import ShardWorker

    SleepingEncoder.seconds_per_text, SleepingEncoder.counted = seconds_per_text, counted
    work = types.ModuleType("sleeping_work")
    work.ShardWorker = lambda opening: ShardWorker(opening, lambda *_: SleepingEncoder())  # type: ignore[attr-defined]
    sys.modules[work.__name__] = work
    shard_child.WORK = work.__name__
    shard_child.main()


def make_documents(root: Path, count: int) -> None:
    """So many documents of one passage, of words that the model's vocabulary knows."""
    random = Random(SEED)
    words = sorted(word for word in FolderEncoder().tokenizer.get_vocab() if word.isalpha())
    for number in range(count):
        path = root / f"{number // FOLDER_FILES:04}" / f"note {number:06}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(random.choices(words, k=WORDS)) + ".\n")


def seconds_to_embed(root: Path) -> float:
    """Processor seconds that the packaged model takes for one such document."""
    texts = [path.read_text() for path in sorted(root.rglob("*.txt"))[:64]]
    encoder = FolderEncoder()
    encoder.encode(texts[:4])
    before = time.process_time()
    encoder.encode(texts)
    return (time.process_time() - before) / len(texts)


def drive(store: Path, root: Path, slots: int, seconds_per_text: float, *, profiled: bool) -> None:
    """One run with so many slots, in this process; prints its figures."""
    make_store(store)
    hands = SleepingHands(slots, seconds_per_text)
    started: list[float] = []
    met: list[tuple[int, float, float]] = []  # when the first shard is there: what starts is past

    class Times(RunDisplay):
        def start(self, todo: Plan, rebuilding: bool) -> None:
            started.append(time.monotonic())

        def advance(self, done: Progress) -> None:
            if not met:
                met.append((done.files, time.process_time(), time.thread_time()))

    profile = cProfile.Profile()
    if profiled:
        profile.enable()
    outcome = sync_folder(store, root, SleepingEncoder(), hands=hands, ocr="off", display=Times())
    profile.disable()
    assert outcome.cluster is not None
    took = time.monotonic() - started[0]
    files, before, own = met[0]
    rest = (outcome.chunks - files) / 1_000  # a passage each
    if profiled:
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(40)
    print(json.dumps({
        "rate": outcome.chunks / took, "seconds": took, "chunks": outcome.chunks,
        "driver": (time.process_time() - before) / rest,
        "own": (time.thread_time() - own) / rest,
        "slot": 1_000 * sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) / outcome.chunks,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "shards": outcome.cluster.shards, "again": len(outcome.cluster.again),
    }))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slots", default="1,2,4,8,16")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--stretch", type=float, default=1.0, help="Sleep so many times as long.")
    parser.add_argument("--seconds", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--drive", nargs=2, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.drive:
        drive(*given.drive, int(given.slots), given.seconds, profiled=given.profile)
        return
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "docs")
        make_documents(root, 64)
        embedding = seconds_to_embed(root)
        seconds = given.stretch * embedding
        print(
            f"Embedding one: {1_000 * embedding:.1f} ms, slept: {1_000 * seconds:.1f}", flush=True
        )
        lines, alone = [], 0.0
        numbers = [*map(int, given.slots.split(","))]
        for slots in numbers:  # each with its share of the documents, so that all take as long
            part = Path(scratch, f"docs-{slots}")
            make_documents(part, given.documents * slots // max(numbers))
            command = [sys.executable, __file__, "--slots", str(slots), "--seconds", str(seconds)]
            command += ["--drive", str(Path(scratch, f"store-{slots}")), str(part)]
            command += ["--profile"] * given.profile
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            alone = alone or found["rate"] / slots
            lines.append((
                str(slots), f"{found['rate']:.0f}", f"{found['rate'] / slots / alone:.3f}",
                *(f"{found[name]:.2f}" for name in ("slot", "driver", "own")),
                f"{found['driver'] * found['rate'] / 1_000:.1%}", f"{found['memory']:.0f}",
                f"{found['shards']} ({found['again']})",
            ))  # fmt: skip
            print(lines[-1], file=sys.stderr, flush=True)
        print_table(
            (
                "slots",
                "passages/s",
                "efficiency",
                "slot, ms a passage",
                "driver",
                "its own thread",
                "driver, of a core",
                "MB",
                "shards (again)",
            ),
            lines,
        )


if __name__ == "__main__":
    main()
