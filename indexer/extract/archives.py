"""Archives (ZIP, TAR) and compressed files: each file within is read as the file that it is.

Names lead nowhere, links are not followed, devices and pipes are named and nothing else. Nothing is
unpacked to disk, and all of it within one budget. A file that is only compressed (gzip, bzip2, xz)
is read as the one file within.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from indexer.extract.claims.kinds import is_tar
from indexer.extract.container import ZipParts
from indexer.extract.extraction import BROKEN, Extraction, Within, what_broke
from indexer.extract.members import Member, Members, path_parts
from indexer.files.names import is_key

_BLOCK = 512  # the first of a TAR archive
_SUFFIXES = {".gz": "", ".bz2": "", ".xz": "", ".tgz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}


def read_zip(data: bytes, within: Within) -> Extraction:
    """The lines of all members; raises UnreadableDocument("malformed").

    While they are read also "encrypted" where every member needs a password, and "unsupported"
    where none is a document.
    """
    parts, members = ZipParts(data, locked=True), Members(within)
    # Of several with one name the last, as programs unpack it.
    stored = {info.filename: info for info in parts.members() if not info.is_dir()}
    found = (Member(_zip_name(i), partial(_zip_bytes, parts, i)) for i in stored.values())
    return members.extraction(None, members.lines(found), "ZIP archive")


def _zip_name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x800:  # said to be UTF-8
        return info.filename
    try:  # zipfile took it for the first PC's page
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _zip_bytes(parts: ZipParts, info: zipfile.ZipInfo, most: int) -> bytes:
    if stat.S_ISLNK(info.external_attr >> 16):
        raise UnreadableDocument("symlink")
    if info.flag_bits & 1:
        raise UnreadableDocument("encrypted")
    return parts.unpacked(info, most)


def read_tar(data: bytes, within: Within) -> Extraction:
    """The lines of all members; raises UnreadableDocument as a ZIP archive does."""
    members = Members(within)
    return members.extraction(None, members.lines(_tar_members(data)), "tar archive")


def _tar_members(data: bytes) -> Iterator[Member]:
    def read(info: tarfile.TarInfo, most: int) -> bytes:
        if info.issym() or info.islnk():
            raise UnreadableDocument("symlink")
        if not info.isreg():
            raise UnreadableDocument("special")
        if info.size > most:
            raise UnreadableDocument("too_large_unpacked")
        with _translated():
            file = archive.extractfile(info)
            assert file is not None, "a file has bytes"
            return file.read()

    with _translated():
        archive = tarfile.open(fileobj=io.BytesIO(data), mode="r|")  # noqa: SIM115 - of memory
        while (info := archive.next()) is not None:
            if not info.isdir():
                yield Member(info.name, partial(read, info))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except tarfile.TarError as error:
        raise UnreadableDocument("malformed", f"tar: {what_broke(error)}") from None


def read_packed(data: bytes, within: Within) -> Extraction:
    """The title and lines of the file within; raises UnreadableDocument as its reader does."""
    budget = within.budget
    try:
        file = _opened(data)
        holds_files = is_tar(file.peek(_BLOCK)[:_BLOCK])  # which are counted one by one
        most = budget.unpacked_bytes if holds_files else budget.most_bytes()
        inner = file.read(most + 1)
    except (*BROKEN, lzma.LZMAError) as error:
        raise UnreadableDocument("malformed", what_broke(error)) from None
    except MemoryError:  # a window as large as the file says that it needs
        raise UnreadableDocument("too_large_unpacked") from None
    if len(inner) > most:
        raise UnreadableDocument("too_large_unpacked")
    if holds_files:
        return read_tar(inner, within)
    budget.spend(len(inner))
    path = PurePosixPath("/".join(path_parts(within.name)))
    path = path.with_suffix(_SUFFIXES.get(path.suffix.lower(), path.suffix))
    if is_key(path.name):
        raise UnreadableDocument("secret")
    opened = open_document(inner, str(path), within=within.inner(str(path)))
    return Extraction(
        opened.title or None, opened.lines, opened.engines, opened.unread, opened.notes, opened.own
    )


def _opened(data: bytes) -> gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    file = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    return bz2.BZ2File(file) if data.startswith(b"BZh") else lzma.LZMAFile(file)
