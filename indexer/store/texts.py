"""Cache of extracted text in the store: no file is parsed twice.

Keyed by the file's hash, its suffix, the extractors and the normaliser; compressed, bounded, and
safe to delete at any time, also while in use. Damaged entries are detected and dropped. Any number
of processes may read and write at once: entries appear atomically.

Beside a text stand the notes that callers made of it, by names of their own: they go where it goes.

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
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Protocol, TypeVar

from indexer.extract import REGISTRY, extensions, is_todays
from indexer.extract.normalise import NORMALISER, is_storable
from indexer.extract.own_properties import is_day
from indexer.files.opening import READ_ONLY
from indexer.parsers.limits import TEXT_CHARS
from indexer.parsers.protocol import PLACE, checked
from indexer.parsers.worker import Text
from indexer.store.folder import SUM_BYTES, key_of, keyed_sum, write_all

TEXTS_FOLDER = "texts"
KEPT_TEXT_BYTES = 1024 * 2**20  # compressed; books of a million characters: about three thousand
RESERVED_DISK_BYTES = 256 * 2**20  # a disk with less to spare is left to the index
_SHRINK_TO = 0.9  # of the bound, so that not every new text has to make room for itself

_Made = TypeVar("_Made")

FORMAT = f"corpus-agent text 5 {' '.join(PLACE)}\n".encode()
NOTE_FORMAT = b"corpus-agent note 3\n"
MAX_NOTE_BYTES = 2**20  # a larger one is not kept, and one that unpacks to more is none
# A new extractor may claim what another one used to read.
_NAMES = " ".join(extractor.name for extractor in REGISTRY)
_OURS = re.compile(r"[0-9a-f]{64}\.[0-9a-f]{16}(\.[0-9]+-[0-9]+\.new)?")
_LEVEL = 1  # zlib: 100 MB/s and more, at 1.1 times the size of level 6
_MAX_PACKED_BYTES = 7 * TEXT_CHARS  # one that is cut here counts as damaged
_MAX_ENCODED_BYTES = 6 * TEXT_CHARS  # UTF-8 and places; no entry that we wrote unpacks to more


class TextCache(Protocol):
    """Where texts are kept, by the hash and the name of their files."""

    def get(self, sha256: str, source: str) -> Text | None:
        """The cached text of a file, None if there is none."""
        ...

    def put(self, sha256: str, source: str, text: Text) -> None:
        """Keep the whole text of a file."""
        ...


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
        self._store = store
        self._folder = store / TEXTS_FOLDER
        self.key = key_of(store)
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
        return self._get(self._path(sha256, source), _unpacked)

    def notes(self, sha256: str | None) -> Notes:
        """What callers kept of the text of a file; of one without a hash nothing is kept."""
        return Notes(self, sha256)

    def _get(
        self, path: str, unpacked: Callable[[bytes, bytes, str], _Made | None]
    ) -> _Made | None:
        """What an entry holds, None if it is not there, not sound or outdated."""
        if not self._reuse:
            return None
        try:
            with _opened(path) as file:
                found = unpacked(file.read(_MAX_PACKED_BYTES), self.key, _name(path))
                if found is not None and self._writable:
                    # The time of last use, which decides what goes first. By descriptor: the seal
                    # lets no other file's time be changed.
                    os.utime(file.fileno())
        except OSError:  # none, or not for this user: either way it can be had from the file
            return None
        if found is None and self._writable:
            with contextlib.suppress(OSError):  # removed meanwhile
                Path(path).unlink()
        return found

    def put(self, sha256: str, source: str, text: Text) -> None:
        """Store the whole text of a file; evicts the least recently used entries if necessary.

        On a full or failing disk the text is not stored, which only costs time later.
        """
        assert text.complete
        if self._writable:
            self._put(self._path(sha256, source), self.packed(sha256, source, text))

    def packed(self, sha256: str, source: str, text: Text) -> bytes:
        """The entry of a file: format line, sum by the store's key and its name, packed text."""
        return packed_text(text, self.key, _name(self._path(sha256, source)))

    def adopt(self, sha256: str, source: str, data: bytes) -> bool:
        """Store an entry that another process packed; False, and nothing is stored, if it is none.

        Of that process nothing is believed but that the text is this file's.
        """
        path = self._path(sha256, source)
        if _unpacked(data, self.key, _name(path)) is None:
            return False
        if self._writable:
            self._put(path, data)
        return True

    def _put(self, path: str, data: bytes) -> bool:
        """Whether an entry could be stored."""
        new = f"{path}.{os.getpid()}-{threading.get_ident()}.new"
        try:
            if _free_bytes(self._store) < self._reserved_disk_bytes + len(data):
                return False
            try:
                _write(new, data)
            except FileNotFoundError:  # the first one there
                for folder in (self._folder, Path(path).parent):
                    folder.mkdir(mode=0o700, exist_ok=True)
                _write(new, data)
            Path(new).replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(new).unlink()
            return False
        self._count(len(data))
        return True

    def keep_only(self, hashes: Collection[str | None]) -> None:
        """Drop the texts of all other files, which were removed or changed.

        And those that an earlier version kept in 256 folders, where nothing is looked for now.
        """
        for entry in self._entries() if self._writable else ():
            folder, name = entry.path.parent, entry.path.name
            is_former = len(folder.name) > 1
            if is_former or name.partition(".")[0] not in hashes:
                entry.drop()
            if is_former:
                with contextlib.suppress(OSError):  # there are others in it
                    folder.rmdir()

    def _path(self, sha256: str, source: str) -> str:
        """The path of an entry; of the name, only the suffix affects which extractor is used.

        A string: a path as an object costs as much as the system calls for a small file. Sixteen
        folders, not 256, which would take 1 MB of a small store's disk.
        """
        suffix = PurePosixPath(source).suffix.lower()
        installed = extensions.for_suffix(suffix)
        as_what = _as_what(suffix, _NAMES if installed is None else installed.label)
        return self._entry(sha256, as_what)

    def _entry(self, sha256: str, way: str) -> str:
        """The path of what was made of a file in one way."""
        return f"{self._folder}/{sha256[:1]}/{sha256}.{way}"

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
class Notes:
    """What callers made of the text of one file, by names of their own; bounded with the texts."""

    _texts: Texts
    _sha256: str | None

    def get(self, about: str) -> bytes | None:
        """The note of that name, None if there is none. Whoever writes the store may write it."""
        return self._texts._get(self._path(about), _unpacked_note) if self._sha256 else None

    def put(self, about: str, data: bytes) -> bool:
        """Whether the note could be kept, in the place of a former one of that name."""
        if not (self._sha256 and self._texts._writable and len(data) <= MAX_NOTE_BYTES):
            return False
        body = zlib.compress(data, _LEVEL)
        path = self._path(about)
        packed = NOTE_FORMAT + keyed_sum(self._texts.key, body, _name(path)) + body
        return self._texts._put(path, packed)

    def _path(self, about: str) -> str:
        assert self._sha256
        way = hashlib.sha256(f"note\n{about}".encode()).hexdigest()[:16]
        return self._texts._entry(self._sha256, way)


@dataclass(frozen=True, slots=True)
class _Entry:
    path: Path
    bytes: int
    used_ns: int

    def drop(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()


@lru_cache(1_000)
def _as_what(suffix: str, names: str) -> str:
    """Which readers would read a file of this suffix, as part of an entry's name."""
    return hashlib.sha256(f"{suffix}\n{names}\n{NORMALISER}".encode()).hexdigest()[:16]


def _name(path: str) -> str:
    """The name of an entry: whose text it is, and how it was read."""
    return path.rpartition("/")[2]


def _write(path: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        file = os.open(path, flags)
    except FileExistsError:  # of a killed process, or another name of a file
        Path(path).unlink()
        file = os.open(path, flags)
    try:
        write_all(file, data)
    finally:
        os.close(file)


def _opened(path: str) -> BinaryIO:
    """A cache entry, open for reading; raises OSError for a link, and never waits."""
    descriptor = os.open(path, READ_ONLY)
    return os.fdopen(descriptor, "rb")


def _free_bytes(folder: Path) -> int:
    """Bytes that the user may still write on that disk."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def packed_text(text: Text, key: bytes, name: str) -> bytes:
    """The entry of that name: format line, sum of the rest by the store's key, compressed text."""
    about = {field.name: getattr(text, field.name) for field in fields(text)}
    del about["encoding"]
    body = json.dumps(about).encode() + b"\n" + zlib.compress(text.encoding, _LEVEL)
    return FORMAT + keyed_sum(key, body, name) + body


def _unpacked(data: bytes, key: bytes, name: str) -> Text | None:
    """The text, None if the entry is damaged, outdated, others', or disagrees with itself."""
    start = len(FORMAT) + SUM_BYTES
    body = memoryview(data)[start:]
    if not data.startswith(FORMAT) or keyed_sum(key, body, name) != data[len(FORMAT) : start]:
        return None
    try:  # who has seen the store may write an entry with the right sum
        head, _, packed = bytes(body).partition(b"\n")
        encoding = zlib.decompressobj().decompress(packed, _MAX_ENCODED_BYTES)
        text = Text(encoding=encoding, **json.loads(head))
        is_sound = _has_types(text) and checked(encoding) == _size(text)
    except (ValueError, TypeError, zlib.error, RecursionError):
        return None
    return text if is_sound and is_todays(text.extractor) else None


def _unpacked_note(data: bytes, key: bytes, name: str) -> bytes | None:
    """What a note holds, None if it is damaged or others'."""
    start = len(NOTE_FORMAT) + SUM_BYTES
    if not data.startswith(NOTE_FORMAT):
        return None
    if keyed_sum(key, data[start:], name) != data[len(NOTE_FORMAT) : start]:
        return None
    try:
        return zlib.decompressobj().decompress(data[start:], MAX_NOTE_BYTES)
    except zlib.error:
        return None


_FIELDS = {
    "extractor": str,
    "title": str,
    "lines": int,
    "chars": int,
    "remark": str,
    "author": str,
    "date": str,
}
_MAX_WORDS_CHARS = 1_000  # of a title or a remark


def _has_types(text: Text) -> bool:
    values: dict[str, Any] = {name: getattr(text, name) for name in _FIELDS}
    words = (value for value in values.values() if isinstance(value, str))
    return (
        text.complete is True
        and all(type(values[name]) is kind for name, kind in _FIELDS.items())
        and all(len(value) <= _MAX_WORDS_CHARS and is_storable(value) for value in words)
        and (not text.date or is_day(text.date))
    )


def _size(text: Text) -> tuple[int, int]:
    return text.lines, text.chars
