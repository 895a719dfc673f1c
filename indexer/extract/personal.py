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
        """The value as a person writes it, its parts with commas between."""
        value = self.value
        if self.name in ("ADR", "ORG"):
            value = re.sub(r"(?<!\\)[;,]+", ", ", value)
        plain = re.sub(r"(?s)\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], value)
        moments = [_MOMENT.fullmatch(each) for each in plain.split(",")]
        if all(moments):
            return ", ".join(self._moment(each) for each in moments if each)
        text = re.sub(r"(?i)^(?:tel|mailto|sip|xmpp):", "", plain.strip(" ,;\n\t"))
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

    def line(self, name: str) -> str:
        """It as a line of what has the name: "Phone (work) of Ana Ruiz: 123"; "" for none."""
        label = _LABELS.get(self.name, self.name.replace("-", " ").capitalize())
        if ";base64," in self.value[:80] or self.params.get("ENCODING", "").lower()[:1] == "b":
            return f"{label}: {self.params.get('FILENAME', '(not shown)')}"
        text = self.text
        if self.name in _OF_PROGRAMS or self.name[:2] == "X-" or text in ("", name):
            return ""
        kinds = self.params.get("TYPE", "").lower().replace("cell", "mobile").split(",")
        types = ", ".join(dict.fromkeys(kind for kind in kinds if kind and kind not in _NO_TYPES))
        of = f" of {name[:MAX_NAME_CHARS]}" if name else ""
        return f"{label}{f' ({types})' if types else ''}{of}: {text}"


@dataclass(slots=True)
class _Part:
    """A contact or an appointment with all that is nested in it; "" is what is around them."""

    kind: str
    properties: list[_Property] = field(default_factory=list)

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


def read_contacts(data: bytes) -> Extraction:
    """The lines of all contacts; raises UnreadableDocument("malformed") where there is none."""
    return _extraction(_parts(data))


def read_calendar(data: bytes) -> Extraction:
    """The same of all appointments and tasks, with the calendar's name."""
    return _extraction(_parts(data))


def _extraction(parts: list[_Part]) -> Extraction:
    around, *found = parts
    if not found:
        raise UnreadableDocument("malformed", "no contact and no appointment")
    if around.value("METHOD").upper() in ("CANCEL", "DECLINECOUNTER"):
        for each in found:
            each.properties.insert(0, _Property("STATUS", {}, "cancelled by the organiser"))

    def lines() -> Iterator[Line]:
        for number, each in enumerate(found, start=1):
            name, kind = each.title, each.kind
            shown = [f"{'Name' if kind == 'Contact' else kind}: {name}"] if name else []
            shown += filter(None, (one.line(name) for one in each.properties))
            yield from part_lines(kind, f"{number}: {name}" if name else number, ["\n".join(shown)])

    return Extraction(around.value("X-WR-CALNAME") or None, lines())


def _parts(data: bytes) -> list[_Part]:
    """What is around the parts, and each of them; a file without ENDs has them all."""
    found = [_Part("")]
    open_ones = [found[0]]
    for line in _unfolded(decode(data)):
        if (each := _property(line)) is None:
            continue
        if each.name == "BEGIN":
            if kind := _KINDS.get(each.value.strip().upper()):
                found.append(_Part(kind))
            open_ones.append(found[-1] if kind else open_ones[-1])
        elif each.name != "END":
            open_ones[-1].properties.append(each)
        elif len(open_ones) > 1:
            open_ones.pop()
    return found


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
