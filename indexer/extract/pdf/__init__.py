"""PDF text, page by page: pypdfium2, and pypdf where pdfium fails.

Does no OCR: a scan has no text and is reported as such. Pages are parsed only when asked for.
The text of a page is put together in layout.py.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import Extraction, own_properties, part_lines, what_broke
from indexer.extract.pdf import layout
from indexer.extract.pdf.calls import LayersOff
from indexer.extract.pdf.lines import PlacedLine
from indexer.extract.pdf.running import Kept, Page, without_running
from indexer.records import NO_TEXT_LAYER, Line, page_mark

if TYPE_CHECKING:
    import pypdf
    import pypdfium2

T = TypeVar("T")
SECOND_ENGINE = "pypdf"
_PROPERTIES = ("Title", "Author", "CreationDate", "ModDate")


def read_pdf(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, "encrypted" or "malformed"."""
    extraction = Extraction(None, iter(()))
    second = _Second(data)
    document = _opened(data)
    if document is None and not second.count:
        raise UnreadableDocument("malformed", second.broke)
    total = second.count if document is None else len(document)
    pages = _pages(document, total, second, extraction)
    title, *others = [_entry(document, key) for key in _PROPERTIES]
    own = own_properties(title, *others)
    lines = _lines(pages, total)
    return Extraction(own.title, lines, extraction.engines, extraction.unread, own=own)


def _opened(data: bytes) -> pypdfium2.PdfDocument | None:
    """The file opened by pdfium, with a page; None where that fails; raises if it is encrypted."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableDocument("encrypted") from None
        return None
    if len(document):
        return document
    document.close()
    return None


def _entry(document: pypdfium2.PdfDocument | None, key: str) -> str | None:
    """An entry of the document information, None where it is no text."""
    try:
        return None if document is None else str(document.get_metadata_value(key))
    except UnicodeDecodeError:
        return None  # half a surrogate pair: no text, and no reason to refuse the document


def _lines(pages: Iterator[Page], total: int) -> Iterator[Line]:
    """Lines page by page, then heads and feet; marks have numbers, and say where no text is."""
    kept: Kept = {}
    for number, page in enumerate(without_running(pages, total, kept), start=1):
        remark = f" (labelled {page.label})" if page.label and page.label != str(number) else ""
        remark += f" ({NO_TEXT_LAYER})" if page.only_shows else ""
        yield Line(f"{page_mark(number)}{remark}", number)
        yield from layout.lines_of(page, number)
    if texts := list(chain.from_iterable(kept.values())):
        yield from part_lines("Running", "heads and feet", texts)


def _pages(
    document: pypdfium2.PdfDocument | None, total: int, second: _Second, extraction: Extraction
) -> Iterator[Page]:
    """The pages by pdfium; those that it fails at, by pypdf."""
    for index in range(total):
        read = None if document is None else _read(document, index, lambda: second.layers_off)
        if read is None and (text := second.text(index)).strip():
            extraction.engines.add(SECOND_ENGINE)
            read = Page(tuple(map(PlacedLine, text.split("\n"))))
        elif read is None:
            extraction.unread.append(f"page {index + 1}")
        yield read or Page()
    if document is not None:
        document.close()


def _read(document: pypdfium2.PdfDocument, index: int, layers_off: LayersOff) -> Page | None:
    """A page by pdfium; None where it fails."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    try:
        with closing(document[index]) as page:
            read = layout.read_page(page, _label(document, index), layers_off)
            # Anything drawn may be a scan: such a page is no empty sheet.
            only_shows = not (read.lines or read.after) and pdfium.FPDFPage_CountObjects(page) > 0
            return replace(read, only_shows=only_shows)
    except pypdfium2.PdfiumError:
        return None


def _label(document: pypdfium2.PdfDocument, index: int) -> str:
    try:
        label = document.get_page_label(index).replace("(", "").replace(")", "")
        return " ".join(label.split())[:20]
    except UnicodeDecodeError:
        return ""


class _Second:
    """The same file in pypdf, opened on first use; what it cannot read is empty."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.broke = "no pages found"

    @cached_property
    def _reader(self) -> pypdf.PdfReader | None:
        """None where the file is damaged; raises UnreadableDocument("encrypted")."""
        import logging

        import pypdf
        from pypdf.errors import DependencyError

        # It reports damage that we report.
        logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
        try:
            reader = pypdf.PdfReader(io.BytesIO(self._data), strict=False)
            if reader.is_encrypted and not reader.decrypt(""):
                raise UnreadableDocument("encrypted")
        except DependencyError as error:
            raise UnreadableDocument("encrypted", str(error)) from None
        except _pypdf_errors() as error:
            self.broke = what_broke(error)
            return None
        return reader

    def _tried(self, read: Callable[[pypdf.PdfReader], T], otherwise: T) -> T:
        try:
            return otherwise if self._reader is None else read(self._reader)
        except UnreadableDocument:
            return otherwise
        except _pypdf_errors() as error:
            self.broke = what_broke(error)
            return otherwise

    @cached_property
    def count(self) -> int:
        """How many pages it has; raises UnreadableDocument("encrypted")."""
        return 0 if self._reader is None else self._tried(lambda reader: len(list(reader.pages)), 0)

    def text(self, index: int) -> str:
        """The text of a page; "" where it cannot be read."""
        return layout.cleaned(self._tried(lambda reader: reader.pages[index].extract_text(), ""))

    @cached_property
    def layers_off(self) -> frozenset[str]:
        """The names of the layers that are off when the file is opened."""
        return self._tried(_layers_off, frozenset())


def _layers_off(reader: pypdf.PdfReader) -> frozenset[str]:
    """Those by the usual configuration of a document: PDF 32000, 8.11.4."""
    layers: Any = reader.root_object["/OCProperties"]
    usual, every = layers["/D"], layers["/OCGs"]
    off = usual.get("/OFF", ())
    if usual.get("/BaseState") == "/OFF":
        off = [layer for layer in every if layer not in usual.get("/ON", ())]
    shown = {layer.get_object()["/Name"] for layer in every if layer not in off}
    return frozenset(layer.get_object()["/Name"] for layer in off) - shown


def _pypdf_errors() -> tuple[type[Exception], ...]:
    """The exceptions of pypdf: by its documentation, broken files may raise others than its own."""
    import zlib

    from pypdf.errors import PyPdfError

    broken = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError)
    return (PyPdfError, *broken, RecursionError, NotImplementedError, OSError, zlib.error)
