"""A window of lines in the form of `cat -n`. Pure; called by reading.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from indexer import MAX_WINDOW_BYTES, MAX_WINDOW_LINES, Refused, check_numbers

MAX_LINE_CHARS = 2_000
CUT = "... (line truncated to 2000 chars)"


@dataclass(frozen=True, slots=True)
class Cut:
    """Numbered lines as text; `next_offset` is the next line, None at the end of the file."""

    text: str
    next_offset: int | None


def lines_window(lines: Iterator[str], offset: int, limit: int) -> Cut:
    """`limit` lines, 2,000 lines or 50 KB, whichever is first; no more are taken than needed.

    Has at least one line, so that paging terminates. Raises Refused for numbers out of range.
    """
    check_numbers(offset, limit)
    shown: list[str] = []
    size = number = 0
    for number, line in enumerate(lines, start=1):
        if number < offset:
            continue
        size += len(line.encode("utf-8", "replace")) + 1
        if len(shown) == min(limit, MAX_WINDOW_LINES) or (shown and size > MAX_WINDOW_BYTES):
            return Cut("\n".join(shown), number)
        text = line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + CUT
        shown.append(f"{number:6d}\t{text}")
    if offset > max(number, 1):
        raise Refused(
            f"offset {offset} is beyond end of file ({number} lines total).",
            f"Use an offset from 1 to {number}." if number else "The file is empty.",
            code="beyond_end",
        )
    return Cut("\n".join(shown), None)


def text_lines(data: bytes) -> Iterator[str]:
    """The lines of a text in UTF-8, without its byte order mark; other bytes become U+FFFD."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return (line.removesuffix("\r") for line in lines)
