"""The value of a table's cell, and that of a column's cells read alike. Pure; Decimal throughout.

A cell is a number only as a whole: "202 (estimate)" and "5 h 29" are none. Called by
answering/computation.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import regex

_NUMBER = regex.compile(
    r"(?P<open>\()?\s*+(?P<sign>[-−–+])?\s*+(?P<before>\p{Sc}|[A-Z]{3}(?=\s?[\d(])|US\$)?\s*+"
    r"(?P<sign2>[-−])?(?P<digits>\d[\d.,'’\u00a0\u202f ]*+)"
    r"\s*+(?P<after>%|‰|\p{Sc}|[\p{L}°µ²³/]{1,12}\.?)?\s*+(?P<close>\))?"
)
_GROUPED = regex.compile(r"\d{1,3}(?:([,.'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?")
_PLAIN = regex.compile(r"\d+(?:[.,]\d+)?")
_DOUBTFUL = regex.compile(r"[1-9]\d{0,2}[.,]\d{3}")  # groups of thousands, or three decimals


@dataclass(frozen=True, slots=True)
class CellValue:
    """A number with the sign of money or the unit that stands beside it, "" if none does."""

    number: Decimal
    unit: str


def column_values(cells: Sequence[str]) -> list[CellValue] | None:
    """The values of a column's cells; None where one is no number or is read in two ways."""
    found = [_NUMBER.fullmatch(cell.strip()) for cell in cells]
    matches = [match for match in found if match is not None]
    if len(matches) < len(cells) or any(bool(m["open"]) != bool(m["close"]) for m in matches):
        return None
    digits = [match["digits"].strip() for match in matches]
    point = _decimal_sign(digits)
    if point is None:
        return None
    values = []
    for match, written in zip(matches, digits, strict=True):
        if match["before"] and match["after"]:
            return None
        number = _number(written, point)
        if number is None:
            return None
        turned = bool(match["open"]) != (match["sign"] in ("-", "−", "–") or bool(match["sign2"]))
        unit = (match["before"] or match["after"] or "").strip(". ")
        values.append(CellValue(-number if turned else number, unit))
    return values


def _decimal_sign(cells: Sequence[str]) -> str | None:
    """The decimal sign of a column, a point unless a cell shows a comma; None where it is unsure.

    "1.234" alone may be more than a thousand: unsure if all figures with a point look so.
    """
    comma = any(regex.search(r"\.\d{3},\d|^\d+,(?:\d{1,2}|\d{4,})$|^0,\d+$", c) for c in cells)
    point = any(regex.search(r",\d{3}\.\d|^\d+\.(?:\d{1,2}|\d{4,})$|^0\.\d+$", c) for c in cells)
    if comma and point:
        return None
    if not comma and not point:
        pointed = [cell for cell in cells if "." in cell]
        if pointed and all(_DOUBTFUL.fullmatch(cell) for cell in pointed):
            return None
    return "," if comma else "."


def _number(written: str, point: str) -> Decimal | None:
    group = "." if point == "," else ","
    if grouped := _GROUPED.fullmatch(written):
        sign = grouped[1]
        if sign == point and written.count(point) == 1 and point == ".":
            return Decimal(written)  # 1.234 of a column that shows a point elsewhere
        if sign == point:
            return None if written.count(point) > 1 else Decimal(written.replace(point, "."))
        return Decimal(written.replace(sign, "").replace(point, "."))
    if _PLAIN.fullmatch(written) and group not in written:
        return Decimal(written.replace(point, "."))
    return None
