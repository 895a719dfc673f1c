"""Which text of a Word document is there and not shown: hidden, in the paper's colour, too small.

Only what is certain: a colour counts against the nearest background that is given, and nothing is
claimed on a background that a table's style, a box or an image may give. Pure; called by docx.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.extract.container import attribute, child, tag_of
from indexer.extract.hidden import UNKNOWN, alike

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

PAPER = "FFFFFF"
MAX_UNSEEN_HALF_POINTS = 2  # the smallest size that Word knows, 1 point
_OFF = frozenset({"0", "false", "off", "none"})


@dataclass(frozen=True, slots=True)
class Ground:
    """What a run of text stands on: the colour behind it and the style of its paragraph."""

    fill: str = PAPER
    style: str = ""

    def inside(self, properties: Element | None) -> Ground:
        """The ground of a part with properties of its own: a table, a cell, a paragraph."""
        fill = _fill(child(properties, "shd"))
        if fill is None and child(properties, "tblStyle") is not None:
            fill = UNKNOWN
        return self if fill is None else replace(self, fill=fill)


@dataclass(frozen=True, slots=True)
class _Look:
    """The properties of a run or style; None where it does not say."""

    vanish: bool | None = None
    colour: str | None = None
    fill: str | None = None
    half_points: int | None = None

    def over(self, base: _Look) -> _Look:
        """The look, completed by that of a base."""
        return _Look(
            base.vanish if self.vanish is None else self.vanish,
            self.colour or base.colour,
            self.fill or base.fill,
            base.half_points if self.half_points is None else self.half_points,
        )


_NONE = _Look()


class Unseen:
    """The styles of a document, by which its runs are judged."""

    def __init__(self, styles: Element | None, document: Element) -> None:
        self._styles = {
            attribute(each, "styleId") or "": each
            for each in (styles if styles is not None else ())
            if tag_of(each) == "style"
        }
        self._looks: dict[str, _Look] = {}
        background = child(document, "background")
        # Word shows it on screen alone, and only if a setting says so.
        self.paper = Ground(PAPER if background is None else UNKNOWN)
        defaults = child(styles, "docDefaults", "rPrDefault", "rPr")
        self._default = _look(defaults)

    def paragraph(self, ground: Ground, properties: Element | None) -> Ground:
        """The ground of a paragraph's runs."""
        name = child(properties, "pStyle")
        style = (attribute(name, "val") or "") if name is not None else ""
        fill = self._of_style(style).fill
        ground = replace(ground, style=style, fill=fill or ground.fill)
        return ground.inside(properties)

    def hides(self, properties: Element | None, ground: Ground) -> bool:
        """Whether a run with these properties is not shown on that ground."""
        own = _look(properties)
        name = child(properties, "rStyle")
        by_run = self._of_style((attribute(name, "val") or "") if name is not None else "")
        by_paragraph = self._of_style(ground.style)
        # Set by both styles, such a property is off again (ECMA-376, 17.7.3).
        vanish = own.vanish
        if vanish is None:
            vanish = bool(by_run.vanish) != bool(by_paragraph.vanish)
        look = own.over(by_run).over(replace(by_paragraph, fill=None)).over(self._default)
        small = look.half_points is not None and look.half_points <= MAX_UNSEEN_HALF_POINTS
        return vanish or small or alike(look.colour or "", look.fill or ground.fill)

    def _of_style(self, name: str) -> _Look:
        """What a style says, its bases included."""
        if name not in self._looks:
            look, current = _NONE, name
            seen: set[str] = set()
            while current in self._styles and current not in seen:
                seen.add(current)
                style = self._styles[current]
                behind = _fill(child(style, "pPr", "shd"))
                look = look.over(_look(child(style, "rPr"))).over(_Look(fill=behind))
                base = child(style, "basedOn")
                current = (attribute(base, "val") or "") if base is not None else ""
            self._looks[name] = look
        return self._looks[name]


def _look(properties: Element | None) -> _Look:
    vanish = child(properties, "vanish")
    colour, size = child(properties, "color"), child(properties, "sz")
    value = (attribute(size, "val") or "") if size is not None else ""
    fill = _fill(child(properties, "shd"))
    marker = child(properties, "highlight")
    if marker is not None and attribute(marker, "val") != "none":
        fill = PAPER if attribute(marker, "val") == "white" else UNKNOWN
    return _Look(
        None if vanish is None else attribute(vanish, "val") not in _OFF,
        None if colour is None else attribute(colour, "val"),
        fill,
        int(value) if value.isdecimal() else None,
    )


def _fill(shading: Element | None) -> str | None:
    """The colour of a `shd`; None where it gives none."""
    if shading is None or attribute(shading, "val") == "nil":
        return None
    fill = attribute(shading, "fill") or "auto"
    if attribute(shading, "val") not in (None, "clear"):
        return UNKNOWN  # a pattern
    return None if fill == "auto" else fill
