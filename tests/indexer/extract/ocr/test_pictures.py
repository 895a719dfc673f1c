"""Hostile pictures cost what they show, and one that is damaged has a reason in plain words."""

import io
import struct
import time
import zlib

import pytest
from PIL import Image

from indexer.errors import UnreadableDocument
from indexer.extract.ocr.pictures import MAX_PAGES, opened

pytest.importorskip("pillow_heif", reason="the extra [ocr] is not installed")


def png(width: int, height: int) -> bytes:
    """A picture that says how large it is and holds next to nothing."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes((width // 8 + 2) * height)) if width * height < 10**8 else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def saved(image: Image.Image, kind: str, **more: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **more)
    return stream.getvalue()


def heic(width: int, height: int) -> bytes:
    """A picture of 64 points that says that it has others."""
    from pillow_heif import register_heif_opener

    register_heif_opener()
    data = bytearray(saved(Image.new("RGB", (64, 64)), "HEIF"))
    struct.pack_into(">II", data, data.find(b"ispe") + 8, width, height)
    return bytes(data)


# Tag, type, count and value; the points of all pages are the same 64 bytes, which stand first.
TAGS = (
    (256, 3, 1, 8), (257, 3, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
    (273, 4, 1, 8), (277, 3, 1, 1), (278, 3, 1, 8), (279, 4, 1, 64),
)  # fmt: skip


def tiff(pages: int) -> bytes:
    """A file of so many pages of 8 by 8 points; Pillow takes twelve seconds to write 5,001."""
    tags = b"".join(struct.pack("<HHII", *tag) for tag in TAGS)
    starts = [8 + 64 + number * (len(tags) + 6) for number in range(pages)]
    pieces = [b"II*\0", struct.pack("<I", starts[0]), bytes(64)]
    for following in (*starts[1:], 0):
        pieces += [struct.pack("<H", len(TAGS)), tags, struct.pack("<I", following)]
    return b"".join(pieces)


REFUSED = {
    "png without end": (lambda: png(2**31 - 1, 2**31 - 1), "too_large_unpacked: a picture of"),
    "png of 900 million": (lambda: png(30_000, 30_000), "too_large_unpacked: a picture of 30,000"),
    "heic of others": (lambda: heic(60_000, 60_000), "too_large_unpacked: a picture of 60,000"),
    "heic without end": (lambda: heic(2**32 - 1, 1), "malformed: picture: "),
    "half a jpeg": (
        lambda: saved(Image.new("L", (600, 600)), "JPEG")[:500],
        "malformed: picture: ",
    ),
    "half a heic": (lambda: heic(64, 64)[:200], "malformed: picture: "),
    "no picture": (lambda: b"\xff\xd8\xff\xe0 what", "malformed: picture: "),
}


def test_what_is_no_sane_picture_is_refused_at_once():
    for kind, (make, says) in REFUSED.items():
        data = make()
        start = time.process_time()
        with pytest.raises(UnreadableDocument, match=says) as caught:
            opened(data).picture(1)
        assert time.process_time() - start < 2, kind
        assert not {"0x", "Error"} & {*str(caught.value).split()}, kind


@pytest.mark.slow
def test_what_is_long_or_large_is_drawn_small():
    for size in ((1, 65_500), (9_000, 9_000)):
        drawn = opened(png(*size)).picture(1)
        assert max(drawn.shape[:2]) == 2_000 and min(drawn.shape[:2]) >= 1


@pytest.mark.slow
def test_pages_beyond_those_that_are_read_are_named():
    pages = opened(tiff(MAX_PAGES + 9))
    assert pages.picture(MAX_PAGES).shape == (8, 8, 3)
    assert pages.count == MAX_PAGES + 1
    with pytest.raises(UnreadableDocument, match="too_large_unpacked: more than 5,000 pages"):
        pages.picture(pages.count)
