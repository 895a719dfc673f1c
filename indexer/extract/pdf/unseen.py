"""Text of a PDF page that is drawn and not seen: taken off the page before its text is laid out.

Invisible (render mode 3) or transparent, in the colour of bare paper, too small, or outside of the
page. Text that lies over a picture is what the picture shows: a scan's own words, set invisibly by
the program that recognised them. Not noticed: text under a picture or a drawn box, in a layer that
is switched off, in the colour of what is drawn behind it.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import compress, repeat
from operator import mul, not_, sub
from typing import TYPE_CHECKING, Any

from indexer.extract.colours import MAX_COLOUR_DISTANCE

if TYPE_CHECKING:
    import pypdfium2

TEXT, PATH, IMAGE, SHADING, FORM = range(1, 6)  # FPDF_PAGEOBJ_…
FILLED, INVISIBLE, NO_TEXT = 0, 3, -1  # FPDF_TEXTRENDERMODE_…
MIN_WHITE = 255 - MAX_COLOUR_DISTANCE  # in each of red, green and blue, on paper
MIN_FONT_SHARE = 0.001  # of the page's height: 0.8 points on A4
MIN_PICTURE_SHARE = 0.4  # of a page that its pictures cover, before it is a scan
MIN_DRAWN_PER_WORD = 1.0  # paths: letters that are drawn as outlines, with invisible text for them
MIN_GAP_SHARE = 0.25  # of a line's height, between two words
MAX_OBJECTS = 100_000  # of a page that are looked at
MAX_FORM_DEPTH = 3


# pdfium's functions for `map`: pypdfium2's own check each argument and make a typed pointer of
# each result, which takes longer than the call.


@cache
def quick(name: str, result: Any = ctypes.c_int) -> Callable[..., Any]:  # noqa: ANN401 - a C type
    """The function of that name, which takes an object or a page first, as an address.

    Its other arguments are ctypes instances, references, or 32-bit integers. Addresses are plain
    integers: thousands of ctypes instances keep Python's collector busy.
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


COLOURS = Cells(ctypes.c_uint, 4, 0, 1, 2, 3)  # red, green, blue, alpha
SIZES = Cells(ctypes.c_float, 7, 0, 1)  # the font's, then the matrix
CORNERS = Cells(ctypes.c_float, 8, 0)  # x and y of each, from the lower left one around


@dataclass(frozen=True, slots=True)
class DrawnObject:
    """An object of a page: its handle, its kind, its box in points, and the form that it is in."""

    handle: Any
    kind: int
    left: float
    bottom: float
    right: float
    top: float
    form: Any = None

    def meets(self, other: DrawnObject) -> bool:
        """Whether the boxes share a point."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    @property
    def area(self) -> float:
        """In square points."""
        return max(0.0, self.right - self.left) * max(0.0, self.top - self.bottom)


def take_unseen(page: pypdfium2.PdfPage) -> list[str]:
    """The lines of text that the page does not show, removed from the page in memory."""
    suspects = _suspects(page)
    if not suspects:
        return []
    objects = list(_objects(page, suspects))
    left, bottom, right, top = page.get_bbox()
    paper = DrawnObject(None, 0, left, bottom, right, top)
    unseen = list(_unseen(objects, paper, suspects))
    if not unseen:
        return []
    with closing(page.get_textpage()) as text_page:
        texts = [_text(each.handle, text_page) for each in unseen]
    found = list(_lines(unseen, texts))
    if found:
        _remove(page, unseen)
    return found


def _suspects(page: pypdfium2.PdfPage) -> set[int]:
    """Where in memory the objects are that may be unseen text, or forms with such text.

    Most pages have none, and some draw each of their 5,000 letters as an object: the look at all of
    them runs in `map`, about 1 µs an object.
    """
    handles = _all_handles(page)
    if not handles:
        return set()
    texts = handles
    modes = list(map(quick("FPDFTextObj_GetTextRenderMode"), handles))
    found: list[Any] = []
    if NO_TEXT in modes:
        texts = list(compress(handles, map(NO_TEXT.__ne__, modes)))
        found += filter(_hides, compress(handles, map(NO_TEXT.__eq__, modes)))
    if INVISIBLE in modes:
        found += compress(handles, map(INVISIBLE.__eq__, modes))
    if texts:
        found += _pale(texts)
        found += _off_or_tiny(texts, page.get_bbox())
    return set(found)


def _all_handles(page: pypdfium2.PdfPage) -> list[Any]:
    import pypdfium2.raw as pdfium

    number = min(pdfium.FPDFPage_CountObjects(page), MAX_OBJECTS)
    raw = ctypes.cast(page.raw, ctypes.c_void_p).value
    get = quick("FPDFPage_GetObject", ctypes.c_void_p)
    return list(map(get, repeat(raw, number), range(number)))


def _hides(handle: Any) -> bool:  # noqa: ANN401
    """Whether a form has invisible text in it."""
    return quick("FPDFPageObj_GetType")(handle) == FORM and any(
        kind == TEXT and _mode(inner) == INVISIBLE for inner, kind, _ in _in_form(handle, 1)
    )


def _pale(texts: Sequence[Any]) -> list[Any]:
    """Those that are filled with nothing, or with white."""
    number = len(texts)
    red, green, blue, alpha = COLOURS.places(number)
    known = list(map(quick("FPDFPageObj_GetFillColor"), texts, red, green, blue, alpha))
    values = COLOURS.values(number)
    reds, alphas = values[0::4], values[3::4]
    if max(reds) < MIN_WHITE and min(alphas) > 0:
        return []
    colours = zip(reds, values[1::4], values[2::4], alphas, strict=True)
    return [
        handle
        for handle, colour, is_known in zip(texts, colours, known, strict=True)
        if is_known and (colour[3] == 0 or min(colour[:3]) >= MIN_WHITE)
    ]


def _off_or_tiny(texts: Sequence[Any], paper: Sequence[float]) -> list[Any]:
    """Those of which no corner need be on the page, and those that are too small to be read."""
    number = len(texts)
    least = MIN_FONT_SHARE * (paper[3] - paper[1])
    (corners,) = CORNERS.places(number)
    if not all(map(quick("FPDFPageObj_GetRotatedBounds"), texts, corners)):
        return list(texts)
    values = CORNERS.values(number)
    lefts, bottoms, tops = values[0::8], values[1::8], values[5::8]
    found = []
    # What has a corner on the page meets it; a hair's breadth for what is rounded otherwise.
    left, bottom, right, top = paper[0] + 0.1, paper[1] + 0.1, paper[2] - 0.1, paper[3] - 0.1
    if not (
        min(lefts) > left and max(lefts) < right and min(bottoms) > bottom and max(bottoms) < top
    ):
        found = [
            handle
            for handle, x, y in zip(texts, lefts, bottoms, strict=True)
            if not (left < x < right and bottom < y < top)
        ]
    heights = map(abs, map(sub, tops, bottoms))
    return found + _tiny(list(compress(texts, map((2 * least).__gt__, heights))), least)


def _tiny(texts: Sequence[Any], least: float) -> list[Any]:
    """Those with a font size below the least."""
    if not texts:
        return []
    sizes, matrices = SIZES.places(len(texts))
    list(map(quick("FPDFTextObj_GetFontSize"), texts, sizes))
    list(map(quick("FPDFPageObj_GetMatrix"), texts, matrices))
    values = SIZES.values(len(texts))
    # Of text that stands upright, most: the others are looked at one by one.
    large = map(least.__le__, map(mul, values[0::7], values[4::7]))
    return [handle for handle in compress(texts, map(not_, large)) if _font_size(handle) < least]


def _unseen(
    objects: Sequence[DrawnObject], paper: DrawnObject, suspects: Container[int]
) -> Iterator[DrawnObject]:
    texts = [each for each in objects if each.kind == TEXT]
    pictured: bool | None = None
    for at, each in enumerate(objects):
        if each.kind != TEXT or (each.form is None and each.handle not in suspects):
            continue
        if _mode(each.handle) == INVISIBLE:
            if pictured is None:
                pictured = _is_pictured(objects, texts, paper)
            if not pictured:
                yield each
        elif each.form is None and (
            not each.meets(paper)
            or _font_size(each.handle) < MIN_FONT_SHARE * (paper.top - paper.bottom)
            or (_is_pale(each.handle) and _on_bare_paper(each, objects[:at]))
        ):
            yield each


def _is_pictured(
    objects: Sequence[DrawnObject], texts: Sequence[DrawnObject], paper: DrawnObject
) -> bool:
    """Whether invisible text stands for what the page shows otherwise: a scan, drawn letters."""
    pictures = [each for each in objects if each.kind == IMAGE]
    if sum(each.area for each in pictures) >= MIN_PICTURE_SHARE * paper.area:
        return True
    drawn = sum(each.kind == PATH for each in objects)
    seen = any(_mode(each.handle) != INVISIBLE for each in texts)
    return not seen and drawn >= max(10, MIN_DRAWN_PER_WORD * len(texts))


def _on_bare_paper(text: DrawnObject, before: Sequence[DrawnObject]) -> bool:
    """Whether nothing was drawn behind a text before it."""
    if _alpha(text.handle) == 0:
        return True
    return not any(each.meets(text) and not _is_paper(each) for each in before)


def _is_paper(drawn: DrawnObject) -> bool:
    """Whether an object leaves the paper as it is, or paints it white: text, lines, white boxes."""
    if drawn.kind != PATH:
        return drawn.kind == TEXT
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    places = ctypes.byref(fill), ctypes.byref(stroke)
    if not quick("FPDFPath_GetDrawMode")(drawn.handle, *places):
        return False
    colour = _colour(drawn.handle)
    return fill.value == 0 or (colour is not None and min(colour[:3]) >= MIN_WHITE)


def _lines(texts: Sequence[DrawnObject], words: Sequence[str]) -> Iterator[str]:
    """The words as lines: those side by side, in the order in which they are drawn."""
    line: list[str] = []
    last: DrawnObject | None = None
    height = 0.0  # of the line's tallest letter
    for each, text in zip(texts, words, strict=True):
        if not text.strip():
            continue
        beside = last is not None and min(last.top, each.top) > max(last.bottom, each.bottom)
        if line and not beside:
            yield "".join(line)
            line, height = [], 0.0
        height = max(height, each.top - each.bottom)
        gap = last is not None and each.left - last.right > MIN_GAP_SHARE * height
        blank = " " if line and gap and not line[-1].endswith(" ") else ""
        line.append(blank + " ".join(text.split()))
        last = each
    if line:
        yield "".join(line)


def _objects(page: pypdfium2.PdfPage, suspects: Container[int]) -> Iterator[DrawnObject]:
    """All objects; text that is certainly seen has no place, since none asks for it."""
    for handle, kind, form in _handles(page):
        if kind == TEXT and form is None and handle not in suspects:
            yield DrawnObject(handle, kind, 0.0, 0.0, 0.0, 0.0)
        else:
            # The places of what is in a form are the form's own: it counts as large as the form.
            yield DrawnObject(handle, kind, *_box(handle if form is None else form), form=form)


def _handles(page: pypdfium2.PdfPage) -> Iterator[tuple[Any, int, Any]]:
    """Handle, kind and form (None: the page) of each object, those of forms after the form."""
    kind_of = quick("FPDFPageObj_GetType")
    for handle in _all_handles(page):
        kind = kind_of(handle)
        yield handle, kind, None
        if kind == FORM:
            yield from _in_form(handle, 1)


def _in_form(form: Any, depth: int) -> Iterator[tuple[Any, int, Any]]:  # noqa: ANN401 - a pointer
    get, kind_of = quick("FPDFFormObj_GetObject", ctypes.c_void_p), quick("FPDFPageObj_GetType")
    number = ctypes.c_ulong
    for index in range(min(quick("FPDFFormObj_CountObjects")(form), MAX_OBJECTS)):
        handle = get(form, number(index))
        kind = kind_of(handle)
        yield handle, kind, form
        if kind == FORM and depth < MAX_FORM_DEPTH:
            yield from _in_form(handle, depth + 1)


def _remove(page: pypdfium2.PdfPage, objects: Sequence[DrawnObject]) -> None:
    raw = ctypes.cast(page.raw, ctypes.c_void_p)
    for each in objects:
        handle = ctypes.c_void_p(each.handle)
        if each.form is None:
            removed = quick("FPDFPage_RemoveObject")(raw, handle)
        else:
            removed = quick("FPDFFormObj_RemoveObject")(each.form, handle)
        if removed:
            quick("FPDFPageObj_Destroy", None)(each.handle)


def _mode(handle: Any) -> int:  # noqa: ANN401
    return int(quick("FPDFTextObj_GetTextRenderMode")(handle))


def _colour(handle: Any) -> tuple[int, int, int, int] | None:  # noqa: ANN401
    values = (ctypes.c_uint * 4)()
    places = [ctypes.byref(values, 4 * index) for index in range(4)]
    if not quick("FPDFPageObj_GetFillColor")(handle, *places):
        return None
    red, green, blue, alpha = values
    return red, green, blue, alpha


def _alpha(handle: Any) -> int:  # noqa: ANN401
    colour = _colour(handle)
    return 255 if colour is None else colour[3]


def _is_pale(handle: Any) -> bool:  # noqa: ANN401
    """Whether text is filled with nothing, or with white."""
    if _mode(handle) != FILLED:
        return False
    colour = _colour(handle)
    return colour is not None and (colour[3] == 0 or min(colour[:3]) >= MIN_WHITE)


def _font_size(handle: Any) -> float:  # noqa: ANN401
    """The size of a text in points, as it is drawn."""
    values = (ctypes.c_float * 7)()  # the size, then the matrix
    if not (
        quick("FPDFTextObj_GetFontSize")(handle, ctypes.byref(values))
        and quick("FPDFPageObj_GetMatrix")(handle, ctypes.byref(values, 4))
    ):
        return float("inf")
    size, a, b, c, d, _, _ = values
    return float(abs(size) * max(abs(d), abs(b), abs(a), abs(c)))


def _box(handle: Any) -> tuple[float, float, float, float]:  # noqa: ANN401
    values = (ctypes.c_float * 4)()
    places = [ctypes.byref(values, 4 * index) for index in range(4)]
    if not quick("FPDFPageObj_GetBounds")(handle, *places):
        return (0.0, 0.0, 0.0, 0.0)
    left, bottom, right, top = values
    return left, bottom, right, top


def _text(handle: Any, text_page: pypdfium2.PdfTextPage) -> str:  # noqa: ANN401
    get, raw = quick("FPDFTextObj_GetText"), ctypes.cast(text_page.raw, ctypes.c_void_p)
    size = get(handle, raw, None, ctypes.c_ulong(0))  # in bytes
    buffer = ctypes.create_string_buffer(max(2, size))
    get(handle, raw, buffer, ctypes.c_ulong(size))
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace")
