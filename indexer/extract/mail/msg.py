"""Outlook messages (MSG): headers, text and attachments, messages among them.

Source: [MS-OXMSG], section 2 (streams named by property). HTML is read, else plain text.
"""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterator

from indexer.extract.container import Compound
from indexer.extract.extraction import Extraction, Within
from indexer.extract.html import decode_html, html_text
from indexer.extract.mail import Mail, mail_extraction
from indexer.extract.members import Member
from indexer.extract.text import decode_part

_PROPERTIES = "__properties_version1.0"
_SUBJECT, _SENDER, _SENDER_ADDRESS, _SENDER_SMTP = "0037", "0C1A", "0C1F", "5D01"
_TO, _CC, _BCC = "0E04", "0E03", "0E02"
_PLAIN, _RTF, _HTML = "1000", "1009", "1013"
_LONG_NAME, _NAME, _SHOWN_NAME, _DATA = "3707", "3704", "3001", "3701"
_ADDRESS, _SMTP_ADDRESS, _RECIPIENT_NAME = "3003", "39FE", "3001"
_SENT, _RECEIVED, _CODE_PAGE = 0x0039, 0x0E06, 0x3FFD
_EPOCH = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)
_LAST_TICK = (dt.datetime.max.replace(tzinfo=dt.UTC) - _EPOCH) // dt.timedelta(microseconds=1) * 10
_HEAD_BYTES = 32  # of the properties; of a message in a message eight less


def read_msg(data: bytes, within: Within) -> Extraction:
    """The subject and lines of a message, and of what is attached; raises UnreadableDocument."""
    return mail_extraction(_Message(Compound(data), "").mail(), within)


class _Message:
    """A message in a compound file, below `prefix`, which is "" or ends in "/"."""

    def __init__(self, compound: Compound, prefix: str) -> None:
        self._compound = compound
        self._prefix = prefix
        inner = (n.removeprefix(prefix) for n in compound.names() if n.startswith(prefix))
        self._storages = sorted({name.partition("/")[0] for name in inner if "/" in name})
        head = _HEAD_BYTES if not prefix else _HEAD_BYTES - 8
        self._numbers = dict(_fixed(compound.read(f"{prefix}{_PROPERTIES}") or b"", head))

    def mail(self) -> Mail:
        """Its headers, text and what is attached."""
        mail = Mail(headers=list(self.headers()))
        text = self.text(mail.unread)
        if text.strip():
            mail.texts.append(text)
        for storage in self._storages:
            if storage.startswith("__attach"):
                self._attach(storage, mail)
        return mail

    def headers(self) -> Iterator[tuple[str, str]]:
        """The header lines above the text."""
        yield "Subject", self._string("", _SUBJECT)
        name = self._string("", _SENDER)
        address = self._string("", _SENDER_SMTP) or self._string("", _SENDER_ADDRESS)
        yield "From", _person(name, address)
        everyone = dict(self._recipients())
        for label, key in (("To", _TO), ("Cc", _CC), ("Bcc", _BCC)):
            shown = [part.strip() for part in self._string("", key).rstrip("\0").split(";")]
            yield label, "; ".join(_person(p, everyone.get(p, "")) for p in shown if p)
        ticks = self._numbers.get(_SENT) or self._numbers.get(_RECEIVED)
        if ticks and ticks <= _LAST_TICK:
            sent = _EPOCH + dt.timedelta(microseconds=ticks // 10)
            yield "Date", sent.strftime("%Y-%m-%d %H:%M UTC")

    def text(self, unread: list[str]) -> str:
        """The text of the message; what of it could not be read is added to `unread`."""
        data = self._compound.read(f"{self._prefix}__substg1.0_{_HTML}0102")
        page = decode_html(data, decode_part) if data else self._string("", _HTML)
        text = html_text(page, titled=False)[1] or self._string("", _PLAIN)
        if not text.strip() and self._compound.read(f"{self._prefix}__substg1.0_{_RTF}0102"):
            unread.append("the text, which is in RTF alone")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _attach(self, storage: str, mail: Mail) -> None:
        """Attach what is in a storage; one without a name and bytes is none."""
        names = (self._string(storage, key) for key in (_LONG_NAME, _NAME, _SHOWN_NAME))
        name = next(filter(None, names), "")
        data = self._compound.read(f"{self._prefix}{storage}/__substg1.0_{_DATA}0102")
        inner = f"{self._prefix}{storage}/__substg1.0_{_DATA}000D/"
        if data is not None:
            mail.attach(name or "attachment", data)
        elif self._compound.read(f"{inner}{_PROPERTIES}") is not None:
            self._attach_message(name, inner, mail)
        elif any(each.startswith(inner) for each in self._compound.names()):
            mail.name(name or "object", "object of another program")
        elif name:
            mail.name(name, "not in this file")

    def _attach_message(self, name: str, inner: str, mail: Mail) -> None:
        name = f"{name.replace('/', '_') or 'message'}.msg"

        def document(within: Within) -> Extraction:
            return mail_extraction(_Message(self._compound, inner).mail(), within)

        mail.attached.append(name)
        mail.members.append(Member(name, document=document))

    def _recipients(self) -> Iterator[tuple[str, str]]:
        for storage in self._storages:
            if storage.startswith("__recip"):
                address = self._string(storage, _SMTP_ADDRESS) or self._string(storage, _ADDRESS)
                yield self._string(storage, _RECIPIENT_NAME), address

    def _string(self, storage: str, key: str) -> str:
        """A property that is text, "" where there is none."""
        prefix = f"{self._prefix}{storage}/__substg1.0_{key}"
        prefix = prefix if storage else f"{self._prefix}__substg1.0_{key}"
        unicode = self._compound.read(f"{prefix}001F")
        if unicode is not None:
            return unicode.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._compound.read(f"{prefix}001E")
        if narrow is None:
            return ""
        narrow = narrow.rstrip(b"\0")
        page = self._numbers.get(_CODE_PAGE, 0)
        try:
            return narrow.decode(f"cp{page}") if page else decode_part(narrow)
        except (LookupError, ValueError):
            return decode_part(narrow)


def _person(name: str, address: str) -> str:
    if not address or address == name or "@" not in address:
        return name or address
    return f"{name} <{address}>" if name else address


def _fixed(stream: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Properties of fixed size: (identifier, value as a whole number)."""
    for position in range(start, len(stream) - 15, 16):
        tag, _, value = struct.unpack_from("<IIQ", stream, position)
        width = {0x0003: 4, 0x0040: 8}.get(tag & 0xFFFF)
        if width:
            yield tag >> 16, value & (2 ** (8 * width) - 1)
