"""Which text of a Word document is there and not shown: hidden, in the paper's colour, too small.

Only what is certain: a colour counts against the nearest background that is given, and nothing is
claimed on a background that a table's style, a box or an image may give. Pure; called by docx.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.extract.container import attribute, child, inside, is_on, number_of, setting, tag_of
from indexer.extract.hidden import UNKNOWN, alike

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

PAPER = "FFFFFF"
MAX_UNSEEN_HALF_POINTS = 2  # the smallest size that Word knows, 1 point
PLAIN = 20  # half points of text whose size is not given


@dataclass(frozen=True, slots=True)
class Ground:
    """What a run of text stands on: the colour behind it and the style of its paragraph."""

    fill: str = PAPER
    style: str = ""

    def inside(self, properties: Element | None) -> Ground:
        """The ground of a part with properties of its own: a table, a cell, a paragraph."""
        fill = _fill(child(properties, "shd"))
        if not fill and child(properties, "tblStyle") is not None:
            fill = UNKNOWN
        return replace(self, fill=fill or self.fill)


# The properties of a run or style that it gives: vanish, colour, fill, size in half points.
_Look = dict[str, "str | int"]


class Unseen:
    """The styles of a document, by which its runs are judged."""

    def __init__(self, styles: Element | None, document: Element) -> None:
        found = (each for each in inside(styles) if tag_of(each) == "style")
        self._styles = {attribute(each, "styleId") or "": each for each in found}
        self._looks: dict[str, _Look] = {}
        # Word shows a background on screen alone, and only if a setting says so.
        self.paper = Ground(PAPER if child(document, "background") is None else UNKNOWN)
        self._default = _look(child(styles, "docDefaults", "rPrDefault", "rPr"))

    def paragraph(self, ground: Ground, properties: Element | None) -> Ground:
        """The ground of a paragraph's runs."""
        style = setting(properties, "pStyle")
        fill = str(self._of_style(style).get("fill", ground.fill))
        return replace(ground, style=style, fill=fill).inside(properties)

    def hides(self, properties: Element | None, ground: Ground) -> bool:
        """Whether a run with these properties is not shown on that ground."""
        own = _look(properties)
        by_run = self._of_style(setting(properties, "rStyle"))
        by_paragraph = self._of_style(ground.style) | {"fill": ground.fill}
        look = self._default | by_paragraph | by_run | own
        # Set by both styles, such a property is off again (ECMA-376, 17.7.3).
        by_styles = bool(by_run.get("vanish")) != bool(by_paragraph.get("vanish"))
        small = int(look.get("size", PLAIN)) <= MAX_UNSEEN_HALF_POINTS
        seen = alike(str(look.get("colour", "")), str(look["fill"]))
        return bool(own.get("vanish", by_styles)) or small or seen

    def _of_style(self, name: str) -> _Look:
        """What a style says, its bases included."""
        if name not in self._looks:
            self._looks[name] = {}  # of a style that is its own base
            style = self._styles.get(name)
            if style is not None:
                base = self._of_style(setting(style, "basedOn"))
                behind = _fill(child(style, "pPr", "shd"))
                own = _look(child(style, "rPr"))
                self._looks[name] = base | ({"fill": behind} if behind else {}) | own
        return self._looks[name]


def _look(properties: Element | None) -> _Look:
    vanish, size = child(properties, "vanish"), child(properties, "sz")
    fill = _fill(child(properties, "shd"))
    if (marker := setting(properties, "highlight")) not in ("", "none"):
        fill = PAPER if marker == "white" else UNKNOWN
    colour = setting(properties, "color")
    look: _Look = {"colour": colour} if colour else {}
    look |= {"fill": fill} if fill else {}
    look |= {"vanish": is_on(vanish)} if vanish is not None else {}
    return look | ({"size": number_of(size, "val", PLAIN)} if size is not None else {})


def _fill(shading: Element | None) -> str:
    """The colour of a `shd`; "" where it gives none."""
    if shading is None or attribute(shading, "val") == "nil":
        return ""
    fill = attribute(shading, "fill") or "auto"
    if attribute(shading, "val") not in (None, "clear"):
        return UNKNOWN  # a pattern
    return "" if fill == "auto" else fill
