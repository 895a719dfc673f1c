"""What the seal costs: start-up, searching and indexing, sealed and --unsealed in turn.

Each figure is of a process of its own; the two kinds alternate, so that a busy machine troubles
both alike. Quoted are medians and their ratio.

    python benchmarks/seal.py [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from common import print_table

SAMPLE = Path(__file__).parent.parent / "sample_corpus"
SEARCHES = 200

# Prints seconds for each phase; argv: store, "sealed" or "unsealed".
CHILD = """
import json, sys, time
from pathlib import Path
from corpus_agent.startup import for_indexing, for_reading
from corpus_agent.settings import Settings
store, off, root = Path(sys.argv[1]), sys.argv[2] == "unsealed", Path(sys.argv[3])
settings = Settings(store=store)
start = time.perf_counter()
settings = for_reading(settings, seal_off=off).settings
closed = time.perf_counter()
from corpus_agent.service import session
from indexer import Choices
corpus = session.open_corpus(settings)
from indexer.records import Query
corpus.search(Query("warm", 5))
warm = time.perf_counter()
for number in range(int(sys.argv[4])):
    corpus.search(Query(f"how long does the starter keep {number}", 5))
searched = time.perf_counter()
session.index(settings, root, Choices(force=True))
indexed = time.perf_counter()
print(json.dumps([closed - start, searched - warm, indexed - searched]))
"""


def phases(store: Path, kind: str) -> list[float]:
    """Seconds for closing, searching and indexing in one process."""
    arguments = [sys.executable, "-c", CHILD, store, kind, SAMPLE, SEARCHES]
    done = subprocess.run(map(str, arguments), capture_output=True, text=True, check=True)
    return [float(value) for value in json.loads(done.stdout)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    seen: dict[str, list[list[float]]] = {"sealed": [], "unsealed": []}
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "store"
        command = [sys.executable, "-m", "corpus_agent", "--store", str(store)]
        subprocess.run([*command, "index", str(SAMPLE)], check=True, capture_output=True)
        for _ in range(arguments.rounds):
            for kind, rows in seen.items():
                rows.append(phases(store, kind))
    rows = []
    for at, what in enumerate(
        ("start-up, ms", f"{SEARCHES} searches, ms", "indexing the sample, ms")
    ):
        sealed, off = (median(row[at] for row in seen[kind]) * 1000 for kind in seen)
        difference = sealed - off
        rows.append((what, sealed, off, difference, sealed / off if at else "-"))
    print_table(("median of processes", "sealed", "unsealed", "difference", "ratio"), rows)


if __name__ == "__main__":
    main()
