"""Table rows: schemas, conversions, the database connection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.chunk import context_of
from indexer.embed.languages import fragments
from indexer.records import STATUSES, Chunk, Coverage, FileRow, Fingerprint, is_other
from indexer.store.folder import TABLES
from indexer.store.lance import Database
from indexer.store.vectors import KEY_BYTES, KEY_COLUMN, Kept, KnownVectors

if TYPE_CHECKING:
    import pyarrow as pa

_OF_CHUNK = (
    *("source", "ordinal", "heading", "line_start", "line_end", "page_start", "page_end"),
    "language",
)
FULL_TEXT_COLUMN = "lexical"
CHARS_COLUMN = "chars"  # of the passage, which stands in front of all else that is looked up
CHUNK_COLUMNS = (*_OF_CHUNK, CHARS_COLUMN, FULL_TEXT_COLUMN)  # what a chunk is made of again
BATCH_ROWS = 512  # turned into Arrow's form together


@dataclass(frozen=True, slots=True)
class Embedded:
    """A file ready to be stored: its row, its chunks, and the key of each chunk's vector."""

    row: FileRow
    chunks: Sequence[Chunk] = ()
    keys: Sequence[bytes] = ()


def connect(store: Path) -> Database:
    """The LanceDB database in a store."""
    return Database(store / TABLES)


def quoted(value: str) -> str:
    """`value` as an SQL string literal. The one place where text enters a condition."""
    return "'" + value.replace("'", "''") + "'"


def file_row(row: dict[str, Any]) -> FileRow:
    """The record of one row of the file table."""
    return FileRow(**{name: row[name] for name in FILE_COLUMNS})


FILE_COLUMNS = [field.name for field in fields(FileRow)]


def chunk_schema(dimension: int) -> pa.Schema:
    """The columns of the chunk table, for vectors of `dimension`."""
    import pyarrow as pa

    text, number = pa.string(), pa.int32()
    return pa.schema(
        [
            ("id", text),
            ("source", text),
            ("ordinal", number),
            ("heading", text),
            ("line_start", number),
            ("line_end", number),
            ("page_start", number),
            ("page_end", number),
            ("language", text),
            (CHARS_COLUMN, number),
            (FULL_TEXT_COLUMN, text),
            ("file_sha256", text),
            (KEY_COLUMN, pa.binary(KEY_BYTES)),
            ("vector", pa.list_(pa.float16(), dimension)),
        ]
    )


def file_schema() -> pa.Schema:
    """The columns of the file table: the fields of FileRow."""
    import pyarrow as pa

    kinds = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "Status": pa.string()}
    return pa.schema(
        [(field.name, kinds[str(field.type).split(" |")[0]]) for field in fields(FileRow)]
    )


def file_batch(rows: Sequence[FileRow]) -> pa.RecordBatch:
    """File rows as a batch."""
    import pyarrow as pa

    schema = file_schema()
    arrays = [pa.array([getattr(row, each.name) for row in rows], each.type) for each in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def chunk_batches(
    files: Iterable[Embedded], vectors: KnownVectors, dimension: int
) -> Iterator[pa.RecordBatch]:
    """The chunk rows of files, in batches."""
    import pyarrow as pa

    schema = chunk_schema(dimension)
    rows = (
        (chunk, key, file.row.sha256)
        for file in files
        for chunk, key in zip(file.chunks, file.keys, strict=True)
    )
    while some := list(islice(rows, BATCH_ROWS)):
        chunks, keys, hashes = zip(*some, strict=True)
        columns: dict[str, Any] = {
            name: [getattr(chunk, name) for chunk in chunks] for name in _OF_CHUNK
        }
        columns[CHARS_COLUMN] = [len(chunk.text) for chunk in chunks]
        columns["id"] = [chunk.id for chunk in chunks]
        columns[FULL_TEXT_COLUMN] = [lexical_text(chunk) for chunk in chunks]
        columns["file_sha256"], columns[KEY_COLUMN] = hashes, keys
        arrays = [
            pa.array(columns[field.name], field.type) for field in schema if field.name != "vector"
        ]
        values = pa.array(np.concatenate([_vector(vectors, key) for key in keys]))
        arrays.append(pa.FixedSizeListArray.from_arrays(values, dimension))
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _vector(vectors: KnownVectors, key: bytes) -> Kept:
    vector = vectors.get(key)
    assert vector is not None, "a row is stored only after its vector"
    return vector


def chunk_of(row: Mapping[str, Any]) -> Chunk:
    """The chunk of a row with CHUNK_COLUMNS."""
    text = (row[FULL_TEXT_COLUMN] or "")[: row[CHARS_COLUMN]]
    return Chunk(text=text, **{name: row[name] for name in _OF_CHUNK})


def lexical_text(chunk: Chunk) -> str:
    """The text of a chunk for the full-text index: text, path, headings, and fragments of them.

    Fragments only where it is in another language than English, which the index stems. Names joined
    by underscores are one word to the index (UAX 29): they are taken apart.
    """
    folders = chunk.source.rsplit("/", 1)[0].replace("/", " ") if "/" in chunk.source else ""
    context = f"{folders} {context_of(chunk.source, chunk.heading)}".replace("_", " ")
    text = f"{chunk.text}\n{context}"
    return f"{text}\n{fragments(text)}" if is_other(chunk.language) else text


def same_rows(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether rows made under the two fingerprints may be mixed in one table.

    Extractors are ignored, since each file row names its own and sync re-reads files one by one;
    so is the query prefix, which no row contains.
    """
    return _of_rows(one) == _of_rows(other)


def _of_rows(fingerprint: Fingerprint) -> Fingerprint:
    return replace(fingerprint, extractors={}, query_prefix="")


def still_right(
    rows: Iterable[FileRow], made_by: Fingerprint, today: Fingerprint
) -> dict[str, FileRow]:
    """The file rows, by source, that a change of the fingerprint leaves as they are.

    All rows if nothing that they depend on has changed. Otherwise the rows of files without text,
    which depend on neither model nor chunker, unless the normaliser changed.
    """
    same = same_rows(made_by, today)
    same_text = made_by.normaliser == today.normaliser
    return {row.source: row for row in rows if same or (same_text and not row.is_document)}


def is_picture(row: FileRow) -> bool:
    """Whether the file is a picture rather than a document with pages."""
    return (row.extractor or "").startswith("image/")


def coverage_of(rows: Iterable[FileRow]) -> Coverage:
    """How many of the rows have each status."""
    counts, blank = dict.fromkeys(STATUSES, 0), 0
    for row in rows:
        counts[row.status] += 1
        blank += row.is_blank
    return Coverage(**counts, blank=blank)
