"""Where recognised words stand on a page: from the upright sheet back to the page as shown. Pure.

A page is turned and put straight before it is read; what is outlined is the page as it was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from indexer.extract.ocr.reading_order import UNREADABLE, Piece

DIGITS = 5  # of a share: a tenth of a point of the largest picture
_WORD = re.compile(r"\S+")


class PlacedText(NamedTuple):
    """A word, the number of its line among those of its page, and its box.

    Left, top, right and bottom are shares of the page as it is shown.
    """

    line: int
    left: float
    top: float
    right: float
    bottom: float
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """An upright picture of a page: its size, and how it was turned to be read.

    `turned_degrees` is a multiple of 90, against the clock; `skew` is the slant in radians of what
    was put straight after that.
    """

    width: int
    height: int
    turned_degrees: int = 0
    skew: float = 0.0

    def placed(
        self, line: int, box: tuple[float, float, float, float], text: str
    ) -> PlacedText | None:
        """A word whose box is in points of the sheet; None where none of it is on the page."""
        left, top, right, bottom = box
        corners = [self._shown(x, y) for x in (left, right) for y in (top, bottom)]
        xs, ys = (
            [min(1.0, max(0.0, place)) for place in axis] for axis in zip(*corners, strict=True)
        )
        left, right = round(min(xs), DIGITS), round(max(xs), DIGITS)
        top, bottom = round(min(ys), DIGITS), round(max(ys), DIGITS)
        found = PlacedText(line, left, top, right, bottom, text)
        return found if found.left < found.right and found.top < found.bottom else None

    def _shown(self, x: float, y: float) -> tuple[float, float]:
        """A place of the sheet as shares of the page."""
        cos, sin = math.cos(self.skew), math.sin(self.skew)
        across, down = (x * cos - y * sin) / self.width, (x * sin + y * cos) / self.height
        return {
            0: (across, down),
            90: (1 - down, across),
            180: (1 - across, 1 - down),
            270: (down, 1 - across),
        }[self.turned_degrees]


def words_of_pieces(rows: Sequence[Sequence[Piece]], sheet: Sheet) -> list[PlacedText]:
    """The words of a page's lines, in their order."""
    placed = (
        sheet.placed(number, (left, piece.top, right, piece.bottom), text)
        for number, row in enumerate(rows)
        for piece in row
        if piece.text != UNREADABLE
        for left, right, text in _words(piece)
    )
    return [word for word in placed if word is not None]


def _words(piece: Piece) -> Iterator[tuple[float, float, str]]:
    """Left, right and text of each word; of letters without a place by their number."""
    step, seen = (piece.right - piece.left) / len(piece.text), 0
    for word in _WORD.finditer(piece.text):
        first, seen = seen, seen + len(word[0])
        found = piece.span(first, seen - 1)
        yield *(found or (piece.left + at * step for at in word.span())), word[0]
