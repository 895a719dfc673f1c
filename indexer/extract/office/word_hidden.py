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


@dataclass(frozen=True, slots=True)
class _Look:
    """The properties of a run or style; None, "" or -1 where it does not say."""

    vanish: bool | None = None
    colour: str = ""
    fill: str = ""
    half_points: int = -1

    def over(self, base: _Look) -> _Look:
        """The look, completed by that of a base."""
        return _Look(
            base.vanish if self.vanish is None else self.vanish,
            self.colour or base.colour,
            self.fill or base.fill,
            base.half_points if self.half_points < 0 else self.half_points,
        )


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
        fill = self._of_style(style).fill or ground.fill
        return replace(ground, style=style, fill=fill).inside(properties)

    def hides(self, properties: Element | None, ground: Ground) -> bool:
        """Whether a run with these properties is not shown on that ground."""
        own = _look(properties)
        by_run = self._of_style(setting(properties, "rStyle"))
        by_paragraph = self._of_style(ground.style)
        # Set by both styles, such a property is off again (ECMA-376, 17.7.3).
        vanish = own.vanish
        if vanish is None:
            vanish = bool(by_run.vanish) != bool(by_paragraph.vanish)
        look = own.over(by_run).over(replace(by_paragraph, fill="")).over(self._default)
        small = 0 <= look.half_points <= MAX_UNSEEN_HALF_POINTS
        return vanish or small or alike(look.colour, look.fill or ground.fill)

    def _of_style(self, name: str) -> _Look:
        """What a style says, its bases included."""
        if name not in self._looks:
            look, current = _Look(), name
            seen: set[str] = set()
            while current in self._styles and current not in seen:
                seen.add(current)
                style = self._styles[current]
                behind = _fill(child(style, "pPr", "shd"))
                look = look.over(_look(child(style, "rPr"))).over(_Look(fill=behind))
                current = setting(style, "basedOn")
            self._looks[name] = look
        return self._looks[name]


def _look(properties: Element | None) -> _Look:
    vanish = child(properties, "vanish")
    fill = _fill(child(properties, "shd"))
    if (marker := setting(properties, "highlight")) not in ("", "none"):
        fill = PAPER if marker == "white" else UNKNOWN
    return _Look(
        None if vanish is None else is_on(vanish),
        setting(properties, "color"),
        fill,
        number_of(child(properties, "sz"), "val", -1),
    )


def _fill(shading: Element | None) -> str:
    """The colour of a `shd`; "" where it gives none."""
    if shading is None or attribute(shading, "val") == "nil":
        return ""
    fill = attribute(shading, "fill") or "auto"
    if attribute(shading, "val") not in (None, "clear"):
        return UNKNOWN  # a pattern
    return "" if fill == "auto" else fill
