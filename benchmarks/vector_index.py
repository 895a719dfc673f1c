"""The index at scale: how quick retrieval is, how much of the exact result it finds, what it costs.

    python benchmarks/vector_index.py [--rows 100000,1000000] [--short]

Passages of generated text and vectors go through the store's own writer. They are searched
without an index of vectors (the control: every vector is compared; left out by `--short`, since it
takes seconds a query of many rows), then the indices are made as the next run that writes would
make them, and the same queries are asked again. Every step is a process of its own that reports its
memory. A query is a stored vector with noise, and words of a stored passage; what is timed is all
of `indexer.fusion.search` with the vector of the query at hand.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.common import print_table
from indexer import fusion
from indexer.records import Chunk, FileRow, Fingerprint, Query
from indexer.store.snapshot import Snapshot, Snapshots
from indexer.store.storage import make_store, usage
from indexer.store.tables import CHARS_COLUMN, FULL_TEXT_COLUMN, Embedded, Scale
from indexer.store.writer import Writer
from tests.support.rows import by_vector, vector_index

DIMENSION = 384
CHUNKS_PER_FILE = 50
WORDS = (60, 100)  # of a passage
QUERIES = 200
TOP = 10

FINGERPRINT = Fingerprint("generated", "0" * 64, DIMENSION, "", "", "generated", "generated")


class Corpus:
    """Endless passages: vectors of a mixture of clusters, words by Zipf's law.

    4,000 clusters of very different sizes in 64 topics; within a topic vectors vary in 25
    directions, and by a little noise in all. The 26 commonest words are stop words.
    """

    TOPICS, CLUSTERS, DIRECTIONS, VOCABULARY = 64, 4_000, 25, 150_000

    def __init__(self, seed: int) -> None:
        self.random = random = np.random.default_rng(seed)
        scale = np.sqrt(self.DIRECTIONS)
        self._bases = normal(random, self.TOPICS, self.DIRECTIONS, DIMENSION) / np.sqrt(DIMENSION)
        self._topic = random.integers(0, self.TOPICS, self.CLUSTERS)
        spread = normal(random, self.CLUSTERS, 1, self.DIRECTIONS) / scale
        middle = unit(normal(random, self.TOPICS, DIMENSION))[self._topic]
        self._centres = 0.8 * middle + (spread @ self._bases[self._topic])[:, 0]
        sizes = random.pareto(1.5, self.CLUSTERS) + 0.2
        self._share = sizes / sizes.sum()
        self._words = self._vocabulary()
        self._frequency = np.cumsum(1 / (np.arange(len(self._words)) + 2.7) ** 1.05)

    def _vocabulary(self) -> NDArray[np.str_]:
        heads = [*"bdfgklmnprstvz", "br", "st", "tr", "pl"]
        tails = [*"aeiou", "an", "er", "il", "on"]
        syllables = [head + tail for head in heads for tail in tails]
        made: set[str] = set()
        while len(made) < self.VOCABULARY:
            made.add("".join(self.random.choice(syllables, self.random.integers(2, 5))))
        stop = (
            "the of and a to in is that for it as with on be by this are or at from if no not but"
        )
        return np.array([*stop.split(), *self.random.permutation(sorted(made))])

    def vectors(self, count: int) -> NDArray[np.float32]:
        cluster = self.random.choice(self.CLUSTERS, count, p=self._share)
        within = normal(self.random, count, self.DIRECTIONS) * (0.9 / np.sqrt(self.DIRECTIONS))
        made = self._centres[cluster] + normal(self.random, count, DIMENSION) * (
            0.25 / np.sqrt(DIMENSION)
        )
        for topic in range(self.TOPICS):
            there = self._topic[cluster] == topic
            made[there] += within[there] @ self._bases[topic]
        return unit(made)

    def texts(self, count: int) -> list[str]:
        lengths = self.random.integers(*WORDS, count)
        drawn = self.random.random(int(lengths.sum())) * self._frequency[-1]
        words = self._words[np.searchsorted(self._frequency, drawn)].tolist()
        ends = np.cumsum(lengths)
        return [" ".join(words[e - n : e]) for e, n in zip(ends, lengths, strict=True)]

    def files(self, first: int, rows: int, writer: Writer) -> Iterator[Embedded]:
        """Files whose vectors are in the writer's cache, numbered from `first` on."""
        for number in range(first, first + rows // CHUNKS_PER_FILE):
            source = f"{number // 100:03}/document {number:05}.txt"
            keys = [(number * CHUNKS_PER_FILE + row).to_bytes(32) for row in range(CHUNKS_PER_FILE)]
            writer.vectors.put(keys, self.vectors(CHUNKS_PER_FILE))
            chunks = [
                Chunk(source, row, text, "", 9 * row + 1, 9 * row + 9)
                for row, text in enumerate(self.texts(CHUNKS_PER_FILE))
            ]
            yield Embedded(FileRow(source, "indexed", chunks=len(chunks), sha256=""), chunks, keys)


class Prepared:
    """The encoder of one query whose vector is at hand."""

    name = "generated"
    query_prefix = ""
    tokenizer = SimpleNamespace(get_vocab_size=lambda: 30_522)  # reads English

    def __init__(self, vector: NDArray[np.float32]) -> None:
        self._vector = vector

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        return np.stack([self._vector for _ in texts])


def normal(random: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    return random.standard_normal(shape, np.float32)


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / lengths).astype(np.float32)


def write(store: Path, count: int) -> dict[str, float]:
    """A store with the full-text index and no other, and queries beside it."""
    corpus = Corpus(1)
    make_store(store)
    with Writer(store, FINGERPRINT, ".", Scale(exact_rows=sys.maxsize)) as writer:
        for file in corpus.files(0, count, writer):
            writer.replace([file])
        written = time.monotonic()
        writer.commit(ignored=0, complete=True)
    figures = {"commit": time.monotonic() - written}
    picked = set(corpus.random.permutation(count)[:QUERIES].tolist())
    rows = [row for number, row in enumerate(all_rows(store)) if number in picked]
    vectors = np.array([vector for _, vector in rows])
    noise = normal(corpus.random, *vectors.shape) * (0.6 / np.sqrt(DIMENSION))
    texts = []
    for text, _ in rows:
        words, count = text.split(), int(corpus.random.integers(3, 9))
        texts.append(" ".join(corpus.random.choice(words, count, replace=False)))
    np.savez(store / "queries.npz", vectors=unit(vectors + noise), texts=np.array(texts))
    return figures


def all_rows(store: Path) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for batch in Snapshot(store)._chunks.batches([FULL_TEXT_COLUMN, CHARS_COLUMN, "vector"], 4_096):
        looked_up, chars = (batch.column(n).to_pylist() for n in (FULL_TEXT_COLUMN, CHARS_COLUMN))
        texts = [text[:count] for text, count in zip(looked_up, chars, strict=True)]
        yield from zip(texts, vectors_of(batch), strict=True)


def build(store: Path, count: int) -> dict[str, float]:
    """The indices that so many rows should have, in a store that lacks them."""
    with Writer(store, FINGERPRINT, ".") as writer:
        started = time.monotonic()
        writer.commit(ignored=0, complete=True)
        return {"commit": time.monotonic() - started}


def search(store: Path, count: int) -> dict[str, float]:
    """All of retrieval; recall against every vector compared."""
    made = np.load(store / "queries.npz")
    alone = Snapshots({"": (store, None)})
    snapshot = alone.parts[""]
    queries = list(zip(made["vectors"], made["texts"].tolist(), strict=True))
    if not vector_index(snapshot)[0]:
        queries = queries[: QUERIES // 4]  # the control is slow
    for vector, text in queries[:20]:
        fusion.search(alone, Prepared(vector), Query(text, TOP, 2))
    taken = []
    for vector, text in queries:
        started = time.monotonic()
        fusion.search(alone, Prepared(vector), Query(text, TOP, 2))
        taken.append(1_000 * (time.monotonic() - started))
    p50, p95 = np.percentile(taken, (50, 95))
    figures = {"p50": float(p50), "p95": float(p95), "memory": memory("VmHWM")}
    figures["disk"] = usage(store).bytes / 2**20
    figures["recall"] = recall(snapshot, made["vectors"])
    return figures


def recall(snapshot: Snapshot, queries: NDArray[np.float32]) -> float:
    """The share of the exact first ten of each query that the snapshot finds among its ten."""
    ids: list[str] = []
    scores, rows = np.empty((len(queries), 0), np.float32), np.empty((len(queries), 0), int)
    for batch in snapshot._chunks.batches(["id", "vector"], 4_096):
        found = queries @ vectors_of(batch).T
        scores = np.hstack([scores, found])
        rows = np.hstack([rows, np.broadcast_to(len(ids) + np.arange(len(batch)), found.shape)])
        ids += batch.column("id").to_pylist()
        best = np.argpartition(-scores, TOP - 1, axis=1)[:, :TOP]
        scores, rows = (np.take_along_axis(part, best, axis=1) for part in (scores, rows))
    exact = [{ids[row] for row in of_query} for of_query in rows]
    found_ids = [
        {found.chunk.id for found in by_vector(snapshot, q, Query("", 60))[:TOP]} for q in queries
    ]
    return float(np.mean([len(a & b) / TOP for a, b in zip(exact, found_ids, strict=True)]))


def vectors_of(batch: pa.RecordBatch) -> NDArray[np.float32]:
    return batch.column("vector").flatten().to_numpy().reshape(len(batch), -1)


def memory(name: str) -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{name}:")[1].split()[0]) / 1024


STEPS = {step.__name__: step for step in (write, build, search)}


def in_process(step: str, store: Path, rows: int) -> dict[str, float]:
    """The figures of a step that runs in a process of its own, and its memory."""
    command = [sys.executable, __file__, "--step", step, "--store", str(store)]
    command += ["--rows", str(rows)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure(rows: int, store: Path, *, short: bool) -> Iterator[tuple[str, ...]]:
    for name, step in (("every vector compared (control)", "write"), ("indexed", "build")):
        wrote = in_process(step, store, rows)
        if step == "build" or not short:
            found = in_process("search", store, rows)
            figures = [wrote["commit"], wrote["memory"]]
            figures += [found[key] for key in ("p50", "p95", "recall", "memory", "disk")]
            yield f"{rows:,}", name, *(f"{figure:,.2f}" for figure in figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=[100_000], type=lambda text: [*map(int, text.split(","))])
    parser.add_argument("--short", action="store_true", help="The indexed stage alone.")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        figures = STEPS[options.step](options.store, options.rows[0])
        print(json.dumps({"memory": memory("VmHWM"), **figures}))
        return
    header = ("written in, s", "writer, MB", "p50, ms", "p95", f"recall@{TOP}", "search, MB")
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as scratch:
            lines = list(measure(rows, Path(scratch) / "store", short=options.short))
        print_table(("rows", "stage", *header, "store, MB"), lines)


if __name__ == "__main__":
    main()
