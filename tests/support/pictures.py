"""Pictures of text, and documents that hold nothing else, drawn for a test."""

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen import canvas

LEASE = ("Lease of the boat house", "The rent is 1,250.00 euros", "It ends on 31 March 2027")
KEYS = ("Second sheet of the lease", "The deposit is 3,750.00 euros", "Keys handed over: 4 of 7")


def picture(lines: Sequence[str], size: tuple[int, int] = (620, 260), ink: str = "black"):
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(30)
    for number, line in enumerate(lines):
        draw.text((40, 36 + number * 62), line, font=font, fill=ink)
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
