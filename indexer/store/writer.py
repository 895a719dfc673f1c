"""Write access to a store: one process, atomic commits."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexer.errors import DamagedStore, UsageError
from indexer.records import Coverage, FileRow, Fingerprint
from indexer.store import tables
from indexer.store.folder import (
    TABLES,
    files_below,
    flush,
    temp_within,
    translated,
    version_files,
    writer_lock,
)
from indexer.store.lance import Table, emptied_table, open_table, release_memory
from indexer.store.manifest import (
    DRAFT_NAME,
    FORMER,
    INDEXING_BYTES,
    MANIFEST_NAME,
    Manifest,
    check_contents,
    contents_of,
    held_versions,
    read_draft,
    read_manifest,
    write_draft,
    write_manifest,
)
from indexer.store.tables import KEY_COLUMN, Embedded, Kept, Scale, slack

WRITE_CHUNKS = 2_048  # written together: every write makes a fragment, and costs the same
UNIT_TOLERANCE = 1e-3  # how far from 1 the length of a vector may be
MAX_VERSIONS = 128  # of both tables, that may gather before they are dropped
# What LanceDB writes, whole or not; it deletes all else, and a file manager's own is no loss.
_OF_TABLES = re.compile(
    r".*\.(lance|arrow|bin|idx|txn|manifest|json)(#\d+)?|\.(tmp\w{6}|DS_Store|directory)|Thumbs\.db"
)


class Writer:
    """The one process that changes a store; a context manager that holds the lock.

    Changes are invisible until `commit`. Leaving without commit leaves the store as it was.
    `rebuilding` is set if the fingerprint makes other rows than the committed ones: new rows then
    go into new tables and are committed only when complete, so that the two kinds are never mixed.
    A draft records how far that is; the next writer goes on from it.
    """

    _chunks: Table
    _rows: Table  # of files

    def __init__(
        self,
        store: Path,
        fingerprint: Fingerprint,
        root: str,
        scale: Scale | None = None,
        *,
        mends: bool = False,
        whole_bytes: int = INDEXING_BYTES,
    ) -> None:
        """With `mends` a damaged store can be entered: `damage` says what is wrong with it, and
        `mend` must be called before anything else. `whole_bytes` is that of `check_contents`.
        """
        self.damage, self.rebuilding = "", False
        self.mounts: tuple[str, ...] = ()  # of the last walk; kept until it is set
        self.kept_out = 0  # likewise: how many files and folders ignore files exclude
        self.committed: dict[str, FileRow] = {}  # the rows of the committed version, of any model
        self.files: dict[str, FileRow] = {}  # with uncommitted changes, by source
        self.manifest: Manifest | None = None  # the last that was committed
        self.untidy = False  # there are files that belong to no version that counts
        self.store = store
        self.vectors = KnownVectors(store)
        self._mends, self._whole_bytes = mends, whole_bytes
        self._number = 0  # of the last committed version
        self._fingerprint = fingerprint
        self._root, self._scale = root, scale or Scale()
        # By source, what is to take the place of rows and of chunks in the tables; None: nothing.
        self._new_rows: dict[str, FileRow | None] = {}
        self._new_chunks: dict[str, Embedded | None] = {}
        self._in_tables: set[str] = set()  # sources that may have rows there

    def __enter__(self) -> Writer:
        with ExitStack() as held, translated(self.store):
            held.enter_context(writer_lock(self.store))
            for path in files_below(self.store / TABLES):
                if not _OF_TABLES.fullmatch(path.name):
                    raise UsageError(f"{str(path)!r} is no file of the index.", "Move it away.")
            for tags in (self.store / TABLES).glob("*.lance/_refs"):
                shutil.rmtree(tags)  # an archive may bring them, and LanceDB stumbles over some
            try:
                with translated(self.store):
                    self._open_committed()
            except DamagedStore as error:
                if not self._mends:
                    raise
                self.damage = error.message
            self._held = held.pop_all()  # opened: from here on, __exit__ gives the lock back
        return self

    def __exit__(self, *exception: object) -> None:
        self._held.close()

    def mend(self) -> None:
        """Drop the damaged index; all that is to be in it must be added again, as at first."""
        assert self.damage
        with translated(self.store):
            for path in self.store.glob(FORMER.format("*")):
                path.unlink()
            if (self.store / TABLES).exists():
                shutil.rmtree(self.store / TABLES)
            self.manifest, self.rebuilding, self.committed, self.files = None, False, {}, {}
            self._open_committed(anew=True)

    def _open_committed(self, *, anew: bool = False) -> None:
        """Go on from the committed version, or from a draft of the next one; from none, anew."""
        made, draft = None, None
        if not anew and (self.store / MANIFEST_NAME).exists():
            made = self.manifest = read_manifest(self.store)
            self._number = made.version
            former = [*self.store.glob(FORMER.format("*"))]
            released = len(held_versions(self.store)) < len(former)
            self.untidy = released or not made.contents  # a writer was killed as it tidied
            check_contents(self.store, made, self._whole_bytes)
            self.mounts, self.kept_out = made.mounts, made.coverage.kept_out
            self.rebuilding = not made.fingerprint.makes_same_rows(self._fingerprint)
            draft = self._draft() if self.rebuilding else None
        if draft is None:
            (self.store / DRAFT_NAME).unlink(missing_ok=True)
        # Without a manifest they are of a first run that was killed.
        self.untidy |= self.rebuilding or (made is None and (self.store / TABLES).exists())
        if begun := draft or made:
            self._chunks, self._rows, later = tables.opened_at(self.store, begun)
            self.untidy |= later
        if made is not None:
            rows = open_table(self.store, "files", made.files_version)
            self.committed = tables.file_rows_of(rows)
            self.files = still_right(self.committed.values(), made.fingerprint, self._fingerprint)
        if draft is not None:
            self.files = tables.file_rows_of(self._rows)
        self._in_tables = {*self.files}
        if made is None or (self.rebuilding and draft is None):
            self._empty_tables()
            self._new_rows |= self.files
        self._stand_at(draft)
        self._on_disk = files_below(self.store / TABLES)

    def _draft(self) -> Manifest | None:
        """How far a writer came with the next version of the index, under the same fingerprint."""
        draft, wanted = read_draft(self.store), (self._number + 1, self._fingerprint)
        return draft if draft and (draft.version, draft.fingerprint) == wanted else None

    def _stand_at(self, draft: Manifest | None = None) -> None:
        made = [one for one in (self.manifest, draft) if one is not None]
        alike = (one for one in made if one.fingerprint.embeds_alike(self._fingerprint))
        self.vectors.stand_at(one.chunks_version for one in alike)

    def _empty_tables(self) -> None:
        """Make versions without a row; older ones stay until they are dropped."""
        schema = tables.chunk_schema(self._fingerprint.dimension)
        self._chunks = emptied_table(self.store, "chunks", schema)
        self._rows = emptied_table(self.store, "files", tables.file_schema())

    @property
    def is_current(self) -> bool:
        """Whether the committed manifest is complete and a commit would not change it."""
        made = self.manifest
        if made is None or self.untidy:
            return False
        now = (True, self._root, self._fingerprint, self.mounts)
        return (made.complete, made.root, made.fingerprint, made.mounts) == now

    def replace(self, files: Sequence[Embedded], removed: Sequence[str] = ()) -> None:
        """Replace the rows of `files`, and delete those of `removed`."""
        self._new_chunks |= {**dict.fromkeys(removed), **{file.row.source: file for file in files}}
        self._new_rows |= dict.fromkeys(removed)
        for source in removed:
            self.files.pop(source, None)
        self.retime([file.row for file in files])
        if sum(len(file.chunks) for file in self._new_chunks.values() if file) >= WRITE_CHUNKS:
            self._write()

    def retime(self, rows: Sequence[FileRow]) -> None:
        """Replace file rows by source; chunks stay as they are."""
        self._new_rows |= {row.source: row for row in rows}
        self.files |= {row.source: row for row in rows}

    def _write(self) -> None:
        """Put what is new into the tables; safe to repeat after an interruption."""
        rows = [row for row in self._new_rows.values() if row is not None]
        files = [file for file in self._new_chunks.values() if file is not None and file.chunks]
        with translated(self.store):
            for table, new in ((self._chunks, self._new_chunks), (self._rows, self._new_rows)):
                table.renew()
                table.delete(self._in_tables.intersection(new))
            self._in_tables.update(self._new_rows)
            if rows:
                self._rows.add(tables.file_schema(), [tables.file_batch(rows)])
            if files:
                dimension = self._fingerprint.dimension
                batches = tables.chunk_batches(files, self.vectors.at_hand, dimension)
                self._chunks.add(tables.chunk_schema(dimension), batches)
        self._new_rows.clear()
        self._new_chunks.clear()

    def commit(
        self, *, ignored: int, complete: bool, walked_ns: int | None = None, anew: bool = False
    ) -> Manifest:
        """Commit all changes atomically; the new manifest.

        `walked_ns` is when the run's walk of the folder began, None: as before; see Manifest. With
        `anew` no file holds the content of deleted rows afterwards, but for versions that readers
        hold.
        """
        self._write()
        with translated(self.store), temp_within(self.store):
            if anew:
                schema = tables.chunk_schema(self._fingerprint.dimension)
                self._chunks = tables.rewritten(self.store, self._chunks, schema)
                self._rows = tables.rewritten(self.store, self._rows, tables.file_schema())
            rows = self._chunks.count_rows()
            many = len(version_files(self.store)) > slack(MAX_VERSIONS, rows)
            # The first run's commits are merged in a small table; a large one's index stays.
            begun = self.manifest is None or not self.manifest.complete
            small = begun and rows < self._scale.exact_rows
            due = anew or many or (complete and (self.untidy or small))
            merged = tables.tidy(self._chunks, due=due, finished=complete)
            tables.tidy(self._rows, due=merged, finished=complete)
            if tables.make_indices(self._chunks, rows, self._scale) and merged:
                # Else dropping versions would make one more, and the next run would merge again.
                self._chunks.merge()
            manifest = self._publish(ignored, complete, walked_ns, merged=merged)
        self._stand_at()
        release_memory()
        return manifest

    def save_draft(self) -> None:
        """Note how far an index is that is made anew: the next writer goes on from there."""
        assert self.rebuilding
        self._write()
        with translated(self.store):
            self._flush()
            draft = self._new_manifest(ignored=0, complete=False, walked_ns=None)
            write_draft(self.store, draft)
        self._stand_at(draft)

    def _flush(self) -> None:
        on_disk = files_below(self.store / TABLES)
        new = on_disk - self._on_disk
        flush(*new, *{path.parent for path in new})
        self._on_disk = on_disk

    def _publish(
        self, ignored: int, complete: bool, walked_ns: int | None, *, merged: bool
    ) -> Manifest:
        """Sync the tables to disk, then write the manifest that names them.

        Of merged tables the versions go that nobody reads. Until they are gone the manifest lists
        no files, so that no reader misses one that was only theirs.
        """
        self._flush()
        known = self.manifest.contents if self.manifest is not None else {}
        manifest = self._new_manifest(ignored, complete, walked_ns)
        if merged:
            write_manifest(self.store, manifest)
            held = held_versions(self.store)
            tables.drop_versions(self.store, self._chunks, [chunks for chunks, _ in held])
            tables.drop_versions(self.store, self._rows, [files for _, files in held])
            self.untidy = False
        manifest = replace(manifest, contents=contents_of(self.store, manifest, known))
        write_manifest(self.store, manifest)
        (self.store / DRAFT_NAME).unlink(missing_ok=True)
        self.manifest, self._number, self.rebuilding = manifest, manifest.version, False
        return manifest

    def _new_manifest(self, ignored: int, complete: bool, walked_ns: int | None) -> Manifest:
        before, rows = self.manifest, list(self.files.values())
        if walked_ns is None or not (complete or before is None):
            walked_ns = before.walked_ns if before is not None else 0
        return Manifest(
            version=self._number + 1,
            root=self._root,
            fingerprint=self._fingerprint,
            chunks_version=self._chunks.version,
            files_version=self._rows.version,
            chunks=self._chunks.count_rows(),
            coverage=replace(Coverage.of(rows), kept_out=self.kept_out),
            ignored=ignored,
            complete=complete,
            updated=datetime.now(UTC).isoformat(timespec="seconds"),
            walked_ns=walked_ns,
            contents={},
            mounts=self.mounts,
            waiting_pages=sum(row.waiting for row in rows if not row.is_picture),
            waiting_pictures=sum(row.waiting for row in rows if row.is_picture),
            languages=tables.languages_of(self._chunks),
        )


def still_right(
    rows: Iterable[FileRow], made_by: Fingerprint, today: Fingerprint
) -> dict[str, FileRow]:
    """The file rows that a change leaves: all or, with the same normaliser, those without text."""
    same = made_by.makes_same_rows(today)
    same_text = made_by.normaliser == today.normaliser
    return {row.source: row for row in rows if same or (same_text and not row.is_document)}


class KnownVectors:
    """The vectors of texts by their keys: float16, (dimension,), of length 1, all of one model.

    Those of rows that wait for their commit, and what was found, are at hand; others are in the
    rows that were committed.
    """

    def __init__(self, store: Path) -> None:
        self.at_hand: dict[bytes, Kept] = {}
        self._store = store
        self._versions: list[int] = []
        self._tables: list[Table] = []

    def stand_at(self, versions: Iterable[int]) -> None:
        """Look in these versions of the chunks, which have the rows of all that was at hand."""
        self.at_hand.clear()
        self._versions, self._tables = [*versions], []

    def find(self, keys: Iterable[bytes]) -> None:
        """Read the vectors of keys that are not at hand from the committed rows, if sound."""
        missing = [f"X'{key.hex()}'" for key in dict.fromkeys(keys) if key not in self.at_hand]
        if not missing:
            return
        where = f"{KEY_COLUMN} IN ({', '.join(missing)})"
        self._tables = self._tables or [
            open_table(self._store, "chunks", version) for version in self._versions
        ]
        for table in self._tables:
            for row in table.rows([KEY_COLUMN, "vector"], where).to_pylist():
                if abs(np.linalg.norm(row["vector"]) - 1.0) < UNIT_TOLERANCE:
                    self.at_hand[row[KEY_COLUMN]] = np.array(row["vector"], np.float16)

    def put(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors, (len(keys), dimension), rounded to float16, until their rows are there."""
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=UNIT_TOLERANCE)
        self.at_hand.update(zip(keys, vectors.astype(np.float16), strict=True))
