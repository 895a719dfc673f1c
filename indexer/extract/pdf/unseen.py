"""Text of a PDF page that is drawn and not seen: taken off the page before its text is laid out.

Invisible (render mode 3) or transparent, in the colour of bare paper, too small, or outside of the
page. Text that lies over a picture is what the picture shows: a scan's own words, set invisibly by
the program that recognised them. Not noticed: text under a picture or a drawn box, in a layer that
is switched off, in the colour of what is drawn behind it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.extract.colours import MAX_COLOUR_DISTANCE

if TYPE_CHECKING:
    import pypdfium2

TEXT, PATH, IMAGE, SHADING, FORM = range(1, 6)  # FPDF_PAGEOBJ_…
FILLED, INVISIBLE = 0, 3  # FPDF_TEXTRENDERMODE_…
MIN_WHITE = 255 - MAX_COLOUR_DISTANCE  # in each of red, green and blue, on paper
MIN_FONT_SHARE = 0.001  # of the page's height: 0.8 points on A4
MIN_PICTURE_SHARE = 0.4  # of a page that its pictures cover, before it is a scan
MIN_DRAWN_PER_WORD = 1.0  # paths: letters that are drawn as outlines, with invisible text for them
MIN_GAP_SHARE = 0.25  # of a line's height, between two words
MAX_OBJECTS = 100_000  # of a page that are looked at
MAX_FORM_DEPTH = 3


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
    if not _has_suspects(page):
        return []
    objects = list(_objects(page))
    left, bottom, right, top = page.get_bbox()
    paper = DrawnObject(None, 0, left, bottom, right, top)
    unseen = list(_unseen(objects, paper))
    if not unseen:
        return []
    with closing(page.get_textpage()) as text_page:
        texts = [_text(each.handle, text_page) for each in unseen]
    found = list(_lines(unseen, texts))
    if found:
        _remove(page, unseen)
    return found


def _has_suspects(page: pypdfium2.PdfPage) -> bool:
    """Whether some text may be unseen: the cheap look at every page, 3 µs an object."""
    import pypdfium2.raw as pdfium

    get, kind_of = pdfium.FPDFPage_GetObject, pdfium.FPDFPageObj_GetType
    mode_of, fill_of = pdfium.FPDFTextObj_GetTextRenderMode, pdfium.FPDFPageObj_GetFillColor
    bounds_of, raw = pdfium.FPDFPageObj_GetBounds, page.raw
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    paper_left, paper_bottom, paper_right, paper_top = page.get_bbox()
    least = MIN_FONT_SHARE * (paper_top - paper_bottom)
    for index in range(min(pdfium.FPDFPage_CountObjects(raw), MAX_OBJECTS)):
        handle = get(raw, index)
        kind = kind_of(handle)
        if kind == FORM:
            if any(k == TEXT and mode_of(h) == INVISIBLE for h, k, _ in _in_form(handle, 1)):
                return True
        elif kind == TEXT:
            if mode_of(handle) == INVISIBLE:
                return True
            if fill_of(handle, red, green, blue, alpha) and (
                alpha.value == 0 or min(red.value, green.value, blue.value) >= MIN_WHITE
            ):
                return True
            if not bounds_of(handle, left, bottom, right, top):
                continue
            if (
                right.value <= paper_left
                or left.value >= paper_right
                or top.value <= paper_bottom
                or bottom.value >= paper_top
            ):
                return True
            if top.value - bottom.value < 2 * least and _font_size(handle) < least:
                return True
    return False


def _unseen(objects: Sequence[DrawnObject], paper: DrawnObject) -> Iterator[DrawnObject]:
    texts = [each for each in objects if each.kind == TEXT]
    pictured = _is_pictured(objects, texts, paper)
    for at, each in enumerate(objects):
        if each.kind != TEXT:
            continue
        if _mode(each.handle) == INVISIBLE:
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
    import pypdfium2.raw as pdfium

    if drawn.kind != PATH:
        return drawn.kind == TEXT
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium.FPDFPath_GetDrawMode(drawn.handle, fill, stroke):
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


def _objects(page: pypdfium2.PdfPage) -> Iterator[DrawnObject]:
    for handle, kind, form in _handles(page):
        # The places of what is in a form are the form's own: it counts as large as the form.
        yield DrawnObject(handle, kind, *_box(handle if form is None else form), form=form)


def _handles(page: pypdfium2.PdfPage) -> Iterator[tuple[Any, int, Any]]:
    """Handle, kind and form (None: the page) of each object, those of forms after the form."""
    import pypdfium2.raw as pdfium

    number = min(pdfium.FPDFPage_CountObjects(page), MAX_OBJECTS)
    for index in range(number):
        handle = pdfium.FPDFPage_GetObject(page, index)
        kind = pdfium.FPDFPageObj_GetType(handle)
        yield handle, kind, None
        if kind == FORM:
            yield from _in_form(handle, 1)


def _in_form(form: Any, depth: int) -> Iterator[tuple[Any, int, Any]]:  # noqa: ANN401 - a pointer
    import pypdfium2.raw as pdfium

    for index in range(min(pdfium.FPDFFormObj_CountObjects(form), MAX_OBJECTS)):
        handle = pdfium.FPDFFormObj_GetObject(form, index)
        kind = pdfium.FPDFPageObj_GetType(handle)
        yield handle, kind, form
        if kind == FORM and depth < MAX_FORM_DEPTH:
            yield from _in_form(handle, depth + 1)


def _remove(page: pypdfium2.PdfPage, objects: Sequence[DrawnObject]) -> None:
    import pypdfium2.raw as pdfium

    for each in objects:
        if each.form is None:
            removed = pdfium.FPDFPage_RemoveObject(page, each.handle)
        else:
            removed = pdfium.FPDFFormObj_RemoveObject(each.form, each.handle)
        if removed:
            pdfium.FPDFPageObj_Destroy(each.handle)


def _mode(handle: Any) -> int:  # noqa: ANN401 - as above
    import pypdfium2.raw as pdfium

    return int(pdfium.FPDFTextObj_GetTextRenderMode(handle))


def _colour(handle: Any) -> tuple[int, int, int, int] | None:  # noqa: ANN401
    import pypdfium2.raw as pdfium

    values = [ctypes.c_uint() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetFillColor(handle, *values):
        return None
    red, green, blue, alpha = (value.value for value in values)
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
    import pypdfium2.raw as pdfium

    size, matrix = ctypes.c_float(), pdfium.FS_MATRIX()
    if not (
        pdfium.FPDFTextObj_GetFontSize(handle, size)
        and pdfium.FPDFPageObj_GetMatrix(handle, matrix)
    ):
        return float("inf")
    scale: float = max(abs(matrix.d), abs(matrix.b), abs(matrix.a), abs(matrix.c))
    return abs(size.value) * scale


def _box(handle: Any) -> tuple[float, float, float, float]:  # noqa: ANN401
    import pypdfium2.raw as pdfium

    values = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(handle, *values):
        return (0.0, 0.0, 0.0, 0.0)
    left, bottom, right, top = (value.value for value in values)
    return left, bottom, right, top


def _text(handle: Any, text_page: pypdfium2.PdfTextPage) -> str:  # noqa: ANN401
    import pypdfium2.raw as pdfium

    size = pdfium.FPDFTextObj_GetText(handle, text_page, None, 0)  # in bytes
    buffer = ctypes.create_string_buffer(max(2, size))
    pdfium.FPDFTextObj_GetText(
        handle, text_page, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size
    )
    return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace")
