"""The numbers that Word writes in front of list items and headings, counted as Word counts.

Pure; called by `docx`. A reader cites "4.2" of a contract, and the file does not hold that text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from indexer.extract.container import attribute, child, tag_of

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LEVELS = 9
MAX_COUNT = 100_000  # of a list: a start value beyond is damage


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
        number, level = child(element, "numId"), child(element, "ilvl")
        list_id = attribute(number, "val") if number is not None else None
        if list_id is None and inherited is not None:
            list_id = inherited.list_id
        value = (attribute(level, "val") or "") if level is not None else ""
        depth = int(value) if value.isdigit() else (inherited.level if inherited else 0)
        return Place(list_id, min(depth, LEVELS - 1)) if list_id not in (None, "0") else None


@dataclass(frozen=True, slots=True)
class _Level:
    form: str = "decimal"
    text: str = ""
    start: int = 1


class Numbering:
    """The lists of a document and their counts so far."""

    def __init__(self, root: Element | None) -> None:
        abstract: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}
        self._counts: dict[str, list[int | None]] = {}
        for element in root if root is not None else ():
            if tag_of(element) == "abstractNum":
                abstract[attribute(element, "abstractNumId") or ""] = dict(_levels(element))
        for element in root if root is not None else ():
            base = child(element, "abstractNumId")
            if tag_of(element) != "num" or base is None:
                continue
            key = attribute(base, "val") or ""
            levels = dict(abstract.get(key, {}))
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
        if here.form == "none" and "%" not in here.text:
            return here.text.strip() or None

        def number(match: regex.Match[str]) -> str:
            index = int(match[1]) - 1
            level = levels.get(index, _Level())
            count = counts[index]
            return _formed(level.start if count is None else count, level.form)

        return _SLOT.sub(number, here.text).strip() or None


_SLOT = regex.compile(r"%([1-9])")


def _levels(element: Element) -> list[tuple[int, _Level]]:
    found = []
    for each in element:
        index = attribute(each, "ilvl") or ""
        if tag_of(each) == "lvl" and index.isdigit() and int(index) < LEVELS:
            found.append((int(index), _level(each)))
    return found


def _overrides(element: Element, levels: dict[int, _Level]) -> list[tuple[int, _Level]]:
    found = []
    for each in element:
        index = attribute(each, "ilvl") or ""
        if tag_of(each) != "lvlOverride" or not index.isdigit() or int(index) >= LEVELS:
            continue
        own, start = child(each, "lvl"), child(each, "startOverride")
        level = levels.get(int(index), _Level()) if own is None else _level(own)
        if start is not None:
            level = _Level(level.form, level.text, _count(start))
        found.append((int(index), level))
    return found


def _level(element: Element) -> _Level:
    form, text, start = (child(element, name) for name in ("numFmt", "lvlText", "start"))
    return _Level(
        (attribute(form, "val") or "decimal") if form is not None else "decimal",
        (attribute(text, "val") or "") if text is not None else "",
        1 if start is None else _count(start),
    )


def _count(element: Element) -> int:
    value = attribute(element, "val") or ""
    return min(int(value), MAX_COUNT) if value.isdigit() else 1


def _formed(count: int, form: str) -> str:
    """A count as Word writes it in one of its formats; plain digits for those not known here."""
    if form in ("lowerRoman", "upperRoman") and 0 < count < 4000:
        roman = _roman(count)
        return roman if form == "upperRoman" else roman.lower()
    if form in ("lowerLetter", "upperLetter") and count > 0:
        letter = chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 10)
        return letter if form == "lowerLetter" else letter.upper()
    if form == "decimalZero":
        return f"{count:02}"
    return "" if form in ("none", "bullet") else str(count)


_ROMAN = {
    "M": 1000,
    "CM": 900,
    "D": 500,
    "CD": 400,
    "C": 100,
    "XC": 90,
    "L": 50,
    "XL": 40,
    "X": 10,
    "IX": 9,
    "V": 5,
    "IV": 4,
    "I": 1,
}


def _roman(count: int) -> str:
    pieces = []
    for sign, value in _ROMAN.items():
        pieces.append(sign * (count // value))
        count %= value
    return "".join(pieces)
