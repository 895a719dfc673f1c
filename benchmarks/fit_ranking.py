"""Where the numbers of ranking and of the status come from: each made anew, beside the code's.

Questions with known answers (XQuAD, SQuAD 2.0 with its unanswerable ones, the sample corpus) are
split by article: what is fitted sees the first part alone, and every figure is of the part held
out. "code" is the number that stands in the code, "refit" the one that this run makes. German and
Spanish XQuAD are held out whole. The code's numbers were partly made from XQuAD: its part held out
is new to the refit alone.

    python benchmarks/fit_ranking.py [--questions 20] [--only ranking|status|all] [--cache FILE]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean

import numpy as np
from common import data, print_table

from benchmarks.calibration import area, show_status
from benchmarks.ranking_fits import (
    NAMES,
    SURE,
    Floats,
    Row,
    are_answerable,
    by_set,
    first_and_three,
    logistic,
    logit,
    rows_of,
    sums,
    without_vectors,
)
from corpus_agent.answering import probability, ranking


def _compare(title: str, names: Sequence[str], code: Iterable[float], refit: Floats) -> None:
    print(f"\n{title}\n")
    print_table(
        ("constant", "code", "refit"),
        [(n, float(c), float(r)) for n, c, r in zip(names, code, refit, strict=True)],
    )


def show_weights(fit: Sequence[Row], held: Sequence[Row]) -> None:
    """WEIGHTS and WEIGHTS_UNENCODED, refitted, and what each finds in the part held out."""
    good = [row for row in fit if row.right.any() and not row.right.all()]
    code = ranking.WEIGHTS.astype(np.float64)
    refit = logit([r.own.table.astype(np.float64) for r in good], [r.right for r in good])
    _compare(f"WEIGHTS ({len(good)} questions)", NAMES, code, refit)
    plain = ranking.WEIGHTS_UNENCODED.astype(np.float64)
    plain_refit = np.concatenate(
        [[0.0], logit([without_vectors(r)[:, 1:] for r in good], [r.right for r in good])]
    )
    _compare("WEIGHTS_UNENCODED", NAMES, plain, plain_refit)
    print(
        "\nHeld out: answer in the first sentence / in three; without vectors in the first eight\n"
    )
    table = []
    for name, own in by_set(r for r in held if r.answerable).items():
        a, b = first_and_three(own, code), first_and_three(own, refit)
        kept = [
            mean(
                bool(row.right[np.argsort(-without_vectors(row) @ w, kind="stable")[:8]].any())
                for row in own
            )
            for w in (plain, plain_refit)
        ]
        table.append((name, len(own), *(f"{x:.3f} / {y:.3f}" for x, y in (a, b)), *kept))
    print_table(("held out", "questions", "code", "refit", "plain code", "plain refit"), table)


def show_confidence(fit: Sequence[Row], held: Sequence[Row]) -> None:
    """The confidence, its caps and NOT_FOUND_THRESHOLD."""
    refit = logistic(sums(fit), are_answerable(fit))
    code = np.array([probability.CONFIDENCE_BIAS, *probability.CONFIDENCE_WEIGHTS])
    _compare(f"CONFIDENCE_* ({len(fit)} questions)", ("bias", *SURE), code, refit)
    print("\nHeld out: area under the curve, answerable against not\n")

    def merit(rows: Sequence[Row], weights: Floats) -> float:
        return area(sums(rows) @ weights[1:], are_answerable(rows))

    sets = {n: own for n, own in by_set(held).items() if len({r.answerable for r in own}) == 2}
    print_table(
        ("held out", "questions", "code", "refit"),
        [(n, len(own), merit(own, code), merit(own, refit)) for n, own in sets.items()],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20, help="of an article, of each sort")
    parser.add_argument("--only", choices=("ranking", "status", "all"), default="all")
    parser.add_argument("--cache", type=Path, help="keep the figures of `status` in this file")
    arguments = parser.parse_args()
    data("qa", "xquad-dev.jsonl")
    if arguments.only != "ranking":
        show_status(arguments.questions, arguments.cache)
    if arguments.only != "status":
        rows = rows_of(arguments.questions)
        fit, held = [r for r in rows if not r.held], [r for r in rows if r.held]
        print(f"{len(fit)} questions fitted on, {len(held)} held out")
        show_weights(fit, held)
        show_confidence(fit, held)


if __name__ == "__main__":
    main()
