"""Percent, currency and units as the cells of a sheet show them. Pure.

Source: ECMA-376-1, 18.8.30. Only formats that add something to a number are applied; others round
it or group its digits, and it stays as it is kept. Dates are shown as ISO 8601 has them.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

MAX_CODE = 255  # characters of a format, as Excel's own limit is
BUILT_IN = {9: "0%", 10: "0.00%"}
_TOKEN = re.compile(
    r'"(?P<literal>[^"]*)"'
    r"|\\(?P<escaped>.)"
    r"|[_*]."  # a gap, a filling
    r"|\[\$(?P<currency>[^\]-]*)[^\]]*\]"
    r"|(?P<elapsed>\[(?:h+|m+|s+)\])"
    r"|\[[^\]]*\]"  # a colour, a condition
    r"|(?P<digits>(?:[0#?][0#?,]*)(?:\.[0#?]*)?,*|\.[0#?]+)"
    r"|(?P<other>AM/PM|A/P|General|E[+-]|[ymdhs/@]+)"  # dates, exponents, fractions, text
    r"|(?P<percent>%)"
    r"|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_Section = tuple[tuple[str, str], ...]  # (kind, text) of each token


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[_Section, ...]:
    """The parts of a format: for positive numbers, negative ones, zero, text."""
    parts: list[list[tuple[str, str]]] = [[]]
    for match in _TOKEN.finditer(code[:MAX_CODE]):
        kind = match.lastgroup
        if kind == "plain" and match[0] == ";":
            parts.append([])
        elif kind is not None:
            parts[-1].append((kind, match[kind]))
    return tuple(map(tuple, parts))


def _adds(section: _Section) -> bool:
    """Whether it shows more than the number: percent, a unit, a currency."""
    kinds = {kind for kind, _ in section}
    if "digits" not in kinds or kinds & {"other", "elapsed"}:
        return False
    words = "".join(text for kind, text in section if kind not in ("digits", "percent"))
    signs = (c.isalpha() or unicodedata.category(c) == "Sc" for c in words)
    return "percent" in kinds or any(signs)


def is_applied(code: str) -> bool:
    """Whether a format shows more than the number itself."""
    return any(map(_adds, _sections(code)))


def shown(value: object, code: str) -> str | None:
    """A number as a cell with this format shows it; None where the format adds nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e15:
        return None
    sections = _sections(code)
    place = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0
    if not _adds(sections[place]):
        return None
    number = abs(Decimal(repr(value)))
    kinds = [kind for kind, _ in sections[place]]
    if "percent" in kinds:
        number *= 100
    pieces = ["-"] if value < 0 and place == 0 else []
    for index, (kind, text) in enumerate(sections[place]):
        if kind != "digits":
            pieces.append(text)
        elif index == kinds.index("digits"):
            pieces.append(_digits(number, text))
    return " ".join("".join(pieces).split())


def _digits(number: Decimal, code: str) -> str:
    """A positive number by a code such as `#,##0.00`."""
    scaled = code.rstrip(",")
    number = number.scaleb(-3 * (len(code) - len(scaled)))
    before, _, after = scaled.partition(".")
    whole = number.quantize(Decimal(1).scaleb(-len(after)), ROUND_HALF_UP)
    digits, _, decimals = f"{whole:f}".partition(".")
    least = sum(each == "0" for each in before)
    digits = (digits if int(digits) or least else "").rjust(least, "0")
    if "," in before and digits:
        digits = f"{int(digits):,}"
    kept = len(after.rstrip("#?"))
    decimals = decimals[:kept] + decimals[kept:].rstrip("0")
    return f"{digits}.{decimals}" if decimals else digits
