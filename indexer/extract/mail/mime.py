"""Mail as MIME (EML, EMLX, mbox, saved pages): headers, the text that a reader sees, attachments.

Of plain text and HTML alternatives, the plain text is read. Attachments are documents behind marks,
attached messages too. Called through the registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from email import message_from_bytes
from email.errors import InvalidBase64PaddingDefect
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from pathlib import PurePosixPath

from indexer.extract import markdown
from indexer.extract.claims.magic import MBOX
from indexer.extract.extraction import Extraction, Within, part_lines
from indexer.extract.html.page import decode_html, html_text
from indexer.extract.mail.message import Mail, mail_extraction
from indexer.extract.members import Member, Members
from indexer.extract.text.plain import decode_named, decode_part, is_text
from indexer.records import Line

_SHOWN = ("Subject", "From", "To", "Cc", "Bcc", "Reply-To", "Date")
_FOR_BROWSERS = frozenset({"text/css", "text/javascript"})  # in a page saved as one file
MAX_DEPTH = 16  # of parts within parts
MAX_HEADER_CHARS = 65_536  # in which words are decoded, at a cost that grows with their square
MAX_SUBJECT_CHARS = 60  # in the name of a message that is attached
# What a part is called that has no name, or one without an ending.
_ENDINGS = {
    "text/calendar": "invitation.ics",
    "text/vcard": "contact.vcf",
    "text/x-vcard": "contact.vcf",
    "text/directory": "contact.vcf",
    "text/csv": "table.csv",
    "text/tab-separated-values": "table.tsv",
    "text/html": "page.html",
    "text/markdown": "text.md",
    "text/plain": "text.txt",
    "text/rtf": "text.rtf",
    "application/rtf": "text.rtf",
    "application/json": "data.json",
    "application/xml": "data.xml",
    "text/xml": "data.xml",
    "application/pdf": "document.pdf",
    "application/zip": "archive.zip",
    "application/pkcs7-mime": "smime.p7m",
    "application/x-pkcs7-mime": "smime.p7m",
    "application/pkcs7-signature": "smime.p7s",
    "application/x-pkcs7-signature": "smime.p7s",
    "message/rfc822": "message.eml",
    "message/global": "message.eml",
}
# A part that is base64 and nothing else.
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{60}[A-Za-z0-9+/\s]*+={0,2}\s*\Z")
_OF_APPLE = re.compile(rb"\s{0,10}(\d{1,10})\s*\n")  # .emlx begins with its message's length


def read_eml(data: bytes, within: Within) -> Extraction:
    """Its subject, its lines, and those of what is attached."""
    if length := _OF_APPLE.match(data[:32]):
        data = data[length.end() :][: int(length[1])]
    return mail_extraction(mail_of(parsed(data)), within)


def read_mbox(data: bytes, within: Within) -> Extraction:
    """The lines of its messages, each with what is attached to it."""
    starts = [match.start() for match in MBOX.finditer(data)]
    ends = [*starts[1:], len(data)]
    members = Members(within)

    def lines() -> Iterator[Line]:
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1):
            body = data[start:end].partition(b"\n")[2]
            unquoted = re.sub(rb"(?m)^>(>*From )", rb"\1", body)
            mail = mail_of(parsed(unquoted))
            members.unread += (f"Message {number}: {each}" for each in mail.unread)
            yield from part_lines("Message", number, [mail.text()])
            own = (replace(each, name=f"Message {number}/{each.name}") for each in mail.members)
            yield from members.lines(own)
        members.finish()

    return Extraction(None, lines(), members.engines, members.unread, members.notes)


class _AsSent(Compat32):
    """Headers with their 8-bit bytes, which the library's own policy replaces by question marks."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        """The value with each 8-bit byte as a surrogate, for `decoded_header`."""
        return value


_AS_SENT = _AsSent()


def parsed(data: bytes) -> Message:
    """The message in these bytes, none of which is decoded yet."""
    return message_from_bytes(data, policy=_AS_SENT)


def mail_of(message: Message) -> Mail:
    """The readable parts of a message."""
    mail = Mail()
    charset = _charset_within(message)
    for name in _SHOWN:
        for value in message.get_all(name, []):
            mail.headers.append((name, markdown.one_line(decoded_header(value, charset))))
    _walk(message, mail, 0)
    return mail


def _charset_within(message: Message) -> str | None:
    """The first encoding that a part declares: that of bytes in headers, which declare none."""
    return next(filter(None, (part.get_content_charset() for part in message.walk())), None)


def decoded_header(value: str, charset: str | None = None) -> str:
    """A header's value with its encoded words read; an undecodable or endless one as it stands.

    8-bit bytes in it are UTF-8 where they can be, else of `charset`.
    """
    if not value.isascii():
        raw = value.encode("utf-8", "surrogateescape")
        text = decode_named(raw, "utf-8")
        value = _text(raw, charset) if text is None else text
    if len(value) > MAX_HEADER_CHARS:
        return value
    # What stands between encoded words comes from the library with its letters escaped.
    between = None if value.isascii() else "raw_unicode_escape"
    pieces = []
    try:
        for part, named in decode_header(value):
            if isinstance(part, str):
                pieces.append(part)
            elif named is None and between:
                pieces.append(part.decode(between))
            else:
                pieces.append(_text(part, named))
    except (ValueError, LookupError):
        return value
    return "".join(pieces)


def _walk(message: Message, mail: Mail, depth: int, texts: bool = True) -> None:
    """Add a part to the mail; without `texts`, what is attached in it alone."""
    kind = message.get_content_type()
    parts = _parts(message) if depth < MAX_DEPTH else []
    if kind in ("message/rfc822", "message/global"):
        _attach_message(message, mail)
    elif kind == "multipart/alternative" and depth < MAX_DEPTH:
        _alternative(parts, mail, depth, texts)
    elif kind == "message/delivery-status":
        mail.texts += filter(None, (_fields(part) for part in parts))
    elif message.is_multipart():
        if depth == MAX_DEPTH:
            mail.unread.append(f"parts within more than {MAX_DEPTH} others")
        for part in parts:
            _walk(part, mail, depth + 1, texts)
    elif _is_attached(message, kind):
        _attach(message, mail, kind)
    elif texts and kind not in _FOR_BROWSERS:
        _add_body(message, mail, kind)


def _alternative(parts: Sequence[Message], mail: Mail, depth: int, texts: bool) -> None:
    """The text of one alternative, and what is attached in any of them."""
    chosen = _best(parts)
    for part in parts:
        if part.get_content_type() == "text/calendar":
            _attach(part, mail, "text/calendar")
        else:
            _walk(part, mail, depth + 1, texts and part is chosen)


def _is_attached(message: Message, kind: str) -> bool:
    if message.get_filename() or message.get_content_disposition() == "attachment":
        return True
    # The pictures of a page that was saved as one file belong to its layout.
    return not kind.startswith("text/") and "Content-Location" not in message


def _parts(message: Message) -> Sequence[Message]:
    payload = message.get_payload()
    if not isinstance(payload, list):
        return []
    return [part for part in payload if isinstance(part, Message)]


def _best(parts: Sequence[Message]) -> Message | None:
    """The alternative to read: non-empty plain text, else the last, which is the richest."""
    for part in parts:
        if part.get_content_type() == "text/plain" and _payload(part)[0].strip():
            return part
    shown = [part for part in parts if part.get_content_type() != "text/calendar"]
    return shown[-1] if shown else None


def _fields(part: Message) -> str:
    return "\n".join(f"{name}: {decoded_header(value)}" for name, value in part.items())


def _attach_message(message: Message, mail: Mail) -> None:
    """Attach a message: as its parts, or as bytes where they were encoded against the rules."""
    parts = _parts(message)
    name = _name(message, "")
    if not parts or _encoding(message) == "base64":
        mail.attach(name or "message.eml", _payload(parts[0] if parts else message)[0])
        return
    (inner_message, *_) = parts
    charset = _charset_within(inner_message)
    subject = markdown.one_line(decoded_header(inner_message.get("Subject", ""), charset))
    name = name or f"{subject.replace('/', '_')[:MAX_SUBJECT_CHARS].strip(' .') or 'message'}.eml"

    def document(within: Within) -> Extraction:
        return mail_extraction(mail_of(inner_message), within)

    mail.attached.append(name)
    mail.members.append(Member(name, document=document))


def _name(message: Message, kind: str) -> str:
    """The name of a part, with an ending that fits its kind; "" where nothing names it."""
    name, usual = decoded_header(message.get_filename() or ""), _ENDINGS.get(kind, "")
    name = markdown.one_line(name)
    if not name:
        return usual
    return name if PurePosixPath(name).suffix else name + PurePosixPath(usual).suffix


def _attach(message: Message, mail: Mail, kind: str) -> None:
    data, damaged = _payload(message)
    name = _name(message, kind) or f"{kind.replace('/', ' ')} without a name"
    charset = message.get_content_charset() or "utf-8"
    if kind.startswith("text/") and charset not in ("utf-8", "us-ascii") and is_text(data):
        # The file within does not know what its part declares; of HTML it often does.
        data = data if kind == "text/html" else _text(data, charset).encode("utf-8", "replace")
    mail.attach(name, data)
    if damaged and data:
        mail.unread.append(f"{name} (damaged base64)")


def _add_body(message: Message, mail: Mail, kind: str) -> None:
    """Add a text of the body, unless it is no text at all."""
    data, damaged = _payload(message)
    if damaged and data:
        mail.unread.append("a part of the text (damaged base64)")
    if not is_text(data):
        mail.attach(f"{kind.replace('/', ' ')} without a name", data)
        return
    charset = message.get_content_charset()
    if kind == "text/html":
        mail.add_text(
            html_text(_text(data, charset) if charset else decode_html(data, decode_part))[1]
        )
    else:
        mail.add_text(_text(data, charset).replace("\r\n", "\n").strip("\n"))


def _encoding(message: Message) -> str:
    return str(message.get("Content-Transfer-Encoding", "")).strip().strip("\"'").lower()


def _payload(message: Message) -> tuple[bytes, bool]:
    """The bytes of a part, and whether some of it is damaged."""
    encoded = copy(message)
    del encoded["Content-Transfer-Encoding"]
    raw = encoded.get_payload(decode=True)
    if not isinstance(raw, bytes):
        return b"", False
    # Whatever the header says: what is called base64 may be prose, and the other way round.
    is_base64 = _BASE64.match(raw) is not None
    encoding = "base64" if is_base64 else _encoding(message)
    if encoding == "base64" and not is_base64 and b" " in raw.strip().partition(b"\n")[0]:
        return raw, False
    encoded["Content-Transfer-Encoding"] = encoding
    encoded.defects = []
    data = encoded.get_payload(decode=True)
    lost = [each for each in encoded.defects if not isinstance(each, InvalidBase64PaddingDefect)]
    return (data if isinstance(data, bytes) else b""), bool(lost)


def _text(data: bytes, charset: str | None) -> str:
    """Bytes decoded with the declared encoding, else with the detected one."""
    if not charset or charset.lower() in ("unknown-8bit", "us-ascii", "utf-8"):
        return decode_part(data)
    text = decode_named(data, charset)
    return decode_part(data) if text is None else text
