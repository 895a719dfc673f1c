"""PDF text, page by page: pypdfium2, and pypdf where pdfium fails or finds nothing on a page.

Does no OCR: a scan has no text and is reported as such. Pages are parsed only when asked for.
The text of a page is repaired in layout.py.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.damage import what_broke
from indexer.extract.extraction import Extraction
from indexer.extract.hidden import parted
from indexer.extract.own_properties import OwnProperties
from indexer.extract.pdf import layout
from indexer.extract.pdf.information import described_by, stated_by
from indexer.extract.pdf.lines import PlacedLine
from indexer.extract.pdf.mend import mended
from indexer.extract.pdf.running import Kept, Page, without_running
from indexer.records import NO_TEXT_LAYER, Line

if TYPE_CHECKING:
    import pypdf
    import pypdfium2

SECOND_ENGINE = "pypdf"
MENDED = "mended"
MAX_DESCRIBED_BYTES = 16 * 2**20  # of a file that the second engine opens for its metadata alone
HEADS_AND_FEET = "Running heads and feet"  # the part at the end


def read_pdf(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, "encrypted" or "malformed"."""
    extraction = Extraction(None, iter(()))
    second = _Second(data)
    document = _opened(data)
    if document is None and not second.opens() and (whole := mended(data)) is not None:
        document, second = _opened(whole), _Second(whole)
        extraction.engines.add(MENDED)
    own = OwnProperties()
    if document is not None:
        own = stated_by(lambda key: _entry(document, key))
        pages, total = _pages(document, second, extraction), len(document)
    else:
        total = second.pages()
        pages = _pages_by_second(second, total, extraction)
    described = len(data) <= MAX_DESCRIBED_BYTES and b"/Metadata" in data
    if own == OwnProperties() and (document is None or described):
        own = second.properties()
    lines = _lines(pages, total)
    return Extraction(own.title, lines, extraction.engines, extraction.unread, own=own)


def _opened(data: bytes) -> pypdfium2.PdfDocument | None:
    """The file opened by pdfium, with at least one page; None if it cannot be opened.

    Raises UnreadableDocument("encrypted").
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableDocument("encrypted", "a password is needed") from None
        return None
    if len(document):
        return document
    document.close()
    return None


def _lines(pages: Iterator[Page], total: int) -> Iterator[Line]:
    """Lines page by page, then heads and feet; a mark has the printed number if it differs.

    A page that shows something without having text is marked as such.
    """
    kept = Kept()
    for number, page in enumerate(without_running(pages, total, kept), start=1):
        remark = f" (labelled {page.label})" if page.label and page.label != str(number) else ""
        remark += f" ({NO_TEXT_LAYER})" if page.only_shows else ""
        yield Line(f"--- Page {number} ---{remark}", number)
        for line, hidden in parted(layout.text_of(page)):
            yield Line(line, number, hidden=hidden)
    if texts := kept.texts():
        yield Line(f"--- {HEADS_AND_FEET} ---", None, HEADS_AND_FEET)
        for line, _ in parted("\n".join(texts)):
            yield Line(line, None, HEADS_AND_FEET)


def _pages(
    document: pypdfium2.PdfDocument, second: _Second, extraction: Extraction
) -> Iterator[Page]:
    import pypdfium2

    with closing(document):
        for index in range(len(document)):
            label = _label(document, index)
            shows = False
            try:
                with closing(document[index]) as page:
                    read = layout.read_page(page, label)
                    shows = _shows_something(page)
            except pypdfium2.PdfiumError:
                read = None
            if read is None or not (read.lines or read.after):
                text = _second_opinion(second, index, "" if read else None, extraction)
                read = _without_places(text, label)
                if shows and not text.strip():
                    read = replace(read, only_shows=True)
            yield read


def _shows_something(page: pypdfium2.PdfPage) -> bool:
    """Whether anything is drawn on a page: it may be a scan, and is no empty sheet."""
    import pypdfium2.raw as pdfium

    return bool(pdfium.FPDFPage_CountObjects(page) > 0)


def _without_places(text: str, label: str = "") -> Page:
    """A page of which the text is known and no place."""
    return Page(tuple(PlacedLine(line) for line in text.split("\n")), label=label)


def _second_opinion(second: _Second, index: int, text: str | None, extraction: Extraction) -> str:
    """The page from the second engine; `text` is None if the first one failed."""
    other = second.text(index)
    if other and other.strip():
        extraction.engines.add(SECOND_ENGINE)
        return other
    if text is None and other is None:
        extraction.unread.append(f"page {index + 1}")
    return text or ""


def _pages_by_second(second: _Second, total: int, extraction: Extraction) -> Iterator[Page]:
    for index in range(total):
        yield _without_places(_second_opinion(second, index, None, extraction))


def _label(document: pypdfium2.PdfDocument, index: int) -> str:
    try:
        label = document.get_page_label(index).replace("(", "").replace(")", "")
        return " ".join(label.split())[:20]
    except UnicodeDecodeError:
        return ""


def _entry(document: pypdfium2.PdfDocument, key: str) -> object:
    """An entry of the document information, None where it is no text."""
    try:
        return document.get_metadata_value(key)
    except UnicodeDecodeError:
        return None  # half a surrogate pair: no text, and no reason to refuse the document


class _Second:
    """The same file in pypdf, opened on first use."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._reader = cache(self._open)

    def _open(self) -> pypdf.PdfReader:
        """Raises UnreadableDocument: "encrypted" or "malformed"."""
        import logging

        import pypdf
        from pypdf.errors import DependencyError

        # It reports damage that we report.
        logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
        try:
            reader = pypdf.PdfReader(io.BytesIO(self._data), strict=False)
            if reader.is_encrypted and not reader.decrypt(""):
                raise UnreadableDocument("encrypted", "a password is needed")
        except DependencyError as error:
            raise UnreadableDocument("encrypted", str(error)) from None
        except _pypdf_errors() as error:
            raise UnreadableDocument("malformed", what_broke(error)) from None
        return reader

    def opens(self) -> bool:
        """Whether it finds any pages; raises UnreadableDocument("encrypted")."""
        try:
            return self.pages() > 0
        except UnreadableDocument as error:
            if error.reason == "encrypted":
                raise
            return False

    def pages(self) -> int:
        """How many pages there are, at least one; raises UnreadableDocument."""
        try:
            number = len(self._reader().pages)
        except _pypdf_errors() as error:
            raise UnreadableDocument("malformed", what_broke(error)) from None
        if not number:
            raise UnreadableDocument("malformed", "no pages found")
        return number

    def properties(self) -> OwnProperties:
        """What the document information says, else the metadata in XML; nothing if damaged."""
        try:
            reader = self._reader()
            information: dict[str, object] = reader.metadata or {}
            own = stated_by({key[1:]: information[key] for key in information}.get)
            described = reader.root_object.get("/Metadata") if own == OwnProperties() else None
            return own if described is None else described_by(described.get_object().get_data())
        except UnreadableDocument:
            return OwnProperties()
        except _pypdf_errors():
            return OwnProperties()

    def text(self, index: int) -> str | None:
        """The text of a page; None where it cannot be read."""
        try:
            return layout.cleaned(self._reader().pages[index].extract_text())
        except UnreadableDocument:
            return None
        except _pypdf_errors():
            return None


def _pypdf_errors() -> tuple[type[Exception], ...]:
    """The exceptions of pypdf: by its documentation, broken files may raise others than its own."""
    import zlib

    from pypdf.errors import PyPdfError

    broken = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError)
    return (PyPdfError, *broken, RecursionError, NotImplementedError, OSError, zlib.error)
