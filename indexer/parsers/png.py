"""Points -> a PNG file: header, one compressed piece, end. Pure.

Made here, on the side that trusts no parser, so that what a viewer decodes was written by this
program, whatever took over the process that drew the page. Source: PNG (ISO 15948), 11.2.
"""

from __future__ import annotations

import struct
import zlib

from indexer.extract.points import GREY_BYTES, Points

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LEVEL = 1  # of zlib: pages are mostly white, and the next ones take three times as long


def png_of(points: Points) -> bytes:
    """The picture as a PNG file of 8 bits a sample."""
    row = points.width * points.channels
    rows = (points.data[at : at + row] for at in range(0, len(points.data), row))
    unfiltered = b"".join(part for each in rows for part in (b"\0", each))
    kind = 0 if points.channels == GREY_BYTES else 2  # grey, or red, green and blue
    header = struct.pack(">IIBBBBB", points.width, points.height, 8, kind, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(unfiltered, _LEVEL)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", check)))
