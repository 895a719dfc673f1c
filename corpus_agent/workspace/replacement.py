r"""Exact replacement in the bytes of a text, whose line ends a model writes as `\n`; pure."""

from __future__ import annotations

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

    Both strings take the line ends of the file; where it has several kinds, a line feed alone. All
    other bytes stay, those that are not UTF-8 too.
    """
    check_strings(old, new)
    text = data.decode("utf-8", "surrogateescape")
    ending = _CRLF if 0 < text.count("\n") == text.count(_CRLF) else "\n"
    old, new = (part.replace(_CRLF, "\n").replace("\n", ending) for part in (old, new))
    first = text.find(old)
    if first < 0:
        hint = "Read the file again and copy the text exactly, white space included."
        raise Refused("old_string was not found.", hint, code="no_match")
    count = text.count(old)
    if not everywhere and text.find(old, first + 1) >= 0:
        raise Refused(
            f"old_string was found {max(2, count)} times.",
            "Give more of the lines around it, or set replace_all.",
            code="several_matches",
        )
    if not new.isascii() and any("\udc80" <= char <= "\udcff" for char in text):
        raise Refused(
            "This file is not UTF-8.", "Only ASCII text can be written into it.", code="encoding"
        )
    done = text.replace(old, new).encode("utf-8", "surrogateescape")
    return Replaced(done, count, text.count("\n", 0, first) + 1)
