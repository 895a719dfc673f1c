"""TAR archives, plain or as they come out of a compressor: read member by member, as a stream.

Names lead nowhere, links are not followed, and devices and pipes are named and nothing else.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterator
from typing import IO, Self

from indexer.errors import UnreadableDocument
from indexer.extract.damage import what_broke
from indexer.extract.extraction import Budget, Extraction, Within
from indexer.extract.members import Member, archive_extraction

MAX_HEADER_BYTES = 2**20  # of a long name or of extended properties
_HEADERS = frozenset(
    {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
    | {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
)


class _Header(tarfile.TarInfo):
    """A member's header; one that would fill the memory is damaged."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """The header in these bytes."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in _HEADERS and header.size > MAX_HEADER_BYTES:
            raise tarfile.ReadError("a header beyond its limit")
        return header


def read_tar(data: bytes, within: Within) -> Extraction:
    """The lines of all members; raises UnreadableDocument as a ZIP archive does."""
    return tar_extraction(io.BytesIO(data), within, counted=False)


def tar_extraction(stream: IO[bytes], within: Within, *, counted: bool) -> Extraction:
    """The lines of all members of a stream; `counted` if its bytes are in the budget already."""
    return archive_extraction(lambda: _members(stream, counted), within, "tar archive")


def _members(stream: IO[bytes], counted: bool) -> Iterator[Member]:
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive:
            for info in archive:
                if not info.isdir():
                    yield Member(info.name, _reader(archive, info, counted))
    except tarfile.TarError as error:
        raise UnreadableDocument("malformed", f"tar: {what_broke(error)}") from None


def _reader(
    archive: tarfile.TarFile, info: tarfile.TarInfo, counted: bool
) -> Callable[[Budget], bytes]:
    def read(budget: Budget) -> bytes:
        if info.issym() or info.islnk():
            raise UnreadableDocument("symlink")
        if not info.isreg():
            raise UnreadableDocument("special")
        if info.size > budget.most_bytes():
            raise UnreadableDocument("too_large_unpacked")
        file = archive.extractfile(info)
        assert file is not None, "a file has bytes"
        try:
            data = file.read()
        except tarfile.TarError as error:
            raise UnreadableDocument("malformed", f"tar: {what_broke(error)}") from None
        if not counted:
            budget.spend(len(data))
        return data

    return read
