"""Small true files that other documents stand in, and files of Apple's programs; see made_files."""

from __future__ import annotations

import io
import plistlib
import struct
import tarfile
import zipfile
from collections.abc import Iterable
from email.message import EmailMessage

from tests.support.places import TESTS

FILES = {path.name: path.read_bytes() for path in (TESTS / "files").iterdir()}
CONTACTS, CALENDAR = (FILES[name].decode() for name in ("a.vcf", "a.ics"))
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
    return FILES["a.key"]


def pages() -> bytes:
    """A body with a table anchored in it, a page header and a text box."""
    return FILES["b.pages"]


def numbers() -> bytes:
    """A sheet of one table: texts, a number, a share, an amount of money, a date."""
    return FILES["a.numbers"]


def _zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()
