"""Content lines, the common form of contacts (vCard) and calendars: components and properties.

Source: RFC 6350, section 3, RFC 5545, section 3.1; vCard 2.1 and vCalendar 1.0 by what programs
write. Lenient: a line that is none continues the one before. Pure. Called by `contacts` and
`appointments`.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexer.errors import UnreadableDocument
from indexer.extract.text.plain import decode, decode_part

_BEGINS = re.compile(r"(?:[\w-]{1,40}\.)?[A-Za-z][\w-]{0,60}[;:]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ENCODED = frozenset({"b", "base64"})
MAX_NESTED = 8  # components; three are usual, and more are those of a file without ENDs


@dataclass(frozen=True, slots=True)
class Property:
    """One line: its name in upper case, its group, its parameters, and its value as written."""

    name: str
    group: str
    params: dict[str, str]
    value: str

    @property
    def text(self) -> str:
        """The value without its escapes."""
        return unescaped(self.value)

    @property
    def encoded(self) -> bool:
        """Whether the value is base64."""
        return self.params.get("ENCODING", "").lower() in _ENCODED or ";base64," in self.value[:80]

    def parts(self, separator: str = ";") -> list[str]:
        """The parts of a structured value, without their escapes."""
        pattern = rf"((?:\\.|[^\\{separator}])*)(?:{separator}|\Z)"
        found = [match[1] for match in re.finditer(pattern, self.value, re.DOTALL)]
        return [unescaped(part).strip() for part in found[: self.value.count(separator) + 1]]


@dataclass(slots=True)
class Component:
    """What stands between BEGIN and END."""

    name: str
    properties: list[Property] = field(default_factory=list)
    inner: list[Component] = field(default_factory=list)

    def first(self, name: str) -> Property | None:
        """The first property of that name."""
        return next((each for each in self.properties if each.name == name), None)

    def value(self, name: str) -> str:
        """The text of that property, "" where there is none."""
        found = self.first(name)
        return found.text.strip() if found else ""


def components(data: bytes) -> list[Component]:
    """The components at the top, one that is cut off included.

    What is nested deeper than MAX_NESTED stands beside the last that is not. Raises
    UnreadableDocument("malformed") where there is none.
    """
    root = Component("")
    open_ones = [root]
    for line in _unfolded(decode(data)):
        found = _property(line)
        if found is None:
            continue
        name = found.value.strip().upper()
        if found.name == "BEGIN":
            del open_ones[MAX_NESTED:]
            begun = Component(name)
            open_ones[-1].inner.append(begun)
            open_ones.append(begun)
        elif found.name == "END":
            names = [each.name for each in open_ones]
            if name in names[1:]:
                del open_ones[len(names) - 1 - names[::-1].index(name) :]
        else:
            open_ones[-1].properties.append(found)
    if not root.inner:
        raise UnreadableDocument("malformed", "no component")
    return root.inner


def unescaped(value: str) -> str:
    """A value with its escapes resolved."""
    return _ESCAPED.sub(lambda m: "\n" if m[1] in "nN" else m[1], value)


def _unfolded(text: str) -> Iterator[str]:
    """Whole lines: folded ones, and quoted-printable ones that go on, put together."""
    pieces: list[str] = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if pieces and line[:1] in (" ", "\t"):
            pieces.append(line[1:])
        elif pieces and _goes_on(pieces):
            pieces[-1] = pieces[-1][:-1]
            pieces.append(line)
        elif _BEGINS.match(line):
            yield "".join(pieces)
            pieces = [line]
        elif pieces and line.strip():
            pieces.append("\\n" + line)
    yield "".join(pieces)


def _goes_on(pieces: list[str]) -> bool:
    """Whether the line so far ends in a soft line end."""
    return pieces[-1].endswith("=") and "QUOTED-PRINTABLE" in pieces[0][:200].upper()


def _property(line: str) -> Property | None:
    head, colon, value = _split(line)
    if not colon:
        return None
    whole, *params = _pieces(head)
    group, _, name = whole.rpartition(".")
    named: dict[str, str] = {}
    for param in params:
        key, equals, given = param.partition("=")
        key = key.strip().upper()
        if not equals:  # vCard 2.1: ";WORK;VOICE"
            key, given = ("ENCODING" if key in ("QUOTED-PRINTABLE", "BASE64") else "TYPE"), key
        given = given.strip().strip('"')
        named[key] = f"{named[key]},{given}" if key in named else given
    if named.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        value = _from_quoted(value, named.get("CHARSET", ""))
    return Property(name.strip().upper(), group, named, value)


def _split(line: str) -> tuple[str, str, str]:
    """What stands before the first colon that is in no quotation marks, and behind it."""
    place = line.find(":")
    while place >= 0 and line.count('"', 0, place) % 2:
        place = line.find(":", place + 1)
    return (line, "", "") if place < 0 else (line[:place], ":", line[place + 1 :])


def _pieces(head: str) -> list[str]:
    """The parts between semicolons that are in no quotation marks."""
    return re.findall(r'(?:[^;"]|"[^"]*(?:"|\Z))+', head) or [""]


def _from_quoted(value: str, charset: str) -> str:
    data = quopri.decodestring(value.encode("utf-8", "replace"))
    try:
        text = data.decode(charset or "utf-8")
    except (LookupError, ValueError):
        text = decode_part(data)
    # A line end of the value; escapes are of the text around it.
    return text.replace("\r\n", "\n").replace("\n", "\\n")
