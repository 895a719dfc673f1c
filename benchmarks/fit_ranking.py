"""Where the numbers of the answering rules come from: each made anew from data, beside the code's.

Questions with known answers (XQuAD, SQuAD 2.0 with its unanswerable ones, the sample corpus) and
sentences with known support (claims.toml) are split by article, document and question: what is
fitted sees the first part alone, and every figure is of the part held out. "code" is the number
that stands in the code, "refit" the one that this run makes. German and Spanish XQuAD are held out
whole. Constants that are a choice and not a measurement say so where they stand. The code's numbers
were made before this script, partly from XQuAD: its own part held out is new to the refit alone.

    python benchmarks/fit_ranking.py [--questions 20] [--only ranking|claims|kinds|status|all]
"""

from __future__ import annotations

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean

import numpy as np
from common import data, print_table

from benchmarks.asked import (
    flat,
    index_of,
    pool,
    sample,
    squad,
    xquad,
)
from benchmarks.calibration import area, show_status
from benchmarks.grounding_fits import show_claims
from benchmarks.ranking_fits import (
    NAMES,
    NEARLY,
    SURE,
    THRESHOLDS,
    Floats,
    Row,
    are_answerable,
    by_set,
    first_and_three,
    logistic,
    logit,
    order_of,
    rows_of,
    sums,
    sweep,
    without_vectors,
)
from corpus_agent.answering import (
    answer_type,
    probability,
    ranking,
)
from corpus_agent.answering import shown as choice
from corpus_agent.answering.ranking import rank_sentences, weighed
from corpus_agent.answering.shown import (
    KEEP_WITHIN,
    KEEP_WITHIN_OTHER,
    MOST_SENTENCES,
    best_sentences,
)
from corpus_agent.answering.subquestions import parts
from corpus_agent.text.sentences import units


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
    print("\nWithout one feature (refitted): change on the part held out, English sets\n")
    english = [r for r in held if r.answerable and " " not in r.asked.which]
    base = first_and_three(english, refit)
    table = []
    for n, name in enumerate(NAMES):
        tables = [r.own.table.astype(np.float64).copy() for r in good]
        for each in tables:
            each[:, n] = 0.0
        weights = logit(tables, [r.right for r in good])
        weights[n] = 0.0
        left = first_and_three(english, weights)
        table.append((name, f"{left[0] - base[0]:+.3f}", f"{left[1] - base[1]:+.3f}"))
    print_table(("without", "first", "in three"), table)


def show_limits(fit: Sequence[Row], held: Sequence[Row]) -> None:
    """PASSAGES_READ, UNITS_ENCODED, KEEP_WITHIN and the like: what more would find."""
    weights = ranking.WEIGHTS.astype(np.float64)

    def read(rows: Sequence[Row], most: float) -> float:
        return mean(any(rank < most for rank in row.ranks) for row in rows)

    def encoded(rows: Sequence[Row], most: float) -> float:
        orders = [(row, order_of(row, weights, int(most))) for row in rows]
        return mean(bool(row.right[order[:3]].any()) for row, order in orders)

    def elsewhere(rows: Sequence[Row], gap: float) -> float:
        return within(rows, KEEP_WITHIN, gap)

    def within(rows: Sequence[Row], gap: float, other: float | None = None) -> float:
        found = []
        for row in rows:
            order = order_of(row, weights)[:MOST_SENTENCES]
            scores = row.own.table @ ranking.WEIGHTS
            here = row.own.found[order[0]].passage
            gaps = [
                gap if other is None or each.passage == here else other for each in row.own.found
            ]
            near = [i for i in order if scores[i] >= scores[order[0]] - gaps[i]]
            found.append(bool(row.right[near].any()))
        return mean(found)

    def returned(rows: Sequence[Row], most: float) -> float:
        return mean(bool(row.right[order_of(row, weights)[: int(most)]].any()) for row in rows)

    curves: tuple[tuple[str, float, tuple[float, ...], Callable[..., float]], ...] = (
        ("PASSAGES_READ", ranking.PASSAGES_READ, (2, 3, 5, 8, 10), read),
        ("UNITS_ENCODED", ranking.UNITS_ENCODED, (6, 8, 12, 16, 24), encoded),
        ("KEEP_WITHIN", KEEP_WITHIN, (1, 2, 2.5, 3, 3.5, 5, 99), within),
        ("KEEP_WITHIN_OTHER", KEEP_WITHIN_OTHER, (0.5, 1, 1.5, 2, 2.5), elsewhere),
        ("MOST_SENTENCES", MOST_SENTENCES, (1, 2, 3, 4, 5), returned),
    )
    fit, held = [r for r in fit if r.answerable], [r for r in held if r.answerable]
    print(
        "\nLimits: share of answers found. refit: the least that loses at most .005 of the most\n"
    )
    table = []
    for name, code, values, share in curves:
        fitted = {value: share(fit, value) for value in values}
        refit = min(v for v in values if fitted[v] >= max(fitted.values()) - NEARLY)
        curve = " ".join(f"{v:g}: {share(held, v):.3f}" for v in values)
        table.append((name, f"{code:g}", f"{refit:g}", curve))
    print_table(("constant", "code", "refit", "held out"), table)


def show_beside(fit: Sequence[Row], held: Sequence[Row]) -> None:
    """ADDS_BESIDE: answers in the first quotation, and how many of these are two sentences."""
    table, code = [], choice.ADDS_BESIDE
    for least in (0.0, 0.03, 0.05, 0.08, 0.12, 0.2, 9.0):
        choice.ADDS_BESIDE = least
        cells: list[object] = [least]
        for rows in (fit, held):
            firsts = [(r, best_sentences(r.own)[0]) for r in rows if r.answerable]
            own = [
                r.right[
                    [
                        n
                        for n, c in enumerate(r.own.found)
                        if c.passage == s.passage and s.start <= c.start < s.end
                    ]
                ]
                for r, s in firsts
            ]
            cells += [mean(bool(each.any()) for each in own), mean(len(each) > 1 for each in own)]
        table.append(cells)
    choice.ADDS_BESIDE = code
    print(f"\nADDS_BESIDE {code}: answers in the first quotation, share of two sentences\n")
    print_table(("least", "fitted", "joined", "held out", "joined"), table)


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
    print("\nCaps: area on the fitted part decides\n")
    table = []
    for name, values in (
        ("MOST_COVERED", (3.0, 4.0, 6.0, 9.0)),
        ("UNRELATED_SCORE", (4.0, 6.0, 8.0)),
    ):
        table.append(sweep(probability, name, values, lambda r: merit(r, code), fit, held))
    print_table(("constant", "code", "refit", "held out"), table)
    refits = {name: _threshold(own, code) for name, own in by_set(fit).items() if name in sets}
    chosen = ", ".join(f"{value:.2f} on {name}" for name, value in refits.items())
    print(
        f"\nNOT_FOUND_THRESHOLD {probability.NOT_FOUND_THRESHOLD}; the highest that refuses fewer "
        f"than one in ten answerable questions of the fitted part: {chosen}. "
        "Refused of answerable / of the others, held out\n"
    )
    table = []
    for threshold in THRESHOLDS:
        level = math.log(threshold / (1 - threshold))
        cells = []
        for own in sets.values():
            for weights in (code, refit):
                refused = sums(own) @ weights[1:] + weights[0] < level
                yes = are_answerable(own)
                cells.append(f"{refused[yes].mean():.3f} / {refused[~yes].mean():.3f}")
        table.append((threshold, *cells))
    header = [f"{name} {which}" for name in sets for which in ("code", "refit")]
    print_table(("threshold", *header), table)


def _threshold(rows: Sequence[Row], weights: Floats) -> float:
    """The highest threshold at which fewer than one in ten answerable questions is refused."""
    answerable = [row for row in rows if row.answerable]
    logits = sums(answerable) @ weights[1:] + weights[0]
    kept = [t for t in THRESHOLDS if (logits < math.log(t / (1 - t))).mean() < 0.1]
    return max(kept, default=THRESHOLDS[0])


# ---- Which kinds, measures and halves earn their place


def show_kinds(rows: Sequence[Row]) -> None:
    """What each kind and measure of answer_type.py does; no part of any fit sees a pattern."""
    weights = ranking.WEIGHTS.astype(np.float64)
    print("\nanswer_type: answers in the first sentence / in three, with and without\n")
    table = []
    for name in (*answer_type.KINDS, *answer_type.MEASURES):
        for which, own in by_set(rows).items():
            asking = [r for r in own if name in (r.own.subject.kind, r.own.subject.measure)]
            good = [r for r in asking if r.answerable]
            if not good:
                continue
            column = 4 if name in answer_type.KINDS else 6
            kept, left = first_and_three(good, weights), _left(good, column, weights)
            missing = [bool(s[4]) for s in sums(asking)] if column == 6 else []
            wrong = sum(m for m, r in zip(missing, asking, strict=False) if r.answerable)
            other = sum(m for m, r in zip(missing, asking, strict=False) if not r.answerable)
            n = len(good)
            firsts = f"{kept[0] * n:.0f} / {left[0] * n:.0f}"
            threes = f"{kept[1] * n:.0f} / {left[1] * n:.0f}"
            signs = f"{wrong} of {n} / {other} of {len(asking) - n}" if column == 6 else ""
            table.append((name, which, n, firsts, threes, signs))
    header = ("first, with / without", "three", "found missing: answerable / not")
    print_table(("asked for", "set", "answerable", *header), table)


def show_measures() -> None:
    """What a measure tells apart: sentences with the answer and the others beside them."""
    table: list[tuple[object, ...]] = []
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for folder, every in (xquad("en"), squad(), xquad("de"), xquad("es")):
        for asked in every:
            measure = answer_type.expected_measure(asked.text)
            if not measure:
                continue
            count = counts[measure, asked.which]
            count["asked"] += 1
            text = (folder / asked.source).read_text("utf-8") if asked.answers else ""
            for unit in units(text):
                sentence = text[unit.start : unit.end]
                right = any(flat(answer) in flat(sentence) for answer in asked.answers)
                side = "right" if right else "other"
                count[side] += 1
                count[f"{side} with"] += answer_type.has_measure(measure, sentence)
    for measure in answer_type.MEASURES:
        own = {which: count for (name, which), count in counts.items() if name == measure}
        for which, c in own.items():
            shares = (f"{c[f'{side} with']} of {c[side]}" for side in ("right", "other"))
            table.append((measure, which, c["asked"], *shares))
        table += [] if own else [(measure, "no question", 0, "", "")]
    print("\nMeasures: sentences that hold one where it is asked for; no set was seen for them\n")
    print_table(("measure", "set", "asked", "sentences with the answer", "others"), table)


def _left(rows: Sequence[Row], column: int, weights: Floats) -> tuple[float, float]:
    without = weights.copy()
    without[column] = 0.0
    return first_and_three(rows, without)


def show_halves() -> None:
    """subquestions: questions that are halved, answered whole and by halves."""
    table = []
    for folder, every in (xquad("en"), squad(), sample(), xquad("de")):
        two = [a for a in every if len(parts(a.text)) == 2]
        if not two:
            continue
        found = {"whole": 0, "halves": 0}
        with index_of(folder) as corpus:
            encode = corpus.encoder.encode_tokens
            for asked in (a for a in two if a.answers):
                hits = pool(corpus, asked.text)
                own = weighed(asked.text, hits, encode, {})
                halves = rank_sentences(asked.text, hits, encode).sentences
                assert own is not None
                best = np.argsort(-(own.table @ ranking.WEIGHTS))[:3].tolist()
                whole = [own.found[i].text for i in best]
                for name, texts in (("whole", whole), ("halves", [s.text for s in halves])):
                    said = flat(" ".join(texts))
                    found[name] += any(flat(a) in said for a in asked.answers)
        table.append((every[0].which, len(two), found["whole"], found["halves"]))
    print("\nsubquestions: answers in three sentences\n")
    print_table(("set", "halved", "asked whole", "by halves"), table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20, help="of an article, of each sort")
    parser.add_argument(
        "--only", choices=("ranking", "claims", "kinds", "status", "all"), default="all"
    )
    parser.add_argument("--cache", type=Path, help="keep the figures of `status` in this file")
    arguments = parser.parse_args()
    data("qa", "xquad-dev.jsonl")
    if arguments.only in ("status", "all"):
        show_status(arguments.questions, arguments.cache)
    if arguments.only not in ("claims", "status"):
        rows = rows_of(arguments.questions)
        fit, held = [r for r in rows if not r.held], [r for r in rows if r.held]
        print(f"{len(fit)} questions fitted on, {len(held)} held out")
        if arguments.only != "kinds":
            show_weights(fit, held)
            show_limits(fit, held)
            show_beside(fit, held)
            show_confidence(fit, held)
        show_kinds(rows)
        show_measures()
        show_halves()
    if arguments.only in ("claims", "all"):
        show_claims()


if __name__ == "__main__":
    main()
