"""pdfium's functions over all objects of a page at once, as numbers. Decides nothing.

pypdfium2's own check each argument and make a typed pointer of each result, which takes longer than
the call. Objects are addresses here: thousands of ctypes instances keep Python's collector busy.
"""

from __future__ import annotations

import ctypes
from array import array
from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pypdfium2

TEXT, PATH, IMAGE, SHADING, FORM = range(1, 6)  # FPDF_PAGEOBJ_…
NO_TEXT = b"\xff"  # FPDF_TEXTRENDERMODE_UNKNOWN
AT_ONCE = 256  # objects: what is written of them stays in the processor's cache
MAX_OBJECTS = 500_000  # of a page, or of a form, that are looked at

Matrix = tuple[float, float, float, float, float, float]  # PDF 32000, 8.3.3
Box = tuple[float, float, float, float]  # left, bottom, right, top
LayersOff = Callable[[], Collection[str]]  # asked for their names when a page has layers


@cache
def quick(name: str, result: Any = ctypes.c_int) -> Callable[..., Any]:  # noqa: ANN401 - a C type
    """The function of that name, which takes an object or a page first, as an address."""
    import pypdfium2.raw as pdfium

    address = ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
    assert address  # it was found when pypdfium2 was imported
    return ctypes.PYFUNCTYPE(result, ctypes.c_void_p)(address)


class Cells:
    """Room for the `width` numbers that a function writes of an object, for some at a time."""

    def __init__(self, name: str, kind: Any, width: int, given: int) -> None:  # noqa: ANN401 - a C type
        """It is `given` so many addresses: of each number, or of the first alone."""
        self._name, self._code = name, kind._type_
        self._cells = (kind * (width * AT_ONCE))()
        self._room = memoryview(self._cells).cast("B")
        size = ctypes.sizeof(kind)
        self._bytes = width * size
        self._places = [
            [ctypes.byref(self._cells, self._bytes * at + size * cell) for at in range(AT_ONCE)]
            for cell in range(given)
        ]

    def of(self, objects: Sequence[int]) -> array[Any]:
        """The numbers of all objects in one row.

        Where nothing is written, they are the largest, -1, or none (NaN).
        """
        values, function = array(self._code), quick(self._name)
        for start in range(0, len(objects), AT_ONCE):
            some = objects[start : start + AT_ONCE]
            room = self._room[: len(some) * self._bytes]
            ctypes.memset(self._cells, 0xFF, len(room))
            deque(map(function, some, *self._places), maxlen=0)
            values.frombytes(room)
        return values


# Of all objects in one row: red, green, blue and alpha; left, bottom, right and top in the space
# that each is drawn in; what its own space is multiplied by; the size that its font is set to.
fill_colours = Cells("FPDFPageObj_GetFillColor", ctypes.c_uint, 4, 4).of
stroke_colours = Cells("FPDFPageObj_GetStrokeColor", ctypes.c_uint, 4, 4).of
boxes = Cells("FPDFPageObj_GetBounds", ctypes.c_float, 4, 4).of
matrices = Cells("FPDFPageObj_GetMatrix", ctypes.c_float, 6, 1).of
sizes = Cells("FPDFTextObj_GetFontSize", ctypes.c_float, 1, 1).of
draw_modes = Cells("FPDFPath_GetDrawMode", ctypes.c_int, 2, 2).of  # filled, stroked


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


def modes(objects: Sequence[int]) -> bytes:
    """How each text is rendered (PDF 32000, 9.3.6); NO_TEXT for what is none."""
    return bytes(map(quick("FPDFTextObj_GetTextRenderMode", ctypes.c_ubyte), objects))


def kinds(objects: Sequence[int]) -> list[int]:
    """TEXT, PATH, IMAGE, SHADING or FORM, of each."""
    return list(map(quick("FPDFPageObj_GetType"), objects))


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


def marks_of(objects: Sequence[int]) -> dict[int, list[int]]:
    """The marks around objects, each with the objects in it."""
    get = quick("FPDFPageObj_GetMark", ctypes.c_void_p)
    found: dict[int, list[int]] = {}
    level = 0
    while objects:
        marks = list(map(get, objects, repeat(ctypes.c_ulong(level))))  # None where there are fewer
        for mark, drawn in zip(marks, objects, strict=True):
            if mark is not None:
                found.setdefault(mark, []).append(drawn)
        objects, level = list(compress(objects, marks)), level + 1
    return found


def is_layer(mark: int) -> bool:
    """Whether a mark says that what it is around stands in a layer: its tag is OC."""
    buffer, size = ctypes.create_string_buffer(8), ctypes.c_ulong()
    quick("FPDFPageObjMark_GetName")(mark, buffer, ctypes.c_ulong(8), ctypes.byref(size))
    return buffer.raw[:6] == "OC\0".encode("utf-16-le")


def text_in(mark: int, key: bytes) -> str | None:
    """The text of that name in a mark; None where it has none."""
    size, get = ctypes.c_ulong(), quick("FPDFPageObjMark_GetParamBlobValue")
    if not get(mark, key, None, ctypes.c_ulong(0), ctypes.byref(size)):
        return None
    buffer = ctypes.create_string_buffer(max(1, size.value))
    get(mark, key, buffer, ctypes.c_ulong(len(buffer)), ctypes.byref(size))
    data = buffer.raw[: size.value]
    return data.decode("utf-16" if data.startswith(b"\xfe\xff") else "utf-8", "replace")


def without_bytes(drawn: int, mark: int, key: bytes) -> None:
    """Take a text out of a mark, in memory."""
    quick("FPDFPageObjMark_RemoveParam")(drawn, ctypes.c_void_p(mark), key)
