"""Contacts (vCard) and calendars (iCalendar, vCalendar): a part for each, a line for each property.

Each line says whose it is, since a line is what is found, quoted and read alone. Pictures, sounds,
keys and attached files are named. Lenient: a line that is none continues the one before. Source:
RFC 6350, 3; RFC 5545, 3.1.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import Extraction, part_lines, table, words
from indexer.extract.markdown import one_line
from indexer.extract.text.plain import decode, decode_named, decode_part
from indexer.records import Line

MAX_NAME_CHARS = 60  # of what a line is of
MAX_NESTED = 8  # components; three are usual, and more are those of a file without ENDs
_KINDS = table(
    "VCARD=Contact, VEVENT=Appointment, VTODO=Task, VJOURNAL=Journal entry, VFREEBUSY=Busy times"
)
# How a property is called where its name is not the word for it.
_LABELS = table(
    "SUMMARY=Title, ORG=Organisation, TEL=Phone, ADR=Address, BDAY=Birthday, DEATHDATE=Died, "
    "URL=Web, IMPP=Messenger, GEO=Place, TZ=Time zone, LANG=Language, PHOTO=Picture, "
    "DTSTART=Start, DTEND=End, RRULE=Repetition, RDATE=Further dates, EXDATE=Left out dates, "
    "RECURRENCE-ID=Replaced date, ORGANIZER=Organiser, FREEBUSY=Busy, ATTACH=Attachment, "
    "TRIGGER=Reminder"
)
_OF_PROGRAMS = words(
    "VERSION PRODID UID REV SORT-STRING PROFILE CLASS MAILER CLIENTPIDMAP SOURCE NAME KIND XML FN "
    "N DTSTAMP CREATED LAST-MODIFIED SEQUENCE TRANSP ACTION REPEAT ACKNOWLEDGED"
)
_STRUCTURED = words("ADR ORG CATEGORIES NICKNAME RESOURCES")
_NO_TYPES = words("internet voice pref x400 dom intl postal parcel uri jpeg png")
_BEGINS = re.compile(r"(?:[\w-]{1,40}\.)?[A-Za-z][\w-]{0,60}[;:]")
_HEAD = re.compile(r'((?:[^":]|"[^"]*(?:"|\Z))*):(.*)', re.DOTALL)
_MOMENT = re.compile(r"(\d{4}|--)-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(?:\.\d+)?(Z?))?")


@dataclass(frozen=True, slots=True)
class _Property:
    """One line: its name in upper case, its parameters, and its value as written."""

    name: str
    params: dict[str, str]
    value: str

    @property
    def text(self) -> str:
        """The value without its escapes; the parts of a structured one with commas between."""
        value = self.value
        if self.name in _STRUCTURED:
            value = re.sub(r"(?<!\\)[;,]+", ", ", value)
        plain = re.sub(r"(?s)\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], value)
        return plain.strip(" ,;\n\t")

    def said(self) -> str:
        """The value as a person writes it: dates with their time zone, people with their name."""
        text = self.text
        moments = [_MOMENT.fullmatch(each) for each in text.split(",")]
        if all(moments):
            return ", ".join(self._moment(each) for each in moments if each)
        text = re.sub(r"(?i)^(?:tel|mailto|sip|xmpp):", "", text)
        name, answer = self.params.get("CN", ""), self.params.get("PARTSTAT", "").lower()
        text = f"{name} <{text}>" if name and name != text else text
        return f"{text} ({answer})" if answer else text

    def _moment(self, found: re.Match[str]) -> str:
        year, month, day, hour, minute, utc = found.groups()
        if year in ("--", self.params.get("X-APPLE-OMIT-YEAR")):
            return f"{month}-{day} (month-day)"
        if hour is None:  # the end of whole days is the day behind them
            return f"{'before ' if self.name == 'DTEND' else ''}{year}-{month}-{day}"
        zone = "UTC" if utc else self.params.get("TZID", "")
        return f"{year}-{month}-{day} {hour}:{minute}{f' ({zone})' if zone else ''}"


@dataclass(slots=True)
class _Component:
    """What stands between BEGIN and END."""

    name: str
    properties: list[_Property] = field(default_factory=list)
    inner: list[_Component] = field(default_factory=list)

    def value(self, name: str) -> str:
        """The text of the first property of that name, "" where there is none."""
        return one_line(next((each.text for each in self.properties if each.name == name), ""))

    @property
    def title(self) -> str:
        """What it is called: by its title, its full name, the parts of its name or what it has."""
        family, given, middle, before, after = [*self.value("N").split(";"), *[""] * 5][:5]
        parts = one_line(" ".join((before, given, middle, family, after)).replace(",", " "))
        called = (self.value("SUMMARY"), self.value("FN"), parts, self.value("ORG"))
        return next(filter(None, (*called, self.value("EMAIL"))), "")

    def lines(self, name: str) -> Iterator[str]:
        """Its lines behind its name, as "Phone (work) of Ana Ruiz: 123"."""
        of = f" of {name[:MAX_NAME_CHARS]}" if name else ""
        for each in self.properties:
            label = _LABELS.get(each.name, each.name.replace("-", " ").capitalize())
            if ";base64," in each.value[:80] or each.params.get("ENCODING", "").lower()[:1] == "b":
                yield f"{label}: {each.params.get('FILENAME', '(not shown)')}"
            elif each.name not in _OF_PROGRAMS and each.name[:2] != "X-":
                value, types = each.said(), _types(each.params.get("TYPE", ""))
                yield f"{label}{types}{of}: {value}" if value and value != name else ""
        for inner in self.inner:
            if inner.name == "VCARD":
                yield f"Agent: {inner.title}"
            yield from inner.lines(inner.title if inner.name == "VCARD" else name)


def _types(given: str) -> str:
    kinds = (kind.strip().lower().removeprefix("x-") for kind in given.split(","))
    named = ("mobile" if kind in ("cell", "iphone") else kind for kind in kinds)
    shown = dict.fromkeys(kind for kind in named if kind and kind not in _NO_TYPES)
    return f" ({', '.join(shown)})" if shown else ""


def read_contacts(data: bytes) -> Extraction:
    """The lines of all contacts; raises UnreadableDocument("malformed") where there is none."""
    return _extraction(None, [each for each in _components(data) if each.name == "VCARD"])


def read_calendar(data: bytes) -> Extraction:
    """The same of all appointments and tasks, with the calendar's name."""
    calendars = [each for each in _components(data) if each.name == "VCALENDAR"]
    title = next((each.value("X-WR-CALNAME") for each in calendars), "")
    for calendar in calendars:
        if calendar.value("METHOD").upper() in ("CANCEL", "DECLINECOUNTER"):
            for each in calendar.inner:
                each.properties.insert(0, _Property("STATUS", {}, "cancelled by the organiser"))
    return _extraction(title or None, [each for one in calendars for each in one.inner])


def _extraction(title: str | None, components: list[_Component]) -> Extraction:
    found = [each for each in components if each.name in _KINDS]
    if not found:
        raise UnreadableDocument("malformed", "no contact and no appointment")

    def lines() -> Iterator[Line]:
        for number, each in enumerate(found, start=1):
            name, kind = each.title, _KINDS[each.name]
            shown = [f"{'Name' if kind == 'Contact' else kind}: {name}"] if name else []
            text = "\n".join([*shown, *filter(None, each.lines(name))])
            yield from part_lines(kind, f"{number}: {name}" if name else number, [text])

    return Extraction(title, lines())


# --- Content lines --------------------------------------------------------------------------------


def _components(data: bytes) -> list[_Component]:
    """The components at the top; what is nested too deep stands beside the last that is not."""
    root = _Component("")
    open_ones = [root]
    for line in _unfolded(decode(data)):
        found = _property(line)
        if found is None:
            continue
        name = found.value.strip().upper()
        if found.name == "BEGIN":
            del open_ones[MAX_NESTED:]
            begun = _Component(name)
            open_ones[-1].inner.append(begun)
            open_ones.append(begun)
        elif found.name != "END":
            open_ones[-1].properties.append(found)
        elif name in [each.name for each in open_ones[1:]]:
            while open_ones.pop().name != name:
                pass
    return root.inner


def _unfolded(text: str) -> Iterator[str]:
    """Whole lines: folded ones, and quoted-printable ones that go on, put together."""
    pieces: list[str] = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if pieces and line[:1] in (" ", "\t"):
            pieces.append(line[1:])
        elif pieces and pieces[-1].endswith("=") and "QUOTED-P" in pieces[0][:200].upper():
            pieces[-1] = pieces[-1][:-1]
            pieces.append(line)
        elif _BEGINS.match(line):
            yield "".join(pieces)
            pieces = [line]
        elif pieces and line.strip():
            pieces.append("\\n" + line)
    yield "".join(pieces)


def _property(line: str) -> _Property | None:
    found = _HEAD.fullmatch(line)
    if found is None:
        return None
    name, *params = re.findall(r'(?:[^;"]|"[^"]*(?:"|\Z))+', found[1]) or [""]
    value = found[2]
    named: dict[str, str] = {}
    for param in params:
        key, equals, given = param.partition("=")
        key = key.strip().upper()
        if not equals:  # vCard 2.1: ";WORK;VOICE"
            key, given = ("ENCODING" if key in ("QUOTED-PRINTABLE", "BASE64") else "TYPE"), key
        given = given.strip().strip('"')
        named[key] = f"{named[key]},{given}" if key in named else given
    if named.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        data = quopri.decodestring(value.encode("utf-8", "replace"))
        value = decode_named(data, named.get("CHARSET", "utf-8")) or decode_part(data)
        value = value.replace("\r\n", "\\n").replace("\n", "\\n")
    return _Property(name.rpartition(".")[2].strip().upper(), named, value)
