"""Mail: EML, EMLX, mbox, Outlook's MSG: subject, people, date, text, attachments.

Of plain text and HTML alternatives, the plain text is read. Attachments are documents behind marks,
attached messages too. Called through the registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.claims.suffixes import MBOX
from indexer.extract.extraction import Extraction, Within, part_lines
from indexer.extract.mail.message import mail_extraction, numbered
from indexer.extract.mail.mime import mail_of, parsed
from indexer.extract.mail.msg import read_message
from indexer.extract.members import Members
from indexer.records import Line

_LENGTH = re.compile(rb"\s{0,10}(\d{1,10})\s*\n")  # Apple's .emlx begins with the message's
_PLIST = re.compile(rb"<\?xml[^<>]*\?>\s*<!DOCTYPE plist ")
MAX_PLIST_BYTES = 65_536  # Apple's notes on a message, behind it


def read_eml(data: bytes, within: Within) -> Extraction:
    """Its subject, its lines, and those of what is attached."""
    return mail_extraction(mail_of(parsed(_of_apple(data))), within)


def _of_apple(data: bytes) -> bytes:
    """The message in an .emlx file, without the length before it and the notes behind it."""
    length = _LENGTH.match(data[:32])
    if length is None:
        return data
    message, end = data[length.end() :], int(length[1])
    if len(message) >= end and message[end:].lstrip()[:6] in (b"", b"<?xml "):
        return message[:end]
    notes = _PLIST.search(message, max(0, len(message) - MAX_PLIST_BYTES))
    ends = message[-MAX_PLIST_BYTES:].rstrip().endswith(b"</plist>")
    return message[: notes.start()].rstrip() if notes and ends else message


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
            yield from members.lines(numbered("Message", number, mail.members))
        members.finish()

    return Extraction(None, lines(), members.engines, members.unread, members.notes)


def read_msg(data: bytes, within: Within) -> Extraction:
    """The subject and lines of an Outlook message, and of what is attached."""
    return mail_extraction(read_message(data), within)
