"""The numbers that Word writes in front of list items and headings, counted as Word counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.extract.container import attribute, child, inside, number_of, setting, tag_of
from indexer.extract.extraction import table

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

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


_ROMAN = table(
    "M=1000, CM=900, D=500, CD=400, C=100, XC=90, L=50, XL=40, X=10, IX=9, V=5, IV=4, I=1"
)


def _roman(count: int) -> str:
    written = ""
    for sign, worth in _ROMAN.items():
        written += sign * (count // int(worth))
        count %= int(worth)
    return written
