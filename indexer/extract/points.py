"""The points of a picture of a page: their bounds, and grey where all of them are. Pure.

What passes from the process that draws to the one that shows.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_POINTS = 5_000_000  # of a picture: a frame of the protocol holds three bytes for each
GREY_BYTES, COLOUR_BYTES = 1, 3  # of a point: `channels`


@dataclass(frozen=True, slots=True)
class Points:
    """Rows of points from the top, without gaps: a byte each of grey, or of red, green and blue."""

    width: int
    height: int
    channels: int
    data: bytes


def size_within(width: float, height: float, wanted: int) -> tuple[int, int]:
    """The size of a picture `wanted` points wide of a page in these proportions.

    Smaller where it would have more points than the bound; at least one point each way.
    """
    ratio = max(height, 1e-6) / max(width, 1e-6)
    across = min(float(wanted), (MAX_POINTS / ratio) ** 0.5)
    wide = max(1, int(across))
    return wide, max(1, min(int(across * ratio), MAX_POINTS // wide))


def points_of(data: bytes, width: int, height: int, stride: int) -> Points:
    """Rows of red, green and blue that begin every `stride` bytes, without what lies between."""
    row = COLOUR_BYTES * width
    if stride != row:
        data = b"".join(data[at : at + row] for at in range(0, height * stride, stride))
    grey = data[0::COLOUR_BYTES]
    if grey == data[1::COLOUR_BYTES] == data[2::COLOUR_BYTES]:
        return Points(width, height, GREY_BYTES, grey)
    return Points(width, height, COLOUR_BYTES, data)
