"""Cache of extracted text in the store: no file is parsed twice.

Keyed by the file's hash, its suffix, the extractors and the normaliser; compressed, bounded, and
safe to delete at any time, also while in use. Damaged entries are detected and dropped. Any number
of processes may read and write at once: entries appear atomically.

Does not open documents or parse. A read-only store is used read-only.
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

FORMAT = f"corpus-agent text 2 {' '.join(PLACE)}\n".encode()
# A new extractor may claim what another one used to read.
_NAMES = " ".join(extractor.name for extractor in REGISTRY)
_OURS = re.compile(r"[0-9a-f]{64}\.[0-9a-f]{16}(\.[0-9]+-[0-9]+\.new)?")
_LEVEL = 1  # zlib: 100 MB/s and more, at 1.1 times the size of level 6
_MAX_PACKED_BYTES = 7 * TEXT_CHARS  # one that is cut here counts as damaged
_MAX_ENCODED_BYTES = 6 * TEXT_CHARS  # UTF-8 and places; no entry that we wrote unpacks to more


class Texts:
    """The texts kept in one store; safe to use from several threads.

    Without `reuse` existing entries are ignored and replaced; without `keep` nothing is stored.
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
        """The cached text of a file from the current extractors, None if there is none.

        Damaged and outdated entries are removed.
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
        """Store the whole text of a file; evicts the least recently used entries if necessary.

        On a full or failing disk the text is not stored, which only costs time later.
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
        """Drop the texts of all other files, which were removed or changed."""
        if self._writable:
            for entry in self._entries():
                if entry.path.name.partition(".")[0] not in hashes:
                    entry.drop()

    def _path(self, sha256: str, source: str) -> Path:
        """The path of an entry; of the name, only the suffix affects which extractor is used."""
        suffix = PurePosixPath(source).suffix.lower()
        as_what = hashlib.sha256(f"{suffix}\n{_NAMES}\n{NORMALISER}".encode()).hexdigest()[:16]
        return self._folder / sha256[:2] / f"{sha256}.{as_what}"

    def _count(self, added: int) -> None:
        """Account for added bytes and evict entries beyond the bound."""
        with self._lock:
            if self._bytes is None:
                self._bytes = sum(entry.bytes for entry in self._entries())
            else:
                self._bytes += added
            if self._bytes > self._max_bytes:
                self._bytes = self._shrunk()

    def _shrunk(self) -> int:
        """Evict the least recently used entries; the bytes that remain."""
        entries = sorted(self._entries(), key=lambda entry: entry.used_ns)
        left = sum(entry.bytes for entry in entries)
        for entry in entries:
            if left <= _SHRINK_TO * self._max_bytes:
                break
            entry.drop()
            left -= entry.bytes
        return left

    def _entries(self) -> Iterator[_Entry]:
        """All entries of the folder, unfinished ones of killed processes included."""
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
    """A cache entry, open for reading; raises OSError for a link, and never waits."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    return os.fdopen(descriptor, "rb")


def _free_bytes(folder: Path) -> int:
    """Bytes that the user may still write on that disk."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def _packed(text: Text) -> bytes:
    """An entry: format line, hash of the rest, compressed text."""
    about = {field.name: getattr(text, field.name) for field in fields(text)}
    del about["encoding"]
    body = json.dumps(about).encode() + b"\n" + zlib.compress(text.encoding, _LEVEL)
    return FORMAT + hashlib.sha256(body).digest() + body


def _unpacked(data: bytes) -> Text | None:
    """The text, None if the entry is damaged or outdated."""
    start = len(FORMAT) + hashlib.sha256().digest_size
    body = memoryview(data)[start:]
    if not data.startswith(FORMAT) or hashlib.sha256(body).digest() != data[len(FORMAT) : start]:
        return None
    head, _, packed = bytes(body).partition(b"\n")
    encoding = zlib.decompressobj().decompress(packed, _MAX_ENCODED_BYTES)
    text = Text(encoding=encoding, **json.loads(head))
    return text if is_todays(text.extractor) else None
