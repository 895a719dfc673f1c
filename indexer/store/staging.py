"""What other processes made of a shard of documents, until the writer takes it over.

A folder for each finished shard of this run; it appears at once, with all that belongs to it. A
shard's process can write here and nowhere else in the store. What it wrote is not believed: nothing
is opened through a link, nothing is read beyond a bound, and indexer.sync.shard_result checks every
field.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from indexer.errors import Refused
from indexer.files.opening import open_beneath
from indexer.parsers.limits import TEXT_CHARS
from indexer.parsers.worker import Text
from indexer.records import Fingerprint
from indexer.store.folder import flush, translated
from indexer.store.texts import Texts
from indexer.store.vectors import KEY_BYTES, KnownVectors, Vectors, model_key

STAGING = "staging"
_DOCUMENTS, _VECTORS, _TEXTS = "documents", "vectors.f2", "texts"

MAX_HEAD_BYTES = 2**16  # of a kept text
# A line holds a document's passages, a character of theirs written as six at most.
MAX_LINE_BYTES = 8 * TEXT_CHARS
MAX_FILE_BYTES = 4 * MAX_LINE_BYTES
_MODEL_BYTES = 16  # in front of the vectors: whose they are
_UNIT = 1e-3  # how far from 1 the length of a vector may be


class BadShard(Exception):
    """What stands in the folder of a shard is not what its process should have written."""


class StagedShard:
    """The folder of a shard while it is made; takes texts from several threads.

    Stands in for the store's texts: what they hold is not parsed again, what they lack is kept
    here. `vectors` are those that are made.
    """

    def __init__(self, store: Path, name: str, texts: Texts, model: Fingerprint) -> None:
        self._name = name
        self._store = store
        self._folder = store / STAGING / f"{name}.{secrets.token_hex(8)}.new"
        self._known_texts = texts
        self.vectors = KnownVectors(store)
        self._model = model
        self._lock = threading.Lock()
        with translated(store):
            self._folder.mkdir(mode=0o700)
            self._documents = self._created(_DOCUMENTS)
            self._texts = self._created(_TEXTS)

    def _created(self, name: str) -> BinaryIO:
        return (self._folder / name).open("xb")

    def get(self, sha256: str, source: str) -> Text | None:
        """The cached text of a file, None if there is none."""
        return self._known_texts.get(sha256, source)

    def put(self, sha256: str, source: str, text: Text) -> None:
        """Keep the whole text of a file."""
        data = self._known_texts.packed(sha256, source, text)
        head = json.dumps({"sha256": sha256, "source": source, "bytes": len(data)}).encode()
        with self._lock, translated(self._store):
            self._texts.write(head + b"\n" + data)

    def add(self, row: Sequence[object], chunks: Sequence[Sequence[object]]) -> None:
        """Write a document: the values of its row and of its chunks."""
        with translated(self._store):
            self._documents.write(json.dumps([row, chunks]).encode() + b"\n")

    def finish(self, embedded: int) -> None:
        """Write the rest, sync it to disk and give the folder its name.

        If another process has finished the same shard meanwhile, that one stays.
        """
        made = self.vectors.at_hand
        rows = b"".join(row.tobytes() for row in made.values())
        vectors = model_key(self._model).encode() + b"".join(made) + rows
        end = {"embedded": embedded, "vectors": hashlib.sha256(vectors).hexdigest()}
        with translated(self._store):
            self._documents.write(json.dumps(end).encode() + b"\n")
            self._documents.close()
            self._texts.close()
            (self._folder / _VECTORS).write_bytes(vectors)
            flush([self._folder / name for name in (_DOCUMENTS, _TEXTS, _VECTORS)])
            try:
                self._folder.rename(self._folder.with_name(self._name))
            except OSError:
                if not self._folder.with_name(self._name).is_dir():
                    raise
                self.abandon()

    def abandon(self) -> None:
        """Remove what was made so far."""
        for file in (self._documents, self._texts):
            with contextlib.suppress(OSError):  # a full disk takes no last words, and needs none
                file.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def make_staging(store: Path) -> None:
    """Make the folder of staged shards, empty of what a former run left; for the writer."""
    drop_staging(store)
    with translated(store):
        (store / STAGING).mkdir(mode=0o700)


def drop_staging(store: Path, name: str = "") -> None:
    """Remove one staged shard, or all of them and what unfinished ones left; for the writer.

    Of a link that stands in place of one the link is removed.
    """
    path = store / STAGING / name if name else store / STAGING
    with translated(store), contextlib.suppress(FileNotFoundError):
        if path.is_symlink() or path.is_file():
            path.unlink()
        else:
            shutil.rmtree(path)


def staged_lines(store: Path, name: str) -> Iterator[Any]:
    """Each document of a staged shard as JSON, then its end; raises BadShard."""
    with opened_part(store, name, _DOCUMENTS, MAX_FILE_BYTES) as file:
        while line := file.readline(MAX_LINE_BYTES):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                raise BadShard("a document that is no JSON") from None


def staged_vectors(
    store: Path, name: str, model: Fingerprint, sha256: str
) -> tuple[list[bytes], Vectors]:
    """The vectors of a staged shard by their keys.

    Raises BadShard if they are no vectors of this model, or not those with the hash `sha256`.
    """
    with opened_part(store, name, _VECTORS, MAX_FILE_BYTES) as file:
        data = file.read()
    if data[:_MODEL_BYTES] != model_key(model).encode():
        raise BadShard("vectors of another model")
    if hashlib.sha256(data).hexdigest() != sha256:
        raise BadShard("vectors that are not whole")
    count, rest = divmod(len(data) - _MODEL_BYTES, KEY_BYTES + 2 * model.dimension)
    if rest:
        raise BadShard("vectors of another length")
    start = _MODEL_BYTES + count * KEY_BYTES
    vectors = np.frombuffer(data, np.float16, offset=start).astype(np.float32)
    vectors = vectors.reshape(count, model.dimension)
    with np.errstate(all="ignore"):  # squares of what is no vector may overflow
        lengths = np.linalg.norm(vectors, axis=1)
    if not bool(np.all(np.abs(lengths - 1.0) < _UNIT)):  # NaN is not below it either
        raise BadShard("vectors that have not the length 1")
    keys = [data[at : at + KEY_BYTES] for at in range(_MODEL_BYTES, start, KEY_BYTES)]
    return keys, vectors


def adopt_texts(store: Path, name: str, into: Texts, hashes: Mapping[str, str | None]) -> None:
    """Take the texts of a staged shard over; `hashes` are those of its documents by source.

    Raises BadShard for a text of another file, and for what is no text.
    """
    with opened_part(store, name, _TEXTS, MAX_FILE_BYTES) as file:
        while head := file.readline(MAX_HEAD_BYTES):
            try:
                about = json.loads(head)
                sha256, source, size = about["sha256"], about["source"], about["bytes"]
            except (ValueError, KeyError, TypeError, RecursionError):
                raise BadShard("a text without a head") from None
            if not (isinstance(source, str) and type(size) is int and 0 < size <= MAX_FILE_BYTES):
                raise BadShard("a text without a size")
            if sha256 is None or hashes.get(source) != sha256:
                raise BadShard("a text of another file")
            if not into.adopt(sha256, source, file.read(size)):
                raise BadShard("a text that is none")


@contextlib.contextmanager
def opened_part(store: Path, name: str, part: str, most_bytes: int) -> Iterator[BinaryIO]:
    """A file of a staged shard, open for reading; raises BadShard for a link and past the bound."""
    try:
        descriptor = open_beneath(store / STAGING, f"{name}/{part}")
    except (OSError, Refused):
        raise BadShard(f"no file {part!r}") from None
    with os.fdopen(descriptor, "rb") as file:
        if os.fstat(descriptor).st_size > most_bytes:
            raise BadShard(f"{part!r} has more than {most_bytes:,} bytes")
        yield file
