"""Where the characters of a PDF page stand, by their numbers in pdfium's list; see calls.py."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from indexer.extract.pdf.calls import Box, Matrix, address_of, quick

if TYPE_CHECKING:
    import pypdfium2

MAX_PIECES = 600  # of a page that has cells: more are single letters, set one by one
_NUMBERS = (ctypes.c_double * 4)()
_FIRST, _SECOND, _THIRD, _FOURTH = (ctypes.byref(_NUMBERS, 8 * number) for number in range(4))
_REALS = (ctypes.c_float * 6)()
_REAL = ctypes.byref(_REALS)

Piece = tuple[float, float, float]  # of text: its left and right end, the height of its middle


class Places:
    """The characters of a page that is shown upright, of which `text` is what pdfium reads."""

    def __init__(
        self, text_page: pypdfium2.PdfTextPage, page: pypdfium2.PdfPage, text: str
    ) -> None:
        self._raw = address_of(text_page.raw)
        self._turn = _turned(page)
        self.height = float(page.get_height())
        self.count = text_page.count_chars()
        self._code = quick("FPDFText_GetUnicode", ctypes.c_uint)
        self._box = quick("FPDFText_GetCharBox")
        self.is_text = len(text) == self.count  # one for one

    def index(self, place: int) -> int:
        """The number in pdfium's list of the character at a place in the text; -1 for none."""
        if self.is_text:
            return place
        return int(quick("FPDFText_GetCharIndexFromTextIndex")(self._raw, place))

    def char(self, index: int) -> str:
        """A character; "" where there is none."""
        code = self._code(self._raw, index)
        return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else ""

    def box(self, index: int) -> Box:
        """Close around a character, in the page's own space."""
        self._box(self._raw, index, _FIRST, _THIRD, _SECOND, _FOURTH)
        left, bottom, right, top = _NUMBERS
        return left, bottom, right, top

    def extent(self, index: int) -> tuple[float, float]:
        """Left and right end of a character on the page as it is shown."""
        return _across(self._turn, self.box(index))

    def advance(self, index: int) -> tuple[float, float]:
        """The same with the room beside it that belongs to it."""
        quick("FPDFText_GetLooseCharBox")(self._raw, index, _REAL)
        left, top, right, bottom, *_ = _REALS
        return _across(self._turn, (left, bottom, right, top))

    def base(self, index: int) -> tuple[float, float]:
        """Baseline and font size of a character; size 0 where it does not stand upright."""
        quick("FPDFText_GetMatrix")(self._raw, index, _REAL)
        one, two, three, four, *_ = _REALS
        a, b, c, d, _, f = self._turn
        across, along = a * one + c * two, b * one + d * two
        if across <= 0 or abs(along) > 0.1 * across:
            return 0.0, 0.0
        quick("FPDFText_GetCharOrigin")(self._raw, index, _FIRST, _SECOND)
        x, y, *_ = _NUMBERS
        scale = abs(b * three + d * four) or across
        size = quick("FPDFText_GetFontSize", ctypes.c_double)(self._raw, index)
        return b * x + d * y + f, size * scale

    def pieces(self) -> list[Piece]:
        """The pieces of lines in drawing order; none if there are too many."""
        number = quick("FPDFText_CountRects")(self._raw, 0, -1)
        if not 0 < number <= MAX_PIECES:
            return []
        _, b, _, d, _, f = self._turn
        get, found = quick("FPDFText_GetRect"), []
        for index in range(number):
            get(self._raw, index, _FIRST, _FOURTH, _THIRD, _SECOND)
            left, bottom, right, top = _NUMBERS
            middle = (b * (left + right) + d * (bottom + top)) / 2 + f
            found.append((*_across(self._turn, (left, bottom, right, top)), middle))
        return found


def _across(turn: Matrix, box: Box) -> tuple[float, float]:
    """The horizontal extent of a box on the page as it is shown."""
    a, _, c, _, e, _ = turn
    left, bottom, right, top = box
    one, other = a * left + c * bottom + e, a * right + c * top + e
    return (one, other) if one <= other else (other, one)


def _turned(page: pypdfium2.PdfPage) -> Matrix:
    """From a page's own coordinates to those of the page as it is shown."""
    left, bottom, right, top = page.get_cropbox()
    return {
        90: (0.0, -1.0, 1.0, 0.0, -bottom, right),
        180: (-1.0, 0.0, 0.0, -1.0, right, top),
        270: (0.0, 1.0, -1.0, 0.0, top, -left),
    }.get(page.get_rotation(), (1.0, 0.0, 0.0, 1.0, -left, -bottom))
