"""Calendars (iCalendar 2.0, vCalendar 1.0): each appointment and task a part of its own.

Each line says of what it is, since a line is what is found, quoted and read alone. Dates keep the
time zone that is written with them. Repetition is said in words and not expanded.
Called through the registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.extraction import Extraction, Within, part_lines, words
from indexer.extract.html.page import html_text
from indexer.extract.members import Member, Members, member_of
from indexer.extract.personal.content_lines import Component, Property, components
from indexer.extract.personal.recurrence import duration_text, recurrence_text
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
