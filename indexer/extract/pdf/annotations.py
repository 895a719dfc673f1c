"""Form fields and comments of a PDF page: what they read, and where they stand on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.extract.hidden import hide

if TYPE_CHECKING:
    import pypdfium2


@dataclass(frozen=True, slots=True)
class PageNote:
    """A line of the page's text, marked if the page does not show it, and its box.

    The box is left, bottom, right, top in the page's own space.
    """

    text: str
    box: tuple[float, float, float, float]


def notes_of(page: pypdfium2.PdfPage) -> Iterator[PageNote]:
    """Form fields of a page as "name: value", and comments with authors."""
    import pypdfium2.raw as pdfium

    unseen = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        text = _text(annotation)
        if text:
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
    by = f" ({name})" if name else ""
    return f"Comment{by}: {note}"


def _value(annotation: object, key: bytes) -> str:
    import pypdfium2.raw as pdfium

    length = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if length <= 2:
        return ""
    buffer = (pdfium.FPDF_WCHAR * (length // 2))()
    pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, length)
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace").strip()
