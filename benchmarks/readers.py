"""Reader processes that search and read while one writer commits again and again.

    python benchmarks/readers.py [--readers 8] [--commits 200] [--seed 1]

Each document carries a generation in every passage, and the writer replaces whole documents. A
reader fails on any error, on passages of two generations in one document of one version, and on a
version that goes while it is held. The control is the same readers while nobody writes. `blocked`
is wall time without computing and without waiting for a processor (/proc/self/schedstat), so that
a busy machine is no reason. A document that was replaced since its commit is parsed anew by the
reader that opens it: that lap is shown and not judged. Exit 1 on any failure, or where a reader was
blocked more than 100 ms longer than its idle median.
"""

from __future__ import annotations

import argparse
import json
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from benchmarks.common import print_table
from indexer.errors import Refused
from indexer.index import Index
from indexer.records import Query
from indexer.store.snapshot import Snapshot
from tests.support.checks import check_store
from tests.support.fakes import ToyEncoder
from tests.support.folders import paragraph
from tests.support.toy_index import sync

FILES = 60
PARAGRAPHS = 8
REPLACED = 6  # documents in a commit
PAUSE = 0.05  # between two looks of a reader
MAX_BLOCKED = 0.1
PARSED = "read, parsed anew"
Look = dict[str, tuple[float, float]]  # wall time and blocked time by lap


def write(path: Path, generation: int, random: Random) -> None:
    """Replace a document as careful editors do: a reader of the file sees the old or the new."""
    text = "".join(f"generation{generation} {paragraph(random, 40)}" for _ in range(PARAGRAPHS))
    new = path.with_suffix(".part")
    new.write_text(text)
    new.replace(path)


def reader(store: Path, seed: int) -> None:
    """Look until told to stop by the end of input; print each look as a line of JSON."""
    random, encoder = Random(seed), ToyEncoder()
    held: Snapshot | None = None
    Index.open(store, encoder).search(Query("note"))  # what the first use costs is no matter
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], PAUSE)[0]:
        look: Look = {}
        last = now()

        def lap(name: str, look: Look = look) -> None:
            nonlocal last
            wall, busy = (one - other for one, other in zip(now(), last, strict=True))
            look[name] = (wall, max(0.0, wall - busy))
            last = now()

        corpus = Index.open(store, encoder)
        snapshot = corpus._snapshots.parts[""]
        lap("open")
        hits = corpus.search(Query(f"note {random.randrange(FILES):02}", limit=50))
        lap("search")
        stale = False
        try:
            stale = bool(hits) and corpus.read(hits[0].chunk.source).stale
        except Refused as refused:  # replaced this moment: says so, and is no error
            assert "changed" in str(refused) or "no longer" in str(refused), refused
        lap(PARSED if stale else "read")
        if held is None or random.random() < 0.05:
            held = snapshot  # and the one before is let go
        for looked_at in (snapshot, held):
            check_generations(looked_at)
        print(json.dumps(look), flush=True)


def now() -> tuple[float, float]:
    """The clock, and the seconds in which a thread computed or waited for a processor."""
    busy = 0
    for task in Path("/proc/self/task").iterdir():
        try:
            running, waiting, _ = (task / "schedstat").read_text().split()
        except (FileNotFoundError, ProcessLookupError):  # a thread that ended meanwhile
            continue
        busy += int(running) + int(waiting)
    return time.monotonic(), busy / 1e9


def check_generations(snapshot: Snapshot) -> None:
    """Fail where the passages of one document are of two generations, or not all there."""
    rows = snapshot.chunk_rows().select(["source", "text", "file_sha256"]).to_pylist()
    for file in snapshot.files():
        own = [row for row in rows if row["source"] == file.source]
        words = {word for row in own for word in row["text"].lower().split()}
        generations = {word for word in words if word.startswith("generation")}
        assert len(generations) == 1, f"{file.source} holds {generations}"
        assert {row["file_sha256"] for row in own} == {file.sha256}
        assert len(own) == file.chunks


def looks(store: Path, readers: int, work: Callable[[], None]) -> tuple[list[Look], int]:
    """What readers saw while `work` was done, and how many of them failed."""
    command = [sys.executable, __file__, "--read", str(store), "--seed"]
    with tempfile.TemporaryDirectory() as scratch:
        said = [Path(scratch, str(seed)) for seed in range(readers)]
        processes = [
            subprocess.Popen(
                [*command, str(seed)], stdin=subprocess.PIPE, stdout=path.open("w"), text=True
            )
            for seed, path in enumerate(said)
        ]
        while not all(path.stat().st_size for path in said):
            if any(process.poll() for process in processes):
                break  # it failed, and is counted below
            time.sleep(PAUSE)
        work()
        for process in processes:
            process.communicate()
        lines = [line for path in said for line in path.read_text().splitlines()[1:]]
        return [json.loads(line) for line in lines], sum(p.returncode != 0 for p in processes)


def compared(idle: list[Look], busy: list[Look]) -> tuple[list[tuple[str, ...]], float]:
    """The rows of the table, and by how much the worst blocking exceeds its idle median."""
    rows, worst = [], 0.0
    for lap in ("open", "search", "read", PARSED):
        walls, blocked = [
            [look[lap][part] for look in busy if lap in look] or [0.0] for part in (0, 1)
        ]
        usual = statistics.median([look[lap][1] for look in idle if lap in look] or [0.0])
        excess = max(blocked) - usual
        worst = max(worst, excess if lap != PARSED else 0.0)
        figures = statistics.median(walls), max(walls), excess
        rows.append((f"{lap} ({len(walls)})", *(f"{1e3 * each:.0f} ms" for each in figures)))
    return rows, worst


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--idle-seconds", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        reader(options.read, options.seed)
        return
    random = Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        root, store = Path(scratch, "docs"), Path(scratch, "store")
        root.mkdir()

        def committed(generation: int, numbers: list[int]) -> None:
            for number in numbers:
                write(root / f"note {number:02}.txt", generation, random)
            sync(root, store)

        def written() -> None:
            for generation in range(1, options.commits + 1):
                committed(generation, random.sample(range(FILES), REPLACED))

        committed(0, list(range(FILES)))
        idle, failed = looks(store, options.readers, lambda: time.sleep(options.idle_seconds))
        busy, failed_busy = looks(store, options.readers, written)
        check_store(store)
    rows, blocked = compared(idle, busy)
    print_table(("lap", "median while writing", "most", "blocked longer than idle"), rows)
    print(f"{options.readers} readers, {options.commits} commits, {len(busy)} looks while writing")
    print(f"failed readers: {failed + failed_busy}; blocked at most {blocked * 1e3:.0f} ms longer")
    sys.exit(1 if failed or failed_busy or blocked > MAX_BLOCKED else 0)


if __name__ == "__main__":
    main()
