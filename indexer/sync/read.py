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
import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import date
from email.utils import parsedate_to_datetime
from pathlib import Path

from indexer.chunk import Chunker
from indexer.embed.languages import SAMPLE_CHARS, in_languages, language_of
from indexer.errors import Refused, UnreadableDocument
from indexer.extract import title_of
from indexer.files.opening import MAX_FILE_BYTES, open_beneath
from indexer.files.walk import SeenFile, walk
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import WINDOW, Copy, Text, Worker, in_order, workers_for
from indexer.records import MAX_AUTHOR_CHARS, Chunk, Document, FileRow, Line, Status, is_other
from indexer.store.texts import Texts

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


def text_of(copy: Copy, source: str, worker: Worker, texts: Texts) -> Text:
    """The whole text of a document, cached or parsed."""
    if not copy.bytes:
        raise UnreadableDocument("no_bytes", "the file is empty")
    text = texts.get(copy.sha256, source)
    if text is None:
        text = worker.read(copy.descriptor, source)
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
    sizes = [seen.bytes for seen in files]
    workers = workers or workers_for(len(files), sum(sizes))

    def read(worker: Worker, seen: SeenFile) -> tuple[FileRow, Text | None]:
        return _read(root, seen, worker, texts)

    with in_order(read, files, sizes, make_worker, workers) as results:
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
    document = document_of(text, row.source)
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


def document_of(text: Text, source: str) -> Document:
    """The text as a document, with decoded lines."""
    title = title_of(text.title, source)
    return Document(source, title, tuple(decoded(text.encoding)), text.extractor)


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


# ---- What a document says of itself: its date, author and tags

# Front matter of Markdown, keywords of Org, headers of a single mail, `#tags` in Markdown; for
# other formats what its file keeps beside the text, as their extractors hand it out.
MAX_HEAD_LINES = 100
MAX_TAGS = 50
MAX_TAG_CHARS = 60
_MAILS = ("eml", "msg")
_DATES = ("date", "created", "published", "datum")
_AUTHORS = ("author", "authors", "from", "autor")
_TAGS = ("tags", "tag", "keywords", "filetags")
_FIELD = re.compile(r"([A-Za-z]{3,12})[ \t]*:[ \t]*(\S.*)?")
_ORG_FIELD = re.compile(r"#\+([A-Za-z]{3,12}):[ \t]*(\S.*)?")
_ITEM = re.compile(r"[ \t]*-[ \t]+(\S.*)")
_ISO = re.compile(r"\s*[\[<\"']?([0-9]{4}-[0-9]{2}-[0-9]{2})", re.ASCII)
_INLINE = re.compile(r"(?<![\w#&/.])#([^\W\d_][\w/-]*)")
_FENCE = ("```", "~~~")
_CODE = re.compile(r"(?<!`)(`{1,8})(?!`).*?(?<!`)\1(?!`)")


def with_properties(
    row: FileRow, lines: Sequence[Line], author: str = "", day: str = ""
) -> FileRow:
    """The row with what its document states in its text, else `author` and `day` of its file."""
    kind = (row.extractor or "").partition("/")[0]
    head = [line.text for line in lines[:MAX_HEAD_LINES]]
    fields: dict[str, list[str]] = {}
    if kind == "markdown":
        fields = _front_matter(head)
    elif kind == "org":
        fields = _fields(head, _ORG_FIELD)
    elif kind in _MAILS:
        fields = _headers(head)
    tags = [tag for key in _TAGS for value in fields.get(key, ()) for tag in _split(value)]
    if kind == "markdown":
        tags += _inline(line.text for line in lines)
    return replace(
        row,
        date=_day(fields) or day or None,
        author=_author(fields) or author or None,
        tags=" ".join(_bounded(tags)),
    )


def main_language(chunks: Iterable[Chunk]) -> str:
    """The language of most of a document's text; "" where none was told."""
    counts: Counter[str] = Counter()
    for chunk in chunks:
        counts[chunk.language] += len(chunk.text)
    counts.pop("", None)
    return max(sorted(counts), key=counts.__getitem__, default="")


def _front_matter(head: Sequence[str]) -> dict[str, list[str]]:
    """The fields between the two rulers at the top, each with its values."""
    if not head or head[0].rstrip() != "---":
        return {}
    ends = [number for number, line in enumerate(head[1:], 1) if line.rstrip() in ("---", "...")]
    return _fields(head[1 : ends[0]], _FIELD) if ends else {}


def _headers(head: Sequence[str]) -> dict[str, list[str]]:
    """The fields of a mail: its lines as far as the first that is none."""
    lines = [line for line in head if line.strip() and not line.startswith("---")]
    top = []
    for line in lines:
        if not re.match(r"[A-Za-z-]{2,12}:", line):
            break
        top.append(line)
    return _fields(top, _FIELD)


def _fields(lines: Iterable[str], pattern: re.Pattern[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        if field := pattern.match(line):
            key = field[1].casefold()
            found.setdefault(key, []).extend([field[2].strip()] if field[2] else [])
        elif key and (item := _ITEM.fullmatch(line)):
            found[key].append(item[1].strip())
    return found


def _split(value: str) -> list[str]:
    """The tags of one value: a list in brackets, with commas, with colons (Org), or one."""
    if value.startswith(":") and value.endswith(":"):
        return value.strip(":").split(":")
    return value.strip("[]").split(",")


def _inline(lines: Iterable[str]) -> list[str]:
    """The tags in lines that are no code: not within a fence, nor between backticks."""
    found: list[str] = []
    fenced = False
    for line in lines:
        if line.lstrip().startswith(_FENCE):
            fenced = not fenced
        elif not fenced and "#" in line and len(found) < MAX_TAGS:
            found += _INLINE.findall(_CODE.sub(" ", line))
    return found


def _bounded(tags: Iterable[str]) -> list[str]:
    """The tags in one form, each once, no more than a row may have."""
    plain = ("-".join(tag.strip(" \t\"'#").casefold().split()) for tag in tags)
    return list(dict.fromkeys(tag for tag in plain if 0 < len(tag) <= MAX_TAG_CHARS))[:MAX_TAGS]


def _author(fields: dict[str, list[str]]) -> str | None:
    for key in _AUTHORS:
        if values := fields.get(key):
            shown = ", ".join(value.strip("\"'[]") for value in values)
            return shown[:MAX_AUTHOR_CHARS].strip() or None
    return None


def _day(fields: dict[str, list[str]]) -> str | None:
    for key in _DATES:
        for value in fields.get(key, ()):
            if day := _parsed(value):
                return day
    return None


def _parsed(value: str) -> str | None:
    if iso := _ISO.match(value):
        try:
            return date.fromisoformat(iso[1]).isoformat()
        except ValueError:
            return None
    try:
        return parsedate_to_datetime(value[:100]).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
