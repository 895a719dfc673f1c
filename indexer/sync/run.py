"""A plan -> the index: read, embed, store, commit.

Works in bounded batches. Rows are committed every few seconds, so that an interrupted run is
continued by the next one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from indexer.chunk import Chunker
from indexer.embed import option_for
from indexer.embed.encoder import Encoder
from indexer.errors import IncompatibleStore
from indexer.extract import VERSIONS
from indexer.extract.normalise import NORMALISER
from indexer.files.walk import UNREACHED, Excluded, SeenFile
from indexer.parsers import is_installed
from indexer.records import MULTILINGUAL, Chunk, FileRow, Fingerprint, Ocr
from indexer.store.tables import Embedded, key_of
from indexer.store.texts import Texts
from indexer.store.writer import Writer
from indexer.sync import RunDisplay
from indexer.sync.plan import Plan, moves
from indexer.sync.read import problem_row, read_all
from indexer.sync.recognise import RecognitionRun

BATCH_CHUNKS = 128  # of whole files, read before they are embedded: bounds memory
EMBEDDED_TOGETHER = 64  # of their texts
BATCH_FILES = 4_096  # with or without chunks
COMMIT_SECONDS = 15.0  # of work that a killed run may lose, with the batch that it is at
# A commit puts all rows so far into the index of words. One that takes longer is made as much more
# seldom, so that they take little of a run however large its index becomes.
QUICK_COMMIT_SECONDS = 0.5
MOST_SECONDS = 30.0  # between two commits


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a run: files and bytes done and in total, chunks embedded.

    In its second part, `pages` of `all_pages` without text are done.
    """

    files: int = 0
    all_files: int = 0
    bytes: int = 0
    all_bytes: int = 0
    chunks: int = 0
    source: str = ""
    pages: int = 0
    all_pages: int = 0


@dataclass(slots=True)
class Outcome:
    """Result of a run: counts of documents with text, and in `problems` the rows of all others.

    `moved` counts added documents with the content of a removed one, and `renamed` has the former
    and the new source of each. `embedded` and `reused` are passages. `repaired` says what was wrong
    with the store before it was made anew. `recognised` counts pages of this run, `waiting_pages`
    and `waiting_pictures` what is left. `kept_out`, of the `ignored`, is what ignore files exclude.
    """

    version: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    moved: int = 0
    renamed: list[tuple[str, str]] = field(default_factory=list)
    ignored: int = 0
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    rebuilt: bool = False
    repaired: str = ""
    recognised: int = 0
    waiting_pages: int = 0
    waiting_pictures: int = 0
    problems: list[FileRow] = field(default_factory=list)
    kept_out: list[Excluded] = field(default_factory=list)


UNSEEN = RunDisplay()


def fingerprint_of(encoder: Encoder, chunker: Chunker) -> Fingerprint:
    """The fingerprint of rows made by this encoder and chunker."""
    return Fingerprint(
        model=encoder.name,
        weights_sha256=encoder.weights_sha256,
        dimension=encoder.dimension,
        document_prefix=encoder.document_prefix,
        query_prefix=encoder.query_prefix,
        chunker=chunker.version,
        normaliser=NORMALISER,
        extractors=VERSIONS,
    )


def check_fingerprint(prefix: str, stored: Fingerprint, today: Fingerprint) -> None:
    """Raise IncompatibleStore for a version not made as of today; `prefix` is its store's."""
    if stored.makes_same_rows(today):
        return
    which = f" {prefix[:-1]}" if prefix else ""
    made, used = (f"{one.model} ({one.weights_sha256[:8]})" for one in (stored, today))
    if stored.model == today.model:
        made, used = f"{made}, {stored.chunker}", f"{used}, {today.chunker}"
        hint = f"Bring it up to date: corpus-agent{which and f' -s{which}'} index"
    elif which:  # of indexes that are read together the model that reads all languages is kept
        keeps = stored.model.startswith(MULTILINGUAL)
        one, other = (stored, " NAME") if keeps else (today, which)
        command = f"corpus-agent {option_for(one.model)} -s{other} index"
        hint = f"Those read together need one model: {command}"
    else:
        hint = f"Search with the model that made it: {option_for(stored.model)}"
        hint += f". Or make it anew with this one: corpus-agent index {option_for(today.model)}"
    raise IncompatibleStore(f"The index{which} was made with {made}, this run uses {used}.", hint)


@dataclass(slots=True)
class Run:
    """One application of a plan; Ctrl-C may end it at any time, `should_stop` between two files.

    Without `reuse`, cached vectors are ignored.
    """

    root: Path
    writer: Writer
    encoder: Encoder
    chunker: Chunker
    reuse: bool = True
    commit_seconds: float = COMMIT_SECONDS
    display: RunDisplay = UNSEEN
    should_stop: Callable[[], bool] = lambda: False
    outcome: Outcome = field(default_factory=Outcome)
    _progress: Progress = field(default_factory=Progress)
    _before: dict[str, FileRow] = field(default_factory=dict)
    _batch: list[tuple[FileRow, list[Chunk]]] = field(default_factory=list)
    _lost: list[FileRow] = field(default_factory=list)
    _commit_at: float = math.inf

    def apply(self, todo: Plan, ignored: int, walked_ns: int = 0) -> Outcome:
        """What was done. After a stop, what was embedded so far is committed."""
        writer, outcome = self.writer, self.outcome
        self._before = dict(writer.files)
        self._commit_at = time.monotonic() + self.commit_seconds
        outcome.ignored, outcome.rebuilt = ignored, writer.rebuilding
        if not (todo.changes_nothing and writer.is_current):
            try:
                self._apply(todo)
            except KeyboardInterrupt:
                outcome.interrupted = True
            self._commit(complete=not outcome.interrupted, walked_ns=walked_ns)
        self._count(todo)
        return outcome

    def recognise(self, todo: Plan, waiting: Sequence[FileRow], ocr: Ocr) -> None:
        """Read the pages that wait, and embed and store their text; the outcome is counted anew."""
        pages = sum(max(1, row.waiting) for row in waiting)

        def on_page(source: str) -> None:
            done = self._progress.pages + 1
            of_all = max(done, pages)
            self._report(replace(self._progress, pages=done, all_pages=of_all, source=source))

        if is_installed():
            self._report(replace(self._progress, pages=0, all_pages=pages))
        store = self.writer.store
        recognition = RecognitionRun(
            self.root, self.chunker, Texts(store), ocr, on_page, self._stops
        )
        try:
            with closing(recognition.documents(waiting)) as documents:
                for row, chunks in documents:
                    self._batch.append((row, chunks))
                    self._store_batch(walked=True)
        except KeyboardInterrupt:
            self.outcome.interrupted = True
        self.outcome.recognised = recognition.read
        self._commit(complete=True)
        self._count(todo)

    def _commit(self, *, complete: bool, walked_ns: int | None = None) -> None:
        """Commit what is stored; of an index that is made anew a part waits for the rest."""
        if self.writer.rebuilding and not complete:
            self.writer.save_draft()
        else:
            self.writer.commit(ignored=self.outcome.ignored, complete=complete, walked_ns=walked_ns)

    def _count(self, todo: Plan) -> None:
        """Fill in the counts of documents added, moved, updated and removed, and the rest."""
        outcome, before, after = self.outcome, self._before, self.writer.files
        manifest = self.writer.manifest
        assert manifest is not None, "an index that is rebuilt has been committed before"
        outcome.version, outcome.chunks = manifest.version, manifest.chunks
        outcome.waiting_pages = manifest.waiting_pages
        outcome.waiting_pictures = manifest.waiting_pictures
        rows = sorted(after.values(), key=lambda row: row.source)
        outcome.problems = [row for row in rows if row.status != "indexed"]

        def documents(files: Iterable[SeenFile]) -> list[FileRow]:
            rows = (after.get(seen.source) for seen in files)
            return [row for row in rows if row is not None and row.status == "indexed"]

        kept = documents((*todo.keep, *todo.touch))
        # Files that did not change and have text now: it was recognised in this run.
        found = [row for row in kept if not before[row.source].is_document]
        added = [*documents(todo.add), *found]
        removed = [before[source] for source in todo.remove if source not in after]
        moved = moves((row for row in removed if row.is_document), added)
        outcome.moved = len(moved)
        outcome.renamed = sorted((was, now) for now, was in moved.items())
        outcome.added = len(added)
        outcome.updated = sum(row is not before[row.source] for row in documents(todo.update))
        outcome.unchanged = len(kept) - len(found)
        outcome.removed = len(removed)

    def _apply(self, todo: Plan) -> None:
        stored = self.writer.files
        self.writer.retime([touched(stored[seen.source], seen) for seen in todo.touch])
        self._lose([lost(stored[seen.source], seen.problem) for seen in todo.lost])
        unread = [problem_row(seen) for seen in todo.record]
        for row in unread:
            self.display.problem(row)
        self.writer.replace([Embedded(row) for row in unread], todo.remove)
        self._work(todo.work)
        self._lose(self._lost)

    def _lose(self, rows: Sequence[FileRow]) -> None:
        """Mark documents that could not be looked at; their passages stay."""
        for row in rows:
            self.display.problem(row)
        if rows:
            self.writer.retime(rows)

    def _work(self, files: Sequence[SeenFile]) -> None:
        """Read the files, and embed and store them batch by batch."""
        done = waiting = 0
        all_bytes = sum(seen.bytes for seen in files)
        texts = Texts(self.writer.store, reuse=self.reuse)
        with closing(read_all(self.root, files, self.chunker, texts)) as documents:
            for number, (seen, row, chunks) in enumerate(documents, start=1):
                before = self.writer.files.get(row.source)
                if before is not None and before.is_document and row.reason in UNREACHED:
                    self._lost.append(lost(before, row.reason))  # a moment ago it could be
                else:
                    self._batch.append((row, chunks))
                    if row.status != "indexed":
                        self.display.problem(row)
                    waiting += len(chunks)
                if waiting >= BATCH_CHUNKS or len(self._batch) >= BATCH_FILES:
                    self._store_batch()
                    waiting = 0
                done += seen.bytes
                embedded = self.outcome.embedded
                self._report(Progress(number, len(files), done, all_bytes, embedded, seen.source))
                if self._stops():
                    return
        self._store_batch()

    def _store_batch(self, *, walked: bool = False) -> None:
        """Embed and store the batch; commit if due. `walked`: the run's first part is over."""
        batch, self._batch = self._batch, []
        made = iter(self._embed([chunk for _, chunks in batch for chunk in chunks]))
        ready = []
        for row, chunks in batch:
            keys = list(islice(made, len(chunks)))
            if len(keys) < len(chunks):  # stopped within it
                break
            ready.append(Embedded(row, chunks, keys))
        self.writer.replace(ready)
        started = time.monotonic()
        if started > self._commit_at:
            self._commit(complete=walked)
            now = time.monotonic()
            self._commit_at = now + until_next_commit(self.commit_seconds, now - started)

    def _embed(self, chunks: Sequence[Chunk]) -> list[bytes]:
        """The keys of the chunks' vectors, which are at hand then; some after a stop."""
        prefix, vectors = self.encoder.document_prefix, self.writer.vectors
        keys: list[bytes] = []
        rest = iter(chunks)
        while part := [*islice(rest, EMBEDDED_TOGETHER)]:
            texts = (prefix + self.chunker.embedded_text(chunk) for chunk in part)
            keyed = [(key_of(text), text) for text in texts]
            keys += [key for key, _ in keyed]
            if self.reuse:
                vectors.find(key for key, _ in keyed)
            missing = {
                key: text for key, text in keyed if not (self.reuse and key in vectors.at_hand)
            }
            if missing:
                vectors.put([*missing], self.encoder.encode([*missing.values()]))
            self.outcome.embedded += len(missing)
            self.outcome.reused += len(part) - len(missing)
            self._report(replace(self._progress, chunks=self.outcome.embedded))
            if self._stops():
                break
        return keys

    def _stops(self) -> bool:
        """Whether the run must end now; its outcome then records it."""
        self.outcome.interrupted = self.outcome.interrupted or self.should_stop()
        return self.outcome.interrupted

    def _report(self, progress: Progress) -> None:
        self._progress = progress
        self.display.advance(progress)


def until_next_commit(least: float, took: float) -> float:
    """Seconds until the next commit, after one that took so many; `least` after a quick one."""
    return min(least * max(1.0, took / QUICK_COMMIT_SECONDS), max(least, MOST_SECONDS))


def touched(row: FileRow, seen: SeenFile) -> FileRow:
    """The row of a file that was looked at and has the same content."""
    row = replace(row, bytes=seen.bytes, mtime_ns=seen.mtime_ns)
    return replace(row, status="indexed", reason=None) if row.status == "unreachable" else row


def lost(row: FileRow, reason: str | None) -> FileRow:
    """The row of a document that could not be looked at."""
    return replace(row, status="unreachable", reason=reason)
