"""Rows as a search ranks them: ids, scores, vectors. Of a small version all vectors in memory.

They are read from the table when the second query comes; every query then is one product. Row ids
are those of one version of the table. Called by the snapshot.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import Table

# 120,000 vectors of 384 dimensions, 60,000 of 768. Two cores compare them in 8 ms; an index over
# 100,000 takes 10, and 3 more to read the vectors of what it finds.
MAX_BYTES = 176 * 2**20
MOST_PARTS = 4  # in which rows are compared beside each other: memory is what they wait for
PART_ROWS = 10_000  # .6 ms; fewer are not worth a thread
SPARSE = 8  # where fewer than one in so many rows is asked for, these alone are compared
FUSED = ["source", "ordinal", "page_start", "language"]  # columns
ROW_ID = "_rowid"


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows of one version, best first: their ids, uint64 (n,), and scores, float64 (n,)."""

    ids: NDArray[np.uint64]
    scores: NDArray[np.float64]

    @classmethod
    def from_rows(cls, rows: pa.Table, scores: NDArray[np.float32]) -> Ranked:
        """The rows of a result that has their ids, with their scores. Ties by row id."""
        ids = rows[ROW_ID].to_numpy()
        order = np.lexsort((ids, -scores))
        return cls(ids[order], scores[order].astype(np.float64))

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
    """What rows are fused by, without their text: each list is in the order of `ids`.

    `vectors` are float32, (rows, dimension).
    """

    ids: NDArray[np.uint64]
    sources: list[str]
    ordinals: list[int]
    pages: list[int | None]
    languages: list[str]
    vectors: NDArray[np.float32]

    @classmethod
    def from_rows(
        cls, ids: NDArray[np.uint64], rows: pa.Table, vectors: NDArray[np.float32]
    ) -> Pool:
        """The rows of a result that has the columns FUSED."""
        sources, ordinals, pages, languages = (rows[name].to_pylist() for name in FUSED)
        return cls(ids, sources, ordinals, pages, languages, vectors)

    @classmethod
    def joined(cls, pools: Sequence[Pool]) -> Pool:
        """The rows of all pools, one behind the other."""
        if len(pools) == 1:
            return pools[0]
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


@dataclass(frozen=True, slots=True)
class ExactVectors:
    """All vectors of a version, float32 (rows, dimension), with their row ids and FUSED.

    `order` are the places of the rows by ascending id.
    """

    ids: NDArray[np.uint64]
    matrix: NDArray[np.float32]
    columns: pa.Table
    order: NDArray[np.intp]

    @classmethod
    def from_rows(cls, rows: pa.Table) -> ExactVectors:
        """The rows of a result that has vectors, ids and the columns FUSED, in any order."""
        ids = rows[ROW_ID].to_numpy()
        columns = rows.select(FUSED).combine_chunks()
        return cls(ids, vectors_of(rows), columns, np.argsort(ids))

    @classmethod
    def from_table(cls, table: Table) -> ExactVectors:
        """The vectors of the version that a table stands at."""
        rows = table.search().select([*FUSED, "vector"]).with_row_id(True)
        return cls.from_rows(rows.to_arrow())

    def nearest(
        self, vector: NDArray[np.float32], limit: int, places: NDArray[np.intp] | None = None
    ) -> Ranked:
        """The rows nearest to a unit vector, of those at `places`; None: of all.

        Scores are cosines. Ties by row id.
        """
        at, cosines = places, self._cosines(vector, places)
        if len(cosines) > limit:  # all that are as near as the last one, of which the ids decide
            best = np.flatnonzero(~(-cosines > np.partition(-cosines, limit - 1)[limit - 1]))
            at, cosines = best if at is None else at[best], cosines[best]
        ids = self.ids if at is None else self.ids[at]
        order = np.lexsort((ids, -cosines))[:limit]
        return Ranked(ids[order], cosines[order].astype(np.float64))

    def _cosines(
        self, vector: NDArray[np.float32], places: NDArray[np.intp] | None
    ) -> NDArray[np.float32]:
        """The cosine of each row at these places.

        Row by row: a row's cosine does not depend on the others, nor on the number of parts.
        """
        rows = len(self.ids)
        if places is not None and len(places) < rows // SPARSE:
            few: NDArray[np.float32] = np.vecdot(self.matrix[places], vector)
            return few
        parts = max(1, min(MOST_PARTS, os.cpu_count() or 1, rows // PART_ROWS))
        cosines = np.empty(rows, np.float32)

        def compare(part: int) -> None:
            own = slice(rows * part // parts, rows * (part + 1) // parts)
            np.vecdot(self.matrix[own], vector, out=cosines[own])

        if parts == 1:
            compare(0)
        else:
            with ThreadPoolExecutor(parts - 1) as beside:
                others = beside.map(compare, range(1, parts))
                compare(0)
                list(others)  # raises what they raised
        return cosines if places is None else cosines[places]

    def pool(self, ids: NDArray[np.uint64]) -> Pool:
        """What the rows are fused by."""
        at = self.places(ids)
        return Pool.from_rows(ids, self.columns.take(at.tolist()), self.matrix[at])

    def places(self, ids: NDArray[np.uint64]) -> NDArray[np.intp]:
        """The places of rows by their ids, which are among them."""
        return self.order[np.searchsorted(self.ids, ids, sorter=self.order)]


def vectors_of(rows: pa.Table) -> NDArray[np.float32]:
    """The vectors of chunk rows: float32, (rows, dimension), of length 1.

    What the table holds is rounded to float16, which changes a length by .0005 at most.
    """
    column = rows["vector"]
    values = [chunk.flatten().to_numpy() for chunk in column.chunks]
    flat = np.concatenate(values) if values else np.empty(0)
    vectors = flat.astype(np.float32).reshape(len(column), column.type.list_size)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return vectors
