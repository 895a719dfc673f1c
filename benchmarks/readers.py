"""Reader processes that search and read while one writer commits again and again.

    python benchmarks/readers.py [--readers 8] [--commits 200] [--seed 1]

Each document carries a generation in every passage, and the writer replaces whole documents. A
reader fails on any error, on passages of two generations in one document of one version, and on a
version that goes while it is held. Its latency is compared with that of the same readers while
nobody writes. What a machine with few processors adds by making processes wait for each other is
told apart by /proc/self/schedstat: `blocked` is wall time without computing and without waiting
for a processor. A document that was replaced since its version was committed is parsed anew by the
reader that opens it, in a process that it waits for: no writer is in its way, nothing of the kind
happens while nobody writes, so that lap is shown and not judged. Exit 1 on any failure, or where a
reader was blocked more than 100 ms longer than its idle median.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from benchmarks.common import print_table  # noqa: E402
from indexer.records import Query  # noqa: E402
from tests.support.folders import paragraph  # noqa: E402

FILES = 60
PARAGRAPHS = 8
REPLACED = 6  # documents in a commit
PAUSE = 0.05  # between two looks of a reader
MAX_BLOCKED = 0.1
PARSED = "read, parsed anew"


def write(path: Path, generation: int, random: Random) -> None:
    """Replace a document as careful editors do: a reader of the file sees the old or the new."""
    text = "".join(f"generation{generation} {paragraph(random, 40)}" for _ in range(PARAGRAPHS))
    new = path.with_suffix(".part")
    new.write_text(text)
    new.replace(path)


def reader(root: Path, store: Path, seed: int) -> None:
    """Look until told to stop by the end of input; print what was found as JSON lines."""
    import select

    from indexer.errors import Refused
    from indexer.index import Index
    from indexer.store.snapshot import Snapshot
    from tests.support.fakes import ToyEncoder

    random, encoder = Random(seed), ToyEncoder()
    held: Snapshot | None = None
    Index.open(store, encoder).search(Query("note"))  # what the first use costs is no matter
    print(json.dumps({"ready": True}), flush=True)
    while not select.select([sys.stdin], [], [], PAUSE)[0]:
        clock = Clock()
        corpus = Index.open(store, encoder)
        snapshot = corpus._snapshots.parts[""]
        clock.lap("open")
        hits = corpus.search(Query(f"note {random.randrange(FILES):02}", limit=50))
        clock.lap("search")
        lap = "read"
        if hits:
            try:
                if corpus.read(hits[0].chunk.source).stale:
                    lap = PARSED
            except Refused as refused:  # replaced this moment: says so, and is no error
                assert "changed" in str(refused) or "no longer" in str(refused), refused
        clock.lap(lap)
        if held is None or random.random() < 0.05:
            held = snapshot  # and the one before is let go
        for looked_at in (snapshot, held):
            check_generations(looked_at)
        print(json.dumps({"laps": clock.laps, "version": snapshot.manifest.version}), flush=True)


def check_generations(snapshot: object) -> None:
    """Fail where the passages of one document are of two generations, or not all there."""
    rows = snapshot.chunk_rows().select(["source", "text", "file_sha256"]).to_pylist()
    files = {row.source: row for row in snapshot.files()}
    seen: dict[str, set[tuple[str, str]]] = {}
    counts: dict[str, int] = {}
    for row in rows:
        words = {word for word in row["text"].lower().split() if word.startswith("generation")}
        seen.setdefault(row["source"], set()).update((word, row["file_sha256"]) for word in words)
        counts[row["source"]] = counts.get(row["source"], 0) + 1
    for source, marks in seen.items():
        assert len(marks) == 1, f"{source} holds {marks}"
        assert {sha256 for _, sha256 in marks} == {files[source].sha256}
        assert counts[source] == files[source].chunks


class Clock:
    """Wall time, and wall time in which nothing was computed and no processor was waited for."""

    def __init__(self) -> None:
        self.laps: dict[str, tuple[float, float]] = {}
        self._last = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        busy = 0
        for task in Path("/proc/self/task").iterdir():
            try:
                running, waiting, _ = (task / "schedstat").read_text().split()
            except (FileNotFoundError, ProcessLookupError):  # a thread that ended meanwhile
                continue
            busy += int(running) + int(waiting)
        return time.monotonic(), busy / 1e9

    def lap(self, name: str) -> None:
        """Note the time since the last lap."""
        now = self._now()
        wall, busy = now[0] - self._last[0], now[1] - self._last[1]
        self.laps[name] = (wall, max(0.0, wall - busy))
        self._last = now


def write_generations(root: Path, store: Path, commits: int, random: Random) -> float:
    """The seconds that so many commits took."""
    from tests.support.toy_index import sync

    started = time.monotonic()
    for generation in range(1, commits + 1):
        for number in random.sample(range(FILES), REPLACED):
            write(root / f"note {number:02}.txt", generation, random)
        sync(root, store)
    return time.monotonic() - started


def main() -> None:
    options = parse()
    if options.read:
        return reader(*options.read, options.seed)
    random = Random(options.seed)
    scratch = Path(tempfile.mkdtemp())
    root, store = scratch / "docs", scratch / "store"
    root.mkdir()
    for number in range(FILES):
        write(root / f"note {number:02}.txt", 0, random)
    from tests.support.checks import check_store
    from tests.support.toy_index import sync

    sync(root, store)
    idle, failed = look(options, root, store, lambda: time.sleep(options.idle_seconds))
    busy, failed_busy = look(
        options, root, store, lambda: write_generations(root, store, options.commits, random)
    )
    check_store(store)
    shutil.rmtree(scratch)
    rows, blocked = compare(idle, busy)
    print_table(
        ("lap", "idle median", "idle max", "writing median", "writing max", "blocked"), rows
    )
    print(f"{options.readers} readers, {options.commits} commits, {len(busy)} looks while writing")
    print(f"failed readers: {failed + failed_busy}; blocked at most {blocked * 1e3:.0f} ms longer")
    sys.exit(1 if failed or failed_busy or blocked > MAX_BLOCKED else 0)


def look(options, root: Path, store: Path, work) -> tuple[list[dict], int]:  # noqa: ANN001
    """What the readers saw while `work` was done, and how many of them failed."""
    command = [sys.executable, __file__, "--read", str(root), str(store)]
    processes = [
        subprocess.Popen(
            [*command, "--seed", str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(options.readers)
    ]
    looks = Collected(processes)
    looks.wait_until_ready()
    work()
    for process in processes:
        process.stdin.close()
    looks.join()
    failed = sum(process.wait() != 0 for process in processes)
    return looks.found, failed


class Collected:
    """The lines of all readers, taken as they come, so that no pipe fills up."""

    def __init__(self, processes: list[subprocess.Popen[str]]) -> None:
        import threading

        self.found: list[dict] = []
        self._ready = threading.Semaphore(0)
        self._count = len(processes)
        self._threads = [
            threading.Thread(target=self._take, args=(process,)) for process in processes
        ]
        for thread in self._threads:
            thread.start()

    def _take(self, process: subprocess.Popen[str]) -> None:
        for line in process.stdout:
            seen = json.loads(line)
            if "ready" in seen:
                self._ready.release()
            else:
                self.found.append(seen)
        self._ready.release()

    def wait_until_ready(self) -> None:
        for _ in range(self._count):
            self._ready.acquire()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()


def compare(idle: list[dict], busy: list[dict]) -> tuple[list[tuple[str, ...]], float]:
    """The rows of the table, and by how much the worst blocking exceeds its idle median."""
    rows, worst = [], 0.0
    for lap in ("open", "search", "read"):
        walls, blocks = (
            [[look["laps"][lap][part] for look in looks if lap in look["laps"]] for looks in both]
            for part, both in enumerate([(idle, busy)] * 2)
        )
        excess = max(blocks[1]) - statistics.median(blocks[0])
        worst = max(worst, excess)
        figures = [f(wall) for wall in walls for f in (statistics.median, max)]
        rows.append((lap, *(f"{1e3 * figure:.0f} ms" for figure in (*figures, excess))))
    if anew := [look["laps"][PARSED][0] for look in busy if PARSED in look["laps"]]:
        seen = (f"{1e3 * figure:.0f} ms" for figure in (statistics.median(anew), max(anew)))
        rows.append((f"{PARSED} ({len(anew)})", "-", "-", *seen, "-"))
    return rows, worst


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--idle-seconds", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--read", nargs=2, type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
