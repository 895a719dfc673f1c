"""Mail as MIME (EML, EMLX, mbox, saved pages) or Outlook keeps it: headers, text, attachments.

Of plain text and HTML, the HTML is read, as its reader sees it. Attachments are documents behind
marks, attached messages too.
"""

from __future__ import annotations

import datetime as dt
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from email.errors import InvalidBase64PaddingDefect
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from functools import partial
from itertools import chain
from pathlib import PurePosixPath

from indexer.extract import markdown, opened_as
from indexer.extract.container import Compound
from indexer.extract.extraction import Extraction, Within, part_lines, plain_lines, table
from indexer.extract.html import decode_html, html_text
from indexer.extract.members import Member, Members, file_in
from indexer.extract.text import decode_named, decode_part, is_text
from indexer.extract.text.kinds import MBOX, known_by_bytes
from indexer.records import Line


@dataclass(slots=True)
class Mail:
    """The readable parts of a message; `attached` names what `members` are, and the pictures."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @property
    def subject(self) -> str | None:
        """Its subject, None where there is none."""
        return next((value for name, value in self.headers if name == "Subject" and value), None)

    def attach(self, name: str, data: bytes) -> None:
        """Attach a file; of pictures, sound and programs the name and kind are all that is read."""
        known = known_by_bytes(data)
        if known is not None and known.reason == "binary":
            self.attached.append(f"{name} ({known.what})")
        else:
            self.attached.append(name)
            self.members.append(file_in(name, lambda most: data))

    def enclose(self, name: str, mail: Callable[[], Mail]) -> None:
        """Attach a message, which is read in its turn."""

        def read(within: Within) -> Extraction:
            return mail_extraction(mail(), within)

        self.attached.append(name)
        self.members.append(Member(name, partial(opened_as, "eml", read)))

    def name(self, name: str, what: str) -> None:
        """Name an attachment that cannot be read, and why."""
        self.attached.append(f"{name} ({what})")
        self.unread.append(f"{name} ({what})")

    def text(self) -> str:
        """The message as it is read: headers, text, names of attachments."""
        headers = "\n".join(f"{name}: {value}" for name, value in self.headers if value)
        attached = "\n".join(f"Attachment: {name}" for name in self.attached)
        return markdown.page([headers, *self.texts, attached])


def mail_extraction(mail: Mail, within: Within) -> Extraction:
    """The subject and lines of a message, and of what is attached behind marks."""
    members = Members(within)
    members.unread += mail.unread
    lines = chain(plain_lines([mail.text()]), members.lines(mail.members))
    return members.extraction(mail.subject, lines)


_SHOWN = ("Subject", "From", "To", "Cc", "Bcc", "Reply-To", "Date")
_READABLE = frozenset({"text/plain", "text/html", "text/calendar"})  # of alternatives
_FOR_BROWSERS = frozenset({"text/css", "text/javascript"})  # in a page saved as one file
MAX_DEPTH = 16  # of parts within parts
MAX_HEADER_CHARS = 65_536  # in which words are decoded, at a cost that grows with their square
MAX_SUBJECT_CHARS = 60  # in the name of a message that is attached
_ENDINGS = table("mail", "endings")  # of a part without a name, or whose name has none
_OF_APPLE = re.compile(rb"\s{0,10}(\d{1,10})\s*\n")  # .emlx begins with its message's length


def read_eml(data: bytes, within: Within) -> Extraction:
    """Its subject, its lines, and those of what is attached."""
    if length := _OF_APPLE.match(data[:32]):
        data = data[length.end() :][: int(length[1])]
    return mail_extraction(_mail_of(_parsed(data)), within)


def read_mbox(data: bytes, within: Within) -> Extraction:
    """The lines of its messages, each with what is attached to it."""
    starts = [match.start() for match in MBOX.finditer(data)]
    ends = [*starts[1:], len(data)]
    members = Members(within)

    def lines() -> Iterator[Line]:
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1):
            body = data[start:end].partition(b"\n")[2]
            mail = _mail_of(_parsed(re.sub(rb"(?m)^>(>*From )", rb"\1", body)))
            members.unread += (f"Message {number}: {each}" for each in mail.unread)
            yield from part_lines("Message", number, [mail.text()])
            own = (replace(each, name=f"Message {number}/{each.name}") for each in mail.members)
            yield from members.lines(own)

    return members.extraction(None, lines())


class _AsSent(Compat32):
    """Headers with their 8-bit bytes, which the library's own policy replaces by question marks."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        """The value with each 8-bit byte as a surrogate, for `_decoded`."""
        return value


def _parsed(data: bytes) -> Message:
    return message_from_bytes(data, policy=_AsSent())


def _mail_of(message: Message) -> Mail:
    """The readable parts of a message."""
    mail = Mail()
    for name in _SHOWN:
        for value in message.get_all(name, []):
            mail.headers.append((name, _decoded(value, message)))
    _walk(message, mail, 0)
    return mail


def _decoded(value: str, message: Message) -> str:
    """A header's value on one line; an undecodable or endless one as it stands.

    8-bit bytes in it are UTF-8 where they can be, else of the first charset that a part declares.
    """
    if not value.isascii():
        raw = value.encode("utf-8", "surrogateescape")
        named = (part.get_content_charset() for part in message.walk())
        charset = next(filter(None, named), None)
        return markdown.one_line(decode_named(raw, "utf-8") or _text(raw, charset))
    if len(value) > MAX_HEADER_CHARS:
        return markdown.one_line(value)
    try:
        words = decode_header(value)
        value = "".join(part if isinstance(part, str) else _text(part, n) for part, n in words)
    except (ValueError, LookupError):
        pass  # then it is shown as it was sent
    return markdown.one_line(value)


def _walk(message: Message, mail: Mail, depth: int, texts: bool = True) -> None:
    """Add a part to the mail; without `texts`, what is attached in it alone."""
    kind = message.get_content_type()
    payload = message.get_payload() if message.is_multipart() else []
    parts = [part for part in payload if isinstance(part, Message)]
    if kind.startswith("message/") and kind != "message/delivery-status" and parts:
        _attach_message(message, parts[0], mail)
    elif parts and depth == MAX_DEPTH:
        mail.unread.append(f"parts within more than {MAX_DEPTH} others")
    elif kind == "message/delivery-status":
        fields = (
            f"{name}: {_decoded(value, part)}" for part in parts for name, value in part.items()
        )
        mail.texts.append("\n".join(fields))
    elif parts and kind == "multipart/alternative":
        _alternative(parts, mail, depth, texts)
    elif parts:
        for part in parts:
            _walk(part, mail, depth + 1, texts)
    elif _is_attached(message, kind):
        _attach(message, mail, kind)
    elif texts and kind not in _FOR_BROWSERS:
        _add_body(message, mail, kind)


def _alternative(parts: Sequence[Message], mail: Mail, depth: int, texts: bool) -> None:
    """The text of the richest alternative that has one, and what is attached in any of them."""
    before = len(mail.texts)
    # The last is the richest (RFC 2046, 5.1.4), text of a kind that no program shows the poorest.
    odd = [part for part in parts if part.get_content_type() not in _READABLE]
    poor = [part for part in odd if part.get_content_maintype() == "text"]
    for part in reversed([*poor, *(part for part in parts if part not in poor)]):
        if part.get_content_type() == "text/calendar":
            _attach(part, mail, "text/calendar")
        else:
            _walk(part, mail, depth + 1, texts and not any(map(str.strip, mail.texts[before:])))


def _is_attached(message: Message, kind: str) -> bool:
    if message.get_filename() or message.get_content_disposition() == "attachment":
        return True
    # The pictures of a page that was saved as one file belong to its layout.
    return not kind.startswith("text/") and "Content-Location" not in message


def _attach_message(message: Message, inner: Message, mail: Mail) -> None:
    subject = _decoded(inner.get("Subject", ""), inner).replace("/", "_")[:MAX_SUBJECT_CHARS]
    name = _name(message, "") or f"{subject.strip(' .') or 'message'}.eml"
    mail.enclose(name, partial(_mail_of, inner))


def _name(message: Message, kind: str) -> str:
    """The name of a part, with an ending that fits its kind."""
    name = _decoded(message.get_filename() or "", message)
    ending = _ENDINGS.get(kind, "")
    if not name:
        return f"attachment{ending}" if ending else ""
    return name if PurePosixPath(name).suffix else name + ending


def _attach(message: Message, mail: Mail, kind: str) -> None:
    data, damaged = _payload(message)
    name = _name(message, kind) or f"{kind.replace('/', ' ')} without a name"
    charset = message.get_content_charset() or "utf-8"
    if kind.startswith("text/") and charset not in ("utf-8", "us-ascii") and is_text(data):
        # The file within does not know what its part declares; of HTML it often does.
        data = data if kind == "text/html" else _text(data, charset).encode("utf-8", "replace")
    mail.attach(name, data)
    if damaged:
        mail.unread.append(f"{name} (damaged base64)")


def _add_body(message: Message, mail: Mail, kind: str) -> None:
    """Add a text of the body, unless it is no text at all."""
    data, damaged = _payload(message)
    if damaged:
        mail.unread.append("a part of the text (damaged base64)")
    charset = message.get_content_charset()
    if not is_text(data):
        mail.attach(f"{kind.replace('/', ' ')} without a name", data)
    elif kind == "text/html":
        page = _text(data, charset) if charset else decode_html(data, decode_part)
        mail.texts.append(html_text(page, titled=False)[1])
    else:
        mail.texts.append(_text(data, charset).replace("\r\n", "\n").strip("\n"))


def _payload(message: Message) -> tuple[bytes, bool]:
    """The bytes of a part, and whether some of its base64 is damaged."""
    before = len(message.defects)
    data = message.get_payload(decode=True)
    lost = [d for d in message.defects[before:] if not isinstance(d, InvalidBase64PaddingDefect)]
    return (data, bool(data and lost)) if isinstance(data, bytes) else (b"", False)


def _text(data: bytes, charset: str | None) -> str:
    """Bytes decoded with the declared encoding, else with the detected one."""
    is_known = charset and charset.lower() not in ("unknown-8bit", "us-ascii", "utf-8")
    text = decode_named(data, charset or "") if is_known else None
    return decode_part(data) if text is None else text


# --- Messages of Outlook: [MS-OXMSG], section 2, streams that are named by property ---------------

_PROPERTIES = "__properties_version1.0"
_NUMBERS = table("mail", "outlook")  # of properties that are text or bytes
_SENT, _RECEIVED, _CODE_PAGE = 0x0039, 0x0E06, 0x3FFD
_EPOCH = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)
_LAST_TICK = (dt.datetime.max.replace(tzinfo=dt.UTC) - _EPOCH) // dt.timedelta(microseconds=1) * 10
_HEAD_BYTES = 32  # of the properties; of a message in a message eight less


def read_msg(data: bytes, within: Within) -> Extraction:
    """The subject and lines of a message, and of what is attached; raises UnreadableDocument."""
    return mail_extraction(_Outlook(Compound(data), "").mail(), within)


class _Outlook:
    """A message in a compound file, below `prefix`, which is "" or ends in "/"."""

    def __init__(self, compound: Compound, prefix: str) -> None:
        self._compound = compound
        self._prefix = prefix
        inner = (n.removeprefix(prefix) for n in compound.names() if n.startswith(prefix))
        self._storages = sorted({name.partition("/")[0] for name in inner if "/" in name})
        head = _HEAD_BYTES if not prefix else _HEAD_BYTES - 8
        self._numbers = dict(_fixed(compound.read(f"{prefix}{_PROPERTIES}") or b"", head))

    def mail(self) -> Mail:
        """Its headers, each on one line whatever it holds, text and what is attached."""
        mail = Mail(headers=[(label, markdown.one_line(said)) for label, said in self.headers()])
        text = self.text(mail.unread)
        if text.strip():
            mail.texts.append(text)
        for storage in self._storages:
            if storage.startswith("__attach"):
                self._attach(storage, mail)
        return mail

    def headers(self) -> Iterator[tuple[str, str]]:
        """The header lines above the text."""
        yield "Subject", self._string("", "subject")
        name = self._string("", "sender")
        address = self._string("", "sender_smtp") or self._string("", "sender_address")
        yield "From", _person(name, address)
        everyone = {
            self._string(each, "recipient_name"): self._string(each, "smtp_address")
            or self._string(each, "address")
            for each in self._storages
            if each.startswith("__recip")
        }
        for label, key in (("To", "to"), ("Cc", "cc"), ("Bcc", "bcc")):
            shown = [part.strip() for part in self._string("", key).rstrip("\0").split(";")]
            yield label, "; ".join(_person(p, everyone.get(p, "")) for p in shown if p)
        ticks = self._numbers.get(_SENT) or self._numbers.get(_RECEIVED)
        if ticks and ticks <= _LAST_TICK:
            sent = _EPOCH + dt.timedelta(microseconds=ticks // 10)
            yield "Date", sent.strftime("%Y-%m-%d %H:%M UTC")

    def text(self, unread: list[str]) -> str:
        """The text of the message; what of it could not be read is added to `unread`."""
        data = self._read("", "html", "0102")
        page = decode_html(data, decode_part) if data else self._string("", "html")
        text = html_text(page, titled=False)[1] or self._string("", "plain")
        if not text.strip() and self._read("", "rtf", "0102"):
            unread.append("the text, which is in RTF alone")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _attach(self, storage: str, mail: Mail) -> None:
        """Attach what is in a storage; one without a name and bytes is none."""
        names = (self._string(storage, key) for key in ("long_name", "name", "shown_name"))
        name = markdown.one_line(next(filter(None, names), ""))
        data = self._read(storage, "data", "0102")
        inner = f"{self._prefix}{storage}/__substg1.0_{_NUMBERS['data']}000D/"
        if data is not None:
            mail.attach(name or "attachment", data)
        elif self._compound.read(f"{inner}{_PROPERTIES}") is not None:
            name = f"{name.replace('/', '_') or 'message'}.msg"
            mail.enclose(name, lambda: _Outlook(self._compound, inner).mail())
        elif any(each.startswith(inner) for each in self._compound.names()):
            mail.name(name or "object", "object of another program")
        elif name:
            mail.name(name, "not in this file")

    def _read(self, storage: str, name: str, kind: str) -> bytes | None:
        """A property of the message, or of a storage in it, that is of a kind; None for none."""
        place = f"{self._prefix}{storage}/" if storage else self._prefix
        return self._compound.read(f"{place}__substg1.0_{_NUMBERS[name]}{kind}")

    def _string(self, storage: str, name: str) -> str:
        """A property that is text, "" where there is none."""
        if (wide := self._read(storage, name, "001F")) is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = (self._read(storage, name, "001E") or b"").rstrip(b"\0")
        page = self._numbers.get(_CODE_PAGE, 0)
        return (decode_named(narrow, f"cp{page}") if page else None) or decode_part(narrow)


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
