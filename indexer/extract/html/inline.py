"""The text of a block of HTML while it is read: what is struck out, and readings beside words.

Text that is struck out stands between the signs that Markdown has for it, `~~900~~ 950`. Readings
(furigana) stand behind the whole word that they belong to, so that the word can be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

_STRUCK = frozenset({"del", "s", "strike"})


def strikes(tag: str, named: Mapping[str, str]) -> bool:
    """Whether an element strikes its text out."""
    return tag in _STRUCK or "line-through" in named.get("style", "").lower()


class Inline:
    """The pieces of one block."""

    def __init__(self) -> None:
        self._pieces: list[tuple[str, bool]] = []
        self._readings: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._pieces or self._readings)

    def add(self, text: str, struck: bool = False, in_ruby: bool = False) -> None:
        """Add text; within a word with readings, `in_ruby`, white space does not count."""
        if in_ruby and not text.strip():
            return
        if not in_ruby:
            self._end_word()
        self._pieces.append((text, struck))

    def read(self, reading: str) -> None:
        """Add the reading of a word."""
        self._readings.append(reading.strip())

    def taken(self) -> str:
        """The text, which begins anew."""
        self._end_word()
        pieces, self._pieces = self._pieces, []
        runs = (
            (struck, "".join(text for text, _ in run))
            for struck, run in groupby(pieces, key=lambda piece: piece[1])
        )
        return "".join(_struck(text) if struck else text for struck, text in runs)

    def _end_word(self) -> None:
        readings, self._readings = "".join(self._readings), []
        if readings:
            self._pieces.append((f"({readings})", False))


def _struck(text: str) -> str:
    """Each line of a text between the signs, blanks outside of them."""
    lines = []
    for line in text.split("\n"):
        shown = line.strip()
        lines.append(line.replace(shown, f"~~{shown}~~", 1) if shown else line)
    return "\n".join(lines)
