"""The dates of a text in ISO form, as eleven languages write them. Pure.

Month names stand beside those of text/number_words.py. A date of figures alone that may be read in
two ways (03/04/2024) gives both unless the document's other dates say which it means.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import regex

from corpus_agent.text.number_words import MONTHS, MORE_MONTHS, by_word, listed, table
from corpus_agent.text.tokens import fold, lazy


@dataclass(frozen=True, slots=True)
class Reading:
    """A value in a text: `start` to `end`, as it is written and in one form for all spellings.

    `normal` is an ISO date ("2024-03" without a day), an amount with its currency ("EUR 1200"), an
    ISO duration ("P3Y"), a number, or the text without line ends. `several` readings of one date
    that may be read in two ways share their place.
    """

    start: int
    end: int
    text: str
    normal: str


_MONTH_OF = by_word(MONTHS, MORE_MONTHS)
MONTH_WORDS = "|".join(sorted(set(listed(MONTHS, MORE_MONTHS)), key=len, reverse=True))
_MONTH = rf"(?P<month>{MONTH_WORDS})(?!\p{{L}})\.?"
_DURATION = lazy(r"P(T?)([0-9]{1,6})([BDHWMY])")  # B: days of business; behind T: hours, minutes
_DAYS = {"B": (1, 4), "D": (1, 1), "W": (7, 7), "M": (28, 31), "Y": (365, 366)}  # at least, at most
_MINUTES = {unit: (least * 1440, most * 1440) for unit, (least, most) in _DAYS.items()}
_MINUTES |= {"TH": (60, 60), "TM": (1, 1)}
_MONTHS = {"M": 1, "Y": 12}
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?!\d)"
_MONTH_FIGURE = r"(?P<month>1[0-2]|0?[1-9])(?!\d)"
# Raised letters come out of a PDF with a blank: "20t h day of December".
_ORDINAL = r"(?:\s?(?:s\s?t|n\s?d|r\s?d|t\s?h|er|[ªº°.])(?!\p{L}))?"
_YEAR = r"(?P<year>(?:1[89]|20|21)\d\d)(?!\d)"
_OF = r"(?:\s*(?:day\s+of|of|de[l]?|d['’]))?"
_DAY_FIRST = lazy(
    rf"(?i)(?<![\p{{N}}./-]|(?<!\p{{L}})(?-i:\p{{Lu}}{{1,3}}|v|(?i:rev|ver|version))){_DAY}{_ORDINAL}(?:\s+day)?{_OF}[\s-]*{_MONTH},?{_OF}[\s,-]*(?:{_YEAR}|(?<=-)(?P<short>\d\d)(?!\d))"
)
_MONTH_FIRST = lazy(
    rf"(?i)(?<!\p{{L}}){_MONTH}[\s-]*(?P<more>\d\d?{_ORDINAL}(?:[–-]|\s(?:and|to|&)\s))?{_DAY}{_ORDINAL}"
    rf"(?:\s*,|\s)\s*(?:de[l]?\s+)?{_YEAR}"
)
_MONTH_ALONE = lazy(rf"(?i)(?<!\p{{L}}){_MONTH},?\s+(?:de[l]?\s+)?{_YEAR}")
_ISO = lazy(r"(?<![\d./-])((?:1[89]|20|21)\d\d)([-/.])(\d\d?)\2(\d\d?)(?![\d/-])")
_FIGURES = lazy(r"(?<![\d./-])(\d\d?)([./-])(\d\d?)\2((?:1[89]|20|21)\d\d|\d\d)(?![\d/-]|\.\d)")
_CJK = lazy(r"((?:1[89]|20|21)\d\d)\s?[年년]\s?(\d\d?)\s?[月월]\s?(\d\d?)\s?[日일号號]")
# A day that shares the month or the year of the date behind it: "2 September to 30 October 2024",
# "3., 4. und 5.5.2024"; without a month no dash between blanks leads on: "Version 2 – 12 May 2024".
_UNTIL, _ARTICLES = ("|".join(table("ranges")[key]) for key in ("until", "articles"))
_SEPARATOR = rf"(?:\s?[,/–—-]\s?|\s+(?:{_UNTIL})\s+(?:(?:{_ARTICLES})\s+)?)"
_SHARING = lazy(
    rf"(?i)(?<![\p{{N}}./-])(?:{_DAY}(?:\.{_MONTH_FIGURE}\.|{_ORDINAL}{_OF}\s*{_MONTH}|\.)"
    rf"|(?<!\p{{L}}){_MONTH}\s*{_DAY}{_ORDINAL}|{_DAY}{_ORDINAL}(?!\s[–—-]))(?P<lead>{_SEPARATOR})$"
)
_BEFORE = 40  # characters
# What every date holds, so that the patterns above run beside it alone.
_HINT = lazy(r"(?:1[89]|20|21)\d\d(?!\d)|\d[./-]\d\d?[./-]\d|-\p{L}{3,12}\.?-\d")
_AROUND = (50, 30)  # characters before and behind it
_PIVOT = 70  # years of two figures up to this one belong to this century


def find_dates(text: str, *, day_first: bool | None = None) -> list[Reading]:
    """The dates of a text, in order; `day_first` says how dates of figures alone are meant.

    With None one that may be read in two ways is there twice.
    """
    found: list[Reading] = []
    taken: list[tuple[int, int]] = []  # in order, and none touches another
    for start, end, days in _with_sharing(text, day_first):
        at = bisect_left(taken, (end,))
        if not at or taken[at - 1][1] <= start:
            taken.insert(at, (start, end))
            found += [Reading(start, end, " ".join(text[start:end].split()), day) for day in days]
    return sorted(found, key=lambda reading: reading.start)


def _with_sharing(text: str, day_first: bool | None) -> Iterator[tuple[int, int, list[str]]]:
    """Places of dates with the days that they may mean, each with those that share its month."""
    for full, end, days in _every(text, day_first):
        yield full, end, days
        start, day = full, days[0] if len(days) == 1 else ""
        while day and (before := _SHARING.search(text, max(0, start - _BEFORE), start)):
            if start == full and before["lead"].strip() == ",":  # "room 12, 14 May 2024"
                break
            start, day = before.start(), _sharing(before, day)
            yield start, before.start("lead"), [day] if day else []


def _sharing(before: regex.Match[str], day: str) -> str:
    """The day before another one, of which it takes the month or the year; "" if there is none."""
    year, month, *_ = (int(part) for part in day.split("-"))
    own = _month(before["month"]) if before["month"] else month
    days = _days(*((each, own, int(before["day"])) for each in (year, year - 1)))
    return next((each for each in days if each < day and (each[:4] == day[:4] or own > month)), "")


def _every(text: str, day_first: bool | None) -> Iterator[tuple[int, int, list[str]]]:
    """Places of dates with the days that they may mean, the surest forms first."""
    beside = near(_HINT, text, *_AROUND)
    for pattern in (_ISO, _CJK):
        for match in _within(pattern, text, beside):
            year, month, day = (int(figures) for figures in match.groups() if figures.isdigit())
            yield *match.span(), _days((year, month, day))
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        for match in _within(pattern, text, beside):
            named = match.capturesdict()
            year = int(named["year"][0]) if named["year"] else _full_year(named["short"][0])
            start = match.start("day" if named.get("more") else 0)
            yield start, match.end(), _days((year, _month(match["month"]), int(match["day"])))
    for match in _within(_FIGURES, text, beside):
        yield *match.span(), _in_figures(match, day_first)
    for match in _within(_MONTH_ALONE, text, beside):
        yield *match.span(), [f"{match['year']}-{_month(match['month']):02}"]


def _in_figures(match: regex.Match[str], day_first: bool | None) -> list[str]:
    """The days that a date of figures may mean."""
    first, second, year = int(match[1]), int(match[3]), _full_year(match[4])
    in_order = (year, second, first), (year, first, second)
    if match[2] == "." or day_first:
        return _days(in_order[0])
    if day_first is False:
        return _days(in_order[1]) or _days(in_order[0])
    return list(dict.fromkeys([*_days(in_order[1]), *_days(in_order[0])]))


def _month(word: str) -> int:
    """The number of a month; 0 if the word names none."""
    return int(word) if word.isdigit() else _MONTH_OF.get(fold(word), 0)


def near(hint: regex.Pattern[str], text: str, before: int, behind: int) -> list[tuple[int, int]]:
    """The stretches of a text around what a pattern finds, joined where they touch."""
    found: list[tuple[int, int]] = []
    for match in hint.finditer(text):
        start, end = max(0, match.start() - before), min(len(text), match.end() + behind)
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return found


def _within(
    pattern: regex.Pattern[str], text: str, stretches: list[tuple[int, int]]
) -> Iterator[regex.Match[str]]:
    for start, end in stretches:
        yield from pattern.finditer(text, start, end)


def _full_year(figures: str) -> int:
    year = int(figures)
    if len(figures) > 2:
        return year
    return year + (2000 if year <= _PIVOT else 1900)


def _days(*dates: tuple[int, int, int]) -> list[str]:
    """The dates that the calendar has, in ISO form."""
    found = []
    for year, month, day in dates:
        try:
            found.append(date(year, month, day).isoformat())
        except ValueError:
            continue
    return found


def habit(text: str) -> bool | None:
    """Whether a document writes the day before the month; None if nothing in it says.

    Dates of figures that can be read in one way count first, then those with the month in words.
    """
    first = second = 0
    beside = near(_HINT, text, *_AROUND)
    for match in _within(_FIGURES, text, beside):
        if match[2] != ".":
            first += 12 < int(match[1]) <= 31 and int(match[3]) <= 12
            second += 12 < int(match[3]) <= 31 and int(match[1]) <= 12
    if bool(first) != bool(second):
        return bool(first)
    first = sum(1 for _ in _within(_DAY_FIRST, text, beside))
    second = sum(1 for _ in _within(_MONTH_FIRST, text, beside))
    return None if first == second else first > second


def add_duration(day: str, duration: str) -> str | None:
    """The day a duration later ("P3Y", "P18M", "P2W", "P90D", "P-1D"); None if it has no day."""
    if len(day) != len("2024-03-12") or "T" in duration:
        return None
    start = date.fromisoformat(day)
    count, unit = int(duration[1:-1]), duration[-1]
    if unit == "B":
        return None
    if unit in "DW":
        ordinal = start.toordinal() + count * (7 if unit == "W" else 1)
        return date.fromordinal(ordinal).isoformat() if ordinal <= date.max.toordinal() else None
    months = start.month - 1 + count * (12 if unit == "Y" else 1)
    year, month = start.year + months // 12, months % 12 + 1
    for last in (start.day, 30, 29, 28):  # 31 January and a month: the end of February
        if last <= start.day and (found := _days((year, month, last))):
            return found[0]
    return None


def compare_durations(one: str, other: str) -> int | None:
    """1 if the first is longer, 0 if as long, -1 if shorter; None where months have to be counted.

    A year is twelve months. A month has 28 to 31 days, so that it is neither shorter nor longer
    than 30 days.
    """
    read = [_DURATION.fullmatch(each) for each in (one, other)]
    spans = [(int(each[2]), each[1] + each[3]) for each in read if each is not None]
    units = {unit for _, unit in spans}
    if len(spans) < 2 or not units <= _MINUTES.keys():
        return None
    if len(units) == 1 or units <= _MONTHS.keys():
        here, there = (count * _MONTHS.get(unit, 1) for count, unit in spans)
        return (here > there) - (here < there)
    (least, most), (shortest, longest) = (
        tuple(count * minutes for minutes in _MINUTES[unit]) for count, unit in spans
    )
    if least == most == shortest == longest:
        return 0
    return 1 if least > longest else -1 if most < shortest else None
