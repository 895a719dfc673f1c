"""The passages of one version ranked by a vector or by words, confined to what a query looks at.

Row ids are those of one version of the table.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexer.store.lance import ROW_ID, Table
from indexer.store.tables import trained_partitions

if TYPE_CHECKING:
    import pyarrow as pa

FUSED = ["source", "ordinal", "page_start", "language"]  # columns
# Of an index of vectors: partitions that are looked through, and how many times as many rows as
# are asked for are compared by the vectors themselves.
PARTITIONS = 256
REFINED = 2

Ranking = dict[int, float]
"""Rows by their ids, best first, each with its score."""


class Candidate(NamedTuple):
    """What a row is fused with others by; its vector is float32, (dimension,)."""

    id: int
    source: str
    ordinal: int
    page: int | None
    language: str
    vector: NDArray[np.float32]


def best(ids: NDArray[np.uint64], scores: NDArray[np.floating[Any]], limit: int) -> Ranking:
    """The rows with the best scores; ties by id."""
    if len(scores) > limit:  # all that are as good as the last one, of which the ids decide
        least = np.partition(-scores, limit - 1)[limit - 1]
        at = np.flatnonzero(~(-scores > least))  # a score that is no number stays, and comes last
        ids, scores = ids[at], scores[at]
    order = np.lexsort((ids, -scores))[:limit]
    return dict(zip(ids[order].tolist(), scores[order].tolist(), strict=True))


class _Rows(NamedTuple):
    """Rows in memory: their ids, their vectors, float32 (rows, dimension), and their columns."""

    ids: NDArray[np.uint64]
    vectors: NDArray[np.float32]
    columns: pa.Table

    def places(self, ids: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.intp]:
        """Where the rows with these ids stand."""
        order = np.argsort(self.ids, kind="stable")
        return order[np.searchsorted(self.ids, np.asarray(ids, np.uint64), sorter=order)]


class Vectors:
    """All vectors of the version that a table stands at, in memory, or LanceDB's index of them."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @cached_property
    def _all(self) -> _Rows | None:
        """All rows; None where there is an index of their vectors."""
        if trained_partitions([index.name for index in self._table.indices()]):
            return None
        found = self._table.rows([*FUSED, "vector", ROW_ID])
        return _Rows(found[ROW_ID].to_numpy(), vectors_of(found), found.select(FUSED))

    @cached_property
    def _sources(self) -> list[str]:
        """The sources of all rows in memory."""
        assert self._all is not None
        return list(self._all.columns["source"].to_pylist())

    def nearest(
        self,
        vector: NDArray[np.float32],
        limit: int,
        among: Collection[str] | None = None,
        where: str = "",
    ) -> Ranking:
        """The rows nearest to a unit vector; the score is the cosine, best first.

        Of the sources `among` alone, which is what the condition `where` says in SQL.
        """
        if self._all is None:
            # LanceDB compares 16 bits a dimension with 16 of the query, which is wrong by some
            # .00002: of what it finds nearest more is taken, and compared anew.
            found = self._table.nearest(vector, REFINED * limit, where, PARTITIONS)
            cosines = np.vecdot(vectors_of(found), vector)
            return best(found[ROW_ID].to_numpy(), cosines, limit)
        ids = self._all.ids
        # Row by row: a row's cosine does not depend on the others.
        cosines = np.vecdot(self._all.vectors, vector)
        if among is not None:
            at = np.array([source in among for source in self._sources], bool)
            ids, cosines = ids[at], cosines[at]
        return best(ids, cosines, limit)

    def candidates(self, ids: Sequence[int]) -> list[Candidate]:
        """What rows are fused by, in the order of their ids."""
        rows = self._all
        if rows is None:
            found = self._table.take(ids, [*FUSED, "vector"])
            rows = _Rows(found[ROW_ID].to_numpy(), vectors_of(found), found)
        places = rows.places(ids).tolist()  # one by one: arrow's own way would be imported for it
        columns = [
            [column[at].as_py() for at in places] for column in map(rows.columns.column, FUSED)
        ]
        return [*map(Candidate, ids, *columns, rows.vectors[places])]


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
