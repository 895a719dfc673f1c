"""How text of a page looks by its attributes and inline styles, and whether it is shown. Pure.

Stylesheets are not read: what a class hides cannot be known and is not claimed. A colour counts
against a background that is written the same way; the page's own white only without a stylesheet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from indexer.extract.hidden import UNKNOWN, alike

CLEAR = "clear"  # a colour that lets all others through
MAX_UNSEEN_POINTS = 1.0  # of a font's size, in pixels or points
_FAR = 900  # pixels to the left or above, by which text is put where no page is

_NAMED = {
    "white": "ffffff",
    "black": "000000",
    "red": "ff0000",
    "blue": "0000ff",
    "green": "008000",
    "yellow": "ffff00",
    "gray": "808080",
    "grey": "808080",
    "silver": "c0c0c0",
    "whitesmoke": "f5f5f5",
    "snow": "fffafa",
    "ghostwhite": "f8f8ff",
}
# Of an attribute that gives a colour, the sign may be missing.
_HEX = re.compile(r"#?([0-9a-f]{6})|#([0-9a-f]{3})")
_RGB = re.compile(
    r"rgba?\((\d{1,3})[ ,]+(\d{1,3})[ ,]+(\d{1,3})(?:[ ,/]+(\d+(?:\.\d+)?|\.\d+)(%?))?\)"
)
_CLIPPED = re.compile(r"rect\((?:\s*[01](?:px)?[,\s]*){4}\)|inset\((?:50|100)%\)")
_LENGTH = re.compile(r"(-?(?:\d+(?:\.\d+)?|\.\d+))(px|pt|em|rem|%|ex|ch|vw|in|cm|mm)?")


@dataclass(frozen=True, slots=True)
class Look:
    """What an element's text looks like.

    `gone` and `faint` (opacity) cannot be undone by an element within.
    """

    gone: bool = False
    faint: bool = False
    invisible: bool = False
    tiny: bool = False
    colour: str = ""
    background: str = ""

    def hides(self, *, paper: bool) -> bool:
        """Whether text of this look is not shown.

        `paper`: the page has no stylesheet and no script, so that it is white and stays as it is.
        """
        if self.gone or self.invisible or self.tiny or (self.faint and paper):
            return True
        background = self.background or ("ffffff" if paper else UNKNOWN)
        return self.colour == CLEAR or alike(self.colour, background)


def look_of(outer: Look, tag: str, attributes: Mapping[str, str]) -> Look:
    """The look of an element in another one."""
    if not attributes:
        return outer
    style = _declared(attributes.get("style", ""))
    look = _coloured(outer, tag, attributes, style)
    if visibility := style.get("visibility"):
        look = replace(look, invisible=visibility in ("hidden", "collapse"))
    if size := style.get("font-size"):
        look = replace(look, tiny=_is_tiny(size, tiny=outer.tiny))
    if not look.gone and ("hidden" in attributes or _is_gone(style)):
        look = replace(look, gone=True)
    if (opacity := _length(style.get("opacity", ""))) is not None and opacity[0] == 0:
        look = replace(look, faint=True)
    return look


def _declared(style: str) -> dict[str, str]:
    """The declarations of a style attribute."""
    found = {}
    for each in style.lower().split(";"):
        name, colon, value = each.partition(":")
        if colon:
            found[name.strip()] = value.replace("!important", "").strip()
    return found


def _coloured(
    outer: Look, tag: str, attributes: Mapping[str, str], style: Mapping[str, str]
) -> Look:
    colour = style.get("color") or (
        attributes.get("color", "") if tag == "font" else attributes.get("text", "")
    )
    look = outer if not colour else replace(outer, colour=_colour(colour) or _clear(colour))
    if look.colour == CLEAR and "text" in (
        style.get("background-clip", "") + style.get("-webkit-background-clip", "")
    ):
        look = replace(look, colour="")  # the background shows in the shape of the letters
    given = [attributes.get("bgcolor", ""), style.get("background-color", "")]
    given += [style.get("background", ""), style.get("background-image", "")]
    given += [UNKNOWN] if attributes.get("background") else []
    for value in given:
        if value and value not in ("none", "transparent", "inherit", "initial", "unset"):
            look = replace(look, background=_colour(value) or UNKNOWN)
    return look


def _colour(value: str) -> str | None:
    """A colour as rrggbb; None for other values, and for colours that let others through."""
    value = value.strip().lower()
    if digits := _HEX.fullmatch(value):
        return digits[1] or "".join(digit * 2 for digit in digits[2])
    if rgb := _RGB.fullmatch(value):
        if rgb[4] and float(rgb[4]) < (100 if rgb[5] else 1):
            return None
        return "".join(f"{min(int(part), 255):02x}" for part in rgb.group(1, 2, 3))
    return _NAMED.get(value)


def _clear(value: str) -> str:
    rgb = _RGB.fullmatch(value)
    is_clear = rgb is not None and rgb[4] is not None and float(rgb[4]) == 0
    return CLEAR if is_clear or value == "transparent" else ""


def _length(value: str) -> tuple[float, str] | None:
    found = _LENGTH.fullmatch(value)
    return (float(found[1]), found[2] or "px") if found else None


def _is_tiny(size: str, *, tiny: bool) -> bool:
    """Whether a font's size is nothing; a share of an outer one that is nothing too."""
    length = _length(size)
    if length is None:
        return tiny and size in ("inherit", "smaller", "larger")
    number, unit = length
    if unit in ("px", "pt"):
        return number <= MAX_UNSEEN_POINTS
    return number == 0 or (tiny and unit in ("em", "%", "ex", "ch"))


def _is_gone(style: Mapping[str, str]) -> bool:
    if style.get("display") == "none" or style.get("mso-hide") == "all":
        return True
    if _CLIPPED.fullmatch(style.get("clip", "")) or _CLIPPED.fullmatch(style.get("clip-path", "")):
        return True
    if style.get("transform") in ("scale(0)", "scale(0,0)", "scale(0, 0)"):
        return True
    if style.get("overflow") in ("hidden", "clip") and any(
        _is_nothing(style.get(name, "")) for name in ("height", "max-height", "width", "max-width")
    ):
        return True
    placed = style.get("position") in ("absolute", "fixed")
    names = ("left", "top", "margin-left", "margin-top") if placed else ("margin-left",)
    return any(_is_far(style.get(name, "")) for name in ("text-indent", *names))


def _is_nothing(value: str) -> bool:
    length = _length(value)
    return length is not None and length[0] <= (1 if length[1] in ("px", "pt") else 0)


def _is_far(value: str) -> bool:
    length = _length(value)
    if length is None:
        return False
    number, unit = length
    return number <= -_FAR / {"em": 16, "rem": 16, "%": 10, "in": 96, "cm": 38}.get(unit, 1)
