"""The passages of one version ranked by a vector or by words, confined to what a query looks at.

By a vector: all vectors in memory where they are few, else LanceDB's index. By words: LanceDB's
full-text index. Called by the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.store.exact import FUSED, ROW_ID, ExactVectors, Pool, Ranked, vectors_of
from indexer.store.rows import FULL_TEXT_COLUMN

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import Table

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

KEPT_CONDITIONS = 8  # with the rows that fulfil them
# Of an index of vectors: partitions that are looked through, and how many times as many rows as
# are asked for are compared by the vectors themselves.
PARTITIONS = 256
REFINED = 2
# More rows by words than are asked for: LanceDB hands out equal scores in any order, and the first
# of them are to be the same each time.
TIED = 64


class Ranking:
    """Rankings of the rows of a version of the chunk table; conditions are in SQL, "" for none."""

    def __init__(self, table: Table, partitions: Callable[[], int], *, few: bool) -> None:
        """`partitions` are those of the index of vectors, 0 without one.

        With `few` rows, vectors without an index are kept in memory from the second search on.
        """
        self._table = table
        self._partitions = partitions
        self._few = few
        self.exact: ExactVectors | None = None
        self._searches = 0
        # One version never changes, and a filter is asked for again and again.
        self._ids: dict[str, NDArray[np.uint64]] = {}
        self._places: dict[str, NDArray[np.intp]] = {}

    def nearest(self, vector: NDArray[np.float32], limit: int, where: str) -> Ranked:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        self._keep_vectors()
        if (exact := self.exact) is None:
            return self._near(vector, limit, where)
        if not where:
            return exact.nearest(vector, limit)
        places = kept(self._places, where, lambda _: exact.places(self._selected(where)))
        return exact.nearest(vector, limit, places)

    def worded(self, text: str, limit: int, where: str, *, every_word: bool) -> Ranked:
        """The rows that share words with the text; the score is BM25, best first."""
        from lancedb.query import FullTextOperator, MatchQuery

        together = FullTextOperator.AND if every_word else FullTextOperator.OR
        words = MatchQuery(text, FULL_TEXT_COLUMN, operator=together)
        search = self._table.search(words, query_type="fts").limit(limit + TIED)
        found = _filtered(search, where).select([ROW_ID, "_score"]).to_arrow()
        return Ranked.from_rows(found, found["_score"].to_numpy()).first(limit)

    def among(self, where: str) -> NDArray[np.uint64] | None:
        """The ids of the rows that fulfil a condition; None: all."""
        return kept(self._ids, where, self._selected) if where else None

    def pool(self, ids: NDArray[np.uint64]) -> Pool:
        """What rows are fused by."""
        if self.exact is not None:
            return self.exact.pool(ids)
        rows = rows_of(self._table, ids, [*FUSED, "vector"])
        return Pool.from_rows(ids, rows, vectors_of(rows))

    def _near(self, vector: NDArray[np.float32], limit: int, where: str) -> Ranked:
        """The nearest rows by the table.

        LanceDB compares 16 bits a dimension with 16 of the query, which is wrong by some .00002:
        of what it finds nearest more is taken, and compared anew. Ties by row id.
        """
        search = self._table.search(vector, vector_column_name="vector")
        search = search.distance_type("cosine").limit(REFINED * limit)
        # No effect without an index. With a condition all partitions are searched (0): the
        # nearest ones may have none of its rows.
        search = search.minimum_nprobes(PARTITIONS).maximum_nprobes(0 if where else PARTITIONS)
        found = _filtered(search.refine_factor(1), where).select([ROW_ID, "vector"]).to_arrow()
        ids, cosines = found[ROW_ID].to_numpy(), np.vecdot(vectors_of(found), vector)
        best = np.lexsort((ids, -cosines))[:limit]
        return Ranked(ids[best], cosines[best].astype(np.float64))

    def _keep_vectors(self) -> None:
        """Read all vectors if this is the second search, none is indexed, and they are few enough.

        The first alone is quicker in the table.
        """
        self._searches += 1
        if self._searches == 2 and self._few and not self._trained:
            self.exact = ExactVectors.from_table(self._table)

    @cached_property
    def _trained(self) -> int:
        return self._partitions()

    def _selected(self, where: str) -> NDArray[np.uint64]:
        """The ids of the rows that fulfil a condition."""
        found = self._table.search().where(where).select([ROW_ID]).to_arrow()
        ids: NDArray[np.uint64] = found[ROW_ID].to_numpy()
        return ids


def rows_of(table: Table, ids: NDArray[np.uint64], columns: list[str]) -> pa.Table:
    """Columns of rows, in the order of the ids, which are different."""
    rows = table.take_row_ids(ids.tolist()).select([*columns, ROW_ID]).to_arrow()
    found = rows[ROW_ID].to_numpy()
    return rows.take(np.argsort(found)[np.argsort(np.argsort(ids))].tolist())


def kept(
    known: dict[_Key, _Value],
    key: _Key,
    make: Callable[[_Key], _Value],
    most: int = KEPT_CONDITIONS,
) -> _Value:
    """The value of a key, made if it is not among the last few.

    No method is held, as a cache of functools would: a snapshot that nobody holds goes at once.
    """
    if key not in known:
        value = make(key)
        while len(known) >= most:
            known.pop(next(iter(known)), None)  # another thread may have
        known[key] = value
    return known[key]


def _filtered(search: Any, where: str) -> Any:  # noqa: ANN401 - LanceDB's builders share no base
    """Filter before the limit is applied, so that a filter never loses results."""
    return search.where(where, prefilter=True) if where else search
