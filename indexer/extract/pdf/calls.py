"""pdfium's functions over all objects of a page at once, as numbers. Decides nothing.

pypdfium2's own check each argument and make a typed pointer of each result, which takes longer than
the call. Objects are addresses here: thousands of ctypes instances keep Python's collector busy.
"""

from __future__ import annotations

import ctypes
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pypdfium2

TEXT, PATH, IMAGE, SHADING, FORM = range(1, 6)  # FPDF_PAGEOBJ_…
MAX_OBJECTS = 500_000  # of a page, or of a form, that are looked at

Matrix = tuple[float, float, float, float, float, float]  # PDF 32000, 8.3.3
Box = tuple[float, float, float, float]  # left, bottom, right, top


@cache
def quick(name: str, result: Any = ctypes.c_int) -> Callable[..., Any]:  # noqa: ANN401 - a C type
    """The function of that name, which takes an object or a page first, as an address.

    Its other arguments are ctypes instances, references, or 32-bit integers.
    """
    import pypdfium2.raw as pdfium

    address = ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
    assert address  # it was found when pypdfium2 was imported
    return ctypes.PYFUNCTYPE(result, ctypes.c_void_p)(address)


class Cells:
    """Room for `width` numbers of each of many objects, kept from page to page."""

    def __init__(self, kind: Any, width: int, *wanted: int) -> None:  # noqa: ANN401 - a C type
        self._kind, self._width, self._wanted = kind, width, wanted
        self._cells: Any = None
        self._places: list[list[Any]] = []
        self._size = 0

    def filled(self, name: str, objects: Sequence[int]) -> array[Any]:
        """What that function writes for each object into the wanted cells, all in one row.

        Where it writes nothing, numbers are the largest, -1, or none (NaN).
        """
        number = len(objects)
        if number > self._size:
            each = ctypes.sizeof(self._kind)
            self._size = max(number, 1_000, min(2 * self._size, 100_000))
            self._cells = (self._kind * (self._width * self._size))()
            self._places = [
                [
                    ctypes.byref(self._cells, each * (self._width * at + cell))
                    for at in range(self._size)
                ]
                for cell in self._wanted
            ]
        values = array(self._kind._type_)
        if number:
            ctypes.memset(self._cells, 0xFF, number * self._width * values.itemsize)
            deque(map(quick(name), objects, *self._places), maxlen=0)
            room = memoryview(self._cells).cast("B")
            values.frombytes(room[: number * self._width * values.itemsize])
        return values


_COLOURS = Cells(ctypes.c_uint, 4, 0, 1, 2, 3)
_DRAW_MODES = Cells(ctypes.c_int, 2, 0, 1)  # filled, stroked
_SIZES = Cells(ctypes.c_float, 1, 0)
_MATRICES = Cells(ctypes.c_float, 6, 0)
_BOXES = Cells(ctypes.c_float, 4, 0, 1, 2, 3)


def address_of(raw: Any) -> int:  # noqa: ANN401 - a pointer
    """A page, document or text page of pypdfium2 as a number."""
    return ctypes.cast(raw, ctypes.c_void_p).value or 0


def count_objects(page: pypdfium2.PdfPage) -> int:
    """How many objects the page has."""
    return int(quick("FPDFPage_CountObjects")(address_of(page.raw)))


def objects_of(page: pypdfium2.PdfPage) -> list[int]:
    """The page's objects in the order in which they are drawn."""
    raw = address_of(page.raw)
    number = min(count_objects(page), MAX_OBJECTS)
    get = quick("FPDFPage_GetObject", ctypes.c_void_p)
    return list(map(get, repeat(raw, number), range(number)))


def objects_in(form: int) -> list[int]:
    """The objects of a form."""
    get = quick("FPDFFormObj_GetObject", ctypes.c_void_p)
    number = min(quick("FPDFFormObj_CountObjects")(form), MAX_OBJECTS)
    return [get(form, ctypes.c_ulong(index)) for index in range(number)]


def modes(objects: Sequence[int]) -> list[int]:
    """How each text is rendered (PDF 32000, 9.3.6); -1 for what is no text."""
    return list(map(quick("FPDFTextObj_GetTextRenderMode"), objects))


def kinds(objects: Sequence[int]) -> list[int]:
    """TEXT, PATH, IMAGE, SHADING or FORM, of each."""
    return list(map(quick("FPDFPageObj_GetType"), objects))


def colours(objects: Sequence[int], of: str = "Fill") -> array[int]:
    """Red, green, blue and alpha of all in one row, of their "Fill" or "Stroke"."""
    return _COLOURS.filled(f"FPDFPageObj_Get{of}Color", objects)


def boxes(objects: Sequence[int]) -> array[float]:
    """Left, bottom, right and top of all in one row, in the space that each is drawn in."""
    return _BOXES.filled("FPDFPageObj_GetBounds", objects)


def matrices(objects: Sequence[int]) -> array[float]:
    """What the own space of each is multiplied by, six numbers of each."""
    return _MATRICES.filled("FPDFPageObj_GetMatrix", objects)


def sizes(texts: Sequence[int]) -> array[float]:
    """The size that the font of each is set to."""
    return _SIZES.filled("FPDFTextObj_GetFontSize", texts)


def filled(paths: Sequence[int]) -> list[bool]:
    """Whether the inside of each path is painted."""
    return [mode > 0 for mode in _DRAW_MODES.filled("FPDFPath_GetDrawMode", paths)[0::2]]


def is_plain(drawn: int) -> bool:
    """Whether nothing is seen through an object, nor it through a mask."""
    return int(quick("FPDFPageObj_HasTransparency")(drawn)) == 0


def is_rectangle(path: int) -> bool:
    """Whether a path has the corners of a rectangle alone."""
    get = quick("FPDFPath_GetPathSegment", ctypes.c_void_p)
    return _upright(_points(get, (path,), quick("FPDFPath_CountSegments")(path)))


def has_font_file(text: int) -> bool:
    """Whether its letters are outlines in its colour; those of Type 3 may have others."""
    font, size = quick("FPDFTextObj_GetFont", ctypes.c_void_p)(text), ctypes.c_size_t()
    known = font and quick("FPDFFont_GetFontData")(
        font, None, ctypes.c_size_t(0), ctypes.byref(size)
    )
    return bool(known) and size.value > 0


def remove(page: pypdfium2.PdfPage, drawn: int, form: int) -> None:
    """Take an object off the page, or out of its form (0: it is in none), in memory."""
    if not form:
        removed = quick("FPDFPage_RemoveObject")(address_of(page.raw), ctypes.c_void_p(drawn))
    else:
        removed = quick("FPDFFormObj_RemoveObject")(form, ctypes.c_void_p(drawn))
    if removed:
        quick("FPDFPageObj_Destroy", None)(drawn)


def text_of(drawn: int, text_page: pypdfium2.PdfTextPage) -> str:
    """What a text reads."""
    get, raw = quick("FPDFTextObj_GetText"), ctypes.c_void_p(address_of(text_page.raw))
    size = get(drawn, raw, None, ctypes.c_ulong(0))  # in bytes
    buffer = ctypes.create_string_buffer(max(2, size))
    get(drawn, raw, buffer, ctypes.c_ulong(size))
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace")


def shown_at(page: pypdfium2.PdfPage) -> Matrix:
    """From a page's own space to where its points are shown, from the upper left corner down."""
    import pypdfium2.raw as pdfium

    fine = 100
    width, height = (round(fine * size) for size in page.get_size())
    x, y = ctypes.c_int(), ctypes.c_int()

    def at(left: float, bottom: float) -> tuple[float, float]:
        pdfium.FPDF_PageToDevice(page, 0, 0, width, height, 0, left, bottom, x, y)
        return x.value / fine, y.value / fine

    e, f = at(0, 0)
    (a, b), (c, d) = at(1_000, 0), at(0, 1_000)
    return (a - e) / 1_000, (b - f) / 1_000, (c - e) / 1_000, (d - f) / 1_000, e, f


def clip_box(drawn: int) -> Box | None:
    """What an object is clipped to; None where that is no upright rectangle."""
    path = quick("FPDFPageObj_GetClipPath", ctypes.c_void_p)(drawn)
    get = quick("FPDFClipPath_GetPathSegment", ctypes.c_void_p)
    left = bottom = float("-inf")
    right = top = float("inf")
    for outline in range(quick("FPDFClipPath_CountPaths")(path)):
        number = quick("FPDFClipPath_CountPathSegments")(path, outline)
        points = _points(get, (path, outline), number)
        if not _upright(points):
            return None
        xs, ys = zip(*points, strict=True)
        left, right = max(left, min(xs)), min(right, max(xs))
        bottom, top = max(bottom, min(ys)), min(top, max(ys))
    return left, bottom, right, top


def _points(get: Callable[..., int], of: tuple[int, ...], number: int) -> list[tuple[float, float]]:
    """The ends of the first segments of an outline, six at most."""
    x, y = ctypes.c_float(), ctypes.c_float()
    points = []
    for index in range(min(number, 6)):
        quick("FPDFPathSegment_GetPoint")(get(*of, index), ctypes.byref(x), ctypes.byref(y))
        points.append((x.value, y.value))
    return points


def _upright(points: Sequence[tuple[float, float]]) -> bool:
    """Whether points are the corners of an upright rectangle."""
    xs, ys = {x for x, _ in points}, {y for _, y in points}
    return 4 <= len(points) <= 5 and max(len(xs), len(ys)) <= 2


def marks_with(key: bytes, objects: Sequence[int]) -> dict[int, tuple[bytes, list[int]]]:
    """The marks around objects that hold a text of that name: it, and those objects in order."""
    numbers = list(map(quick("FPDFPageObj_CountMarks"), objects))
    get = quick("FPDFPageObj_GetMark", ctypes.c_void_p)
    found: dict[int, tuple[bytes, list[int]]] = {}
    for level in range(max(numbers, default=0)):
        marked = [each for each, number in zip(objects, numbers, strict=True) if number > level]
        marks = list(map(get, marked, repeat(ctypes.c_ulong(level))))
        for mark in set(marks):
            if (data := _bytes_in(mark, key)) is not None:
                found[mark] = data, []
        for mark, drawn in zip(marks, marked, strict=True) if found else ():
            if mark in found:
                found[mark][1].append(drawn)
    return found


def _bytes_in(mark: int, key: bytes) -> bytes | None:
    """The text of that name in a mark, as it stands in the file; None where it has none."""
    size, get = ctypes.c_ulong(), quick("FPDFPageObjMark_GetParamBlobValue")
    if not get(mark, key, None, ctypes.c_ulong(0), ctypes.byref(size)):
        return None
    buffer = ctypes.create_string_buffer(max(1, size.value))
    get(mark, key, buffer, ctypes.c_ulong(len(buffer)), ctypes.byref(size))
    return buffer.raw[: size.value]


def without_bytes(drawn: int, mark: int, key: bytes) -> None:
    """Take a text out of a mark, in memory."""
    quick("FPDFPageObjMark_RemoveParam")(drawn, ctypes.c_void_p(mark), key)


def with_bytes(page: pypdfium2.PdfPage, drawn: int, mark: int, key: bytes, data: bytes) -> None:
    """Put a text into a mark, in memory."""
    marked = ctypes.c_void_p(drawn), ctypes.c_void_p(mark)
    set_bytes = quick("FPDFPageObjMark_SetBlobParam")
    set_bytes(address_of(page.pdf.raw), *marked, key, data, ctypes.c_ulong(len(data)))
