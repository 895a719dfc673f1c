"""Small true files that other documents stand in, and files of Apple's programs; see made_files."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import plistlib
import struct
import tarfile
import zipfile
from collections.abc import Iterable
from email.message import EmailMessage

from tests.support.places import TESTS

SENTENCE = "The ferry leaves at nine."
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(20)


def tar(members: dict[str, bytes], mode: str = "w", more: Iterable[tarfile.TarInfo] = ()) -> bytes:
    """A TAR file of these members; `mode` "w:gz" and the like packs it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return buffer.getvalue()


# --- Mail ---------------------------------------------------------------------------------------


def mail(subject: str, *attached: tuple[str, bytes] | EmailMessage) -> EmailMessage:
    """A message that says "About" and its subject, with files or messages attached."""
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "Ana <ana@example.org>"
    message.set_content(f"About {subject}.")
    for each in attached:
        if isinstance(each, EmailMessage):
            message.add_attachment(each)
        else:
            message.add_attachment(
                each[1], maintype="application", subtype="octet-stream", filename=each[0]
            )
    return message


def emlx(message: bytes) -> bytes:
    notes = plistlib.dumps({"flags": 8590195713, "subject": "kept by the program"})
    return b"%d\n" % len(message) + message + notes


# --- Contacts, calendars -----------------------------------------------------------------

CONTACTS = f"""\
BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCrgen;;Dr.
TEL;WORK;VOICE:+49 30 1234
TEL;CELL:0170 99
ADR;HOME;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;;Stra=C3=9Fe 1=
2;Berlin;;10115;Germany
PHOTO;ENCODING=BASE64;TYPE=JPEG:/9j/4AAQSkZJRgABAQ
 AAAAAAAA

END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:Ana Ruiz
N:Ruiz;Ana;;;
TEL;TYPE="voice,work";VALUE=uri:tel:+34-600-000
item1.EMAIL;TYPE=INTERNET:ana@example.org
item1.X-ABLabel:_$!<School>!$_
ORG:Harbour Office;Fares
BDAY:--0304
NOTE:{SENTENCE} It is fol
 ded\\, with a comma\\nand a second line
END:VCARD
"""
CALENDAR = f"""\
BEGIN:VCALENDAR
VERSION:2.0
X-WR-CALNAME:Harbour dates
BEGIN:VTIMEZONE
TZID:Europe/Madrid
END:VTIMEZONE
BEGIN:VEVENT
UID:1
SUMMARY:Board meeting
DTSTART;TZID=Europe/Madrid:20250804T090000
DTEND;TZID="Europe/Madrid":20250804T103000
RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=1MO,-1FR;UNTIL=20251231T000000Z
EXDATE;TZID=Europe/Madrid:20250901T090000
ORGANIZER;CN="Ruiz, Ana":mailto:ana@example.org
ATTENDEE;CN=Bea;PARTSTAT=ACCEPTED:mailto:bea@example.org
LOCATION:Room 4\\, harbour
DESCRIPTION:{SENTENCE}\\nIt is fol
 ded
ATTACH;ENCODING=BASE64;VALUE=BINARY;FILENAME=n.txt:{base64.b64encode(b"words attached").decode()}
BEGIN:VALARM
TRIGGER:-PT15M
END:VALARM
END:VEVENT
BEGIN:VEVENT
SUMMARY:Fair
DTSTART;VALUE=DATE:20250810
DTEND;VALUE=DATE:20250812
END:VEVENT
BEGIN:VTODO
SUMMARY:Pay the rent
DUE:20250901T120000Z
END:VTODO
END:VCALENDAR
""".replace("\n", "\r\n")


# --- Apple's records ----------------------------------------------------------------------------


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def records(only: tuple[int, int, bytes, tuple[int, ...]]) -> bytes:
    """A file of one record (number, kind, message, what it names: nothing), as Apple packs it."""
    number, kind, data, _ = only
    about = b"\x08" + varint(kind) + b"\x18" + varint(len(data))
    head = b"\x08" + varint(number) + b"\x12" + varint(len(about)) + about
    piece = varint(len(head)) + head + data
    packed = varint(len(piece)) + b"\xf4" + struct.pack("<H", len(piece) - 1) + piece
    return b"\0" + struct.pack("<I", len(packed))[:3] + packed


def keynote() -> bytes:
    """Two slides, which stand in the show in another order than in the file, and a template."""
    return (TESTS / "files/a.key").read_bytes()


def pages() -> bytes:
    """A body with a table anchored in it, a page header and a text box."""
    return (TESTS / "files/b.pages").read_bytes()


def numbers() -> bytes:
    """A sheet of one table: texts, a number, a share, an amount of money, a date."""
    return (TESTS / "files/a.numbers").read_bytes()


def _zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


FILES: dict[str, bytes] = {
    "a.tar": tar({"harbour/notes.txt": SENTENCE.encode(), "quay.png": PICTURE}),
    "a.tar.gz": tar({"harbour/notes.txt": SENTENCE.encode()}, "w:gz"),
    "a.txt.gz": gzip.compress(SENTENCE.encode(), mtime=0),
    "a.txt.bz2": bz2.compress(SENTENCE.encode()),
    "a.txt.xz": lzma.compress(SENTENCE.encode()),
    "a.emlx": emlx(bytes(mail("fares", ("notes.txt", SENTENCE.encode())))),
    "a.vcf": CONTACTS.encode(),
    "a.ics": CALENDAR.encode(),
    "a.key": keynote(),
    "b.pages": pages(),
    "a.numbers": numbers(),
}
