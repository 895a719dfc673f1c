"""PDF text, page by page, by pypdfium2; pypdf says which layers are off.

Does no OCR: a scan has no text and is reported as such. Pages are parsed only when asked for.
The text of a page is put together in layout.py.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import BROKEN, Extraction, own_properties, what_broke
from indexer.extract.hidden import parted
from indexer.extract.pdf import layout
from indexer.extract.pdf.calls import LayersOff
from indexer.extract.pdf.running import Kept, Page, without_running
from indexer.records import NO_TEXT_LAYER, Line

if TYPE_CHECKING:
    import pypdfium2

_TAIL = 1_024  # bytes, in which a whole file says that it ends
HEADS_AND_FEET = "Running heads and feet"  # the part at the end
_PROPERTIES = ("Title", "Author", "CreationDate", "ModDate")


def read_pdf(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, "encrypted" or "malformed"."""
    document, unread = _opened(data), list[str]()
    title, *others = [_entry(document, key) for key in _PROPERTIES]
    own = own_properties(title, *others)
    lines = _lines(_pages(document, cache(partial(_layers_off, data)), unread), len(document))
    return Extraction(own.title, lines, unread=unread, own=own)


def _opened(data: bytes) -> pypdfium2.PdfDocument:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableDocument("encrypted", "a password is needed") from None
        cut = EOFError() if b"%%EOF" not in data[-_TAIL:] else error
        raise UnreadableDocument("malformed", what_broke(cut)) from None
    if not len(document):
        raise UnreadableDocument("malformed", "no pages found")
    return document


def _entry(document: pypdfium2.PdfDocument, key: str) -> str | None:
    """An entry of the document information, None where it is no text."""
    try:
        return str(document.get_metadata_value(key))
    except UnicodeDecodeError:
        return None  # half a surrogate pair: no text, and no reason to refuse the document


def _lines(pages: Iterator[Page], total: int) -> Iterator[Line]:
    """Lines page by page, then heads and feet; marks have numbers, and say where no text is."""
    kept: Kept = {}
    for number, page in enumerate(without_running(pages, total, kept), start=1):
        remark = f" (labelled {page.label})" if page.label and page.label != str(number) else ""
        remark += f" ({NO_TEXT_LAYER})" if page.only_shows else ""
        yield Line(f"--- Page {number} ---{remark}", number)
        yield from layout.lines_of(page, number)
    if texts := list(chain.from_iterable(kept.values())):
        yield Line(f"--- {HEADS_AND_FEET} ---", None, HEADS_AND_FEET)
        for line, _ in parted("\n".join(texts)):
            yield Line(line, None, HEADS_AND_FEET)


def _pages(
    document: pypdfium2.PdfDocument, layers_off: LayersOff, unread: list[str]
) -> Iterator[Page]:
    """The pages; those that pdfium fails at are empty, and named in `unread`."""
    with closing(document):
        for index in range(len(document)):
            if (read := _read(document, index, layers_off)) is None:
                unread.append(f"page {index + 1}")
            yield read or Page()


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


def _layers_off(data: bytes) -> frozenset[str]:
    """The names of the layers that are off when a file is opened: PDF 32000, 8.11.4."""
    import logging

    import pypdf
    from pypdf.errors import DependencyError, PyPdfError

    # By pypdf's documentation, broken files may raise others than its own.
    own = (PyPdfError, DependencyError)
    broken = (*BROKEN, *own, TypeError, AttributeError, AssertionError)
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)  # it reports damage that we report
    with suppress(*broken):
        reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted:
            reader.decrypt("")
        layers: Any = reader.root_object["/OCProperties"]
        usual, every = layers["/D"], layers["/OCGs"]
        off = usual.get("/OFF", ())
        if usual.get("/BaseState") == "/OFF":
            off = [layer for layer in every if layer not in usual.get("/ON", ())]
        shown = {layer.get_object()["/Name"] for layer in every if layer not in off}
        return frozenset(layer.get_object()["/Name"] for layer in off) - shown
    return frozenset()
