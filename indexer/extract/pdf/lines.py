"""The lines of a PDF page with their places, as pdfium gives its text.

Puts together what pdfium takes apart: a line with a raised mark in it is one line. Orders no lines.
Characters are known by their numbers in pdfium's list; see calls.py.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import regex

from indexer.extract.pdf.calls import Box, Matrix, of_helper, quick

if TYPE_CHECKING:
    import pypdfium2

# pdfium ends a line with a line end, or with one of these where a hyphen divided a word.
HYPHENS = ("\ufffe", "\x02")
_LINE = re.compile(r"[^\r\n\ufffe\x02]*(?:[\ufffe\x02]?(?:\r\n?|\n)|[\ufffe\x02]|$)")
MAX_GAP = 2.0  # font sizes between a raised sign and the line that goes on behind it
CLOSE = 0.15  # font sizes between a raised mark and its word
BOLD = re.compile(rb"(?i)bold|black|heavy")  # in the name of a font

_NUMBERS = (ctypes.c_double * 4)()
_FIRST, _SECOND, _THIRD, _FOURTH = (ctypes.byref(_NUMBERS, 8 * number) for number in range(4))
_REALS = (ctypes.c_float * 6)()
_REAL = ctypes.byref(_REALS)
_NAME = ctypes.create_string_buffer(64)


class Places:
    """Where the characters of a page stand.

    `turn` leads from the page's own space to that of the page as it is shown, in points from its
    lower left corner.
    """

    def __init__(self, text_page: pypdfium2.PdfTextPage, page: pypdfium2.PdfPage) -> None:
        self._raw = of_helper(text_page)
        self.turn = _turn(page)
        self.width, self.height = page.get_size()
        self.count = text_page.count_chars()
        self._box = quick("FPDFText_GetCharBox")

    def index(self, place: int) -> int:
        """The number of the character at a place in the text; -1 for none."""
        return int(quick("FPDFText_GetCharIndexFromTextIndex")(self._raw, place))

    def char(self, index: int) -> str:
        """A character; "" where there is none."""
        code = quick("FPDFText_GetUnicode", ctypes.c_uint)(self._raw, index)
        return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else ""

    def box(self, index: int) -> Box:
        """Close around a character, in the page's own space."""
        self._box(self._raw, index, _FIRST, _THIRD, _SECOND, _FOURTH)
        left, bottom, right, top = _NUMBERS[:]
        return left, bottom, right, top

    def extent(self, index: int) -> tuple[float, float]:
        """Left and right end of a character on the page as it is shown."""
        return _across(self.turn, self.box(index))

    def advance(self, index: int) -> tuple[float, float]:
        """The same with the room beside it that belongs to it."""
        quick("FPDFText_GetLooseCharBox")(self._raw, index, _REAL)
        left, top, right, bottom = _REALS[:4]
        return _across(self.turn, (left, bottom, right, top))

    def base(self, index: int) -> tuple[float, float]:
        """Baseline and font size of a character; size 0 where it does not stand upright."""
        quick("FPDFText_GetMatrix")(self._raw, index, _REAL)
        one, two, three, four = _REALS[:4]
        a, b, c, d, _, f = self.turn
        across, along = a * one + c * two, b * one + d * two
        if across <= 0 or abs(along) > 0.1 * across:
            return 0.0, 0.0
        quick("FPDFText_GetCharOrigin")(self._raw, index, _FIRST, _SECOND)
        x, y = _NUMBERS[:2]
        scale = abs(b * three + d * four) or across
        size = quick("FPDFText_GetFontSize", ctypes.c_double)(self._raw, index)
        return b * x + d * y + f, size * scale

    def is_bold(self, index: int) -> bool:
        """Whether a character is of a font that is called bold: few files say its weight."""
        get = quick("FPDFText_GetFontInfo", ctypes.c_ulong)
        get(self._raw, index, _NAME, ctypes.c_ulong(len(_NAME)), None)
        return BOLD.search(_NAME.value) is not None


def _across(turn: Matrix, box: Box) -> tuple[float, float]:
    """The horizontal extent of a box on the page as it is shown."""
    a, _, c, _, e, _ = turn
    left, bottom, right, top = box
    one, other = a * left + c * bottom + e, a * right + c * top + e
    return (one, other) if one <= other else (other, one)


def _turn(page: pypdfium2.PdfPage) -> Matrix:
    left, bottom, right, top = page.get_bbox()
    return {
        90: (0.0, -1.0, 1.0, 0.0, -bottom, right),
        180: (-1.0, 0.0, 0.0, -1.0, right, top),
        270: (0.0, 1.0, -1.0, 0.0, top, -left),
    }.get(page.get_rotation(), (1.0, 0.0, 0.0, 1.0, -left, -bottom))


class PlacedLine(NamedTuple):
    """A line of a page: its text and where it stands on the page as it is shown.

    `base` is its baseline and `size` its font size; 0 where the place is not known, or the line is
    not upright. The text ends with one of HYPHENS where a hyphen divided its last word. `start` and
    `end` are the numbers of its first and last character.
    """

    text: str
    left: float = 0.0
    right: float = 0.0
    base: float = 0.0
    size: float = 0.0
    start: int = -1
    end: int = -1
    bold: bool = False

    @property
    def top(self) -> float:
        """About the height of a capital above its baseline."""
        return self.base + 0.7 * self.size

    @property
    def bottom(self) -> float:
        """About where its descenders end."""
        return self.base - 0.2 * self.size

    def beside(self, other: PlacedLine) -> bool:
        """Whether both stand on one line, raised or lowered signs included."""
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return shared > 0.5 * min(self.size, other.size)


def joined(lines: Sequence[PlacedLine]) -> str:
    """The text of lines; what a hyphen divided stays on one line."""
    text = "\n".join([line.text for line in lines])
    for hyphen in HYPHENS:
        text = text.replace(f"{hyphen}\n", hyphen)
    return text


def placed_lines(text: str, places: Places) -> list[PlacedLine]:
    """The lines of `text`, which is pdfium's for the page, in its order."""
    lines = []
    for match in _LINE.finditer(text):
        shown = match[0].rstrip("\r\n")
        if shown.strip():
            lines.append(_placed(shown, match.start(), places))
    return list(_whole(lines, places))


def _placed(text: str, start: int, places: Places) -> PlacedLine:
    """A line with its place; `start` is where it begins in the page's text."""
    shown = text.rstrip(" \t\ufffe\x02") or text
    first, last = len(text) - len(text.lstrip()), len(shown) - 1
    one, two = places.index(start + first), places.index(start + last)
    if (places.char(one), places.char(two)) != (text[first], shown[-1]):
        return PlacedLine(text)
    (left, right), (other_left, other_right) = places.extent(one), places.extent(two)
    middle = (one + two) // 2
    while middle < two and not places.char(middle).strip():
        middle += 1
    base, size = places.base(middle)
    ends = min(left, other_left), max(right, other_right)
    return PlacedLine(text, *ends, base, size, one, two, places.is_bold(middle))


def _whole(lines: Sequence[PlacedLine], places: Places) -> Iterator[PlacedLine]:
    """The lines, with those put together that a raised or lowered sign divides."""
    before: PlacedLine | None = None
    for line in lines:
        gap = None if before is None else _gap(before, line, places)
        if before is None or gap is None:
            if before is not None:
                yield before
            before = line
            continue
        # A mark behind a figure is no digit of it.
        digits = before.text[-1].isdigit() and line.text[0].isdigit()
        apart = gap > CLOSE * line.size or digits
        between = " " if apart and not before.text.endswith(" ") else ""
        longer = max(before, line, key=lambda each: each.right - each.left)
        before = longer._replace(
            text=before.text + between + line.text,
            left=min(before.left, line.left),
            right=max(before.right, line.right),
            start=before.start,
            end=line.end,
        )
    if before is not None:
        yield before


def _gap(before: PlacedLine, line: PlacedLine, places: Places) -> float | None:
    """The room between a line and the piece that goes on after it; None if none does.

    A sign that is set higher, lower or smaller than what it follows starts a new line for pdfium.
    """
    if abs(before.base - line.base) > max(before.size, line.size) or before.text.endswith(HYPHENS):
        return None
    if not (before.size and line.size and before.beside(line)):
        return None
    (base, size), (next_base, next_size) = places.base(before.end), places.base(line.start)
    if abs(base - next_base) <= 0.05 * max(size, next_size):
        return None
    gap = places.extent(line.start)[0] - places.extent(before.end)[1]
    return gap if -0.2 * size < gap < MAX_GAP * max(size, next_size) else None


MIN_SPACED_WORDS, SPACED_SHARE = 8, 0.6  # of a letter-spaced line: those of one or two letters
MAX_PIECE = 4  # letters of it without a gap
MIN_GAP_RATIO = 1.8  # between the gaps of words and of letters


def respaced(line: PlacedLine, places: Places) -> PlacedLine:
    """A letter-spaced line, in which each gap is a space to pdfium, with its wider gaps alone."""
    words = line.text.split() if line.start >= 0 else []
    is_one = len(words) >= MIN_SPACED_WORDS and max(map(len, words)) <= MAX_PIECE
    if not is_one or sum(len(w) <= 2 and w.isalpha() for w in words) < SPACED_SHARE * len(words):
        return line
    shown = [n for n in range(line.start, line.end + 1) if places.char(n).strip()]
    gaps = [places.extent(b)[0] - places.extent(a)[1] for a, b in pairwise(shown)]
    least = MIN_GAP_RATIO * max(0.01, median(gaps))
    between = ["", *(" " if gap > least else "" for gap in gaps)]
    text = "".join(gap + places.char(n) for gap, n in zip(between, shown, strict=True))
    return line._replace(text=text)


# --- Letters and lines that are read from the right ---------------------------------------------
#
# pdfium loses the order of Latin words and numbers in lines of such a page, and the sides of their
# spaces. It reverses letters by their position, and with them those of one glyph (lam and alef, in
# every Arabic text) and of ActualText, which the file has in reading order: the former share one
# box, the latter then run from left to right.

# Arabic vowel signs and the stroke that makes words longer are of no script of their own.
_SCRIPTS = r"\p{Arabic}\p{Hebrew}\p{Syriac}\p{Thaana}\p{Nko}\u0640\u064b-\u0655\u0670"
_LETTER = rf"[[{_SCRIPTS}]--[\p{{N}}\p{{P}}\p{{S}}]]"
_WORD = regex.compile(_LETTER + "+", regex.V1)
_ANY = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")  # cheap: few pages have any


def in_words(text: str, box: Callable[[int], Sequence[float]]) -> str:
    """The text with the letters of each of its words in reading order; `box` is where one stands.

    Of other scripts' words, and of those from the right in a line of them, the order stays.
    """
    if not _ANY.search(text):
        return text
    found = list(text)
    for match in _WORD.finditer(text):
        order = _word(text, range(*match.span()), box)
        found[match.start() : match.end()] = [text[at] for at in order]
    return "".join(found)


_FROM_LEFT = regex.compile(rf"[\p{{L}}--{_LETTER}]", regex.V1)
_PIECE = regex.compile(rf"{_LETTER}+|\S", regex.V1)
# Of what stands between words from the right: if it has letters, all from its first letter or digit
# to its last is read from the left, else each number with what divides its digits (UAX 9).
_BETWEEN = regex.compile(rf"(?:(?!{_LETTER}).)+", regex.V1)
_RUN = regex.compile(r"[\p{L}\p{N}](?:.*[\p{L}\p{M}\p{N}])?")
_NUMBER = regex.compile(r"\p{N}+(?:[.,:/\u066b\u066c\-\u2013]\p{N}+)*")
GAP = 0.12  # font sizes between two words
_OPENING, _CLOSING = str.maketrans(")]}»›", "([{«‹"), str.maketrans("([{«‹", ")]}»›")
_OPENS = regex.compile(r"(?<!\S)[)\]}»›](?=\S)")
_CLOSES = regex.compile(r"(?<=\S)[(\[{«‹](?![^\s.,;:!?،؛؟])")


def is_base(text: str) -> bool:
    """Whether most letters of a page are of a script that is read from the right."""
    if not _ANY.search(text):
        return False
    from_right = sum(len(word) for word in _WORD.findall(text))
    return from_right > sum(1 for _ in _FROM_LEFT.finditer(text))


class PlacedChars(NamedTuple):
    """Characters of a line and their extent, in points."""

    text: str
    left: float
    right: float


def in_reading_order(chars: Sequence[PlacedChars], size: float) -> str:
    """The text of a line; `chars` is pdfium's order, with its spaces, and `size` the font's."""
    text = "".join(char.text or " " for char in chars)
    words = in_words(text, lambda at: (chars[at].left, chars[at].right))
    pieces = []
    for match in _PIECE.finditer(text):
        start, end = match.span()
        left, right = min(c.left for c in chars[start:end]), max(c.right for c in chars[start:end])
        pieces.append(PlacedChars(words[start:end], left, right))
    pieces.sort(key=lambda piece: piece.left)
    pieces.reverse()
    line = "".join(piece.text for piece in pieces[:1])
    for before, after in pairwise(pieces):
        shared = min(before.right, after.right) - max(before.left, after.left)
        least = min(before.right - before.left, after.right - after.left)
        if shared > least / 2 and (_WORD.match(before.text) or _WORD.match(after.text)):
            return words  # what a picture is said to read lies on others, at no place of theirs
        line += (" " if before.left - after.right > GAP * size else "") + after.text
    line = _BETWEEN.sub(lambda between: _from_left(between[0]), line)
    # pdfium turns brackets by their place.
    line = _OPENS.sub(lambda bracket: bracket[0].translate(_OPENING), line)
    return _CLOSES.sub(lambda bracket: bracket[0].translate(_CLOSING), line)


def _from_left(text: str) -> str:
    """What stands between words from the right, with what is read from the left in its order."""
    run = _RUN if _FROM_LEFT.search(text) else _NUMBER
    return run.sub(lambda found: found[0][::-1], text)


def _word(text: str, word: range, box: Callable[[int], Sequence[float]]) -> list[int]:
    """The letters of a word in reading order."""
    lefts = [box(at)[0] for at in word if not unicodedata.combining(text[at])]
    if len(lefts) > 1 and all(first < second for first, second in pairwise(lefts)):
        return list(reversed(word))
    return [at for _, same in groupby(word, key=box) for at in reversed(list(same))]
