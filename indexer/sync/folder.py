"""Brings an index up to date with its folder, plans that, or removes a document from it.

The folder and its ignore files alone decide what belongs to a corpus: a forgotten document, whose
file stays, comes back with the next run unless an ignore rule excludes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.chunk import Chunker
from indexer.embed.encoder import Encoder
from indexer.errors import CorpusError
from indexer.files.ignore import IGNORE_FILES
from indexer.files.opening import MAX_FILE_BYTES
from indexer.files.walk import Walk, ignore_line, walk
from indexer.records import USUAL, Choices, FileRow, Ocr
from indexer.store.folder import TABLES, version_files
from indexer.store.manifest import (
    EVERY_BYTE,
    INDEXING_BYTES,
    MANIFEST_NAME,
    Manifest,
    read_manifest,
    root_for,
    root_of,
)
from indexer.store.snapshot import Snapshot, Snapshots
from indexer.store.texts import Texts
from indexer.store.writer import Writer, still_right
from indexer.sync import RunDisplay
from indexer.sync.plan import Plan, barrier, make_plan, with_moved
from indexer.sync.recognise import to_recognise
from indexer.sync.run import UNSEEN, Outcome, Run, fingerprint_of

ANEW = "It is made anew, from the texts that were kept and are sound."
LOST = "A first run did not finish, or the manifest of the index was lost."


def sync_folder(
    store: Path,
    root: Path,
    encoder: Encoder,
    choices: Choices = USUAL,
    *,
    max_file_bytes: int = MAX_FILE_BYTES,
    ocr: Ocr = "auto",
    display: RunDisplay = UNSEEN,
    should_stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Bring the index in `store` up to date with the folder `root`; returns what was done.

    A damaged store is mended: its tables are made anew from the caches and the folder. Pages
    without text are recognised last, as `ocr` says. What was embedded before a stop is kept.
    """
    started = time.monotonic()
    chunker = Chunker(encoder)
    today = fingerprint_of(encoder, chunker)
    lost = (store / TABLES).exists() and not (store / MANIFEST_NAME).exists()
    depth = EVERY_BYTE if choices.verify else INDEXING_BYTES
    where = root_for(store, root)
    with Writer(store, today, where, mends=True, whole_bytes=depth) as writer:
        seen = walk(root, max_file_bytes)
        repaired = _repaired(writer, root, seen, choices, lost=lost)
        todo = make_plan(root, seen, writer.files, writer.manifest, today, choices)
        writer.mounts, writer.kept_out = _mounts(writer, seen, todo), len(seen.kept_out)
        if repaired:
            todo = replace(todo, reasons=(f"{repaired} {ANEW}",))
        display.start(todo, writer.rebuilding)
        run = Run(
            root, writer, encoder, chunker, not choices.force, display=display,
            should_stop=should_stop,
        )  # fmt: skip
        outcome = run.apply(todo, seen.ignored, seen.started_ns)
        outcome.kept_out = seen.kept_out
        if not (outcome.interrupted or todo.changes_nothing):
            drop_unused(writer)
        waiting = to_recognise(writer.files.values(), ocr)
        if waiting and not outcome.interrupted:
            run.recognise(todo, waiting, ocr)
    outcome.repaired, outcome.seconds = repaired, time.monotonic() - started
    return outcome


def _repaired(writer: Writer, root: Path, seen: Walk, choices: Choices, *, lost: bool) -> str:
    """What was wrong with the store, which is mended; "" where nothing was.

    Raises CorpusError where the index would lose documents that may still be there, unless that is
    chosen.
    """
    if not choices.prune_unreachable:
        _check_within_reach(writer, seen)
    if writer.damage and not seen.files:
        raise CorpusError(
            f"{writer.damage} It is made anew from its folder, and {str(root)!r} is empty.",
            "Is it mounted? Then run: corpus-agent index",
        )
    if writer.damage:
        writer.mend()
    if not (choices.force or choices.prune_unreachable):
        _check_not_emptied(root, seen, writer.manifest)
    return writer.damage or (LOST if lost else "")


def _mounts(writer: Writer, seen: Walk, todo: Plan) -> tuple[str, ...]:
    """The folders on other devices; those where none is now too, while documents wait for it."""
    before = {*writer.mounts} if todo.unreachable else set[str]()
    return tuple(sorted(before | {*seen.mounts}))


def _check_within_reach(writer: Writer, seen: Walk) -> None:
    """Raise CorpusError if the index is to be made anew and documents cannot be looked at."""
    if not (writer.damage or writer.rebuilding):
        return
    barred = seen.out_of_reach(writer.mounts)
    if writer.damage:  # which documents are below is not known now
        waiting = [folder for folder in barred if folder.endswith("/") or not folder]
    else:
        waiting = [row.source for row in writer.committed.values() if row.is_document]
        waiting = [source for source in waiting if barrier(source, barred)]
    if waiting:
        raise CorpusError(
            f"{writer.damage} The index is to be made anew, and documents or folders cannot be "
            f"looked at now: {len(waiting):,}, as {sorted(waiting)[0]!r}.".strip(),
            "Mount them or change their permissions. To do without them: "
            "corpus-agent index --prune-unreachable",
        )


def _check_not_emptied(root: Path, seen: Walk, manifest: Manifest | None) -> None:
    """Raise CorpusError if every document is gone: the folder is probably not mounted."""
    indexed = manifest.coverage.indexed if manifest else 0
    if indexed and not seen.files:
        raise CorpusError(
            f"The folder {str(root)!r} is empty, while its index holds documents: {indexed:,}. "
            "Nothing was removed.",
            "Is it mounted? If it is meant to be empty: corpus-agent index --prune-unreachable",
        )


def plan_folder(
    store: Path,
    root: Path,
    encoder: Encoder,
    choices: Choices = USUAL,
    *,
    max_file_bytes: int = MAX_FILE_BYTES,
) -> Plan:
    """What `sync_folder` would do; writes nothing and takes no lock."""
    seen = walk(root, max_file_bytes)
    today = fingerprint_of(encoder, Chunker(encoder))
    stored: dict[str, FileRow] = {}
    manifest = None
    if (store / MANIFEST_NAME).exists():
        manifest = read_manifest(store)
        stored = still_right(Snapshot(store, root).rows(), manifest.fingerprint, today)
    return with_moved(make_plan(root, seen, stored, manifest, today, choices), root, stored)


# ---- Forgetting

FRESH = 2  # tables of one version each: nothing is left over


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
        near = Snapshots({"": (store, root)}).similar(source) if row is None else []
        if row is not None:
            writer.replace([], [source])
        # An older version of a table may hold what is in the index no more.
        if row is not None or writer.untidy or len(version_files(store)) > FRESH:
            drop_unused(writer)
            manifest = writer.commit(
                ignored=manifest.ignored, complete=manifest.complete, anew=True
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
