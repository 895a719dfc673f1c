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
import random
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

import numpy as np
from common import data, print_table
from numpy.typing import NDArray

from benchmarks.answers import Answered, answered, shown
from benchmarks.asked import (
    SAMPLE,
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
from benchmarks.calibration import area, show_status
from corpus_agent.answering import (
    agreement,
    answer_type,
    evidence,
    grounding,
    probability,
    ranking,
)
from corpus_agent.answering import shown as choice
from corpus_agent.answering.coverage import EncodeTokens
from corpus_agent.answering.ranking import Weighed, rank_sentences, weighed
from corpus_agent.answering.shown import (
    KEEP_WITHIN,
    KEEP_WITHIN_OTHER,
    MOST_SENTENCES,
    best_sentences,
)
from corpus_agent.answering.subquestions import parts
from corpus_agent.answering.verification import UNSUPPORTED
from corpus_agent.text.sentences import units
from indexer import Encoded
from indexer.index import Index
from indexer.records import Chunk, Query

CLAIMS = Path(__file__).parent / "claims.toml"
NAMES = ("cosine", "passage", "rare", "share", "kind", "title", "measure")
SURE = (
    *("score", "cosine", "gap", "covered", "measure missing", "names missing", "least", "code"),
)
ENCODED = 24  # candidates that are encoded for the fits, of which the code keeps UNITS_ENCODED
RIDGE = 1.0  # on weights of features with a deviation of 1: rare features stay small
ANSWERS = 150  # of benchmarks/answers.py, of each set
FOREIGN = 1  # questions of an article in other languages
THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
NEARLY = 0.005  # a cheaper choice that loses no more than this is as good

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


def _logit(tables: Sequence[Floats], right: Sequence[NDArray[np.bool_]]) -> Floats:
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


def _logistic(table: Floats, yes: NDArray[np.bool_]) -> Floats:
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


def _order(row: Row, weights: Floats, encoded: int = ranking.UNITS_ENCODED) -> list[int]:
    """The candidates best first, of those that would have been encoded."""
    table = row.own.table.astype(np.float64)
    kept = np.argsort(-_plain(row) @ ranking.WEIGHTS_UNENCODED, kind="stable")[:encoded]
    return sorted(kept.tolist(), key=lambda i: -float(table[i] @ weights))


_PLAIN: dict[int, Floats] = {}


def _plain(row: Row) -> Floats:
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
    orders = [(row, _order(row, weights)) for row in rows if row.answerable]
    first = mean(bool(row.right[order[0]]) for row, order in orders)
    return first, mean(bool(row.right[order[:3]].any()) for row, order in orders)


def _sums(rows: Sequence[Row]) -> Floats:
    """The figures about the best candidate of each question."""
    found = [ranking.figures(row.asked.text, row.own)[0] for row in rows]
    return np.array(found, dtype=np.float64)


def _answerable(rows: Sequence[Row]) -> NDArray[np.bool_]:
    return np.array([row.answerable for row in rows], dtype=bool)


def _by_set(rows: Iterable[Row]) -> dict[str, list[Row]]:
    return {
        name: list(own)
        for name, own in groupby(sorted(rows, key=lambda r: r.asked.which), lambda r: r.asked.which)
    }


# ---- The tables


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
    refit = _logit([r.own.table.astype(np.float64) for r in good], [r.right for r in good])
    _compare(f"WEIGHTS ({len(good)} questions)", NAMES, code, refit)
    plain = ranking.WEIGHTS_UNENCODED.astype(np.float64)
    plain_refit = np.concatenate(
        [[0.0], _logit([_plain(r)[:, 1:] for r in good], [r.right for r in good])]
    )
    _compare("WEIGHTS_UNENCODED", NAMES, plain, plain_refit)
    print(
        "\nHeld out: answer in the first sentence / in three; without vectors in the first eight\n"
    )
    table = []
    for name, own in _by_set(r for r in held if r.answerable).items():
        a, b = first_and_three(own, code), first_and_three(own, refit)
        kept = [
            mean(
                bool(row.right[np.argsort(-_plain(row) @ w, kind="stable")[:8]].any())
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
        weights = _logit(tables, [r.right for r in good])
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
        orders = [(row, _order(row, weights, int(most))) for row in rows]
        return mean(bool(row.right[order[:3]].any()) for row, order in orders)

    def elsewhere(rows: Sequence[Row], gap: float) -> float:
        return within(rows, KEEP_WITHIN, gap)

    def within(rows: Sequence[Row], gap: float, other: float | None = None) -> float:
        found = []
        for row in rows:
            order = _order(row, weights)[:MOST_SENTENCES]
            scores = row.own.table @ ranking.WEIGHTS
            here = row.own.found[order[0]].passage
            gaps = [
                gap if other is None or each.passage == here else other for each in row.own.found
            ]
            near = [i for i in order if scores[i] >= scores[order[0]] - gaps[i]]
            found.append(bool(row.right[near].any()))
        return mean(found)

    def returned(rows: Sequence[Row], most: float) -> float:
        return mean(bool(row.right[_order(row, weights)[: int(most)]].any()) for row in rows)

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
    refit = _logistic(_sums(fit), _answerable(fit))
    code = np.array([probability.CONFIDENCE_BIAS, *probability.CONFIDENCE_WEIGHTS])
    _compare(f"CONFIDENCE_* ({len(fit)} questions)", ("bias", *SURE), code, refit)
    print("\nHeld out: area under the curve, answerable against not\n")

    def merit(rows: Sequence[Row], weights: Floats) -> float:
        return area(_sums(rows) @ weights[1:], _answerable(rows))

    sets = {n: own for n, own in _by_set(held).items() if len({r.answerable for r in own}) == 2}
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
        table.append(_swept(probability, name, values, lambda r: merit(r, code), fit, held))
    print_table(("constant", "code", "refit", "held out"), table)
    refits = {name: _threshold(own, code) for name, own in _by_set(fit).items() if name in sets}
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
                refused = _sums(own) @ weights[1:] + weights[0] < level
                yes = _answerable(own)
                cells.append(f"{refused[yes].mean():.3f} / {refused[~yes].mean():.3f}")
        table.append((threshold, *cells))
    header = [f"{name} {which}" for name in sets for which in ("code", "refit")]
    print_table(("threshold", *header), table)


def _threshold(rows: Sequence[Row], weights: Floats) -> float:
    """The highest threshold at which fewer than one in ten answerable questions is refused."""
    answerable = [row for row in rows if row.answerable]
    logits = _sums(answerable) @ weights[1:] + weights[0]
    kept = [t for t in THRESHOLDS if (logits < math.log(t / (1 - t))).mean() < 0.1]
    return max(kept, default=THRESHOLDS[0])


def _swept(
    module: ModuleType,
    name: str,
    values: Sequence[float],
    merit: Callable[[Any], float],
    fit: object,
    held: object,
) -> tuple[object, ...]:
    """A constant's row: the value in the code, the best on the fitted part, the held out curve.

    The value in the code stays where another gains no more than NEARLY.
    """
    code = getattr(module, name)
    fitted: dict[float, float] = {}
    shown: list[str] = []
    for value in values:
        setattr(module, name, type(code)(value))
        try:
            fitted[value] = merit(fit)
            shown.append(f"{value:g}: {merit(held):.3f}")
        finally:
            setattr(module, name, code)
    best = max(values, key=lambda value: fitted[value])
    if fitted.get(code, -1.0) >= fitted[best] - NEARLY:
        best = code
    return name, f"{code:g}", f"{best:g}", " ".join(shown)


# ---- Which kinds, measures and halves earn their place


def show_kinds(rows: Sequence[Row]) -> None:
    """What each kind and measure of answer_type.py does; no part of any fit sees a pattern."""
    weights = ranking.WEIGHTS.astype(np.float64)
    print("\nanswer_type: answers in the first sentence / in three, with and without\n")
    table = []
    for name in (*answer_type.KINDS, *answer_type.MEASURES):
        for which, own in _by_set(rows).items():
            asking = [r for r in own if name in (r.own.subject.kind, r.own.subject.measure)]
            good = [r for r in asking if r.answerable]
            if not good:
                continue
            column = 4 if name in answer_type.KINDS else 6
            kept, left = first_and_three(good, weights), _left(good, column, weights)
            missing = [bool(s[4]) for s in _sums(asking)] if column == 6 else []
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


# ---- Claims


Judged = tuple[bool, str, list[Chunk], EncodeTokens]


def show_claims() -> None:
    """The thresholds of grounding.py on sentences of the sample; every other question held out."""
    entries = tomllib.loads(CLAIMS.read_text("utf-8"))["claims"]
    with index_of(SAMPLE) as corpus:
        known: dict[str, Encoded] = {}

        def encode(texts: list[str]) -> list[Encoded]:
            new = [text for text in dict.fromkeys(texts) if text not in known]
            known.update(zip(new, corpus.encoder.encode_tokens(new), strict=True))
            return [known[text] for text in texts]

        judged = [list(_judged(corpus, entry, encode)) for entry in entries]
        fit = [row for rows in judged[::2] for row in rows]
        held = [row for rows in judged[1::2] for row in rows]
        print(f"\ngrounding: found of {_count(held)} less accepted of the others, held out\n")
        constants: tuple[tuple[str, tuple[float, ...], bool], ...] = (
            ("ENOUGH", (0.4, 0.45, 0.5, 0.525, 0.55, 0.6, 0.65), True),
            ("ENOUGH_COVERED", (0.5, 0.6, 0.65, 0.7, 0.75, 0.8), False),
            ("SURELY_COVERED", (0.7, 0.8, 0.9, 1.0), True),
            ("CLEARLY", (0.05, 0.1, 0.2, 0.3, 0.5), True),
            ("LONGEST_WINDOW", (1, 2, 3), True),
            ("CONTEXT", (0, 200, 800, 2000), True),
            ("MAX_LIKELY", (5, 10, 30, 60), True),
            ("MAX_COMPARED", (2, 4, 8, 16), True),
            ("_NEARLY", (0.5, 0.6, 0.7, 0.8, 0.9), True),
        )
        table = []
        for name, values, vectors in constants:
            merit = partial(_claims, vectors=vectors)
            table.append(_swept(_HOLDING.get(name, grounding), name, values, merit, fit, held))
    print_table(("constant", "code", "refit", "held out"), table)
    print(
        "\nThe same on answers.py: contradictions marked less right answers marked, words alone\n"
    )
    sets = [list(islice(answered(which, random.Random(1)), ANSWERS)) for which in ("dev", "held")]
    swept = (
        ("SPEAKS_OF", (0.3, 0.4, 0.5, 0.6, 0.7)),
        ("ENOUGH_COVERED", (0.5, 0.6, 0.7, 0.8)),
        ("_NEARLY", (0.5, 0.6, 0.7, 0.8, 0.9)),
    )
    table = [
        _swept(_HOLDING.get(name, grounding), name, values, _marked, *sets)
        for name, values in swept
    ]
    print_table(("constant", "code", "refit", "held out"), table)


def _marked(cases: Sequence[Answered]) -> float:
    """The share of wrong answers that is marked less that of right ones."""
    given = defaultdict(list)
    for case in cases:
        given[case.kind == "honest"].append(UNSUPPORTED in shown(case))
    return mean(given[False]) - mean(given[True])


def _judged(corpus: Index, entry: Mapping[str, Any], encode: EncodeTokens) -> Iterator[Judged]:
    for says, key in ((True, "supported"), (False, "not")):
        for claim in entry[key]:
            hits = [*corpus.search(Query(entry["question"])), *corpus.search(Query(claim))]
            yield says, claim, [hit.chunk for hit in hits], encode


def _count(rows: Sequence[Judged]) -> str:
    return f"{sum(says for says, *_ in rows)} of {len(rows)}"


# The modules of the constants that are not grounding.py's own.
_HOLDING = {"LONGEST_WINDOW": evidence, "CONTEXT": evidence, "_NEARLY": agreement}
_SUPPORTERS: dict[tuple[object, ...], grounding.Supporter] = {}


def _claims(rows: Sequence[Judged], vectors: bool) -> float:
    """The share of what is said that is found, less the share of the rest that is accepted."""
    given = defaultdict(list)
    for says, claim, passages, encode in rows:
        key = (id(passages), vectors, evidence.LONGEST_WINDOW, evidence.CONTEXT)
        if key not in _SUPPORTERS:  # what other constants bear on is asked anew for every claim
            _SUPPORTERS[key] = grounding.Supporter(passages, encode if vectors else None)
        given[says].append(_SUPPORTERS[key].support(claim) is not None)
    return mean(given[True]) - mean(given[False])


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
