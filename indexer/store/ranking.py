"""The passages of one version ranked by a vector or by words, confined to what a query looks at.

Which way is quickest is decided by counts alone. Called by the snapshot.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.records import Query
from indexer.store.chosen import MAX_PASSAGES, Chosen, Passages
from indexer.store.exact import FUSED, ROW_ID, ExactVectors, Pool, Ranked, vectors_of
from indexer.store.rows import FULL_TEXT_COLUMN

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.query import MatchQuery
    from lancedb.table import Table

Condition = Callable[[Query], str]
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

MEASURED = 512  # rows whose length is taken for that of all
KEPT_CONDITIONS = 8  # with the rows that fulfil them
# Of an index of vectors: partitions that are looked through, and how many times as many rows as
# are asked for are compared by the vectors themselves.
PARTITIONS = 256
REFINED = 2
# More rows by words than are asked for: LanceDB hands out equal scores in any order, and the first
# of them are to be the same each time.
TIED = 64
# Of a search confined to documents: what is looked through without a condition, and from how few
# passages on the vectors of all are compared.
MOST_WORDED = 10_000  # rows: 2 ms
MOST_NEAR = 4_000  # rows: 12 ms
FEW_PASSAGES = 500  # 8 ms
# Of the documents that a search is confined to for the second time, the vectors of so many
# passages are kept: 15 MB and 40 ms, and each search after it spares 15 ms.
KEPT_PASSAGES = 10_000
KEPT_CHOICES = 2
# No word of the index goes beyond one of these; of scripts without spaces one holds several.
_WORDS = re.compile(r"\w+(?:[.,'’·]\w+)*")


class Ranking:
    """Rankings of the rows of a version of the chunk table; see the snapshot's methods."""

    def __init__(
        self, table: Table, rows: int, partitions: Callable[[], int], *, few: bool
    ) -> None:
        """`partitions` are those of the index of vectors, 0 without one.

        With `few` rows, vectors without an index are kept in memory from the second search on.
        """
        self._table = table
        self._number = rows
        self._partitions = partitions
        self._few = few
        self.exact: ExactVectors | None = None
        self._searches = 0
        self._reading = threading.Lock()
        self._passages: Passages | None = None
        # One version never changes, and a filter is asked for again and again.
        self._ids: dict[str, NDArray[np.uint64]] = {}
        self._choices: dict[frozenset[str], Chosen] = {}
        self._places_of: dict[frozenset[str] | str, NDArray[np.intp]] = {}
        self._few_vectors: dict[frozenset[str], ExactVectors | None] = {}

    def nearest(self, vector: NDArray[np.float32], query: Query, condition: Condition) -> Ranked:
        """The rows nearest to a unit vector; `condition` is that of a query in SQL."""
        self._keep_vectors()
        chosen = self._chosen(query)
        if self.exact is not None:
            return self.exact.nearest(vector, query.limit, self._places(query, condition))
        few = self._vectors_among(query.among, chosen) if chosen and query.among else None
        if few is not None:
            return few.nearest(vector, query.limit)
        if chosen is not None and len(chosen.ids) <= FEW_PASSAGES:
            return self._compared(vector, chosen.ids, query.limit)
        candidates = REFINED * query.limit
        deep = chosen.depth(candidates) if chosen is not None and self._trained else MOST_NEAR + 1
        if chosen is not None and deep <= MOST_NEAR:
            near = chosen.of(self._near(vector, deep, "", refined=False))
            if len(near.ids) >= candidates:
                return self._compared(vector, near.ids[:candidates], query.limit)
        return self._near(vector, query.limit, condition(query))

    def worded(self, query: Query, condition: Condition, *, every_word: bool) -> Ranked:
        """The rows that share words with the query; `condition` as of `nearest`."""
        from lancedb.query import FullTextOperator, MatchQuery

        together = FullTextOperator.AND if every_word else FullTextOperator.OR
        words = MatchQuery(query.text, FULL_TEXT_COLUMN, operator=together)
        if (chosen := self._chosen(query)) is not None:
            deep = min(chosen.depth(query.limit) + TIED, MOST_WORDED)
            ranked = self._worded(words, deep, "")
            found = chosen.of(ranked)
            if len(found.ids) >= query.limit or len(ranked.ids) < deep:
                return found.first(query.limit)
        return self._worded(words, query.limit + TIED, condition(query)).first(query.limit)

    def words(self, text: str) -> list[str]:
        """The words of a text by the index's tokenizer, as they stand in the text.

        Not as the index has them: a stem is stemmed again where it is looked up.
        """
        found = []
        for word in _WORDS.findall(text):
            if word.isascii() and word.isalnum():  # 1 ms that is not needed
                found.append(word)
            else:
                tokens = [each.text for each in self._table.tokenize(word, column=FULL_TEXT_COLUMN)]
                found += [word] if len(tokens) == 1 else tokens
        return found

    def lengths(self, ids: NDArray[np.uint64]) -> NDArray[np.float64]:
        """How many characters of each row words are looked up in."""
        if not len(ids):
            return np.empty(0)
        return _lengths_of(rows_of(self._table, ids, [FULL_TEXT_COLUMN]))

    def mean_length(self) -> float:
        """The mean of all rows, by rows at even distances."""
        places = np.unique(np.linspace(0, self._number - 1, MEASURED).astype(int)).tolist()
        rows = self._table.take_offsets(places).select([FULL_TEXT_COLUMN]).to_arrow()
        return max(1.0, float(_lengths_of(rows).mean()))

    def pool(self, ids: NDArray[np.uint64]) -> Pool:
        """What rows are fused by."""
        if self.exact is not None:
            return self.exact.pool(ids)
        for vectors in list(self._few_vectors.values()):
            if vectors is not None and vectors.has(ids):
                return vectors.pool(ids)
        rows = rows_of(self._table, ids, [*FUSED, "vector"])
        return Pool.from_rows(ids, rows, vectors_of(rows))

    def _near(
        self, vector: NDArray[np.float32], limit: int, where: str, *, refined: bool = True
    ) -> Ranked:
        """The nearest rows by the table; not `refined`, by what an index knows of their vectors.

        LanceDB compares 16 bits a dimension with 16 of the query, which is wrong by some .00002:
        of what it finds nearest more is taken, and compared anew.
        """
        search = self._table.search(vector, vector_column_name="vector")
        search = search.distance_type("cosine").limit(REFINED * limit if refined else limit)
        # No effect without an index. With a condition all partitions are searched (0): the
        # nearest ones may have none of its rows.
        search = search.minimum_nprobes(PARTITIONS).maximum_nprobes(0 if where else PARTITIONS)
        if not refined:
            found = _filtered(search, where).select([ROW_ID, "_distance"]).to_arrow()
            return Ranked.from_rows(found, 1.0 - found["_distance"].to_numpy())
        found = _filtered(search.refine_factor(1), where).select([ROW_ID, "vector"]).to_arrow()
        return _best(vector, found[ROW_ID].to_numpy(), vectors_of(found), limit)

    def _worded(self, words: MatchQuery, limit: int, where: str) -> Ranked:
        search = self._table.search(words, query_type="fts").limit(limit)
        found = _filtered(search, where).select([ROW_ID, "_score"]).to_arrow()
        return Ranked.from_rows(found, found["_score"].to_numpy())

    def _compared(self, vector: NDArray[np.float32], ids: NDArray[np.uint64], limit: int) -> Ranked:
        """The nearest of these rows, each compared by its own vector; ties by row id."""
        if not len(ids):
            return Ranked.none()
        return _best(vector, ids, vectors_of(rows_of(self._table, ids, ["vector"])), limit)

    def _keep_vectors(self) -> None:
        """Read all vectors if this is the second search, none is indexed, and they are few enough.

        The first alone is quicker in the table.
        """
        self._searches += 1
        if self._searches == 2 and self._few and not self._trained:
            self.exact = ExactVectors.from_table(self._table)

    def _vectors_among(self, among: frozenset[str], chosen: Chosen) -> ExactVectors | None:
        """The vectors of chosen documents from the second search among them on, if they are few."""
        if not 0 < len(chosen.ids) <= KEPT_PASSAGES:
            return None
        if among not in self._few_vectors:
            return kept(self._few_vectors, among, lambda _: None, KEPT_CHOICES)
        if self._few_vectors.get(among) is None:
            rows = rows_of(self._table, chosen.ids, [*FUSED, "vector"])
            self._few_vectors[among] = ExactVectors.from_rows(rows)
        return self._few_vectors.get(among)

    @cached_property
    def _trained(self) -> int:
        return self._partitions()

    def _passages_of(self, sources: frozenset[str]) -> Chosen:
        with self._reading:  # words and vectors are looked up beside each other
            if self._passages is None:
                self._passages = Passages(self._table)
        return self._passages.of(sources)

    def _chosen(self, query: Query) -> Chosen | None:
        """The passages of the documents that a query is confined to by their names alone."""
        if query.among is None or query.paths or query.not_paths or self._number > MAX_PASSAGES:
            return None
        return kept(self._choices, query.among, self._passages_of)

    def among(self, query: Query, condition: Condition) -> NDArray[np.uint64] | None:
        """The ids of the rows that a query is confined to; None: of all."""
        if (chosen := self._chosen(query)) is not None:
            return chosen.ids
        where = condition(query)
        return kept(self._ids, where, self._selected) if where else None

    def _places(self, query: Query, condition: Condition) -> NDArray[np.intp] | None:
        """The places of those rows among the vectors in memory; None: of all."""
        chosen, exact = self._chosen(query), self.exact
        asked = query.among if chosen is not None else condition(query)
        if exact is None or asked is None or asked == "":
            return None

        def made(_: frozenset[str] | str) -> NDArray[np.intp]:
            ids = self.among(query, condition)
            return exact.places(ids if ids is not None else exact.ids)

        return kept(self._places_of, asked, made)

    def _selected(self, where: str) -> NDArray[np.uint64]:
        """The ids of the rows that fulfil a condition."""
        found = self._table.search().where(where).select([ROW_ID]).to_arrow()
        ids: NDArray[np.uint64] = found[ROW_ID].to_numpy()
        return ids


def _lengths_of(rows: pa.Table) -> NDArray[np.float64]:
    return np.array([len(text or "") for text in rows[FULL_TEXT_COLUMN].to_pylist()], np.float64)


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


def _best(
    vector: NDArray[np.float32],
    ids: NDArray[np.uint64],
    vectors: NDArray[np.float32],
    limit: int,
) -> Ranked:
    """The rows whose vectors are nearest, by cosine; ties by row id."""
    cosines = np.vecdot(vectors, vector)
    best = np.lexsort((ids, -cosines))[:limit]
    return Ranked(ids[best], cosines[best].astype(np.float64))


def _filtered(search: Any, where: str) -> Any:  # noqa: ANN401 - LanceDB's builders share no base
    """Filter before the limit is applied, so that a filter never loses results."""
    return search.where(where, prefilter=True) if where else search
