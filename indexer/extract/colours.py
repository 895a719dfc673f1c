"""Whether text has the colour of what is behind it, so that nobody sees it. Pure.

For formats that give colours as six hexadecimal digits; PDF has its own numbers.
"""

from __future__ import annotations

import re

UNKNOWN = "?"  # of a background: a picture, a gradient, a colour that is not understood
MAX_COLOUR_DISTANCE = 8  # of 255, in each of red, green and blue, that nobody sees
_RGB = re.compile(r"[0-9A-Fa-f]{6}")


def alike(colour: str, background: str) -> bool:
    """Whether two colours look the same; no for what is no colour, such as UNKNOWN."""
    if not (_RGB.fullmatch(colour) and _RGB.fullmatch(background)):
        return False
    pairs = zip(bytes.fromhex(colour), bytes.fromhex(background), strict=True)
    return all(abs(one - other) <= MAX_COLOUR_DISTANCE for one, other in pairs)
