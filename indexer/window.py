"""A window of a document: the consecutive lines that one read gives, and their arithmetic. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from indexer.errors import Refused
from indexer.records import Line

MAX_WINDOW_LINES = 2_000
MAX_WINDOW_BYTES = 51_200  # UTF-8, line ends included


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive lines of one document; `offset` is the 1-based number of the first.

    `next_offset` is the offset of the following window, None at the end. `stale` is set if the file
    changed after it was indexed: the lines are then the current ones.
    """

    source: str
    offset: int
    lines: tuple[Line, ...]
    total: int
    next_offset: int | None
    stale: bool = False


def check_numbers(offset: int, limit: int) -> None:
    """Raise Refused for numbers below 1."""
    for name, number, hint in (
        ("offset", offset, "Lines are counted from 1."),
        ("limit", limit, f"Use limit={MAX_WINDOW_LINES}."),
    ):
        if number < 1:
            message = f"{name} must be 1 or more, not {number}."
            raise Refused(message, hint, code="bad_argument")


def cut_window(
    source: str,
    lines: Sequence[Line],
    offset: int,
    limit: int,
    *,
    stale: bool = False,
    quote: Callable[[str], str] = repr,
) -> Window:
    """The window of `lines` at `offset`: `limit` lines, 2,000 lines or 50 KB, whichever is first.

    It has at least one line, so that following `next_offset` ends. Raises Refused beyond the end.
    """
    check_numbers(offset, limit)
    total = len(lines)
    if offset > max(total, 1):
        length = f"{total} line" if total == 1 else f"{total} lines"
        raise Refused(
            f"Line {offset} is beyond the end of {quote(source)} ({length}).",
            f"Begin at a line from 1 to {total}.",
            code="beyond_end",
        )
    last = min(offset - 1 + min(limit, MAX_WINDOW_LINES), total)
    texts = (line.text for line in lines[offset - 1 : last])
    end = min(last, offset - 1 + fitting(texts, MAX_WINDOW_BYTES, bytes_of))
    next_offset = end + 1 if end < total else None
    return Window(source, offset, tuple(lines[offset - 1 : end]), total, next_offset, stale)


def fills_window(offset: int, limit: int) -> Callable[[int, int], bool]:
    """A predicate on the lines and characters read so far: whether the window can be cut."""
    last = offset - 1 + min(limit, MAX_WINDOW_LINES)
    start = 0 if offset == 1 else None  # characters up to the first batch's end in the window

    def enough(lines: int, chars: int) -> bool:
        nonlocal start
        if start is None and lines >= offset - 1:
            start = chars
        return lines >= last or (start is not None and chars - start >= MAX_WINDOW_BYTES)

    return enough


def bytes_of(text: str) -> int:
    """The size of a text in UTF-8."""
    return len(text.encode())


def narrowed(window: Window, most: int, size: Callable[[str], int] = bytes_of) -> Window:
    """The beginning of a window that holds lines: as many as fit into `most`, at least one."""
    count = fitting((line.text for line in window.lines), most, size)
    if count >= len(window.lines):
        return window
    return replace(window, lines=window.lines[:count], next_offset=window.offset + count)


def fitting(texts: Iterable[str], most: int, size: Callable[[str], int]) -> int:
    """How many of the texts fit, each with its line end; the first does in any case."""
    sizes = accumulate(size(text) + 1 for text in texts)
    return max(1, sum(1 for _ in takewhile(most.__ge__, sizes)))
