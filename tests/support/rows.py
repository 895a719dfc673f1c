"""The rows of a snapshot, what must hold of every store, and when two hold the same."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indexer.records import FileRow, Hit, Query
from indexer.store import tables
from indexer.store.snapshot import Snapshot


def by_vector(snapshot: Snapshot, vector: NDArray[np.float32], query: Query) -> list[Hit]:
    return [*snapshot.hits(snapshot.ranked(query, vector)).values()]


def by_text(snapshot: Snapshot, query: Query) -> list[Hit]:
    return [*snapshot.hits(snapshot.ranked(query)).values()]


def chunk_rows(snapshot: Snapshot) -> pa.Table:
    rows = snapshot._chunks.rows(tables.chunk_schema(snapshot.manifest.fingerprint.dimension).names)
    pairs = (rows[name].to_pylist() for name in (tables.FULL_TEXT_COLUMN, tables.CHARS_COLUMN))
    texts = [text[:chars] for text, chars in zip(*pairs, strict=True)]
    return rows.append_column("text", pa.array(texts, pa.string()))


def indexed(snapshot: Snapshot) -> dict[str, tuple[int, int]]:
    every = snapshot._chunks.indices()
    return {each.name: (each.num_indexed_rows, each.num_unindexed_rows) for each in every}


def vector_index(snapshot: Snapshot) -> tuple[int, int, int]:
    """Partitions of the vector index, and numbers of rows inside and outside it; 0 without one."""
    rows = indexed(snapshot)
    partitions = tables.trained_partitions(rows)
    return partitions, *rows.get(tables.VECTORS.format(partitions), (0, snapshot.manifest.chunks))


def table_of(store: Path, name: str) -> Any:
    """A table as others open it: with the whole of LanceDB."""
    return import_module("lancedb").connect(str(store / "lance")).open_table(name)


# A model computes a vector a little differently beside other texts; see docs/decisions/embed.md.
VECTOR_TOLERANCE = 1e-5


def check_store(store: Path) -> Snapshot:
    snapshot = Snapshot(store)
    files = {row.source: row for row in snapshot.rows()}
    chunks = chunk_rows(snapshot)
    ids = chunks["id"].to_pylist()
    assert len(set(ids)) == len(ids) == snapshot.manifest.chunks
    for column in ("source", "file_sha256"):
        assert None not in chunks[column].to_pylist()
    hashes = set(zip(chunks["source"].to_pylist(), chunks["file_sha256"].to_pylist(), strict=True))
    assert all(files[source].sha256 == sha256 for source, sha256 in hashes)
    assert Counter(chunks["source"].to_pylist()) == {
        row.source: row.chunks for row in files.values() if row.chunks
    }
    vectors = vectors_of(chunks)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)
    if ids:
        row = len(ids) // 2
        near = by_vector(snapshot, vectors[row], Query("", 50))
        assert ids[row] in {found.chunk.id for found in near}
        word = max(re.findall(r"\w+", chunks["text"][row].as_py()), key=len, default="")
        # Shorter ones may be words that carry no meaning, which are not looked for.
        assert len(word) < 6 or by_text(snapshot, Query(word, 5))
    assert sum(indexed(snapshot).get(tables.WORDS, ())) == len(ids)
    return snapshot


def check_same(one: Path, other: Path, without: Collection[str] = ()) -> None:
    """Fail unless two stores hold the same rows, vectors to VECTOR_TOLERANCE.

    Rows of the sources in `without` are not compared.
    """
    (left, left_files), (right, right_files) = (content(store, without) for store in (one, other))
    assert left_files == right_files
    assert left.drop_columns("vector").to_pylist() == right.drop_columns("vector").to_pylist()
    assert np.allclose(vectors_of(left), vectors_of(right), atol=VECTOR_TOLERANCE)


def content(store: Path, without: Collection[str] = ()) -> tuple[pa.Table, list[FileRow]]:
    snapshot = Snapshot(store)
    files = sorted(
        (replace(row, seconds=0.0) for row in snapshot.rows() if row.source not in without),
        key=lambda row: row.source,
    )
    chunks = chunk_rows(snapshot).sort_by("id")
    snapshot.close()
    others = [source not in without for source in chunks["source"].to_pylist()]
    return chunks.filter(pa.array(others, pa.bool_())), files


def vectors_of(chunks: pa.Table) -> np.ndarray:
    column = chunks["vector"].combine_chunks()
    values = column.values.to_numpy(zero_copy_only=False).astype(np.float32)
    return values.reshape(len(chunks), column.type.list_size)
