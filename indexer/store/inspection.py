"""Statistics from one pass over all rows of an index; draws no conclusions."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from indexer.records import Chunk, FileRow
from indexer.store.rows import chunk_of
from indexer.store.snapshot import Snapshot
from indexer.store.upkeep import few_unindexed

SAMPLES = 5  # chunks, drawn by their keys
LENGTH_TOLERANCE = 1e-3  # of a vector, whose length is 1


@dataclass(slots=True)
class Inspection:
    """Statistics of an index.

    `chunks` counts the chunk rows of each source, `ids` all of them and `distinct_ids` their
    different keys; `off_length` are vectors that are not of length 1. `samples` are the same from
    run to run: chunks with their vectors, float32 of shape (dimension,). `in_manifest` is the
    number of chunks that the manifest names. Of the index of words and that of vectors, how many
    rows they cover and how many wait, of which `few_waiting` are not worth the work; `partitions`
    is 0 where there is no index of vectors.
    """

    files: list[FileRow] = field(default_factory=list)
    chunks: Counter[str] = field(default_factory=Counter)
    ids: int = 0
    distinct_ids: int = 0
    off_length: int = 0
    samples: list[tuple[Chunk, NDArray[np.float32]]] = field(default_factory=list)
    in_manifest: int = 0
    words_covered: int = 0
    words_waiting: int = 0
    few_waiting: int = 0
    partitions: int = 0
    vectors_covered: int = 0
    vectors_waiting: int = 0


def inspect(snapshot: Snapshot) -> Inspection:
    """Statistics from one pass over the rows of a version, in batches."""
    found = Inspection(files=snapshot.files(), in_manifest=snapshot.manifest.chunks)
    found.words_covered, found.words_waiting = snapshot.text_index_rows()
    found.few_waiting = few_unindexed(found.in_manifest)
    found.partitions, found.vectors_covered, found.vectors_waiting = snapshot.vector_index()
    seen: set[str] = set()
    for batch in snapshot.batches():
        values = batch.column("vector").flatten().to_numpy().astype(np.float32)
        vectors = values.reshape(len(batch), -1)
        off = np.abs(np.linalg.norm(vectors, axis=1) - 1.0)
        found.off_length += int((~(off <= LENGTH_TOLERANCE)).sum())  # so that NaN counts
        ids = batch.column("id").to_pylist()
        found.ids += len(ids)
        seen.update(ids)
        found.chunks.update(batch.column("source").to_pylist())
        drawn = nsmallest(SAMPLES, range(len(ids)), key=lambda row: _lot(ids[row]))
        samples = [(chunk_of(batch.slice(row, 1).to_pylist()[0]), vectors[row]) for row in drawn]
        found.samples = nsmallest(
            SAMPLES, [*found.samples, *samples], key=lambda sample: _lot(sample[0].id)
        )
    found.distinct_ids = len(seen)
    return found


def _lot(key: str) -> bytes:
    """A hash to sort by: an order independent of the row order."""
    return hashlib.sha256(key.encode()).digest()
