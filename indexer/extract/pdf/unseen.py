"""Text of a PDF page that no viewer shows: found by the page's objects, and taken off it in memory.

Not painted, off the page, too small, in the colour of its ground, or under a box. What lies under
or over a picture, a pattern or another shape counts as seen, and so does what a scan's own words
stand for. Most pages have none, and some draw each of their 5,000 letters as an object: what is
asked of all of them runs in `map`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import accumulate, compress, repeat
from math import hypot
from operator import mul, sub
from typing import TYPE_CHECKING, NamedTuple

from indexer.extract.hidden import MAX_COLOUR_DISTANCE
from indexer.extract.pdf import calls, spoken
from indexer.extract.pdf.calls import FORM, IMAGE, PATH, Box, Matrix

if TYPE_CHECKING:
    import pypdfium2

OUTLINES, INVISIBLE, CLIP = (1, 5), 3, 7  # FPDF_TEXTRENDERMODE_…
BOTH = (2, 6)  # filled, with an outline of another colour
NO_TEXT = -1  # FPDF_TEXTRENDERMODE_UNKNOWN
MAX_FORM_DEPTH = 40  # as deep as pdfium reads
THIN = 3.0  # points: a rule, which covers no line
MIN_ALPHA = 40  # of 255
MIN_FONT_SHARE = 0.001  # of the page's height: 0.8 points on A4
MIN_PICTURE_SHARE = 0.4  # of a page that its pictures cover, before it is a scan
MIN_DRAWN = 10  # paths of a page whose letters are drawn, and as many as it has texts
EDGE = 0.3  # of the height of a text's box: what stands beyond its letters
MIN_GAP_SHARE = 0.25  # of a line's height, between two words
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
PAPER, BLACK = (255, 255, 255, 255), (0, 0, 0, 255)

Colour = tuple[int, int, int, int]  # red, green, blue, alpha


class Surface(NamedTuple):
    """What is drawn and no text: its place among all that is drawn, and its box on the page."""

    place: int
    drawn: int
    kind: int
    box: Box
    matrix: Matrix


@dataclass(slots=True)
class Drawing:
    """The texts of a page in the order in which they are drawn, and what else is drawn."""

    texts: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)
    corners: array[float] = field(default_factory=lambda: array("f"))
    inner: list[tuple[int, int, Matrix]] = field(default_factory=list)  # first text, form, matrix
    surfaces: list[Surface] = field(default_factory=list)  # without rules
    paths: int = 0
    size: int = 0  # of all that is drawn

    def box(self, index: int) -> Box:
        """Where a text stands."""
        xs = self.corners[8 * index : 8 * index + 8 : 2]
        ys = self.corners[8 * index + 1 : 8 * index + 8 : 2]
        return min(xs), min(ys), max(xs), max(ys)

    def around(self, index: int) -> tuple[int, Matrix]:
        """The form that a text stands in, 0 for none, and what its space is multiplied by."""
        found = [(form, matrix) for first, form, matrix in self.inner if first <= index]
        return found[-1] if found else (0, IDENTITY)

    def add(self, objects: Sequence[int], form: int, matrix: Matrix, depth: int) -> None:
        """Take in the objects of a page or form, and of the forms in it."""
        modes = calls.modes(objects)
        numbers = list(compress(range(len(modes)), map(NO_TEXT.__eq__, modes)))
        others = [objects[number] for number in numbers]
        kinds, boxes = calls.kinds(others), calls.boxes(others)
        start = 0
        for index, drawn, kind, box in zip(numbers, others, kinds, boxes, strict=True):
            self.paths += kind == PATH
            if kind == FORM and depth < MAX_FORM_DEPTH:
                self._add_texts(objects[start:index], modes[start:index], form, matrix)
                inner = _product(calls.matrix(drawn), matrix)
                self.add(calls.objects_in(drawn), drawn, inner, depth + 1)
                start = index + 1
            elif kind != FORM:
                box = _moved(box, matrix)
                if kind != PATH or (box[2] - box[0] >= THIN and box[3] - box[1] >= THIN):
                    place = self.size + index - start
                    self.surfaces.append(Surface(place, drawn, kind, box, matrix))
        self._add_texts(objects[start:], modes[start:], form, matrix)

    def _add_texts(
        self, objects: Sequence[int], modes: Sequence[int], form: int, matrix: Matrix
    ) -> None:
        """Take in the texts among objects, none of which is a form."""
        is_text = list(map(NO_TEXT.__ne__, modes))
        texts = list(compress(objects, is_text))
        if texts and (form or self.inner):
            self.inner.append((len(self.texts), form, matrix))
        self.texts.extend(texts)
        self.modes.extend(compress(modes, is_text))
        self.places.extend(compress(range(self.size, self.size + len(objects)), is_text))
        self.size += len(objects)
        corners = calls.corners(texts)
        if matrix != IDENTITY:
            a, b, c, d, e, f = matrix
            for at in range(0, len(corners), 2):
                x, y = corners[at], corners[at + 1]
                corners[at], corners[at + 1] = a * x + c * y + e, b * x + d * y + f
        self.corners.extend(corners)


def _moved(box: Box, matrix: Matrix) -> Box:
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


def take_unseen(page: pypdfium2.PdfPage) -> list[str]:
    """The lines that the page does not show, removed from it in memory."""
    drawing = Drawing()
    drawing.add(calls.objects_of(page), 0, IDENTITY, 0)
    if not drawing.texts:
        return []
    said = spoken.take_unshown(page, drawing.texts, calls.marks(drawing.texts))
    unseen = sorted(_unseen(drawing, page.get_bbox()))
    if not unseen:
        return said
    with closing(page.get_textpage()) as text_page:
        pieces = [
            (calls.text_of(drawing.texts[index], text_page), drawing.box(index)) for index in unseen
        ]
    for index in unseen:
        calls.remove(page, drawing.texts[index], drawing.around(index)[0])
    return [*_lines(pieces), *said]


def _lines(pieces: Sequence[tuple[str, Box]]) -> Iterator[str]:
    """The words as lines: those side by side, in the order in which they are drawn."""
    line, last = "", None
    for text, box in pieces:
        if not text.strip():
            continue
        if last is not None and not (min(last[3], box[3]) > max(last[1], box[1])):
            yield " ".join(line.split())
            line = ""
        elif last is not None and box[0] - last[2] > MIN_GAP_SHARE * (box[3] - box[1]):
            line += " "
        line, last = line + text, box
    if line:
        yield " ".join(line.split())


def _unseen(drawing: Drawing, paper: Box) -> set[int]:
    """The texts that no viewer shows, by their numbers."""
    found = _unpainted(drawing, paper) | _misplaced(drawing, paper)
    found.update(_coloured(drawing))
    return found


# --- By mode, place and size ----------------------------------------------------------------------


def _unpainted(drawing: Drawing, paper: Box) -> set[int]:
    """Those whose mode is to paint nothing, where no picture shows what they say."""
    if INVISIBLE not in drawing.modes and CLIP not in drawing.modes:
        return set()
    of_letters = drawing.paths >= max(MIN_DRAWN, len(drawing.texts))
    pictures = sum(_area(each.box) for each in drawing.surfaces if each.kind == IMAGE)
    if pictures >= MIN_PICTURE_SHARE * _area(paper):
        return set()
    if of_letters and all(mode == INVISIBLE for mode in drawing.modes):
        return set()
    found = set()
    for index, mode in enumerate(drawing.modes):
        if mode == INVISIBLE or (mode == CLIP and not _painted_through(drawing, index)):
            found.add(index)
    return found


def _painted_through(drawing: Drawing, index: int) -> bool:
    """Whether something is painted later where a text stands that all else is clipped to."""
    box, place = drawing.box(index), drawing.places[index]
    return any(each.place > place and _meet(each.box, box) for each in drawing.surfaces)


def _misplaced(drawing: Drawing, paper: Box) -> set[int]:
    """Those off the page, and those too small to be read."""
    values, numbers = drawing.corners, range(len(drawing.texts))
    lefts, bottoms, rights, tops = values[0::8], values[1::8], values[4::8], values[5::8]
    left, bottom, right, top = paper
    least = MIN_FONT_SHARE * (top - bottom)
    found: set[int] = set()
    if min(lefts) < left or max(rights) > right or min(bottoms) < bottom or max(tops) > top:
        found.update(index for index in numbers if not _meet(drawing.box(index), paper))
    small = set(compress(numbers, map((2 * least).__gt__, map(sub, tops, bottoms))))
    small.update(compress(numbers, map((0.5 * least).__gt__, map(sub, rights, lefts))))
    found.update(_tiny(drawing, sorted(small), least))
    return found


def _tiny(drawing: Drawing, numbers: Sequence[int], least: float) -> Iterator[int]:
    """Those whose font is lower than that, or their letters as narrow."""
    sizes, (a, b, c, d) = calls.sizes([drawing.texts[index] for index in numbers])
    across, along = map(mul, sizes, a), map(mul, sizes, d)
    small: Iterable[bool] = map(least.__gt__, map(min, across, along))
    if drawing.inner:
        small = repeat(True)
    for at in compress(range(len(numbers)), small):
        g, h, i, j, _, _ = drawing.around(numbers[at])[1]
        scale = min(hypot(a[at], b[at]) * hypot(g, h), hypot(c[at], d[at]) * hypot(i, j))
        if abs(sizes[at]) * scale < least:
            yield numbers[at]


# --- By colour ------------------------------------------------------------------------------------


def _coloured(drawing: Drawing) -> set[int]:
    """Those in the colour of what they lie on, in none, or under a box."""
    colours = _colours(drawing)
    distinct, surfaces = set(colours), _surfaces(drawing)
    clear = {one for one in distinct if one[3] < MIN_ALPHA}
    pale = {one for one in distinct if _alike(one, PAPER)}
    grounds = {ground for _, ground in surfaces if ground is not None}
    alike = {one for one in distinct if any(_alike(one, ground) for ground in grounds)}
    found = {index for index, colour in enumerate(colours) if colour in clear} if clear else set()
    suspects = {index for index, colour in enumerate(colours) if colour in pale} if pale else set()
    lies_on: dict[int, Surface] = {}
    for surface, index in _meeting(drawing, surfaces, bool(pale or alike)):
        if drawing.places[index] > surface.place:
            lies_on[index] = surface
        elif (over := _painted_over(surface, drawing.box(index))) is not None and over[3] == 255:
            found.add(index)
    suspects.update(index for index in lies_on if colours[index] in alike)
    for index in suspects:
        below, text = lies_on.get(index), drawing.texts[index]
        ground = PAPER if below is None else _painted_over(below, drawing.box(index))
        if (
            ground is not None
            and _alike(colours[index], ground)
            and drawing.modes[index] not in BOTH
            and calls.is_plain(text)
            and calls.has_font_file(text)
        ):
            found.add(index)
    return found


def _colours(drawing: Drawing) -> list[Colour]:
    """The colour that each text is painted in; black for a pattern, which is seen."""
    known, values = calls.fills(drawing.texts)
    plain = all(known) and set(drawing.modes).isdisjoint(OUTLINES)
    if plain and values == values[:4] * len(known):  # as on many pages
        return [(values[0], values[1], values[2], values[3])] * len(known)
    colours = list(zip(values[0::4], values[1::4], values[2::4], values[3::4], strict=True))
    for index, mode in enumerate(() if plain else drawing.modes):
        if mode in OUTLINES:
            colours[index] = calls.fill(drawing.texts[index], "Stroke") or BLACK
        elif not known[index]:
            colours[index] = BLACK
    return colours


def _surfaces(drawing: Drawing) -> list[tuple[Surface, Colour | None]]:
    """What text may lie on or under, with its colour; None where that is not certain."""
    found: list[tuple[Surface, Colour | None]] = []
    filled = iter(calls.filled([each.drawn for each in drawing.surfaces if each.kind == PATH]))
    for each in drawing.surfaces:
        if each.kind != PATH:
            found.append((each, None))
        elif next(filled):
            found.append((each, calls.fill(each.drawn)))
    return found


def _meeting(
    drawing: Drawing, surfaces: Sequence[tuple[Surface, Colour | None]], below: bool
) -> Iterator[tuple[Surface, int]]:
    """Each surface with the texts that it meets; those that lie on it only if asked for `below`.

    Texts are found by their height; most surfaces lie below all that is drawn before them.
    """
    if not surfaces:
        return
    values = drawing.corners
    bottoms = list(map(min, values[1::8], values[3::8], values[5::8], values[7::8]))
    lowest = list(accumulate(bottoms, min))
    order: list[int] = []
    tallest = 0.0
    for each, colour in surfaces:
        before = bisect_left(drawing.places, each.place)
        covers = colour is not None and before and lowest[before - 1] < each.box[3]
        if not (covers or (below and before < len(bottoms))):
            continue
        if not order:
            tops = map(max, values[1::8], values[3::8], values[5::8], values[7::8])
            tallest = max(map(sub, tops, bottoms))
            order = sorted(range(len(bottoms)), key=bottoms.__getitem__)
            bottoms.sort()
        start = bisect_left(bottoms, each.box[1] - tallest)
        for index in order[start : bisect_left(bottoms, each.box[3])]:
            if (below if index >= before else covers) and _meet(each.box, drawing.box(index), EDGE):
                yield each, index


def _painted_over(surface: Surface, box: Box) -> Colour | None:
    """The colour that a surface gives all of a box; None if it is no plain rectangle around it."""
    if surface.kind != PATH or not _around(surface.box, box):
        return None
    if not (calls.is_rectangle(surface.drawn) and calls.is_plain(surface.drawn)):
        return None
    room = calls.clip_box(surface.drawn)
    if room is None or not _around(_moved(room, surface.matrix), box):
        return None
    return calls.fill(surface.drawn)


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _meet(one: Box, box: Box, edge: float = 0.0) -> bool:
    """Whether a box lies on another, but for such a share of its height at its edges."""
    edge *= box[3] - box[1]
    return one[0] < box[2] and one[2] > box[0] and one[1] < box[3] - edge and one[3] > box[1] + edge


def _around(outer: Box, box: Box) -> bool:
    """Whether a box lies in another but for its edges, which stand beyond the letters."""
    edge = EDGE * (box[3] - box[1])
    return (
        outer[0] <= box[0] + 1
        and outer[2] >= box[2] - 1
        and outer[1] <= box[1] + edge
        and outer[3] >= box[3] - edge
    )


def _alike(colour: Colour, other: Colour) -> bool:
    pairs = zip(colour[:3], other[:3], strict=True)
    return all(abs(one - two) <= MAX_COLOUR_DISTANCE for one, two in pairs)
