"""Contacts (vCard) and calendars (iCalendar, vCalendar): a part for each, a line for each property.

Each line says whose it is, since a line is what is found, quoted and read alone. Dates keep the
time zone that is written with them; repetition is said in words and not expanded. Lenient: a line
that is none continues the one before. Source: RFC 6350, 3; RFC 5545, 3.1, 3.3.10.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import Extraction, Within, part_lines, table, words
from indexer.extract.html.page import html_text
from indexer.extract.markdown import one_line
from indexer.extract.members import Member, Members, member_of
from indexer.extract.text.encoded import from_base64
from indexer.extract.text.plain import decode, decode_named, decode_part
from indexer.records import Line

MAX_NAME_CHARS = 60  # of what a line is of
MAX_NESTED = 8  # components; three are usual, and more are those of a file without ENDs
_BEGINS = re.compile(r"(?:[\w-]{1,40}\.)?[A-Za-z][\w-]{0,60}[;:]")
_QUOTED = "QUOTED-PRINTABLE"
_KINDS = table("VEVENT=Appointment, VTODO=Task, VJOURNAL=Journal entry, VFREEBUSY=Busy times")
# How a property is called where its name is not the word for it.
_LABELS = table(
    "ORG=Organisation, TEL=Phone, ADR=Address, LABEL=Address as printed, BDAY=Birthday, "
    "DEATHDATE=Died, URL=Web, IMPP=Messenger, GEO=Place, X-SOCIALPROFILE=Profile, "
    "X-ABRELATEDNAMES=Related, X-ABDATE=Date, PHOTO=Picture, TZ=Time zone, LANG=Language, "
    "DTSTART=Start, DTEND=End, RRULE=Repetition, RDATE=Further dates, EXDATE=Left out dates, "
    "EXRULE=Left out dates, RECURRENCE-ID=Replaced date, ORGANIZER=Organiser, FREEBUSY=Busy, "
    "ATTACH=Attachment, X-SPOUSE=Spouse, X-MANAGER=Manager, X-ASSISTANT=Assistant"
)
_OF_PROGRAMS = words(
    "VERSION PRODID UID REV SORT-STRING PROFILE CLASS MAILER CLIENTPIDMAP SOURCE NAME KIND XML FN N"
)
_OF_CALENDARS = words(
    "DTSTART DTEND DUE DURATION COMPLETED RRULE RDATE EXDATE EXRULE RECURRENCE-ID LOCATION "
    "ORGANIZER ATTENDEE CONTACT STATUS PERCENT-COMPLETE PRIORITY CATEGORIES RESOURCES URL "
    "CONFERENCE GEO FREEBUSY ATTACH COMMENT DESCRIPTION"
)
_NO_TYPES = words("internet voice pref x400 dom intl postal parcel uri jpeg png")
_SCHEMES = re.compile(r"(?i)(?:tel|mailto|x-apple|sip|xmpp|aim|skype):")
_MOMENT = re.compile(r"(\d{4}|--)-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2}):?(\d{2})?\S*?(Z)?)?")
_DURATION = re.compile(
    r"([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.IGNORECASE
)


# --- Content lines --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Property:
    """One line: its name in upper case, its group, its parameters, and its value as written."""

    name: str
    group: str
    params: dict[str, str]
    value: str

    @property
    def text(self) -> str:
        """The value without its escapes."""
        return _unescaped(self.value).strip()

    @property
    def is_data(self) -> bool:
        """Whether the value is base64."""
        encoding = self.params.get("ENCODING", "").lower()
        return encoding in ("b", "base64") or ";base64," in self.value[:80]

    def parts(self, separator: str) -> str:
        """The parts of a structured value, with commas between."""
        found = re.split(rf"(?<!\\){separator}", self.value)
        return ", ".join(filter(None, (_unescaped(part).strip() for part in found)))


@dataclass(slots=True)
class _Component:
    """What stands between BEGIN and END."""

    name: str
    properties: list[_Property] = field(default_factory=list)
    inner: list[_Component] = field(default_factory=list)

    def value(self, name: str) -> str:
        """The text of the first property of that name, "" where there is none."""
        return one_line(next((each.text for each in self.properties if each.name == name), ""))


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
        elif found.name == "END":
            if name in [each.name for each in open_ones[1:]]:
                while open_ones.pop().name != name:
                    pass
        else:
            open_ones[-1].properties.append(found)
    return root.inner


def _unescaped(value: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], value, flags=re.DOTALL)


def _unfolded(text: str) -> Iterator[str]:
    """Whole lines: folded ones, and quoted-printable ones that go on, put together."""
    pieces: list[str] = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if pieces and line[:1] in (" ", "\t"):
            pieces.append(line[1:])
        elif pieces and pieces[-1].endswith("=") and _QUOTED in pieces[0][:200].upper():
            pieces[-1] = pieces[-1][:-1]
            pieces.append(line)
        elif _BEGINS.match(line):
            yield "".join(pieces)
            pieces = [line]
        elif pieces and line.strip():
            pieces.append("\\n" + line)
    yield "".join(pieces)


_HEAD = re.compile(r'((?:[^":]|"[^"]*(?:"|\Z))*):(.*)', re.DOTALL)


def _property(line: str) -> _Property | None:
    found = _HEAD.fullmatch(line)
    if found is None:
        return None
    whole, *params = re.findall(r'(?:[^;"]|"[^"]*(?:"|\Z))+', found[1]) or [""]
    group, _, name = whole.rpartition(".")
    value = found[2]
    named: dict[str, str] = {}
    for param in params:
        key, equals, given = param.partition("=")
        key = key.strip().upper()
        if not equals:  # vCard 2.1: ";WORK;VOICE"
            key, given = ("ENCODING" if key in (_QUOTED, "BASE64") else "TYPE"), key
        given = given.strip().strip('"')
        named[key] = f"{named[key]},{given}" if key in named else given
    if named.get("ENCODING", "").upper() == _QUOTED:
        value = _from_quoted(value, named.get("CHARSET", ""))
    return _Property(name.strip().upper(), group, named, value)


def _from_quoted(value: str, charset: str) -> str:
    data = quopri.decodestring(value.encode("utf-8", "replace"))
    text = decode_named(data, charset or "utf-8") or decode_part(data)
    # A line end of the value; escapes are of the text around it.
    return text.replace("\r\n", "\n").replace("\n", "\\n")


# --- Contacts -------------------------------------------------------------------------------------


def read_contacts(data: bytes) -> Extraction:
    """The lines of all contacts; raises UnreadableDocument("malformed") where there is none."""
    cards = [each for each in _components(data) if each.name == "VCARD"]
    if not cards:
        raise UnreadableDocument("malformed", "no contact")

    def lines() -> Iterator[Line]:
        for number, card in enumerate(cards, start=1):
            name = _name(card)
            text = "\n".join(filter(None, [f"Name: {name}" if name else "", *_card(card, name)]))
            yield from part_lines("Contact", f"{number}: {name}" if name else number, [text])

    return Extraction(None, lines())


def _name(card: _Component) -> str:
    """What a contact is called: its full name, else its parts, else its organisation."""
    family, given, middle, before, after = [*card.value("N").split(";"), *[""] * 5][:5]
    parts = one_line(" ".join((before, given, middle, family, after)).replace(",", " "))
    organisation = card.value("ORG").partition(";")[0]
    return card.value("FN") or parts or organisation or card.value("EMAIL")


def _card(card: _Component, name: str) -> Iterator[str]:
    """The lines of a contact behind its name."""
    parts = next((each.parts(";") for each in card.properties if each.name == "N"), "")
    if any(part.casefold() not in name.casefold() for part in parts.split(", ")):
        yield f"Name in parts: {parts}"
    labels = {each.group: each.text for each in card.properties if each.name == "X-ABLABEL"}
    for each in card.properties:
        if each.is_data:
            yield f"{_label(each)}: (not shown)"
        elif each.name in _LABELS or not (each.name in _OF_PROGRAMS or each.name[:2] == "X-"):
            own = labels.get(each.group, "") if each.group else ""
            yield _line(each, _own_label(own) or _types(each), name, _contact_value(each))
    for agent in card.inner:
        yield f"Agent: {_name(agent)}"
        yield from _card(agent, _name(agent))


def _label(each: _Property) -> str:
    return _LABELS.get(each.name, each.name.replace("-", " ").capitalize())


def _line(each: _Property, kinds: str, name: str, value: str) -> str:
    """A property as "Phone (work) of Ana Ruiz: 123"; "" where it says nothing."""
    of = f" of {name[:MAX_NAME_CHARS]}" if name else ""
    return f"{_label(each)}{f' ({kinds})' if kinds else ''}{of}: {value}" if value else ""


def _own_label(label: str) -> str:
    """The label that a user gave; those of Apple's programs are in signs of their own."""
    named = re.fullmatch(r"_\$!<(.*)>!\$_", label)
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", named[1]).lower() if named else label


def _types(each: _Property) -> str:
    kinds = (kind.strip().lower() for kind in each.params.get("TYPE", "").split(","))
    named = ("mobile" if kind in ("cell", "iphone") else kind.removeprefix("x-") for kind in kinds)
    return ", ".join(dict.fromkeys(kind for kind in named if kind and kind not in _NO_TYPES))


def _contact_value(each: _Property) -> str:
    if each.name in ("ADR", "ORG"):
        return one_line(each.parts(";"))
    if each.name in ("CATEGORIES", "NICKNAME"):
        return one_line(each.parts(","))
    day = _MOMENT.fullmatch(each.text)
    if each.name in ("BDAY", "ANNIVERSARY", "DEATHDATE", "X-ABDATE") and day:
        unknown = day[1] in ("--", each.params.get("X-APPLE-OMIT-YEAR"))
        return f"{day[2]}-{day[3]} (month-day)" if unknown else f"{day[1]}-{day[2]}-{day[3]}"
    return one_line(_SCHEMES.sub("", each.text, 1) if _SCHEMES.match(each.text) else each.text)


# --- Calendars ------------------------------------------------------------------------------------


def read_calendar(data: bytes, within: Within) -> Extraction:
    """The calendar's name and the lines of all in it, attached files behind their marks.

    Raises UnreadableDocument("malformed") where there is no appointment or task.
    """
    calendars = [each for each in _components(data) if each.name == "VCALENDAR"]
    found = [each for one in calendars for each in one.inner if each.name in _KINDS]
    if not found:
        raise UnreadableDocument("malformed", "no appointment")
    cancelled = calendars[0].value("METHOD").upper() in ("CANCEL", "DECLINECOUNTER")
    members = Members(within)

    def lines() -> Iterator[Line]:
        for number, each in enumerate(found, start=1):
            name, kind = each.value("SUMMARY"), _KINDS[each.name]
            said = [f"{kind}: {name}" if name else ""]
            said += ["Cancelled by the organiser" if cancelled else "", *_entry(each, name)]
            text = "\n".join(filter(None, said))
            yield from part_lines(kind, f"{number}: {name}" if name else number, [text])
            yield from members.lines(_attached(each, f"{kind} {number}"))
        members.finish()

    title = calendars[0].value("X-WR-CALNAME") or None
    return Extraction(title, lines(), members.engines, members.unread, members.notes)


def _entry(entry: _Component, name: str) -> Iterator[str]:
    of = f" of {name[:MAX_NAME_CHARS]}" if name else ""
    for each in entry.properties:
        if each.name in _OF_CALENDARS:
            yield _line(each, "", name, _calendar_value(each))
    if not entry.value("DESCRIPTION") and (page := entry.value("X-ALT-DESC")):
        yield f"Description{of}: {html_text(page)[1]}"
    for alarm in entry.inner:
        trigger = alarm.value("TRIGGER")
        if alarm.name == "VALARM" and trigger:
            when = "before" if trigger.startswith("-") else "after the start"
            shown = _moment(trigger) or f"{_duration(trigger)} {when}"
            yield f"Reminder{of}: {shown}"


def _calendar_value(each: _Property) -> str:
    if each.name in ("RRULE", "EXRULE"):
        return _repetition(each.value)
    if each.name == "DURATION":
        return _duration(each.text)
    if each.name in ("ORGANIZER", "ATTENDEE"):
        return _person(each)
    if each.name == "ATTACH" and each.is_data:
        return _file_name(each)
    if each.name in ("CATEGORIES", "RESOURCES"):
        return each.parts(",")
    if _MOMENT.match(each.text) and each.name not in ("DESCRIPTION", "COMMENT", "LOCATION"):
        return ", ".join(_moments(each))
    return each.text


def _moments(each: _Property) -> Iterator[str]:
    """The dates of a property as they are written; the end of whole days is the day behind them."""
    zone = each.params.get("TZID", "")
    for value in each.text.split(","):
        begin, slash, end = value.strip().partition("/")
        shown = _moment(begin, zone) or begin
        if slash:
            until = _moment(end, zone)
            shown += f" to {until}" if until else f", {_duration(end)}"
        whole_days = len(begin) == len("20250804") and each.name == "DTEND"
        yield f"before {shown}" if whole_days else shown


def _moment(value: str, zone: str = "") -> str:
    """A date or time as it is written, with its zone; "" for other values."""
    found = _MOMENT.fullmatch(value.strip())
    if found is None:
        return ""
    year, month, day, hour, minute, second, utc = found.groups()
    if hour is None:
        return f"{year}-{month}-{day} (all day)"
    time = f"{hour}:{minute}{f':{second}' if second not in (None, '00') else ''}"
    place = " UTC" if utc else f" ({zone})" if zone else ""
    return f"{year}-{month}-{day} {time}{place}"


def _duration(value: str) -> str:
    """A duration in words, as in "1 hour 30 minutes"; others as written."""
    found = _DURATION.fullmatch(value.strip())
    if found is None:
        return value.strip()
    numbers = (int((number or "0")[:9]) for number in found.groups()[1:])
    units = zip(numbers, ("week", "day", "hour", "minute", "second"), strict=True)
    return " ".join(f"{n} {unit}{'' if n == 1 else 's'}" for n, unit in units if n) or "no time"


def _person(each: _Property) -> str:
    address = _SCHEMES.sub("", each.text, 1) if _SCHEMES.match(each.text) else each.text
    name = each.params.get("CN", "").strip()
    shown = f"{name} <{address}>" if name and name != address else name or address
    answer = each.params.get("PARTSTAT", "").lower().replace("-", " ")
    return f"{shown} ({answer})" if answer else shown


def _file_name(each: _Property) -> str:
    names = (each.params.get(key) for key in ("FILENAME", "X-FILENAME", "X-APPLE-FILENAME"))
    kind = each.params.get("FMTTYPE", "of an unknown kind")
    return next(filter(None, names), f"attachment ({kind})")


def _attached(entry: _Component, place: str) -> Iterator[Member]:
    for each in entry.properties:
        if each.name == "ATTACH" and each.is_data:
            data = from_base64(each.value.rpartition(",")[2].encode("ascii", "replace"))[0]
            yield member_of(f"{place}/{_file_name(each).replace('/', ' ')}", data)


_FREQUENCIES = table(
    "YEARLY=year, MONTHLY=month, WEEKLY=week, DAILY=day, HOURLY=hour, MINUTELY=minute"
)
_DAYS = table("MO=Monday, TU=Tuesday, WE=Wednesday, TH=Thursday, FR=Friday, SA=Saturday, SU=Sunday")
_ORDINALS = table("1=first, 2=second, 3=third, 4=fourth, 5=fifth, -1=last")
_RULES = {"BYMONTHDAY": " on day ", "BYMONTH": " in month "}
_DAY = re.compile(r"([+-]?\d{0,2})(MO|TU|WE|TH|FR|SA|SU)")


def _repetition(rule: str) -> str:
    """A rule in words, what is unknown as written: "every week on Monday, Friday, 10 times"."""
    parts = {key: value for key, _, value in (p.partition("=") for p in rule.upper().split(";"))}
    unit = _FREQUENCIES.get(parts.pop("FREQ", ""))
    if unit is None:
        return rule.strip()  # of vCalendar 1.0, or damaged
    every, place = parts.pop("INTERVAL", "1"), parts.pop("BYSETPOS", "")
    parts.pop("WKST", None)
    said = f"every {unit}" if every == "1" else f"every {every} {unit}s"
    for key, value in parts.items():
        listed = value.replace(",", ", ")
        if key == "BYDAY":
            days = _DAY.sub(lambda day: _which(day[1] or place, _DAYS[day[2]]), listed)
            said += f" on {days}"
        elif key == "COUNT":
            said += f", {value} times"
        elif key == "UNTIL":
            said += f", until {_moment(value) or value}"
        else:
            said += {"BYMONTHDAY": " on day ", "BYMONTH": " in month "}.get(
                key, f", {key}="
            ) + listed
    return said


def _which(number: str, day: str) -> str:
    number = number.removeprefix("+")
    return f"the {_ORDINALS.get(number, number)} {day}" if number else day
