"""A plan -> the index: read, embed, store, commit.

Works in bounded batches, each visible in one commit. A run that is stopped has committed what it
had embedded, and the next one goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from indexer.chunk import Chunker, context_of
from indexer.embed import Encoder
from indexer.extract import REGISTRY
from indexer.extract.normalise import NORMALISER
from indexer.plan import Plan
from indexer.reading import problem_row, read_all
from indexer.records import Chunk, FileRow, Fingerprint
from indexer.store import Embedded, Writer
from indexer.texts import Texts
from indexer.walk import SeenFile

BATCH_CHUNKS = 256  # embedded together: bounds memory, and is what Ctrl-C waits for
COMMIT_SECONDS = 15.0  # work that a killed run may lose, at most, beside the batch in hand


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
        unread = [problem_row(seen) for seen in todo.record]
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
        texts = Texts(self._writer.store)
        with closing(read_all(self._root, files, self._chunker, texts)) as documents:
            for number, (seen, row, chunks) in enumerate(documents, start=1):
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
