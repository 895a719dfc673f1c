"""Pages of a PDF and pictures as arrays, upright as the file says and of bounded size.

Only what is asked for is decoded. Recognises nothing.
"""

from __future__ import annotations

import io
import struct
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import readable
from indexer.extract.pdf.showing import ShownPdf, points_of, size_within
from indexer.records import COLOUR_BYTES, Points

if TYPE_CHECKING:
    from PIL.Image import Image

Picture = NDArray[np.uint8]  # (height, width, 3): blue, green, red

# The print of an A4 page at 170 dots an inch; at 1,400 small print is lost, more costs memory.
MAX_SIDE = 2_000
# A page with less on it is drawn no larger: 300 dots an inch.
MAX_SCALE = 300 / 72
# Decoded at once; JPEG decoders shrink larger ones on the way. A telephone's largest has 200
# million, a scan of A3 at 600 dots an inch 70 million.
MAX_PIXELS = 120_000_000
MAX_JPEG_PIXELS = 400_000_000
MAX_PAGES = 5_000  # of a TIFF

_FORMATS = ("JPEG", "PNG", "TIFF", "WEBP")  # the first opens MPO too


class PdfPages(ShownPdf):
    """The pages of a PDF, by numbers from 1 to `count`, also as pictures."""

    def picture(self, number: int) -> Picture:
        """The page as a picture; raises UnreadableDocument."""
        with self.page(number) as page:
            scale = min(MAX_SCALE, MAX_SIDE / max(1.0, *page.get_size()))
            bitmap = page.render(scale=scale, rev_byteorder=False, prefer_bgrx=False)
            with closing(bitmap):
                return np.array(bitmap.to_numpy()[:, :, :3], np.uint8)


class ShownPicture:
    """The pages of a picture file, of which only a TIFF has several.

    Raises UnreadableDocument, also where nothing is installed that decodes it.
    """

    def __init__(self, data: bytes) -> None:
        try:
            import pillow_heif
            from PIL import Image
        except ModuleNotFoundError:
            detail = "a picture is shown by what pip install 'corpus-agent[ocr]' brings"
            raise UnreadableDocument("unsupported", detail) from None

        pillow_heif.options.THUMBNAILS = False
        pillow_heif.register_heif_opener()
        Image.MAX_IMAGE_PIXELS = None  # its own check raises warnings; ours is below
        with readable("picture", *_ERRORS):
            self._image = Image.open(io.BytesIO(data), formats=(*_FORMATS, "HEIF"))
        frames = getattr(self._image, "n_frames", 1) if self._image.format == "TIFF" else 1
        self.count = min(MAX_PAGES + 1, int(frames))  # the last says that there are more

    def picture(self, number: int) -> Picture:
        """The page as a picture; raises UnreadableDocument."""
        if number > MAX_PAGES:
            raise UnreadableDocument("too_large_unpacked", f"more than {MAX_PAGES:,} pages")
        with readable("picture", *_ERRORS):
            if self.count > 1:
                self._image.seek(number - 1)
            return _decoded(self._image)

    def points(self, number: int, width: int) -> Points:
        """The page as it is recognised, at most `width` points wide."""
        from PIL import Image

        drawn = Image.fromarray(np.ascontiguousarray(self.picture(number)[:, :, ::-1]))
        size = size_within(*drawn.size, min(width, drawn.width))
        if size != drawn.size:
            drawn = drawn.resize(size, Image.Resampling.BOX, reducing_gap=2.0)
        return points_of(drawn.tobytes(), *drawn.size, COLOUR_BYTES * drawn.width)

    def outline(
        self, number: int, quotation: str, near: float | None
    ) -> list[tuple[int, tuple[float, float, float, float]]]:
        """None: a picture has no words of its own."""
        return []


Pages = PdfPages | ShownPicture


def opened(data: bytes) -> Pages:
    """The pages of a PDF or picture; raises UnreadableDocument."""
    return PdfPages(data) if data[:1024].find(b"%PDF-") >= 0 else ShownPicture(data)


# What Pillow raises for a file that it cannot decode.
_ERRORS = (OSError, ValueError, SyntaxError, EOFError, LookupError, TypeError, struct.error)


def _decoded(image: Image) -> Picture:
    from PIL import Image, ImageOps

    width, height = image.size
    most = MAX_JPEG_PIXELS if image.format in ("JPEG", "MPO") else MAX_PIXELS
    if width * height > most:
        shape = f"{width:,} x {height:,} points"
        raise UnreadableDocument("too_large_unpacked", f"a picture of {shape}")
    image.draft("RGB", (MAX_SIDE, MAX_SIDE))
    shown = _on_white(image)
    if max(shown.size) > MAX_SIDE:
        shown.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS, reducing_gap=2.0)
    # The direction in which the camera was held; after shrinking, since it copies.
    turned = ImageOps.exif_transpose(shown)
    return np.ascontiguousarray(np.asarray(turned.convert("RGB"))[:, :, ::-1])


def _on_white(image: Image) -> Image:
    """The picture in a mode that can be scaled, its transparent parts white."""
    from PIL import Image

    exif = image.getexif()
    if image.mode.startswith("I") or image.mode == "F":
        samples = np.asarray(image, np.float64)
        top = max(1.0, float(samples.max()))
        shown = Image.fromarray((samples * (255.0 / top)).astype(np.uint8))
    elif image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        above = image.convert("RGBA")
        shown = Image.new("RGB", above.size, "white")
        shown.paste(above, mask=above.getchannel("A"))
    else:
        shown = image.convert("L" if image.mode in ("1", "L") else "RGB")
    if exif.get(0x0112):  # orientation, which a new picture does not inherit
        shown.getexif()[0x0112] = exif[0x0112]
    return shown
