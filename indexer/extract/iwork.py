"""Apple's Pages, Keynote and Numbers: the PDF preview in a file.

The records that they consist of are not read: their programs export PDF.
"""

from __future__ import annotations

from indexer.errors import UnreadableDocument
from indexer.extract.container import ZipParts
from indexer.extract.extraction import Extraction
from indexer.extract.pdf.pages import read_pdf

_EXPORT = "Pages, Numbers or Keynote document; export as PDF from Pages, Numbers or Keynote"
_PREVIEWED = "read from its preview, which may show the first page alone"


def read_iwork(data: bytes) -> Extraction:
    """Its lines; raises UnreadableDocument, "unsupported" where there is no preview."""
    preview = ZipParts(data).read("QuickLook/Preview.pdf")
    if preview is None:
        raise UnreadableDocument("unsupported", _EXPORT)
    extraction = read_pdf(preview)
    extraction.notes.append(_PREVIEWED)
    return extraction
