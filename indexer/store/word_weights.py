"""Words weighed as in one store of all rows, not as in each of several by itself.

BM25 weighs a word by the rows of its own store, and a row by how long its others are: one that all
documents of a store have, and few of another, would lead the other's to the top. The rows of each
word are counted in every store, and the scores of the best rows mended by what that changes.
Called by `snapshots`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexer.records import Query
from indexer.store.exact import Ranked

MOST_WORDS = 24  # different ones of a query that are counted, the first
MOST_COUNTED = 20_000  # rows of a word: one of more weighs little in any store
_THREADS = 4
_K1, _B = 1.2, 0.75  # LanceDB's BM25


class Worded(Protocol):
    """A store whose rows are found by words."""

    def words(self, text: str) -> list[str]:
        """The words of a text as it has them, each a query by itself; all that it looks up."""
        ...

    def worded(self, query: Query) -> Ranked:
        """The rows that share words with a query; the score is BM25."""
        ...

    @property
    def size(self) -> tuple[int, float]:
        """How many rows there are, and how long what is searched of one is on average."""
        ...

    def lengths(self, ids: NDArray[np.uint64]) -> NDArray[np.float64]:
        """How long what is searched of these rows is, in the same unit."""
        ...


def as_in_one(parts: Sequence[Worded], found: Sequence[Ranked], text: str) -> list[Ranked]:
    """The rows found in each store, with the scores that they would have if it were one store.

    Best first, ties by row id.
    """
    words = next(
        (known for part in parts if (known := part.words(text))), []
    )  # an empty one has none
    times = list(Counter(words).items())[:MOST_WORDS]
    with ThreadPoolExecutor(_THREADS) as beside:
        asked = [
            [beside.submit(part.worded, Query(word, MOST_COUNTED)) for word, _ in times]
            for part in parts
        ]
        counted = [[one.result() for one in each] for each in asked]
    sizes = [part.size for part in parts]
    every = sum(rows for rows, _ in sizes)
    mean = sum(rows * length for rows, length in sizes) / max(1, every)
    lengths = [part.lengths(ranked.ids) for part, ranked in zip(parts, found, strict=True)]
    scores = [ranked.scores.copy() for ranked in found]
    for at, (_, repeated) in enumerate(times):
        having = [len(each[at].ids) for each in counted]
        common = _weight(every, sum(having))
        for store, ranked in enumerate(found):
            if having[store] and len(ranked.ids):
                rows, length = sizes[store]
                its = _scores_of(counted[store][at], ranked.ids)
                often = _saturated(
                    its / _weight(rows, having[store]),
                    _saturation(lengths[store] / length),
                    _saturation(lengths[store] / mean),
                )
                scores[store] += repeated * (common * often - its)
    return [_ordered(ranked.ids, its) for ranked, its in zip(found, scores, strict=True)]


def _weight(rows: int, having: int) -> float:
    """How much a word weighs that so many of all rows have: BM25's, as LanceDB computes it."""
    return float(np.log1p((rows - having + 0.5) / (having + 0.5)))


def _saturation(length: NDArray[np.float64]) -> NDArray[np.float64]:
    """What BM25 holds against how often a word stands in rows of these lengths, 1 on average."""
    return _K1 * (1 - _B + _B * length)


def _saturated(
    often: NDArray[np.float64], own: NDArray[np.float64], common: NDArray[np.float64]
) -> NDArray[np.float64]:
    """BM25's part for how often a word stands in a row, of another mean length.

    What is no part of one word alone, as of two that stand together, stays as it is.
    """
    most = _K1 + 1.0
    times = often * own / np.maximum(most - often, 1e-6)
    return np.where(often < most, most * times / (times + common), often)


def _scores_of(ranked: Ranked, ids: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The scores of some rows in a ranking, 0 for those that are not in it."""
    order = np.argsort(ranked.ids)
    at = np.minimum(np.searchsorted(ranked.ids, ids, sorter=order), len(order) - 1)
    places = order[at]
    return np.where(ranked.ids[places] == ids, ranked.scores[places], 0.0)


def _ordered(ids: NDArray[np.uint64], scores: NDArray[np.float64]) -> Ranked:
    best = np.lexsort((ids, -scores))
    return Ranked(ids[best], scores[best])
