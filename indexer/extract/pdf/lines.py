"""The lines of a PDF page with their places, as pdfium gives its text.

Puts together what pdfium takes apart: a line with a raised mark in it is one line. Orders nothing.
Called by layout.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import regex

from indexer.extract.pdf.characters import Chars

if TYPE_CHECKING:
    import pypdfium2

# pdfium ends a line with a line end, or with one of these where a hyphen divided a word.
HYPHENS = ("\ufffe", "\x02")
_LINE = regex.compile(r"[^\r\n\ufffe\x02]*(?:[\ufffe\x02]?(?:\r\n?|\n)|[\ufffe\x02]|$)")
MAX_GAP = 2.0  # font sizes between a raised sign and the line that goes on behind it
CLOSE = 0.15  # font sizes between a raised mark and its word

Transform = tuple[float, float, float, float, float, float]  # PDF 32000, 8.3.3


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of a page: its text and where it stands, in points from the page's lower left corner.

    `base` is its baseline and `size` its font size; 0 where the place is not known, or the line is
    not upright. The text ends with one of HYPHENS where a hyphen divided its last word. `start` and
    `end` are the numbers of its first and last character in pdfium's list.
    """

    text: str
    left: float = 0.0
    right: float = 0.0
    base: float = 0.0
    size: float = 0.0
    start: int = -1
    end: int = -1

    @property
    def top(self) -> float:
        """About the height of a capital above its baseline."""
        return self.base + 0.7 * self.size

    @property
    def bottom(self) -> float:
        """About where its descenders end."""
        return self.base - 0.2 * self.size

    def over(self, other: PlacedLine) -> bool:
        """Whether it stands above the other or below it, in part at least."""
        return min(self.right, other.right) > max(self.left, other.left)

    def beside(self, other: PlacedLine) -> bool:
        """Whether both stand on one line, raised or lowered signs included."""
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return shared > 0.5 * min(self.size, other.size)


def joined(lines: Sequence[PlacedLine]) -> str:
    """The text of lines; what a hyphen divided stays on one line."""
    return "".join(
        line.text if line.text.endswith(HYPHENS) else f"{line.text}\n" for line in lines
    ).removesuffix("\n")


def placed_lines(text: str, places: Places, from_right: bool = False) -> list[PlacedLine]:
    """The lines of `text`, which is pdfium's for the page, in its order.

    Those of a page that is read `from_right` may go on at either end.
    """
    lines = []
    start = 0
    for match in _LINE.finditer(text):
        shown = match[0].rstrip("\r\n")
        if shown.strip():
            line = _placed(shown, start, places)
            lines.append(_wide(line, places) if from_right and line.size else line)
        start = match.end()
    return list(_whole(lines, places, from_right))


def _placed(text: str, start: int, places: Places) -> PlacedLine:
    """A line with its place; `start` is where it begins in the page's text."""
    shown = text.rstrip(" \t\ufffe\x02") or text
    first = start + len(text) - len(text.lstrip())
    last = start + len(shown) - 1
    ends = [places.index(first, text[first - start]), places.index(last, shown[-1])]
    if -1 in ends:
        return PlacedLine(text)
    lefts, rights = zip(*map(places.extent, ends), strict=True)
    base, size = places.base(places.shown((ends[0] + ends[1]) // 2, ends[1]))
    return PlacedLine(text, min(lefts), max(rights), base, size, ends[0], ends[1])


def _wide(line: PlacedLine, places: Places) -> PlacedLine:
    """The line with its true ends, which are not those of its first and last character."""
    extents = [
        places.extent(index)
        for index in range(line.start, line.end + 1)
        if places.char(index).strip()
    ]
    return replace(
        line, left=min(left for left, _ in extents), right=max(right for _, right in extents)
    )


def _whole(lines: Sequence[PlacedLine], places: Places, from_right: bool) -> Iterator[PlacedLine]:
    """The lines, with those put together that a raised or lowered sign divides."""
    before: PlacedLine | None = None
    for line in lines:
        gap = None if before is None else _gap(before, line, places, from_right)
        if before is None or gap is None:
            if before is not None:
                yield before
            before = line
            continue
        # A mark behind a figure is no digit of it.
        digits = before.text[-1].isdigit() and line.text[0].isdigit()
        apart = gap > CLOSE * line.size or digits
        between = " " if apart and not before.text.endswith(" ") else ""
        longer = max(before, line, key=lambda each: each.right - each.left)
        before = replace(
            longer,
            text=before.text + between + line.text,
            left=min(before.left, line.left),
            right=max(before.right, line.right),
            start=before.start,
            end=line.end,
        )
    if before is not None:
        yield before


def _gap(before: PlacedLine, line: PlacedLine, places: Places, from_right: bool) -> float | None:
    """The room between a line and the piece that goes on after it; None if none does.

    A sign that is set higher, lower or smaller than what it follows starts a new line for pdfium.
    """
    if not before.size or not line.size or before.text.endswith(HYPHENS):
        return None
    if not before.beside(line):
        return None
    (base, size), (next_base, next_size) = places.base(before.end), places.base(line.start)
    if abs(base - next_base) <= 0.05 * max(size, next_size):
        return None
    gap = places.extent(line.start)[0] - places.extent(before.end)[1]
    if from_right:
        gap = max(line.left - before.right, before.left - line.right)
    return gap if -0.2 * size < gap < MAX_GAP * max(size, next_size) else None


class Places:
    """Where pdfium's characters stand on a page that is shown upright."""

    def __init__(self, text_page: pypdfium2.PdfTextPage, page: pypdfium2.PdfPage) -> None:
        self._chars = Chars(text_page)
        self._turn = _turned(page)
        self.height = float(page.get_height())

    def index(self, place: int, char: str) -> int:
        """The number in pdfium's list of the character at a place in the text; -1 if another."""
        index = self._chars.index(place)
        if index < 0 or self._chars.code(index) != ord(char):
            return -1
        return index

    def char(self, index: int) -> str:
        """A character; "" where there is none."""
        code = self._chars.code(index)
        return chr(code) if 0 < code <= 0x10FFFF else ""

    def shown(self, index: int, end: int) -> int:
        """The first character from `index` to `end` that the page shows."""
        while index < end and not self.char(index).strip():
            index += 1
        return index

    def count(self) -> int:
        """How many characters pdfium lists."""
        return self._chars.count()

    def kind(self, index: int) -> tuple[float, bool]:
        """The font's size as it is set, and whether pdfium has added the character."""
        return self._chars.size(index), self._chars.is_generated(index)

    def extent_of(
        self, left: float, bottom: float, right: float, top: float
    ) -> tuple[float, float, float]:
        """Left and right end of a box on the page as it is shown, and the height of its middle."""
        _, b, _, d, _, f = self._turn
        middle = b * (left + right) / 2 + d * (bottom + top) / 2 + f
        return (*_across(self._turn, left, bottom, right, top), middle)

    def extent(self, index: int) -> tuple[float, float]:
        """Left and right end of a character."""
        return _across(self._turn, *self._chars.box(index))

    def advance(self, index: int) -> tuple[float, float]:
        """Left and right end of a character with the room beside it that belongs to it."""
        return _across(self._turn, *self._chars.loose_box(index))

    def base(self, index: int) -> tuple[float, float]:
        """Baseline and font size of a character; size 0 where it does not stand upright."""
        one, two, three, four = self._chars.matrix(index)
        a, b, c, d, _, f = self._turn
        across, along = a * one + c * two, b * one + d * two
        if across <= 0 or abs(along) > 0.1 * across:
            return 0.0, 0.0
        x, y = self._chars.origin(index)
        scale = abs(b * three + d * four) or across
        return b * x + d * y + f, self._chars.size(index) * scale


def _across(
    turn: Transform, left: float, bottom: float, right: float, top: float
) -> tuple[float, float]:
    """The horizontal extent of a box on the page as it is shown."""
    a, _, c, _, e, _ = turn
    one, other = a * left + c * bottom + e, a * right + c * top + e
    return (one, other) if one <= other else (other, one)


def _turned(page: pypdfium2.PdfPage) -> Transform:
    """From a page's own coordinates to those of the page as it is shown."""
    left, bottom, right, top = page.get_cropbox()
    return {
        90: (0.0, -1.0, 1.0, 0.0, -bottom, right),
        180: (-1.0, 0.0, 0.0, -1.0, right, top),
        270: (0.0, 1.0, -1.0, 0.0, top, -left),
    }.get(page.get_rotation(), (1.0, 0.0, 0.0, 1.0, -left, -bottom))
