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
from itertools import compress, repeat
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

    def places(self, number: int) -> list[list[Any]]:
        """References to the wanted cells, for at least as many objects."""
        if number > self._size:
            step = self._width * ctypes.sizeof(self._kind)
            self._size = max(number, 1_000, min(2 * self._size, 100_000))
            self._cells = (self._kind * (self._width * self._size))()
            self._places = [
                [
                    ctypes.byref(self._cells, step * at + ctypes.sizeof(self._kind) * cell)
                    for at in range(self._size)
                ]
                for cell in self._wanted
            ]
        return self._places

    def values(self, number: int) -> array[Any]:
        """The numbers of the first so many objects."""
        numbers = array(self._kind._type_)
        size = number * self._width * numbers.itemsize
        if size:
            numbers.frombytes(memoryview(self._cells).cast("B")[:size])
        return numbers


_COLOURS = Cells(ctypes.c_uint, 4, 0, 1, 2, 3)  # red, green, blue, alpha
_CORNERS = Cells(ctypes.c_float, 8, 0)  # x and y of each, from the lower left one around
_DRAW_MODES = Cells(ctypes.c_int, 2, 0, 1)  # filled, stroked
_SIZES = Cells(ctypes.c_float, 7, 0, 1)  # the font's, then the matrix
_BOXES = Cells(ctypes.c_float, 4, 0, 1, 2, 3)  # left, bottom, right, top


def address_of(raw: Any) -> int:  # noqa: ANN401 - a pointer
    """A page, document or text page of pypdfium2 as a number."""
    return ctypes.cast(raw, ctypes.c_void_p).value or 0


def objects_of(page: pypdfium2.PdfPage) -> list[int]:
    """The page's objects in the order in which they are drawn."""
    raw = address_of(page.raw)
    number = min(quick("FPDFPage_CountObjects")(raw), MAX_OBJECTS)
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


def fills(objects: Sequence[int]) -> tuple[list[int], array[int]]:
    """Whether each has a plain colour, and red, green, blue and alpha of all in one row."""
    known = list(map(quick("FPDFPageObj_GetFillColor"), objects, *_COLOURS.places(len(objects))))
    return known, _COLOURS.values(len(objects))


def fill(drawn: int, of: str = "Fill") -> tuple[int, int, int, int] | None:
    """The colour of an object, or of its "Stroke"; None for patterns."""
    places = [place[0] for place in _COLOURS.places(1)]
    if not quick(f"FPDFPageObj_Get{of}Color")(drawn, *places):
        return None
    red, green, blue, alpha = _COLOURS.values(1)
    return red, green, blue, alpha


def corners(objects: Sequence[int]) -> array[float]:
    """X and y of the four corners of each, from the lower left one around."""
    places = _CORNERS.places(len(objects))[0] if objects else []
    deque(map(quick("FPDFPageObj_GetRotatedBounds"), objects, places), maxlen=0)
    return _CORNERS.values(len(objects))


def boxes(objects: Sequence[int]) -> list[Box]:
    """Left, bottom, right and top of each, in the space that it is drawn in."""
    places = _BOXES.places(len(objects))
    known = list(map(quick("FPDFPageObj_GetBounds"), objects, *places))
    values = _BOXES.values(len(objects))
    found = zip(values[0::4], values[1::4], values[2::4], values[3::4], strict=True)
    return [each if has else (0.0,) * 4 for each, has in zip(found, known, strict=True)]


def matrix(drawn: int) -> Matrix:
    """What an object's own space is multiplied by."""
    values = (ctypes.c_float * 6)()
    if not quick("FPDFPageObj_GetMatrix")(drawn, ctypes.byref(values)):
        return (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    a, b, c, d, e, f = values
    return a, b, c, d, e, f


def sizes(texts: Sequence[int]) -> tuple[array[float], list[array[float]]]:
    """The size that the font of each is set to, and the a, b, c and d of the matrices of all."""
    places, matrices = _SIZES.places(len(texts)) if texts else ([], [])
    deque(map(quick("FPDFTextObj_GetFontSize"), texts, places), maxlen=0)
    deque(map(quick("FPDFPageObj_GetMatrix"), texts, matrices), maxlen=0)
    values = _SIZES.values(len(texts))
    return values[0::7], [values[number::7] for number in range(1, 5)]


def filled(paths: Sequence[int]) -> list[bool]:
    """Whether the inside of each path is painted."""
    places = _DRAW_MODES.places(len(paths)) if paths else ([], [])
    deque(map(quick("FPDFPath_GetDrawMode"), paths, *places), maxlen=0)
    return list(map(bool, _DRAW_MODES.values(len(paths))[0::2]))


def is_plain(drawn: int) -> bool:
    """Whether nothing is seen through an object, nor it through a mask."""
    return int(quick("FPDFPageObj_HasTransparency")(drawn)) == 0


def is_rectangle(path: int) -> bool:
    """Whether a path has the corners of a rectangle alone."""
    get = quick("FPDFPath_GetPathSegment", ctypes.c_void_p)
    number = quick("FPDFPath_CountSegments")(path)
    return _upright(_points(get, (path,), number))


def has_font_file(text: int) -> bool:
    """Whether its letters are outlines in its colour; those of Type 3 may have others."""
    font, size = quick("FPDFTextObj_GetFont", ctypes.c_void_p)(text), ctypes.c_size_t()
    room = ctypes.c_size_t(0)
    return (
        bool(font)
        and quick("FPDFFont_GetFontData")(font, None, room, ctypes.byref(size)) != 0
        and size.value > 0
    )


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
    raw, fine = address_of(page.raw), 100
    width, height = (round(fine * size) for size in (page.get_width(), page.get_height()))
    x, y = ctypes.c_int(), ctypes.c_int()

    def at(left: float, bottom: float) -> tuple[float, float]:
        own = ctypes.c_double(left), ctypes.c_double(bottom)
        places = ctypes.byref(x), ctypes.byref(y)
        quick("FPDF_PageToDevice")(raw, 0, 0, width, height, 0, *own, *places)
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


# --- Marks --------------------------------------------------------------------------------------


def marks(objects: Sequence[int]) -> dict[int, list[int]]:
    """The marks of the objects, each with those that it stands around, in their order."""
    numbers = list(map(quick("FPDFPageObj_CountMarks"), objects))
    found: dict[int, list[int]] = {}
    get = quick("FPDFPageObj_GetMark", ctypes.c_void_p)
    for level in range(max(numbers, default=0)):
        for drawn, number in zip(objects, numbers, strict=True):
            if number > level:
                found.setdefault(get(drawn, ctypes.c_ulong(level)), []).append(drawn)
    return found


def marks_with(marks: Sequence[int], key: bytes) -> dict[int, bytes]:
    """The text of that name that marks hold, as it stands in the file, of those that hold one."""
    size, get = ctypes.c_ulong(), quick("FPDFPageObjMark_GetParamBlobValue")
    place, no_room = ctypes.byref(size), ctypes.c_ulong(0)
    known = map(get, marks, repeat(key), repeat(None), repeat(no_room), repeat(place))
    found = {}
    for mark in list(compress(marks, known)):
        get(mark, key, None, no_room, place)
        buffer = ctypes.create_string_buffer(max(1, size.value))
        get(mark, key, buffer, ctypes.c_ulong(len(buffer)), place)
        found[mark] = buffer.raw[: size.value]
    return found


def without_bytes(drawn: int, mark: int, key: bytes) -> None:
    """Take a text out of a mark, in memory."""
    quick("FPDFPageObjMark_RemoveParam")(drawn, ctypes.c_void_p(mark), key)


def with_bytes(page: pypdfium2.PdfPage, drawn: int, mark: int, key: bytes, data: bytes) -> None:
    """Put a text into a mark, in memory."""
    marked = ctypes.c_void_p(drawn), ctypes.c_void_p(mark)
    set_bytes = quick("FPDFPageObjMark_SetBlobParam")
    set_bytes(address_of(page.pdf.raw), *marked, key, data, ctypes.c_ulong(len(data)))
