"""7z archives, by py7zr, unpacked in memory. Called through the registry.

A solid archive is one stream, so its files are unpacked a batch at a time, in their order.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import brotli
import py7zr
from py7zr.exceptions import ArchiveError, PasswordRequired
from py7zr.io import Py7zIO, WriterFactory

from indexer.errors import UnreadableDocument
from indexer.extract.archives.packed import PACKED_ERRORS
from indexer.extract.damage import what_broke
from indexer.extract.extraction import Budget, Extraction, Within
from indexer.extract.members import Member, archive_extraction

MAX_BATCH_BYTES = 64 * 2**20  # unpacked at a time; each batch reads a solid archive anew
MAX_LISTED = 20_000  # names in an archive
# What py7zr and its decompressors raise for damaged archives.
_ERRORS = (
    *(ArchiveError, AssertionError, AttributeError, TypeError, MemoryError),
    *(brotli.error, *PACKED_ERRORS),
)


def read_sevenz(data: bytes, within: Within) -> Extraction:
    """The lines of all members; raises UnreadableDocument as a ZIP archive does."""
    return archive_extraction(lambda: _members(_Archive(data)), within, "7z archive")


class _Store(WriterFactory):
    """What is unpacked, in memory, by the number that stands for a name."""

    def __init__(self) -> None:
        self.files: dict[str, _Buffer] = {}

    def create(self, filename: str) -> Py7zIO:
        """The buffer of a file."""
        self.files[filename] = _Buffer()
        return self.files[filename]

    def bytes_of(self, number: int) -> bytes | None:
        """What was unpacked of a file; None if it was not reached."""
        buffer = self.files.pop(str(number), None)
        return None if buffer is None else buffer.data.getvalue()


class _Buffer(Py7zIO):
    """One file's bytes; as many as its batch may have."""

    def __init__(self) -> None:
        self.data = io.BytesIO()

    def write(self, s: bytes | bytearray) -> int:
        """Append bytes."""
        return self.data.write(s)

    def read(self, size: int | None = None) -> bytes:
        """The bytes from the position on."""
        return self.data.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move the position."""
        return self.data.seek(offset, whence)

    def flush(self) -> None:
        """Nothing: all is here."""

    def size(self) -> int:
        """The number of bytes."""
        return len(self.data.getbuffer())


class _Archive:
    """An opened archive whose files have their numbers for names, so that none leads anywhere."""

    def __init__(self, data: bytes) -> None:
        """Raises UnreadableDocument, "encrypted" or "malformed"."""
        try:
            self._archive = py7zr.SevenZipFile(io.BytesIO(data))
            self.locked = self._archive.needs_password()
            files = [*self._archive.files]
            self.files, self.unlisted = files[:MAX_LISTED], files[MAX_LISTED:]
            self.names = [str(file.filename) for file in self.files]
            for number, file in enumerate(self._archive.files.files_list):
                file["filename"] = str(number)
        except PasswordRequired:
            raise UnreadableDocument("encrypted", "a password is needed") from None
        except _ERRORS as error:
            raise _damaged(error) from None
        self._batch: range = range(0)
        self._store = _Store()

    def unpacked(self, number: int, budget: Budget) -> bytes:
        """The bytes of a file, with those of its batch; raises UnreadableDocument."""
        if number not in self._batch:
            self._unpack(self._batch_from(number, budget.most_bytes()))
        data = self._store.bytes_of(number)
        if data is None:
            raise UnreadableDocument("malformed")
        budget.spend(len(data))
        return data

    def size(self, number: int) -> int:
        """The bytes of a file, as the archive claims; no more are unpacked."""
        return int(self.files[number].uncompressed or 0)

    def _batch_from(self, number: int, most: int) -> range:
        end, size = number, 0
        while end < len(self.files):
            size += self.size(end)
            if end > number and size > min(most, MAX_BATCH_BYTES):
                break
            end += 1
        return range(number, end)

    def _unpack(self, batch: range) -> None:
        self._batch, self._store = batch, _Store()
        wanted = [str(each) for each in batch if not self.files[each].is_directory]
        try:
            self._archive.reset()
            self._archive.extract(targets=wanted, recursive=False, factory=self._store)
        except PasswordRequired:
            raise UnreadableDocument("encrypted") from None
        except _ERRORS as error:
            raise _damaged(error) from None


def _members(archive: _Archive) -> Iterator[Member]:
    for number, file in enumerate(archive.files):
        if not file.is_directory:
            yield Member(archive.names[number], _reader(archive, number))
    if archive.unlisted:
        raise UnreadableDocument("too_large_unpacked", f"more than {MAX_LISTED:,} names")


def _reader(archive: _Archive, number: int) -> Callable[[Budget], bytes]:
    def read(budget: Budget) -> bytes:
        file = archive.files[number]
        if file.is_symlink or file.is_junction:
            raise UnreadableDocument("symlink")
        if file.is_socket:
            raise UnreadableDocument("special")
        if archive.locked:
            raise UnreadableDocument("encrypted")
        if archive.size(number) > budget.most_bytes():
            raise UnreadableDocument("too_large_unpacked")
        return archive.unpacked(number, budget)

    return read


def _damaged(error: BaseException) -> UnreadableDocument:
    says = str(error) if isinstance(error, ArchiveError) else ""
    return UnreadableDocument("malformed", f"7z: {says or what_broke(error)}"[:200])
