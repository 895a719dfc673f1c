"""How quick a search with a filter is, the first time that it is asked and afterwards.

    python benchmarks/filters.py [--rows 100000] [--store FOLDER]

Generated documents of ten passages go through the store's own writer, with its indices. Timed are
the filter and all of `indexer.retrieve.search` with the vector of the query at hand; "first" is on
a version that has just been opened and has answered a few searches without a filter. Exit 1 where a
filter that was asked before takes longer than the bar.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from benchmarks.common import print_table  # noqa: E402
from benchmarks.vector_index import FINGERPRINT, Corpus, Prepared  # noqa: E402
from indexer import retrieve  # noqa: E402
from indexer.records import Chunk, FileRow, Query  # noqa: E402
from indexer.store.ownership import make_store  # noqa: E402
from indexer.store.rows import Embedded  # noqa: E402
from indexer.store.snapshot import Snapshot  # noqa: E402
from indexer.store.snapshots import Snapshots  # noqa: E402
from indexer.store.writer import Writer  # noqa: E402

PASSAGES = 10  # of a document
QUERIES = 40
TOP = 10
BAR_MS = 15
SUFFIXES = ("md", "pdf", "docx")
# By the share of the documents that they leave: all but a few, half, a third, a hundredth, one.
FILTERS = (
    "",
    "language=en",
    "date>=2012",
    "type=pdf",
    "type!=pdf",
    "tag:rare",
    "path:007/ type=md",
    "author=nobody date>2020-06",
    'title:"number 00777"',
)


Asked = tuple[NDArray[np.float32], str]


def documents(corpus: Corpus, rows: int, writer: Writer) -> Iterator[Embedded]:
    """Documents of ten passages whose vectors are in the writer's cache."""
    for number in range(rows // PASSAGES):
        suffix = SUFFIXES[number % len(SUFFIXES)]
        source = f"{number // 100:03}/document {number:05}.{suffix}"
        keys = [(number * PASSAGES + row).to_bytes(32) for row in range(PASSAGES)]
        writer.vectors.put(keys, corpus.vectors(PASSAGES))
        chunks = [
            Chunk(source, row, text, "", 9 * row + 1, 9 * row + 9, language="en")
            for row, text in enumerate(corpus.texts(PASSAGES))
        ]
        yield Embedded(_row(source, number, suffix), chunks, keys)


def _row(source: str, number: int, suffix: str) -> FileRow:
    return FileRow(
        source,
        "indexed",
        chunks=PASSAGES,
        sha256="",
        extractor=f"{suffix}/1",
        title=f"Number {number:05}",
        date=f"{2000 + number % 25}-{1 + number % 12:02}-{1 + number % 28:02}",
        author="nobody" if number % 7 else "Ann",
        tags="rare" if number % 100 == 7 else "common",
        language="de" if number % 500 == 3 else "en",
    )


def write(store: Path, rows: int) -> None:
    """The store, in commits as of a run."""
    corpus = Corpus(1, uniform=False)
    make_store(store)
    with Writer(store, FINGERPRINT, ".") as writer:
        for each in documents(corpus, rows, writer):
            writer.replace([each])
        writer.commit(ignored=0, complete=True)


def times_of(snapshot: Snapshots, where: str, queries: list[Asked]) -> list[float]:
    """The milliseconds of each search."""
    taken = []
    filtered = lru_cache(snapshot.filtered)  # as an index keeps it
    for vector, text in queries:
        started = time.perf_counter()
        among = filtered(where) if where else None
        retrieve.search(snapshot, Prepared(vector), Query(text, TOP, 2, among=among))
        taken.append(1_000 * (time.perf_counter() - started))
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--store", type=Path, help="Made where it is not there, and kept.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        store = options.store or Path(scratch, "store")
        if not store.exists():
            write(store, options.rows)
        sys.exit(measured(store))


def measured(store: Path) -> bool:
    """Print the table; whether a bar was missed."""
    corpus = Corpus(2, uniform=False)
    queries = [
        (vector, " ".join(text.split()[:6]))
        for vector, text in zip(corpus.vectors(QUERIES), corpus.texts(QUERIES), strict=True)
    ]
    lines, missed = [], False
    for where in FILTERS:
        snapshot = Snapshots({"": Snapshot(store)})
        times_of(snapshot, "", queries[:5])
        first = times_of(snapshot, where, queries[:1])[0]
        p50, p95 = np.percentile(times_of(snapshot, where, queries), (50, 95))
        left = len(snapshot.filtered(where)) if where else snapshot.coverage.indexed
        lines.append((where or "none", f"{left:,}", f"{first:.0f}", f"{p50:.1f}", f"{p95:.1f}"))
        missed |= p50 > BAR_MS
        snapshot.close()
    print_table(("filter", "documents left", "first, ms", "p50, ms", "p95, ms"), lines)
    return missed


if __name__ == "__main__":
    main()
