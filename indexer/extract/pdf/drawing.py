"""What a page draws, in its order: texts, and what is painted before and after them.

Forms are taken apart: what stands in them has its place on the page. Called by unseen.py.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from math import isfinite
from operator import sub

from indexer.extract.pdf import calls
from indexer.extract.pdf.calls import FORM, IMAGE, PATH, SHADING, Matrix

MAX_FORM_DEPTH = 40  # as deep as pdfium reads
NO_TEXT = -1  # FPDF_TEXTRENDERMODE_UNKNOWN
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

Box = tuple[float, float, float, float]  # left, bottom, right, top


@dataclass(frozen=True, slots=True)
class Painted:
    """What is no text: its place among all that is drawn, what it is, and its box on the page."""

    place: int
    drawn: int
    kind: int
    box: Box

    @property
    def area(self) -> float:
        """In square points."""
        left, bottom, right, top = self.box
        return max(0.0, right - left) * max(0.0, top - bottom)


@dataclass(slots=True)
class InForm:
    """The texts from `start` to `end` stand in a form and in no other one within it."""

    start: int
    end: int
    form: int
    matrix: Matrix


@dataclass(slots=True)
class Drawing:
    """The texts of a page, their places in its order and modes, and all else that it paints."""

    texts: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)
    painted: list[Painted] = field(default_factory=list)
    inner: list[InForm] = field(default_factory=list)
    forms: list[int] = field(default_factory=list)
    size: int = 0  # of all that is drawn
    corners: array[float] = field(default_factory=lambda: array("f"))

    def form_of(self, index: int) -> int | None:
        """The form that a text stands in."""
        return next((each.form for each in self.inner if each.start <= index < each.end), None)

    def matrix_of(self, index: int) -> Matrix:
        """What the space that a text is drawn in is multiplied by."""
        around = (each.matrix for each in self.inner if each.start <= index < each.end)
        return next(around, IDENTITY)

    def box(self, index: int) -> Box:
        """Where a text stands."""
        xs = self.corners[8 * index : 8 * index + 8 : 2]
        ys = self.corners[8 * index + 1 : 8 * index + 8 : 2]
        return min(xs), min(ys), max(xs), max(ys)


def drawing_of(objects: Sequence[int]) -> Drawing:
    """A page's objects with those of its forms."""
    drawing = Drawing()
    _add(drawing, objects, IDENTITY, 0)
    if drawing.texts:
        drawing.corners = calls.corners(drawing.texts)
        for part in drawing.inner:
            if part.matrix != IDENTITY:
                _move(drawing.corners, part)
    return drawing


def _add(drawing: Drawing, objects: Sequence[int], matrix: Matrix, depth: int) -> None:
    modes = calls.modes(objects)
    start = 0
    for index, drawn, kind, box in _no_texts(objects, modes):
        if index > start:
            _add_texts(drawing, objects[start:index], modes[start:index])
        start = index + 1
        if kind == FORM and depth < MAX_FORM_DEPTH:
            first = len(drawing.texts)
            inner = _product(calls.matrix(drawn), matrix)
            drawing.size += 1
            drawing.forms.append(drawn)
            _add(drawing, calls.objects_in(drawn), inner, depth + 1)
            if len(drawing.texts) > first:
                # In their own form already, if they are in a form in this one.
                own = [each for each in drawing.inner if each.start >= first]
                drawing.inner.extend(_between(own, first, len(drawing.texts), drawn, inner))
        elif kind in (PATH, IMAGE, SHADING):
            drawing.painted.append(Painted(drawing.size, drawn, kind, moved(box, matrix)))
            drawing.size += 1
    _add_texts(drawing, objects[start:] if start else objects, modes[start:] if start else modes)


def _no_texts(objects: Sequence[int], modes: Sequence[int]) -> Iterable[tuple[int, int, int, Box]]:
    """The number, the object, the kind and the own box of each that is no text."""
    if NO_TEXT not in modes:
        return ()
    numbers = list(compress(range(len(modes)), map(NO_TEXT.__eq__, modes)))
    others = [objects[number] for number in numbers]
    return zip(numbers, others, calls.kinds(others), calls.boxes(others), strict=True)


def _add_texts(drawing: Drawing, texts: Sequence[int], modes: Sequence[int]) -> None:
    drawing.texts.extend(texts)
    drawing.modes.extend(modes)
    drawing.places.extend(range(drawing.size, drawing.size + len(texts)))
    drawing.size += len(texts)


def _between(
    own: Iterable[InForm], start: int, end: int, form: int, matrix: Matrix
) -> Iterable[InForm]:
    """The parts from `start` to `end` that are in no other form."""
    for each in sorted(own, key=lambda part: part.start):
        if each.start > start:
            yield InForm(start, each.start, form, matrix)
        start = max(start, each.end)
    if end > start:
        yield InForm(start, end, form, matrix)


def _move(corners: array[float], part: InForm) -> None:
    """Put the corners of texts in a form at their places on the page."""
    a, b, c, d, e, f = part.matrix
    for at in range(8 * part.start, 8 * part.end, 2):
        x, y = corners[at], corners[at + 1]
        corners[at], corners[at + 1] = a * x + c * y + e, b * x + d * y + f


def moved(box: Box, matrix: Matrix) -> Box:
    """The box around another one that is multiplied by a matrix."""
    if matrix == IDENTITY:
        return box
    a, b, c, d, e, f = matrix
    left, bottom, right, top = box
    points = [(x, y) for x in (left, right) for y in (bottom, top)]
    xs = [a * x + c * y + e for x, y in points]
    ys = [b * x + d * y + f for x, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _product(first: Matrix, second: Matrix) -> Matrix:
    """What both do, one after the other."""
    if second == IDENTITY:
        return first
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )


def touching(drawing: Drawing) -> bool:
    """Whether the boxes of two texts share any room, or one of them is no place."""
    if not all(map(isfinite, drawing.corners)):
        return True
    boxes = sorted(map(drawing.box, range(len(drawing.texts))), key=lambda box: box[1])
    for index, (left, _, right, top) in enumerate(boxes):
        for other in islice(boxes, index + 1, None):
            if other[1] >= top:
                break
            if other[0] < right and left < other[2]:
                return True
    return False


class ByHeight:
    """Finds the texts that a box meets, by their height on the page."""

    def __init__(self, drawing: Drawing) -> None:
        values = drawing.corners
        self._drawing = drawing
        bottoms = list(map(min, values[1::8], values[3::8], values[5::8], values[7::8]))
        tops = list(map(max, values[1::8], values[3::8], values[5::8], values[7::8]))
        self._tallest = max(map(sub, tops, bottoms), default=0.0)
        self._order = sorted(range(len(bottoms)), key=bottoms.__getitem__)
        self._bottoms = sorted(bottoms)

    def meeting(self, box: Box) -> Iterator[int]:
        """The texts of which a box meets more than the edges, which rules lie on."""
        left, bottom, right, top = box
        start = bisect_left(self._bottoms, bottom - self._tallest)
        for index in self._order[start : bisect_left(self._bottoms, top)]:
            own = self._drawing.box(index)
            edge = 0.25 * (own[3] - own[1])
            if min(top, own[3] - edge) > max(bottom, own[1] + edge) and min(right, own[2]) > max(
                left, own[0]
            ):
                yield index
