"""The vectors of texts that are in the index already, or wait to be: none is embedded twice.

Those of committed rows are read from the tables when they are asked for; what was read so,
and those of rows that wait for their commit, are in memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from indexer.records import Fingerprint
from indexer.store.lance import ROW_ID, Table

EMBEDDED_TOGETHER = 64  # texts
KEY_COLUMN = "vector_key"  # of the text that the vector was made from
KEY_BYTES = 32
UNIT = 1e-3  # how far from 1 the length of a vector may be
_KEYS_AT_ONCE = 65_536  # of a column that is read alone

Vectors = NDArray[np.float32]
# As vectors are kept, in half the bytes. A cosine changes by .0001 at most, the hundredth part of
# what int8 arithmetic changes; a query's vector stays as it is.
Kept = NDArray[np.float16]


def key_of(text: str) -> bytes:
    """The key of an embedded text, prefix included."""
    return hashlib.sha256(text.encode()).digest()


class KnownVectors:
    """The vectors of one model, by the keys of their texts: float16, (dimension,), of length 1."""

    def __init__(self) -> None:
        self.at_hand: dict[bytes, Kept] = {}
        self._open: Sequence[Callable[[], Table]] = ()
        self._rows: list[_Rows] | None = None

    def stand_at(self, *tables: Callable[[], Table], written: Iterable[bytes] = ()) -> None:
        """Take these tables' rows to be the committed ones; what was `written` is among them."""
        for key in written:
            self.at_hand.pop(key, None)
        self._open, self._rows = tables, None

    def find(self, keys: Iterable[bytes]) -> None:
        """Read the vectors of keys that are not at hand from the committed rows."""
        missing = [key for key in dict.fromkeys(keys) if key not in self.at_hand]
        if not missing:
            return
        if self._rows is None:
            self._rows = [_Rows(open_table()) for open_table in self._open]
        for rows in self._rows:
            self.at_hand.update(rows.vectors(missing))

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors, (len(keys), dimension), rounded to float16, until their rows are there."""
        self.at_hand.update(zip(keys, vectors.astype(np.float16), strict=True))


class _Rows:
    """The rows of one version of a table by the first bytes of their keys: 16 bytes a row."""

    def __init__(self, table: Table) -> None:
        self._table = table
        heads, ids = [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
        for batch in table.batches([KEY_COLUMN, ROW_ID], _KEYS_AT_ONCE):
            heads.append(_heads(batch.column(KEY_COLUMN).to_pylist()))
            ids.append(batch.column(ROW_ID).to_numpy())
        every = np.concatenate(heads)
        order = np.argsort(every, kind="stable")
        self._heads, self._ids = every[order], np.concatenate(ids)[order]

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Kept]:
        """The vectors of those of the keys that rows have; what is no vector is left out."""
        if not len(self._ids):
            return {}
        heads = _heads(keys)
        at = np.minimum(np.searchsorted(self._heads, heads), len(self._ids) - 1)
        ids = self._ids[at[self._heads[at] == heads]]
        if not len(ids):
            return {}
        rows = self._table.take(ids, [KEY_COLUMN, "vector"])
        vectors = rows["vector"].combine_chunks().flatten().to_numpy().reshape(len(rows), -1)
        sound = np.abs(np.linalg.norm(vectors.astype(np.float32), axis=1) - 1.0) < UNIT
        found = zip(rows[KEY_COLUMN].to_pylist(), vectors, sound, strict=True)
        return {key: vector for key, vector, is_sound in found if is_sound}


def _heads(keys: Sequence[bytes]) -> NDArray[np.uint64]:
    return np.frombuffer(b"".join(keys), ">u8")[:: KEY_BYTES // 8].astype(np.uint64)


def embed(
    texts: Iterable[str],
    encode: Callable[[Sequence[str]], Vectors],
    known: KnownVectors,
    *,
    reuse: bool = True,
) -> Iterator[tuple[list[bytes], int]]:
    """The keys of the texts in order, in batches, each with the number of texts embedded for it.

    The vectors of yielded keys are at hand. Without `reuse` every text is embedded.
    """
    rest = iter(texts)
    while part := list(islice(rest, EMBEDDED_TOGETHER)):
        keys = [key_of(text) for text in part]
        keyed = dict(zip(keys, part, strict=True))
        if reuse:
            known.find(keyed)
        missing = [key for key in keyed if not reuse or key not in known.at_hand]
        if missing:
            made = encode([keyed[key] for key in missing])
            assert np.allclose(np.linalg.norm(made, axis=1), 1.0, atol=UNIT)
            known.put(missing, made)
        yield keys, len(missing)


def model_key(fingerprint: Fingerprint) -> str:
    """Name for a model's vectors: of the fingerprint, what vectors depend on.

    The prefix of documents is part of the text that is embedded.
    """
    model = replace(
        fingerprint, document_prefix="", query_prefix="", chunker="", normaliser="", extractors={}
    )
    return hashlib.sha256(json.dumps(asdict(model), sort_keys=True).encode()).hexdigest()[:16]
