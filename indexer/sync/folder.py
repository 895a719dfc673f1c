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
from indexer.store.manifest import MANIFEST_NAME, Manifest, is_outdated, read_manifest, root_for
from indexer.store.recognised import RecognisedPages
from indexer.store.rows import still_right
from indexer.store.snapshot import Snapshot
from indexer.store.texts import Texts
from indexer.store.writer import Writer
from indexer.sync.plan import Plan, make_plan
from indexer.sync.recognise import ToRecognise, to_recognise
from indexer.sync.run import Outcome, Progress, Run, fingerprint_of

OUTDATED = "An earlier version of corpus-agent made the index; it is made anew."


def sync_folder(
    store: Path,
    root: Path,
    encoder: Encoder,
    *,
    max_file_bytes: int = MAX_FILE_BYTES,
    force: bool = False,
    verify: bool = False,
    prune: bool = True,
    ocr: Ocr = "auto",
    on_start: Callable[[Plan, bool], None] = lambda *_: None,
    on_waiting: Callable[[ToRecognise], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    on_problem: Callable[[FileRow], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Bring the index in `store` up to date with the folder `root`; returns what was done.

    `force` reuses nothing, `verify` compares hashes instead of sizes and times; without `prune`
    documents whose files are gone stay. Files over `max_file_bytes` are recorded and not read.
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
    outdated = is_outdated(store)
    with Writer(store, today, root_for(store, root)) as writer:
        seen = walk(root, max_file_bytes)
        if prune and not force:
            _check_not_emptied(root, seen, writer.manifest)
        if writer.rebuilding and not prune:
            raise CorpusError(
                "The index is to be made anew, and documents that are gone cannot be.",
                "Run it without --no-prune, or with the model and the version that made the index.",
            )
        how = {"force": force, "verify": verify, "prune": prune}
        todo = make_plan(root, seen, writer.files, writer.manifest, today, **how)
        on_start(replace(todo, reasons=(OUTDATED,)) if outdated else todo, writer.rebuilding)
        run = Run(
            root,
            writer,
            encoder,
            chunker,
            reuse=not force,
            on_progress=on_progress,
            on_problem=on_problem,
            should_stop=should_stop,
        )
        outcome = run.apply(todo, seen.ignored, seen.started_ns)
        if not (outcome.interrupted or todo.changes_nothing):
            hashes = {row.sha256 for row in writer.files.values()}
            Texts(store).keep_only(hashes)
            RecognisedPages(store).keep_only(hashes)
        waiting = to_recognise(writer.files.values(), ocr)
        if waiting.rows and not outcome.interrupted:
            if is_installed():
                on_waiting(waiting)
            run.recognise(todo, outcome, waiting, ocr)
    outcome.seconds = time.monotonic() - started
    return outcome


def _check_not_emptied(root: Path, seen: Walk, manifest: Manifest | None) -> None:
    """Raise CorpusError if every document is gone: the folder is probably not mounted."""
    indexed = manifest.coverage.indexed if manifest else 0
    if indexed and not seen.files:
        raise CorpusError(
            f"The folder {str(root)!r} is empty, while its index holds {indexed:,} "
            "documents. Nothing was removed.",
            "Is it mounted? If it is meant to be empty: corpus-agent index --force",
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
) -> Plan:
    """What `sync_folder` would do; writes nothing and takes no lock."""
    seen = walk(root, max_file_bytes)
    today = fingerprint_of(encoder, Chunker(encoder.tokenizer, encoder.max_tokens))
    stored: dict[str, FileRow] = {}
    manifest = None
    if (store / MANIFEST_NAME).exists() and not is_outdated(store):
        manifest = read_manifest(store)
        stored = still_right(Snapshot(store, root).files(), manifest.fingerprint, today)
    return make_plan(root, seen, stored, manifest, today, force=force, verify=verify, prune=prune)
