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
from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.errors import CorpusError
from indexer.records import Fingerprint
from indexer.store.folder import VECTORS, translated, write_all
from indexer.store.vector_places import KEY_BYTES, VectorPlaces

# Embedded and saved together. Every machine that embeds two texts a second loses less than half a
# minute of it when it is killed.
SAVE_TEXTS = 64
# Vectors of text that is gone, kept for its return: a folder that was not mounted, another branch.
MAX_SPARE_BYTES = 256 * 2**20

# A block: this header, `count` keys, `count` vectors, each with its sum: a flipped bit leaves a
# vector as good as any. Only the last block can be torn.
_HEADER = struct.Struct("<4sI")
_SUM = struct.Struct("<I")
_FOUND = 65_536  # places that are noted together
_OURS = re.compile(r"[0-9a-f]{16}\.(vec|new)")

_Item = TypeVar("_Item")

Vectors = NDArray[np.float32]
# As vectors are kept, in half the bytes. A cosine changes by .0001 at most, the hundredth part of
# what int8 arithmetic changes; a query's vector stays as it is.
Kept = NDArray[np.float16]


class _BlockForm(NamedTuple):
    """How the vectors of a block are written."""

    magic: bytes
    dtype: np.dtype[Any]
    summed: bool

    def bytes(self, dimension: int) -> int:
        """Of one vector, without its sum."""
        return self.dtype.itemsize * dimension

    def width(self, dimension: int) -> int:
        """The bytes of one vector, with its sum."""
        return self.bytes(dimension) + (_SUM.size if self.summed else 0)


# The first is written; the others are of earlier versions.
_FORMS = (
    _BlockForm(b"vec3", np.dtype("<f2"), True),
    _BlockForm(b"vec2", np.dtype("<f4"), True),
    _BlockForm(b"vec1", np.dtype("<f4"), False),
)


def key_of(text: str) -> bytes:
    """The key of an embedded text, prefix included."""
    return hashlib.sha256(text.encode()).digest()


class VectorCache:
    """The vectors of one model in a store; opened on first use, empty if absent.

    Not `writable`, it is what another process appends to: `refresh` finds what was added.
    """

    def __init__(self, store: Path, fingerprint: Fingerprint, *, writable: bool = True) -> None:
        self._store = store
        self._writable = writable
        self._path = store / VECTORS / f"{model_key(fingerprint)}.vec"
        self._dimension = fingerprint.dimension
        self._width = _FORMS[0].width(self._dimension)
        # Where in the file a key's vector begins, times the number of forms, plus that of its form.
        self._places = VectorPlaces()
        self._file: int | None = None
        self._end = 0  # of the blocks that are known

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._file is not None:
            os.close(self._file)
        self._file = None
        self._places = VectorPlaces()
        self._end = 0

    def refresh(self) -> None:
        """Find the vectors that another process has added since the last look."""
        assert not self._writable
        try:
            if self._file is None:
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
                self._file = os.open(self._path, flags)
        except FileNotFoundError:
            return
        self._find(self._file)

    def _open(self) -> int:
        if self._file is None:
            assert self._writable, "to be refreshed first"
            with translated(self._store):
                self._path.parent.mkdir(mode=0o700, exist_ok=True)
                flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
                self._file = os.open(self._path, flags, 0o600)
                if os.fstat(self._file).st_nlink > 1:  # the same file elsewhere would be cut short
                    raise CorpusError(
                        f"{str(self._path)!r} is a file that has another name elsewhere.",
                        "corpus-agent makes none. Remove it, and run the same command again: its "
                        "vectors are computed anew.",
                    )
                self._find(self._file)
                os.ftruncate(self._file, self._end)  # what a killed writer left half written
        return self._file

    def _find(self, file: int) -> None:
        """Note the places of all vectors behind those that are known."""
        keys, places = bytearray(), array("q")
        for some, place, form in self._blocks(file, self._end):
            keys += some
            places.extend(self._places_in(place, form, len(some) // KEY_BYTES))
            self._end = place + len(some) // KEY_BYTES * _FORMS[form].width(self._dimension)
            if len(places) >= _FOUND:
                self._places.add(bytes(keys), places)
                keys, places = bytearray(), array("q")
        self._places.add(bytes(keys), places)

    def _places_in(self, start: int, form: int, count: int) -> range:
        """The places of the vectors of a block that begin at `start`."""
        step = _FORMS[form].width(self._dimension) * len(_FORMS)
        first = start * len(_FORMS) + form
        return range(first, first + count * step, step)

    def _blocks(self, file: int, start: int) -> Iterator[tuple[bytes, int, int]]:
        """The keys of each complete block, the offset of its vectors, the number of their form."""
        forms = {form.magic: number for number, form in enumerate(_FORMS)}
        size = os.fstat(file).st_size
        while start + _HEADER.size <= size:
            magic, count = _HEADER.unpack(os.pread(file, _HEADER.size, start))
            if magic not in forms:
                return
            vectors = start + _HEADER.size + count * KEY_BYTES
            start = vectors + count * _FORMS[forms[magic]].width(self._dimension)
            if start > size:
                return
            keys = os.pread(file, count * KEY_BYTES, vectors - count * KEY_BYTES)
            yield keys, vectors, forms[magic]

    def get(self, key: bytes) -> Kept | None:
        """The vector of a key: float16, (dimension,), of length 1; None if it is not cached."""
        if self._writable:
            self._open()
        known = self._places.get(key)
        if known is None or self._file is None:
            return None
        place, number = divmod(known, len(_FORMS))
        form = _FORMS[number]
        read = os.pread(self._file, form.width(self._dimension), place)
        data, checksum = read[: form.bytes(self._dimension)], read[form.bytes(self._dimension) :]
        if form.summed and checksum != _sum(data):
            return None
        vector = np.frombuffer(data, form.dtype)
        # After a power failure a block may hold zeros where data never reached the disk.
        with np.errstate(all="ignore"):  # squares of what is no vector may overflow
            length = np.linalg.norm(vector.astype(np.float32))
            whole = vector.size == self._dimension and abs(length - 1.0) < 1e-3
        return vector.astype(np.float16) if whole else None

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Store vectors, (len(keys), dimension), rounded to float16; replaces existing ones."""
        assert self._writable
        file = self._open()
        assert vectors.shape == (len(keys), self._dimension)
        end = os.fstat(file).st_size
        with translated(self._store):
            try:
                write_all(file, _block(keys, vectors))
            except BaseException:  # Ctrl-C too: the next block must begin where this one did
                os.ftruncate(file, end)
                raise
        start = end + _HEADER.size + len(keys) * KEY_BYTES
        self._places.add(b"".join(keys), self._places_in(start, 0, len(keys)))

    def flush(self) -> None:
        """Sync the file to disk."""
        if self._file is not None:
            os.fsync(self._file)

    def spare_bytes(self, needed: int) -> int:
        """Bytes of the folder beyond `needed` vectors of this model; at least 0."""
        folder = self._path.parent
        sizes = [path.stat().st_size for path in folder.iterdir()] if folder.is_dir() else []
        return max(0, sum(sizes) - needed * (self._width + KEY_BYTES))

    def keep(self, keys: Container[bytes]) -> None:
        """Drop all vectors except those of `keys`, and those of all other models."""
        file = self._open()
        fresh = self._path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            newest = (key for key in self._newest(file) if key in keys)
            for kept in _parts(newest, SAVE_TEXTS):
                found = ((key, self.get(key)) for key in kept)
                rows = {key: vector for key, vector in found if vector is not None}
                write_all(descriptor, _block(list(rows), list(rows.values())))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        fresh.replace(self._path)
        for other in self._path.parent.iterdir():
            if other != self._path and _OURS.fullmatch(other.name):
                other.unlink()
        self.close()

    def _newest(self, file: int) -> Iterator[bytes]:
        """Each key once, in the order of the file: where its newest vector is."""
        for keys, start, form in self._blocks(file, 0):
            listed = [keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES)]
            places = self._places_in(start, form, len(listed))
            yield from (
                key
                for key, place in zip(listed, places, strict=True)
                if self._places.get(key) == place
            )


class Vectored(Protocol):
    """Where vectors are kept, by the keys of their texts."""

    def get(self, key: bytes) -> Kept | None:
        """The vector of a key, None if it is not kept."""
        ...

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors, (len(keys), dimension), rounded to float16."""
        ...


def embed(
    texts: Iterable[str],
    encode: Callable[[Sequence[str]], Vectors],
    cache: Vectored,
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


def _parts(every: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    rest = iter(every)
    while part := list(islice(rest, size)):
        yield part


def model_key(fingerprint: Fingerprint) -> str:
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


def _block(keys: Sequence[bytes], vectors: Iterable[Vectors | Kept]) -> bytes:
    rows = [np.asarray(vector, _FORMS[0].dtype).tobytes() for vector in vectors]
    head = _HEADER.pack(_FORMS[0].magic, len(keys)) + b"".join(keys)
    return head + b"".join(row + _sum(row) for row in rows)


def _sum(data: bytes) -> bytes:
    return _SUM.pack(zlib.crc32(data))
