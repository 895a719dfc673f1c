"""Text of a PDF page that no viewer shows: found by the page's objects, and taken off it in memory.

Not painted, off the page, too small, in the colour of its ground, or under a box; and ActualText
that says something else than the letters that it stands for. What lies under or over a picture, a
pattern or another shape counts as seen, and so does what a scan's own words stand for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, compress
from math import hypot
from operator import sub
from typing import TYPE_CHECKING, NamedTuple

from indexer.extract.hidden import MAX_COLOUR_DISTANCE
from indexer.extract.pdf import calls
from indexer.extract.pdf.calls import FORM, IMAGE, PATH, Box, Matrix
from indexer.extract.pdf.spoken import ACTUAL_TEXT, take_unshown

if TYPE_CHECKING:
    import pypdfium2

OUTLINES, INVISIBLE, CLIP = (1, 5), 3, 7  # FPDF_TEXTRENDERMODE_…
BOTH = (2, 6)  # filled, with an outline of another colour
NO_TEXT = -1  # FPDF_TEXTRENDERMODE_UNKNOWN
MAX_FORM_DEPTH = 40  # as deep as pdfium reads
THIN = 3.0  # points: a rule, which covers no line
MIN_ALPHA, MAX_ALPHA = 40, 255
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
    colour: Colour | None  # None where that is not certain


@dataclass(slots=True)
class Drawing:
    """All that is drawn on a page in its order, that in forms included."""

    objects: list[int] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)  # how each text is rendered
    parts: list[tuple[int, int, Matrix]] = field(default_factory=list)  # first place, form, matrix
    paths: int = 0
    surfaces: list[Surface] = field(default_factory=list)  # without rules, and paths not filled

    def add(self, objects: Sequence[int], form: int, matrix: Matrix, depth: int = 0) -> None:
        """Take in the objects of a page or form (0: of the page), and of the forms in it."""
        modes = calls.modes(objects)
        numbers = list(compress(range(len(modes)), map(NO_TEXT.__eq__, modes)))
        kinds = calls.kinds([objects[number] for number in numbers])
        start = 0
        for number, kind in zip(numbers, kinds, strict=True):
            if kind == FORM and depth < MAX_FORM_DEPTH:
                self._add_plain(objects[start:number], modes[start:number], form, matrix)
                drawn = objects[number]
                inner = _product(_of(calls.matrices([drawn])), matrix)
                self.add(calls.objects_in(drawn), drawn, inner, depth + 1)
                start = number + 1
        self._add_plain(objects[start:], modes[start:], form, matrix)

    def _add_plain(
        self, objects: Sequence[int], modes: Sequence[int], form: int, matrix: Matrix
    ) -> None:
        """Take in objects none of which is a form."""
        first = len(self.objects)
        self.parts.append((first, form, matrix))
        self.objects.extend(objects)
        self.modes.extend(modes)
        places = list(compress(range(len(modes)), map(NO_TEXT.__eq__, modes)))
        others = [objects[place] for place in places]
        kinds = calls.kinds(others)
        self.paths += kinds.count(PATH)
        filled = calls.filled(others)  # False of what is no path
        wanted = [kind != PATH or fill for kind, fill in zip(kinds, filled, strict=True)]
        places, others = list(compress(places, wanted)), list(compress(others, wanted))
        for place, drawn, kind, box, colour in zip(
            places,
            others,
            compress(kinds, wanted),
            _boxes(others, matrix),
            _colours(others),
            strict=True,
        ):
            if kind != PATH or (box[2] - box[0] >= THIN and box[3] - box[1] >= THIN):
                known = colour if kind == PATH else None
                self.surfaces.append(Surface(first + place, drawn, kind, box, matrix, known))

    def around(self, place: int) -> tuple[int, Matrix]:
        """The form that an object stands in, 0 for none, and what its space is multiplied by."""
        return next(part[1:] for part in reversed(self.parts) if part[0] <= place)


class Texts:
    """The texts of a drawing: their places among all that is drawn, and what they look like."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        is_text = list(map(NO_TEXT.__ne__, drawing.modes))
        self.places = list(compress(range(len(is_text)), is_text))
        self.drawn = list(compress(drawing.objects, is_text))
        self.modes = list(compress(drawing.modes, is_text))

    @cached_property
    def boxes(self) -> list[Box]:
        """Where each stands on the page."""
        if len(self.drawing.parts) == 1:
            return _boxes(self.drawn, IDENTITY)
        pairs = zip(_boxes(self.drawn, IDENTITY), self.places, strict=True)
        return [_moved(box, self.drawing.around(place)[1]) for box, place in pairs]

    @cached_property
    def colours(self) -> list[Colour]:
        """The colour that each is painted in; black for a pattern, which is seen."""
        found = [colour or BLACK for colour in _colours(self.drawn)]
        for index, mode in enumerate(self.modes):
            if mode in OUTLINES:
                found[index] = _colours([self.drawn[index]], "Stroke")[0] or BLACK
        return found


@contextmanager
def seen_text(page: pypdfium2.PdfPage) -> Iterator[tuple[pypdfium2.PdfTextPage, str, list[str]]]:
    """The page's text as a viewer shows it, twice, and the lines of what it does not show.

    What is not shown is taken off the page in memory.
    """
    drawing = Drawing()
    drawing.add(calls.objects_of(page), 0, IDENTITY)
    texts = Texts(drawing)
    if not _hides(page, texts):
        with closing(page.get_textpage()) as text_page:
            yield text_page, str(text_page.get_text_range()), []
        return
    hidden = _taken(page, texts)
    with closing(page.get_textpage()) as text_page:
        yield text_page, str(text_page.get_text_range()), hidden


def _hides(page: pypdfium2.PdfPage, texts: Texts) -> bool:
    """Whether some of the texts are not seen, or said to read something."""
    return bool(texts.places) and (
        bool(calls.marks_with(ACTUAL_TEXT, texts.drawn)) or bool(_unseen(texts, page.get_bbox()))
    )


def _taken(page: pypdfium2.PdfPage, texts: Texts) -> list[str]:
    """The lines that the page does not show, removed from it in memory."""
    said = take_unshown(page, texts.drawn)
    unseen = _unseen(texts, page.get_bbox())
    with closing(page.get_textpage()) as text_page:
        pieces = [(calls.text_of(texts.drawn[at], text_page), texts.boxes[at]) for at in unseen]
    for at in unseen:
        calls.remove(page, texts.drawn[at], texts.drawing.around(texts.places[at])[0])
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


def _unseen(texts: Texts, paper: Box) -> list[int]:
    """Those that no viewer shows, by their numbers; blanks, which nobody sees, are none."""
    found = {*_unpainted(texts, paper), *_misplaced(texts, paper), *_coloured(texts)}
    return sorted(at for at in found if _area(texts.boxes[at]) > 0)


# --- By mode, place and size ----------------------------------------------------------------------


def _unpainted(texts: Texts, paper: Box) -> Iterator[int]:
    """Those whose mode is to paint nothing, where no picture shows what they say."""
    drawing = texts.drawing
    if INVISIBLE not in texts.modes and CLIP not in texts.modes:
        return
    pictures = sum(_area(each.box) for each in drawing.surfaces if each.kind == IMAGE)
    of_letters = drawing.paths >= max(MIN_DRAWN, len(texts.modes))
    if pictures >= MIN_PICTURE_SHARE * _area(paper) or (
        of_letters and all(mode == INVISIBLE for mode in texts.modes)
    ):
        return
    for at, (mode, place) in enumerate(zip(texts.modes, texts.places, strict=True)):
        painted_through = mode == CLIP and any(
            each.place > place and _meet(each.box, texts.boxes[at]) for each in drawing.surfaces
        )
        if mode in (INVISIBLE, CLIP) and not painted_through:
            yield at


def _misplaced(texts: Texts, paper: Box) -> Iterator[int]:
    """Those off the page, and those too small to be read: in their font, or as narrow."""
    least = MIN_FONT_SHARE * (paper[3] - paper[1])
    lefts, bottoms, rights, tops = zip(*texts.boxes, strict=True)
    left, bottom, right, top = paper
    if max(lefts) >= right or min(rights) <= left or max(bottoms) >= top or min(tops) <= bottom:
        for at, box in enumerate(texts.boxes):
            if box[0] >= right or box[2] <= left or box[1] >= top or box[3] <= bottom:
                yield at
    small = [at for at, height in enumerate(map(sub, tops, bottoms)) if 0 < height < 2 * least]
    small += [at for at, width in enumerate(map(sub, rights, lefts)) if 0 < width < least / 2]
    sizes = calls.sizes([texts.drawn[at] for at in small])
    matrices = calls.matrices([texts.drawn[at] for at in small])
    for index, at in enumerate(small):
        own = _of(matrices[6 * index : 6 * index + 6])
        a, b, c, d, _, _ = _product(own, texts.drawing.around(texts.places[at])[1])
        if abs(sizes[index]) * min(hypot(a, b), hypot(c, d)) < least:
            yield at


# --- By colour ------------------------------------------------------------------------------------


def _coloured(texts: Texts) -> Iterator[int]:
    """Those in the colour of what they lie on, in none, or under a box."""
    colours, surfaces = texts.colours, texts.drawing.surfaces
    distinct = set(colours)
    if any(colour[3] < MIN_ALPHA for colour in distinct):
        yield from (at for at, colour in enumerate(colours) if colour[3] < MIN_ALPHA)
    grounds = {PAPER} | {each.colour for each in surfaces if each.colour is not None}
    alike = {one for one in distinct if any(_alike(one, ground) for ground in grounds)}
    lies_on: dict[int, Surface] = {}
    for surface, at in _meeting(texts, bool(alike)) if surfaces else ():
        if texts.places[at] > surface.place:
            lies_on[at] = surface
        elif (over := _painted_over(surface, texts.boxes[at])) is not None and over[3] == 255:
            yield at
    for at in [at for at, colour in enumerate(colours) if colour in alike]:
        below, drawn = lies_on.get(at), texts.drawn[at]
        ground = PAPER if below is None else _painted_over(below, texts.boxes[at])
        if (
            ground is not None
            and _alike(colours[at], ground)
            and texts.modes[at] not in BOTH
            and calls.is_plain(drawn)
            and calls.has_font_file(drawn)
        ):
            yield at


def _meeting(texts: Texts, below: bool) -> Iterator[tuple[Surface, int]]:
    """Each surface with the texts that it meets; those that lie on it only if asked for `below`.

    Texts are found by their height; most surfaces lie below all that is drawn before them.
    """
    lowest = list(accumulate((box[1] for box in texts.boxes), min))
    order = sorted(range(len(lowest)), key=lambda at: texts.boxes[at][1])
    bottoms = [texts.boxes[at][1] for at in order]
    tallest = max(box[3] - box[1] for box in texts.boxes)
    for each in texts.drawing.surfaces:
        before = bisect_left(texts.places, each.place)
        covers = each.colour is not None and before and lowest[before - 1] < each.box[3]
        if covers or (below and before < len(order)):
            start = bisect_left(bottoms, each.box[1] - tallest)
            for at in order[start : bisect_left(bottoms, each.box[3])]:
                wanted = below if at >= before else covers
                if wanted and _meet(each.box, texts.boxes[at], EDGE):
                    yield each, at


def _painted_over(surface: Surface, box: Box) -> Colour | None:
    """The colour that a surface gives all of a box; None if it is no plain rectangle around it."""
    if surface.colour is None or not _around(surface.box, box):
        return None
    if not (calls.is_rectangle(surface.drawn) and calls.is_plain(surface.drawn)):
        return None
    room = calls.clip_box(surface.drawn)
    if room is None or not _around(_moved(room, surface.matrix), box):
        return None
    return surface.colour


def _colours(objects: Sequence[int], of: str = "Fill") -> list[Colour | None]:
    """The colour of each object; None for patterns, and for pictures."""
    numbers = calls.colours(objects, of)
    values = iter(numbers if numbers != numbers[:4] * len(objects) else numbers[:4])
    quads = zip(values, values, values, values, strict=True)
    found = [quad if quad[3] <= MAX_ALPHA else None for quad in quads]
    return found if len(found) == len(objects) else found * len(objects)  # as on many pages


def _boxes(objects: Sequence[int], matrix: Matrix) -> list[Box]:
    """Where objects stand on the page whose space is multiplied by a matrix."""
    values = iter(calls.boxes(objects))
    found = list(zip(values, values, values, values, strict=True))
    return found if matrix == IDENTITY else [_moved(box, matrix) for box in found]


def _of(values: Sequence[float]) -> Matrix:
    """A matrix of six numbers."""
    a, b, c, d, e, f = values
    return a, b, c, d, e, f


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
