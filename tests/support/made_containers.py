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


def message(*fields: tuple[int, int | bytes | str]) -> bytes:
    """A protobuf message."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def reference(number: int) -> bytes:
    return message((1, number))


def records(*objects: tuple[int, int, bytes, tuple[int, ...]]) -> bytes:
    """A file of records (number, kind, message, objects that it names), packed as Apple does."""
    plain = b""
    for number, kind, data, references in objects:
        named = [(5, b"".join(map(varint, references)))] if references else []
        head = message((1, number), (2, message((1, kind), (3, len(data)), *named)))
        plain += varint(len(head)) + head + data
    out = b""
    for at in range(0, len(plain), 2**16):
        piece = plain[at : at + 2**16]
        packed = varint(len(piece)) + b"\xf4" + struct.pack("<H", len(piece) - 1) + piece
        out += b"\0" + struct.pack("<I", len(packed))[:3] + packed
    return out


def _zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _storage(number: int, text: str, kind: int = 3) -> tuple[int, int, bytes, tuple[int, ...]]:
    return number, 2001, message((1, kind), (3, text)), ()


def keynote() -> bytes:
    """Two slides, which stand in the show in another order than in the file, and a template."""
    show = message((3, message((2, reference(11)), (2, reference(12)))))
    nodes = [
        (11, 4, message((2, reference(30))), (30,)),
        (12, 4, message((2, reference(20))), (20,)),
    ]
    slides = {}
    for number, title, text in ((20, "Timetable", SENTENCE), (30, "Opening", "welcome")):
        note = number + 5
        slides[f"Index/Slide-{number}.iwa"] = records(
            (
                number,
                5,
                message((5, reference(number + 1)), (27, reference(note))),
                (number + 1, number + 2, note),
            ),
            (number + 2, 2011, b"", (number + 3,)),
            _storage(number + 3, text),
            (number + 1, 7, b"", (number + 4,)),
            _storage(number + 4, title),
            (note, 15, b"", (number + 6,)),
            _storage(number + 6, f"say {title} slowly", kind=4),
        )
    document = records((1, 1, message((2, reference(2))), (2,)), (2, 2, show, (11, 12)), *nodes)
    template = records(_storage(90, "Click to edit"))
    return _zipped(
        {"Index/Document.iwa": document, "Index/TemplateSlide-9.iwa": template, **slides}
    )


def pages() -> bytes:
    """A body with a table anchored in it, a page header and a text box."""
    anchored = message((1, message((1, 10), (2, reference(5)))))
    body = message((1, 0), (3, f"Timetable\n{SENTENCE}\n\ufffc\nthe end"), (9, anchored))
    return _zipped(
        {
            "Index/Document.iwa": records(
                (1, 10_000, b"", (2, 3, 4)),
                (2, 2001, body, (5,)),
                _storage(3, "printed on every page", kind=1),
                (4, 2011, b"", (6,)),
                _storage(6, "in a box"),
                (5, 2003, message((1, reference(50))), (50,)),
                *_table(50, "Fares", [["Port", "Fare"], ["Vigo", 7.5]]),
            )
        }
    )


def numbers() -> bytes:
    """A sheet of one table: texts, a number, a share, an amount of money, a date."""
    rows = [
        ["Port", "Fare", "Share", "Price", "Since", "Remark"],
        ["Vigo", 7.5, (0x2000, 0.25), (0x4000, 12.0), (0x4, 775_990_800.0), SENTENCE],
        ["Cangas", 1200000.0],
    ]
    return _zipped(
        {
            "Index/Document.iwa": records(
                (1, 1, message((1, reference(2))), (2,)),
                (2, 2, message((1, "Costs"), (2, reference(50)), (2, reference(9))), (50, 9)),
                (9, 2011, b"", (10,)),
                _storage(10, "beside the table"),
            ),
            "Index/CalculationEngine.iwa": records(*_table(50, "Fares", rows)),
        }
    )


Cell = str | float | tuple[int, float]


def _table(
    first: int, name: str, rows: list[list[Cell]]
) -> list[tuple[int, int, bytes, tuple[int, ...]]]:
    """The records of a table, numbered from `first`."""
    strings: list[str] = []
    infos = b""
    for index, row in enumerate(rows):
        cells, offsets = b"", []
        for cell in row:
            offsets.append(len(cells))
            cells += _cell(cell, strings)
        packed = struct.pack(f"<{len(offsets)}h", *offsets)
        infos += message((5, message((1, index), (6, cells), (7, packed))))
    texts = message(*((3, message((1, key), (3, text))) for key, text in enumerate(strings)))
    formats = message(
        (3, message((1, 1), (6, message((1, 258), (2, 0))))),
        (3, message((1, 2), (6, message((1, 257), (2, 2), (3, "EUR"))))),
    )
    tiles = message((1, message((1, 0), (2, reference(first + 2)))), (2, 256))
    store = message((3, tiles), (4, reference(first + 3)), (22, reference(first + 4)))
    model = message((4, store), (6, len(rows)), (7, max(map(len, rows))), (8, name), (9, 1))
    return [
        (first, 6000, message((2, reference(first + 1))), (first + 1,)),
        (first + 1, 6001, model, (first + 2, first + 3, first + 4)),
        (first + 2, 6002, infos, ()),
        (first + 3, 6005, texts, ()),
        (first + 4, 6005, formats, ()),
    ]


def _cell(value: Cell, strings: list[str]) -> bytes:
    if isinstance(value, str):
        strings.append(value)
        return struct.pack("<BB6xII", 5, 3, 0x8, len(strings) - 1)
    flag, number = value if isinstance(value, tuple) else (0, value)
    if flag == 0x4:
        return struct.pack("<BB6xId", 5, 5, 0x4, number)
    kind, key = {0x4000: (10, 2), 0x2000: (2, 1), 0: (2, 0)}[flag]
    head = struct.pack("<BB6xI", 5, kind, 0x1 | flag)
    return head + _decimal(number) + (struct.pack("<I", key) if flag else b"")


def _decimal(number: float) -> bytes:
    """A number of at most four decimal places as a decimal of 128 bits."""
    exponent = 0x1820 - 4
    mantissa = round(number * 10_000)
    packed = bytearray(mantissa.to_bytes(14, "little")) + bytes(2)
    packed[14] = (exponent & 0x7F) << 1
    packed[15] = exponent >> 7
    return bytes(packed)


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
