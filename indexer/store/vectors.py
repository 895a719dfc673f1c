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
import zlib
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

# A block: this header, `count` keys, `count` vectors, each with its sum: a flipped bit leaves a
# vector as good as any. Only the last block can be torn. Blocks of earlier versions have no sums.
_HEADER = struct.Struct("<4sI")
_MAGIC, _WITHOUT_SUMS = b"vec2", b"vec1"
_SUM = struct.Struct("<I")
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
        # Where in the file a key's vector begins; of one without a sum, the complement.
        self._places: dict[bytes, int] = {}
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
                for keys, place, width in self._blocks(self._file):
                    for key in keys:
                        self._places[key] = place if width > self._row_bytes else ~place
                        place += width
                    end = place
                os.ftruncate(self._file, end)  # what a killed writer left half written
        return self._file

    def _blocks(self, file: int) -> Iterator[tuple[list[bytes], int, int]]:
        """The keys of each complete block, the offset of its vectors, and bytes of each."""
        size = os.fstat(file).st_size
        start = 0
        while start + _HEADER.size <= size:
            magic, count = _HEADER.unpack(os.pread(file, _HEADER.size, start))
            vectors = start + _HEADER.size + count * KEY_BYTES
            width = self._row_bytes + (_SUM.size if magic == _MAGIC else 0)
            start = vectors + count * width
            if magic not in (_MAGIC, _WITHOUT_SUMS) or start > size:
                return
            keys = os.pread(file, count * KEY_BYTES, vectors - count * KEY_BYTES)
            yield [keys[i : i + KEY_BYTES] for i in range(0, len(keys), KEY_BYTES)], vectors, width

    def get(self, key: bytes) -> Vectors | None:
        """The vector of a key: float32, (dimension,), of length 1; None if it is not cached."""
        file = self._open()
        place = self._places.get(key)
        if place is None:
            return None
        read = os.pread(file, self._row_bytes + _SUM.size, place if place >= 0 else ~place)
        data, checksum = read[: self._row_bytes], read[self._row_bytes :]
        if place >= 0 and checksum != _sum(data):
            return None
        vector = np.frombuffer(data, np.float32)
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
        rows = [row.tobytes() for row in np.ascontiguousarray(vectors, np.float32)]
        with translated(self._store):
            try:
                _write_all(file, head + b"".join(row + _sum(row) for row in rows))
            except BaseException:  # Ctrl-C too: the next block must begin where this one did
                os.ftruncate(file, end)
                raise
        for row, key in enumerate(keys):
            self._places[key] = end + len(head) + row * (self._row_bytes + _SUM.size)

    def flush(self) -> None:
        """Sync the file to disk."""
        if self._file is not None:
            os.fsync(self._file)

    def spare_bytes(self, needed: int) -> int:
        """Bytes of the folder beyond `needed` vectors of this model; at least 0."""
        folder = self._path.parent
        sizes = [path.stat().st_size for path in folder.iterdir()] if folder.is_dir() else []
        return max(0, sum(sizes) - needed * (self._row_bytes + _SUM.size + KEY_BYTES))

    def keep(self, keys: Collection[bytes]) -> None:
        """Drop all vectors except those of `keys`, and those of all other models."""
        self._open()
        fresh = self._path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            kept = [key for key in self._places if key in keys]
            for start in range(0, len(kept), SAVE_TEXTS):
                found = ((key, self.get(key)) for key in kept[start : start + SAVE_TEXTS])
                rows = {key: vector.tobytes() for key, vector in found if vector is not None}
                summed = (row + _sum(row) for row in rows.values())
                head = _HEADER.pack(_MAGIC, len(rows)) + b"".join(rows)
                _write_all(descriptor, head + b"".join(summed))
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


def _sum(data: bytes) -> bytes:
    return _SUM.pack(zlib.crc32(data))


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
