"""The text of one PDF page in reading order, from pdfium's characters and boxes.

Repairs hyphens at line ends, ligatures, letter-spaced lines, and columns drawn row by row. Adds
form fields and comments. Called by pages.py only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, zip_longest
from statistics import median
from typing import TYPE_CHECKING

import regex

from indexer.extract.hidden import hide
from indexer.extract.pdf import order, right_to_left
from indexer.extract.pdf.annotations import notes_of
from indexer.extract.pdf.characters import boxes
from indexer.extract.pdf.lines import HYPHENS, PlacedLine, Places, joined, placed_lines
from indexer.extract.pdf.matching import LIGATURES
from indexer.extract.pdf.running import Page, page_of
from indexer.extract.pdf.unseen import seen_text

if TYPE_CHECKING:
    import pypdfium2

# pdfium writes U+FFFE (in some releases U+0002) for a hyphen and the line end after it. In both
# forms, the rest of the word follows, up to the next blank.
_HYPHEN = regex.compile(r"(?<=\p{Ll})(?:[\ufffe\x02]\r?\n?|[-\u00ad\u2010]\r?\n)(\p{Ll}\S*)[ \t]?")
_BREAK = regex.compile(r"[\ufffe\x02]\r?\n?")
# Latin and Armenian ligatures and Arabic letter forms: signs of the page, not of the text.
_FORMS = regex.compile(r"[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc]+")

# LIGATURES within a word, or at either end of one: in formulas they are other signs.
_CODE = regex.compile(
    r"(?<=\p{L})[\x1b-\x1f](?=\p{Ll})|(?<![^\s(“])[\x1c-\x1e](?=\p{Ll}{2})"
    r"|(?<=\p{L}{2})[\x1b-\x1f](?![^\s.,;:!?)”])"
)


def cleaned(text: str) -> str:
    """Text of a page with whole words: no hyphens at line ends, no ligatures.

    A hyphen is removed between lower-case letters only: elsewhere it may belong to the word or
    number.
    """
    if any(code in text for code in LIGATURES):  # rare, and the search is slow
        text = _CODE.sub(lambda match: LIGATURES[match[0]], text)
    text = _HYPHEN.sub(r"\1\n", text)
    text = _BREAK.sub("-\n", text)
    return _FORMS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def text_of(page: Page) -> str:
    """The text of a page without its heads and feet, then of fields, comments, what is hidden."""
    return "\n".join([cleaned(joined(order.in_order(page.lines))), *page.after])


def read_page(page: pypdfium2.PdfPage, label: str = "") -> Page:
    """The lines of a page, the fields and comments on it, and marked what it does not show."""
    with seen_text(page) as (text_page, hidden):
        text = str(text_page.get_text_range())
        places = Places(text_page, page)
        runs = _runs(text_page)
        from_right = right_to_left.is_base(text)
        gutter = _gutter(runs)
        if gutter is not None or _letter_spaced(text) or _set_in(runs):
            lines = list(_relaid(places, gutter, from_right))
        else:
            if not from_right and right_to_left.has_words(text):
                text = _from_the_right(text, text_page)
            lines = placed_lines(text, places, from_right)
            if from_right:
                lines = [_turned(line, places) for line in lines]
        cells = [places.extent_of(run.left, run.bottom, run.right, run.top) for run in runs]
    notes = [note.text for note in notes_of(page)]
    words = f" {' '.join(text.split())} "  # what a page shows besides is not hidden
    notes += (hide(line) for line in map(cleaned, hidden) if f" {line} " not in words)
    return page_of(lines, cells, places.height, notes, label)


def _turned(line: PlacedLine, places: Places) -> PlacedLine:
    """A line of a page that is read from the right."""
    if line.start < 0:
        return line
    if not line.size:
        numbers = range(line.start, line.end + 1)
        shown = "".join(places.char(index) or " " for index in numbers)
        found = right_to_left.reading_order(shown, lambda place: places.extent(numbers[place]))
        return replace(line, text="".join(shown[place] for place in found))
    chars = [
        right_to_left.PlacedChars(places.char(index), *places.advance(index))
        for index in range(line.start, line.end + 1)
    ]
    return replace(line, text=right_to_left.in_reading_order(chars, line.size))


def _from_the_right(text: str, text_page: pypdfium2.PdfTextPage) -> str:
    """The text with the letters of its right-to-left words in reading order."""
    import pypdfium2.raw as pdfium

    codes = [pdfium.FPDFText_GetUnicode(text_page, n) for n in range(text_page.count_chars())]
    places = right_to_left.places(text, codes)
    if places is None:
        return text
    order = right_to_left.reading_order(text, lambda index: text_page.get_charbox(places[index]))
    return "".join(text[index] for index in order)


# --- Runs: pieces of a line, as pdfium's rectangles give them -----------------------------------

MAX_RUNS = 600  # of a page that is looked at for columns: more are single letters, set one by one


@dataclass(frozen=True, slots=True)
class TextRun:
    """The box of a piece of a line, in points from the lower left of the page."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """Its font size, nearly."""
        return self.top - self.bottom

    def beside(self, other: TextRun) -> bool:
        """Whether both stand on one line."""
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return shared > 0.5 * min(self.height, other.height)


def _runs(text_page: pypdfium2.PdfTextPage) -> list[TextRun]:
    """The page's runs in drawing order; empty if there are too many."""
    number = text_page.count_rects()
    if not 0 < number <= MAX_RUNS:
        return []
    return [TextRun(*box) for box in boxes(text_page, number)]


MIN_COLUMN_ROWS = 6
MIN_COLUMN_SHARE = 0.6  # of a page's runs that stand in such rows
MIN_COLUMN_EMS = 12.0  # about 25 letters: narrower cells are a table's
MIN_FULL_SHARE = 0.6  # of a column's lines that nearly fill it, as prose does and cells do not
FULL_LINE = 0.7


def _gutter(runs: Sequence[TextRun]) -> float | None:
    """The position of the gap between two columns drawn row by row, None if there is none.

    Tables look similar and must stay rows; they are recognised by cells that do not fill their
    column.
    """
    by_row = sorted(enumerate(runs), key=lambda item: (-round(item[1].bottom), item[1].left))
    pairs = [
        (first, second)
        for first, second in pairwise(by_row)
        if second[1].left - first[1].right > 0.8 * first[1].height and first[1].beside(second[1])
    ]
    if len(pairs) < MIN_COLUMN_ROWS or 2 * len(pairs) < MIN_COLUMN_SHARE * len(runs):
        return None
    out_of_order = sum(right - left == 1 or right < left for (left, _), (right, _) in pairs)
    if out_of_order < MIN_COLUMN_ROWS:
        return None
    lefts, rights = [left for (_, left), _ in pairs], [right for _, (_, right) in pairs]
    end, start = max(run.right for run in lefts), min(run.left for run in rights)
    if end >= start:
        return None
    for column, width in (
        (lefts, end - min(run.left for run in lefts)),
        (rights, max(run.right for run in rights) - start),
    ):
        full = sum(run.right - run.left >= FULL_LINE * width for run in column)
        narrow = width < MIN_COLUMN_EMS * median(run.height for run in column)
        if narrow or full < MIN_FULL_SHARE * len(column):
            return None
    return (end + start) / 2


# --- Letters: for the few pages that need them one by one ---------------------------------------


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character of a page and its extent along the line, in points; generated: pdfium's own.

    `index` is its number in pdfium's list.
    """

    char: str
    left: float
    right: float
    height: float
    generated: bool
    index: int


def _glyph_lines(places: Places) -> Iterator[list[Glyph]]:
    line: list[Glyph] = []
    for index in range(places.count()):
        char = places.char(index)
        if char in ("\r", "\n"):
            if line:
                yield line
            line = []
            continue
        left, right = places.extent(index)
        line.append(Glyph(char, left, right, *places.kind(index), index))
        if char in HYPHENS:  # it ended its line
            yield line
            line = []
    if line:
        yield line


def _relaid(places: Places, gutter: float | None, from_right: bool) -> Iterator[PlacedLine]:
    lines: Iterable[list[Glyph]] = _glyph_lines(places)
    if gutter is not None:
        lines = _by_column(list(lines), gutter, from_right)
    for line in lines:
        text = _line_text(line, places, from_right)
        shown = [glyph for glyph in line if not glyph.generated]
        if not text.strip() or not shown:
            continue
        base, size = places.base(shown[len(shown) // 2].index)
        left, right = min(g.left for g in shown), max(g.right for g in shown)
        yield PlacedLine(text, left, right, base, size, line[0].index, line[-1].index)


def _line_text(line: Sequence[Glyph], places: Places, from_right: bool) -> str:
    """The text of a line; a hyphen that pdfium found at its end stays."""
    shown = "".join(glyph.char or " " for glyph in line)
    if right_to_left.has_words(shown):
        if from_right:
            chars = [right_to_left.PlacedChars(g.char, *places.advance(g.index)) for g in line]
            return right_to_left.in_reading_order(chars, max(glyph.height for glyph in line))
        boxes = [(glyph.left, glyph.right) for glyph in line]
        line = [line[index] for index in right_to_left.reading_order(shown, boxes.__getitem__)]
    return (_respaced(line) or "".join(_chars(line))).rstrip(" ")


def _set_in(runs: Sequence[TextRun]) -> bool:
    """Whether some text was drawn into a gap that the text before it left in its line."""
    return any(
        first.left < second.left and second.right < first.right and first.beside(second)
        for first, second in pairwise(runs)
    )


def _chars(line: Sequence[Glyph]) -> Iterator[str]:
    """The characters of a line, but for spaces that pdfium adds where text is set into a gap."""
    shown: list[Glyph] = []
    for glyph, following in zip_longest(line, line[1:]):
        if not glyph.generated:
            shown.append(glyph)
            yield glyph.char
        elif following is None or not _fills_gap(following, shown):
            yield glyph.char


def _fills_gap(glyph: Glyph, line: Sequence[Glyph]) -> bool:
    """Whether a glyph is between glyphs of the preceding line without overlapping them."""
    goes_back = any(glyph.right < other.left for other in line)
    return goes_back and all(
        other.right <= glyph.left or glyph.right <= other.left for other in line
    )


def _by_column(
    lines: Sequence[list[Glyph]], gutter: float, from_right: bool
) -> Iterator[list[Glyph]]:
    """The lines of one column, then those of the other; lines across both divide them."""
    for across, group in groupby(lines, key=lambda line: _crosses(line, gutter)):
        if across:
            yield from group
            continue
        rows = list(group)
        for side in (False, True) if from_right else (True, False):
            for row in rows:
                half = [glyph for glyph in row if (glyph.left < gutter) == side]
                if any(glyph.char.strip() for glyph in half):
                    yield half


def _crosses(line: Sequence[Glyph], gutter: float) -> bool:
    """Whether a line runs on across the gutter."""
    shown = [glyph for glyph in line if not glyph.generated]
    before = max((glyph.right for glyph in shown if glyph.left < gutter), default=None)
    after = min((glyph.left for glyph in shown if glyph.left >= gutter), default=None)
    if before is None or after is None:
        return before is not None and before > gutter
    return after - before < 0.8 * max(glyph.height for glyph in shown)


# --- Letter-spaced lines, in which pdfium takes each gap for a space ----------------------------

MIN_SPACED_WORDS = 8
MAX_SPACED_LETTERS = 2  # of what looks like a word in such a line
SPACED_SHARE = 0.6
MIN_GAP_RATIO = 1.8  # between the gaps of words and of letters


_SHORT_WORDS = re.compile(r"(?<!\S)(?:[^\W\d_]{1,2} ){3}")  # cheap: most pages have none


def _letter_spaced(text: str) -> bool:
    return bool(_SHORT_WORDS.search(text)) and any(map(_is_spaced, text.splitlines()))


def _is_spaced(line: str) -> bool:
    words = line.split()
    if len(words) < MIN_SPACED_WORDS:
        return False
    short = sum(len(word) <= MAX_SPACED_LETTERS and word.isalpha() for word in words)
    return short >= SPACED_SHARE * len(words)


def _respaced(line: Sequence[Glyph]) -> str | None:
    """A letter-spaced line with spaces only at the wider gaps; None if all gaps are alike."""
    if not _is_spaced("".join(glyph.char for glyph in line)):
        return None
    shown = [glyph for glyph in line if not glyph.generated]
    gaps = [max(0.01, second.left - first.right) for first, second in pairwise(shown)]
    ordered = sorted(gaps)
    steps = [second / first for first, second in pairwise(ordered)][len(ordered) // 2 :]
    if not steps or max(steps) < MIN_GAP_RATIO:
        return None
    limit = ordered[len(ordered) // 2 + steps.index(max(steps))]
    pieces = [shown[0].char]
    for gap, glyph in zip(gaps, shown[1:], strict=True):
        pieces.append(f" {glyph.char}" if gap > limit else glyph.char)
    return "".join(pieces)
