"""The two LanceDB tables of a store, as their one writer changes them.

Every method creates new table versions, which stay invisible to readers until a manifest names
them. Called by the writer, under its lock.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.records import FileRow
from indexer.store import upkeep
from indexer.store.folder import TABLES, version_file, version_files
from indexer.store.manifest import Manifest, read_draft
from indexer.store.ranking import quoted
from indexer.store.rows import (
    Embedded,
    chunk_batches,
    chunk_schema,
    connect,
    file_row,
    file_schema,
)
from indexer.store.vectors import KnownVectors

if TYPE_CHECKING:
    from lancedb.table import Table

READ_ROWS = 4_096  # of a table that is written anew, at a time
KEYS_AT_ONCE = 65_536  # of a column that is read alone
DELETE_BATCH = 500  # sources in one filter: a longer list of literals is slow to plan


class Tables:
    """The newest versions of both tables, open for writing; vectors are of `dimension`."""

    def __init__(self, store: Path, chunks: Table, files: Table, dimension: int) -> None:
        self._store = store
        self._chunks = chunks
        self._files = files
        self._dimension = dimension

    @classmethod
    def emptied(cls, store: Path, dimension: int) -> Tables:
        """Tables whose newest version is empty; older versions stay until they are dropped."""
        _drop_tags(store)
        database = connect(store)
        schema = chunk_schema(dimension)
        chunks = database.create_table("chunks", schema=schema, mode="overwrite")
        files = database.create_table("files", schema=file_schema(), mode="overwrite")
        return cls(store, chunks, files, dimension)

    @classmethod
    def committed(cls, store: Path, manifest: Manifest) -> tuple[Tables, bool]:
        """Tables at their committed versions, and whether a killed writer left later ones."""
        _drop_tags(store)
        changed = _drop_newer(store, manifest)
        database = connect(store)
        chunks, files = database.open_table("chunks"), database.open_table("files")
        for table, version in (
            (chunks, manifest.chunks_version),
            (files, manifest.files_version),
        ):
            if table.version != version:
                table.restore(version)
                changed = True
        return cls(store, chunks, files, manifest.fingerprint.dimension), changed

    @property
    def versions(self) -> tuple[int, int]:
        """The newest versions, of chunks and of files."""
        return self._chunks.version, self._files.version

    def count_chunks(self) -> int:
        """How many chunk rows there are."""
        return int(self._chunks.count_rows())

    def file_rows(self) -> list[FileRow]:
        """All file rows, in no order."""
        return [file_row(row) for row in self._files.to_arrow().to_pylist()]

    def languages(self) -> dict[str, int]:
        """The number of chunk rows in each language, by code."""
        counted: Counter[str] = Counter()
        for batch in self._chunks.search().select(["language"]).to_batches(KEYS_AT_ONCE):
            for row in batch.column("language").value_counts().to_pylist():
                counted[str(row["values"])] += int(row["counts"])
        return dict(counted)

    def replace(
        self, gone: Collection[FileRow], files: Sequence[Embedded], vectors: KnownVectors
    ) -> None:
        """Delete the rows of `gone` and insert those of `files`."""
        import pyarrow as pa

        _delete(self._chunks, [row.source for row in gone if row.chunks])
        self.replace_file_rows([row.source for row in gone], [file.row for file in files])
        if any(file.chunks for file in files):
            batches = chunk_batches(files, vectors, self._dimension)
            schema = chunk_schema(self._dimension)
            self._chunks.add(pa.RecordBatchReader.from_batches(schema, batches))

    def replace_file_rows(self, sources: Sequence[str], rows: Sequence[FileRow]) -> None:
        """Replace the file rows of `sources` by `rows`; chunks stay as they are."""
        import pyarrow as pa

        _delete(self._files, sources)
        if rows:
            names = file_schema().names
            records = [{name: getattr(row, name) for name in names} for row in rows]
            self._files.add(pa.Table.from_pylist(records, schema=file_schema()))

    def index(self, scale: upkeep.Scale) -> bool:
        """Create and drop indices as the number of chunk rows requires; whether any was.

        New ones cover all rows.
        """
        names = [index.name for index in self._chunks.list_indices()]
        changes = upkeep.plan_indices(self.count_chunks(), names, scale)
        upkeep.change(self._chunks, changes)
        return changes != upkeep.Changes()

    def merge(self, *, only_if_due: bool, finished: bool = True) -> bool:
        """Merge fragments and index rows, all or as is due; whether all were merged.

        The state of the file table, which is small, never triggers a merge of the chunks.
        """
        chunks, files = (
            upkeep.plan_tidying(upkeep.state_of(table), finished=finished)
            for table in (self._chunks, self._files)
        )
        everything = not only_if_due or chunks == "merge"
        if everything or files == "merge":
            upkeep.merge(self._files)
        if everything:
            upkeep.merge(self._chunks)
        elif chunks == "cover":
            self._chunks.optimize()
        return everything

    def rewrite(self) -> None:
        """Rewrite both tables without indices, so that no file contains deleted rows.

        LanceDB only marks rows as deleted until there are many, and a full-text index keeps the
        words of deleted rows.
        """
        database = connect(self._store)
        schemas = chunk_schema(self._dimension), file_schema()
        self._chunks, self._files = (
            database.create_table(
                table.name, table.search().to_batches(READ_ROWS), schema=schema, mode="overwrite"
            )
            for table, schema in zip((self._chunks, self._files), schemas, strict=True)
        )

    def drop_versions(self, kept: Iterable[tuple[int, int]]) -> None:
        """Delete all versions but the newest and `kept`, of chunks and files; for merged tables."""
        versions = [*kept]
        upkeep.drop_versions(self._store, self._chunks, [chunks for chunks, _ in versions])
        upkeep.drop_versions(self._store, self._files, [files for _, files in versions])


def _delete(table: Table, sources: Sequence[str]) -> None:
    for start in range(0, len(sources), DELETE_BATCH):
        listed = ", ".join(quoted(source) for source in sources[start : start + DELETE_BATCH])
        table.delete(f"source IN ({listed})")


def _drop_tags(store: Path) -> None:
    """Delete all tags, which an earlier release or an archive left: LanceDB stumbles over some."""
    for name in ("chunks", "files"):
        refs = store / TABLES / f"{name}.lance" / "_refs"
        if refs.exists():
            shutil.rmtree(refs)


def chunks_at(store: Path, version: int) -> Table:
    """The chunk table at a version."""
    table = connect(store).open_table("chunks")
    table.checkout(version)
    return table


def _drop_newer(store: Path, current: Manifest) -> bool:
    """Delete the table versions that are newer than the committed ones and no draft's; whether any.

    A killed writer leaves such, and an archive may bring them. LanceDB takes the first name for the
    newest version, and goes on from its rows if the number in it is the committed one. For the
    writer, before it opens a table.
    """
    dropped = False
    draft = read_draft(store)
    for name in ("chunks", "files"):
        numbers = (getattr(one, f"{name}_version") for one in (current, draft) if one is not None)
        own = [version_file(store, name, number) for number in numbers]
        for path in version_files(store, name):
            if path not in own and path < own[0]:
                path.unlink()
                dropped = True
    return dropped
