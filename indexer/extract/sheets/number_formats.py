"""Numbers, dates and times as the cells of a sheet show them. Pure.

Source: ECMA-376-1, 18.8.30 (codes) and 18.8.31 (numbered formats). Formats that add something to
the number are applied: percent, currency, units, dates, times. Others only round it or group its
digits, and the number stays as it is kept. What depends on the reader's country, as the short date
does (number 14), is shown as ISO 8601 has it.

No library: the ones that know these codes write workbooks or are no longer kept.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
import unicodedata
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

MAX_CODE = 255  # characters of a format, as Excel's own limit is
_EPOCH = dt.datetime(1899, 12, 30)

BUILT_IN = {
    9: "0%",
    10: "0.00%",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
}

_TOKEN = re.compile(
    r'"([^"]*)"'  # 1: a literal
    r"|\\(.)"  # 2: a literal character
    r"|[_*]."  # a gap, a filling
    r"|\[\$([^\]-]*)[^\]]*\]"  # 3: a currency
    r"|\[(h+|m+|s+)\]"  # 4: elapsed time
    r"|\[[^\]]*\]"  # a colour, a condition
    r"|(AM/PM|A/P|y+|m+|d+|h+|s+(?:\.0+)?)"  # 5: a part of a date
    r"|((?:[0#?][0#?,]*)(?:\.[0#?]*)?,*|\.[0#?]+)"  # 6: digits
    r"|(General)"  # 7
    r"|(E[+-]|[/@])"  # 8: exponents, fractions, text: not applied
    r"|(%)"  # 9
    r"|(.)",  # 10: itself
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Section:
    """One part of a format: (kind, text) of each token, and what it is for."""

    tokens: tuple[tuple[str, str], ...]

    def has(self, *kinds: str) -> bool:
        return any(kind in kinds for kind, _ in self.tokens)

    @property
    def is_date(self) -> bool:
        return self.has("date", "elapsed")

    @property
    def adds(self) -> bool:
        """Whether it shows more than the number: a sign of its own, a unit, a currency."""
        words = "".join(text for kind, text in self.tokens if kind == "text")
        has_sign = self.has("percent") or any(
            c.isalpha() or unicodedata.category(c) == "Sc" for c in words
        )
        return has_sign and self.has("digits") and not self.has("other")


_KINDS = (
    *("text", "text", "text", "elapsed", "date"),
    *("digits", "general", "other", "percent", "text"),
)


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[_Section, ...]:
    parts: list[list[tuple[str, str]]] = [[]]
    for match in _TOKEN.finditer(code[:MAX_CODE]):
        index = match.lastindex
        if index is None:
            continue
        text = match[index]
        if index == len(_KINDS) and text == ";":
            parts.append([])
        else:
            parts[-1].append((_KINDS[index - 1], text))
    return tuple(_Section(tuple(part)) for part in parts)


def is_applied(code: str) -> bool:
    """Whether a format shows more than the number itself."""
    return any(section.is_date or section.adds for section in _sections(code))


def shown(value: object, code: str) -> str | None:
    """A value as a cell with this format shows it; None where the format adds nothing."""
    if isinstance(value, bool) or not code:
        return None
    sections = _sections(code)
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        return _date(value, sections[0]) if sections[0].is_date else None
    if not isinstance(value, int | float) or abs(value) > 1e15:
        return None
    if sections[0].is_date:
        return _date(dt.timedelta(days=value), sections[0]) if 0 <= value < 2_958_466 else None
    place = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0
    section = sections[place]
    return _number(value, section, signed=place == 0) if section.adds else None


def _number(value: float, section: _Section, signed: bool) -> str:
    number = Decimal(repr(value))
    if section.has("percent"):
        number *= 100
    pieces, done = [], False
    for kind, text in section.tokens:
        if kind != "digits":
            pieces.append(text)
        elif not done:
            done = True
            pieces.append(_digits(abs(number), text))
    sign = "-" if number < 0 and signed else ""
    return " ".join((sign + "".join(pieces)).split())


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
    kept = after.rstrip("#?")
    while len(decimals) > len(kept) and decimals.endswith("0"):
        decimals = decimals[:-1]
    return f"{digits}.{decimals}" if decimals else digits


# --- Dates and times ----------------------------------------------------------------------------


def _date(value: dt.date | dt.time | dt.timedelta, section: _Section) -> str:
    moment, elapsed = _moment(value)
    half = any(text.upper() in ("AM/PM", "A/P") for kind, text in section.tokens if kind == "date")
    pieces: list[str] = []
    after_hours = False
    for index, (kind, text) in enumerate(section.tokens):
        code = text.lower()
        if kind == "elapsed":
            seconds = int(elapsed.total_seconds())
            count = {"h": seconds // 3600, "m": seconds // 60, "s": seconds}[code[0]]
            pieces.append(str(count).rjust(len(code), "0"))
        elif kind == "date":
            minutes = code[0] == "m" and len(code) < 3 and (after_hours or _then(section, index))
            pieces.append(_part(moment, "n" * len(code) if minutes else code, half))
        else:
            pieces.append(text)
        if kind in ("elapsed", "date"):
            after_hours = code[0] == "h"
    return " ".join("".join(pieces).split())


def _moment(value: dt.date | dt.time | dt.timedelta) -> tuple[dt.datetime, dt.timedelta]:
    """The moment of a value, and how long after the first day of sheets it is."""
    if isinstance(value, dt.timedelta):
        return _EPOCH + value, value
    if isinstance(value, dt.time):
        moment = dt.datetime.combine(_EPOCH.date(), value)
    else:
        moment = value if isinstance(value, dt.datetime) else dt.datetime.combine(value, dt.time())
    moment = moment.replace(tzinfo=None)
    return moment, moment - _EPOCH


def _then(section: _Section, index: int) -> bool:
    """Whether seconds follow, so that the part at `index` means minutes."""
    later = (text for kind, text in section.tokens[index + 1 :] if kind in ("date", "elapsed"))
    return next(later, "")[:1].lower() == "s"


def _part(moment: dt.datetime, code: str, half: bool) -> str:
    kind, length = code[0], len(code)
    if kind == "a":
        name = "AM" if moment.hour < 12 else "PM"
        return name if code == "am/pm" else name[0]
    if kind == "s":
        decimals = len(code.partition(".")[2])
        seconds = f"{moment.second:0{len(code.partition('.')[0])}d}"
        return f"{seconds}.{moment.microsecond:06d}"[: len(seconds) + 1 + decimals].rstrip(".")
    if kind == "y":
        return f"{moment.year:04d}" if length > 2 else f"{moment.year % 100:02d}"
    if kind in ("m", "d") and length > 2:
        name = (
            calendar.month_name[moment.month]
            if kind == "m"
            else calendar.day_name[moment.weekday()]
        )
        return name[:1] if kind == "m" and length == 5 else name[:3] if length == 3 else name
    hour = (moment.hour - 1) % 12 + 1 if half else moment.hour
    number = {"m": moment.month, "d": moment.day, "h": hour, "n": moment.minute}[kind]
    return f"{number:0{min(length, 2)}d}"
