"""Which text of an OpenDocument file is there and not shown, by its style and its place. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from indexer.extract.container import attribute, tag_of
from indexer.extract.hidden import PAPER, UNKNOWN, Look

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_LENGTH = re.compile(r"(-?\d+(?:\.\d+)?)(cm|mm|in|pt|px|%)")
_POINTS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "px": 0.75, "%": 0.01}
_FAR = 1_200.0  # points, further than any page is wide


class OdfStyles:
    """The styles of a document, with those that they are derived from."""

    def __init__(self, roots: Sequence[Element]) -> None:
        every = (style for root in roots for style in root.iter("{*}style", "{*}default-style"))
        self._elements = {attribute(style, "name") or "": style for style in every}
        self._given: dict[str, dict[str, Any]] = {}
        pages = (page for root in roots for page in root.iter("{*}page-layout-properties"))
        coloured = any(_colour(page, "background-color") not in ("", PAPER) for page in pages)
        slides = any(True for root in roots for _ in root.iter("{*}presentation"))
        self._paper = UNKNOWN if coloured or slides else PAPER

    def hides(self, element: Element) -> bool:
        """Whether the style of a paragraph, section, slide or run shows none of its text."""
        given = dict(self._of(attribute(element, "style-name") or ""))
        if given.pop("gone", False):
            return True
        if not given:
            return False
        if "ground" not in given:
            above = (self._of(attribute(e, "style-name") or "") for e in element.iterancestors())
            given["ground"] = next((e["ground"] for e in above if "ground" in e), self._paper)
        return Look(**given).hides

    def _of(self, name: str) -> dict[str, Any]:
        """What a style says, its parents included."""
        if name not in self._given:
            self._given[name] = {}  # of a style that is its own parent
            style = self._elements.get(name) if name else None
            if style is not None:
                self._given[name] = self._of(attribute(style, "parent-style-name") or "") | {
                    key: value for each in style for key, value in _said(each).items()
                }
        return self._given[name]


def _said(properties: Element) -> dict[str, Any]:
    """What the properties of text, of a paragraph, a cell or a slide say."""
    given: dict[str, Any] = {}
    if attribute(properties, "display") == "none" or (
        attribute(properties, "visibility") == "hidden"
    ):
        given["gone"] = True
    if tag_of(properties) == "graphic-properties":
        return {"ground": UNKNOWN}
    if ground := _colour(properties, "background-color"):
        given["ground"] = ground
    if tag_of(properties) == "text-properties":
        if colour := _colour(properties, "color"):
            given["colour"] = colour
        size, width = attribute(properties, "font-size") or "", attribute(properties, "text-scale")
        if (points := _points(size)) is not None and "%" not in size:
            given["points"] = points
        if (share := _points(width or "")) is not None:
            given["width"] = share
    return given


def _colour(element: Element, name: str) -> str:
    value = attribute(element, name) or ""
    return value[1:].lower() if value.startswith("#") else ""


def _points(value: str) -> float | None:
    found = _LENGTH.fullmatch(value)
    return float(found[1]) * _POINTS[found[2]] if found else None


def is_beside(frame: Element) -> bool:
    """Whether a frame or shape stands far to the left of its page, or above it."""
    return any((_points(attribute(frame, axis) or "") or 0.0) < -_FAR for axis in ("x", "y"))
