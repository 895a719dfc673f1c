"""Extracted text, kept in the store: so that nothing is parsed twice.

Keyed by the file's hash, its suffix, the extractors and the normaliser; compressed, bounded, and
safe to delete at any time, also while it is read. What is damaged is noticed and made anew. Any
number of processes may read and write at once: entries appear whole or not at all.

Knows nothing of files or parsers. A store that may not be written is only read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import threading
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from indexer.extract import REGISTRY, is_todays
from indexer.extract.normalise import NORMALISER
from indexer.parsers.limits import TEXT_CHARS
from indexer.parsers.protocol import PLACE
from indexer.parsers.worker import Text

TEXTS_FOLDER = "texts"
KEPT_TEXT_BYTES = 1024 * 2**20  # compressed; books of a million characters: about three thousand
RESERVED_DISK_BYTES = 256 * 2**20  # a disk with less to spare is left to the index
_SHRINK_TO = 0.9  # of the bound, so that not every new text has to make room for itself

FORMAT = f"corpus-agent text 1 {' '.join(PLACE)}\n".encode()
# A new extractor may claim what another one used to read.
_NAMES = " ".join(extractor.name for extractor in REGISTRY)
_OURS = re.compile(r"[0-9a-f]{64}\.[0-9a-f]{16}(\.[0-9]+-[0-9]+\.new)?")
_LEVEL = 1  # zlib: 100 MB/s and more, at 1.1 times the size of level 6
_MAX_PACKED_BYTES = 7 * TEXT_CHARS  # one that is cut here counts as damaged
_MAX_ENCODED_BYTES = 6 * TEXT_CHARS  # UTF-8 and places; no entry that we wrote unpacks to more


class Texts:
    """The texts kept in one store; safe to use from several threads.

    Without `reuse` none that was kept before is given out, and each is kept anew; without `keep`
    none is kept.
    """

    def __init__(
        self,
        store: Path,
        *,
        reuse: bool = True,
        keep: bool = True,
        max_bytes: int = KEPT_TEXT_BYTES,
        reserved_disk_bytes: int = RESERVED_DISK_BYTES,
    ) -> None:
        self._folder = store / TEXTS_FOLDER
        self._writable = keep and os.access(store, os.W_OK)
        self._reuse = reuse
        self._max_bytes = max_bytes
        self._reserved_disk_bytes = reserved_disk_bytes
        self._bytes: int | None = None  # on disk, as far as known; looked up when first needed
        self._lock = threading.Lock()

    def get(self, sha256: str, source: str) -> Text | None:
        """The whole text of a file as today's extractors give it; None where none is kept.

        A damaged or outdated entry is removed and counts as none.
        """
        if not self._reuse:
            return None
        path = self._path(sha256, source)
        try:
            with _opened(path) as file:
                text = _unpacked(file.read(_MAX_PACKED_BYTES))
                if text is not None and self._writable:
                    # The time of last use, which decides what goes first. By descriptor: the seal
                    # lets no other file's time be changed.
                    os.utime(file.fileno())
        except OSError:  # none, or not for this user: either way it can be had from the file
            return None
        if text is None and self._writable:
            with contextlib.suppress(OSError):  # removed meanwhile
                path.unlink()
        return text

    def put(self, sha256: str, source: str, text: Text) -> None:
        """Keep the whole text of a file, and drop what was not used for longest if need be.

        Where the disk is short of space or refuses, the text is not kept: that only costs time.
        """
        assert text.complete
        if not self._writable:
            return
        data = _packed(text)
        path = self._path(sha256, source)
        new = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.new")
        try:
            if _free_bytes(self._folder.parent) < self._reserved_disk_bytes + len(data):
                return
            for folder in (self._folder, path.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            new.write_bytes(data)
            new.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                new.unlink()
            return
        self._count(len(data))

    def keep_only(self, hashes: Collection[str | None]) -> None:
        """Drop the texts of all other files: those that are gone or have changed."""
        if self._writable:
            for entry in self._entries():
                if entry.path.name.partition(".")[0] not in hashes:
                    entry.drop()

    def _path(self, sha256: str, source: str) -> Path:
        """Where the text of these bytes is: of a name, only the suffix bears on who reads them."""
        suffix = PurePosixPath(source).suffix.lower()
        as_what = hashlib.sha256(f"{suffix}\n{_NAMES}\n{NORMALISER}".encode()).hexdigest()[:16]
        return self._folder / sha256[:2] / f"{sha256}.{as_what}"

    def _count(self, added: int) -> None:
        """Keep to the bound, now that so many bytes came in."""
        with self._lock:
            if self._bytes is None:
                self._bytes = sum(entry.bytes for entry in self._entries())
            else:
                self._bytes += added
            if self._bytes > self._max_bytes:
                self._bytes = self._shrunk()

    def _shrunk(self) -> int:
        """The bytes that are left, after the entries not used for longest have gone."""
        entries = sorted(self._entries(), key=lambda entry: entry.used_ns)
        left = sum(entry.bytes for entry in entries)
        for entry in entries:
            if left <= _SHRINK_TO * self._max_bytes:
                break
            entry.drop()
            left -= entry.bytes
        return left

    def _entries(self) -> Iterator[_Entry]:
        """All entries of the folder, those that a killed process left unfinished included."""
        for folder, _, names in os.walk(self._folder):
            for name in filter(_OURS.fullmatch, names):
                path = Path(folder, name)
                with contextlib.suppress(FileNotFoundError):
                    info = path.stat()
                    yield _Entry(path, info.st_size, info.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class _Entry:
    path: Path
    bytes: int
    used_ns: int

    def drop(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()


def _opened(path: Path) -> BinaryIO:
    """A kept text, open for reading; raises OSError for a link. What is no file holds no text."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    return os.fdopen(descriptor, "rb")


def _free_bytes(folder: Path) -> int:
    """How much a user may still write there."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def _packed(text: Text) -> bytes:
    """A line that says what it is, the hash of the rest, the rest."""
    about = {field.name: getattr(text, field.name) for field in fields(text)}
    del about["encoding"]
    body = json.dumps(about).encode() + b"\n" + zlib.compress(text.encoding, _LEVEL)
    return FORMAT + hashlib.sha256(body).digest() + body


def _unpacked(data: bytes) -> Text | None:
    """The text, None where the bytes are not exactly what was written, or not of today."""
    start = len(FORMAT) + hashlib.sha256().digest_size
    body = memoryview(data)[start:]
    if not data.startswith(FORMAT) or hashlib.sha256(body).digest() != data[len(FORMAT) : start]:
        return None
    head, _, packed = bytes(body).partition(b"\n")
    encoding = zlib.decompressobj().decompress(packed, _MAX_ENCODED_BYTES)
    text = Text(encoding=encoding, **json.loads(head))
    return text if is_todays(text.extractor) else None
