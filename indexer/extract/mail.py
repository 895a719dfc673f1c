"""Mail: EML, mbox and Outlook's MSG: subject, people, date, text, names of attachments.

Attachments are listed and not opened; a forwarded message is read in place. Of plain text and HTML
alternatives, the plain text is read.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.header import decode_header
from email.message import Message

from indexer.extract import markdown
from indexer.extract.extraction import Extraction, part_lines, plain_lines
from indexer.extract.html import decode_html, html_text
from indexer.extract.legacy.msg import read_message
from indexer.extract.suffixes import MBOX
from indexer.extract.text import decode_part

_SHOWN = ("Subject", "From", "To", "Cc", "Bcc", "Reply-To", "Date")
_FOR_BROWSERS = frozenset({"text/css", "text/javascript"})  # in a page saved as one file
MAX_DEPTH = 16  # of messages within messages


@dataclass(slots=True)
class Mail:
    """The readable parts of a message."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    attachments: list[str] = field(default_factory=list)

    def blocks(self) -> Iterator[str]:
        """The message as it is read: headers, text, names of attachments."""
        yield "\n".join(f"{name}: {value}" for name, value in self.headers if value)
        yield from self.texts
        yield "\n".join(f"Attachment: {name}" for name in self.attachments)

    @property
    def subject(self) -> str | None:
        """Its subject, None where there is none."""
        return next((value for name, value in self.headers if name == "Subject" and value), None)


def read_eml(data: bytes) -> Extraction:
    """Its subject and lines."""
    if data[:10].strip().isdigit():  # Apple's .emlx: a count of bytes, then the message
        data = data.partition(b"\n")[2]
    mail = _mail(email.message_from_bytes(data))
    return Extraction(mail.subject, plain_lines([markdown.page(mail.blocks())]))


def read_mbox(data: bytes) -> Extraction:
    """The lines of its messages."""
    starts = [match.start() for match in MBOX.finditer(data)]
    ends = [*starts[1:], len(data)]

    def texts() -> Iterator[str]:
        for start, end in zip(starts, ends, strict=True):
            body = data[start:end].partition(b"\n")[2]
            mail = _mail(email.message_from_bytes(re.sub(rb"(?m)^>(>*From )", rb"\1", body)))
            yield markdown.page(mail.blocks())

    lines = (
        line
        for number, text in enumerate(texts(), start=1)
        for line in part_lines("Message", number, [text])
    )
    return Extraction(None, lines)


def read_msg(data: bytes) -> Extraction:
    """The subject and lines of an Outlook message."""
    mail = Mail()
    mail.headers, mail.texts, mail.attachments = read_message(data)
    return Extraction(mail.subject, plain_lines([markdown.page(mail.blocks())]))


def _mail(message: Message, depth: int = 0) -> Mail:
    mail = Mail()
    _headers(message, mail)
    _walk(message, mail, depth)
    return mail


def _headers(message: Message, mail: Mail) -> None:
    for name in _SHOWN:
        for value in message.get_all(name, []):
            mail.headers.append((name, markdown.one_line(_decoded(value))))


def _decoded(value: object) -> str:
    """A header's value with its encoded words read; an undecodable one as it stands."""
    pieces = []
    try:
        for part, charset in decode_header(str(value)):
            if isinstance(part, str):
                pieces.append(part)
            else:
                pieces.append(_text(part, charset))
    except (ValueError, LookupError):
        return str(value)
    return "".join(pieces)


def _walk(message: Message, mail: Mail, depth: int) -> None:
    kind = message.get_content_type()
    name = message.get_filename()
    parts = _parts(message) if depth < MAX_DEPTH else []
    if kind == "message/rfc822":
        for inner in parts:
            mail.texts += ["Forwarded message:", *_mail(inner, depth + 1).blocks()]
    elif kind == "multipart/alternative":
        for chosen in _best(parts):
            _walk(chosen, mail, depth + 1)
    elif message.is_multipart():
        for part in parts:
            _walk(part, mail, depth + 1)
    elif name or message.get_content_disposition() == "attachment":
        mail.attachments.append(markdown.one_line(_decoded(name or kind)))
    elif message.get_content_maintype() == "text" and kind not in _FOR_BROWSERS:
        mail.texts.append(_body(message, kind))


def _parts(message: Message) -> Sequence[Message]:
    payload = message.get_payload()
    if not isinstance(payload, list):
        return []
    return [part for part in payload if isinstance(part, Message)]


def _best(parts: Sequence[Message]) -> Sequence[Message]:
    """The alternative to read: non-empty plain text, else the last, which is the richest."""
    for part in parts:
        if part.get_content_type() == "text/plain" and _body(part, "text/plain").strip():
            return [part]
    return parts[-1:]


def _body(message: Message, kind: str) -> str:
    payload = message.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = message.get_content_charset()
    if kind == "text/html":
        return html_text(_text(data, charset) if charset else decode_html(data, decode_part))[1]
    return _text(data, charset).replace("\r\n", "\n").strip("\n")


def _text(data: bytes, charset: str | None) -> str:
    """Bytes decoded with the declared encoding, else with the detected one."""
    if charset and charset.lower() not in ("unknown-8bit", "us-ascii", "utf-8"):
        try:
            return data.decode(charset)
        except (LookupError, ValueError):
            pass  # a wrong name: then the bytes decide
    return decode_part(data)
