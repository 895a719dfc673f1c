"""Compressed files (gzip, bzip2, xz): read as the one file within, or as its archive.

Unpacked in memory, as far as the budget reaches. Called through the registry.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Protocol

from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from indexer.extract.archives.tars import tar_extraction
from indexer.extract.claims.magic import is_tar
from indexer.extract.damage import BROKEN, what_broke
from indexer.extract.extraction import Budget, Extraction, Within
from indexer.extract.members import path_parts
from indexer.files.names import is_key
from indexer.records import Line

_SUFFIXES = frozenset({".gz", ".bz2", ".xz", ".gzip", ".z"})
_SHORT = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}
_SHORT |= {".svgz": ".svg", ".emz": ".emf"}
_BLOCK = 512  # the first of an archive
PACKED_ERRORS = (*BROKEN, lzma.LZMAError)


def read_packed(data: bytes, within: Within) -> Extraction:
    """The title and lines of the file within; raises UnreadableDocument as its reader does."""
    stream = io.BufferedReader(_Unpacking(data, within.budget), 2**16)
    head = stream.peek(_BLOCK)
    if is_tar(head[:_BLOCK]):
        return tar_extraction(stream, within, counted=True)
    most = within.budget.most_bytes() + len(head)
    inner = stream.read(most + 1)
    if len(inner) > most:
        raise UnreadableDocument("too_large_unpacked")
    name = inner_name(within.name)
    if is_key(PurePosixPath(name).name):
        raise UnreadableDocument("secret")
    return _through(inner, within.inner(name))


def inner_name(name: str) -> str:
    """The name of the file within, without the compressor's ending."""
    path = PurePosixPath("/".join(path_parts(name)))
    suffix = path.suffix.lower()
    if suffix in _SUFFIXES and path.stem:
        return str(path.with_suffix(""))
    return str(path.with_suffix(_SHORT.get(suffix, path.suffix)))


def _through(data: bytes, within: Within) -> Extraction:
    opened = open_document(data, within.name, within=within)
    engines: set[str] = set()
    unread: list[str] = []
    notes: list[str] = []

    def lines() -> Iterator[Line]:
        yield from opened.lines
        engines.update(opened.extractor.split("+")[1:])
        unread.extend(opened.unread)
        notes.extend(opened.notes)

    return Extraction(opened.title or None, lines(), engines, unread, notes, opened.own)


class _Unpacking(io.RawIOBase):
    """The unpacked bytes of a file, taken from the budget as they are read."""

    def __init__(self, data: bytes, budget: Budget) -> None:
        super().__init__()
        self._file = _opened(data)
        self._budget = budget

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: object) -> int:
        """As files do; raises UnreadableDocument, "malformed" or "too_large_unpacked"."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            piece = self._file.read(len(view))
        except PACKED_ERRORS as error:
            raise UnreadableDocument("malformed", what_broke(error)) from None
        except MemoryError:  # a window as large as the file says that it needs
            raise UnreadableDocument("too_large_unpacked") from None
        if len(piece) > self._budget.unpacked_bytes:
            raise UnreadableDocument("too_large_unpacked")
        self._budget.unpacked_bytes -= len(piece)
        view[: len(piece)] = piece
        return len(piece)


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


def _opened(data: bytes) -> _Readable:
    file = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if data.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return lzma.LZMAFile(file)
