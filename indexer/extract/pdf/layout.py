"""The text of one PDF page in reading order, from pdfium's characters and boxes.

Repairs hyphens at line ends, ligatures and letter-spaced lines. Adds form fields and comments.
Called by pages.py and outline.py.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

import regex

from indexer.extract.hidden import hide
from indexer.extract.pdf import order, right_to_left
from indexer.extract.pdf.annotations import notes_of
from indexer.extract.pdf.lines import LIGATURES, PlacedLine, joined, placed_lines, respaced
from indexer.extract.pdf.places import Places
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
_SHORT_WORDS = re.compile(r" (?:[^\W\d_]{1,2} ){3}")  # of letter-spaced lines


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
    with seen_text(page) as (text_page, text, hidden):
        places = Places(text_page, page, text)
        from_right = right_to_left.is_base(text)
        if not from_right and right_to_left.has_words(text):
            found = right_to_left.reading_order(text, lambda at: places.box(places.index(at)))
            text = "".join(text[index] for index in found)
        lines = placed_lines(text, places, from_right)
        if from_right:
            lines = [_turned(line, places) for line in lines]
        elif _SHORT_WORDS.search(text):
            lines = [respaced(line, places) for line in lines]
        pieces = places.pieces()
    notes = [note.text for note in notes_of(page)]
    if hidden:
        words = f" {' '.join(text.split())} "  # what a page shows besides is not hidden
        notes += (hide(line) for line in map(cleaned, hidden) if f" {line} " not in words)
    return page_of(lines, pieces, places.height, notes, label)


def _turned(line: PlacedLine, places: Places) -> PlacedLine:
    """A line of a page that is read from the right."""
    if line.start < 0:
        return line
    numbers = range(line.start, line.end + 1)
    if not line.size:
        shown = "".join(places.char(index) or " " for index in numbers)
        found = right_to_left.reading_order(shown, lambda place: places.extent(numbers[place]))
        return replace(line, text="".join(shown[place] for place in found))
    chars = [
        right_to_left.PlacedChars(places.char(index), *places.advance(index)) for index in numbers
    ]
    return replace(line, text=right_to_left.in_reading_order(chars, line.size))
