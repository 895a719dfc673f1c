"""What finds passages in place of LanceDB's indices: a protocol, and one in memory that ships.

A store's rows, versions and hashes are LanceDB's, whatever finds them. An installed package brings
a backend by an entry point in the group `corpus_agent.backends`, a function without arguments.
"""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from indexer.confine import extensions
from indexer.errors import CorpusError
from indexer.store.lance import ROW_ID, Table
from indexer.store.ranking import Ranked, Ranking, vectors_of
from indexer.store.rows import FULL_TEXT_COLUMN

LANCE = "lance"  # none of these: the tables and their own indices
MEMORY = "memory"
_WITHOUT = "Leave --backend out."
# BM25 (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009), with LanceDB's numbers.
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"\w+")

Ids = NDArray[np.uint64]
Rows = tuple[Ids, NDArray[np.floating[Any]]]
"""Ids of rows, best first, and their scores."""


class Backend(Protocol):
    """The passages of one version of an index; filled once, then asked by several threads."""

    def add(self, ids: Ids, vectors: NDArray[np.float32], texts: Sequence[str]) -> None:
        """Take passages in: `vectors` are float32 (ids, dimension), of length 1."""
        ...

    def nearest(self, vector: NDArray[np.float32], limit: int, among: Ids | None) -> Rows:
        """The `limit` rows nearest to a unit vector, with their cosines; None: of all rows."""
        ...

    def worded(self, text: str, limit: int, among: Ids | None, *, every_word: bool) -> Rows:
        """The `limit` rows that share words with the text, or hold `every_word`.

        Scores are 0 and more, as BM25 has; a word that the text repeats counts as often.
        """
        ...


class MemoryBackend:
    """All passages in memory: each vector is compared, words are looked up as they are written."""

    def __init__(self) -> None:
        self._ids = np.empty(0, np.uint64)
        self._vectors: list[NDArray[np.float32]] = []
        self._lengths: list[int] = []
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)

    def add(self, ids: Ids, vectors: NDArray[np.float32], texts: Sequence[str]) -> None:
        """As the protocol has it."""
        self._vectors.append(vectors)
        self._ids = np.concatenate([self._ids, ids])
        for text in texts:
            words = Counter(_words(text))
            for word, count in words.items():
                self._places[word].append((len(self._lengths), count))
            self._lengths.append(words.total())

    def nearest(self, vector: NDArray[np.float32], limit: int, among: Ids | None) -> Rows:
        """As the protocol has it; ties by id."""
        cosines = [np.vecdot(vectors, vector) for vectors in self._vectors]
        return self._best(np.concatenate([*cosines, np.empty(0)]), limit, among)

    def worded(self, text: str, limit: int, among: Ids | None, *, every_word: bool) -> Rows:
        """As the protocol has it; ties by id."""
        words = Counter(_words(text))
        scores, found = np.zeros(len(self._ids)), np.zeros(len(self._ids), np.int64)
        average = sum(self._lengths) / max(1, len(self._lengths))
        for word, repeated in words.items():
            places = self._places.get(word, [])
            if not places:
                continue
            at, counts = (np.array(values) for values in zip(*places, strict=True))
            rare = np.log(1 + (len(self._ids) - len(at) + 0.5) / (len(at) + 0.5))
            long = np.array(self._lengths)[at] / average
            once = rare * counts * (_K1 + 1) / (counts + _K1 * (1 - _B + _B * long))
            scores[at] += repeated * once
            found[at] += 1
        scores[found < (len(words) if every_word else 1)] = 0.0
        ids, best = self._best(scores, limit, among)
        return ids[best > 0], best[best > 0]

    def _best(self, scores: NDArray[np.float64], limit: int, among: Ids | None) -> Rows:
        at = np.arange(len(scores)) if among is None else np.flatnonzero(np.isin(self._ids, among))
        found = Ranked.best(self._ids[at], scores[at], limit)
        return found.ids, found.scores


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("_", " "))


def ranking_by(name: str, table: Table) -> Ranking:
    """The rankings of a table's rows by the backend of that name, as in "memory" or "memory:".

    Raises UsageError where no installed package brings it.
    """
    name = name.removesuffix(":")
    if name == LANCE:
        return Ranking(table)
    make = MemoryBackend if name == MEMORY else extensions.named("backends", name).make
    return BackendRanking(name, cast("Callable[[], Backend]", make), table)


class BackendRanking(Ranking):
    """Rankings by a backend, which is filled by the first search.

    What it answers is checked, so that it can show no row that is not there.
    """

    def __init__(self, name: str, make: Callable[[], Backend], table: Table) -> None:
        super().__init__(table)
        self._name = name
        self._make = make
        self._filling = threading.Lock()
        self._filled: Backend | None = None
        self._known = np.empty(0, np.uint64)

    def nearest(self, vector: NDArray[np.float32], limit: int, where: str) -> Ranked:
        """As the backend ranks them."""
        return self._checked(limit, where, lambda backend, ids: backend.nearest(vector, limit, ids))

    def worded(self, text: str, limit: int, where: str, *, every_word: bool) -> Ranked:
        """As the backend ranks them."""
        return self._checked(
            limit, where, lambda made, ids: made.worded(text, limit, ids, every_word=every_word)
        )

    def _backend(self) -> Backend:
        with self._filling:
            if self._filled is None:
                rows = self._table.rows([FULL_TEXT_COLUMN, "vector", ROW_ID])
                self._known, made = rows[ROW_ID].to_numpy(), self._make()
                made.add(self._known, vectors_of(rows), rows[FULL_TEXT_COLUMN].to_pylist())
                self._filled = made
        return self._filled

    def _checked(
        self, limit: int, where: str, rank: Callable[[Backend, Ids | None], Rows]
    ) -> Ranked:
        among = self.among(where)
        try:
            rows = rank(self._backend(), among)
        except (AttributeError, OSError, RuntimeError, TypeError, ValueError) as error:
            raise CorpusError(f"The backend {self._name} failed ({error}).", _WITHOUT) from error
        ids, scores = np.asarray(rows[0], np.uint64), np.asarray(rows[1], np.float64)
        right = ids.ndim == 1 and ids.shape == scores.shape and len(ids) <= limit
        if not (right and np.isfinite(scores).all() and len(np.unique(ids)) == len(ids)):
            raise CorpusError(f"The backend {self._name} gives no ranking.", _WITHOUT)
        if not np.isin(ids, self._known if among is None else among).all():
            message = f"The backend {self._name} names rows that it was not asked for."
            raise CorpusError(message, _WITHOUT)
        return Ranked(ids, scores)
