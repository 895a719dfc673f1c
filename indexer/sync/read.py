"""Files -> rows and chunks; one document -> its lines.

A file is copied into memory once, so that its row has the hash of the bytes that were parsed, and
the parser gets the copy and needs no access to the folder. A file that gives no text becomes a row
with status and reason; no document raises an error.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from indexer.chunk import Chunker
from indexer.embed.languages import SAMPLE_CHARS, in_languages, language_of
from indexer.errors import Refused, UnreadableDocument
from indexer.extract import title_of
from indexer.files.opening import MAX_FILE_BYTES, open_beneath
from indexer.files.walk import SeenFile, walk
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import WINDOW, Copy, Text, Worker, in_order, workers_for
from indexer.records import Chunk, Document, FileRow, Status, is_other
from indexer.store.texts import Texts
from indexer.sync.properties import main_language, with_properties

# Reasons for which a file is no document of this kind, rather than a broken one.
SKIP_REASONS = frozenset({"symlink", "special", "secret", "too_large", "name"}) | frozenset(
    {"binary", "unsupported"}
)
EMPTY_REASONS = frozenset({"no_bytes", "no_text", "no_text_layer"})

_COPY_BYTES = 2**20  # at a time
_NO_CHANGE = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


@contextmanager
def copied(root: Path, source: str, known_bytes: int) -> Iterator[Copy]:
    """A copy of a document whose size was `known_bytes` when last examined.

    Of a file that only grows meanwhile, as a log does, the copy is what it was at first. Raises as
    `open_beneath` does, Refused if the file has grown beyond all limits, and
    UnreadableDocument("changed") if it was written to otherwise.
    """
    most = max(known_bytes, MAX_FILE_BYTES)
    descriptor = os.memfd_create("document", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with (
            os.fdopen(open_beneath(root, source), "rb", buffering=0) as file,
            os.fdopen(descriptor, "wb", closefd=False) as kept,
        ):
            before = os.fstat(file.fileno())
            digest, size = hashlib.sha256(), 0
            if before.st_size > most:
                raise Refused(f"{source!r} has grown beyond {most:,} bytes.", code="too_large")
            while data := file.read(min(_COPY_BYTES, before.st_size - size)):
                size += len(data)
                digest.update(data)
                kept.write(data)
            after = os.fstat(file.fileno())
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) and not (
                size == before.st_size < after.st_size and _begins_with(file, digest.digest(), size)
            ):
                raise UnreadableDocument("changed", "written to while it was read")
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _NO_CHANGE)
        yield Copy(descriptor, size, digest.hexdigest())
    finally:
        os.close(descriptor)


def _begins_with(file: io.FileIO, sha256: bytes, size: int) -> bool:
    """Whether so many bytes at the beginning of a file still are those that were copied."""
    file.seek(0)
    digest = hashlib.sha256()
    while size and (data := file.read(min(_COPY_BYTES, size))):
        size -= len(data)
        digest.update(data)
    return digest.digest() == sha256


def text_of(
    copy: Copy,
    source: str,
    worker: Worker,
    texts: Texts,
    *,
    fresh: bool = False,
) -> Text:
    """The whole text of a document, cached or parsed."""
    if not copy.bytes:
        raise UnreadableDocument("no_bytes", "the file is empty")
    text = None if fresh else texts.get(copy.sha256, source)
    if text is None:
        text = worker.read(copy.descriptor, source)
        if not fresh:
            texts.put(copy.sha256, source, text)
    return text


def read_all(
    root: Path,
    files: Sequence[SeenFile],
    chunker: Chunker,
    texts: Texts,
    make_worker: Callable[[], Worker] = Worker,
    workers: int | None = None,
) -> Generator[tuple[SeenFile, FileRow, list[Chunk]]]:
    """Each file's row and chunks, in the order of the files, read ahead by parser workers.

    There are as many `workers` as cores unless a number is given, or fewer where there is little to
    read. Closing the iterator stops them.
    """
    workers = workers or workers_for(len(files), sum(seen.bytes for seen in files))

    def read(worker: Worker, seen: SeenFile) -> tuple[FileRow, Text | None]:
        return _read(root, seen, worker, texts)

    def size(done: tuple[FileRow, Text | None]) -> int:
        return len(done[1].encoding) if done[1] else 0

    with in_order(read, files, size, make_worker, workers) as results:
        for seen, (row, text) in zip(files, results, strict=True):
            yield seen, *(indexed(row, text, chunker) if text else (row, []))


def _read(root: Path, seen: SeenFile, worker: Worker, texts: Texts) -> tuple[FileRow, Text | None]:
    """The row of a file so far, and its text; read errors become the row's reason."""
    started = time.monotonic()
    row = FileRow(seen.source, "failed", bytes=seen.bytes, mtime_ns=seen.mtime_ns)
    text = None
    try:
        with copied(root, seen.source, seen.bytes) as copy:
            row = replace(row, bytes=copy.bytes, sha256=copy.sha256)
            text = text_of(copy, seen.source, worker, texts)
    except UnreadableDocument as error:
        row = _unread(row, error)
    except Refused as error:
        row = replace(row, reason="changed", detail=error.message)
    except OSError as error:
        reason = "permission" if isinstance(error, PermissionError) else "unreadable"
        row = replace(row, reason=reason, detail=error.strerror)
    return replace(row, seconds=round(time.monotonic() - started, 4)), text


def indexed(row: FileRow, text: Text, chunker: Chunker) -> tuple[FileRow, list[Chunk]]:
    """The row of a document with this text, and its chunks."""
    started = time.monotonic()
    document = document_of(text, row.source, row.sha256 or "")
    chunks = in_languages(chunker.chunk(document))
    waiting = sum(line.is_waiting_mark for line in document.lines)
    row = replace(
        row,
        status="indexed",
        detail=text.remark or None,
        chunks=len(chunks),
        lines=text.lines,
        pages=max((line.page for line in document.lines if line.page is not None), default=None),
        title=document.title,
        extractor=text.extractor,
        seconds=round(row.seconds + time.monotonic() - started, 4),
        waiting=waiting,
        language=main_language(chunks),
    )
    return with_properties(row, document.lines, text.author, text.date), chunks


def document_of(text: Text, source: str, sha256: str) -> Document:
    """The text as a document, with decoded lines."""
    title = title_of(text.title, source)
    return Document(source, title, tuple(decoded(text.encoding)), text.extractor, sha256)


def problem_row(seen: SeenFile) -> FileRow:
    """The row of a file that the walk found unreadable."""
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
        waiting=error.waiting,
    )


# ---- A few documents of a folder, before a model is chosen

DOCUMENTS = 24  # of a folder, evenly over its names
LARGE = 500_000  # bytes: a report of a hundred pages takes seconds to open
PARTS = 3  # of a document, of SAMPLE_CHARS each


def share_in_other_languages(root: Path) -> float:
    """The share of a folder's documents that have text in another language than English; 0 to 1."""
    files = [seen for seen in walk(root).files if seen.problem is None and seen.bytes]
    small = [seen for seen in files if seen.bytes < LARGE]
    chosen = small[:: max(1, len(small) // DOCUMENTS)] if small else files[: DOCUMENTS // 8]
    with closing(Worker()) as worker:
        begun = [begin for seen in chosen if (begin := _beginning(root, seen, worker))]
    return sum(map(_is_in_another, begun)) / len(begun) if begun else 0.0


def _beginning(root: Path, seen: SeenFile, worker: Worker) -> str:
    """The first words of a document; "" where it gives none."""
    try:
        with copied(root, seen.source, seen.bytes) as copy:
            text = worker.read(
                copy.descriptor, seen.source, lambda _, n: n >= PARTS * SAMPLE_CHARS, WINDOW
            )
    except (OSError, Refused, UnreadableDocument):
        return ""  # the run itself says what it could not read
    return "\n".join(line.text for line in decoded(text.encoding) if not line.is_mark)


def _is_in_another(text: str) -> bool:
    parts = [text[at : at + SAMPLE_CHARS] for at in range(0, PARTS * SAMPLE_CHARS, SAMPLE_CHARS)]
    return any(is_other(language_of(part)) for part in parts if len(part) > SAMPLE_CHARS // 4)
