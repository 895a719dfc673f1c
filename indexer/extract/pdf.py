"""PDF text, page by page: pypdfium2, and pypdf where pdfium cannot open the file.

Does no OCR: a scan has no text and is reported as such. Pages are parsed only when asked for.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from indexer.errors import UnreadableDocument

# pdfium writes U+FFFE (in some releases U+0002) where a hyphen ended a line of the page.
_SOFT_BREAK = re.compile("[\ufffe\x02]\r?\n?")
# Titles that a program left behind instead of an author.
_NO_TITLE = re.compile(r"(?i)^(untitled.*|microsoft (word|powerpoint).*|.*\.\w{2,4}|\W*)$")
MAX_TITLE_CHARS = 200


def is_pdf(sample: bytes, path: str) -> bool:
    """Whether the header stands within the first 1,024 bytes, as readers accept it."""
    return b"%PDF-" in sample[:1024]


def pdf_pages(data: bytes) -> tuple[str | None, Iterator[str]]:
    """The title that the document carries, and its pages' texts, lazily.

    Raises UnreadableDocument: "encrypted" or "malformed".
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableDocument("encrypted", "a password is needed") from None
        return _pypdf_pages(data)
    try:
        title = document.get_metadata_value("Title") if len(document) else None
    except UnicodeDecodeError:
        title = None  # half a surrogate pair: no text, and no reason to refuse the document
    return _usable_title(title), _pdfium_pages(document)


def _pdfium_pages(document: object) -> Iterator[str]:
    import pypdfium2

    assert isinstance(document, pypdfium2.PdfDocument)
    try:
        for number in range(len(document)):
            try:
                page = document[number]
                text_page = page.get_textpage()
                text = text_page.get_text_range()
                text_page.close()
                page.close()
            except pypdfium2.PdfiumError as error:
                raise UnreadableDocument("malformed", f"page {number + 1}: {error}") from None
            yield _SOFT_BREAK.sub("", text)
    finally:
        document.close()


def _pypdf_pages(data: bytes) -> tuple[str | None, Iterator[str]]:
    import logging

    import pypdf
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports damage that we report
    # pypdf says of itself that broken files may raise more than its own errors.
    broken = (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableDocument("encrypted", "a password is needed")
        title = reader.metadata.title if reader.metadata else None
        pages = [page.extract_text() for page in reader.pages]
    except broken as error:
        raise UnreadableDocument("malformed", f"{type(error).__name__}: {error}"[:200]) from None
    if not pages:
        raise UnreadableDocument("malformed", "no pages found")
    return _usable_title(title), iter(pages)


def _usable_title(title: object) -> str | None:
    if not isinstance(title, str):
        return None
    title = " ".join(title.split())[:MAX_TITLE_CHARS]
    return None if _NO_TITLE.match(title) else title
