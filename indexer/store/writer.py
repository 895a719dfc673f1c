"""Writing: the one process that changes a store, in commits that are seen whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.folder import translated
from indexer.lock import writer_lock
from indexer.manifest import MANIFEST_NAME, Manifest, read_manifest, write_manifest
from indexer.records import FileRow, Fingerprint
from indexer.store.rows import (
    FULL_TEXT_COLUMN,
    TABLES_FOLDER,
    Embedded,
    chunk_rows,
    chunk_schema,
    connect,
    coverage_of,
    file_row,
    file_schema,
    quoted,
    same_rows,
)

if TYPE_CHECKING:
    from lancedb.table import Table

# Versions older than this are dropped at the end of a run; a reader that pinned one has had it
# for longer than any question takes.
KEEP_VERSIONS = timedelta(hours=1)
DELETE_BATCH = 500  # sources in one filter: a longer list of literals is slow to plan


class Writer:
    """The one process that changes a store; a context manager that holds the lock.

    Changes are invisible until `commit`. Leaving without commit leaves the store as it was.
    `rebuilding` says that the committed rows were made by another model or chunker: the new rows
    go into new tables, and nothing should be committed before they are complete, so that rows of
    the two kinds are never mixed.
    """

    def __init__(self, store: Path, fingerprint: Fingerprint, root: str) -> None:
        self.store = store
        self._fingerprint = fingerprint
        self._root = root
        self._manifest: Manifest | None = None
        self._files: dict[str, FileRow] = {}
        self.rebuilding = False

    def __enter__(self) -> Writer:
        with ExitStack() as held:
            with translated(self.store):
                held.enter_context(writer_lock(self.store))
            self._open()
            self._held = held.pop_all()  # opened: from here on, __exit__ gives the lock back
        return self

    def __exit__(self, *exception: object) -> None:
        self._held.close()

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
        database = connect(self.store)
        schema = chunk_schema(self._fingerprint.dimension)
        self._chunk_table: Table = database.create_table("chunks", schema=schema, mode="overwrite")
        self._file_table: Table = database.create_table(
            "files", schema=file_schema(), mode="overwrite"
        )

    def _resume(self, manifest: Manifest) -> None:
        """Open the committed versions, dropping what a killed writer left uncommitted."""
        database = connect(self.store)
        self._chunk_table = database.open_table("chunks")
        self._file_table = database.open_table("files")
        for table, version in (
            (self._chunk_table, manifest.chunks_version),
            (self._file_table, manifest.files_version),
        ):
            if table.version != version:
                table.restore(version)
        rows = (file_row(row) for row in self._file_table.to_arrow().to_pylist())
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
        rows = [row for file in files for row in chunk_rows(file)]
        with translated(self.store):
            _delete(self._chunk_table, [source for source, row in old.items() if row.chunks])
            _delete(self._file_table, list(old))
            if rows:
                schema = chunk_schema(self._fingerprint.dimension)
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
            self._file_table.add(pa.Table.from_pylist(records, schema=file_schema()))

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


def _delete(table: Table, sources: Sequence[str]) -> None:
    for start in range(0, len(sources), DELETE_BATCH):
        listed = ", ".join(quoted(source) for source in sources[start : start + DELETE_BATCH])
        table.delete(f"source IN ({listed})")
