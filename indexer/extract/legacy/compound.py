"""Compound files (OLE2): the streams of legacy Office documents and Outlook messages.

Called by `doc`, `ppt`, `mail.msg` and `sheets.xls`.
"""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import usable_title

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

    def title(self) -> str | None:
        """The title in its properties; None if there is none or they are damaged."""
        try:
            stream = self.read("\x05SummaryInformation") or b""
            return usable_title(_title(stream))
        except (UnreadableDocument, struct.error):
            return None


_CODE_PAGE, _TITLE = 1, 2
_NARROW, _WIDE = 30, 31  # types of strings
MAX_PROPERTIES = 64


def _title(stream: bytes) -> str:
    """The title in a property set: [MS-OLEPS], section 2.21; "" where there is none.

    Not by olefile, whose reader of properties is unbounded on damaged files.
    """
    (start,) = struct.unpack_from("<I", stream, 44)
    _, count = struct.unpack_from("<II", stream, start)
    places = dict(
        struct.unpack_from("<II", stream, start + 8 + 8 * index)
        for index in range(min(count, MAX_PROPERTIES))
    )
    if _TITLE not in places:
        return ""
    kind, length = struct.unpack_from("<II", stream, start + places[_TITLE])
    begin = start + places[_TITLE] + 8
    if kind == _WIDE:
        return stream[begin : begin + 2 * length].decode("utf-16-le", "replace").rstrip("\0")
    page = 0
    if _CODE_PAGE in places:
        (page,) = struct.unpack_from("<H", stream, start + places[_CODE_PAGE] + 4)
    raw = stream[begin : begin + length].rstrip(b"\0") if kind == _NARROW else b""
    try:
        return raw.decode("utf-8" if page in (0, 65001) else f"cp{page}", "replace")
    except LookupError:
        return raw.decode("cp1252", "replace")
