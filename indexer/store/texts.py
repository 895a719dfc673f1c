"""Cache of extracted text and recognised pages in the store: nothing is parsed or read twice.

Keyed by the file's hash, its suffix, the extractors and the normaliser; compressed, and safe to
delete at any time, also while in use. Any number of processes may read and write at once: entries
appear atomically. Recognised pages go where their text goes. Whoever has seen the store can write
an entry with the right sum, so what is read is checked as what a parser says.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import zlib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from itertools import count, takewhile
from pathlib import Path, PurePosixPath

from indexer.errors import CorpusError
from indexer.extract import REGISTRY, is_todays
from indexer.extract.normalise import NORMALISER
from indexer.files.opening import READ_ONLY
from indexer.parsers.limits import TEXT_CHARS
from indexer.parsers.pages import RecognisedPage, page_of
from indexer.parsers.protocol import PLACE
from indexer.parsers.worker import SAID, Text, text_said
from indexer.store.folder import SUM_BYTES, key_of, keyed_sum, write_new

TEXTS_FOLDER = "texts"
RESERVED_DISK_BYTES = 256 * 2**20  # a disk with less to spare is left to the index

FORMAT = f"corpus-agent text 7 {' '.join(PLACE)}\n".encode()
# A new extractor may claim what another one used to read.
_NAMES = " ".join(extractor.name for extractor in REGISTRY)
_PAGE = "note\npage {}"
_OURS = re.compile(r"[0-9a-f]{64}\.[0-9a-f]{16}(\.[0-9]+-[0-9]+\.new)?")
_LEVEL = 1  # zlib: 100 MB/s and more, at 1.1 times the size of level 6
_MAX_BYTES = 7 * TEXT_CHARS  # UTF-8 and places; an entry with more, packed or not, is damaged


class Texts:
    """The texts kept in one store; safe to use from several threads.

    Without `reuse` existing entries are ignored and replaced; without `keep` nothing is stored.
    """

    def __init__(self, store: Path, *, reuse: bool = True, keep: bool = True) -> None:
        self._store, self._reuse = store, reuse
        self.key = key_of(store)
        self._writable = keep and os.access(store, os.W_OK)

    def get(self, sha256: str, source: str) -> Text | None:
        """The cached text of a file from the current extractors, None if there is none."""
        held = self._read(self._path(sha256, _how_read(source)))
        return None if held is None else _text_in(held)

    def put(self, sha256: str, source: str, text: Text) -> None:
        """Store the whole text of a file; not on a full or failing disk, which only costs time."""
        assert text.complete
        if self._writable:
            about = json.dumps({name: getattr(text, name) for name in SAID}).encode()
            self._write(self._path(sha256, _how_read(source)), about + b"\n" + text.encoding)

    def page(self, sha256: str, number: int) -> RecognisedPage | None:
        """One recognised page of a document; None if it is not kept, or not soundly."""
        body = self._read(self._path(sha256, _PAGE.format(number)))
        try:
            page = page_of(json.loads(body or b"{}"))
        except (ValueError, RecursionError):
            return None
        return page if page.number == number else None

    def first_pages(self, sha256: str) -> dict[int, RecognisedPage]:
        """The recognised pages of a document from the first one on, as far as none is missing."""
        pages = takewhile(lambda page: page is not None, (self.page(sha256, n) for n in count(1)))
        return {page.number: page for page in pages if page is not None}

    def put_page(self, sha256: str, page: RecognisedPage) -> None:
        """Keep a page; raises CorpusError where the disk takes it not."""
        body = json.dumps(asdict(page), ensure_ascii=False).encode()
        path = self._path(sha256, _PAGE.format(page.number))
        if not (self._writable and self._write(path, body, spare_bytes=0)):
            raise CorpusError(
                f"The disk of {str(self._store)!r} is full. What was recognised before is kept.",
                "Free some space and run the same command again.",
            )

    def keep_only(self, hashes: Collection[str | None]) -> None:
        """Drop the texts of all other files, which were removed or changed."""
        for folder, _, names in os.walk(self._store / TEXTS_FOLDER):
            for name in filter(_OURS.fullmatch, names):
                if name.partition(".")[0] not in hashes:
                    with suppress(OSError):  # removed meanwhile
                        Path(folder, name).unlink()

    # ---- Entries

    def _path(self, sha256: str, how: str) -> str:
        """The path of what was made of a file in one way: an object costs as much as a read."""
        return f"{self._store}/{TEXTS_FOLDER}/{sha256[:1]}/{sha256}.{_short(how)}"

    def _read(self, path: str) -> bytes | None:
        """What an entry holds, None if it is not there or not sound."""
        if not self._reuse:
            return None
        try:
            with os.fdopen(os.open(path, READ_ONLY), "rb") as file:
                return _unpacked(file.read(_MAX_BYTES), self.key, path.rpartition("/")[2])
        except OSError:  # none, or not for this user: either way it can be had from the file
            return None

    def _write(self, path: str, body: bytes, spare_bytes: int = RESERVED_DISK_BYTES) -> bool:
        """Whether an entry with this content could be stored, and left so much of the disk."""
        data = packed(body, self.key, path.rpartition("/")[2])
        new = f"{path}.{os.getpid()}-{threading.get_ident()}.new"
        try:
            disk = os.statvfs(self._store)
            if disk.f_bavail * disk.f_frsize < spare_bytes + len(data):
                return False
            try:
                write_new(new, data, durable=False)
            except FileNotFoundError:  # the first one there
                for folder in (self._store / TEXTS_FOLDER, Path(path).parent):
                    folder.mkdir(mode=0o700, exist_ok=True)
                write_new(new, data, durable=False)
            Path(new).replace(path)
        except OSError:
            with suppress(OSError):
                Path(new).unlink()
            return False
        return True


def _how_read(source: str) -> str:
    """Which readers would read a file: of its name, only the suffix decides."""
    return f"{PurePosixPath(source).suffix.lower()}\n{_NAMES}\n{NORMALISER}"


@lru_cache(1_000)
def _short(how: str) -> str:
    return hashlib.sha256(how.encode()).hexdigest()[:16]


def packed(body: bytes, key: bytes, name: str) -> bytes:
    """The entry of that name: a format line, the sum of the rest by the store's key, and that."""
    rest = zlib.compress(body, _LEVEL)
    return FORMAT + keyed_sum(key, rest, name) + rest


def _unpacked(data: bytes, key: bytes, name: str) -> bytes | None:
    """What an entry of that name holds, None if it is damaged, outdated or others'."""
    start = len(FORMAT) + SUM_BYTES
    rest = memoryview(data)[start:]
    if not data.startswith(FORMAT) or keyed_sum(key, rest, name) != data[len(FORMAT) : start]:
        return None
    try:
        return zlib.decompressobj().decompress(rest, _MAX_BYTES)
    except zlib.error:
        return None


def _text_in(body: bytes) -> Text | None:
    """The text of an entry; None of another reader's, and of what no parser says."""
    head, _, encoding = body.partition(b"\n")
    try:
        about = json.loads(head)
        text = text_said(about, encoding)
    except (ValueError, AttributeError, RecursionError):
        return None
    return text if len(about) == len(SAID) and is_todays(text.extractor) else None
