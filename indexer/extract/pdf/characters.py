"""The characters of a page and their places, as pdfium lists them. Quick: see calls.py."""

from __future__ import annotations

import ctypes
from itertools import repeat
from typing import TYPE_CHECKING

from indexer.extract.pdf.calls import address_of, quick

if TYPE_CHECKING:
    import pypdfium2

_NUMBERS = (ctypes.c_double * 4)()
_BOX_PLACES = [ctypes.byref(_NUMBERS, 8 * number) for number in range(4)]
_REALS = (ctypes.c_float * 6)()
_REAL_PLACE = ctypes.byref(_REALS)


def boxes(text_page: pypdfium2.PdfTextPage, number: int) -> list[tuple[float, ...]]:
    """Left, bottom, right and top of the first so many pieces of a page's text."""
    raw, get = address_of(text_page.raw), quick("FPDFText_GetRect")
    left, bottom, right, top = _BOX_PLACES
    found = []
    for index in range(number):
        get(raw, index, left, top, right, bottom)
        found.append(tuple(_NUMBERS))
    return found


class Chars:
    """The characters of a page by their numbers in pdfium's list; boxes are left, bottom, right,
    top in the page's own space.
    """

    def __init__(self, text_page: pypdfium2.PdfTextPage) -> None:
        self._page = text_page
        self._raw = address_of(text_page.raw)
        self._index = quick("FPDFText_GetCharIndexFromTextIndex")
        self._code = quick("FPDFText_GetUnicode", ctypes.c_uint)
        self._box = quick("FPDFText_GetCharBox")
        self._matrix = quick("FPDFText_GetMatrix")
        self._origin = quick("FPDFText_GetCharOrigin")
        self._size = quick("FPDFText_GetFontSize", ctypes.c_double)

    def count(self) -> int:
        """How many there are."""
        return int(self._page.count_chars())

    def index(self, place: int) -> int:
        """The character at a place in the page's text; -1 for none."""
        return int(self._index(self._raw, place))

    def place(self, index: int) -> int:
        """The place of a character in the page's text; -1 for none."""
        return int(quick("FPDFText_GetTextIndexFromCharIndex")(self._raw, index))

    def code(self, index: int) -> int:
        """In Unicode; 0 for none."""
        return int(self._code(self._raw, index))

    def is_guessed(self, index: int) -> bool:
        """Whether the file does not say what its glyph reads."""
        return int(quick("FPDFText_HasUnicodeMapError")(self._raw, index)) == 1

    def is_generated(self, index: int) -> bool:
        """Whether pdfium has added it."""
        return int(quick("FPDFText_IsGenerated")(self._raw, index)) == 1

    def texts(self) -> list[int]:
        """The text that each is of; 0 for those that pdfium has added."""
        get, number = quick("FPDFText_GetTextObject", ctypes.c_void_p), self.count()
        return [each or 0 for each in map(get, repeat(self._raw, number), range(number))]

    def size(self, index: int) -> float:
        """The font's size as it is set."""
        return float(self._size(self._raw, index))

    def box(self, index: int) -> tuple[float, float, float, float]:
        """Close around it."""
        self._box(self._raw, index, *_BOX_PLACES)
        left, right, bottom, top = _NUMBERS
        return left, bottom, right, top

    def loose_box(self, index: int) -> tuple[float, float, float, float]:
        """With the room beside it that belongs to it."""
        quick("FPDFText_GetLooseCharBox")(self._raw, index, _REAL_PLACE)
        left, top, right, bottom, *_ = _REALS
        return left, bottom, right, top

    def matrix(self, index: int) -> tuple[float, float, float, float]:
        """What turns and scales it: a, b, c, d."""
        self._matrix(self._raw, index, _REAL_PLACE)
        a, b, c, d, *_ = _REALS
        return a, b, c, d

    def origin(self, index: int) -> tuple[float, float]:
        """Where it starts on its baseline."""
        self._origin(self._raw, index, *_BOX_PLACES[:2])
        return _NUMBERS[0], _NUMBERS[1]
