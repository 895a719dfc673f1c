"""Rows and what they are made from: schemas, conversions, literals, the connection.

The one place where text enters an SQL filter is `quoted`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexer.records import Chunk, Coverage, FileRow, Fingerprint
from indexer.store.lance import import_lancedb

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.db import DBConnection

TABLES_FOLDER = "lance"
CHUNK_COLUMNS = (
    "source",
    "ordinal",
    "text",
    "heading",
    "line_start",
    "line_end",
    "page_start",
    "page_end",
)
FULL_TEXT_COLUMN = "lexical"


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk row that matched a query: the row, its vector and its raw score."""

    chunk: Chunk
    file_sha256: str
    vector: NDArray[np.float32]
    score: float


@dataclass(frozen=True, slots=True)
class Embedded:
    """A file ready to be stored: its row, its chunks and their vectors, float32 (n, dim).

    `lexical` holds, for each chunk, the text that the full-text index sees.
    """

    row: FileRow
    chunks: Sequence[Chunk] = ()
    vectors: NDArray[np.float32] | None = None
    lexical: Sequence[str] = ()


def quoted(value: str) -> str:
    """`value` as an SQL string literal. The one place where text enters a filter."""
    return "'" + value.replace("'", "''") + "'"


def connect(store: Path) -> DBConnection:
    """The LanceDB database in a store."""
    # Its notes about tables that it creates are not for our users; errors come as exceptions.
    os.environ.setdefault("LANCEDB_LOG", "error")
    lancedb = import_lancedb()
    # An absolute path without "://" can never be taken for a cloud address.
    database: DBConnection = lancedb.connect(str((store / TABLES_FOLDER).resolve()))
    return database


def file_row(row: dict[str, Any]) -> FileRow:
    """The record of one row of the file table."""
    return FileRow(**{name: row[name] for name in _FILE_COLUMNS})


_FILE_COLUMNS = tuple(field.name for field in fields(FileRow))


def chunk_schema(dimension: int) -> pa.Schema:
    """The columns of the chunk table, for vectors of `dimension`."""
    import pyarrow as pa

    text, number = pa.string(), pa.int32()
    return pa.schema(
        [
            ("id", text),
            ("source", text),
            ("ordinal", number),
            ("text", text),
            ("heading", text),
            ("line_start", number),
            ("line_end", number),
            ("page_start", number),
            ("page_end", number),
            (FULL_TEXT_COLUMN, text),
            ("file_sha256", text),
            ("vector", pa.list_(pa.float32(), dimension)),
        ]
    )


def file_schema() -> pa.Schema:
    """The columns of the file table: the fields of FileRow."""
    import pyarrow as pa

    kinds = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "Status": pa.string()}
    return pa.schema(
        [(field.name, kinds[str(field.type).split(" |")[0]]) for field in fields(FileRow)]
    )


def same_rows(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether rows made under the two fingerprints may stand in one table.

    Extractors are left out: a file's row names its own, so sync can redo files one by one.
    """
    return replace(one, extractors={}) == replace(other, extractors={})


def chunk_rows(file: Embedded) -> Iterator[dict[str, Any]]:
    """The rows that a file brings into the chunk table."""
    if file.vectors is None:
        return
    assert len(file.chunks) == len(file.vectors) == len(file.lexical)
    for chunk, vector, lexical in zip(file.chunks, file.vectors, file.lexical, strict=True):
        yield {
            **{name: getattr(chunk, name) for name in CHUNK_COLUMNS},
            "id": chunk.id,
            FULL_TEXT_COLUMN: lexical,
            "file_sha256": file.row.sha256,
            "vector": vector,
        }


def coverage_of(rows: Iterable[FileRow]) -> Coverage:
    """How many of the rows have each status."""
    counts = dict.fromkeys(("indexed", "empty", "failed", "skipped"), 0)
    for row in rows:
        counts[row.status] += 1
    return Coverage(**counts)
