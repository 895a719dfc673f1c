"""The read tool: a window of a text or document, an image as an attachment, or a refusal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from corpus_agent.workspace.content import document_lines, image_type, kind_of, sample_of
from corpus_agent.workspace.ledger import MAX_WHOLE_BYTES, FileState, Ledger, snapshot
from corpus_agent.workspace.roots import (
    Workspace,
    WorkspacePath,
    explained,
    folder_refused,
    is_folder,
    named,
    open_place,
)
from indexer import MAX_WINDOW_BYTES, MAX_WINDOW_LINES, Refused, check_numbers, fills_window

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
    file: BinaryIO, place: WorkspacePath, now: FileState, offset: int, limit: int
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


def _image(place: WorkspacePath, now: FileState, media_type: str | None) -> Attachment:
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
