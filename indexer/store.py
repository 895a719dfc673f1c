"""Chunk rows and file rows in LanceDB. The only module that imports lancedb.

Two tables and a manifest that names one version of each (see manifest.py). `Snapshot` reads a
committed version and never another; `Writer` holds the lock, writes new table versions that
nobody sees, and makes them visible with one commit. LanceDB's exceptions become CorpusErrors here.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexer.folder import translated
from indexer.lock import writer_lock
from indexer.manifest import (
    MANIFEST_NAME,
    Manifest,
    read_manifest,
    root_of,
    write_manifest,
)
from indexer.records import Chunk, Coverage, FileRow, Fingerprint

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.db import DBConnection
    from lancedb.table import Table

TABLES_FOLDER = "lance"
# Versions older than this are dropped at the end of a run; a reader that pinned one has had it
# for longer than any question takes.
KEEP_VERSIONS = timedelta(hours=1)
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


def _connect(store: Path) -> DBConnection:
    # Its notes about tables that it creates are not for our users; errors come as exceptions.
    os.environ.setdefault("LANCEDB_LOG", "error")
    import lancedb

    # An absolute path without "://" can never be taken for a cloud address.
    return lancedb.connect(str((store / TABLES_FOLDER).resolve()))


class Snapshot:
    """One committed version of an index, read-only; open as many as you like."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.manifest = read_manifest(store)
        with translated(store):
            database = _connect(store)
            self._chunks = database.open_table("chunks")
            self._chunks.checkout(self.manifest.chunks_version)
            self._files = database.open_table("files")
            self._files.checkout(self.manifest.files_version)

    @property
    def root(self) -> Path:
        """The absolute corpus root; need not exist."""
        return root_of(self.store, self.manifest)

    def by_vector(self, vector: NDArray[np.float32], limit: int, prefix: str = "") -> list[Found]:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        if not self.manifest.chunks:
            return []
        with translated(self.store):
            query = self._chunks.search(vector, vector_column_name="vector")
            query = query.distance_type("cosine").limit(limit)
            found = _prefixed(query, prefix).select([*_SELECTED, "_distance"]).to_arrow()
        return [_found(row, 1.0 - row["_distance"]) for row in found.to_pylist()]

    def by_text(self, query_text: str, limit: int, prefix: str = "") -> list[Found]:
        """The rows that share words with the query; the score is BM25, best first.

        The text is matched as words: nothing in it is query syntax.
        """
        from lancedb.query import MatchQuery

        if not self.manifest.chunks:  # then there is no full-text index either
            return []
        with translated(self.store):
            query = self._chunks.search(
                MatchQuery(query_text, FULL_TEXT_COLUMN), query_type="fts"
            ).limit(limit)
            found = _prefixed(query, prefix).select([*_SELECTED, "_score"]).to_arrow()
        return [_found(row, row["_score"]) for row in found.to_pylist()]

    def file(self, source: str) -> FileRow | None:
        """The row of one file, None where the walk never saw it."""
        with translated(self.store):
            rows = self._files.search().where(f"source = {quoted(source)}").limit(1).to_list()
        return _file_row(rows[0]) if rows else None

    def files(self) -> list[FileRow]:
        """All file rows, by source."""
        with translated(self.store):
            rows = self._files.to_arrow().to_pylist()
        return sorted((_file_row(row) for row in rows), key=lambda row: row.source)

    def chunk_rows(self) -> pa.Table:
        """All chunk rows with all columns, for checks and comparisons."""
        with translated(self.store):
            return self._chunks.to_arrow()

    def text_index_rows(self) -> tuple[int, int]:
        """How many chunk rows the full-text index covers, and how many it does not yet."""
        with translated(self.store):
            names = [index.name for index in self._chunks.list_indices()]
            stats = self._chunks.index_stats(names[0]) if names else None
        if stats is None:
            return 0, self.manifest.chunks
        return stats.num_indexed_rows, stats.num_unindexed_rows


_SELECTED = [*CHUNK_COLUMNS, "file_sha256", "vector"]


def _prefixed(query: Any, prefix: str) -> Any:  # noqa: ANN401 - LanceDB's builders share no base
    """Filter before the limit is applied, so that a filter never loses results."""
    return (
        query.where(f"starts_with(source, {quoted(prefix)})", prefilter=True) if prefix else query
    )


def _found(row: dict[str, Any], score: float) -> Found:
    chunk = Chunk(**{name: row[name] for name in CHUNK_COLUMNS})
    return Found(chunk, row["file_sha256"], np.asarray(row["vector"], np.float32), score)


def _file_row(row: dict[str, Any]) -> FileRow:
    return FileRow(**{name: row[name] for name in _FILE_COLUMNS})


_FILE_COLUMNS = tuple(field.name for field in fields(FileRow))


def _chunk_schema(dimension: int) -> pa.Schema:
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


def _file_schema() -> pa.Schema:
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


class Writer:
    """The one process that changes a store; a context manager that holds the lock.

    Changes are invisible until `commit`. Leaving without commit leaves the store as it was.
    `rebuilding` says that the committed rows were made by another model or chunker: the new rows
    go into new tables, and nothing should be committed before they are complete, so that rows of
    the two kinds are never mixed.
    """

    def __init__(self, store: Path, fingerprint: Fingerprint, root: str) -> None:
        self.store = store
        self._lock = writer_lock(store)
        self._fingerprint = fingerprint
        self._root = root
        self._manifest: Manifest | None = None
        self._files: dict[str, FileRow] = {}
        self.rebuilding = False

    def __enter__(self) -> Writer:
        with translated(self.store):
            self._lock.__enter__()
        try:
            self._open()
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._lock.__exit__(None, None, None)

    def _open(self) -> None:
        has_manifest = (self.store / MANIFEST_NAME).exists()
        self._manifest = read_manifest(self.store) if has_manifest else None
        with translated(self.store):
            if self._manifest and same_rows(self._manifest.fingerprint, self._fingerprint):
                self._resume(self._manifest)
            else:
                self.rebuilding = self._manifest is not None
                self._create_tables()

    def _create_tables(self) -> None:
        """Start from empty tables, in place of whatever an aborted first run left behind."""
        if self._manifest is None:
            shutil.rmtree(self.store / TABLES_FOLDER, ignore_errors=True)
        database = _connect(self.store)
        schema = _chunk_schema(self._fingerprint.dimension)
        self._chunk_table: Table = database.create_table("chunks", schema=schema, mode="overwrite")
        self._file_table: Table = database.create_table(
            "files", schema=_file_schema(), mode="overwrite"
        )

    def _resume(self, manifest: Manifest) -> None:
        """Open the committed versions, dropping what a killed writer left uncommitted."""
        database = _connect(self.store)
        self._chunk_table = database.open_table("chunks")
        self._file_table = database.open_table("files")
        for table, version in (
            (self._chunk_table, manifest.chunks_version),
            (self._file_table, manifest.files_version),
        ):
            if table.version != version:
                table.restore(version)
        rows = (_file_row(row) for row in self._file_table.to_arrow().to_pylist())
        self._files = {row.source: row for row in rows}

    @property
    def files(self) -> dict[str, FileRow]:
        """The committed file rows by source; do not change."""
        return self._files

    @property
    def manifest(self) -> Manifest | None:
        """The last committed manifest, None in a store that has none yet."""
        return self._manifest

    @property
    def known_extractors(self) -> dict[str, str]:
        """The extractors, name to version, under which the committed rows were made."""
        return self._manifest.fingerprint.extractors if self._manifest else {}

    def replace(self, files: Sequence[Embedded], removed: Sequence[str] = ()) -> None:
        """Put the rows of `files` in the place of their old ones, drop those of `removed`."""
        import pyarrow as pa

        gone = [file.row.source for file in files] + list(removed)
        old = {source: self._files[source] for source in gone if source in self._files}
        rows = [row for file in files for row in _chunk_rows(file)]
        with translated(self.store):
            _delete(self._chunk_table, [source for source, row in old.items() if row.chunks])
            _delete(self._file_table, list(old))
            if rows:
                schema = _chunk_schema(self._fingerprint.dimension)
                self._chunk_table.add(pa.Table.from_pylist(rows, schema=schema))
            self._add_rows([file.row for file in files])
        for source in gone:
            self._files.pop(source, None)
        self._files.update({file.row.source: file.row for file in files})

    def retime(self, rows: Sequence[FileRow]) -> None:
        """Put file rows in the place of those of the same sources; chunks stay as they are."""
        with translated(self.store):
            _delete(self._file_table, [row.source for row in rows])
            self._add_rows(rows)
        self._files.update({row.source: row for row in rows})

    def _add_rows(self, rows: Sequence[FileRow]) -> None:
        import pyarrow as pa

        if rows:
            records = [asdict(row) for row in rows]
            self._file_table.add(pa.Table.from_pylist(records, schema=_file_schema()))

    def commit(self, *, ignored: int, complete: bool) -> Manifest:
        """Make everything since the last commit visible, at once; the manifest that says so."""
        with translated(self.store):
            self._ensure_text_index()
            if complete:
                self._chunk_table.optimize()
                self._file_table.optimize()
            chunks = self._chunk_table.count_rows()
            manifest = Manifest(
                version=self._manifest.version + 1 if self._manifest else 1,
                root=self._root,
                fingerprint=self._fingerprint,
                chunks_version=self._chunk_table.version,
                files_version=self._file_table.version,
                chunks=chunks,
                coverage=coverage_of(self._files.values()),
                ignored=ignored,
                complete=complete,
                updated=datetime.now(UTC).isoformat(timespec="seconds"),
            )
            write_manifest(self.store, manifest)
            if complete:
                # Only now: until this moment the manifest named an older version.
                self._chunk_table.optimize(cleanup_older_than=KEEP_VERSIONS)
                self._file_table.optimize(cleanup_older_than=KEEP_VERSIONS)
        self._manifest = manifest
        return manifest

    def _ensure_text_index(self) -> None:
        """Build the full-text index after the first rows: built on none, it would find nothing."""
        from lancedb.index import FTS

        if self._chunk_table.list_indices() or not self._chunk_table.count_rows():
            return
        # icu: words of scripts without spaces, and identifiers such as foo_bar, stay whole.
        self._chunk_table.create_index(
            FULL_TEXT_COLUMN,
            config=FTS(base_tokenizer="icu", stem=True, remove_stop_words=True, ascii_folding=True),
        )


def _chunk_rows(file: Embedded) -> Iterator[dict[str, Any]]:
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


DELETE_BATCH = 500  # sources in one filter: a longer list of literals is slow to plan


def _delete(table: Table, sources: Sequence[str]) -> None:
    for start in range(0, len(sources), DELETE_BATCH):
        listed = ", ".join(quoted(source) for source in sources[start : start + DELETE_BATCH])
        table.delete(f"source IN ({listed})")


def coverage_of(rows: Any) -> Coverage:  # noqa: ANN401
    """How many of the rows have each status."""
    counts = dict.fromkeys(("indexed", "empty", "failed", "skipped"), 0)
    for row in rows:
        counts[row.status] += 1
    return Coverage(**counts)
