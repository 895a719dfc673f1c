"""Cache of vectors by the text that was embedded: no text is embedded twice.

One file per model in the store, appended to as vectors are computed, long before their rows are
committed. So the work of a killed run is not lost, and a moved paragraph, a moved folder or a
rebuilt index costs no model time. Not part of the index: answers do not depend on it, and it may be
deleted while no writer runs. Used by the writer's process only, under its lock.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexer.records import Fingerprint
from indexer.store.folder import VECTORS, translated
from indexer.store.manifest import damaged

KEY_BYTES = 32  # SHA-256 of a text as the model saw it
# Embedded and saved together. Every machine that embeds two texts a second loses less than half a
# minute of it when it is killed.
SAVE_TEXTS = 64
# Vectors of text that is gone, kept for its return: a folder that was not mounted, another branch.
MAX_SPARE_BYTES = 256 * 2**20

# A block: this header, `count` keys, `count` vectors. Only the last one can be torn.
_HEADER = struct.Struct("<4sI")
_MAGIC = b"vec1"
_OURS = re.compile(r"[0-9a-f]{16}\.(vec|new)")

Vectors = NDArray[np.float32]


def key_of(text: str) -> bytes:
    """The key of an embedded text, prefix included."""
    return hashlib.sha256(text.encode()).digest()


class VectorCache:
    """The vectors of one model in a store; opened on first use, empty if absent."""

    def __init__(self, store: Path, fingerprint: Fingerprint) -> None:
        self._store = store
        self._path = store / VECTORS / f"{_model_key(fingerprint)}.vec"
        self._row_bytes = 4 * fingerprint.dimension
        self._dimension = fingerprint.dimension
        self._places: dict[bytes, int] = {}  # where in the file a key's vector begins
        self._file: int | None = None

    def __len__(self) -> int:
        self._open()
        return len(self._places)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._file is not None:
            os.close(self._file)
        self._file = None
        self._places = {}

    def _open(self) -> int:
        if self._file is None:
            with translated(self._store):
                self._path.parent.mkdir(mode=0o700, exist_ok=True)
                flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
                self._file = os.open(self._path, flags, 0o600)
                if os.fstat(self._file).st_nlink > 1:  # the same file elsewhere would be cut short
                    raise damaged(self._store, f"{self._path.name} has another name elsewhere")
                end = 0
                for keys, place in self._blocks(self._file):
                    for key in keys:
                        self._places[key] = place
                        place += self._row_bytes
                    end = place
                os.ftruncate(self._file, end)  # what a killed writer left half written
        return self._file

    def _blocks(self, file: int) -> Iterator[tuple[list[bytes], int]]:
        """The keys of each complete block, and the offset of its vectors."""
        size = os.fstat(file).st_size
        start = 0
        while start + _HEADER.size <= size:
            magic, count = _HEADER.unpack(os.pread(file, _HEADER.size, start))
            vectors = start + _HEADER.size + count * KEY_BYTES
            start = vectors + count * self._row_bytes
            if magic != _MAGIC or start > size:
                return
            keys = os.pread(file, count * KEY_BYTES, vectors - count * KEY_BYTES)
            yield [keys[i : i + KEY_BYTES] for i in range(0, len(keys), KEY_BYTES)], vectors

    def get(self, key: bytes) -> Vectors | None:
        """The vector of a key: float32, (dimension,), of length 1; None if it is not cached."""
        file = self._open()
        place = self._places.get(key)
        if place is None:
            return None
        vector = np.frombuffer(os.pread(file, self._row_bytes, place), np.float32)
        # After a power failure a block may hold zeros where data never reached the disk.
        with np.errstate(all="ignore"):  # squares of what is no vector may overflow
            whole = vector.size == self._dimension and abs(np.linalg.norm(vector) - 1.0) < 1e-3
        return vector if whole else None

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Store vectors, float32 (len(keys), dimension); replaces existing ones."""
        file = self._open()
        assert vectors.shape == (len(keys), self._dimension)
        end = os.fstat(file).st_size
        head = _HEADER.pack(_MAGIC, len(keys)) + b"".join(keys)
        with translated(self._store):
            try:
                _write_all(file, head + np.ascontiguousarray(vectors, np.float32).tobytes())
            except BaseException:  # Ctrl-C too: the next block must begin where this one did
                os.ftruncate(file, end)
                raise
        for row, key in enumerate(keys):
            self._places[key] = end + len(head) + row * self._row_bytes

    def flush(self) -> None:
        """Sync the file to disk."""
        if self._file is not None:
            os.fsync(self._file)

    def spare_bytes(self, needed: int) -> int:
        """Bytes of the folder beyond `needed` vectors of this model; at least 0."""
        folder = self._path.parent
        sizes = [path.stat().st_size for path in folder.iterdir()] if folder.is_dir() else []
        return max(0, sum(sizes) - needed * (self._row_bytes + KEY_BYTES))

    def keep(self, keys: Collection[bytes]) -> None:
        """Drop all vectors except those of `keys`, and those of all other models."""
        file = self._open()
        fresh = self._path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            kept = [key for key in self._places if key in keys]
            for start in range(0, len(kept), SAVE_TEXTS):
                some = kept[start : start + SAVE_TEXTS]
                rows = [os.pread(file, self._row_bytes, self._places[key]) for key in some]
                _write_all(descriptor, _HEADER.pack(_MAGIC, len(some)) + b"".join((*some, *rows)))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        fresh.replace(self._path)
        for other in self._path.parent.iterdir():
            if other != self._path and _OURS.fullmatch(other.name):
                other.unlink()
        self.close()


def embed(
    texts: Iterable[str],
    encode: Callable[[Sequence[str]], Vectors],
    cache: VectorCache,
    *,
    reuse: bool = True,
) -> Iterator[tuple[list[bytes], int]]:
    """The keys of the texts in order, in batches, each with the number of texts embedded for it.

    The vectors of yielded keys are in the cache. Without `reuse` every text is embedded.
    """
    for part in _parts(texts, SAVE_TEXTS):
        keys = [key_of(text) for text in part]
        missing = {
            key: text
            for key, text in zip(keys, part, strict=True)
            if not (reuse and cache.get(key) is not None)
        }
        if missing:
            made = encode(list(missing.values()))
            assert np.allclose(np.linalg.norm(made, axis=1), 1.0, atol=1e-3)
            cache.put(list(missing), made)
        yield keys, len(missing)


def _parts(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    rest = iter(texts)
    while part := list(islice(rest, size)):
        yield part


def _model_key(fingerprint: Fingerprint) -> str:
    """Name for a model's vectors: of the fingerprint, what vectors depend on."""
    model = replace(
        fingerprint,
        document_prefix="",  # part of the text that is embedded
        query_prefix="",
        chunker="",
        normaliser="",
        extractors={},
    )
    return hashlib.sha256(json.dumps(asdict(model), sort_keys=True).encode()).hexdigest()[:16]


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
