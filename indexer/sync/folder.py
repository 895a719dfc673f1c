"""Brings an index up to date with its folder, or plans that.

Walk, plan (plan.py), apply (run.py). Called by `index`, and by `watch` after each change.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from indexer.chunk import Chunker
from indexer.embed import Encoder
from indexer.errors import CorpusError
from indexer.files.opening import MAX_FILE_BYTES
from indexer.files.walk import Walk, walk
from indexer.parsers.recogniser import is_installed
from indexer.records import FileRow, Ocr
from indexer.store.folder import TABLES
from indexer.store.integrity import EVERY_BYTE, INDEXING_BYTES
from indexer.store.manifest import MANIFEST_NAME, Manifest, is_outdated, read_manifest, root_for
from indexer.store.recognised import RecognisedPages
from indexer.store.rows import still_right
from indexer.store.snapshot import Snapshot
from indexer.store.texts import Texts
from indexer.store.writer import Writer
from indexer.sync.plan import Plan, barrier, make_plan
from indexer.sync.recognise import ToRecognise, to_recognise
from indexer.sync.run import Outcome, Progress, Run, fingerprint_of

OUTDATED = "An earlier version of corpus-agent made the index; it is made anew."
ANEW = "It is made anew, from the texts and vectors that were kept and are sound."
LOST = "A first run did not finish, or the manifest of the index was lost."


def sync_folder(
    store: Path,
    root: Path,
    encoder: Encoder,
    *,
    max_file_bytes: int = MAX_FILE_BYTES,
    force: bool = False,
    verify: bool = False,
    prune: bool = True,
    prune_unreachable: bool = False,
    ocr: Ocr = "auto",
    on_start: Callable[[Plan, bool], None] = lambda *_: None,
    on_waiting: Callable[[ToRecognise], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    on_problem: Callable[[FileRow], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Bring the index in `store` up to date with the folder `root`; returns what was done.

    A damaged store is mended: its tables are made anew from the caches and the folder.
    `force` reuses nothing, `verify` compares hashes instead of sizes and times, and every byte of
    the store; without `prune` documents whose files are gone stay. What could not be looked at is
    not gone: its documents stay as `unreachable`, unless `prune_unreachable`. Files over
    `max_file_bytes` are recorded and not read.
    `on_start` is called once, with the plan and whether this is a full rebuild, `on_progress` after
    each file, `on_problem` for each file that yields no text. `should_stop` is asked between two
    files; what was embedded until then is committed.
    Pages without text are recognised last, as `ocr` says: those of documents and of pictures that
    show text, none, or those of all. `on_waiting` is called before the first one.

    Raises StoreLocked while another process writes, CorpusError where nothing may be written or
    where every document at once is gone.
    """
    started = time.monotonic()
    chunker = Chunker(encoder.tokenizer, encoder.max_tokens)
    today = fingerprint_of(encoder, chunker)
    lost = (store / TABLES).exists() and not (store / MANIFEST_NAME).exists()
    depth = EVERY_BYTE if verify else INDEXING_BYTES
    with Writer(store, today, root_for(store, root), mends=True, whole_bytes=depth) as writer:
        outdated = not writer.damage and is_outdated(store)
        seen = walk(root, max_file_bytes)
        repaired = _repaired(
            writer, root, seen, lost=lost, force=force, prune=prune, anyhow=prune_unreachable
        )
        todo = make_plan(
            root, seen, writer.files, writer.manifest, today, force=force, verify=verify,
            prune=prune, prune_unreachable=prune_unreachable,
        )  # fmt: skip
        writer.mounts = _mounts(writer, seen, todo)
        reason = OUTDATED if outdated else f"{repaired} {ANEW}" if repaired else ""
        on_start(replace(todo, reasons=(reason,)) if reason else todo, writer.rebuilding)
        run = Run(
            root, writer, encoder, chunker, reuse=not force, on_progress=on_progress,
            on_problem=on_problem, should_stop=should_stop,
        )  # fmt: skip
        outcome = run.apply(todo, seen.ignored, seen.started_ns)
        outcome.kept_out = [entry for entry in seen.excluded if entry.place]
        if not (outcome.interrupted or todo.changes_nothing):
            _drop_unused(writer)
        if not outcome.interrupted:
            _recognise(run, writer, todo, outcome, ocr, on_waiting)
    outcome.repaired = repaired
    outcome.seconds = time.monotonic() - started
    return outcome


def _repaired(
    writer: Writer, root: Path, seen: Walk, *, lost: bool, force: bool, prune: bool, anyhow: bool
) -> str:
    """What was wrong with the store, which is mended; "" where nothing was.

    Raises CorpusError where the index would lose documents that may still be there, unless that is
    wanted `anyhow`, or could not keep those that are gone although it is not to `prune`.
    """
    if not anyhow:
        _check_within_reach(writer, seen)
    repaired = _mended(writer, root, seen) if writer.damage else LOST if lost else ""
    if prune and not (force or anyhow):
        _check_not_emptied(root, seen, writer.manifest)
    if writer.rebuilding and not prune:
        raise CorpusError(
            "The index is to be made anew, and documents that are gone cannot be.",
            "Run it without --no-prune, or with the model and the version that made the index.",
        )
    return repaired


def _drop_unused(writer: Writer) -> None:
    """Drop what the caches keep for documents that are no longer in the index."""
    hashes = {row.sha256 for row in writer.files.values()}
    Texts(writer.store).keep_only(hashes)
    RecognisedPages(writer.store).keep_only(hashes)


def _recognise(
    run: Run,
    writer: Writer,
    todo: Plan,
    outcome: Outcome,
    ocr: Ocr,
    on_waiting: Callable[[ToRecognise], None],
) -> None:
    """Recognise the pages without text; counts the files that wait where no recogniser is there."""
    waiting = to_recognise(writer.files.values(), ocr)
    if waiting.rows:
        if is_installed():
            on_waiting(waiting)
        run.recognise(todo, outcome, waiting, ocr)


def _mounts(writer: Writer, seen: Walk, todo: Plan) -> tuple[str, ...]:
    """The folders on other devices; those where none is now too, while documents wait for it."""
    before = {*writer.mounts} if todo.unreachable else set[str]()
    return tuple(sorted(before | {*seen.mounts}))


def _mended(writer: Writer, root: Path, seen: Walk) -> str:
    """What was wrong with the store, whose damaged tables are dropped.

    Raises CorpusError while there is nothing to make them of.
    """
    if not seen.files:
        raise CorpusError(
            f"{writer.damage} It is made anew from its folder, and {str(root)!r} is empty.",
            "Is it mounted? Then run: corpus-agent index",
        )
    writer.mend()
    return writer.damage


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
            f"{writer.damage} The index is to be made anew, and {len(waiting):,} documents or "
            f"folders, as {sorted(waiting)[0]!r}, cannot be looked at now.".strip(),
            "Mount them or change their permissions. To do without them: "
            "corpus-agent index --prune-unreachable",
        )


def _check_not_emptied(root: Path, seen: Walk, manifest: Manifest | None) -> None:
    """Raise CorpusError if every document is gone: the folder is probably not mounted."""
    indexed = manifest.coverage.indexed if manifest else 0
    if indexed and not seen.files:
        raise CorpusError(
            f"The folder {str(root)!r} is empty, while its index holds {indexed:,} "
            "documents. Nothing was removed.",
            "Is it mounted? If it is meant to be empty: corpus-agent index --prune-unreachable",
        )


def plan_folder(
    store: Path,
    root: Path,
    encoder: Encoder,
    *,
    max_file_bytes: int = MAX_FILE_BYTES,
    force: bool = False,
    verify: bool = False,
    prune: bool = True,
    prune_unreachable: bool = False,
) -> Plan:
    """What `sync_folder` would do; writes nothing and takes no lock."""
    seen = walk(root, max_file_bytes)
    today = fingerprint_of(encoder, Chunker(encoder.tokenizer, encoder.max_tokens))
    stored: dict[str, FileRow] = {}
    manifest = None
    if (store / MANIFEST_NAME).exists() and not is_outdated(store):
        manifest = read_manifest(store)
        stored = still_right(Snapshot(store, root).files(), manifest.fingerprint, today)
    return make_plan(
        root,
        seen,
        stored,
        manifest,
        today,
        force=force,
        verify=verify,
        prune=prune,
        prune_unreachable=prune_unreachable,
    )
