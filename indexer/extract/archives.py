"""Archives (ZIP, TAR) and compressed files: each file within is read as the file that it is.

Each member stands behind its own mark. Names lead nowhere, links are not followed, devices and
pipes are named and nothing else. Nothing is unpacked to disk, and all of it within one budget. A
file that is only compressed (gzip, bzip2, xz) is read as the one file within.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Self

from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from indexer.extract.claims.magic import is_tar
from indexer.extract.container import ZipParts
from indexer.extract.damage import BROKEN, what_broke
from indexer.extract.extraction import Budget, Extraction, Within
from indexer.extract.members import Member, archive_extraction, path_parts
from indexer.files.names import is_key

MAX_HEADER_BYTES = 2**20  # of a long name or of extended properties
_HEADERS = frozenset(
    {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
    | {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
)
_SUFFIXES = frozenset({".gz", ".bz2", ".xz", ".gzip", ".z"})
_SHORT = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}
_SHORT |= {".svgz": ".svg", ".emz": ".emf"}
_BLOCK = 512  # the first of an archive
PACKED_ERRORS = (*BROKEN, lzma.LZMAError)


def read_zip(data: bytes, within: Within) -> Extraction:
    """The lines of all members; raises UnreadableDocument("malformed").

    While they are read also "encrypted" where every member needs a password, and "unsupported"
    where none is a document.
    """
    return archive_extraction(
        lambda: _zip_members(ZipParts(data, locked=True)), within, "ZIP archive"
    )


def _zip_members(parts: ZipParts) -> Iterator[Member]:
    """The files in an archive; of several with one name the last, as programs unpack it."""
    stored = {info.filename: info for info in parts.members() if not info.is_dir()}
    return (Member(_zip_name(info), _zip_reader(parts, info)) for info in stored.values())


def _zip_name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x800:  # said to be UTF-8
        return info.filename
    try:  # zipfile took it for the first PC's page
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _zip_reader(parts: ZipParts, info: zipfile.ZipInfo) -> Callable[[Budget], bytes]:
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


# --- TAR ------------------------------------------------------------------------------------------


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
    return archive_extraction(lambda: _tar_members(data), within, "tar archive")


def _tar_members(data: bytes) -> Iterator[Member]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r|", tarinfo=_Header) as archive:
            for info in archive:
                if not info.isdir():
                    yield Member(info.name, _tar_reader(archive, info))
    except tarfile.TarError as error:
        raise UnreadableDocument("malformed", f"tar: {what_broke(error)}") from None


def _tar_reader(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[Budget], bytes]:
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
        budget.spend(len(data))
        return data

    return read


# --- Compressed files -----------------------------------------------------------------------------


def read_packed(data: bytes, within: Within) -> Extraction:
    """The title and lines of the file within; raises UnreadableDocument as its reader does."""
    budget = within.budget
    try:
        file = _opened(data)
        holds_files = is_tar(file.peek(_BLOCK)[:_BLOCK])  # which are counted one by one
        most = budget.unpacked_bytes if holds_files else budget.most_bytes()
        inner = file.read(most + 1)
    except PACKED_ERRORS as error:
        raise UnreadableDocument("malformed", what_broke(error)) from None
    except MemoryError:  # a window as large as the file says that it needs
        raise UnreadableDocument("too_large_unpacked") from None
    if len(inner) > most:
        raise UnreadableDocument("too_large_unpacked")
    if holds_files:
        return read_tar(inner, within)
    budget.spend(len(inner))
    name = _inner_name(within.name)
    if is_key(PurePosixPath(name).name):
        raise UnreadableDocument("secret")
    opened = open_document(inner, name, within=within.inner(name))
    return Extraction(
        opened.title or None, opened.lines, opened.engines, opened.unread, opened.notes, opened.own
    )


def _inner_name(name: str) -> str:
    """The name of the file within, without the compressor's ending."""
    path = PurePosixPath("/".join(path_parts(name)))
    suffix = path.suffix.lower()
    if suffix in _SUFFIXES and path.stem:
        return str(path.with_suffix(""))
    return str(path.with_suffix(_SHORT.get(suffix, path.suffix)))


def _opened(data: bytes) -> gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    file = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    return bz2.BZ2File(file) if data.startswith(b"BZh") else lzma.LZMAFile(file)
