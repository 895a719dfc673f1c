"""Compound files (OLE2): the streams of legacy Office documents and Outlook messages.

Called by `doc`, `ppt` and `mail`.
"""

from __future__ import annotations

import io
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
        """The title in its properties."""
        try:
            metadata = self._ole.get_metadata()
            title, page = metadata.title, metadata.codepage
            if isinstance(title, bytes):
                title = title.decode(f"cp{page}" if page and page > 0 else "utf-8", "replace")
        except (*OLE_ERRORS, UnreadableDocument):
            return None  # broken properties: the text is what counts
        return usable_title(title)
