"""Pictures of pages taken apart again, and PDF pages made for tests of what is shown of them."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from indexer.extract import open_document
from indexer.parsers.worker import Copy
from indexer.records import Line
from tests.support.hostile_files import pdf_of_objects


def points_of_png(png: bytes) -> NDArray[np.uint8]:
    """Rows of grey or coloured points, by a decoder of other people."""
    return np.asarray(Image.open(io.BytesIO(png), formats=("PNG",)))


def drawn(
    *pages: Callable[[Canvas], object], size: tuple[float, float] = (612, 792), crop: object = None
) -> bytes:
    """A PDF file whose pages the functions draw."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=size, invariant=True, cropBox=crop)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


@contextmanager
def document(data: bytes) -> Iterator[Copy]:
    """The bytes as the index hands them to the process."""
    descriptor = os.memfd_create("document", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, data)
        yield Copy(descriptor, len(data), str(hash(data)))
    finally:
        os.close(descriptor)


def lines_of_pdf(data: bytes) -> list[Line]:
    """The lines of a PDF as they are indexed."""
    return list(open_document(data, "a.pdf").lines)


def read_back(data: bytes, boxes: Iterable[tuple[int, Sequence[float]]]) -> str:
    """The text within boxes on the pages of a PDF as they are shown, as pdfium bounds it."""
    with closing(pypdfium2.PdfDocument(data)) as pdf:
        return "\n".join(_bounded(pdf, number, box) for number, box in boxes)


def _bounded(pdf: pypdfium2.PdfDocument, number: int, box: Sequence[float]) -> str:
    with closing(pdf[number - 1]) as page, closing(page.get_textpage()) as text_page:
        return str(text_page.get_text_bounded(*_own(page, box)))


def _own(page: pypdfium2.PdfPage, box: Sequence[float]) -> tuple[float, float, float, float]:
    """Left, bottom, right and top in a page's own space of shares of it as it is shown."""
    left, bottom, right, top = page.get_bbox()  # the crop box, before it is turned
    one, other = (_unturned(x, y, page.get_rotation()) for x, y in (box[:2], box[2:]))
    xs = sorted(left + x * (right - left) for x, _ in (one, other))
    ys = sorted(top - y * (top - bottom) for _, y in (one, other))
    return xs[0], ys[0], xs[1], ys[1]


def _unturned(x: float, y: float, degrees: int) -> tuple[float, float]:
    """Where a share of a turned page stands on it before it is turned, from the upper left."""
    return {0: (x, y), 90: (y, 1 - x), 180: (1 - x, 1 - y), 270: (1 - y, x)}[degrees]


def hebrew(*lines: str) -> bytes:
    """A page whose lines are drawn letter by letter from the left, as they stand on it."""
    known = sorted({char for line in lines for char in line})
    code = {char: 0x41 + number for number, char in enumerate(known)}
    pairs = "".join(f"<{code[char]:02X}> <{ord(char):04X}>\n" for char in known)
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(known)} beginbfchar\n{pairs}endbfchar endcmap end end"
    ).encode()
    content = b"BT /F 12 Tf 14 TL 72 700 Td "
    for line in lines:
        content += b"<" + "".join(f"{code[char]:02X}" for char in reversed(line)).encode() + b"> ' "
    return pdf_of_objects(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%sET\nendstream" % (len(content) + 2, content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap),
    )
