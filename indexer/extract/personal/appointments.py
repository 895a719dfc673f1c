"""Calendars (iCalendar 2.0, vCalendar 1.0): each appointment and task a part of its own.

Each line says of what it is, since a line is what is found, quoted and read alone. Dates keep the
time zone that is written with them. Repetition is said in words and not expanded.
Called through the registry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.extraction import Extraction, Within, part_lines, words
from indexer.extract.html.page import html_text
from indexer.extract.members import Member, Members, member_of
from indexer.extract.personal.content_lines import Component, Property, components
from indexer.extract.text.encoded import from_base64
from indexer.records import Line

MAX_NAME_CHARS = 60  # of an appointment, in each line of it
_KINDS = {
    "VEVENT": "Appointment",
    "VTODO": "Task",
    "VJOURNAL": "Journal entry",
    "VFREEBUSY": "Busy times",
}
_LABELS = {
    "DTSTART": "Start",
    "DTEND": "End",
    "DUE": "Due",
    "DURATION": "Duration",
    "COMPLETED": "Completed",
    "RRULE": "Repetition",
    "RDATE": "Further dates",
    "EXDATE": "Left out dates",
    "EXRULE": "Left out dates",
    "RECURRENCE-ID": "Replaced date",
    "LOCATION": "Location",
    "ORGANIZER": "Organiser",
    "ATTENDEE": "Attendee",
    "CONTACT": "Contact",
    "STATUS": "Status",
    "PERCENT-COMPLETE": "Percent done",
    "PRIORITY": "Priority",
    "CATEGORIES": "Categories",
    "RESOURCES": "Resources",
    "URL": "Web",
    "CONFERENCE": "Conference",
    "GEO": "Place",
    "FREEBUSY": "Busy",
    "ATTACH": "Attachment",
    "COMMENT": "Comment",
    "DESCRIPTION": "Description",
}
_ORDER = {name: number for number, name in enumerate(_LABELS)}
_DATES = words("DTSTART DTEND DUE COMPLETED RDATE EXDATE RECURRENCE-ID FREEBUSY")
_PEOPLE = words("ORGANIZER ATTENDEE")
_MOMENT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z)?)?")


def read_calendar(data: bytes, within: Within) -> Extraction:
    """The calendar's name and the lines of all in it, attached files behind their marks.

    Raises UnreadableDocument("malformed") where there is no appointment or task.
    """
    calendars = [each for each in components(data) if each.name == "VCALENDAR"]
    found = [each for one in calendars for each in one.inner if each.name in _KINDS]
    if not found:
        raise UnreadableDocument("malformed", "no appointment")
    title = markdown.one_line(calendars[0].value("X-WR-CALNAME")) or None
    method = calendars[0].value("METHOD").upper()
    members = Members(within)

    def lines() -> Iterator[Line]:
        for number, each in enumerate(found, start=1):
            name = markdown.one_line(each.value("SUMMARY"))
            kind = _KINDS[each.name]
            shown = f"{number}: {name}" if name else number
            yield from part_lines(kind, shown, ["\n".join(_details(each, kind, name, method))])
            yield from members.lines(_attached(each, f"{kind} {number}"))
        members.finish()

    return Extraction(title, lines(), members.engines, members.unread, members.notes)


def _details(entry: Component, kind: str, name: str, method: str) -> Iterator[str]:
    if name:
        yield f"{kind}: {name}"
    if method in ("CANCEL", "DECLINECOUNTER"):
        yield "Cancelled by the organiser"
    of = f" of {name[:MAX_NAME_CHARS]}" if name else ""
    for each in sorted(entry.properties, key=lambda e: _ORDER.get(e.name, len(_ORDER))):
        if each.name in _LABELS and (value := _value(each)):
            yield f"{_LABELS[each.name]}{of}: {value}"
    if not entry.value("DESCRIPTION") and (page := entry.value("X-ALT-DESC")):
        yield f"Description{of}: {html_text(page)[1]}"
    for alarm in entry.inner:
        trigger = alarm.value("TRIGGER")
        if alarm.name == "VALARM" and trigger:
            shown = _moment(trigger, {}) or duration_text(trigger, of_reminder=True)
            yield f"Reminder{of}: {shown}"


def _value(each: Property) -> str:
    if each.name in ("RRULE", "EXRULE"):
        return recurrence_text(each.value, lambda value: _moment(value, {}) or value)
    if each.name in _DATES:
        return ", ".join(_moments(each))
    if each.name == "DURATION":
        return duration_text(each.value)
    if each.name in _PEOPLE:
        return _person(each)
    if each.name == "ATTACH" and each.encoded:
        return _file_name(each)
    if each.name in ("CATEGORIES", "RESOURCES"):
        return ", ".join(filter(None, each.parts(",")))
    return each.text.strip()


def _moments(each: Property) -> Iterator[str]:
    """The dates of a property as they are written; the end of whole days is the day behind them."""
    for value in each.value.split(","):
        begin, slash, end = value.strip().partition("/")
        shown = _moment(begin, each.params) or begin
        if slash:
            shown += (
                f" to {_moment(end, each.params)}"
                if _moment(end, {})
                else f", {duration_text(end)}"
            )
        whole_days = len(begin) == len("20250804")
        if whole_days and each.name == "DTEND":
            shown = f"before {shown}"
        yield shown


def _moment(value: str, params: dict[str, str]) -> str:
    """A date or time as it is written, with its zone; "" for other values."""
    found = _MOMENT.fullmatch(value.strip())
    if found is None:
        return ""
    year, month, day, hour, minute, second, utc = found.groups()
    shown = f"{year}-{month}-{day}"
    if hour is None:
        return f"{shown} (all day)"
    shown += f" {hour}:{minute}" + (f":{second}" if second not in (None, "00") else "")
    zone = params.get("TZID", "")
    return f"{shown} UTC" if utc else f"{shown} ({zone})" if zone else shown


def _person(each: Property) -> str:
    address = each.text.strip()
    for scheme in ("mailto:", "MAILTO:"):
        address = address.removeprefix(scheme)
    name = each.params.get("CN", "").strip()
    shown = f"{name} <{address}>" if name and name != address else name or address
    marks = [each.params.get(key, "").lower() for key in ("PARTSTAT", "ROLE")]
    known = [word.replace("-", " ") for word in marks if word and word != "req-participant"]
    return f"{shown} ({', '.join(known)})" if known else shown


def _file_name(each: Property) -> str:
    params = each.params
    named = params.get("FILENAME") or params.get("X-FILENAME") or params.get("X-APPLE-FILENAME")
    return named or f"attachment ({params.get('FMTTYPE', 'of an unknown kind')})"


def _attached(entry: Component, place: str) -> Iterator[Member]:
    for each in entry.properties:
        if each.name == "ATTACH" and each.encoded:
            data = from_base64(each.value.rpartition(",")[2].encode("ascii", "replace"))[0]
            yield member_of(f"{place}/{_file_name(each).replace('/', ' ')}", data)


# --- Repetition in words: RFC 5545, 3.3.6 and 3.3.10 ----------------------------------------------

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
