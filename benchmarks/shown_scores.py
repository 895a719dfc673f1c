"""The score that a hit is shown with: fitted on half of the queries of three sets, shown on others.

A logistic function of a hit's cosine, the share of the query's words that it has, and its fused
score; a second one without the cosine, for models and languages whose cosines mean something else.
A hit is relevant by the judgments of its set. Beside the queries of a set stand those of the other
sets, and words drawn at random from them, to which nothing is relevant. One set and the sample
corpus take no part in the fit.

    python benchmarks/shown_scores.py [--stores DIR]
"""

from __future__ import annotations

import argparse
import math
import random
import re
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Literal

import numpy as np
from common import corpus_of, data, print_table, read_jsonl
from ranking_fits import logistic as fitted
from retrieval import judgments, write_files

from indexer import retrieve
from indexer.index import Index
from indexer.records import Query

FITTED = ("med", "time", "cacm")
SETS = (*FITTED, "handbook-anchor")
SAMPLE = Path(__file__).parent.parent / "sample_corpus"
HITS = 5
MOST = 100  # queries of a set; half as many of the others, and half as many of random words
NONSENSE_WORDS = (3, 6)

Kind = Literal["own", "of other sets", "random words"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, and the documents that are right; none for a query of another set."""

    text: str
    documents: frozenset[str] = frozenset()
    kind: Kind = "own"


@dataclass(frozen=True, slots=True)
class Row:
    """A hit: its set, the kind of the query, its rank, whether it took part in the fit."""

    name: str
    kind: Kind
    rank: int
    fits: bool
    figures: tuple[float, ...]
    right: bool


def own_of(name: str) -> list[Asked]:
    """The queries of a set that have an answer there."""
    if name == "sample":
        asked = tomllib.loads((SAMPLE / "questions.toml").read_text("utf-8"))["questions"]
        return [
            Asked(one["question"], frozenset(one["sources"])) for one in asked if one["sources"]
        ]
    relevant = judgments(name)
    return [
        Asked(query["text"], frozenset(_source(key) for key, how in found.items() if how > 0))
        for query in read_jsonl(data("retrieval", name, "queries.jsonl"))
        if (found := relevant.get(query["_id"]))
    ]


def _source(key: str) -> str:
    return re.sub(r"\.md$", "", key) + ".md"


def foreign_to(name: str, rng: random.Random) -> Iterator[Asked]:
    """Queries of the other sets, and random words of theirs."""
    others = [one.text for other in SETS if other != name for one in own_of(other)]
    words = sorted({word for text in others for word in re.findall(r"[^\W\d_]{4,}", text)})
    for text in rng.sample(others, MOST // 2):
        yield Asked(text, kind="of other sets")
        drawn = rng.sample(words, rng.randint(*NONSENSE_WORDS))
        yield Asked(" ".join(drawn), kind="random words")


def rows_of(name: str, corpus: Index) -> Iterator[Row]:
    """The hits of a set's queries, and of those that are foreign to it."""
    rng = random.Random(name)
    own = own_of(name)
    asked = [*rng.sample(own, min(MOST, len(own))), *foreign_to(name, rng)]
    rng.shuffle(asked)  # every second one takes part in the fit, of each kind
    for number, one in enumerate(asked):
        fits = name in FITTED and number % 2 == 0
        for rank, hit in enumerate(corpus.search(Query(one.text, HITS, None))):
            figures = retrieve.shown_figures(one.text, hit)
            right = hit.chunk.source in one.documents
            yield Row(name, one.kind, rank, fits, figures, right)


def all_rows(stores: Path) -> list[Row]:
    """The hits of all sets."""
    rows: list[Row] = []
    for name in (*SETS, "sample"):
        folder = SAMPLE if name == "sample" else stores / f"{name}-files"
        if name != "sample":
            write_files(name, folder)
        with corpus_of(folder, stores / name) as corpus:
            rows += rows_of(name, corpus)
    return rows


def fit(rows: Iterable[Row], *, cosine: bool) -> tuple[float, ...]:
    """Bias and weights from the rows that take part."""
    used = [row for row in rows if row.fits]
    table = np.array([row.figures if cosine else row.figures[1:] for row in used])
    found = fitted(table, np.array([row.right for row in used]))
    return tuple(round(float(weight), 2) for weight in found)


def shown(row: Row) -> float:
    """What the program shows for a row, where its vectors count."""
    bias, *weights = retrieve.SHOWN_WEIGHTS
    logit = bias + sum(w * x for w, x in zip(weights, row.figures, strict=True))
    return 1 / (1 + math.exp(-logit))


def show(rows: Sequence[Row]) -> None:
    """What first hits are shown with, by set and kind, and how many of all hits are right."""
    held = [row for row in rows if not row.fits]
    lines = []
    for name in (*SETS, "sample"):
        for kind in ("own", "of other sets", "random words"):
            first = [r for r in held if r.name == name and r.kind == kind and r.rank == 0]
            values = [shown(row) for row in first]
            right = mean(row.right for row in first)
            lines.append((name, kind, len(first), median(values), mean(values), right))
    header = ("set", "queries", "number", "median of first", "mean of first", "first is right")
    print_table(header, lines)
    bins = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = [row for row in held if low <= shown(row) < low + 0.2]
        right = mean(row.right for row in inside)
        bins.append((f"{low:.1f} to {low + 0.2:.1f}", len(inside), mean(map(shown, inside)), right))
    print_table(("shown", "hits", "mean shown", "right"), bins)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=Path, help="keep the indexes here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        rows = all_rows(arguments.stores or Path(scratch))
    print(f"SHOWN_WEIGHTS: {fit(rows, cosine=True)}, in the code {retrieve.SHOWN_WEIGHTS}")
    print(f"BY_WORDS: {fit(rows, cosine=False)}, in the code {retrieve.BY_WORDS}")
    show(rows)


if __name__ == "__main__":
    main()
