"""The places of a quotation's words on a page, as boxes: one for each piece of a line.

The letters are those that the reader gave the page's text from, in its order, each with its place;
which of them are the quotation's is decided in matching.py. Called by showing.py.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from indexer.extract.pdf import calls, layout, order
from indexer.extract.pdf.annotations import notes_of
from indexer.extract.pdf.lines import HYPHENS, PlacedLine
from indexer.extract.pdf.matching import (
    MIN_SHARE,
    Letters,
    Match,
    aligned,
    folded,
    head,
    letters_of,
    letters_of_text,
    tail,
    whole,
)
from indexer.extract.pdf.places import Places

if TYPE_CHECKING:
    import pypdfium2

Fractions = tuple[float, float, float, float]  # left, top, right, bottom, of the page as shown
Numbered = tuple[str, int]  # a character, and its number in pdfium's list; -1: of no known place
NO_PLACE = -1


@dataclass(frozen=True)
class PageLetters:
    """What stands on a page: lines of characters in the order of the text, and as drawn."""

    ordered: Sequence[Sequence[Numbered]]
    drawn: Sequence[Sequence[Numbered]]
    places: dict[int, Fractions]  # of the characters that have one

    @cached_property
    def in_order(self) -> Letters:
        """The letters as they were indexed."""
        return letters_of(chain.from_iterable(self.ordered))

    @cached_property
    def as_drawn(self) -> Letters:
        """The letters in the order of drawing, among them those of lines without a place."""
        return letters_of(chain.from_iterable(self.drawn))

    def boxes(self, letters: Letters, match: Match) -> list[Fractions]:
        """The boxes of a match in one of the two."""
        lines = self.ordered if letters is self.in_order else self.drawn
        wanted = self._placed(letters, match)
        return [
            box
            for line in lines
            for row in self._rows([n for char, n in line if n in self.places and folded(char)])
            for box in self._of_row(row, wanted)
        ]

    def best(self, matches: Iterable[tuple[Letters, Match | None]]) -> list[Fractions]:
        """The boxes of the match most of whose letters have a place, the first one of equals."""
        found = [(letters, match) for letters, match in matches if match is not None]
        if not found:
            return []
        return self.boxes(*max(found, key=lambda each: len(self._placed(*each))))

    def _placed(self, letters: Letters, match: Match) -> set[int]:
        """The numbers of the characters of a match that have a place."""
        return {
            number for at, _, size in match.runs for number in letters.numbers[at : at + size]
        } & self.places.keys()

    def _rows(self, numbers: Sequence[int]) -> Iterator[list[int]]:
        """The characters of a line, parted where it goes on elsewhere; each from end to end.

        What is one line to pdfium may be a paragraph, and stand upright or not.
        """
        if not numbers:
            return
        middles = [_middle(self.places[number]) for number in numbers]
        steps = [(abs(x2 - x1), abs(y2 - y1)) for (x1, y1), (x2, y2) in pairwise(middles)]
        is_upright = sum(along >= across for along, across in steps) * 2 >= len(steps)
        side = 1 if is_upright else 0  # where a row has its height: between top and bottom
        row = [numbers[0]]
        for before, number in pairwise(numbers):
            if not _overlap(self.places[before], self.places[number], side):
                yield sorted(row, key=lambda each: self.places[each][1 - side])
                row = []
            row.append(number)
        yield sorted(row, key=lambda each: self.places[each][1 - side])

    def _of_row(self, row: Sequence[int], wanted: set[int]) -> Iterator[Fractions]:
        """A box for each run of wanted characters that stand side by side.

        Others among them part a run, but for those that are drawn over them: bold letters may be
        two.
        """
        runs: list[list[Fractions]] = []
        is_open = False
        for number in row:
            box = self.places[number]
            if number in wanted:
                if not is_open:
                    runs.append([])
                runs[-1].append(box)
                is_open = True
            elif is_open and not _covers(runs[-1][-1], box):
                is_open = False
        return map(_around, runs)


def letters_on(page: pypdfium2.PdfPage) -> PageLetters:
    """The letters of a page, read as for the index; what it does not show is taken from it."""
    lines = order.in_order(layout.read_page(page).lines)
    with closing(page.get_textpage()) as text_page:
        chars = Places(text_page, page)
        shown = [(chars.char(number), number) for number in range(chars.count)]
        place = _placing(page)
        places = {
            number: box
            for char, number in shown
            if folded(char) and (box := place(chars.box(number))) is not None
        }
    ordered = [list(_numbered(line, shown)) for line in lines]
    # A field or a comment has one place, behind the last character.
    for number, note in enumerate(notes_of(page), start=len(shown)):
        ordered.append([(char, number) for char in f"{note.text} "])
        if (box := place(note.box)) is not None:
            places[number] = box
    return PageLetters(ordered, list(_lines(shown)), places)


def letters_of_words(lines: Sequence[Sequence[tuple[str, Fractions]]]) -> PageLetters:
    """The letters of words whose boxes are known, line by line; a letter is a part of its word."""
    steps = [
        (abs(x2 - x1), abs(y2 - y1))
        for line in lines
        for (x1, y1), (x2, y2) in pairwise(_middle(box) for _, box in line)
    ]
    is_upright = sum(x for x, _ in steps) >= sum(y for _, y in steps)
    ordered: list[list[Numbered]] = []
    places: dict[int, Fractions] = {}
    for line in lines:
        ordered.append([])
        for text, box in line:
            for at, char in enumerate(text):
                ordered[-1].append((char, len(places)))
                places[len(places)] = _part(box, at / len(text), (at + 1) / len(text), is_upright)
            ordered[-1].append((" ", NO_PLACE))
    return PageLetters(ordered, (), places)


def _part(box: Fractions, begin: float, end: float, is_upright: bool) -> Fractions:
    """The part of a box from one share of its length to another; what stands runs downwards."""
    left, top, right, bottom = box
    if is_upright:
        width = right - left
        return left + begin * width, top, left + end * width, bottom
    height = bottom - top
    return left, top + begin * height, right, top + end * height


def _placing(page: pypdfium2.PdfPage) -> Callable[[Sequence[float]], Fractions | None]:
    """From a box in a page's own space to fractions of it as it is shown; None if it is not on it.

    Rotation and crop box are in pdfium's own transformation.
    """
    a, b, c, d, e, f = calls.shown_at(page)
    width, height = page.get_size()

    def placed(box: Sequence[float]) -> Fractions | None:
        left, bottom, right, top = box
        xs = [(a * x + c * y + e) / width for x, y in ((left, bottom), (right, top))]
        ys = [(b * x + d * y + f) / height for x, y in ((left, bottom), (right, top))]
        found = max(0.0, min(xs)), max(0.0, min(ys)), min(1.0, max(xs)), min(1.0, max(ys))
        return found if found[0] < found[2] and found[1] < found[3] else None

    return placed


def _numbered(line: PlacedLine, shown: Sequence[Numbered]) -> Iterator[Numbered]:
    """The characters of a line's text with their numbers; a hyphen that divides a word is none."""
    first, last = sorted((line.start, line.end))
    own = shown[first : last + 1] if first >= 0 else []
    letters = letters_of(own)
    # The same letters in the same order, but for lines that are read from the right, or in which
    # some are not seen: there each takes the next of its kind.
    same = letters.text == letters_of_text(line.text).text
    ahead = deque(letters.numbers)
    of_kind: defaultdict[str, deque[int]] = defaultdict(deque)
    for letter, number in zip(letters.text, letters.numbers, strict=True):
        of_kind[letter].append(number)
    for char in line.text:
        found = folded(char)
        number = NO_PLACE
        for letter in found:
            queue = ahead if same else of_kind[letter]
            number = queue.popleft() if queue else number
        yield "" if char in HYPHENS else char, number
    if not line.text.rstrip().endswith((*HYPHENS, "-", "\u00ad", "\u2010")):
        yield " ", NO_PLACE


def _lines(shown: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    """The characters line by line, as they were drawn."""
    line: list[Numbered] = []
    for char, number in shown:
        if char in ("\r", "\n", *HYPHENS):
            yield [*line, ("" if char in HYPHENS else " ", NO_PLACE)]
            line = []
        else:
            line.append((char, number))
    yield line


def _middle(box: Fractions) -> tuple[float, float]:
    left, top, right, bottom = box
    return (left + right) / 2, (top + bottom) / 2


def _overlap(one: Fractions, other: Fractions, side: int) -> bool:
    """Whether two characters share a part of their height: those of a row do, but for marks."""
    return min(one[side + 2], other[side + 2]) > max(one[side], other[side])


def _covers(one: Fractions, other: Fractions) -> bool:
    """Whether most of a character is drawn over another one."""
    x, y = _middle(other)
    return one[0] < x < one[2] and one[1] < y < one[3]


def _around(boxes: Iterable[Fractions]) -> Fractions:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def outlined(
    quotation: str,
    number: int,
    near: float | None,
    page: Callable[[int], PageLetters | None],
) -> list[tuple[int, Fractions]]:
    """The boxes of a quotation, each with its page: on page `number`, and across its ends.

    `near` is the share of the page's letters before the quotation, None if not known; `page` gives
    the letters of a page, None where there is none. Empty if it does not stand there.
    """
    quote, here = letters_of_text(quotation), page(number)
    if not quote.text or here is None:
        return []
    both = here.in_order, here.as_drawn
    found = here.best((letters, whole(letters, quote, near)) for letters in both)
    if found:
        return [(number, box) for box in found]
    return _across(quote, number, page) or _apart(quote, number, here)


def _across(
    quote: Letters, number: int, page: Callable[[int], PageLetters | None]
) -> list[tuple[int, Fractions]]:
    """The boxes of a quotation that begins on one page and ends on the next; empty if it does not.

    The heads and feet between the two are no part of it.
    """
    for first in (number, number - 1):
        before, after = page(first), page(first + 1)
        if before is None or after is None:
            continue
        one, other = before.in_order, after.in_order
        size = head(one, quote)
        rest = len(quote.text) - size
        if not size or tail(other, quote) < rest:
            continue
        begins = Match(((one.text.rindex(quote.text[:size]), 0, size),))
        ends = Match(((other.text.index(quote.text[size:]), size, rest),))
        return [
            *((first, box) for box in before.boxes(one, begins)),
            *((first + 1, box) for box in after.boxes(other, ends)),
        ]
    return []


def _apart(quote: Letters, number: int, here: PageLetters) -> list[tuple[int, Fractions]]:
    """The boxes of what stands on the page of a quotation, if that is enough of it."""
    found = [(letters, aligned(letters, quote)) for letters in (here.in_order, here.as_drawn)]
    enough = [(each, match) for each, match in found if match.size >= MIN_SHARE * len(quote.text)]
    return [(number, box) for box in here.best(enough)]
