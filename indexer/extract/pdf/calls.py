"""pdfium's functions over all objects of a page at once, as numbers. Decides nothing.

pypdfium2's own check each argument and make a typed pointer of each result, which takes longer than
the call. Objects are arguments of ctypes here, made once: Python's collector does not look at them.
"""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pypdfium2

TEXT, PATH, IMAGE, SHADING, FORM = range(1, 6)  # FPDF_PAGEOBJ_…
NO_TEXT = b"\xff"  # FPDF_TEXTRENDERMODE_UNKNOWN
AT_ONCE = 256  # objects: what is written of them stays in the processor's cache
FAR = 1e30  # beyond any place; it can be moved, as what is infinite cannot
MAX_OBJECTS = 500_000  # of a page, or of a form, that are looked at

Matrix = tuple[float, float, float, float, float, float]  # PDF 32000, 8.3.3
Box = tuple[float, float, float, float]  # left, bottom, right, top
LayersOff = Callable[[], Collection[str]]  # asked for their names when a page has layers


Drawn = Any  # an object of a page, a page, a text page or a mark, as an argument
argument: Callable[[int], Drawn] = ctypes.c_void_p.from_param


@cache
def quick(name: str, result: Any = ctypes.c_int) -> Callable[..., Any]:  # noqa: ANN401 - a C type
    """The function of that name, which takes numbers that are an `int` in C, and arguments."""
    import pypdfium2.raw as pdfium

    address = ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
    assert address  # it was found when pypdfium2 was imported
    return ctypes.PYFUNCTYPE(result)(address)


class Cells:
    """Room for the `width` numbers that functions write of an object, for some at a time."""

    def __init__(self, kind: Any, width: int, **orders: Sequence[int]) -> None:  # noqa: ANN401 - a C type
        """Each function is given the addresses of these numbers in this order."""
        self._code = kind._type_
        self._cells = (kind * (width * AT_ONCE))()
        self._room = memoryview(self._cells).cast("B")
        size = ctypes.sizeof(kind)
        self._bytes = width * size
        starts = range(0, len(self._room), self._bytes)
        self._places = {
            name: [[ctypes.byref(self._cells, at + size * cell) for at in starts] for cell in order]
            for name, order in orders.items()
        }

    def of(self, objects: Sequence[Drawn]) -> array[Any]:
        """The numbers of all objects in one row.

        Where nothing is written, they are the largest, -1, or none (NaN).
        """
        values = array(self._code)
        for start in range(0, len(objects), AT_ONCE):
            some = objects[start : start + AT_ONCE]
            room = self._room[: len(some) * self._bytes]
            ctypes.memset(self._cells, 0xFF, len(room))
            for name, places in self._places.items():
                deque(map(quick(name, None), some, *places), maxlen=0)
            values.frombytes(room)
        return values


# Of all objects in one row: red, green, blue and alpha; left, bottom, right and top in the space
# that each is drawn in; the size that its font is set to, and what its own space is multiplied by.
_EACH = range(4)
fill_colours = Cells(ctypes.c_uint, 4, FPDFPageObj_GetFillColor=_EACH).of
stroke_colours = Cells(ctypes.c_uint, 4, FPDFPageObj_GetStrokeColor=_EACH).of
boxes = Cells(ctypes.c_float, 4, FPDFPageObj_GetBounds=_EACH).of
scales = Cells(ctypes.c_float, 7, FPDFTextObj_GetFontSize=(0,), FPDFPageObj_GetMatrix=(1,)).of
draw_modes = Cells(ctypes.c_int, 2, FPDFPath_GetDrawMode=range(2)).of  # filled, stroked


def fours(values: array[Any]) -> Iterator[tuple[Any, ...]]:
    """Four numbers at a time."""
    return struct.iter_unpack(f"4{values.typecode}", values)


def of_helper(helper: pypdfium2.PdfPage | pypdfium2.PdfTextPage) -> Drawn:
    """A page or text page of pypdfium2."""
    return argument(ctypes.cast(helper.raw, ctypes.c_void_p).value or 0)


def objects_of(drawn: Drawn, kind: str = "Page") -> list[Drawn]:
    """The objects of a page, or of a form, in the order in which they are drawn."""
    number = min(quick(f"FPDF{kind}_CountObjects")(drawn), MAX_OBJECTS)
    get = quick(f"FPDF{kind}_GetObject", ctypes.c_void_p)
    places = range(number) if kind == "Page" else map(ctypes.c_ulong, range(number))
    return list(map(argument, map(get, repeat(drawn, number), places)))


def modes(objects: Sequence[Drawn]) -> bytes:
    """How each text is rendered (PDF 32000, 9.3.6); NO_TEXT for what is none."""
    return bytes(map(quick("FPDFTextObj_GetTextRenderMode", ctypes.c_ubyte), objects))


def kind(drawn: Drawn) -> int:
    """TEXT, PATH, IMAGE, SHADING or FORM."""
    return int(quick("FPDFPageObj_GetType")(drawn))


def matrix(drawn: Drawn) -> Matrix:
    """What an object's own space is multiplied by."""
    _, a, b, c, d, e, f = scales([drawn])
    return a, b, c, d, e, f


def is_plain(drawn: Drawn) -> bool:
    """Whether nothing is seen through an object, nor it through a mask."""
    return int(quick("FPDFPageObj_HasTransparency")(drawn)) == 0


def rectangle(path: Drawn) -> Box | None:
    """The rectangle that a path is, in its own space; None for another shape."""
    get = quick("FPDFPath_GetPathSegment", ctypes.c_void_p)
    return _upright(_points(get, (path,), quick("FPDFPath_CountSegments")(path)))


def has_font_file(text: Drawn) -> bool:
    """Whether its letters are outlines in its colour; those of Type 3 may have others."""
    font, size = quick("FPDFTextObj_GetFont", ctypes.c_void_p)(text), ctypes.c_size_t()
    get = quick("FPDFFont_GetFontData")
    known = font and get(argument(font), None, ctypes.c_size_t(0), ctypes.byref(size))
    return bool(known) and size.value > 0


def leave_out(drawn: Drawn) -> None:
    """Take an object out of what is shown and read of the page, in memory."""
    quick("FPDFPageObj_SetIsActive")(drawn, 0)


def text_by(name: str, *of: Any) -> str:  # noqa: ANN401 - arguments of a C function
    """The text that a function gives."""
    get = quick(name)
    size = get(*of, None, ctypes.c_ulong(0))  # in bytes
    buffer = ctypes.create_string_buffer(max(2, size))
    get(*of, buffer, ctypes.c_ulong(size))
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace")


def clip_box(drawn: Drawn) -> Box | None:
    """What an object is clipped to; None where that is no upright rectangle."""
    path = argument(quick("FPDFPageObj_GetClipPath", ctypes.c_void_p)(drawn) or 0)
    get = quick("FPDFClipPath_GetPathSegment", ctypes.c_void_p)
    left, bottom, right, top = -FAR, -FAR, FAR, FAR
    for outline in range(quick("FPDFClipPath_CountPaths")(path)):
        number = quick("FPDFClipPath_CountPathSegments")(path, outline)
        points = _points(get, (path, outline), number)
        room = _upright(points)
        if room is None:
            return None
        left, bottom = max(left, room[0]), max(bottom, room[1])
        right, top = min(right, room[2]), min(top, room[3])
    return left, bottom, right, top


def _points(get: Callable[..., int], of: tuple[Any, ...], number: int) -> list[tuple[float, float]]:
    """The ends of the first segments of an outline, six at most."""
    x, y = ctypes.c_float(), ctypes.c_float()
    points = []
    for index in range(min(number, 6)):
        segment = argument(get(*of, index) or 0)
        quick("FPDFPathSegment_GetPoint")(segment, ctypes.byref(x), ctypes.byref(y))
        points.append((x.value, y.value))
    return points


def _upright(points: Sequence[tuple[float, float]]) -> Box | None:
    """The upright rectangle of which points are the corners; None if they are those of none."""
    xs, ys = {x for x, _ in points}, {y for _, y in points}
    if not (4 <= len(points) <= 5 and max(len(xs), len(ys)) <= 2):
        return None
    return min(xs), min(ys), max(xs), max(ys)


def marks_of(objects: Sequence[Drawn]) -> tuple[list[int], list[Drawn]]:
    """The marks around objects, and beside each an object that it is around."""
    get, count = quick("FPDFPageObj_GetMark", ctypes.c_void_p), quick("FPDFPageObj_CountMarks")
    marks, within = list[int](), list[Drawn]()
    numbers, level = list(map(count, objects)), 0
    while any(numbers):
        objects = list(compress(objects, numbers))
        marks += map(get, objects, repeat(level))
        within += objects
        numbers, level = [number - 1 for number in numbers if number], level + 1
    return marks, within


def is_layer(mark: int) -> bool:
    """Whether a mark says that what it is around stands in a layer: its tag is OC."""
    buffer, size = ctypes.create_string_buffer(8), ctypes.c_ulong()
    quick("FPDFPageObjMark_GetName")(argument(mark), buffer, ctypes.c_ulong(8), ctypes.byref(size))
    return buffer.raw[:6] == "OC\0".encode("utf-16-le")


def text_in(mark: int, key: bytes) -> str | None:
    """The text of that name in a mark; None where it has none."""
    size, get = ctypes.c_ulong(), quick("FPDFPageObjMark_GetParamBlobValue")
    if not get(argument(mark), key, None, ctypes.c_ulong(0), ctypes.byref(size)):
        return None
    buffer = ctypes.create_string_buffer(max(1, size.value))
    get(argument(mark), key, buffer, ctypes.c_ulong(len(buffer)), ctypes.byref(size))
    data = buffer.raw[: size.value]
    return data.decode("utf-16" if data.startswith(b"\xfe\xff") else "utf-8", "replace")


def without_bytes(drawn: Drawn, mark: int, key: bytes) -> None:
    """Take a text out of a mark, in memory."""
    quick("FPDFPageObjMark_RemoveParam")(drawn, argument(mark), key)
