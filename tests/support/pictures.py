"""Pictures of text and of pages, documents that hold them, and pictures taken apart again."""

import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen import canvas
from reportlab.pdfgen.canvas import Canvas

from indexer.extract import open_document
from indexer.parsers.tesseract import tesseract_scripts
from indexer.parsers.worker import Copy
from indexer.records import Line

LEASE = ("Lease of the boat house", "The rent is 1,250.00 euros", "It ends on 31 March 2027")
KEYS = ("Second sheet of the lease", "The deposit is 3,750.00 euros", "Keys handed over: 4 of 7")

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
CYRILLIC = ("Договор аренды квартиры", "Плата 28 384,55 рублей", "Срок 16.02.2022 года")


def in_cyrillic() -> Image.Image:
    """A page that rapidocr has no letters for; the test is skipped where no program has them."""
    if "Cyrillic" not in tesseract_scripts() or not FONT.exists():
        pytest.skip("apt-get install tesseract-ocr tesseract-ocr-rus fonts-dejavu-core")
    return picture(CYRILLIC, font=str(FONT))


def picture(
    lines: Sequence[str], size: tuple[int, int] = (620, 260), ink: str = "black", font: str = ""
):
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    letters = ImageFont.truetype(font, 30) if font else ImageFont.load_default(30)
    for number, line in enumerate(lines):
        draw.text((40, 36 + number * 62), line, font=letters, fill=ink)
    return image


def photo(size: tuple[int, int] = (500, 400)):
    return Image.radial_gradient("L").resize(size).convert("RGB")


def as_bytes(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    held = io.BytesIO()
    image.save(held, kind, **options)
    return held.getvalue()


def scan(path: Path, pages: Sequence[Image.Image | str | None]) -> None:
    """A PDF of pictures; a text stands for a page with text of its own, None for an empty one."""
    document = canvas.Canvas(str(path), pagesize=(310, 130))
    for page in pages:
        if isinstance(page, str):
            document.drawString(20, 90, page)
        elif page is not None:
            document.drawImage(ImageReader(page), 0, 0, 310, 130)
        document.showPage()
    document.save()


def points_of_png(png: bytes) -> NDArray[np.uint8]:
    """Rows of grey or coloured points, by a decoder of other people."""
    return np.asarray(Image.open(io.BytesIO(png), formats=("PNG",)))


def drawn(
    *pages: Callable[[Canvas], object], size: tuple[float, float] = (612, 792), crop: object = None
) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=size, invariant=True, cropBox=crop)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


@contextmanager
def document(data: bytes) -> Iterator[Copy]:
    descriptor = os.memfd_create("document", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, data)
        yield Copy(descriptor, len(data), str(hash(data)))
    finally:
        os.close(descriptor)


def lines_of_pdf(data: bytes) -> list[Line]:
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
