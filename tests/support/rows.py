"""The rows of a snapshot, as tests look at them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indexer.records import Hit, Query
from indexer.store.rows import CHARS_COLUMN, CHUNK_COLUMNS, FULL_TEXT_COLUMN
from indexer.store.snapshot import Snapshot
from indexer.store.upkeep import VECTORS, trained_partitions

BATCH_ROWS = 4_096


def by_vector(snapshot: Snapshot, vector: NDArray[np.float32], query: Query) -> list[Hit]:
    """The hits nearest to a unit vector."""
    return snapshot.hits(snapshot.nearest(vector, query))


def by_text(snapshot: Snapshot, query: Query) -> list[Hit]:
    """The hits that share words with the query."""
    return snapshot.hits(snapshot.worded(query))


def chunk_rows(snapshot: Snapshot) -> pa.Table:
    """All chunk rows with all columns and their texts."""
    rows = snapshot._chunks.to_arrow()
    pairs = (rows[name].to_pylist() for name in (FULL_TEXT_COLUMN, CHARS_COLUMN))
    texts = [text[:chars] for text, chars in zip(*pairs, strict=True)]
    return rows.append_column("text", pa.array(texts, pa.string()))


def batches(snapshot: Snapshot) -> Iterator[pa.RecordBatch]:
    """All chunk rows in batches: key, chunk and vector."""
    rows = snapshot._chunks.search().select(["id", *CHUNK_COLUMNS, "vector"])
    yield from rows.to_batches(BATCH_ROWS)


def vector_index(snapshot: Snapshot) -> tuple[int, int, int]:
    """Partitions of the vector index, and numbers of rows inside and outside it; 0 without one."""
    rows = {
        each.name: (each.num_indexed_rows, each.num_unindexed_rows)
        for each in snapshot._chunks.list_indices()
    }
    partitions = trained_partitions(rows)
    return partitions, *rows.get(VECTORS.format(partitions), (0, snapshot.manifest.chunks))
