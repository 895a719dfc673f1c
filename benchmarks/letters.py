"""Answers in languages that the model does not read: the constants, and what they are worth.

Words are compared by their letters there. The weights of sentences and the confidence are fitted on
the first half of XQuAD-R's articles in ten languages together; the figures are of the second. What
is absent: the same questions with the passages of their article taken out of what was found.

    python benchmarks/letters.py [--stores DIR] [--questions 60] [LANGUAGE ...]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np
from common import print_table
from languages import LANGUAGES, stored
from numpy.typing import NDArray

from benchmarks import ranking_fits
from benchmarks.asked import Asked, flat, held_out, xquad
from benchmarks.calibration import area
from corpus_agent.answering import probability, ranking, reading
from corpus_agent.answering.ranking import Weighed, figures, weighed
from corpus_agent.answering.shown import best_sentences
from indexer.index import Index
from indexer.records import Query

FOUND = 40  # passages, of which those of the article are taken out
USED = [1, 2, 3, 4, 5, 6]  # features of a sentence: all but the cosine
TOPIC = [0, 2, 3, 4, 6]  # figures of the confidence: no cosine, names or codes
LEVELS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35)


@dataclass(frozen=True)
class Row:
    """A question with its candidates, among passages with its answer or without."""

    language: str
    held: bool
    there: bool
    asked: Asked
    own: Weighed
    right: NDArray[np.bool_]


def rows_of(language: str, index: Index, every: Sequence[Asked], most: int) -> Iterator[Row]:
    """The rows of evenly taken questions of both halves."""
    held, article = held_out([xquad("en")]), {asked.source: asked.group for asked in every}
    for half in (False, True):
        part = [asked for asked in every if held[asked.group] == half]
        for asked in part[:: max(1, len(part) // most)][:most]:
            hits = index.search(Query(asked.text, FOUND, per_source=None))
            others = [hit for hit in hits if article.get(hit.chunk.source) != asked.group]
            for there, pool in ((True, hits), (False, others)):
                own = weighed(asked.text, pool[: reading.POOL], None, {})
                if own is not None:
                    found = [
                        pool[c.passage].chunk.source == asked.source and holds(asked, c.text)
                        for c in own.found
                    ]
                    yield Row(language, half, there, asked, own, np.array(found, dtype=bool))


def holds(asked: Asked, text: str) -> bool:
    """Whether an answer stands in the text."""
    return any(flat(answer) in flat(text) for answer in asked.answers)


def show_sentences(rows: Sequence[Row], languages: Sequence[str]) -> None:
    """The weights of sentences, refitted, and what the code's find."""
    fit = [row for row in rows if row.there and not row.held and row.right.any()]
    tables = [row.own.table[:, USED].astype(np.float64) for row in fit]
    weights = ranking_fits.logit(tables, [row.right for row in fit])
    code = ranking.WEIGHTS_BY_LETTERS[USED].tolist()
    names = [ranking_fits.NAMES[n] for n in USED]
    print("\nWeights of sentences\n")
    print_table(("feature", "code", "refit"), list(zip(names, code, weights.tolist(), strict=True)))
    print("\nHeld out, with the code's\n")
    table = []
    for language in languages:
        own = [r for r in rows if r.language == language and r.there and r.held]
        best = [(r.asked, best_sentences(r.own)) for r in own]
        first = mean(holds(asked, sentences[0].text) for asked, sentences in best)
        shown = mean(holds(a, " ".join(one.text for one in found)) for a, found in best)
        table.append((language, len(own), first, shown))
    print_table(("language", "questions", "first sentence", "shown"), table)


def show_confidence(rows: Sequence[Row], languages: Sequence[str]) -> None:
    """The confidence, refitted; refused by threshold, with the answer there and without."""
    topic = np.array([figures(row.asked.text, row.own)[0] for row in rows])
    there = np.array([row.there for row in rows])
    held = np.array([row.held for row in rows])
    refit = ranking_fits.logistic(topic[~held][:, TOPIC], there[~held])
    code = [probability.LETTERS_BIAS, *(probability.LETTERS_WEIGHTS[n] for n in TOPIC)]
    print(
        "\nConfidence; the code's bias is raised by a threshold of .35 in place of the one chosen\n"
    )
    names = ["bias", *(ranking_fits.SURE[n] for n in TOPIC)]
    print_table(("figure", "code", "refit"), list(zip(names, code, refit.tolist(), strict=True)))
    logits = topic[:, TOPIC] @ refit[1:] + refit[0]
    table: list[tuple[object, ...]] = []
    for name in (*languages, "all"):
        for half in (False, True):
            own = np.array([name in ("all", row.language) and row.held == half for row in rows])
            chance, yes = 1 / (1 + np.exp(-logits[own])), there[own]
            cells = [
                f"{(chance[yes] < level).mean():.3f} / {(chance[~yes] < level).mean():.3f}"
                for level in LEVELS
            ]
            table.append((name, "held out" if half else "set on", area(chance, yes), *cells))
    print("\nRefused with the answer there / without it, by threshold of the refit\n")
    print_table(("language", "half", "AUC", *map(str, LEVELS)), table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="*", default=LANGUAGES[1:])
    parser.add_argument("--stores", type=Path, help="keep the indexes here")
    parser.add_argument("--questions", type=int, default=60, help="of each half and language")
    arguments = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        for language in arguments.languages:
            folder, every = xquad(language)
            with stored(folder, (arguments.stores or Path(scratch)) / language) as (_, index):
                rows += rows_of(language, index, every, arguments.questions)
    show_sentences(rows, arguments.languages)
    show_confidence(rows, arguments.languages)


if __name__ == "__main__":
    main()
