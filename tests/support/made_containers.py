"""Small true files that other documents stand in, and files of Apple's programs; see made_files."""

from __future__ import annotations

import base64
import binascii
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


def seven_zip(members: dict[str, bytes], password: str | None = None) -> bytes:
    import py7zr

    buffer = io.BytesIO()
    with py7zr.SevenZipFile(buffer, "w", password=password) as archive:
        for name, data in members.items():
            archive.writestr(data, name)
    return buffer.getvalue()


def zstandard(data: bytes) -> bytes:
    from indexer.extract.archives.packed import zstd

    return zstd.compress(data)


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


def uuencoded(name: str, data: bytes) -> bytes:
    lines = b"".join(binascii.b2a_uu(data[at : at + 45]) for at in range(0, len(data), 45))
    return b"begin 644 " + name.encode() + b"\n" + lines + b"`\nend\n"


def tnef(subject: str, text: str, attached: dict[str, bytes]) -> bytes:
    """What Outlook sends as winmail.dat."""

    def attribute(level: int, tag: int, data: bytes) -> bytes:
        return (
            struct.pack("<BII", level, tag, len(data)) + data + struct.pack("<H", sum(data) % 2**16)
        )

    out = struct.pack("<IH", 0x223E9F78, 1) + attribute(1, 0x18004, subject.encode() + b"\0")
    wide = f"{text}\0".encode("utf-16-le")
    named = struct.pack("<HH16sIII", 0x0003, 0x8001, bytes(16), 0, 5, 7)
    body = struct.pack("<HHII", 0x001F, 0x1000, 1, len(wide)) + wide + bytes(-len(wide) % 4)
    out += attribute(1, 0x69003, struct.pack("<I", 2) + named + body)
    for name, data in attached.items():
        long_name = f"{name}\0".encode()
        padded = long_name + bytes(-len(long_name) % 4)
        properties = struct.pack("<IHHII", 1, 0x001E, 0x3707, 1, len(long_name)) + padded
        out += attribute(2, 0x69002, bytes(14)) + attribute(2, 0x18010, b"SHORT~1.TXT\0")
        out += attribute(2, 0x6800F, data) + attribute(2, 0x69005, properties)
    return out


# --- Contacts, calendars, notes -----------------------------------------------------------------

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


def enex(attached: bytes, name: str) -> bytes:
    """Two notes; a file of that name is attached to the first."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE en-export SYSTEM "http://x.example/e.dtd">'
        "<en-export><note><title>Shopping list</title><content><![CDATA[<?xml version='1.0'?>"
        '<!DOCTYPE en-note SYSTEM "http://x.example/enml2.dtd"><en-note><div><en-todo '
        f'checked="true"/>Milk</div><div><en-todo/>Bread &amp; butter</div><p>{SENTENCE}</p>'
        '<en-media type="image/png" hash="x"/></en-note>]]></content><created>20130730T205204Z'
        f"</created><tag>home</tag><resource><data encoding='base64'>\n"
        f"{base64.encodebytes(attached).decode()}</data><mime>application/pdf</mime>"
        f"<resource-attributes><file-name>{name}</file-name></resource-attributes></resource>"
        "</note><note><title>Second</title><content><![CDATA[<en-note>other words</en-note>]]>"
        "</content></note></en-export>"
    ).encode()


def webarchive(binary: bool = True) -> bytes:
    page = f"<html><head><title>Fähre</title></head><body><p>{SENTENCE}</p></body></html>"

    def resource(data: bytes, encoding: str) -> dict[str, object]:
        return {
            "WebResourceData": data,
            "WebResourceMIMEType": "text/html",
            "WebResourceTextEncodingName": encoding,
            "WebResourceURL": "https://example.org/",
        }

    archive = {
        "WebMainResource": resource(page.encode("latin-1"), "iso-8859-1"),
        "WebSubframeArchives": [{"WebMainResource": resource(b"<p>in a frame</p>", "UTF-8")}],
    }
    return plistlib.dumps(archive, fmt=plistlib.FMT_BINARY if binary else plistlib.FMT_XML)


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
    "a.txt.zst": zstandard(SENTENCE.encode()),
    "a.7z": seven_zip({"harbour/notes.txt": SENTENCE.encode(), "quay.png": PICTURE}),
    "a.emlx": emlx(bytes(mail("fares", ("notes.txt", SENTENCE.encode())))),
    "winmail.dat": tnef("Fares", "See what is attached.", {"notes.txt": SENTENCE.encode()}),
    "a.vcf": CONTACTS.encode(),
    "a.ics": CALENDAR.encode(),
    "a.enex": enex(b"words attached", "n.txt"),
    "a.webarchive": webarchive(),
    "a.key": keynote(),
    "b.pages": pages(),
    "a.numbers": numbers(),
}
