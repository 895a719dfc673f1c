"""ZIP archives as one document: each member is read as the file that it is, behind its own mark.

Nothing is unpacked to disk. Called through the registry.
"""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Callable, Iterator

from indexer.errors import UnreadableDocument
from indexer.extract.container import ZipParts
from indexer.extract.extraction import Budget, Extraction, Within
from indexer.extract.members import Member, archive_extraction


def read_zip(data: bytes, within: Within) -> Extraction:
    """The lines of all members; raises UnreadableDocument("malformed").

    While they are read also "encrypted" where every member needs a password, and "unsupported"
    where none is a document.
    """
    return archive_extraction(lambda: _members(ZipParts(data, locked=True)), within, "ZIP archive")


def _members(parts: ZipParts) -> Iterator[Member]:
    """The files in an archive; of several with one name the last, as programs unpack it."""
    stored = {info.filename: info for info in parts.members() if not info.is_dir()}
    return (Member(_name(info), _reader(parts, info)) for info in stored.values())


def _name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x800:  # said to be UTF-8
        return info.filename
    try:  # zipfile took it for the first PC's page
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _reader(parts: ZipParts, info: zipfile.ZipInfo) -> Callable[[Budget], bytes]:
    def read(budget: Budget) -> bytes:
        if stat.S_ISLNK(info.external_attr >> 16):
            raise UnreadableDocument("symlink")
        if info.flag_bits & 1:
            raise UnreadableDocument("encrypted")
        if info.file_size > budget.most_bytes():
            raise UnreadableDocument("too_large_unpacked")
        data = parts.unpacked(info, budget.most_bytes())
        budget.spend(len(data))
        return data

    return read
