"""TNEF (winmail.dat): what Outlook sends to other programs, text and attachments in one part.

Source: [MS-OXTNEF], sections 2.1 (attributes) and 2.1.3.4 (properties). Called by `files`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexer.extract.html.page import decode_html, html_text
from indexer.extract.mail.message import Mail
from indexer.extract.mail.msg import rtf_body
from indexer.extract.text.plain import decode_part

_SUBJECT, _BODY, _ATTACH_DATA, _ATTACH_TITLE = 0x8004, 0x800C, 0x800F, 0x8010
_ATTACH_BEGINS, _PROPERTIES, _ATTACH_PROPERTIES = 0x9002, 0x9003, 0x9005
_TEXT, _RTF, _HTML, _TITLE = 0x1000, 0x1009, 0x1013, 0x0037
_LONG_NAME, _SHOWN_NAME, _DATA = 0x3707, 0x3001, 0x3701
_OBJECT = 0x000D  # a property that is a file of its own, behind 16 bytes that name its kind
_VARIABLE = frozenset({0x001E, 0x001F, 0x0102, _OBJECT})
_WIDTHS = {2: 4, 0xB: 4, 3: 4, 4: 4, 0xA: 4, 5: 8, 6: 8, 7: 8, 0x14: 8, 0x40: 8, 0x48: 16}
MAX_PROPERTIES = 4_096
Properties = dict[int, tuple[int, bytes]]  # identifier -> type, first value


def read_transport(data: bytes) -> Mail:
    """The message in a TNEF stream; of one that is cut, what is whole."""
    mail = Mail()
    letter = _Letter(mail.unread)
    for name, content in _attributes(data, mail.unread):
        letter.take(name, content)
    mail.headers += letter.headers
    if not mail.headers and _TITLE in letter.body:
        mail.headers.append(("Subject", _string(*letter.body[_TITLE])))
    text = _text(letter.body, mail.unread)
    if text.strip():
        mail.add_text(text)
    for file in letter.files:
        mail.attach(_narrow(file.get("name", b"")) or "attachment", file.get("data", b""))
    return mail


@dataclass(slots=True)
class _Letter:
    """The message, as far as its attributes were read; `unread` names what of it was not."""

    unread: list[str]
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: Properties = field(default_factory=dict)
    files: list[dict[str, bytes]] = field(default_factory=list)

    def take(self, name: int, content: bytes) -> None:
        """Take in one attribute."""
        if name == _SUBJECT:
            self.headers.append(("Subject", _narrow(content)))
        elif name == _BODY:
            self.body.setdefault(_TEXT, (0x001E, content))
        elif name == _PROPERTIES:
            self.body |= _properties(content, self.unread)
        elif name == _ATTACH_BEGINS:
            self.files.append({})
        elif self.files:
            self._take_file(name, content)

    def _take_file(self, name: int, content: bytes) -> None:
        if name == _ATTACH_TITLE:
            self.files[-1].setdefault("name", content)
        elif name == _ATTACH_DATA:
            self.files[-1]["data"] = content
        elif name == _ATTACH_PROPERTIES:
            self.files[-1] |= _of_attachment(_properties(content, self.unread))


def _attributes(data: bytes, unread: list[str]) -> Iterator[tuple[int, bytes]]:
    """(name, content) of each attribute that is whole."""
    position = 6
    while position + 9 <= len(data):
        _, tag, length = struct.unpack_from("<BII", data, position)
        position += 9
        if position + length > len(data):
            unread.append("the rest (malformed)")
            return
        yield tag & 0xFFFF, data[position : position + length]
        position += length + 2


def _properties(data: bytes, unread: list[str]) -> Properties:
    """The properties of a message or of an attachment, up to where they can be read."""
    found: Properties = {}
    try:
        for key, value in _each_property(data):
            found[key] = value
    except (struct.error, ValueError) as error:
        why = str(error) if isinstance(error, ValueError) else "malformed"
        unread.append(f"some properties ({why})")
    return found


def _each_property(data: bytes) -> Iterator[tuple[int, tuple[int, bytes]]]:
    """Each property's identifier, type and first value; raises where the rest cannot be read.

    ValueError says why, struct.error is an end in the middle of one.
    """
    (count,) = struct.unpack_from("<I", data)
    position = 4
    if count > MAX_PROPERTIES:
        raise ValueError(f"{count:,} of them, which no message has")
    for _ in range(count):
        kind, key = struct.unpack_from("<HH", data, position)
        position += 4
        if key >= 0x8000:
            position = _after_name(data, position)
        number, position = _number_of_values(data, position, kind)
        for index in range(number):
            length = _WIDTHS.get(kind & 0xFFF, 0)
            if kind & 0xFFF in _VARIABLE:
                (length,) = struct.unpack_from("<I", data, position)
                position += 4
            elif not length:
                raise ValueError(f"behind one of the unknown type {kind:#06x}")
            if position + length > len(data):
                raise ValueError("malformed")
            if index == 0:
                yield key, (kind & 0xFFF, data[position : position + length])
            position += length + -length % 4


def _number_of_values(data: bytes, position: int, kind: int) -> tuple[int, int]:
    """How many values a property has, and the place behind that number."""
    if not kind & 0x1000 and kind not in _VARIABLE:
        return 1, position
    (number,) = struct.unpack_from("<I", data, position)
    if number > MAX_PROPERTIES:
        raise ValueError(f"one of {number:,} values, which none has")
    return number, position + 4


def _after_name(data: bytes, position: int) -> int:
    """The place behind a property's name."""
    (kind,) = struct.unpack_from("<I", data, position + 16)
    if kind == 0:
        return position + 24
    (length,) = struct.unpack_from("<I", data, position + 20)
    padded = int(length) + -int(length) % 4
    return position + 24 + padded


def _of_attachment(properties: Properties) -> dict[str, bytes]:
    found = {}
    for key in (_SHOWN_NAME, _LONG_NAME):
        if key in properties:
            found["name"] = _string(*properties[key]).encode()
    if _DATA in properties:
        kind, data = properties[_DATA]
        found["data"] = data[16:] if kind == _OBJECT else data
    return found


def _text(body: Properties, unread: list[str]) -> str:
    """Plain text first, then HTML, then RTF."""
    if _TEXT in body and (text := _string(*body[_TEXT])).strip():
        return text.replace("\r\n", "\n")
    if _HTML in body:
        return html_text(decode_html(body[_HTML][1], decode_part))[1]
    packed = body[_RTF][1] if _RTF in body else b""
    return rtf_body(packed, unread) if packed else ""


def _string(kind: int, value: bytes) -> str:
    if kind == 0x001F:
        return value.decode("utf-16-le", "replace").rstrip("\0")
    return _narrow(value)


def _narrow(value: bytes) -> str:
    return decode_part(value.rstrip(b"\0"))
