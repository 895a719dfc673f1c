"""The status of an answer without a model: the probability, ANSWERED_FROM, and what both are worth.

Run by fit_ranking.py --only status. Fitted on one half of the articles of three sets and measured
on the other, with answerable and unanswerable questions weighing the same. An answer holds if a
gold string stands in the sentences that are shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from common import print_table
from numpy.typing import NDArray

from benchmarks.asked import Asked, few, flat, held_out, index_of, pool, sample, squad, xquad
from corpus_agent.answering import probability, ranking
from corpus_agent.answering.ranking import Weighed, weighed
from corpus_agent.answering.subquestions import parts
from indexer import Encoded

DIAGRAM = Path(__file__).parent.parent / "docs" / "reliability.svg"
NAMES = ("topic", "passage", "negations", "opposites", "names", "other words")
SETS = ("squad", "sample", "xquad")
WANTED = 0.9  # of the answers called answered hold the answer
LEAST = 20  # answers from which a share is one
REFUSED = 0.1  # of the answerable questions, for comparing with other programs
RIDGE = 3.0
BINS = 10

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question: its set and article, the figures about its best sentence, and the truth."""

    which: str
    group: str
    text: str
    topic: list[float]
    bound: list[float]
    answerable: bool
    holds: bool


@dataclass(frozen=True)
class Part:
    """Cases as arrays; answerable and other questions weigh the same."""

    table: Floats
    answerable: NDArray[np.bool_]
    holds: NDArray[np.bool_]
    which: NDArray[np.str_]
    groups: NDArray[np.str_]

    @property
    def weights(self) -> Floats:
        """A half for all answerable questions, a half for the others."""
        share = self.answerable.mean()
        if share in (0, 1):
            return np.ones(len(self.holds))
        return np.where(self.answerable, 0.5 / share, 0.5 / (1 - share))

    def only(self, rows: NDArray[np.bool_]) -> Part:
        """The part of these rows."""
        columns = self.table, self.answerable, self.holds, self.which, self.groups
        return Part(*(column[rows] for column in columns))


def part_of(cases: Sequence[Case]) -> Part:
    """The cases as arrays."""
    rows = [[probability.topic_logit(case.topic), *case.bound] for case in cases]
    return Part(
        np.array(rows, dtype=np.float64),
        np.array([case.answerable for case in cases]),
        np.array([case.holds for case in cases]),
        np.array([case.which for case in cases]),
        np.array([case.group for case in cases]),
    )


# ---- The cases


def case_of(asked: Asked, own: Weighed) -> Case:
    """A question with its figures, and whether what would be shown holds its answer."""
    topic, bound = ranking.figures(asked.text, own)
    sentences = ranking.best_sentences(own)
    shown = flat(" ".join(sentence.text for sentence in sentences))
    every = all if asked.which == "sample" else any  # others list spellings of one answer
    holds = bool(asked.answers) and every(flat(answer) in shown for answer in asked.answers)
    which, group, text = asked.which, asked.group, asked.text
    return Case(which, group, text, topic, bound, bool(asked.answers), holds)


def _cases(most: int) -> Iterator[Case]:
    """The cases of all sets; each text is encoded once."""
    for folder, every in (squad(), sample(), xquad("en")):
        memory: dict[str, Encoded] = {}
        with index_of(folder) as corpus:
            for asked in few(every, most):
                if len(parts(asked.text)) > 1:
                    continue
                hits = pool(corpus, asked.text)
                own = weighed(asked.text, hits, corpus.encoder.encode_tokens, memory)
                memory.pop(asked.text, None)
                if own is not None:
                    yield case_of(asked, own)


def cases(most: int, cache: Path | None) -> list[Case]:
    """The cases, from `cache` if it is there, else made and kept there."""
    if cache is not None and cache.exists():
        return [Case(**json.loads(line)) for line in cache.read_text("utf-8").splitlines()]
    found = list(_cases(most))
    if cache is not None:
        cache.write_text("".join(json.dumps(asdict(case)) + "\n" for case in found), "utf-8")
    return found


def halves(found: Sequence[Case]) -> tuple[Part, Part]:
    """What is fitted on, and what is held out; split as all of fit_ranking.py is."""
    held = held_out([xquad("en"), squad(), sample()])
    return (
        part_of([case for case in found if not held[case.group]]),
        part_of([case for case in found if held[case.group]]),
    )


# ---- Fits and figures of merit


def fitted(part: Part) -> Floats:
    """Bias and weights of a logistic regression over the weighted cases, by Newton's method."""
    middle, deviation = part.table.mean(axis=0), np.maximum(part.table.std(axis=0), 1e-6)
    scaled = np.column_stack([np.ones(len(part.table)), (part.table - middle) / deviation])
    weights, ridge = np.zeros(scaled.shape[1]), np.diag([0.0] + [RIDGE] * part.table.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (part.weights * (part.holds - chance)) - ridge @ weights
        curve = (scaled * (part.weights * chance * (1 - chance))[:, None]).T @ scaled + ridge
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    plain = weights[1:] / deviation
    return np.concatenate([[weights[0] - plain @ middle], plain])


def chances(part: Part, weights: Floats) -> Floats:
    """The probability of each case."""
    return np.asarray(1 / (1 + np.exp(-(part.table @ weights[1:] + weights[0]))))


def area(figures: Floats, yes: NDArray[np.bool_]) -> float:
    """The chance that a yes has the higher figure than a no: the area under the curve."""
    ranks = np.searchsorted(np.sort(figures), figures, "left") + np.searchsorted(
        np.sort(figures), figures, "right"
    )
    good, bad = int(yes.sum()), int((~yes).sum())
    if not good or not bad:
        return float("nan")
    return float((ranks[yes].sum() / 2 - good * good / 2) / (good * bad))


def precision(part: Part, chance: Floats, threshold: float) -> float:
    """The weighted share of what is called answered that holds the answer; nan of nothing."""
    called = chance >= threshold
    whole = part.weights[called].sum()
    return float((part.weights * part.holds)[called].sum() / whole) if whole else float("nan")


def coverage(part: Part, chance: Floats, threshold: float) -> float:
    """The share of the answerable questions that is called answered."""
    return float((chance[part.answerable] >= threshold).mean())


def bins(part: Part, chance: Floats) -> list[tuple[float, float, float]]:
    """Mean probability, share that holds the answer, and weight of each tenth that is not empty."""
    places = np.minimum((chance * BINS).astype(int), BINS - 1)
    found = []
    for place in range(BINS):
        weights = part.weights * (places == place)
        if whole := float(weights.sum()):
            mean, share = weights @ chance / whole, weights @ part.holds / whole
            found.append((float(mean), float(share), whole / float(part.weights.sum())))
    return found


def calibration_error(part: Part, chance: Floats) -> float:
    """The expected calibration error over ten bins (Naeini 2015)."""
    return sum(weight * abs(mean - share) for mean, share, weight in bins(part, chance))


def not_answered(part: Part, chance: Floats) -> float:
    """The share of the unanswerable below the threshold that rejects REFUSED of the others."""
    threshold = np.quantile(chance[part.answerable], REFUSED)
    return float((chance[~part.answerable] < threshold).mean())


def threshold_of(part: Part) -> float:
    """The lowest threshold with WANTED at and above it, each article judged by the others' fit."""
    chance = np.zeros(len(part.holds))
    articles = sorted(set(part.groups))
    for fold in range(4):
        own = np.isin(part.groups, articles[fold::4])
        chance[own] = chances(part.only(own), fitted(part.only(~own)))
    falling = np.sort(chance)[::-1][LEAST - 1 :]
    good = [bool(precision(part, chance, level) >= WANTED) for level in falling]
    return float(falling[good.index(False) - 1]) if good[0] and not all(good) else 1.0


# ---- The tables


def show_status(most: int, cache: Path | None) -> None:
    """The weights and the threshold, what each figure earns, and what they are worth held out."""
    fit, held = halves(cases(most, cache))
    code = np.array([probability.BOUND_BIAS, *probability.BOUND_WEIGHTS])
    refit, level = fitted(fit), threshold_of(fit)
    print(f"\n{len(fit.holds)} questions fitted on, {len(held.holds)} held out\n")
    rows = list(zip(("bias", *NAMES), code, refit, strict=True))
    print_table(("constant", "code", "refit"), [(n, float(c), float(r)) for n, c, r in rows])
    print(
        f"\nANSWERED_FROM {probability.ANSWERED_FROM}; the lowest threshold with {WANTED} at and "
        f"above it, out of fold: {'none' if level == 1 else round(level, 3)}\n"
    )
    _show_worth(held, code)
    _show_curve(fit, held, code)
    _show_each(fit, held)
    DIAGRAM.write_text(diagram(bins(held, chances(held, code))), "utf-8")


def _show_worth(held: Part, weights: Floats) -> None:
    print("Held out, with the code's numbers; confidence: the topic's alone\n")
    table = []
    level = probability.ANSWERED_FROM
    near = np.isin(held.which, ("squad", "sample"))
    for name, rows in (
        *((which, held.which == which) for which in SETS),
        ("squad and sample", near),
        ("all", np.ones(len(near), dtype=bool)),
    ):
        own = held.only(rows)
        chance = chances(own, weights)
        both = bool((~own.answerable).any())
        measures: tuple[Callable[[], float], ...] = (
            lambda own=own: area(own.table[:, 0], own.answerable),
            lambda own=own, chance=chance: area(chance, own.answerable),
            lambda own=own, chance=chance: not_answered(own, chance),
            lambda own=own, chance=chance: precision(own, chance, level),
            lambda own=own, chance=chance: calibration_error(own, chance),
        )
        figures = [measure() if both else "" for measure in measures]
        table.append((name, len(chance), *figures, coverage(own, chance, level)))
    header = ("AUC confidence", "AUC", "not answered at .10", "precision", "ECE", "coverage")
    print_table(("held out", "questions", *header), table)


def _show_curve(fit: Part, held: Part, weights: Floats) -> None:
    print("\nPrecision of what is called answered / share of the answerable, by threshold\n")
    table: list[tuple[object, ...]] = []
    for level in (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9):
        row: list[object] = [level]
        for part in (fit, held):
            chance = chances(part, weights)
            shares = precision(part, chance, level), coverage(part, chance, level)
            row.append("{:.3f} / {:.3f}".format(*shares))
        table.append(tuple(row))
    print_table(("threshold", "fitted", "held out"), table)


def _show_each(fit: Part, held: Part) -> None:
    """What each figure earns: the area held out without it, each half fitted and held in turn."""
    print("\nWithout one figure: AUC held out, either half in turn\n")

    def areas(left: int | None) -> list[float]:
        found = []
        for one, other in ((fit, held), (held, fit)):
            kept = [n for n in range(len(NAMES)) if n != left]
            seen, unseen = (
                Part(p.table[:, kept], p.answerable, p.holds, p.which, p.groups)
                for p in (one, other)
            )
            chance = chances(unseen, fitted(seen))
            for which in ("squad", "sample"):
                rows = unseen.which == which
                found.append(area(chance[rows], unseen.answerable[rows]))
        return found

    table = [(name, *areas(n)) for n, name in enumerate(NAMES)]
    header = ("SQuAD, second half", "sample", "SQuAD, first half", "sample")
    print_table(("without", *header), [("none", *areas(None)), *table])


# ---- The picture

SIDE, EDGE = 320, 40
WHOLE = SIDE + 2 * EDGE


def diagram(found: Sequence[tuple[float, float, float]]) -> str:
    """The reliability diagram as SVG: what was said against what came true, areas by weight."""

    def at(x: float, y: float) -> tuple[float, float]:
        return EDGE + x * SIDE, EDGE + (1 - y) * SIDE

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WHOLE}" height="{WHOLE}" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<rect x="{EDGE}" y="{EDGE}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#999"/>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = at(tick, tick)
        lines.append(f'<text x="{x}" y="{SIDE + EDGE + 15}" text-anchor="middle">{tick}</text>')
        lines.append(f'<text x="{EDGE - 6}" y="{y + 4}" text-anchor="end">{tick}</text>')
    (left, bottom), (right, top) = at(0, 0), at(1, 1)
    lines.append(f'<line x1="{left}" y1="{bottom}" x2="{right}" y2="{top}" stroke="#999"/>')
    points = " ".join("{:.1f},{:.1f}".format(*at(mean, share)) for mean, share, _ in found)
    lines.append(f'<polyline points="{points}" fill="none" stroke="#06c"/>')
    for mean, share, weight in found:
        x, y = at(mean, share)
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{20 * weight**0.5:.1f}" fill="#06c"/>')
    middle = EDGE + SIDE / 2
    lines += [
        f'<text x="{middle}" y="{WHOLE - 8}" text-anchor="middle">probability</text>',
        f'<text x="{middle}" y="24" text-anchor="middle">share that holds the answer</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
