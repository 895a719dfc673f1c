"""Small true files that other documents stand in; see made_files."""

from __future__ import annotations

import io
import plistlib
import tarfile
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
