"""Recognises running heads and feet over the pages of a document. Pure.

A row at the edge of a page runs if other pages near it have the same text at the same place, or a
number that counts the pages. Looks at REACH pages on either side and no further, so that the first
page can be read without the last, and the same rows are found however far one reads.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, repeat
from math import ceil
from statistics import median

import regex

from indexer.extract.pdf.lines import PlacedLine

REACH = 8  # pages on either side: a head on odd pages alone is then met on four of them
MAX_ROWS = 8  # from an edge; as many alike are copies of a page
MAX_HEAD = 100  # characters of a head with words of its own and a page's number
SHIFT = 4.0  # points between the places of one row on two pages
ALIKE = 2  # other pages that show that a row runs
MANY = 5  # the same for words with a number in them, which may be a heading's
MOST = 0.6  # of the pages near: a row on so many runs wherever it stands
FREE = 1.3  # times the distance of the body's lines: what sets a head apart from it
FAR = 100  # pages in front of an excerpt, or as many as it has itself
SHORT_DOCUMENT = 6  # pages, of which a head may stand on two; on three pages, a number may


@dataclass(eq=False)
class EdgeRow:
    """What stands on one line near an edge of a page, the outermost row first.

    `distance` is from the edge to the baseline, `gap` from there to the next row, in points.
    `lines` are its lines' places in the page.
    """

    text: str
    distance: float
    gap: float
    lines: tuple[int, ...]

    @cached_property
    def numbers(self) -> frozenset[int]:
        """What may be the number of the page: in digits, at either end also in Roman."""
        return frozenset(map(int, _NUMBER.findall(self.text))) - {0} | self.ends

    @cached_property
    def ends(self) -> frozenset[int]:
        """Those of the numbers that are its first or last word."""
        first, _, others = self.text.partition(" ")
        last = others.rpartition(" ")[2] if others else first
        if others and first[-1] in ".)" and first[-2:-1].isalnum():
            first = ""  # "3. Notice": that of a clause
        return frozenset(map(_value, {first.strip(_AROUND), last.strip(_AROUND)})) - {0}


@dataclass(frozen=True, slots=True)
class Page:
    """A page of which the rows at its edges are known; `rows` counts all that it has.

    `only_shows`: it shows something and has no text.
    """

    lines: tuple[PlacedLine, ...] = ()
    after: tuple[str, ...] = ()  # form fields and comments
    label: str = ""
    top: tuple[EdgeRow, ...] = ()
    bottom: tuple[EdgeRow, ...] = ()
    rows: int = 0
    pitch: float = 0.0
    height: float = 0.0
    only_shows: bool = False
    texts: frozenset[str] = frozenset()  # of its rows at both edges


_Edges = Sequence[tuple[int, Sequence[EdgeRow]]]
Kept = dict[str, list[str]]  # what was taken out, by its shape: the first and the last of each


# --- Rows at the edges of one page --------------------------------------------------------------


def page_of(
    lines: Sequence[PlacedLine], height: float, after: Sequence[str] = (), label: str = ""
) -> Page:
    """A page and its edges, of which the lines are given."""
    rows = _rows(lines)
    bases = [lines[row[0]].base for row in rows]
    pitches = [above - below for above, below in pairwise(bases)]
    pitch = median(pitches) if pitches else 0.0

    def edge(order: Sequence[int], distances: Sequence[float]) -> Iterator[EdgeRow]:
        for place, number in enumerate(order[:MAX_ROWS]):
            row = tuple(sorted(rows[number], key=lambda index: lines[index].left))
            inner = order[place + 1] if place + 1 < len(order) else None
            gap = height if inner is None else abs(bases[inner] - bases[number])
            text = " ".join(" ".join(lines[index].text for index in row).split())
            yield EdgeRow(text, distances[number], gap, row)

    down = range(len(rows))
    top = tuple(edge(down, [height - base for base in bases]))
    bottom = tuple(edge(down[::-1], bases))
    texts = frozenset(row.text for row in (*top, *bottom))
    own = tuple(lines), tuple(after), label
    return Page(*own, top, bottom, len(rows), pitch, height, texts=texts)


def _rows(lines: Sequence[PlacedLine]) -> list[list[int]]:
    """The lines by their rows, from the top of the page."""
    rows: list[list[int]] = []
    placed = [index for index, line in enumerate(lines) if line.size]
    for index in sorted(placed, key=lambda index: -lines[index].base):
        line = lines[index]
        if rows and lines[rows[-1][0]].base - line.base < 0.35 * line.size:
            rows[-1].append(index)
        else:
            rows.append([index])
    return rows


# --- What runs ----------------------------------------------------------------------------------


def without_running(pages: Iterable[Page], total: int, kept: Kept) -> Iterator[Page]:
    """The pages, of which there are `total`, without heads and feet, which go to `kept`."""
    near: deque[tuple[int, Page | None]] = deque(maxlen=2 * REACH + 1)
    for number, page in enumerate(chain(pages, repeat(None, REACH))):
        near.append((number, page))
        if number >= REACH and (middle := near[-1 - REACH][1]) is not None:
            others = [(other, each) for other, each in near if each and each is not middle]
            yield _without(_Near(number - REACH, middle, others, total), kept)


def _without(near: _Near, kept: Kept) -> Page:
    """The page without the rows that run on it and those near it."""
    page, removed = near.page, set[int]()
    for side in ("top", "bottom"):
        for row, shape in near.running(side):
            removed.update(row.lines)
            texts_of = kept.setdefault(shape, [row.text])
            if texts_of[-1] != row.text:
                texts_of[1:] = [row.text]
    if not removed:
        return page
    lines = tuple(line for index, line in enumerate(page.lines) if index not in removed)
    return Page(lines, page.after, page.label)


@dataclass(frozen=True, slots=True)
class _Near:
    """A page by its number in a document of `total` pages, and those near it."""

    number: int
    page: Page
    pages: Sequence[tuple[int, Page]]
    total: int

    def running(self, side: str) -> list[tuple[EdgeRow, str]]:
        """The rows of an edge that run, with what they have in common with those on other pages.

        A row without a number and a twin on other pages does not run.
        """
        rows: Sequence[EdgeRow] = getattr(self.page, side)
        pages = [(number, page) for number, page in self.pages if page.rows > 2]
        others = [(number, getattr(page, side)) for number, page in pages]
        found: list[tuple[EdgeRow, str, bool]] = []
        misses = 0
        for place, row in enumerate(rows):
            counting = self._counting(row)
            known = counting or any(row.text in page.texts for _, page in pages)
            evidence = self._evidence(place, row, counting, others) if known else None
            if evidence is None or (misses and not evidence[1]):
                misses += 1
                if misses > 1:
                    break
                continue
            found.append((row, *evidence))
        if not found:
            return []
        last = found[-1][0]
        most, own = max((page.rows for _, page in self.pages), default=0), self.page.rows
        if last in rows[MAX_ROWS - 1 :] or (len(found) >= own > 2 and 2 * own >= most):
            # Copies of a page, or a form: what they have in common does not end where a head does.
            return [(row, shape) for row, shape, _ in found if _is_bare(shape)]
        free = last.gap >= FREE * self.page.pitch
        return [(row, shape) for row, shape, certain in found if certain or free]

    def _counting(self, row: EdgeRow) -> list[int]:
        """The numbers of a row that may be its page's.

        With words, one beyond any page's counts something else: "Invoice 1005".
        """
        has_words = any(map(str.isalpha, row.text))
        most = max(self.total, FAR) if has_words else self.total + 10_000
        return [value for value in row.numbers if abs(value - self.number) <= most]

    def _evidence(
        self, place: int, row: EdgeRow, counting: Sequence[int], others: _Edges
    ) -> tuple[str, bool] | None:
        """The shape of a row that runs, and whether that is certain; None if it does not run.

        `place` counts from the edge: feet may stand right under a text that ends early.
        """
        short = self.total <= SHORT_DOCUMENT
        few = 1 if 2 * self.total <= SHORT_DOCUMENT else ALIKE
        many = max(few, min(MANY, ceil(MOST * len(others))))
        low, high = row.distance - SHIFT, row.distance + SHIFT
        mates = [
            (other, mate)
            for other, edge in others
            for rank, mate in enumerate(edge)
            if low <= mate.distance <= high or -1 <= rank - place <= 1
        ]
        same = [(other, mate) for other, mate in mates if mate.text == row.text]
        if short:
            same = [each for each in same if abs(each[1].distance - row.distance) <= SHIFT]
        alike = len({other for other, _ in same})
        if alike >= (1 if short else ALIKE):
            return row.text, not short and alike >= MOST * len(others)
        for value in counting:
            step = value - self.number
            counted = [(other, mate) for other, mate in mates if other + step in mate.numbers]
            times = len({other for other, _ in counted})
            if times < few:
                continue
            shape = _shape_without(row.text, value)
            shared = {o for o, mate in counted if shape == _shape_without(mate.text, o + step)}
            if _is_bare(shape) or (len(shared) >= few and times >= many):
                return shape, True
            if value in row.ends and times >= many > few and len(row.text) <= MAX_HEAD:
                return shape, False
        return None


# --- Numbers of pages, in digits or Roman, alone or among words -----------------------------------

_NUMBER = re.compile(r"\d{1,4}(?!\d)")
_AROUND = "-–—.()[]|"  # page numbers
_LABELLED = regex.compile(r"[A-Za-z]{1,4}[-–]\0")  # of a part: an appendix, the financial pages
_ROMAN = regex.compile(r"(?i)^(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$")
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def _value(word: str) -> int:
    """The value of a number of four digits at most, or a Roman one; 0 if it is none."""
    if word.isdecimal():
        return int(word) if len(word) <= 4 else 0
    if word[:1].lower() not in _VALUES or not _ROMAN.match(word):
        return 0
    values = [_VALUES[char] for char in word.lower()]
    return sum(
        -value if value < following else value for value, following in pairwise([*values, 0])
    )


def _shape_without(text: str, value: int) -> str:
    """The text with its page's number blanked, the first of its kind: "Page 9 of 9"."""
    for match in _NUMBER.finditer(text):
        if int(match[0]) == value:
            return f"{text[: match.start()]}\0{text[match.end() :]}"
    words = text.split(" ")
    for place in (0, -1):
        if _value(words[place].strip(_AROUND)) == value:
            words[place] = "\0"
            break
    return " ".join(words)


def _is_bare(shape: str) -> bool:
    """Whether there is nothing in a row but its page's number, as in "5" or "V-5"."""
    return "\0" in shape and (
        not any(map(str.isalnum, shape)) or _LABELLED.fullmatch(shape) is not None
    )
