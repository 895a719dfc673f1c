"""Compound files (OLE2): the streams of legacy Office documents and Outlook messages.

Called by `doc`, `ppt`, `mail.msg` and `sheets.xls`.
"""

from __future__ import annotations

import io
import struct
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.own_properties import OwnProperties, own_properties

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
        """Paths of all streams, "/" between storages."""
        return ["/".join(path) for path in self._ole.listdir()]

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
            stream = self.read("\x05SummaryInformation") or b""
            said = _Properties(stream)
            made = said.day(_CREATED) or said.day(_SAVED)
            return own_properties(said.text(_TITLE), said.text(_AUTHOR), made)
        except (UnreadableDocument, struct.error):
            return OwnProperties()


_CODE_PAGE, _TITLE, _AUTHOR, _CREATED, _SAVED = 1, 2, 4, 12, 13
_NARROW, _WIDE, _TIME = 30, 31, 64  # types of values
_FIRST_TIME = datetime(1601, 1, 1, tzinfo=UTC)  # whence a time counts, in tenths of microseconds
MAX_PROPERTIES = 64


class _Properties:
    """A property set: [MS-OLEPS], section 2.21; raises struct.error where it is damaged.

    Not by olefile, whose reader of properties is unbounded on damaged files.
    """

    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        (self._start,) = struct.unpack_from("<I", stream, 44)
        _, count = struct.unpack_from("<II", stream, self._start)
        self._places = dict(
            struct.unpack_from("<II", stream, self._start + 8 + 8 * index)
            for index in range(min(count, MAX_PROPERTIES))
        )

    def text(self, number: int) -> str:
        """A property that is a text; "" where there is none."""
        if number not in self._places:
            return ""
        kind, length = struct.unpack_from("<II", self._stream, self._start + self._places[number])
        begin = self._start + self._places[number] + 8
        if kind == _WIDE:
            raw = self._stream[begin : begin + 2 * length]
            return raw.decode("utf-16-le", "replace").rstrip("\0")
        raw = self._stream[begin : begin + length].rstrip(b"\0") if kind == _NARROW else b""
        page = self._code_page()
        try:
            return raw.decode("utf-8" if page in (0, 65001) else f"cp{page}", "replace")
        except LookupError:
            return raw.decode("cp1252", "replace")

    def day(self, number: int) -> str:
        """The day of a property that is a time, "" where there is none."""
        if number not in self._places:
            return ""
        at = self._start + self._places[number]
        kind, ticks = struct.unpack_from("<IQ", self._stream, at)
        if kind != _TIME:
            return ""
        try:
            return (_FIRST_TIME + timedelta(microseconds=ticks // 10)).date().isoformat()
        except OverflowError:
            return ""

    def _code_page(self) -> int:
        if _CODE_PAGE not in self._places:
            return 0
        (page,) = struct.unpack_from("<H", self._stream, self._start + self._places[_CODE_PAGE] + 4)
        return int(page)
