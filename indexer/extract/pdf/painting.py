"""Whether letters of a page are seen: it is painted with them and without, and compared.

The one test for whatever may hide a letter: what lies on it or under it, masks, clips, layers. What
is painted where they stand is compared with what they paint alone. Called by unseen.py.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

from indexer.extract.hidden import MAX_COLOUR_DISTANCE
from indexer.extract.pdf import calls
from indexer.extract.pdf.characters import Chars
from indexer.extract.pdf.drawing import Box, moved

if TYPE_CHECKING:
    import pypdfium2

LETTER_PIXELS = 6.0  # the height of the smallest letter
MIN_SCALE, MAX_SCALE = 1.2, 6.0  # pixels a point
MAX_PIXELS = 1_000_000
MIN_SEEN = 0.25  # of what a letter paints alone
MAX_ONE_BY_ONE = 40  # texts on others that are looked at alone
MIN_SHAPE, MAX_SHAPE = 0.05, 0.85  # of the boxes around letters
MIN_LEFT = 0.5  # of a letter's height and width that is cut
LIGHT, DARK = 160, 128  # more green than text has: what lies under it, what it must stay below
INK = 96  # of 255: a pixel that is a letter's, and not the edge of one


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter as it is read, the text that draws it, and its box on the page."""

    index: int
    text: int
    char: str
    box: Box


def letters_of(text_page: pypdfium2.PdfTextPage, texts: Iterable[int]) -> list[Letter]:
    """The letters of those texts, without blanks, in pdfium's order."""
    wanted, chars = set(texts), Chars(text_page)
    return [
        Letter(index, text, char, chars.box(index))
        for index, text in enumerate(chars.texts())
        if text in wanted and (char := chr(chars.code(index))).strip() not in ("", "\0")
    ]


class Painting:
    """The part of a page in which some letters stand, to be painted several times."""

    def __init__(self, page: pypdfium2.PdfPage, letters: Sequence[Letter]) -> None:
        self._page = page
        matrix = calls.shown_at(page)
        boxes = [moved(each.box, matrix) for each in letters]
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        around = (
            max(0.0, min(lefts)),
            max(0.0, min(tops)),
            max(1.0, min(page.get_width(), max(rights))),
            max(1.0, min(page.get_height(), max(bottoms))),
        )
        sizes = [max(bottom - top, right - left) for left, top, right, bottom in boxes]
        words = [size for size, each in zip(sizes, letters, strict=True) if each.char.isalnum()]
        lowest = max(0.1, min(words or sizes))
        area = (max(0.0, around[2] - around[0]) + 2) * (max(0.0, around[3] - around[1]) + 2)
        scale = min(max(MIN_SCALE, LETTER_PIXELS / lowest), MAX_SCALE, (MAX_PIXELS / area) ** 0.5)
        self._scale = scale
        self._left, self._top = floor(around[0] * scale) - 1, floor(around[1] * scale) - 1
        self._width = max(1, ceil(around[2] * scale) + 1 - self._left)
        self._height = max(1, ceil(around[3] * scale) + 1 - self._top)
        self._boxes = {each.index: box for each, box in zip(letters, boxes, strict=True)}

    def paint(self, bare: bool = False) -> bytes:
        """Blue, green, red and alpha of each pixel; `bare` without paper and what lies above it."""
        return calls.painted(
            self._page, self._scale, self._left, self._top, self._width, self._height, bare
        )

    def rows(self, letter: Letter) -> list[tuple[int, int]]:
        """Where the rows of a letter begin and end, in pixels."""
        scale, width = self._scale, self._width
        left, top, right, bottom = self._boxes[letter.index]
        first = max(0, round(left * scale) - self._left)
        last = max(0, min(width, max(ceil(right * scale) - self._left, first + 1)))
        highest = max(0, round(top * scale) - self._top)
        lowest = min(self._height, ceil(bottom * scale) - self._top)
        starts = range(highest * width, lowest * width, width)
        return [(start + first, start + last) for start in starts]


def seen(
    page: pypdfium2.PdfPage,
    letters: Sequence[Letter],
    drawn: Sequence[int],
    cut: Container[int],
) -> dict[int, bool | None]:
    """Whether each letter is seen, by its index; None where it paints nothing even alone.

    `drawn` is all that the page draws, `cut` are texts that may be cut away in part.
    """
    painting = Painting(page, letters)
    texts = {each.text for each in letters}
    whole = painting.paint()
    with _without(texts):
        rest = painting.paint()
    with _without(each for each in drawn if each not in texts):
        alone = painting.paint(bare=True)[3::4].translate(_IS_INK)
    found = {
        each.index: _is_seen(painting.rows(each), whole, rest, alone, each.text in cut)
        for each in letters
    }
    order = {text: place for place, text in enumerate(drawn)}
    for text in sorted(_on_others(letters, found), key=order.__getitem__):
        # Those that lie on each other are looked at one by one; what is unseen stays off.
        own = [each for each in letters if each.text == text]
        before = painting.paint()
        calls.set_active(text, False)
        after = painting.paint()
        for each in own:
            if found[each.index]:
                found[each.index] = _is_seen(painting.rows(each), before, after, alone, cut=False)
        if any(found[each.index] for each in own):
            calls.set_active(text, True)
    for text in texts:
        calls.set_active(text, True)
    return found


def on_lighter(page: pypdfium2.PdfPage, boxes: Mapping[int, Box], green: int) -> bool:
    """Whether all that is painted in the boxes of some texts is lighter by far, but for them.

    `green` is the most green that one of them has. Quicker than to look for each letter.
    """
    letters = [Letter(index, text, "", box) for index, (text, box) in enumerate(boxes.items())]
    painting = Painting(page, letters)
    whole = painting.paint()[1::4].translate(_below(green + DARK))
    with _without(boxes):
        rest = painting.paint()[1::4].translate(_below(green + LIGHT))
    return all(
        any(whole.find(1, *row) >= 0 for row in rows)
        and all(rest.find(1, *row) < 0 for row in rows)
        for rows in map(painting.rows, letters)
    )


def _below(limit: int) -> bytes:
    """A table for `translate`: 1 for a level below the limit, else 0."""
    return bytes(level < limit for level in range(256))


def in_their_shape(
    page: pypdfium2.PdfPage, letters: Sequence[Letter], painted: Iterable[int]
) -> bool:
    """Whether what is painted changes a part of where letters stand, and not all of it."""
    painting = Painting(page, letters)
    whole = painting.paint()
    with _without(painted):
        rest = painting.paint()
    area = changed = 0
    for start, end in (row for each in letters for row in painting.rows(each)):
        area += end - start
        changed += sum(
            whole[4 * at : 4 * at + 3] != rest[4 * at : 4 * at + 3] for at in range(start, end)
        )
    return MIN_SHAPE * area < changed < MAX_SHAPE * area


_IS_INK = bytes(level > INK for level in range(256))


@contextmanager
def _without(objects: Iterable[int]) -> Iterator[None]:
    """With those not painted."""
    taken = list(objects)
    for each in taken:
        calls.set_active(each, False)
    yield
    for each in taken:
        calls.set_active(each, True)


def _is_seen(
    rows: Sequence[tuple[int, int]], whole: bytes, rest: bytes, alone: bytes, cut: bool
) -> bool | None:
    ink = sum([alone.count(1, start, end) for start, end in rows])
    if not ink:
        return None
    if cut and _is_cut(rows, alone):
        return False
    shown, enough = 0, MIN_SEEN * ink
    for start, end in rows:
        one, other = whole[4 * start : 4 * end], rest[4 * start : 4 * end]
        if one == other:
            continue
        for at in range(0, len(one), 4):
            if alone[start + at // 4] and (
                abs(one[at] - other[at]) > MAX_COLOUR_DISTANCE
                or abs(one[at + 1] - other[at + 1]) > MAX_COLOUR_DISTANCE
                or abs(one[at + 2] - other[at + 2]) > MAX_COLOUR_DISTANCE
            ):
                shown += 1
        if shown >= enough:
            return True
    return False


def _is_cut(rows: Sequence[tuple[int, int]], alone: bytes) -> bool:
    """Whether a clip or the page's edge leaves too little of a letter to be read."""
    inked = [(at, *row) for at, row in enumerate(rows) if alone.find(1, *row) >= 0]
    left = min(alone.find(1, start, end) - start for _, start, end in inked)
    right = max(alone.rfind(1, start, end) - start for _, start, end in inked)
    return any(
        size > LETTER_PIXELS / 2 and 1 + last - first < MIN_LEFT * size
        for first, last, size in (
            (inked[0][0], inked[-1][0], len(rows)),
            (left, right, rows[0][1] - rows[0][0]),
        )
    )


def _on_others(letters: Sequence[Letter], found: dict[int, bool | None]) -> list[int]:
    """The texts with letters that seem to be seen and lie on those of another text."""
    near: dict[tuple[int, int], list[Letter]] = {}
    for each in letters:
        middle = (each.box[0] + each.box[2]) / 2, (each.box[1] + each.box[3]) / 2
        near.setdefault((round(middle[0] / 8), round(middle[1] / 8)), []).append(each)
    texts: dict[int, None] = {}
    for (x, y), here in near.items():
        around = [
            other for i in (-1, 0, 1) for j in (-1, 0, 1) for other in near.get((x + i, y + j), ())
        ]
        for each in here:
            if found[each.index] and any(
                other.text != each.text and _overlap(each.box, other.box) for other in around
            ):
                texts[each.text] = None
    return list(texts)[:MAX_ONE_BY_ONE]


def _overlap(one: Box, other: Box) -> bool:
    """Whether the better part of one box lies on the other."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return False
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return width * height > 0.3 * min(areas)
