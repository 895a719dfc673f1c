"""Compound files (OLE2): the streams of legacy Office documents and Outlook messages."""

from __future__ import annotations

import io
import struct
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import OwnProperties, own_properties
from indexer.extract.text.plain import decode_named

if TYPE_CHECKING:
    import olefile

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# What olefile raises for damaged files, beside its own OSError.
OLE_ERRORS = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)


class Compound:
    """An opened compound file."""

    def __init__(self, data: bytes) -> None:
        """Raises UnreadableDocument("malformed")."""
        import olefile

        try:
            self._ole: olefile.OleFileIO = olefile.OleFileIO(io.BytesIO(data))
        except OLE_ERRORS as error:
            raise UnreadableDocument("malformed", f"compound file: {error}"[:200]) from None

    def names(self) -> list[str]:
        """Paths of all streams, "/" between storages; raises as `read` does."""
        try:
            return ["/".join(path) for path in self._ole.listdir()]
        except OLE_ERRORS as error:
            raise UnreadableDocument("malformed", f"compound file: {error}"[:200]) from None

    def read(self, name: str) -> bytes | None:
        """The bytes of a stream; None where there is none of that name.

        Raises UnreadableDocument("malformed") where its sectors cannot be followed.
        """
        try:
            if not self._ole.exists(name):
                return None
            with self._ole.openstream(name) as stream:
                return bytes(stream.read())
        except OLE_ERRORS as error:
            raise UnreadableDocument("malformed", f"{name}: {error}"[:200]) from None

    def properties(self) -> OwnProperties:
        """What it says of itself; nothing where that is damaged."""
        try:
            said = _properties(self.read("\x05SummaryInformation") or b"")
        except (UnreadableDocument, struct.error):
            return OwnProperties()
        return own_properties(
            said.get(_TITLE), said.get(_AUTHOR), *map(said.get, (_CREATED, _SAVED))
        )


_CODE_PAGE, _TITLE, _AUTHOR, _CREATED, _SAVED = 1, 2, 4, 12, 13
_NARROW, _WIDE, _TIME = 30, 31, 64  # types of values
_FIRST_TIME = datetime(1601, 1, 1, tzinfo=UTC)  # whence a time counts, in tenths of microseconds
MAX_PROPERTIES = 64


def _properties(stream: bytes) -> dict[int, str]:
    """The texts and days of a property set, [MS-OLEPS] 2.21; raises struct.error where damaged.

    Not by olefile, whose reader of properties is unbounded on damaged files.
    """
    (start,) = struct.unpack_from("<I", stream, 44)
    _, count = struct.unpack_from("<II", stream, start)
    found: dict[int, str] = {}
    code_page = "utf-8"
    for index in range(min(count, MAX_PROPERTIES)):
        number, place = struct.unpack_from("<II", stream, start + 8 + 8 * index)
        kind, length = struct.unpack_from("<II", stream, start + place)
        content = start + place + 8
        if number == _CODE_PAGE:
            page = length & 0xFFFF
            code_page = "utf-8" if page in (0, 65001) else f"cp{page}"
        elif kind == _WIDE:
            raw = stream[content : content + 2 * length]
            found[number] = raw.decode("utf-16-le", "replace").rstrip("\0")
        elif kind == _NARROW:
            raw = stream[content : content + length].rstrip(b"\0")
            found[number] = decode_named(raw, code_page) or raw.decode("cp1252", "replace")
        elif kind == _TIME:
            (ticks,) = struct.unpack_from("<Q", stream, start + place + 4)
            with suppress(OverflowError):
                found[number] = str((_FIRST_TIME + timedelta(microseconds=ticks // 10)).date())
    return found
