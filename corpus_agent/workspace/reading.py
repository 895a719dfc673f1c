"""The read tool: a window of a text or document, an image as an attachment, or a refusal."""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

from corpus_agent.workspace.roots import (
    Workspace,
    WorkspacePath,
    explained,
    folder_refused,
    is_folder,
    named,
    open_place,
)
from indexer import (
    MAX_FILE_BYTES,
    MAX_WINDOW_BYTES,
    MAX_WINDOW_LINES,
    CorpusError,
    Enough,
    Refused,
    UnreadableDocument,
    check_numbers,
    claim,
    fills_window,
    is_text,
    parsed_lines,
)

MAX_IMAGE_BYTES = 5_242_880
EMPTY = "This file is empty."
MAX_LINE_CHARS = 2_000
CUT = "... (line truncated to 2000 chars)"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file for the model unchanged, and the line of text about it."""

    note: str
    media_type: str
    data: bytes


def read(
    workspace: Workspace, ledger: Ledger, path: str, offset: int, limit: int
) -> str | Attachment:
    """The window, the attachment, or a notice that it was returned before; raises Refused."""
    check_numbers(offset, limit)
    place = workspace.for_reading(path)
    with explained(place.shown), os.fdopen(_open_file(place), "rb") as file:
        now = snapshot(file.fileno())
        if ledger.holds(place.path, offset, limit, now.state):
            ledger.see(place.path, now.state)
            return _notice(place, offset, limit)
        answer = _content(file, place, now, offset, limit)
    ledger.give(place.path, offset, limit, now.state)
    return answer


def _open_file(place: WorkspacePath) -> int:
    descriptor = open_place(place)
    if is_folder(descriptor):
        os.close(descriptor)
        raise folder_refused(place.shown)
    return descriptor


def _content(
    file: BinaryIO, place: WorkspacePath, now: Snapshot, offset: int, limit: int
) -> str | Attachment:
    sample = sample_of(file.fileno()) if now.data is None else now.data
    kind = kind_of(sample, now.size, place.shown)
    if kind == "image":
        return _image(place, now, image_type(sample))
    if kind == "document":
        data = file.read(now.size) if now.data is None else now.data
        return _shown(_document(data, place.shown, offset, limit), offset)
    if now.data is None:
        message = f"{named(place.shown)} has {now.size:,} bytes; text is read up to "
        hint = "Use grep to find what you look for."
        raise Refused(f"{message}{MAX_WHOLE_BYTES:,}.", hint, code="too_large")
    return _shown(lines_window(text_lines(now.data), offset, limit), offset)


def _document(data: bytes, shown: str, offset: int, limit: int) -> NumberedLines:
    """The window of a document, which is parsed only as far as needed."""
    fills = fills_window(offset, limit)
    # One line more than is shown, to know whether there is more.
    lines, complete = document_lines(data, shown, lambda count, chars: fills(count - 1, chars))
    cut = lines_window(iter(lines), offset, limit)
    if cut.next_offset is None and not complete:
        return replace(cut, next_offset=len(lines) + 1)
    return cut


def _shown(cut: NumberedLines, offset: int) -> str:
    if not cut.text:
        return EMPTY
    if cut.next_offset is None:
        return cut.text
    last = cut.next_offset - 1
    return (
        f"{cut.text}\n\nThese are lines {offset}-{last}. Use offset={cut.next_offset} to continue"
    )


def _image(place: WorkspacePath, now: Snapshot, media_type: str | None) -> Attachment:
    assert media_type is not None
    if now.data is None or now.size > MAX_IMAGE_BYTES:
        raise Refused(
            f"{named(place.shown)} has {now.size:,} bytes; images are read up to "
            f"{MAX_IMAGE_BYTES:,}.",
            "Ask for a smaller copy.",
            code="too_large",
        )
    note = f"Image {named(place.shown)}: {now.size:,} bytes, {media_type}."
    return Attachment(note, media_type, now.data)


def _notice(place: WorkspacePath, offset: int, limit: int) -> str:
    return (
        f"Already given in this conversation: {named(place.shown)} with offset={offset} and "
        f"limit={limit}; the file has not changed since. See the text above."
    )


# ---- Windows in the form of `cat -n`


@dataclass(frozen=True, slots=True)
class NumberedLines:
    """Numbered lines as text; `next_offset` is the next line, None at the end of the file."""

    text: str
    next_offset: int | None


def lines_window(lines: Iterator[str], offset: int, limit: int) -> NumberedLines:
    """`limit` lines, 2,000 lines or 50 KB, whichever is first, at least one; no more are taken."""
    check_numbers(offset, limit)
    shown: list[str] = []
    size = number = 0
    for number, line in enumerate(lines, start=1):
        if number < offset:
            continue
        size += len(line.encode("utf-8", "replace")) + 1
        if len(shown) == min(limit, MAX_WINDOW_LINES) or (shown and size > MAX_WINDOW_BYTES):
            return NumberedLines("\n".join(shown), number)
        text = line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + CUT
        shown.append(f"{number:6d}\t{text}")
    if offset > max(number, 1):
        raise Refused(
            f"offset {offset} is beyond end of file ({number} lines total).",
            f"Use an offset from 1 to {number}." if number else "The file is empty.",
            code="beyond_end",
        )
    return NumberedLines("\n".join(shown), None)


def text_lines(data: bytes) -> Iterator[str]:
    """The lines of a text in UTF-8, without its byte order mark; other bytes become U+FFFD."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return (line.removesuffix("\r") for line in lines)


FileKind = Literal["text", "image", "document"]

SAMPLE_BYTES = 8_192
MAX_DOCUMENT_BYTES = MAX_FILE_BYTES
# First bytes and media type; WebP is RIFF with its name after the length.
_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def image_type(sample: bytes) -> str | None:
    """The media type of an image that models accept, from its first bytes; else None."""
    if sample[:4] == b"RIFF" and sample[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _IMAGES if sample.startswith(magic)), None)


def sample_of(descriptor: int) -> bytes:
    """The first bytes of an open file, enough to determine its kind; does not seek."""
    return os.pread(descriptor, SAMPLE_BYTES, 0)


def kind_of(data: bytes, size: int, shown: str) -> FileKind:
    """How to read a file of `size` bytes; `data` is its content or the beginning of it."""
    sample = data[:SAMPLE_BYTES]
    if image_type(sample):
        return "image"
    if not is_binary(sample) and (size > MAX_DOCUMENT_BYTES or _is_utf8(sample)):
        return "text"
    try:
        claim(data, shown)
    except UnreadableDocument as error:
        what = error.detail or error.reason
        raise Refused(
            f"{named(shown)} is binary ({what}).",
            "Read text, a document or an image.",
            code="binary_file",
        ) from None
    if size > MAX_DOCUMENT_BYTES:
        raise Refused(
            f"{named(shown)} has {size:,} bytes; documents are read up to {MAX_DOCUMENT_BYTES:,}.",
            code="too_large",
        )
    return "document"


def is_binary(data: bytes) -> bool:
    """Whether text tools skip it: NULs, images, PDF, and data with too many control characters."""
    if b"\0" in data or image_type(data) is not None or b"%PDF-" in data[:1024]:
        return True
    return not is_text(data[:SAMPLE_BYTES])


def has_utf16_mark(sample: bytes) -> bool:
    """Whether a byte order mark shows that the NULs are those of UTF-16."""
    return sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _is_utf8(sample: bytes) -> bool:
    whole = len(sample) < SAMPLE_BYTES
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=whole)
    except UnicodeDecodeError:
        return False
    return True


def document_lines(data: bytes, shown: str, enough: Enough) -> tuple[list[str], bool]:
    """The lines of a document as indexed, up to `enough`, and whether they are all."""
    try:
        lines, complete = parsed_lines(data, shown, enough)
    except UnreadableDocument as error:
        raise Refused(
            f"{named(shown)} cannot be read ({error}).", "Use another file.", code="unreadable"
        ) from None
    except CorpusError as error:
        raise Refused(
            f"{named(shown)} cannot be read: {error.message}",
            "Read plain text instead.",
            code="unreadable",
        ) from None
    return [line.text for line in lines], complete


MAX_WHOLE_BYTES = 16 * 2**20  # read whole: can be edited, and compared by content
_BLOCK_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file at one moment: equal `state` means equal content; `data` is None if too large."""

    state: str
    size: int
    data: bytes | None


def snapshot(descriptor: int) -> Snapshot:
    """The snapshot of an open file, read whole up to MAX_WHOLE_BYTES; does not close it."""
    info = os.fstat(descriptor)
    if info.st_size <= MAX_WHOLE_BYTES:
        os.lseek(descriptor, 0, os.SEEK_SET)
        data = read_up_to(descriptor, MAX_WHOLE_BYTES + 1)
        if len(data) <= MAX_WHOLE_BYTES:
            return Snapshot(hashlib.sha256(data).hexdigest(), len(data), data)
        info = os.fstat(descriptor)
    times = f"{info.st_mtime_ns}:{info.st_ctime_ns}"
    return Snapshot(f"{info.st_dev}:{info.st_ino}:{info.st_size}:{times}", info.st_size, None)


def read_up_to(descriptor: int, size: int) -> bytes:
    """The next `size` bytes, fewer at the end of the file."""
    parts: list[bytes] = []
    while size and (part := os.read(descriptor, min(size, _BLOCK_BYTES))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Ledger:
    """What one conversation was given and has seen."""

    def __init__(self) -> None:
        self._given: set[tuple[Path, int, int, str]] = set()
        self._seen: dict[Path, str] = {}

    def holds(self, path: Path, offset: int, limit: int, state: str) -> bool:
        """Whether this window of the file in this state was returned before."""
        return (path, offset, limit, state) in self._given

    def give(self, path: Path, offset: int, limit: int, state: str) -> None:
        """Record that a window is returned, and the file seen with it."""
        self._given.add((path, offset, limit, state))
        self.see(path, state)

    def see(self, path: Path, state: str) -> None:
        """Record the state in which the conversation has seen the file."""
        self._seen[path] = state

    def seen(self, path: Path) -> str | None:
        """The state in which the file was last seen, None if never."""
        return self._seen.get(path)

    def forget_windows(self) -> None:
        """Record that the windows left the context; the seen states stay."""
        self._given.clear()
