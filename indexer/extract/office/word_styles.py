"""The styles of a Word document: which paragraphs are headings, their numbers, what is not shown.

Hidden is only what is certain: a colour counts against the nearest background that is given, and
nothing is claimed on a background that a table's style, a box or an image may give. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from indexer.extract.container import (
    Element,
    attribute,
    child,
    inside,
    is_on,
    number_of,
    setting,
    signed,
    tag_of,
)
from indexer.extract.extraction import table
from indexer.extract.hidden import PAPER, UNKNOWN, Look, hide, shift

# --- Numbers that Word writes in front of items and headings: a reader cites "4.2" of a contract --

LEVELS = 9
MAX_COUNT = 100_000  # of a list: a start value beyond is damage
_SLOT = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class Place:
    """Which list a paragraph belongs to, and how deep; the level is 0-based."""

    list_id: str
    level: int

    @classmethod
    def of(cls, element: Element | None, inherited: Place | None) -> Place | None:
        """From a `numPr` and what the style says; None for no list, and for list 0: "removed"."""
        if element is None:
            return inherited
        list_id = setting(element, "numId") or (inherited.list_id if inherited else "0")
        depth = number_of(child(element, "ilvl"), "val", inherited.level if inherited else 0)
        return Place(list_id, min(depth, LEVELS - 1)) if list_id != "0" else None


@dataclass(frozen=True, slots=True)
class _Level:
    form: str = "decimal"
    text: str = ""
    start: int = 1


_Levels = dict[int, _Level]


class Numbering:
    """The lists of a document and their counts so far."""

    def __init__(self, root: Element | None) -> None:
        abstract: dict[str, _Levels] = {}
        self._lists: dict[str, tuple[str, _Levels]] = {}
        self._counts: dict[str, list[int | None]] = {}
        for element in inside(root):
            if tag_of(element) == "abstractNum":
                found = (
                    (number_of(each, "ilvl", LEVELS), _level(each))
                    for each in element
                    if tag_of(each) == "lvl"
                )
                abstract[attribute(element, "abstractNumId") or ""] = dict(found)
        for element in inside(root):
            if tag_of(element) == "num":
                key = setting(element, "abstractNumId")
                levels = abstract.get(key, {})
                own = dict(_overrides(element, levels))
                list_id = attribute(element, "numId") or ""
                # Lists of one definition count on from one another unless one starts anew.
                self._lists[list_id] = (f"num {list_id}" if own else key, levels | own)

    def label(self, place: Place) -> str | None:
        """The next number at a place, "-" for a bullet, None where no such list is defined."""
        if place.list_id not in self._lists:
            return None
        key, levels = self._lists[place.list_id]
        counts = self._counts.setdefault(key, [None] * LEVELS)
        here = levels.get(place.level, _Level())
        before = counts[place.level]
        counts[place.level] = here.start if before is None else before + 1
        counts[place.level + 1 :] = [None] * (LEVELS - place.level - 1)
        if here.form == "bullet":
            return "-"

        def number(match: re.Match[str]) -> str:
            index = int(match[1]) - 1
            level, count = levels.get(index, _Level()), counts[index]
            return _formed(level.start if count is None else count, level.form)

        return _SLOT.sub(number, here.text).strip() or None


def _level(element: Element) -> _Level:
    start = min(number_of(child(element, "start"), "val", 1), MAX_COUNT)
    return _Level(setting(element, "numFmt") or "decimal", setting(element, "lvlText"), start)


def _overrides(element: Element, levels: _Levels) -> Iterator[tuple[int, _Level]]:
    for each in element:
        if tag_of(each) == "lvlOverride":
            own, start = child(each, "lvl"), child(each, "startOverride")
            level = (
                levels.get(number_of(each, "ilvl", LEVELS), _Level())
                if own is None
                else _level(own)
            )
            if start is not None:
                level = replace(level, start=min(number_of(start, "val", 1), MAX_COUNT))
            yield number_of(each, "ilvl", LEVELS), level


def _formed(count: int, form: str) -> str:
    """A count as Word writes it in one of its formats; plain digits for those not known here."""
    if form in ("lowerRoman", "upperRoman") and 0 < count < 4000:
        return _roman(count) if form == "upperRoman" else _roman(count).lower()
    if form in ("lowerLetter", "upperLetter") and count > 0:
        letter = chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 10)
        return letter if form == "lowerLetter" else letter.upper()
    if form == "decimalZero":
        return f"{count:02}"
    return "" if form in ("none", "bullet") else str(count)


_ROMAN = table("word", "roman")


def _roman(count: int) -> str:
    written = ""
    for sign, worth in _ROMAN.items():
        written += sign * (count // int(worth))
        count %= int(worth)
    return written


_MARKERS = table("word", "markers")
_LOWEST_LINE = 20  # twentieths of a point of a line's exact height, in which nothing can be read
_FAR = -20_000  # the same to the left: further than any page is wide


@dataclass(frozen=True, slots=True)
class Ground:
    """What a run of text stands on: the colour behind it and the style of its paragraph."""

    fill: str = PAPER
    style: str = ""
    table: str = ""  # its style
    gone: bool = False  # it is off the page, or no line is high enough

    def inside(self, properties: Element | None) -> Ground:
        """The ground of a part with properties of its own: a table, a cell, a paragraph."""
        fill = _fill(child(properties, "shd"))
        if not fill and child(properties, "tblStyle") is not None:
            fill = UNKNOWN
        table = setting(properties, "tblStyle") or self.table
        return replace(self, fill=fill or self.fill, table=table)


def box_ground(content: Element) -> Ground:
    """The ground of a text box: its one colour, if it has one, and whether it is off the page."""
    fill = attribute(child(content.getparent().getparent(), "spPr", "solidFill", "srgbClr"), "val")
    anchor = next(content.iterancestors("{*}anchor"), None)
    gone = False
    for axis, size in (("positionH", "cx"), ("positionV", "cy")):
        position = child(anchor, axis)
        if attribute(position, "relativeFrom") == "page":
            offset = child(position, "posOffset")
            gone |= signed(offset.text if offset is not None else "") < -number_of(
                child(anchor, "extent"), size
            )
    return Ground(fill or UNKNOWN, gone=gone)


# What a run or style gives: vanish, colour, ground, size, width, opacity; level, title, place.
_Given = dict[str, Any]


class WordStyles:
    """The styles of a document, each with those that it is based on."""

    def __init__(self, styles: Element | None, document: Element) -> None:
        found = (each for each in inside(styles) if tag_of(each) == "style")
        self._elements = {attribute(each, "styleId") or "": each for each in found}
        self._given: dict[str, _Given] = {}
        # Word shows a background on screen alone, and only if a setting says so.
        self.paper = Ground(PAPER if child(document, "background") is None else UNKNOWN)
        self._default = _given(child(styles, "docDefaults", "rPrDefault", "rPr"))

    def of(self, name: str) -> _Given:
        """What a style says, its bases included."""
        if name not in self._given:
            self._given[name] = {}  # of a style that is its own base
            style = self._elements.get(name)
            if style is not None:
                base = self.of(setting(style, "basedOn"))
                self._given[name] = base | _of_paragraphs(style) | _given(child(style, "rPr"))
        return self._given[name]

    def paragraph(self, ground: Ground, properties: Element | None) -> Ground:
        """The ground of a paragraph's runs."""
        style = setting(properties, "pStyle")
        fill = str(self.of(style).get("fill", ground.fill))
        gone = ground.gone or _is_gone(properties)
        return replace(ground, style=style, fill=fill, gone=gone).inside(properties)

    def marking(self, properties: Element | None, ground: Ground) -> Callable[[str], str]:
        """What marks the text of a run that is not shown on that ground, or is struck out."""
        own = _given(properties)
        by_run = self.of(setting(properties, "rStyle"))
        by_paragraph = self.of(ground.style)
        by_table: _Given = {"ground": ground.fill} | self._default | self.of(ground.table)
        given: _Given = by_table | {"ground": ground.fill} | by_paragraph | by_run | own
        given["struck"] = given.get("strike") or given.get("dstrike")
        # Set by both styles, such a property is off again (ECMA-376, 17.7.3).
        by_styles = bool(by_run.get("vanish")) != bool(by_paragraph.get("vanish"))
        look = Look(**{name: given[name] for name in _LOOKS if name in given})
        return hide if ground.gone or own.get("vanish", by_styles) else look.marked


_LOOKS = ("colour", "ground", "points", "width", "opacity", "struck", "shift")
_HEIGHTS = {"superscript": 1, "subscript": -1}


def level_of(outline: Element | None) -> int | None:
    """The heading level of `outlineLvl`, 1 to 9; None for body text, which is 9 in the file."""
    level = number_of(outline, "val", 9)
    return level + 1 if level < 9 else None


def _of_paragraphs(style: Element) -> _Given:
    name, outline = setting(style, "name").lower(), child(style, "pPr", "outlineLvl")
    named = name[8:] if name.startswith("heading ") else ""
    level = level_of(outline) or (int(named) if named.isdigit() and outline is None else None)
    given = {
        "fill": _fill(child(style, "pPr", "shd")),
        "title": name == "title",
        "place": Place.of(child(style, "pPr", "numPr"), None),
        "level": level,
    }
    return {key: value for key, value in given.items() if value}


def _is_gone(properties: Element | None) -> bool:
    """Whether a paragraph's place or height shows none of its text."""
    spacing, frame = child(properties, "spacing"), child(properties, "framePr")
    flat = attribute(spacing, "lineRule") == "exact"
    flat = flat and number_of(spacing, "line", _LOWEST_LINE + 1) <= _LOWEST_LINE
    edge = 0 if attribute(frame, "hAnchor") == "page" else _FAR
    aside = signed(attribute(frame, "x")) + number_of(frame, "w") < edge
    return flat or aside or signed(attribute(child(properties, "ind"), "left")) < _FAR


def _given(properties: Element | None) -> _Given:
    size, width, clear = (child(properties, name) for name in ("sz", "w", "textFill"))
    ground = _fill(child(properties, "shd"))
    if (marker := setting(properties, "highlight")) not in ("", "none"):
        ground = _MARKERS.get(marker, UNKNOWN)
    given: _Given = {"colour": setting(properties, "color"), "ground": ground}
    given = {name: value for name, value in given.items() if value}
    if height := setting(properties, "vertAlign") or setting(properties, "position"):
        given["shift"] = shift(_HEIGHTS.get(height, signed(height)))
    for name in ("vanish", "strike", "dstrike"):
        if (found := child(properties, name)) is not None:
            given[name] = is_on(found)
    if size is not None:
        given["points"] = number_of(size, "val", 20) / 2
    if width is not None:
        given["width"] = number_of(width, "val", 100) / 100
    if clear is not None:
        alpha = next(clear.iter("{*}alpha"), None)  # how much of what is behind is seen
        none = child(clear, "noFill") is not None
        given["opacity"] = 0.0 if none else 1 - number_of(alpha, "val") / 100_000
    return given


def _fill(shading: Element | None) -> str:
    """The colour of a `shd`; "" where it gives none."""
    if shading is None or attribute(shading, "val") == "nil":
        return ""
    fill = attribute(shading, "fill") or "auto"
    if attribute(shading, "val") not in (None, "clear"):
        return UNKNOWN  # a pattern
    return "" if fill == "auto" else fill
