"""Outlook messages (MSG): headers, text and names of attachments. Called by `mail`.

Source: [MS-OXMSG], section 2 (streams named by property), [MS-OXRTFCP], section 2.2 (compressed
RTF). Plain text is read first, then RTF, which may wrap the HTML of the mail, then HTML.
"""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterator

from indexer.errors import UnreadableDocument
from indexer.extract.html import decode_html, html_text
from indexer.extract.legacy.compound import Compound
from indexer.extract.legacy.rtf import rtf_text
from indexer.extract.text import decode_part

_PROPERTIES = "__properties_version1.0"
_SUBJECT, _SENDER, _SENDER_ADDRESS, _SENDER_SMTP = "0037", "0C1A", "0C1F", "5D01"
_TO, _CC, _BCC = "0E04", "0E03", "0E02"
_PLAIN, _RTF, _HTML = "1000", "1009", "1013"
_LONG_NAME, _NAME, _SHOWN_NAME = "3707", "3704", "3001"
_ADDRESS, _SMTP_ADDRESS, _RECIPIENT_NAME = "3003", "39FE", "3001"
_SENT, _RECEIVED, _CODE_PAGE = 0x0039, 0x0E06, 0x3FFD
_EPOCH = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)
MAX_RTF_BYTES = 32 * 2**20  # unpacked

Headers = list[tuple[str, str]]


def read_message(data: bytes) -> tuple[Headers, list[str], list[str]]:
    """Headers, texts and names of attachments; raises UnreadableDocument("malformed")."""
    message = _Message(Compound(data))
    text = message.text()
    return list(message.headers()), [text] if text.strip() else [], list(message.attachments())


class _Message:
    def __init__(self, compound: Compound) -> None:
        self._compound = compound
        names = compound.names()
        self._storages = sorted({name.partition("/")[0] for name in names if "/" in name})
        self._numbers = dict(_fixed(compound.read(_PROPERTIES) or b"", 32))

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
        if ticks and ticks < 2**62:
            sent = _EPOCH + dt.timedelta(microseconds=ticks // 10)
            yield "Date", sent.strftime("%Y-%m-%d %H:%M UTC")

    def text(self) -> str:
        """The text of the message."""
        plain = self._string("", _PLAIN)
        if plain.strip():
            return plain.replace("\r\n", "\n").replace("\r", "\n")
        packed = self._compound.read(f"__substg1.0_{_RTF}0102")
        rtf = unpack_rtf(packed) if packed else b""
        text = rtf_text(rtf)[1] if rtf else ""
        if text.strip():
            return text
        page = self._compound.read(f"__substg1.0_{_HTML}0102")
        return html_text(decode_html(page, decode_part) if page else self._string("", _HTML))[1]

    def attachments(self) -> Iterator[str]:
        """Their names."""
        for storage in self._storages:
            if storage.startswith("__attach"):
                names = (self._string(storage, key) for key in (_LONG_NAME, _NAME, _SHOWN_NAME))
                name = next(filter(None, names), "")
                if name:
                    yield name

    def _recipients(self) -> Iterator[tuple[str, str]]:
        for storage in self._storages:
            if storage.startswith("__recip"):
                address = self._string(storage, _SMTP_ADDRESS) or self._string(storage, _ADDRESS)
                yield self._string(storage, _RECIPIENT_NAME), address

    def _string(self, storage: str, key: str) -> str:
        """A property that is text, "" where there is none."""
        prefix = f"{storage}/__substg1.0_{key}" if storage else f"__substg1.0_{key}"
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


# What every compressed RTF may refer to before it has said anything itself.
_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW = 4096


def unpack_rtf(packed: bytes) -> bytes:
    """The RTF in a compressed RTF property; raises UnreadableDocument for other data."""
    if len(packed) < 16:
        raise UnreadableDocument("malformed", "compressed RTF is cut off")
    _, size, magic, _ = struct.unpack_from("<II4sI", packed)
    if magic == b"MELA":  # stored as it is
        return packed[16 : 16 + size]
    if magic != b"LZFu":
        raise UnreadableDocument("malformed", "not compressed RTF")
    window = bytearray(_DICTIONARY.ljust(_WINDOW, b"\0"))
    write = len(_DICTIONARY)
    out = bytearray()
    position = 16
    while position < len(packed) and len(out) < MAX_RTF_BYTES:
        control = packed[position]
        position += 1
        for bit in range(8):
            if position >= len(packed):
                break
            if not control >> bit & 1:
                piece = packed[position : position + 1]
                position += 1
            else:
                reference = int.from_bytes(packed[position : position + 2], "big")
                position += 2
                start, length = reference >> 4, (reference & 0xF) + 2
                if start == write:
                    return bytes(out)
                piece = _referred(window, start, length, write)
            for byte in piece:
                window[write] = byte
                write = (write + 1) % _WINDOW
            out += piece
    return bytes(out)


def _referred(window: bytearray, start: int, length: int, write: int) -> bytes:
    """Bytes from the window; source and target may overlap."""
    distance = (write - start) % _WINDOW or _WINDOW
    first = bytes(window[(start + i) % _WINDOW] for i in range(min(length, distance)))
    return (first * (length // len(first) + 1))[:length]
