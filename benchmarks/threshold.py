"""What each threshold of `not_found` costs and catches: the curve in docs/decisions/answering.md.

Every question is answered once with the threshold at zero; the confidences then give all rows.

    python benchmarks/threshold.py FOLDER QUESTIONS.toml [--store DIR]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import mean

from common import corpus_of, print_table

from corpus_agent.answering.ranking import Ranking, rank_sentences
from corpus_agent.answering.reading import POOL
from corpus_agent.answering.subquestions import parts
from corpus_agent.selftest.evaluation.questions import Question, load
from indexer.records import Query

THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65)


def right(question: Question, ranking: Ranking) -> bool:
    """Whether the returned sentences hold every expected string."""
    said = " ".join(" ".join(s.text for s in ranking.sentences).casefold().split())
    return all(" ".join(text.casefold().split()) in said for text in question.answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--store", type=Path)
    arguments = parser.parse_args()
    answerable: list[tuple[float, bool]] = []
    other: list[float] = []
    with corpus_of(arguments.folder, arguments.store) as corpus:
        for question in load(arguments.questions):
            found = [h for p in parts(question.text) for h in corpus.search(Query(p, POOL, None))]
            # As the answerer pools them: a passage found for both parts keeps its better score.
            best = {h.chunk.id: h for h in sorted(found, key=lambda hit: hit.score)}
            hits = sorted(best.values(), key=lambda h: (-h.score, h.chunk.source, h.chunk.ordinal))
            ranking = rank_sentences(question.text, hits[:POOL], corpus.encoder.encode_tokens)
            if question.sources:
                answerable.append((ranking.confidence, right(question, ranking)))
            else:
                other.append(ranking.confidence)
    print_table(
        ("threshold", "answerable refused", "not_found recall", "correct"),
        [
            (
                t,
                mean(confidence < t for confidence, _ in answerable),
                mean(confidence < t for confidence in other),
                mean(confidence >= t and good for confidence, good in answerable),
            )
            for t in THRESHOLDS
        ],
    )


if __name__ == "__main__":
    main()
