r"""Exact replacement in the bytes of a text, whatever its line ends; pure.

Text is matched with `\n` for every line end. Only the difference between the old and the new
string is replaced, so the lines around it keep their bytes.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass

from indexer import Refused

_CRLF = "\r\n"


@dataclass(frozen=True, slots=True)
class Replaced:
    """The new bytes, the number of replacements, and the line of the first, 1-based."""

    data: bytes
    count: int
    line: int


def check_strings(old: str, new: str) -> None:
    """Raises Refused for an empty or identical string, whatever the file holds."""
    if not old:
        raise Refused(
            "old_string is empty.",
            "Give the exact text to replace; to make a new file, use write.",
            code="bad_argument",
        )
    if old.replace(_CRLF, "\n") == new.replace(_CRLF, "\n"):
        raise Refused(
            "old_string and new_string are identical.", "Nothing would change.", code="unchanged"
        )


def replaced(data: bytes, old: str, new: str, *, everywhere: bool) -> Replaced:
    """`data` with `old` replaced by `new`: the only match, or with `everywhere` each one.

    New line ends take the form of that place; a byte order mark and foreign bytes stay.
    """
    check_strings(old, new)
    text = data.decode("utf-8", "surrogateescape")
    view, old, new = (part.replace(_CRLF, "\n") for part in (text, old, new))
    count = _matches(view, old)
    if not count:
        hint = "Read the file again and copy the text exactly, white space included."
        raise Refused("old_string was not found.", hint, code="no_match")
    if count > 1 and not everywhere:
        raise Refused(
            f"old_string was found {count} times.",
            "Give more of the lines around it, or set replace_all.",
            code="several_matches",
        )
    if not new.isascii() and not _is_utf8(data):
        raise Refused(
            "This file is not UTF-8.", "Only ASCII text can be written into it.", code="encoding"
        )
    count = view.count(old) if everywhere else 1
    done = _spliced(text, view, old, new, count)
    line = view.count("\n", 0, view.index(old)) + 1
    return Replaced(done.encode("utf-8", "surrogateescape"), count, line)


def _matches(view: str, old: str) -> int:
    """How often `old` occurs; a match that overlaps the first counts too."""
    count = view.count(old)
    if count == 1 and view.find(old, view.index(old) + 1) >= 0:
        return 2
    return count


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _spliced(text: str, view: str, old: str, new: str, count: int) -> str:
    """`text` with the first `count` matches of `old` in its `view` replaced."""
    # Where one character of the view is two of the text.
    pairs = array("q", (match.start() - n for n, match in enumerate(re.finditer(_CRLF, text))))
    before = _common(old, new)
    after = _common(old[before:][::-1], new[before:][::-1])
    change = new[before : len(new) - after]
    with_pairs = change.replace("\n", _CRLF)
    last_line_end = view.rfind("\n")
    line_end = -1
    parts: list[str] = []
    done = end = 0
    for _ in range(count):
        found = view.index(old, end)
        end = found + len(old)
        start, stop = found + before, end - after
        if line_end < start:  # the next one; after the last one, the last
            line_end = view.find("\n", start) if start <= last_line_end else last_line_end
        parts.append(text[done : start + bisect_left(pairs, start)])
        parts.append(with_pairs if _holds(pairs, line_end) else change)
        done = stop + bisect_left(pairs, stop)
    return "".join([*parts, text[done:]])


def _holds(places: array[int], wanted: int) -> bool:
    at = bisect_left(places, wanted)
    return at < len(places) and places[at] == wanted


def _common(one: str, other: str) -> int:
    """The length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
