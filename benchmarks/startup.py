"""How long a cold `corpus-agent search` and other commands take, and a warm search.

5,000 generated notes of a chunk each are indexed; then the real commands run, each time in a
process of its own. The control is LanceDB imported plainly, with the client of its remote
catalogues.

    python benchmarks/startup.py [--chunks N] [--runs N]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.common import data, print_table, timed
from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer.records import Query

QUERY = "which plugin shows the names of buffers"


def generated(folder: Path, chunks: int) -> None:
    texts = (p.read_text("utf-8", "replace") for p in sorted(data("corpora", "til").rglob("*.md")))
    words = sorted({word for text in texts for word in text.split() if word.isalpha()})
    chooser = random.Random(7)
    for number in range(chunks):
        place = folder / f"{number % 50:02}/{number:05}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(" ".join(chooser.choices(words, k=40)) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder, settings = Path(scratch, "notes"), Settings(store=Path(scratch, "store"))
        generated(folder, given.chunks)
        session.index(settings, folder)
        program = ("-m", "corpus_agent", "--store", str(settings.store))
        commands = {
            "search": (*program, "search", QUERY),
            "--help": (*program, "--help"),
            "status": (*program, "status"),
            "index, nothing to do": (*program, "index"),
            "python": ("-c", "pass"),
            "control: lancedb imported plainly": ("-c", "import lancedb"),
        }
        rows = []
        for name, command in commands.items():
            run = [sys.executable, *command]
            taken = [
                timed(lambda run=run: subprocess.run(run, check=True, capture_output=True))[:2]
                for _ in range(given.runs)
            ]
            rows.append((name, *map(median, zip(*taken, strict=True))))
        corpus = session.open_corpus(settings)
        queries = [Query(f"{QUERY} {n}") for n in range(200)]
        warm = sorted(timed(lambda query=query: corpus.search(query))[0] for query in queries)
    print_table(("command", "seconds, median", "of the processor"), rows)
    print(f"warm search: p50 {median(warm) * 1000:.1f} ms, p95 {warm[190] * 1000:.1f} ms")


if __name__ == "__main__":
    main()
