"""Removes a document from the index; its file stays.

The folder and its ignore files alone decide what belongs to a corpus: a forgotten document comes
back with the next run unless an ignore rule excludes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from indexer.errors import CorpusError
from indexer.files.ignore import IGNORE_FILES
from indexer.files.walk import ignore_line
from indexer.records import FileRow
from indexer.store.folder import version_files
from indexer.store.manifest import read_manifest, root_of
from indexer.store.snapshot import Snapshot
from indexer.store.texts import Texts
from indexer.store.writer import Writer

TABLES = 2  # of an index, each of one version where nothing is left over


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Result of forgetting `source`: the row that it had, None if it was not in the index.

    `rule` is the line for the ignore file `rules` that excludes it, None if no line can; `near` are
    documents with similar names.
    """

    source: str
    row: FileRow | None
    version: int
    rules: Path
    rule: str | None
    near: tuple[str, ...] = ()


def forget_document(store: Path, root: Path | None, source: str) -> Forgotten:
    """Drop a document from the index; nothing of it stays but what a reader holds.

    Idempotent; needs no model. At any moment the index is whole, with the document or without it;
    where a run was killed, the next one finishes it.

    `root` is the folder of the documents by the user's record; None: as the store says.
    Raises StoreLocked while another process writes.
    """
    manifest = read_manifest(store)
    root = root or root_of(store, manifest)
    with Writer(store, manifest.fingerprint, manifest.root) as writer:
        if writer.rebuilding or writer.manifest is None:
            raise CorpusError("The index was made anew just now.", "Run the same command again.")
        manifest = writer.manifest
        row = writer.files.get(source)
        near = Snapshot(store, root).similar(source) if row is None else []
        if row is not None:
            writer.replace([], [source])
        # An older version of a table may hold what is in the index no more.
        if row is not None or writer.untidy or len(version_files(store)) > TABLES:
            drop_unused(writer)
            manifest = writer.commit(
                ignored=manifest.ignored,
                complete=manifest.complete,
                walked_ns=manifest.walked_ns,
                anew=True,
            )
    # A name that is no text, or twice the same text, is not the name that the file has.
    named = row is None or row.reason != "name"
    rule = ignore_line(root, source) if named else None
    rules = root / IGNORE_FILES[-1]
    return Forgotten(source, row, manifest.version, rules, rule, tuple(near))


def drop_unused(writer: Writer) -> None:
    """Drop what the caches keep for documents that the index does not hold."""
    hashes = {row.sha256 for row in writer.files.values()}
    Texts(writer.store).keep_only(hashes)
