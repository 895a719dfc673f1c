"""The rows of a snapshot, as tests look at them."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indexer.records import Hit, Query
from indexer.store import tables
from indexer.store.snapshot import Snapshot


def by_vector(snapshot: Snapshot, vector: NDArray[np.float32], query: Query) -> list[Hit]:
    return snapshot.hits(snapshot.ranked(query, vector))


def by_text(snapshot: Snapshot, query: Query) -> list[Hit]:
    return snapshot.hits(snapshot.ranked(query))


def chunk_rows(snapshot: Snapshot) -> pa.Table:
    rows = snapshot._chunks.rows(tables.chunk_schema(snapshot.manifest.fingerprint.dimension).names)
    pairs = (rows[name].to_pylist() for name in (tables.FULL_TEXT_COLUMN, tables.CHARS_COLUMN))
    texts = [text[:chars] for text, chars in zip(*pairs, strict=True)]
    return rows.append_column("text", pa.array(texts, pa.string()))


def vector_index(snapshot: Snapshot) -> tuple[int, int, int]:
    """Partitions of the vector index, and numbers of rows inside and outside it; 0 without one."""
    rows = {
        each.name: (each.num_indexed_rows, each.num_unindexed_rows)
        for each in snapshot._chunks.indices()
    }
    partitions = tables.trained_partitions(rows)
    return partitions, *rows.get(tables.VECTORS.format(partitions), (0, snapshot.manifest.chunks))


def table_of(store: Path, name: str) -> Any:
    """A table as others open it: with the whole of LanceDB."""
    return import_module("lancedb").connect(str(store / "lance")).open_table(name)
