"""Where the time of one cold `corpus-agent search` goes, what a warm one and other commands take.

A folder of generated notes is indexed; then the real command runs, each time in a process of its
own, and a child takes the same steps one by one with a clock. The control is LanceDB imported
plainly, with the client of its remote catalogues.

    python benchmarks/startup.py [--chunks N] [--runs N] [--store DIR]
"""

from __future__ import annotations

import argparse
import compileall
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from common import data, print_table, timed

from corpus_agent.service import session
from corpus_agent.settings import Settings

QUERY = "which plugin shows the names of buffers"
STEPS = """
import json, sys, time
from pathlib import Path
clock = lambda: (time.perf_counter(), time.process_time())
marks = [("", *clock())]
mark = lambda name: marks.append((name, *clock()))
store = Path(sys.argv[1])
from corpus_agent import cli, startup; from corpus_agent.settings import Settings
mark("command line, settings"); settings = Settings(store=store)
settings = startup.for_reading(settings).settings; mark("seal")
import numpy; mark("import numpy")
from corpus_agent import render
from corpus_agent.service import loading, session; mark("modules of the search")
encoder = loading.encoder_for(settings, store); encoder.weights_sha256; mark("hash of the weights")
encoder.tokenizer; mark("tokenizer")
from indexer.store.lance import import_lancedb; import_lancedb(); mark("import lancedb")
from indexer.index import Index
corpus = Index.open(store, encoder, root=settings.root); mark("open the index")
import onnxruntime; mark("import onnxruntime")
encoder.encode(["x"]); mark("weights, graph, check")
query = sys.argv[2]
from indexer.records import Query; corpus.search(Query(query)); mark("first search")
times = []
for n in range(60):
    started = time.perf_counter()
    corpus.search(Query(f"{query} {n}"))
    times.append(time.perf_counter() - started)
steps = [(b[0], b[1] - a[1], b[2] - a[2]) for a, b in zip(marks, marks[1:])]
print(json.dumps({"steps": steps, "warm": sorted(times)}))
"""


def generated(folder: Path, chunks: int) -> None:
    """Notes of one chunk each, made from the words of real ones where those are at hand."""
    source = data("corpora", "til")
    texts = (path.read_text("utf-8", "replace") for path in sorted(source.rglob("*.md"))[:300])
    words = sorted({word for text in texts for word in text.split() if word.isalpha()})
    chooser = random.Random(7)
    for number in range(chunks):
        place = folder / f"{number % 50:02}/{number:05}.txt"
        place.parent.mkdir(exist_ok=True)
        place.write_text(" ".join(chooser.choices(words, k=40)) + "\n")


def seconds_of(*command: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor that a command takes."""
    run = [sys.executable, *command]
    return timed(lambda: subprocess.run(run, check=True, capture_output=True))[:2]


def middle(pairs: Iterable[Sequence[float]]) -> tuple[float, float]:
    """The median of each of the two figures."""
    walls, used = zip(*pairs, strict=True)
    return median(walls), median(used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--store", type=Path, help="kept from an earlier run, or made and kept")
    given = parser.parse_args()
    for package in ("corpus_agent", "indexer"):
        compileall.compile_dir(str(Path(__file__).parent.parent / package), quiet=1)
    with tempfile.TemporaryDirectory() as scratch:
        store = (given.store or Path(scratch) / "store").resolve()
        if not store.exists():
            folder = store.with_name(store.name + "-notes")
            folder.mkdir(parents=True)
            generated(folder, given.chunks)
            session.index(Settings(store=store), folder)
        command = ("-m", "corpus_agent", "--store", str(store), "search", QUERY)
        cold = [seconds_of(*command) for _ in range(given.runs)]
        others = [
            (" ".join(one), *middle(seconds_of(*command[:4], *one) for _ in range(given.runs)))
            for one in (("--help",), ("status",), ("index",))  # nothing is to be indexed
        ]
        told = [
            json.loads(
                subprocess.run(
                    [sys.executable, "-c", STEPS, str(store), QUERY],
                    check=True, capture_output=True, text=True,
                ).stdout
            )
            for _ in range(given.runs)
        ]  # fmt: skip
    rows = [("python", *middle(seconds_of("-c", "pass") for _ in range(given.runs)))]
    for at, (name, *_) in enumerate(told[0]["steps"]):
        rows.append((name, *middle(one["steps"][at][1:] for one in told)))
    rows.append(("sum", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    rows += [("the command itself", *middle(cold)), *others]
    plain = middle(seconds_of("-c", "import numpy, lancedb") for _ in range(given.runs))
    bare = middle(seconds_of("-c", "import numpy") for _ in range(given.runs))
    rows.append(("control: lancedb imported plainly", plain[0] - bare[0], plain[1] - bare[1]))
    print_table(("step", "seconds, median", "of the processor"), rows)
    warm = sorted(seconds for one in told for seconds in one["warm"])
    print(
        f"warm search: p50 {median(warm) * 1000:.1f} ms, "
        f"p95 {warm[int(len(warm) * 0.95)] * 1000:.1f} ms"
    )


if __name__ == "__main__":
    main()
