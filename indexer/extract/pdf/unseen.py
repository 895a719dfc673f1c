"""Text of a PDF page that no viewer shows: found by the page's objects, and left out of it.

Not painted, off the page, too small, in the colour of its ground, or under a box. What lies under
or over a picture, a pattern or another shape counts as seen, and so does what a scan's own words
stand for. Whatever is drawn is looked at, on every page.
"""

from __future__ import annotations

import re
import struct
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, compress, product, repeat
from math import hypot
from operator import sub
from typing import TYPE_CHECKING, NamedTuple

import regex

from indexer.extract.hidden import MAX_COLOUR_DISTANCE
from indexer.extract.pdf import calls
from indexer.extract.pdf.calls import FORM, IMAGE, PATH, Box, Drawn, LayersOff, Matrix, fours

if TYPE_CHECKING:
    import pypdfium2

OUTLINES, INVISIBLE, CLIP = re.compile(b"[\x01\x05]"), 3, 7  # FPDF_TEXTRENDERMODE_…
BOTH = (2, 6)  # filled, with an outline of another colour
MAX_FORM_DEPTH = 40  # as deep as pdfium reads
THIN = 3.0  # points: a rule, which covers no line
MIN_ALPHA, MAX_ALPHA = 40, 255
MIN_FONT_SHARE = 0.001  # of the page's height: 0.8 points on A4
MAX_FONT_SHARE = 100  # beyond it, no letter is seen
MIN_PICTURE_SHARE = 0.4  # of a page that its pictures cover, before it is a scan
EDGE = 0.3  # of the height of a text's box: what stands beyond its letters
MIN_GAP_SHARE = 0.25  # of a line's height, between two words
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
EVERYWHERE, NOWHERE = (-calls.FAR, -calls.FAR, calls.FAR, calls.FAR), (0.0, 0.0, 0.0, 0.0)
PAPER = (255, 255, 255, 255)

Colour = tuple[int, ...]  # red, green, blue, alpha


class SeenText(NamedTuple):
    """The page's text as a viewer shows it, lines of what it does not show, and thin rules."""

    text_page: pypdfium2.PdfTextPage
    text: str
    hidden: list[str]
    rules: Sequence[Box]


@contextmanager
def seen_text(page: pypdfium2.PdfPage, layers_off: LayersOff = tuple) -> Iterator[SeenText]:
    """The text of a page; what is not shown is left out of the page in memory."""
    drawing = Drawing()
    drawing.add(calls.objects_of(calls.of_helper(page)))
    painted = (surface.drawn for surface in drawing.surfaces)
    marks, within = calls.marks_of([*drawing.texts, *drawing.forms, *painted])
    _unsay(dict(zip(marks, within, strict=True)))
    unseen: list[int] = []
    if drawing.texts:
        layers = _layers(set(marks), layers_off)
        off = {*compress(within, map(layers.__contains__, marks))} if layers else ()
        unseen = drawing.unseen(page.get_bbox(), off)
    hidden: list[str] = []
    text_page = page.get_textpage()
    if unseen:
        on = calls.of_helper(text_page)
        said = (calls.text_by("FPDFTextObj_GetText", drawing.texts[at], on) for at in unseen)
        words = {at: text for at, text in zip(unseen, said, strict=True) if text.strip()}
        hidden = list(_lines((text, drawing.box(at)) for at, text in words.items()))
        for at in words:
            calls.leave_out(drawing.texts[at])
        if words:
            text_page.close()
            text_page = page.get_textpage()
    with closing(text_page):
        yield SeenText(text_page, text_page.get_text_range(), hidden, drawing.rules)


_SPOKEN = b"ActualText"
# Of a script in which a letter's form, order and number of glyphs hang on those beside it.
_SHAPED = r"\u0590-\u109f\u1780-\u18af\u1900-\u1aaf\u1b00-\u1bff\ua800-\uabff"
_JOINED = regex.compile(rf"[\s\p{{P}}]*[{_SHAPED}][\s\p{{P}}\p{{M}}{_SHAPED}]*")


def _unsay(marks: Mapping[int, Drawn]) -> None:
    """Take out of marks what the file says that texts read: no viewer shows it, if unshaped."""
    for mark, drawn in marks.items():
        said = calls.text_in(mark, _SPOKEN)
        if said is not None and (not _JOINED.fullmatch(said) or any(map(str.isdigit, said))):
            calls.without_bytes(drawn, mark, _SPOKEN)


def _layers(marks: Iterable[int], layers_off: LayersOff) -> set[int]:
    """The marks of a layer that is off: they have its name."""
    named = {mark: calls.text_in(mark, b"Name") for mark in marks if calls.is_layer(mark)}
    off = layers_off() if named else ()
    return {mark for mark, name in named.items() if name in off}


def _lines(pieces: Iterable[tuple[str, Box]]) -> Iterator[str]:
    """The words as lines: those side by side, in the order in which they are drawn."""
    line, last = "", None
    for text, box in pieces:
        if last is not None and not (min(last[3], box[3]) > max(last[1], box[1])):
            yield " ".join(line.split())
            line = ""
        elif last is not None and box[0] - last[2] > MIN_GAP_SHARE * (box[3] - box[1]):
            line += " "
        line, last = line + text, box
    if line:
        yield " ".join(line.split())


class Surface(NamedTuple):
    """What is drawn and no text, after the first `above` texts; its box on the page."""

    above: int
    drawn: Drawn
    kind: int
    box: Box
    matrix: Matrix
    room: Box  # of the page, that its forms are clipped to
    colour: Colour | None  # None where that is not certain


@dataclass
class Drawing:
    """All that is drawn on a page in its order, that in forms included."""

    texts: list[Drawn] = field(default_factory=list)
    modes: bytearray = field(default_factory=bytearray)  # how each text is rendered
    spaces: dict[int, Matrix] = field(default_factory=dict)  # what those in forms are moved by
    forms: dict[Drawn, range] = field(default_factory=dict)  # which texts are in each
    rules: list[Box] = field(default_factory=list)  # thin paths that lie
    surfaces: list[Surface] = field(default_factory=list)  # without rules, and paths not filled

    def add(
        self,
        objects: Sequence[Drawn],
        matrix: Matrix = IDENTITY,
        room: Box = EVERYWHERE,
        depth: int = 0,
    ) -> None:
        """Take in the objects of a page or form, and of the forms in it."""
        modes = calls.modes(objects)
        places = [match.start() for match in re.finditer(calls.NO_TEXT, modes)]
        others = [objects[place] for place in places]
        painted = calls.draw_modes(others)  # filled or not, stroked or not; -1 of what is no path
        boxes = map(_moved, fours(calls.boxes(others)), repeat(matrix))
        fills = fours(calls.fill_colours(others))
        looks = zip(boxes, fills, painted[0::2], painted[1::2], strict=True)
        start, begun = 0, len(self.texts)
        for place, drawn, (box, colour, fill, line) in zip(places, others, looks, strict=True):
            kind = PATH if fill >= 0 else calls.kind(drawn)
            self.texts += objects[start:place]
            self.modes += modes[start:place]
            start = place + 1
            if kind == FORM and depth < MAX_FORM_DEPTH:
                inner = _product(calls.matrix(drawn), matrix)
                first = len(self.texts)
                within = _room(drawn, matrix, room)
                self.add(calls.objects_of(drawn, "FormObj"), inner, within, depth + 1)
                self.forms[drawn] = range(first, len(self.texts))
            elif kind != PATH:
                self.surfaces.append(Surface(len(self.texts), drawn, kind, box, matrix, room, None))
            elif box[2] - box[0] < THIN:
                continue
            elif box[3] - box[1] < THIN:
                if (fill > 0 and _is_ink(colour)) or (line > 0 and _is_ink(_outline(drawn))):
                    self.rules.append(box)
            elif fill > 0:
                known = colour if colour[3] <= MAX_ALPHA else None
                at = len(self.texts)
                self.surfaces.append(Surface(at, drawn, kind, box, matrix, room, known))
        self.texts += objects[start:]
        self.modes += modes[start:]
        for at in range(begun, len(self.texts)) if depth else ():
            self.spaces.setdefault(at, matrix)

    @cached_property
    def sides(self) -> tuple[Sequence[float], ...]:
        """The left ends of all texts on the page, their bottoms, right ends and tops."""
        found = array("d" if self.spaces else "f", calls.boxes(self.texts))
        for at, matrix in self.spaces.items():
            inner = found[4 * at : 4 * at + 4]
            found[4 * at : 4 * at + 4] = array("d", _moved(inner, matrix))
        return found[0::4], found[1::4], found[2::4], found[3::4]

    def box(self, at: int) -> Box:
        """Where a text stands on the page."""
        left, bottom, right, top = (side[at] for side in self.sides)
        return left, bottom, right, top

    def unseen(self, paper: Box, off: Collection[Drawn] = ()) -> list[int]:
        """The texts that no viewer shows, by number; blanks may be among them.

        `off` is what is not drawn.
        """
        self.surfaces = [each for each in self.surfaces if each.drawn not in off]
        ways = self._unpainted(paper), self._misplaced(paper), self._covered(), self._coloured()
        found = {*chain.from_iterable(ways)}
        if off:
            found.update(at for at, drawn in enumerate(self.texts) if drawn in off)
            found.update(*(texts for form, texts in self.forms.items() if form in off))
        return sorted(found)

    # --- By mode, place and size ------------------------------------------------------------------

    def _unpainted(self, paper: Box) -> Iterator[int]:
        """Those whose mode is to paint nothing, where no picture shows what they say."""
        if INVISIBLE not in self.modes and CLIP not in self.modes:
            return
        pictures = sum(_area(each.box) for each in self.surfaces if each.kind == IMAGE)
        if pictures >= MIN_PICTURE_SHARE * _area(paper):
            return
        for at, mode in enumerate(self.modes):
            painted_through = mode == CLIP and any(
                each.above > at and _meet(each.box, self.box(at)) for each in self.surfaces
            )
            if mode in (INVISIBLE, CLIP) and not painted_through:
                yield at

    def _misplaced(self, paper: Box) -> Iterator[int]:
        """Those off the page, and those that are too small, too narrow or too large to be read."""
        left, bottom, right, top = paper
        lefts, bottoms, rights, tops = self.sides
        across = max(lefts) < right and min(rights) > left
        if not (across and max(bottoms) < top and min(tops) > bottom):
            for at, (x, y, end, up) in enumerate(zip(*self.sides, strict=True)):
                if not (x < right and end > left and y < top and up > bottom):
                    yield at
        looks = [*struct.iter_unpack("20s8x", calls.scales(self.texts))]  # all but the place
        for at, space in self.spaces.items():
            looks[at] = (*looks[at], space)
        lost = {look for look in {*looks} if not _is_legible(top - bottom, *look)}
        for at in compress(range(len(looks)), map(lost.__contains__, looks)) if lost else ():
            flat = tops[at] - bottoms[at] < 2 * MIN_FONT_SHARE * (top - bottom)
            if flat or calls.has_font_file(self.texts[at]):  # of Type 3, sizes alone say nothing
                yield at

    # --- By colour --------------------------------------------------------------------------------

    def _coloured(self) -> Iterator[int]:
        """Those in no colour, or in that of what they lie on."""
        values = calls.fill_colours(self.texts)
        for at in (match.start() for match in OUTLINES.finditer(self.modes)):
            values[4 * at : 4 * at + 4] = array("I", _outline(self.texts[at]))
        grounds = {PAPER, *(each.colour for each in self.surfaces if each.colour is not None)}
        pairs = product({*fours(values)}, grounds)
        lost = {each for each, one in pairs if each[3] < MIN_ALPHA or _alike(each, one)}
        for at, colour in enumerate(fours(values)) if lost else ():
            if colour in lost and (colour[3] < MIN_ALPHA or self._is_lost(at, colour)):
                yield at

    def _is_lost(self, at: int, colour: Colour) -> bool:
        """Whether a text in such a colour lies on something in one that is alike."""
        drawn, box = self.texts[at], self.box(at)
        end = bisect_right(self.surfaces, at, key=lambda each: each.above)
        on = (self.surfaces[number] for number in range(end - 1, -1, -1))
        below = next((each for each in on if _meet(each.box, box, EDGE)), None)
        ground = PAPER if below is None else _painted_over(below, box)
        return (
            ground is not None
            and _alike(colour, ground)
            and self.modes[at] not in BOTH
            and calls.is_plain(drawn)
            and calls.has_font_file(drawn)
        )

    def _covered(self) -> Iterator[int]:
        """Those under a box."""
        full = [each for each in self.surfaces if each.colour and each.colour[3] == MAX_ALPHA]
        last = max((each.above for each in full), default=0)
        bottoms, tops = (side[:last] for side in self.sides[1::2])
        order = sorted(range(last), key=bottoms.__getitem__)
        ordered = [bottoms[at] for at in order]
        tallest = max(map(sub, tops, bottoms), default=0.0)
        for each in full:
            start = bisect_left(ordered, each.box[1] - tallest)
            for at in order[start : bisect_left(ordered, each.box[3])]:
                under = at < each.above and _meet(each.box, box := self.box(at), EDGE)
                if under and _painted_over(each, box):
                    yield at


def _painted_over(surface: Surface, box: Box) -> Colour | None:
    """The colour that a surface gives all of a box; None if it is no plain rectangle around it."""
    own = None if surface.colour is None else calls.rectangle(surface.drawn)
    a, b, c, d, e, f = _product(calls.matrix(surface.drawn), surface.matrix)
    edge, area, room = EDGE * (box[3] - box[1]), a * d - b * c, surface.room
    if not (own and area and _around(_room(surface.drawn, surface.matrix, room), box)):
        return None
    for x, y in product((box[0] + 1, box[2] - 1), (box[1] + edge, box[3] - edge)):
        across, up = ((x - e) * d - (y - f) * c) / area, ((y - f) * a - (x - e) * b) / area
        if not (own[0] <= across <= own[2] and own[1] <= up <= own[3]):
            return None
    return surface.colour


def _is_legible(page: float, scale: bytes, space: Matrix = IDENTITY) -> bool:
    """Whether letters so large, and drawn so, are seen on a page of this height."""
    size, *own = array("f", scale)
    a, b, c, d, _, _ = _product((*own, 0.0, 0.0), space)
    least, longer = MIN_FONT_SHARE * page, max(hypot(a, b), hypot(c, d))
    return abs(size) * longer <= MAX_FONT_SHARE * page and (
        abs(size * (a * d - b * c)) > least * longer
    )


def _room(drawn: Drawn, matrix: Matrix, outer: Box) -> Box:
    """What an object may be seen in; nothing where it is seen through, or cut by another shape."""
    clip = calls.clip_box(drawn)
    if clip is None or not calls.is_plain(drawn):
        return NOWHERE
    (left, bottom, right, top), (x, y, end, up) = _moved(clip, matrix), outer
    return max(left, x), max(bottom, y), min(right, end), min(top, up)


def _moved(box: Sequence[float], matrix: Matrix) -> Box:
    """The box around another one that is multiplied by a matrix."""
    (a, b, c, d, e, f), (left, bottom, right, top) = matrix, box
    if matrix == IDENTITY:
        return left, bottom, right, top
    corners = (left, top), (left, bottom), (right, top), (right, bottom)
    xs, ys = zip(*((a * x + c * y + e, b * x + d * y + f) for x, y in corners), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _product(first: Sequence[float], second: Matrix) -> Matrix:
    """What both do, one after the other."""
    (a, b, c, d, e, f), (g, h, i, j, x, y) = first, second
    place = e * g + f * i + x, e * h + f * j + y
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, *place


def _area(box: Sequence[float]) -> float:
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


def _outline(drawn: Drawn) -> Colour:
    return tuple(calls.stroke_colours([drawn]))


@lru_cache(64)
def _is_ink(colour: Colour) -> bool:
    return colour[3] >= MIN_ALPHA and not _alike(colour, PAPER)


def _alike(colour: Colour, other: Colour) -> bool:
    red, green, blue = colour[0] - other[0], colour[1] - other[1], colour[2] - other[2]
    return max(red, green, blue, -red, -green, -blue) <= MAX_COLOUR_DISTANCE
