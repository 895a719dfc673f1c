"""Texts of a page that may be unseen: those that rules tell, and those to look at. Quick.

Most pages have none, and some draw each of their 5,000 letters as an object: what is asked of all
of them runs in `map`. Asks too often rather than too seldom: the page is painted to find out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, compress
from math import hypot
from operator import sub

from indexer.extract.hidden import MAX_COLOUR_DISTANCE
from indexer.extract.pdf import calls
from indexer.extract.pdf.calls import IMAGE, PATH
from indexer.extract.pdf.drawing import Box, ByHeight, Drawing, Painted, moved

FILLED, STROKED, INVISIBLE, OUTLINE_OF_ALL = 0, (1, 5), 3, 7  # FPDF_TEXTRENDERMODE_…
MIN_WHITE = 255 - MAX_COLOUR_DISTANCE  # in each of red, green and blue, on paper
MIN_ALPHA = 40  # of 255
MIN_FONT_SHARE = 0.001  # of the page's height: 0.8 points on A4
THIN = 1.6  # points: a rule, which covers no line
MAX_APART = 0.3  # points between rules that cover a line together

Colour = tuple[int, int, int, int]
Paints = dict[int, tuple[int, ...] | None]  # by the place of what is painted


@dataclass(slots=True)
class Suspects:
    """Texts by their numbers in the drawing, each in one of these, but for those that may be cut.

    `unpainted` by their mode, `off` the page, too `tiny`, to `look` at, and of these `cut`,
    and those that are looked at `by_colour` alone.
    """

    unpainted: set[int] = field(default_factory=set)
    off: set[int] = field(default_factory=set)
    tiny: set[int] = field(default_factory=set)
    look: set[int] = field(default_factory=set)
    cut: set[int] = field(default_factory=set)
    by_colour: set[int] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.unpainted or self.off or self.tiny or self.look)


def suspects_of(
    drawing: Drawing, paper: Box, above: Sequence[Box], marked: Iterable[int]
) -> Suspects:
    """The suspects of a page; `above` are boxes painted over it, `marked` texts to look at."""
    found = Suspects()
    modes = drawing.modes
    for mode in (INVISIBLE, OUTLINE_OF_ALL):
        if mode in modes:
            found.unpainted.update(compress(range(len(modes)), map(mode.__eq__, modes)))
    _placed(drawing, paper, found)
    finder = _Finder(drawing)
    found.cut.update(_clipped(drawing))
    paints = _paints(drawing.painted)
    found.look.update(found.cut, marked)
    found.look.update(compress(range(len(modes)), calls.transparent(drawing.texts)))
    found.look.update(_covered(drawing, above, paints, finder))
    found.by_colour.update(_coloured(drawing, paints, finder))
    found.by_colour -= found.look
    found.look |= found.by_colour
    elsewhere = found.unpainted | found.off | found.tiny
    found.look -= elsewhere
    found.by_colour -= elsewhere
    return found


class _Finder:
    """`ByHeight`, made when it is first asked."""

    def __init__(self, drawing: Drawing) -> None:
        self._by_height = cache(lambda: ByHeight(drawing))

    def meeting(self, box: Box) -> Iterator[int]:
        """The texts that a box meets."""
        return self._by_height().meeting(box)


# --- Off the page, too small ----------------------------------------------------------------------


def _placed(drawing: Drawing, paper: Box, found: Suspects) -> None:
    values = drawing.corners
    lefts, bottoms, rights, tops = values[0::8], values[1::8], values[4::8], values[5::8]
    least = MIN_FONT_SHARE * (paper[3] - paper[1])
    left, bottom, right, top = paper
    if not (
        min(lefts) >= left and max(rights) <= right and min(bottoms) >= bottom and max(tops) <= top
    ):
        for index in range(len(drawing.texts)):
            own = drawing.box(index)
            if own[2] <= left or own[0] >= right or own[3] <= bottom or own[1] >= top:
                found.off.add(index)
            elif own[0] < left - 3 or own[2] > right + 3 or own[1] < bottom - 3 or own[3] > top + 3:
                found.cut.add(index)
    # Of text that stands upright, most: the others are looked at one by one.
    numbers = range(len(drawing.texts))
    small = set(compress(numbers, map((2 * least).__gt__, map(sub, tops, bottoms))))
    small.update(compress(numbers, map((0.5 * least).__gt__, map(sub, rights, lefts))))
    if values[6::8] != lefts:
        small.update(compress(numbers, map(float.__ne__, values[6::8], lefts)))
    texts = [drawing.texts[index] for index in small]
    for index, size, matrix in zip(small, *calls.sizes(texts), strict=True):
        upright = not (matrix[1] or matrix[2] or drawing.inner)
        if upright and size * matrix[0] >= least <= size * matrix[3]:
            continue
        if _least_size(size, matrix, drawing.matrix_of(index)) < least:
            found.tiny.add(index)


def _least_size(size: float, matrix: Sequence[float], around: Sequence[float]) -> float:
    """The height of a text's font or the width of its letters in points, whichever is less."""
    a, b, c, d = matrix
    g, h, i, j, *_ = around
    a, b, c, d = a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j
    wide, high = hypot(a, b), hypot(c, d)
    if not size or not (wide and high):
        return 0.0
    upright = abs(a * d - b * c) / (wide * high)  # 0 where all letters fall on one line
    return abs(size) * min(wide, high) * min(1.0, 10 * upright)


# --- The colour of what lies under it -------------------------------------------------------------


def _coloured(drawing: Drawing, paints: Paints, finder: _Finder) -> Iterator[int]:
    """Those that may have the colour of what they lie on, or none."""
    last = drawing.places[-1]
    surfaces = [
        (each, under)
        for each in drawing.painted
        if each.place < last and (under := paints[each.place]) is not None
    ]
    colours = _colours(drawing, bool(surfaces))
    distinct = set(colours)
    pale = {each for each in distinct if each[3] < MIN_ALPHA or min(each[:3]) >= MIN_WHITE}
    if pale:
        yield from (index for index, colour in enumerate(colours) if colour in pale)
    like: dict[tuple[int, ...], set[Colour]] = {(): distinct}
    for each, under in surfaces:
        if under not in like:
            like[under] = {colour for colour in distinct - pale if _alike(colour, under)}
        if alike := like[under]:
            yield from (
                index
                for index in finder.meeting(each.box)
                if drawing.places[index] > each.place and colours[index] in alike
            )


def _colours(drawing: Drawing, on_surfaces: bool) -> list[Colour]:
    """The colour that each text is painted in, none at all for patterns; [] where all are seen."""
    known, values = calls.fills(drawing.texts)
    if values == values[:4] * len(known) and all(known) and set(drawing.modes).isdisjoint(STROKED):
        red, green, blue, alpha = values[:4]  # as on most pages
        return [(red, green, blue, alpha)] * len(known)
    dark = max(values[0::4]) < MIN_WHITE and min(values[3::4]) >= MIN_ALPHA and all(known)
    if dark and not on_surfaces and not any(map(drawing.modes.__contains__, STROKED)):
        return []
    colours = list(zip(values[0::4], values[1::4], values[2::4], values[3::4], strict=True))
    for mode in STROKED:
        if mode in drawing.modes:
            for index in compress(range(len(colours)), map(mode.__eq__, drawing.modes)):
                colours[index] = calls.fill(drawing.texts[index], "Stroke") or (0, 0, 0, 0)
    if not all(known):
        colours = [
            each if is_known else (0, 0, 0, 0)
            for each, is_known in zip(colours, known, strict=True)
        ]
    return colours


def _paints(painted: Sequence[Painted]) -> Paints:
    """The colour of each surface; () for many, or for one that is not known; None for a rule."""
    found: Paints = {each.place: None if each.kind == PATH else () for each in painted}
    wide = [each for each in painted if each.kind == PATH and not _is_thin(each.box)]
    if not wide:
        return found
    paths = [each.drawn for each in wide]
    known, values = calls.fills(paths)
    colours = zip(values[0::4], values[1::4], values[2::4], values[3::4], strict=True)
    modes = calls.draw_modes(paths)
    for each, (filled, stroked), is_known, colour in zip(wide, modes, known, colours, strict=True):
        if filled:
            found[each.place] = colour if is_known else ()
        elif stroked and calls.line_width(each.drawn) >= 2 * THIN:
            found[each.place] = calls.fill(each.drawn, "Stroke") or ()
    return found


def _is_thin(box: Box) -> bool:
    return min(box[2] - box[0], box[3] - box[1]) < THIN


def _alike(colour: Colour, other: Sequence[int]) -> bool:
    pairs = zip(colour[:3], other, strict=False)
    return all(abs(one - two) <= MAX_COLOUR_DISTANCE for one, two in pairs)


# --- Cut away, painted over -----------------------------------------------------------------------


def _clipped(drawing: Drawing) -> Iterator[int]:
    """Those that do not lie within what is painted of them."""
    clips = calls.clips(drawing.texts)
    inner: dict[int, Box | None] = {}
    for index, clip in enumerate(clips):
        if not clip:
            continue
        if clip not in inner:
            inner[clip] = _within(calls.clip_points(drawing.texts[index]))
        room = inner[clip]
        own = drawing.box(index)
        if room is not None:
            left, bottom, right, top = moved(room, drawing.matrix_of(index))
            edge = 0.3 * (own[3] - own[1])
            if (
                own[0] >= left - 1
                and own[2] <= right + 1
                and own[1] >= bottom - edge
                and own[3] <= top + edge
            ):
                continue
        yield index


def _within(outlines: Iterable[Sequence[tuple[float, float]]]) -> Box | None:
    """What lies within all outlines; None where one is no upright rectangle."""
    left = bottom = float("-inf")
    right = top = float("inf")
    for points in outlines:
        xs, ys = {x for x, _ in points}, {y for _, y in points}
        if not 4 <= len(points) <= 5 or max(len(xs), len(ys)) > 2:
            return None
        left, right = max(left, min(xs)), min(right, max(xs))
        bottom, top = max(bottom, min(ys)), min(top, max(ys))
    return left, bottom, right, top


def _covered(
    drawing: Drawing, above: Sequence[Box], paints: Paints, finder: _Finder
) -> Iterator[int]:
    """Those that something painted later may lie on."""
    if not drawing.texts:
        return
    for box in above:
        yield from finder.meeting(box)
    later = [each for each in drawing.painted if each.place > drawing.places[0]]
    together = [
        each for each in _together(later) if each.kind == IMAGE or paints[each.place] is not None
    ]
    if not together:
        return
    before = _number_before(later, drawing.places)
    edges = _edges(drawing.corners, {before[each.place] for each in together})
    for each in together:
        lowest, highest = edges[before[each.place]]
        if each.box[3] <= lowest or each.box[1] >= highest:
            continue
        yield from (
            index for index in finder.meeting(each.box) if drawing.places[index] < each.place
        )


def _edges(corners: Sequence[float], numbers: Iterable[int]) -> dict[int, tuple[float, float]]:
    """The lowest and highest edge of the first so many texts."""
    found, start = {}, 0
    lowest = highest = corners[1]
    for number in sorted(numbers):
        one = corners[8 * start + 1 : 8 * number : 8]
        other = corners[8 * start + 5 : 8 * number : 8]
        lowest = min(chain((lowest,), one, other))
        highest = max(chain((highest,), one, other))
        found[number], start = (lowest, highest), number
    return found


def _number_before(painted: Iterable[Painted], places: Sequence[int]) -> dict[int, int]:
    """How many texts are drawn before each, by its place."""
    found, at = {}, 0
    for each in painted:
        while at < len(places) and places[at] < each.place:
            at += 1
        found[each.place] = at
    return found


def _together(painted: Sequence[Painted]) -> list[Painted]:
    """What is painted, with rules that lie close above each other as one."""
    thin = [each for each in painted if each.kind == PATH and _is_thin(each.box)]
    of_rules = {each.place for each in thin}
    found = [each for each in painted if each.place not in of_rules]
    for axis in (0, 1):
        rules = [each for each in thin if (each.box[3] - each.box[1] < THIN) == (axis == 0)]
        pile: list[Painted] = []
        for each in sorted(rules, key=lambda rule: (rule.box[1 - axis], rule.box[axis])):
            if pile and each.box[1 - axis] - pile[-1].box[3 - axis] > MAX_APART:
                found.extend(_whole(pile))
                pile = []
            pile.append(each)
        found.extend(_whole(pile))
    return found


def _whole(pile: Sequence[Painted]) -> Iterator[Painted]:
    """Rules that lie close to each other as one surface."""
    if not pile:
        return
    lefts, bottoms, rights, tops = zip(*(each.box for each in pile), strict=True)
    box = min(lefts), min(bottoms), max(rights), max(tops)
    if len(pile) > 1 and min(box[2] - box[0], box[3] - box[1]) >= THIN:
        last = max(pile, key=lambda each: each.place)
        yield Painted(last.place, last.drawn, IMAGE, box)
