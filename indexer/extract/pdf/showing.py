"""Pages of a PDF as pictures of bounded size, and the places of a quotation on them.

Called by indexer.parsers.picturing. What is drawn is the page as a viewer shows it; nothing that
the file names elsewhere is loaded, and no script runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.pdf.outline import Fractions, PageLetters, letters_on, outlined
from indexer.extract.points import Points, points_of, size_within

if TYPE_CHECKING:
    import pypdfium2

KEPT_PAGES = 2  # whose letters stay in memory, for the next quotation


class ShownPdf:
    """An opened PDF; raises UnreadableDocument if no engine can draw it."""

    def __init__(self, data: bytes) -> None:
        self._document = opened_to_draw(data)
        self.count = len(self._document)
        # Of the document, not of this object, which would then keep itself and the file's bytes.
        self._letters = lru_cache(maxsize=KEPT_PAGES)(partial(_letters_of, self._document))

    def points(self, number: int, width: int) -> Points:
        """A page, so many points wide or as many as the bound allows. Raises UnreadableDocument."""
        with page_to_draw(self._document, number) as page:
            return _drawn(page, width)

    def outline(
        self, number: int, quotation: str, near: float | None
    ) -> list[tuple[int, Fractions]]:
        """The boxes of a quotation, each with its page; see outline.py."""
        return [(number, box) for box in outlined(quotation, self._letters(number), near)]


def opened_to_draw(data: bytes) -> pypdfium2.PdfDocument:
    """The document of a PDF; raises UnreadableDocument."""
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocument("malformed", f"no page can be drawn: {error}") from None


@contextmanager
def page_to_draw(document: pypdfium2.PdfDocument, number: int) -> Iterator[pypdfium2.PdfPage]:
    """A page, numbered from 1, while it is drawn; raises UnreadableDocument if it cannot be."""
    import pypdfium2

    try:
        with closing(document[number - 1]) as page:
            yield page
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocument("malformed", f"page {number}: {error}") from None


def _letters_of(document: pypdfium2.PdfDocument, number: int) -> PageLetters | None:
    import pypdfium2

    if not 1 <= number <= len(document):
        return None
    try:
        with closing(document[number - 1]) as page:
            return letters_on(page)
    except pypdfium2.PdfiumError:
        return None


def _drawn(page: pypdfium2.PdfPage, wanted: int) -> Points:
    import pypdfium2
    import pypdfium2.raw as pdfium

    shown_width, shown_height = page.get_size()
    width, height = size_within(shown_width, shown_height, wanted)
    bitmap = pypdfium2.PdfBitmap.new_native(width, height, pdfium.FPDFBitmap_BGR)
    with closing(bitmap):
        bitmap.fill_rect((255, 255, 255, 255), 0, 0, width, height)
        flags = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
        return points_of(bytes(bitmap.buffer), width, height, bitmap.stride)
