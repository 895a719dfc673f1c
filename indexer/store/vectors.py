"""The vectors of texts that are in the index already, or wait to be: none is embedded twice.

Those of committed rows are read from the tables when they are asked for; what was read so,
and those of rows that wait for their commit, are in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.store.lance import Table, open_table
from indexer.store.tables import KEY_COLUMN, Kept

if TYPE_CHECKING:
    import pyarrow as pa

EMBEDDED_TOGETHER = 64  # texts
UNIT = 1e-3  # how far from 1 the length of a vector may be

Vectors = NDArray[np.float32]


def key_of(text: str) -> bytes:
    """The key of an embedded text, prefix included."""
    return hashlib.sha256(text.encode()).digest()


class KnownVectors:
    """The vectors of one model, by the keys of their texts: float16, (dimension,), of length 1."""

    def __init__(self, store: Path) -> None:
        self.at_hand: dict[bytes, Kept] = {}
        self._store = store
        self._versions: list[int] = []
        self._tables: list[Table] = []

    def stand_at(self, versions: Iterable[int]) -> None:
        """Look in these versions of the chunks, which have the rows of all that was at hand."""
        self.at_hand.clear()
        self._versions, self._tables = [*versions], []

    def find(self, keys: Iterable[bytes]) -> None:
        """Read the vectors of keys that are not at hand from the committed rows, but damaged ones.

        A condition looks at the keys of all rows: 25 ms where there are a million.
        """
        missing = [f"X'{key.hex()}'" for key in dict.fromkeys(keys) if key not in self.at_hand]
        if not missing:
            return
        where = f"{KEY_COLUMN} IN ({', '.join(missing)})"
        self._tables = self._tables or [
            open_table(self._store, "chunks", version) for version in self._versions
        ]
        for table in self._tables:
            rows = table.rows([KEY_COLUMN, "vector"], where)
            for key, vector in zip(rows[KEY_COLUMN].to_pylist(), _vectors(rows), strict=True):
                if abs(np.linalg.norm(vector.astype(np.float32)) - 1.0) < UNIT:
                    self.at_hand[key] = vector

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors, (len(keys), dimension), rounded to float16, until their rows are there."""
        self.at_hand.update(zip(keys, vectors.astype(np.float16), strict=True))


def _vectors(rows: pa.Table) -> NDArray[np.float16]:
    """The vectors of rows as they are kept, (rows, dimension)."""
    flat: NDArray[np.float16] = rows["vector"].combine_chunks().flatten().to_numpy()
    return flat.reshape(len(rows), -1) if len(rows) else flat.reshape(0, 0)


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
