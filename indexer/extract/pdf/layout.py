"""The text of one PDF page in reading order, from pdfium's characters and boxes.

Repairs hyphens and ligatures, marks strikes and headings, adds form fields and comments.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import regex

from indexer.extract.hidden import Look, hide, parted, struck
from indexer.extract.hidden import joined as as_one
from indexer.extract.pdf.calls import Box, LayersOff, text_by
from indexer.extract.pdf.lines import (
    HYPHENS,
    PlacedChars,
    PlacedLine,
    Places,
    in_reading_order,
    in_words,
    is_base,
    joined,
    placed_lines,
    respaced,
)
from indexer.extract.pdf.running import Page, page_of
from indexer.extract.pdf.unseen import seen_text
from indexer.records import Line
from indexer.words import LIGATURES

if TYPE_CHECKING:
    import pypdfium2

# pdfium writes U+FFFE (in some releases U+0002) for a hyphen and the line end after it. In both
# forms, the rest of the word follows, up to the next blank.
_HYPHEN = regex.compile(r"(?<=\p{Ll})(?:[\ufffe\x02]\r?\n?|[-\u00ad\u2010]\r?\n)(\p{Ll}\S*)[ \t]?")
_ENDINGS = ("-\n", "-\r", "\u00ad\n", "\u00ad\r", "\u2010\n", "\u2010\r", *HYPHENS)
_BREAK = re.compile(r"[\ufffe\x02]\r?\n?")
# Latin and Armenian ligatures and Arabic letter forms: signs of the page, not of the text.
_FORMS = re.compile(r"[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc]+")
# LIGATURES within a word, or at either end of one: in formulas they are other signs.
_CODE = regex.compile(
    r"(?<=\p{L})[\x1b-\x1f](?=\p{Ll})|(?<![^\s(“])[\x1c-\x1e](?=\p{Ll}{2})"
    r"|(?<=\p{L}{2})[\x1b-\x1f](?![^\s.,;:!?)”])"
)


def cleaned(text: str) -> str:
    """Text of a page with whole words: no hyphens in small letters at line ends, no ligatures."""
    if any(code in text for code in LIGATURES):  # rare, and the search is slow
        text = _CODE.sub(lambda match: LIGATURES[match[0]], text)
    if any(ending in text for ending in _ENDINGS):
        text = _HYPHEN.sub(r"\1\n", text)
        text = _BREAK.sub("-\n", text)
    if text.isascii():
        return text
    return _FORMS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def lines_of(page: Page, number: int) -> Iterator[Line]:
    """The lines of a page without its heads and feet, then of fields, comments, what is hidden."""
    ordered = in_order(page.lines)
    heads = {unicodedata.normalize("NFC", cleaned(line.text)) for line in headings(ordered)}
    for text, hidden in parted("\n".join([cleaned(joined(ordered)), *page.after])):
        yield Line(text, number, hidden=hidden, heading=text in heads)


def read_page(page: pypdfium2.PdfPage, label: str = "", layers_off: LayersOff = tuple) -> Page:
    """The lines of a page, the fields and comments on it, and marked what it does not show."""
    found = list(notes_of(page))
    with seen_text(page, layers_off) as seen:
        text, places = seen.text, Places(seen.text_page, page)
        if not (from_right := is_base(text)):
            text = in_words(text, lambda at: places.box(places.index(at)))
        lines = placed_lines(text, places)
        if from_right:
            lines = [_turned(line, places) for line in lines]
        else:
            lines = [respaced(line, places) for line in lines]
        rules = [*seen.rules, *(note.box for note in found if note.strikes)]
        lines = list(struck_out(lines, rules, places)) if rules else lines
    notes = [note.text for note in found if not note.strikes]
    if seen.hidden:
        words = f" {' '.join(text.split())} "  # what a page shows besides is not hidden
        notes += (hide(line) for line in map(cleaned, seen.hidden) if f" {line} " not in words)
    return page_of(lines, places.height, notes, label)


def _turned(line: PlacedLine, places: Places) -> PlacedLine:
    """A line of a page that is read from the right."""
    if line.start < 0:
        return line
    numbers = range(line.start, line.end + 1)
    if not line.size:
        shown = "".join(places.char(index) or " " for index in numbers)
        return line._replace(text=in_words(shown, lambda at: places.extent(numbers[at])))
    chars = [PlacedChars(places.char(index), *places.advance(index)) for index in numbers]
    return line._replace(text=in_reading_order(chars, line.size))


# ---- What a line is drawn through: a rule of the page, or a comment that strikes out

MIN_STRUCK, MIN_STRUCK_SHARE = 2, 0.8  # of those that a rule lies on, which it goes through
WITHIN = (0.1, 0.6)  # font sizes above the baseline
EDGE = 0.15  # of a letter's height, at its foot and its head
_GONE = Look(struck=True)


def struck_out(
    lines: Sequence[PlacedLine], rules: Sequence[Box], places: Places
) -> Iterator[PlacedLine]:
    """The lines of a page, with the signs of Markdown around what rules go through."""
    ordered = sorted(((low + high) / 2, left, right) for left, low, right, high in rules)
    for line in lines:
        low, high = (line.base - places.turn[5] + share * line.size for share in WITHIN)
        near = ordered[bisect_left(ordered, (low,)) : bisect_left(ordered, (high,))]
        if line.start < 0 or not (line.size and near and places.turn[3] == 1.0):  # it is upright
            yield line
            continue
        signs = [n for n in range(line.start, line.end + 1) if places.char(n).strip()]
        boxes = {n: places.box(n) for n in signs if places.char(n).isalnum()}
        gone = set[int]()
        for rule in near:
            gone.update(_struck_by(rule, boxes))
        yield line._replace(text=_marked(line.text, [n in gone for n in signs])) if gone else line


def _struck_by(rule: tuple[float, float, float], boxes: Mapping[int, Box]) -> Sequence[int]:
    """The letters that a rule, by its height and its ends, lies on, if it goes through them."""
    height, left, right = rule
    on = {n: box for n, box in boxes.items() if left <= (box[0] + box[2]) / 2 <= right}
    shares = [(height - low) / max(1e-6, high - low) for _, low, _, high in on.values()]
    through = sum(EDGE < share < 1 - EDGE for share in shares)
    return [*on] if through >= max(MIN_STRUCK, MIN_STRUCK_SHARE * len(on)) else ()


def _marked(text: str, gone: Sequence[bool]) -> str:
    """A line with marks; as a whole where its signs are not those of the page in order."""
    body = text.rstrip("".join(HYPHENS))
    signs = [at for at, char in enumerate(body) if char.strip()]
    if len(signs) != len(gone):
        return struck(body) + text[len(body) :] if 2 * sum(gone) > len(gone) else text
    state, is_gone, pieces = False, dict(zip(signs, gone, strict=True)), list[str]()
    for at, char in enumerate(body):  # what is no letter goes with the one before it
        state = is_gone[at] if char.isalnum() else state
        pieces.append(_GONE.marked(char) if state else char)
    return as_one(pieces) + text[len(body) :]


# ---- Form fields and comments


class PageNote(NamedTuple):
    """A line of the page's text, marked if the page does not show it, and its box on the page."""

    text: str
    box: Box
    strikes: bool = False  # it draws a line through what it lies on


def notes_of(page: pypdfium2.PdfPage) -> Iterator[PageNote]:
    """Form fields of a page as "name: value", and comments with authors."""
    import pypdfium2.raw as pdfium

    unseen = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        if text := _text(annotation):
            rect = pdfium.FS_RECTF()
            pdfium.FPDFAnnot_GetRect(annotation, rect)
            is_hidden = pdfium.FPDFAnnot_GetFlags(annotation) & unseen
            box = rect.left, rect.bottom, rect.right, rect.top
            yield PageNote(hide(text) if is_hidden else text, box)
        for each in _lines_of(annotation):
            yield PageNote("", each, strikes=True)
        pdfium.FPDFPage_CloseAnnot(annotation)


def _lines_of(annotation: object) -> Iterator[Box]:
    """What an annotation strikes out, line by line."""
    import pypdfium2.raw as pdfium

    if pdfium.FPDFAnnot_GetSubtype(annotation) != pdfium.FPDF_ANNOT_STRIKEOUT:
        return
    for number in range(pdfium.FPDFAnnot_CountAttachmentPoints(annotation)):
        at = pdfium.FS_QUADPOINTSF()
        pdfium.FPDFAnnot_GetAttachmentPoints(annotation, number, at)
        xs, ys = (at.x1, at.x2, at.x3, at.x4), (at.y1, at.y2, at.y3, at.y4)
        yield min(xs), min(ys), max(xs), max(ys)


def _text(annotation: object) -> str:
    """What is read of an annotation; "" if nothing is."""
    import pypdfium2.raw as pdfium

    def value(key: bytes) -> str:
        return text_by("FPDFAnnot_GetStringValue", annotation, key).strip()

    kind, name = pdfium.FPDFAnnot_GetSubtype(annotation), value(b"T")
    if kind == pdfium.FPDF_ANNOT_WIDGET:
        said = value(b"V")
        if not said or said == "Off":
            return ""
        return f"{name}: {said}" if name else said
    if kind in (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP):
        return ""
    note = value(b"Contents")
    if not note or kind == pdfium.FPDF_ANNOT_FREETEXT:
        return note
    return f"Comment ({name}): {note}" if name else f"Comment: {note}"


# --- Order ----------------------------------------------------------------------------------------
#
# That of drawing is that of reading in most files and stays; but nothing is read before what
# stands above it: a title drawn last, columns before their abstract.

MAX_BLOCKS = 200  # of a page that is put in order: more are the labels of a drawing
MIN_LINES = 3  # of a piece that others are put above or below
MIN_EMS = 15.0  # the width of one with fewer lines
MIN_LETTERS = 3  # of a piece that is put above or below
NEW_BLOCK = 3.0  # font sizes between two lines that are not of one piece
SHARED = 0.3  # of the narrower piece's width: how much stands under the other


class DrawnPiece:
    """Lines drawn one after the other, downwards; `last` is the last that has a place."""

    def __init__(self, line: PlacedLine) -> None:
        self.lines, self.last = [line], line
        self.left, self.right, self.top, self.bottom = line.left, line.right, line.top, line.bottom

    def takes(self, line: PlacedLine) -> bool:
        """Whether a line goes on below the block, or beside its last line."""
        if not line.size or not self.top:
            return not line.size
        last = self.last
        if last.beside(line):
            return line.left >= last.left
        step = last.base - line.base
        return (
            0 < step < NEW_BLOCK * max(line.size, last.size)
            and self.left < line.right
            and line.left < self.right
            and line.left < line.right
            and self.left < self.right
        )

    def add(self, line: PlacedLine) -> None:
        """Take a line in."""
        self.lines.append(line)
        if line.size:
            self.last = line
            self.left, self.right = min(self.left, line.left), max(self.right, line.right)
            self.bottom = min(self.bottom, line.bottom)

    def above(self, other: DrawnPiece) -> bool:
        """Whether it must be read first: it ends above the other and stands over it."""
        if self.bottom < other.top - 2.0:
            return False
        shared = min(self.right, other.right) - max(self.left, other.left)
        return shared > SHARED * min(self.right - self.left, other.right - other.left)

    @cached_property
    def is_large(self) -> bool:
        """Whether it is text rather than the label of a drawing: of some lines, or a long one."""
        wide = self.right - self.left >= MIN_EMS * max(line.size for line in self.lines)
        return len(self.lines) >= MIN_LINES or wide

    @cached_property
    def letters(self) -> int:
        """How many letters it has, as far as that matters."""
        return sum(map(str.isalpha, "".join(line.text for line in self.lines[:MIN_LINES])))


def in_order(lines: Sequence[PlacedLine]) -> list[PlacedLine]:
    """The lines in reading order."""
    blocks: list[DrawnPiece] = []
    for line in lines:
        if blocks and blocks[-1].takes(line):
            blocks[-1].add(line)
        else:
            blocks.append(DrawnPiece(line))
    if not 1 < len(blocks) <= MAX_BLOCKS:
        return list(lines)
    numbers = range(len(blocks))
    if not any(_goes(blocks, n, m) for m in numbers for n in numbers[m + 1 :]):
        return list(lines)
    first = [{n for n in numbers if n != m and _goes(blocks, n, m)} for m in numbers]
    return [line for index in _sorted(first) for line in blocks[index].lines]


def _goes(blocks: Sequence[DrawnPiece], one: int, other: int) -> bool:
    """Whether a block must be read before another, if both matter."""
    block, before = blocks[other], blocks[one]
    return (
        before.top != 0
        and before.above(block)
        and (before.is_large or block.is_large)
        and (one < other or (block.letters > 0 and before.letters >= MIN_LETTERS))
    )


def _sorted(first: Sequence[set[int]]) -> list[int]:
    """All indices, each after those that go before it, else as they are."""
    left, order = dict(enumerate(first)), list[int]()
    while left:
        # Pieces that lie around each other may form a circle: then the first drawn is taken.
        ready = (each for each, before in left.items() if not before & left.keys())
        order.append(next(ready, next(iter(left))))
        del left[order[-1]]
    return order


# --- Headings -------------------------------------------------------------------------------------

LARGER = 1.15  # font sizes of what follows
SET_OFF = 1.5  # font sizes between a heading and the line above
MAX_HEADING_LINES, MAX_HEADING_CHARS = 3, 100
MAX_LETTER = 0.8  # font sizes that a letter is wide, beyond which a line is cells of a table


def headings(lines: Sequence[PlacedLine]) -> Iterator[PlacedLine]:
    """The lines that are larger or bolder than what follows, and set off from what stands above."""
    runs = [list(run) for _, run in groupby(lines, key=lambda line: (round(line.size), line.bold))]
    for before, run, after in zip([[], *runs], runs, runs[1:], strict=False):
        first, following = run[0], after[0]
        stronger = first.size >= LARGER * following.size or (
            first.bold and not following.bold and round(first.size) >= round(following.size)
        )
        beside = any(first.beside(other) for other in (*before[-1:], *after[:1]))
        room = before[-1].base - first.base if before else float("inf")
        set_off = room < 0 or room > SET_OFF * first.size
        if stronger and set_off and first.size and following.size and not beside:
            yield from run if len(run) <= MAX_HEADING_LINES and all(map(_is_named, run)) else ()


def _is_named(line: PlacedLine) -> bool:
    """Whether a line is words, no longer than a heading is, rather than figures or cells."""
    letters, digits = (sum(map(kind, line.text)) for kind in (str.isalpha, str.isdigit))
    size = len(line.text)
    has_gaps = line.right - line.left > MAX_LETTER * line.size * size
    return letters > digits and size <= MAX_HEADING_CHARS and not has_gaps
