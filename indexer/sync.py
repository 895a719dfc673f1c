"""A folder -> its index: see, plan (pure), apply.

`plan` decides from plain values what each file needs; `apply` does it in bounded batches, each
visible in one commit. A run that is stopped has committed what it had embedded, and the next one
goes on from there.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from indexer.chunk import Chunker, context_of
from indexer.embed import Encoder
from indexer.errors import Refused, UnreadableDocument
from indexer.extract import REGISTRY, extract
from indexer.extract.normalise import NORMALISER
from indexer.records import Chunk, FileRow, Fingerprint, Status
from indexer.store import Embedded, Writer
from indexer.walk import SeenFile, Walk, read_beneath

BATCH_CHUNKS = 256  # embedded together: bounds memory, and is what Ctrl-C waits for
COMMIT_SECONDS = 15.0  # work that a killed run may lose, at most, beside the batch in hand

# Reasons for which a file is no document of this kind, rather than a broken one.
SKIP_REASONS = frozenset({"symlink", "special", "secret", "too_large", "name"}) | frozenset(
    {"binary", "unsupported"}
)
EMPTY_REASONS = frozenset({"no_bytes", "no_text", "no_text_layer"})


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do, file by file. Sources in order; the groups do not overlap.

    `record` are files that get a row and no text (skipped and unreadable ones), `touch` files
    whose time changed and whose bytes did not.
    """

    add: tuple[SeenFile, ...] = ()
    update: tuple[SeenFile, ...] = ()
    record: tuple[SeenFile, ...] = ()
    touch: tuple[SeenFile, ...] = ()
    keep: tuple[SeenFile, ...] = ()
    remove: tuple[str, ...] = ()

    @property
    def work(self) -> tuple[SeenFile, ...]:
        """The files to extract and embed, by source."""
        return tuple(sorted((*self.add, *self.update), key=lambda seen: seen.source))

    @property
    def changes_nothing(self) -> bool:
        """Whether the index is already what the folder is."""
        return not (self.add or self.update or self.record or self.touch or self.remove)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: files and bytes done of all that there is to do, chunks embedded."""

    files: int
    all_files: int
    bytes: int
    all_bytes: int
    chunks: int
    source: str


@dataclass(slots=True)
class Outcome:
    """What a run did: counts of documents, and in `problems` the rows of all other files.

    `added`, `updated` and `unchanged` count documents with text, so that together with the
    problems they account for every file that was seen.
    """

    version: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    ignored: int = 0
    chunks: int = 0
    embedded: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    rebuilt: bool = False
    problems: list[FileRow] = field(default_factory=list)


def fingerprint_of(encoder: Encoder, chunker: Chunker) -> Fingerprint:
    """What rows made by this encoder and chunker depend on."""
    return Fingerprint(
        model=encoder.name,
        weights_sha256=encoder.weights_sha256,
        dimension=encoder.dimension,
        document_prefix=encoder.document_prefix,
        query_prefix=encoder.query_prefix,
        chunker=chunker.version,
        normaliser=NORMALISER,
        extractors={extractor.name: str(extractor.version) for extractor in REGISTRY},
    )


def changed_hashes(
    root: Path, walk: Walk, stored: Mapping[str, FileRow], *, verify: bool = False
) -> dict[str, str]:
    """SHA-256 of the files whose size or time is not the stored one; of all, with `verify`.

    Files that cannot be read are left out: applying the plan will say why.
    """
    hashes = {}
    for seen in walk.files:
        row = stored.get(seen.source)
        if row is None or row.sha256 is None or seen.problem:
            continue
        if verify or (row.bytes, row.mtime_ns) != (seen.bytes, seen.mtime_ns):
            try:
                hashes[seen.source] = hashlib.sha256(read_beneath(root, seen.source)).hexdigest()
            except (OSError, Refused):
                continue
    return hashes


def plan(
    walk: Walk,
    stored: Mapping[str, FileRow],
    hashes: Mapping[str, str],
    known_extractors: Mapping[str, str],
    *,
    force: bool = False,
) -> Plan:
    """What makes the index equal to the folder. Pure.

    `hashes` are today's of the files in question, `known_extractors` the registry under which
    the stored rows were made: a file that nobody could read is tried again when it grows.
    """
    registry = {extractor.name: str(extractor.version) for extractor in REGISTRY}
    groups: dict[str, list[SeenFile]] = {}
    for seen in walk.files:
        row = stored.get(seen.source)
        kind = _intent(seen, row, hashes.get(seen.source), registry, dict(known_extractors), force)
        groups.setdefault(kind, []).append(seen)
    present = {seen.source for seen in walk.files}
    removed = tuple(sorted(source for source in stored if source not in present))
    return Plan(**{kind: tuple(files) for kind, files in groups.items()}, remove=removed)


def _intent(
    seen: SeenFile,
    row: FileRow | None,
    sha256: str | None,
    registry: dict[str, str],
    known: dict[str, str],
    force: bool,
) -> str:
    if seen.problem:
        same = row is not None and (row.reason, row.detail) == (seen.problem, seen.detail)
        return "keep" if same else "record"
    if row is None:
        return "add"
    if force or _made_otherwise(row, registry, known):
        return "update"
    same_times = (row.bytes, row.mtime_ns) == (seen.bytes, seen.mtime_ns)
    if sha256 is None:
        # Not hashed: either nothing suggests a change, or it could not be read just now.
        return "keep" if same_times and row.sha256 is not None else "update"
    if sha256 != row.sha256:
        return "update"
    return "keep" if same_times else "touch"


def _made_otherwise(row: FileRow, registry: dict[str, str], known: dict[str, str]) -> bool:
    """Whether today's extractors might read the file differently."""
    if row.extractor is None:
        return registry != known
    name, version = row.extractor.partition("+")[0].split("/")
    return registry.get(name) != version


OnProgress = Callable[[Progress], None]
OnRow = Callable[[FileRow], None]


class Run:
    """One application of a plan; `apply` may be stopped by KeyboardInterrupt at any time."""

    def __init__(
        self,
        root: Path,
        writer: Writer,
        encoder: Encoder,
        chunker: Chunker,
        *,
        on_progress: OnProgress = lambda _: None,
        on_problem: OnRow = lambda _: None,
    ) -> None:
        self._root = root
        self._writer = writer
        self._encoder = encoder
        self._chunker = chunker
        self._on_progress = on_progress
        self._on_problem = on_problem
        self._batch: list[tuple[FileRow, list[Chunk]]] = []
        self._committed = time.monotonic()

    def apply(self, todo: Plan, ignored: int) -> Outcome:
        """What was done. After KeyboardInterrupt, what was embedded so far is committed."""
        outcome = Outcome(
            unchanged=sum(
                self._writer.files[seen.source].status == "indexed"
                for seen in (*todo.keep, *todo.touch)
            ),
            ignored=ignored,
            rebuilt=self._writer.rebuilding,
        )
        before = self._writer.manifest
        if todo.changes_nothing and before is not None and before.complete:
            outcome.version, outcome.chunks = before.version, before.chunks
        else:
            try:
                self._apply(todo, outcome)
            except KeyboardInterrupt:
                outcome.interrupted = True
            self._finish(outcome)
        outcome.problems = [row for row in self._rows() if row.status != "indexed"]
        return outcome

    def _rows(self) -> list[FileRow]:
        return sorted(self._writer.files.values(), key=lambda row: row.source)

    def _apply(self, todo: Plan, outcome: Outcome) -> None:
        stored = self._writer.files
        self._writer.retime(
            [
                replace(stored[seen.source], bytes=seen.bytes, mtime_ns=seen.mtime_ns)
                for seen in todo.touch
            ]
        )
        unread = [_problem_row(seen) for seen in todo.record]
        for row in unread:
            self._on_problem(row)
        self._writer.replace([Embedded(row) for row in unread], todo.remove)
        outcome.removed = len(todo.remove)
        added = {seen.source for seen in todo.add}
        for row in self._work(todo.work, outcome):
            if row.status == "indexed":
                outcome.added += row.source in added
                outcome.updated += row.source not in added

    def _work(self, files: Sequence[SeenFile], outcome: Outcome) -> Iterator[FileRow]:
        """The rows of the files, each given out once it is stored."""
        done = 0
        all_bytes = sum(seen.bytes for seen in files)
        for number, seen in enumerate(files, start=1):
            row, chunks = self._prepare(seen)
            self._batch.append((row, chunks))
            if row.status != "indexed":
                self._on_problem(row)
            if sum(len(chunks) for _, chunks in self._batch) >= BATCH_CHUNKS:
                yield from self._store_batch(outcome)
            done += seen.bytes
            self._on_progress(
                Progress(number, len(files), done, all_bytes, outcome.embedded, seen.source)
            )
        yield from self._store_batch(outcome)

    def _prepare(self, seen: SeenFile) -> tuple[FileRow, list[Chunk]]:
        """The file's row and chunks; a file that cannot be read costs nothing but itself."""
        started = time.monotonic()
        row = FileRow(seen.source, "failed", bytes=seen.bytes, mtime_ns=seen.mtime_ns)
        try:
            data = read_beneath(self._root, seen.source)
            row = replace(row, bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
            document = extract(data, seen.source)
        except UnreadableDocument as error:
            return replace(_unread(row, error), seconds=time.monotonic() - started), []
        except Refused as error:
            return replace(row, reason="changed", detail=error.message), []
        except OSError as error:
            reason = "permission" if isinstance(error, PermissionError) else "unreadable"
            return replace(row, reason=reason, detail=error.strerror), []
        chunks = self._chunker.chunk(document)
        pages = document.lines[-1].page
        row = replace(
            row,
            status="indexed",
            chunks=len(chunks),
            lines=len(document.lines),
            pages=pages,
            title=document.title,
            extractor=document.extractor,
            seconds=round(time.monotonic() - started, 4),
        )
        return row, chunks

    def _store_batch(self, outcome: Outcome) -> Iterator[FileRow]:
        """Embed and write what is in the batch, and commit if it is time."""
        if not self._batch:
            return
        batch, self._batch = self._batch, []
        chunks = [chunk for _, chunks in batch for chunk in chunks]
        prefix = self._encoder.document_prefix
        vectors = self._encoder.encode(
            [prefix + self._chunker.embedded_text(chunk) for chunk in chunks]
        )
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)
        self._writer.replace(list(_embedded(batch, vectors)))
        outcome.embedded += len(chunks)
        due = time.monotonic() - self._committed > COMMIT_SECONDS
        if due and not self._writer.rebuilding:
            self._writer.commit(ignored=outcome.ignored, complete=False)
            self._committed = time.monotonic()
        for row, _ in batch:
            yield row

    def _finish(self, outcome: Outcome) -> None:
        if outcome.interrupted and self._writer.rebuilding:
            before = self._writer.manifest
            assert before is not None
            outcome.version, outcome.chunks = before.version, before.chunks
            return
        complete = not outcome.interrupted
        manifest = self._writer.commit(ignored=outcome.ignored, complete=complete)
        outcome.version, outcome.chunks = manifest.version, manifest.chunks


def _problem_row(seen: SeenFile) -> FileRow:
    row = FileRow(seen.source, "failed", bytes=seen.bytes, mtime_ns=seen.mtime_ns)
    assert seen.problem is not None
    return _unread(row, UnreadableDocument(seen.problem, seen.detail or ""))


def _unread(row: FileRow, error: UnreadableDocument) -> FileRow:
    """The row of a file that gave no text."""
    status: Status = "failed"
    if error.reason in EMPTY_REASONS:
        status = "empty"
    elif error.reason in SKIP_REASONS:
        status = "skipped"
    return replace(
        row,
        status=status,
        reason=error.reason,
        detail=error.detail or None,
        extractor=error.extractor,
    )


def _embedded(
    batch: Sequence[tuple[FileRow, list[Chunk]]], vectors: np.ndarray
) -> Iterator[Embedded]:
    start = 0
    for row, chunks in batch:
        end = start + len(chunks)
        yield Embedded(row, chunks, vectors[start:end], [lexical_text(c) for c in chunks])
        start = end


def lexical_text(chunk: Chunk) -> str:
    """What the full-text index sees of a chunk: its path and headings, and its text."""
    folders = chunk.source.rsplit("/", 1)[0].replace("/", " ") if "/" in chunk.source else ""
    return f"{folders} {context_of(chunk.source, chunk.heading)}\n{chunk.text}"
