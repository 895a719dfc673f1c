"""A window of a text in the form of `cat -n`; pure except for reading its stream.

Streams: nothing before or after the window is kept. Does not determine the kind of a file. Called
by reading.py.
"""

from __future__ import annotations

import codecs
import os
from bisect import bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from indexer import MAX_WINDOW_BYTES, MAX_WINDOW_LINES, Refused, check_numbers

MAX_LINE_CHARS = 2_000
CUT = "... (line truncated to 2000 chars)"
_BLOCK_BYTES = 256 * 1024
_LANDMARK_BYTES = 16 * 2**20  # between recorded line starts in a large file
# The longest line that is shown whole: four bytes per character, a byte order mark, a line end.
_HEAD_BYTES = 4 * (MAX_LINE_CHARS + 1) + 2


@dataclass(slots=True)
class Landmarks:
    """The starts of some lines of one file, (line, byte), which make paging fast."""

    _places: list[tuple[int, int]] = field(default_factory=lambda: [(1, 0)])

    def before(self, line: int) -> tuple[int, int]:
        """The last recorded start that is not after `line`."""
        return self._places[bisect_right(self._places, line, key=lambda place: place[0]) - 1]

    def remember(self, line: int, byte: int) -> None:
        """Record a start, unless the file's last one is close."""
        if byte - self.before(line)[1] >= _LANDMARK_BYTES:
            insort(self._places, (line, byte))


@dataclass(frozen=True, slots=True)
class Cut:
    """Numbered lines as text; `next_offset` is the next line, None at the end of the file."""

    text: str
    next_offset: int | None


def stream_window(file: BinaryIO, offset: int, limit: int, landmarks: Landmarks) -> Cut:
    """The window of a file in UTF-8: `limit` lines, 2,000 lines or 50 KB, whichever is first.

    Has at least one line, so that paging terminates. Bytes that are not UTF-8 are shown as U+FFFD.
    Raises Refused for numbers out of range.
    """
    check_numbers(offset, limit)
    _go_to(file, offset, landmarks)
    shown: list[str] = []
    size = 0
    first = file.tell() == 0
    while len(shown) < min(limit, MAX_WINDOW_LINES):
        head = file.readline(_HEAD_BYTES)
        if not head:
            if not shown and offset > 1:
                raise _beyond(offset, offset - 1)
            return Cut("\n".join(shown), None)
        # The first line is read to its end, however long; others only up to the limit.
        size += len(head) + _rest_of_line(file, head, MAX_WINDOW_BYTES - size if shown else None)
        if shown and size > MAX_WINDOW_BYTES:
            return Cut("\n".join(shown), offset + len(shown))
        shown.append(_numbered(offset + len(shown), _decoded(head, first=first and not shown)))
    return Cut("\n".join(shown), offset + len(shown) if file.read(1) else None)


def lines_window(lines: Iterator[str], offset: int, limit: int) -> Cut:
    """The same for an iterator of lines, of which no more than needed are taken."""
    check_numbers(offset, limit)
    shown: list[str] = []
    size = number = 0
    for number, line in enumerate(lines, start=1):
        if number < offset:
            continue
        size += len(line.encode()) + 1
        if len(shown) == min(limit, MAX_WINDOW_LINES) or (shown and size > MAX_WINDOW_BYTES):
            return Cut("\n".join(shown), number)
        shown.append(_numbered(number, line))
    if offset > max(number, 1):
        raise _beyond(offset, number)
    return Cut("\n".join(shown), None)


def _go_to(file: BinaryIO, offset: int, landmarks: Landmarks) -> None:
    """Seek to the start of line `offset`; raises Refused if the file ends before it."""
    line, byte = landmarks.before(offset)
    file.seek(byte)
    complete = True  # whether the skipped text ends with a line end
    while line < offset:
        block = file.read(_BLOCK_BYTES)
        found = block.count(b"\n")
        if not block:
            raise _beyond(offset, line - 1 if complete else line)
        if line + found >= offset:
            rest = block.split(b"\n", offset - line)[-1]
            file.seek(-len(rest), os.SEEK_CUR)
            return
        if found:
            landmarks.remember(line + found, byte + block.rfind(b"\n") + 1)
        line, byte = line + found, byte + len(block)
        complete = block.endswith(b"\n")


def _rest_of_line(file: BinaryIO, head: bytes, budget: int | None) -> int:
    """The number of bytes of the line after its head; counting stops beyond `budget`."""
    rest = 0
    part = head
    while part and not part.endswith(b"\n") and (budget is None or len(head) + rest <= budget):
        part = file.readline(_BLOCK_BYTES)
        rest += len(part)
    return rest


def _decoded(head: bytes, *, first: bool) -> str:
    """The shown text of a line from its `head`; with `first`, without the byte order mark."""
    ended = head.endswith(b"\n")
    cut = not ended and len(head) == _HEAD_BYTES  # possibly inside a character
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(head, final=not cut)
    text = text.removesuffix("\n").removesuffix("\r") if ended else text
    return text.removeprefix("\ufeff") if first else text


def _numbered(number: int, text: str) -> str:
    """The line in the form of `cat -n`."""
    if len(text) > MAX_LINE_CHARS:
        text = text[:MAX_LINE_CHARS] + CUT
    return f"{number:6d}\t{text}"


def _beyond(offset: int, total: int) -> Refused:
    return Refused(
        f"offset {offset} is beyond end of file ({total} lines total).",
        f"Use an offset from 1 to {total}." if total else "The file is empty.",
        code="beyond_end",
    )
