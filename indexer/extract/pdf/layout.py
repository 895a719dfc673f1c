"""The text of one PDF page in reading order, from pdfium's characters and boxes.

Repairs hyphens at line ends, ligatures and letter-spaced lines. Adds form fields and comments.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import regex

from indexer.extract.hidden import hide
from indexer.extract.pdf import order, right_to_left
from indexer.extract.pdf.calls import Box
from indexer.extract.pdf.lines import (
    HYPHENS,
    LIGATURES,
    SHORT_WORDS,
    PlacedLine,
    Places,
    joined,
    placed_lines,
    respaced,
)
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
    if any(hyphen in text for hyphen in HYPHENS):
        text = _BREAK.sub("-\n", text)
    return _FORMS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def text_of(page: Page) -> str:
    """The text of a page without its heads and feet, then of fields, comments, what is hidden."""
    return "\n".join([cleaned(joined(order.in_order(page.lines))), *page.after])


def read_page(page: pypdfium2.PdfPage, label: str = "") -> Page:
    """The lines of a page, the fields and comments on it, and marked what it does not show."""
    with seen_text(page) as seen:
        text, places = seen.text, Places(seen.text_page, page, seen.text)
        has_words = right_to_left.has_words(text)
        from_right = has_words and right_to_left.is_base(text)
        if has_words and not from_right:
            found = right_to_left.reading_order(text, lambda at: places.box(places.index(at)))
            text = "".join(text[index] for index in found)
        lines = placed_lines(text, places, from_right)
        if from_right:
            lines = [_turned(line, places) for line in lines]
        elif SHORT_WORDS.search(text):
            lines = [respaced(line, places) for line in lines]
    notes = [note.text for note in notes_of(page)]
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
        found = right_to_left.reading_order(shown, lambda place: places.extent(numbers[place]))
        return line._replace(text="".join(shown[place] for place in found))
    chars = [
        right_to_left.PlacedChars(places.char(index), *places.advance(index)) for index in numbers
    ]
    return line._replace(text=right_to_left.in_reading_order(chars, line.size))


# ---- Form fields and comments


class PageNote(NamedTuple):
    """A line of the page's text, marked if the page does not show it, and its box on the page."""

    text: str
    box: Box


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
        pdfium.FPDFPage_CloseAnnot(annotation)


def _text(annotation: object) -> str:
    """What is read of an annotation; "" if nothing is."""
    import pypdfium2.raw as pdfium

    kind, name = pdfium.FPDFAnnot_GetSubtype(annotation), _value(annotation, b"T")
    if kind == pdfium.FPDF_ANNOT_WIDGET:
        value = _value(annotation, b"V")
        if not value or value == "Off":
            return ""
        return f"{name}: {value}" if name else value
    if kind in (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP):
        return ""
    note = _value(annotation, b"Contents")
    if not note or kind == pdfium.FPDF_ANNOT_FREETEXT:
        return note
    return f"Comment ({name}): {note}" if name else f"Comment: {note}"


def _value(annotation: object, key: bytes) -> str:
    import pypdfium2.raw as pdfium

    length = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if length <= 2:
        return ""
    buffer = (pdfium.FPDF_WCHAR * (length // 2))()
    pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, length)
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace").strip()
