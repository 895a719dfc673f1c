"""Questions with known answers as rows of features, and what is fitted on them. No tables.

Used by fit_ranking.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from benchmarks.asked import (
    Asked,
    few,
    flat,
    held_out,
    index_of,
    pool,
    sample,
    squad,
    xquad,
)
from corpus_agent.answering import (
    ranking,
)
from corpus_agent.answering.ranking import Weighed, weighed
from corpus_agent.answering.subquestions import parts
from indexer import Encoded
from indexer.index import Index

NAMES = ("cosine", "passage", "rare", "share", "kind", "title", "measure")
SURE = (
    *("score", "cosine", "gap", "covered", "measure missing", "names missing", "least", "code"),
)
ENCODED = 24  # candidates that are encoded for the fits, of which the code keeps UNITS_ENCODED
RIDGE = 1.0  # on weights of features with a deviation of 1: rare features stay small
FOREIGN = 1  # questions of an article in other languages

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A question with its candidates: features with and without vectors, which are right."""

    asked: Asked
    held: bool
    own: Weighed
    right: NDArray[np.bool_]
    ranks: tuple[int, ...]  # of the passages that hold the answer

    @property
    def answerable(self) -> bool:
        """Whether the text says it."""
        return bool(self.asked.answers)


# ---- The questions, and which part each is in


def _row(corpus: Index, asked: Asked, *, held: bool) -> Row | None:
    hits = pool(corpus, asked.text)
    memory: dict[str, Encoded] = {}
    own = weighed(asked.text, hits, corpus.encoder.encode_tokens, memory, ENCODED)
    if own is None:
        return None
    memory.clear()  # the coverage of every text is known by now; the vectors are gigabytes
    wanted = [flat(answer) for answer in asked.answers]

    def holds(passage: int, text: str) -> bool:
        return hits[passage].chunk.source == asked.source and any(a in flat(text) for a in wanted)

    right = np.array([holds(c.passage, c.text) for c in own.found], dtype=bool)
    ranks = tuple(n for n, hit in enumerate(hits) if holds(n, hit.chunk.text))
    return Row(asked, held, own, right, ranks)


def rows_of(most: int) -> list[Row]:
    """All questions of all sets that ask for one thing, with their candidates."""
    sets = [xquad("en"), squad(), sample(), xquad("de"), xquad("es")]
    held = held_out(sets[:3])
    found: list[Row] = []
    for folder, every in sets:
        foreign = every[0].which not in ("xquad", "squad", "sample")
        with index_of(folder) as corpus:
            made = [
                _row(corpus, asked, held=foreign or held[asked.group])
                for asked in few(every, FOREIGN if foreign else most)
                if len(parts(asked.text)) == 1
            ]
        found += [row for row in made if row]
    return found


# ---- Fits


def logit(tables: Sequence[Floats], right: Sequence[NDArray[np.bool_]]) -> Floats:
    """Weights by which the right rows of each table outweigh the others (McFadden 1974)."""
    deviation = np.maximum(np.concatenate(tables).std(axis=0), 1e-6)
    scaled = [table / deviation for table in tables]
    weights = np.zeros(tables[0].shape[1])
    for _ in range(30):
        slope, curve = -RIDGE * weights, RIDGE * np.eye(len(weights))
        for table, good in zip(scaled, right, strict=True):
            scores = table @ weights
            share = np.exp(scores - scores.max())
            share /= share.sum()
            middle = share @ table
            slope += table[good].mean(axis=0) - middle
            curve += (table * share[:, None]).T @ table - np.outer(middle, middle)
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(weights / deviation)


def logistic(table: Floats, yes: NDArray[np.bool_]) -> Floats:
    """Bias and weights of a logistic regression, by Newton's method."""
    deviation = np.maximum(table.std(axis=0), 1e-6)
    scaled = np.column_stack([np.ones(len(table)), table / deviation])
    weights, ridge = np.zeros(scaled.shape[1]), np.diag([0.0] + [RIDGE] * table.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (yes - chance) - ridge @ weights
        curve = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + ridge
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return np.concatenate([weights[:1], weights[1:] / deviation])


# ---- Figures of merit


def order_of(row: Row, weights: Floats, encoded: int = ranking.UNITS_ENCODED) -> list[int]:
    """The candidates best first, of those that would have been encoded."""
    table = row.own.table.astype(np.float64)
    kept = np.argsort(-without_vectors(row) @ ranking.WEIGHTS_UNENCODED, kind="stable")[:encoded]
    return sorted(kept.tolist(), key=lambda i: -float(table[i] @ weights))


_PLAIN: dict[int, Floats] = {}


def without_vectors(row: Row) -> Floats:
    """The features without vectors: coverage by the same words alone."""
    if id(row) not in _PLAIN:
        own = row.own
        rarity = own.subject.rarity / max(float(own.subject.rarity.sum()), 1e-9)
        table = own.table.astype(np.float64).copy()
        table[:, 0] = 0.0
        for n, candidate in enumerate(own.found):
            hits = np.zeros(len(own.subject.words))
            hits[list(own.subject.hits(candidate.text))] = 1.0
            table[n, 3] = hits.mean()
            for text in candidate.around:
                hits[list(own.subject.hits(text))] = 1.0
            table[n, 2] = float(hits @ rarity)
        _PLAIN[id(row)] = table
    return _PLAIN[id(row)]


def first_and_three(rows: Iterable[Row], weights: Floats) -> tuple[float, float]:
    """Share of answerable questions with the answer in the first sentence, and in three."""
    orders = [(row, order_of(row, weights)) for row in rows if row.answerable]
    first = mean(bool(row.right[order[0]]) for row, order in orders)
    return first, mean(bool(row.right[order[:3]].any()) for row, order in orders)


def sums(rows: Sequence[Row]) -> Floats:
    """The figures about the best candidate of each question."""
    found = [ranking.figures(row.asked.text, row.own)[0] for row in rows]
    return np.array(found, dtype=np.float64)


def are_answerable(rows: Sequence[Row]) -> NDArray[np.bool_]:
    return np.array([row.answerable for row in rows], dtype=bool)


def by_set(rows: Iterable[Row]) -> dict[str, list[Row]]:
    return {
        name: list(own)
        for name, own in groupby(sorted(rows, key=lambda r: r.asked.which), lambda r: r.asked.which)
    }
