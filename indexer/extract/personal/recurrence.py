"""Rules of repetition and durations of calendars, in words. Pure. Called by `appointments`.

Source: RFC 5545, sections 3.3.6 and 3.3.10. What is not known stands as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_UNITS = {
    "YEARLY": "year",
    "MONTHLY": "month",
    "WEEKLY": "week",
    "DAILY": "day",
    "HOURLY": "hour",
    "MINUTELY": "minute",
    "SECONDLY": "second",
}
_DAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}
_ORDINALS |= {-1: "last", -2: "last but one", -3: "last but two"}
_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_DURATION = re.compile(r"([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


def recurrence_text(rule: str, moment: Callable[[str], str]) -> str:
    """A rule in words, as in "every 2 weeks on Monday, 10 times"; `moment` shows a date."""
    split = (part.partition("=") for part in rule.split(";"))
    parts = {key.strip().upper(): value.strip() for key, equals, value in split if equals}
    unit = _UNITS.get(parts.pop("FREQ", "").upper())
    if unit is None:
        return rule.strip()  # of vCalendar 1.0, or damaged
    every = parts.pop("INTERVAL", "1")
    phrases = [f"every {unit}" if every in ("", "1") else f"every {every} {unit}s"]
    place = parts.pop("BYSETPOS", "")
    if days := parts.pop("BYDAY", ""):
        phrases.append(f"on {f'the {_ordinal(place)} ' if place else ''}{_listed(_day, days)}")
    elif place:
        parts["BYSETPOS"] = place
    if days := parts.pop("BYMONTHDAY", ""):
        phrases.append(f"on {_listed(_day_of_month, days)}")
    if months := parts.pop("BYMONTH", ""):
        phrases.append(f"in {_listed(_month, months)}")
    end = ""
    if count := parts.pop("COUNT", ""):
        end = f", {count} times"
    if until := parts.pop("UNTIL", ""):
        end += f", until {moment(until)}"
    parts.pop("WKST", None)
    rest = "".join(f", {key}={value}" for key, value in parts.items())
    return f"{' '.join(phrases)}{rest}{end}"


def _listed(shown: Callable[[str], str], values: str) -> str:
    *some, last = [shown(value.strip().upper()) for value in values.split(",")]
    return f"{', '.join(some)} and {last}" if some else last


def _day(value: str) -> str:
    found = _DAY.fullmatch(value)
    if found is None:
        return value
    name = _DAYS[found[2]]
    return f"the {_ordinal(found[1])} {name}" if found[1] else name


def _ordinal(value: str) -> str:
    digits = value.lstrip("+-")
    if not digits.isdecimal() or len(digits) > 3:
        return value
    number = int(value)
    return _ORDINALS.get(number, f"{abs(number)}th{' last' if number < 0 else ''}")


def _day_of_month(value: str) -> str:
    return f"the {_ordinal(value)} day" if value.startswith("-") else f"day {value}"


def _month(value: str) -> str:
    number = int(value) if value.isdecimal() and len(value) < 3 else 0
    return _MONTHS[number - 1] if 1 <= number <= len(_MONTHS) else value


def duration_text(value: str, *, of_reminder: bool = False) -> str:
    """A duration in words, as in "1 hour 30 minutes"; of a reminder "15 minutes before"."""
    found = _DURATION.fullmatch(value.strip().upper())
    if found is None:
        return value.strip()
    sign, *numbers = found.groups()
    units = zip(numbers, ("week", "day", "hour", "minute", "second"), strict=True)
    length = " ".join(
        f"{n} {unit}{'' if n == '1' else 's'}" for n, unit in units if n and int(n[:9])
    )
    if not of_reminder:
        return length or "no time"
    return (
        f"{length} {'before' if sign == '-' else 'after the start'}" if length else "at the start"
    )
