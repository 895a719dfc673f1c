"""The status of an answer without a model: the probability, ANSWERED_FROM, and what both are worth.

Run by fit_ranking.py --only status. Each article of three sets is judged by a fit of all others,
with answerable and unanswerable questions weighing the same. An answer holds if a gold string
stands in the sentences that are shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from common import print_table
from numpy.typing import NDArray

from benchmarks.asked import Asked, few, flat, index_of, pool, sample, squad, xquad
from corpus_agent.answering import probability, ranking
from corpus_agent.answering.ranking import Weighed, weighed
from corpus_agent.answering.shown import best_sentences
from corpus_agent.answering.subquestions import parts
from indexer import Encoded

DIAGRAM = Path(__file__).parent.parent / "docs" / "reliability.svg"
NAMES = (
    "topic",
    "near",
    "negations",
    "antonyms",
    "names",
    "count",
    "kind",
    "other words",
    "lacking",
    "words",
    "least",
)
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
    sentences = best_sentences(own)
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


def unseen(part: Part) -> Floats:
    """The probability of each case by a fit of all articles but its own."""
    chance = np.zeros(len(part.holds))
    for article in sorted(set(part.groups)):
        own = part.groups == article
        chance[own] = chances(part.only(own), fitted(part.only(~own)))
    return chance


def threshold_of(part: Part, chance: Floats) -> float:
    """The lowest threshold with WANTED at it and above it everywhere; 1 if there is none."""
    falling = np.sort(chance)[::-1][LEAST - 1 :]
    good = [bool(precision(part, chance, level) >= WANTED) for level in falling]
    return float(falling[good.index(False) - 1]) if good[0] and not all(good) else 1.0


# ---- The tables


def show_status(most: int, cache: Path | None) -> None:
    """The weights and the threshold, what each figure earns, and what they are worth unseen."""
    part = part_of(cases(most, cache))
    chance = unseen(part)
    code = np.array([probability.BOUND_BIAS, *probability.BOUND_WEIGHTS])
    print(f"\n{len(part.holds)} questions; each article judged by a fit of the others\n")
    rows = list(zip(("bias", *NAMES), code, fitted(part), strict=True))
    print_table(("constant", "code", "refit"), [(n, float(c), float(r)) for n, c, r in rows])
    level = threshold_of(part, chance)
    print(
        f"\nANSWERED_FROM {probability.ANSWERED_FROM}; the lowest threshold with {WANTED} at and "
        f"above it, or 1: {round(level, 3)}\n"
    )
    _show_worth(part, chance)
    _show_curve(part, chance)
    _show_each(part)
    DIAGRAM.write_text(diagram(bins(part, chance)), "utf-8")


def _sets(part: Part) -> list[tuple[str, NDArray[np.bool_]]]:
    near = np.isin(part.which, ("squad", "sample"))
    return [
        *((which, part.which == which) for which in SETS),
        ("squad and sample", near),
        ("all", np.ones(len(near), dtype=bool)),
    ]


def _mean_area(part: Part, chance: Floats) -> float:
    """The mean of the areas of the articles that have questions of both sorts."""
    areas = [
        area(chance[own], part.answerable[own])
        for own in (part.groups == article for article in sorted(set(part.groups)))
    ]
    found = [each for each in areas if not np.isnan(each)]
    return sum(found) / len(found) if found else float("nan")


def _show_worth(part: Part, chance: Floats) -> None:
    table = []
    level = probability.ANSWERED_FROM
    for name, rows in _sets(part):
        own, its = part.only(rows), chance[rows]
        both = bool((~own.answerable).any())
        measures: tuple[Callable[[], float], ...] = (
            lambda own=own: area(own.table[:, 0], own.answerable),
            lambda own=own, its=its: area(its, own.answerable),
            lambda own=own, its=its: _mean_area(own, its),
            lambda own=own, its=its: not_answered(own, its),
            lambda own=own, its=its: calibration_error(own, its),
        )
        figures = [measure() if both else "" for measure in measures]
        called = precision(own, its, level), coverage(own, its, level)
        table.append((name, len(its), *figures, *called))
    header = ("AUC confidence", "AUC", "mean of articles", "not answered at .10", "ECE")
    print_table(("unseen", "questions", *header, "precision", "coverage"), table)


def _show_curve(part: Part, chance: Floats) -> None:
    print("\nPrecision of what is called answered / share of the answerable, by threshold\n")
    table: list[tuple[object, ...]] = []
    sets = _sets(part)
    for level in (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9):
        row: list[object] = [level]
        for _, rows in sets:
            own, its = part.only(rows), chance[rows]
            shares = precision(own, its, level), coverage(own, its, level)
            row.append("{:.3f} / {:.3f}".format(*shares))
        table.append(tuple(row))
    print_table(("threshold", *(name for name, _ in sets)), table)


def _show_each(part: Part) -> None:
    """What each figure earns: the areas without it."""
    print("\nWithout one figure: AUC, unseen\n")
    table = []
    for name, left in (("none", None), *((name, n) for n, name in enumerate(NAMES))):
        kept = [n for n in range(len(NAMES)) if n != left]
        less = replace(part, table=part.table[:, kept])
        chance = unseen(less)
        squad, sampled = (less.which == which for which in ("squad", "sample"))
        table.append(
            (
                name,
                area(chance[squad], part.answerable[squad]),
                _mean_area(part.only(squad), chance[squad]),
                not_answered(part.only(squad), chance[squad]),
                area(chance[sampled], part.answerable[sampled]),
            )
        )
    header = ("SQuAD", "mean of its articles", "not answered at .10", "sample")
    print_table(("without", *header), table)


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
