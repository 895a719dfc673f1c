"""The passages of one version ranked by a vector or by words, confined to what a query looks at.

Row ids are those of one version of the table; conditions are in SQL, "" for none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.store.lance import ROW_ID, SCORE, Table
from indexer.store.tables import FULL_TEXT_COLUMN, trained_partitions

if TYPE_CHECKING:
    import pyarrow as pa

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

FUSED = ["source", "ordinal", "page_start", "language"]  # columns
KEPT_CONDITIONS = 8  # with the rows that fulfil them
# Of an index of vectors: partitions that are looked through, and how many times as many rows as
# are asked for are compared by the vectors themselves.
PARTITIONS = 256
REFINED = 2
# More rows by words than are asked for: LanceDB hands out equal scores in any order, and the first
# of them are to be the same each time.
TIED = 64


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows of one version, best first: their ids, uint64 (n,), and scores, float64 (n,)."""

    ids: NDArray[np.uint64]
    scores: NDArray[np.float64]

    @classmethod
    def best(cls, ids: NDArray[np.uint64], scores: NDArray[np.floating[Any]], limit: int) -> Ranked:
        """The rows with the best scores; ties by id."""
        if len(scores) > limit:  # all that are as good as the last one, of which the ids decide
            least = np.partition(-scores, limit - 1)[limit - 1]
            at = np.flatnonzero(~(-scores > least))
            ids, scores = ids[at], scores[at]
        order = np.lexsort((ids, -scores))[:limit]
        return cls(ids[order], scores[order].astype(np.float64))

    @classmethod
    def merged(cls, found: Sequence[Ranked], limit: int) -> Ranked:
        """The best rows of several rankings; of equal ones those of the first ranking."""
        ids = np.concatenate([each.ids for each in found])
        scores = np.concatenate([each.scores for each in found])
        best = np.argsort(-scores, kind="stable")[:limit]
        return cls(ids[best], scores[best])

    @classmethod
    def none(cls) -> Ranked:
        """No rows."""
        return cls(np.empty(0, np.uint64), np.empty(0))

    def first(self, count: int) -> Ranked:
        """The best rows alone."""
        return Ranked(self.ids[:count], self.scores[:count])

    def more(self, other: Ranked) -> Ranked:
        """These rows, and behind them those of `other` that are not among them."""
        new = ~np.isin(other.ids, self.ids)
        ids = np.concatenate([self.ids, other.ids[new]])
        return Ranked(ids, np.concatenate([self.scores, other.scores[new]]))


@dataclass(frozen=True, slots=True)
class Pool:
    """What rows are fused by, in the order of `ids`; `vectors` are float32, (rows, dimension)."""

    ids: NDArray[np.uint64]
    sources: list[str]
    ordinals: list[int]
    pages: list[int | None]
    languages: list[str]
    vectors: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        ids: NDArray[np.uint64],
        rows: pa.Table,
        places: NDArray[np.intp],
        vectors: NDArray[np.float32],
    ) -> Pool:
        """The rows at some places of a result that has the columns FUSED."""
        at = places.tolist()  # one by one: arrow's own way would be imported for it
        sources, ordinals, pages, languages = (
            [column[place].as_py() for place in at] for column in map(rows.column, FUSED)
        )
        return cls(ids, sources, ordinals, pages, languages, vectors[places])

    @classmethod
    def joined(cls, every: Sequence[Pool]) -> Pool:
        """The rows of all pools, one behind the other."""
        pools = [pool for pool in every if len(pool.ids)]
        if not pools:
            return cls(np.empty(0, np.uint64), [], [], [], [], np.empty((0, 0), np.float32))
        return cls(
            np.concatenate([pool.ids for pool in pools]),
            [source for pool in pools for source in pool.sources],
            [ordinal for pool in pools for ordinal in pool.ordinals],
            [page for pool in pools for page in pool.pages],
            [language for pool in pools for language in pool.languages],
            np.concatenate([pool.vectors for pool in pools]),
        )


class Vectors:
    """All vectors of the version that a table stands at, in memory, or LanceDB's index of them."""

    def __init__(self, table: Table) -> None:
        self._table = table
        # One version never changes, and a filter is asked for again and again.
        self._among: dict[str, NDArray[np.uint64]] = {}  # ids by condition

    @cached_property
    def _all(self) -> tuple[NDArray[np.uint64], NDArray[np.float32], pa.Table] | None:
        """Ids of all rows in order, their vectors, their columns FUSED; None with an index."""
        if trained_partitions([index.name for index in self._table.indices()]):
            return None
        found = self._table.rows([*FUSED, "vector", ROW_ID])
        ids = found[ROW_ID].to_numpy()
        if np.any(ids[1:] < ids[:-1]):
            order = np.argsort(ids)
            found, ids = found.take(order), ids[order]
        return ids, vectors_of(found), found.select(FUSED)

    def nearest(self, vector: NDArray[np.float32], limit: int, where: str) -> Ranked:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        if self._all is None:
            # LanceDB compares 16 bits a dimension with 16 of the query, which is wrong by some
            # .00002: of what it finds nearest more is taken, and compared anew.
            found = self._table.nearest(vector, REFINED * limit, where, PARTITIONS)
            cosines = np.vecdot(vectors_of(found), vector)
            return Ranked.best(found[ROW_ID].to_numpy(), cosines, limit)
        ids, matrix, _ = self._all
        # Row by row: a row's cosine does not depend on the others.
        cosines = np.vecdot(matrix, vector)
        if not where:
            return Ranked.best(ids, cosines, limit)
        at = np.searchsorted(ids, kept(self._among, where, self._ids_where))
        return Ranked.best(ids[at], cosines[at], limit)

    def _ids_where(self, where: str) -> NDArray[np.uint64]:
        ids: NDArray[np.uint64] = self._table.rows([ROW_ID], where)[ROW_ID].to_numpy()
        return ids

    def pool(self, ids: NDArray[np.uint64]) -> Pool:
        """What rows are fused by."""
        if self._all is None:
            rows, places = rows_of(self._table, ids, [*FUSED, "vector"])
            return Pool.of(ids, rows, places, vectors_of(rows))
        known, matrix, columns = self._all
        return Pool.of(ids, columns, np.searchsorted(known, ids), matrix)


def worded(table: Table, text: str, limit: int, where: str, *, every_word: bool) -> Ranked:
    """The rows that share words with a text, or hold every word; the score is BM25, best first."""
    found = table.worded(text, FULL_TEXT_COLUMN, limit + TIED, where, every_word=every_word)
    return Ranked.best(found[ROW_ID].to_numpy(), found[SCORE].to_numpy(), limit)


def vectors_of(rows: pa.Table) -> NDArray[np.float32]:
    """The vectors of chunk rows: float32, (rows, dimension), of length 1 as before rounding."""
    column = rows["vector"]
    size = column.type.list_size
    values = [  # `flatten` would import arrow's way to compute, a twentieth of a search
        chunk.values.to_numpy()[chunk.offset * size : (chunk.offset + len(chunk)) * size]
        for chunk in column.chunks
    ]
    flat = np.concatenate(values) if values else np.empty(0)
    vectors = flat.astype(np.float32).reshape(len(column), size)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return vectors


def rows_of(
    table: Table, ids: NDArray[np.uint64], columns: list[str]
) -> tuple[pa.Table, NDArray[np.intp]]:
    """Columns of rows, and the place of each of the ids, which are different, among them."""
    rows = table.take(ids, columns)
    found = rows[ROW_ID].to_numpy()
    return rows, np.argsort(found)[np.argsort(np.argsort(ids))]


def kept(known: dict[_Key, _Value], key: _Key, make: Callable[[_Key], _Value]) -> _Value:
    """The value of a key, made if it is not among the last few.

    No method is held, as a cache of functools would: a snapshot that nobody holds goes at once.
    """
    value = known.get(key)
    if value is None:
        value = make(key)
        if len(known) >= KEPT_CONDITIONS:
            known.clear()
        known[key] = value
    return value
