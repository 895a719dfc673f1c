"""Whether the documents speak of what is asked, and the probability that a sentence answers it.

Two logistic functions of figures about the best sentence: the confidence separates questions whose
topic is absent, the probability near misses, where the topic is there and the answer is not.
benchmarks/fit_ranking.py fits them on one half of the articles and measures them on the other:
docs/decisions/answering.md, docs/reliability.svg. Used by ranking.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpus_agent.answering.answer_type import lacks_count
from corpus_agent.answering.coverage import EXACT, Coverage, Subject, Vectors
from corpus_agent.text.antonyms import turned_words
from corpus_agent.text.negation import negations
from corpus_agent.text.tokens import is_code

# ---- Confidence that the topic is there: a logistic regression, answerable against not. On near
# misses alone (SQuAD 2.0) it separates poorly, on absent topics well.
CONFIDENCE_BIAS = -4.74
CONFIDENCE_SCORE = 0.146  # score of the best sentence
CONFIDENCE_COSINE = 2.42  # its cosine to the question
CONFIDENCE_GAP = 0.176  # its lead over the fourth
CONFIDENCE_COVERED = 0.357  # question words its passage covers, at most MOST_COVERED
CONFIDENCE_MEASURE_MISSING = -1.62  # it lacks the unit or form the answer must have
CONFIDENCE_NAMES_MISSING = -1.54  # names and figures of the question that no passage has
CONFIDENCE_LEAST = 0.945  # coverage of the question word its passage covers least
# Set by hand: a code of the question (E1042, GX-1180) identifies the topic of a sentence better
# than all other words, which are then often those of any question ("what should I do").
CONFIDENCE_CODE = 2.0
CONFIDENCE_WEIGHTS = (
    CONFIDENCE_SCORE,
    CONFIDENCE_COSINE,
    CONFIDENCE_GAP,
    CONFIDENCE_COVERED,
    CONFIDENCE_MEASURE_MISSING,
    CONFIDENCE_NAMES_MISSING,
    CONFIDENCE_LEAST,
    CONFIDENCE_CODE,
)
# The same where words are compared by their letters.
LETTERS_BIAS = -3.77
LETTERS_WEIGHTS = (0.153, 0.0, 0.854, 0.235, 0.0, 0.0, 2.083, CONFIDENCE_CODE)
MOST_COVERED = 6.0
UNRELATED_SCORE = 6.0  # the best score of unrelated sentences; replaces a missing fourth
# Chosen from the whole curve (docs/decisions/answering.md): the most refusals at which fewer than
# one in ten answerable questions is refused, both on XQuAD (.037) and on the sample corpus (.087).
NOT_FOUND_THRESHOLD = 0.35

# ---- Probability that what is shown holds the answer, where half of the questions have none
BOUND_BIAS = -2.65
BOUND_TOPIC = 0.153  # the confidence above, before the logistic function
BOUND_NEAR = 2.35  # cosine of the sentence to the question times that of its passage
BOUND_NEGATIONS = -3.48  # negations of the question that the sentence lacks
BOUND_ANTONYMS = -2.0  # words that it lacks and has an antonym of
BOUND_NAMES = -0.627  # names and figures of the question that neither it nor its context has
BOUND_COUNT = -1.27  # "how many" is asked, and no number counts that
BOUND_KIND = -0.394  # it lacks the kind of answer asked for
BOUND_OTHER_WORDS = 1.65  # mean coverage of the question words that it does not have itself
BOUND_LACKING = 0.165  # how many of the words that are no names it does not have itself
BOUND_WORDS = 1.99  # their mean coverage
BOUND_LEAST = -1.39  # the least of it
BOUND_WEIGHTS = (
    BOUND_TOPIC,
    BOUND_NEAR,
    BOUND_NEGATIONS,
    BOUND_ANTONYMS,
    BOUND_NAMES,
    BOUND_COUNT,
    BOUND_KIND,
    BOUND_OTHER_WORDS,
    BOUND_LACKING,
    BOUND_WORDS,
    BOUND_LEAST,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """The confidence that the topic is there, and the probability that the answer is."""

    confidence: float
    probability: float


@dataclass(frozen=True, slots=True)
class Best:
    """The best sentence with its context and passage; the texts of every passage by its number."""

    text: str
    around: tuple[str, ...]
    number: int
    texts: dict[int, list[str]]


def comes_near(confidence: float) -> bool:
    """Whether the passages speak of what is asked at all."""
    return confidence >= NOT_FOUND_THRESHOLD


def judged(topic: Sequence[float], bound: Sequence[float], *, by_letters: bool = False) -> Judged:
    """Confidence and probability from the figures of `topic_figures` and `bound_figures`."""
    logit = topic_logit(topic, by_letters=by_letters)
    return Judged(_logistic(logit), _logistic(_weighed(BOUND_BIAS, BOUND_WEIGHTS, [logit, *bound])))


def topic_logit(figures: Sequence[float], *, by_letters: bool = False) -> float:
    """The confidence before the logistic function."""
    if by_letters:
        return _weighed(LETTERS_BIAS, LETTERS_WEIGHTS, figures)
    return _weighed(CONFIDENCE_BIAS, CONFIDENCE_WEIGHTS, figures)


def _weighed(bias: float, weights: Sequence[float], figures: Sequence[float]) -> float:
    return bias + sum(w * x for w, x in zip(weights, figures, strict=True))


def _logistic(logit: float) -> float:
    # A power below one: of a question with a thousand times "not" the other is beyond all floats.
    part = math.exp(-abs(logit))
    return (1 if logit >= 0 else part) / (1 + part)


def topic_figures(
    subject: Subject, coverage: Coverage, best: Best, features: Vectors, scores: Sequence[float]
) -> list[float]:
    """Figures in the order of CONFIDENCE_WEIGHTS.

    `features` are those of the best sentence; `scores` its own and that of the first sentence that
    is not shown, or of the last if all are.
    """
    covered = {number: coverage.together(texts) for number, texts in best.texts.items()}
    own, anywhere = covered[best.number], np.max(list(covered.values()), axis=0)
    return [
        scores[0],
        float(features[0]),
        scores[0] - scores[1],
        min(float(own.sum()), MOST_COVERED),
        float(features[-1] < 0),
        float(sum(anywhere[i] < EXACT for i in subject.names)),
        float(own.min(initial=EXACT)),
        float(any(is_code(subject.words[i]) for i in subject.hits(best.text))),
    ]


def bound_figures(
    question: str, subject: Subject, coverage: Coverage, best: Best, features: Vectors
) -> list[float]:
    """Figures in the order of BOUND_WEIGHTS, without the first: what the sentence itself binds."""
    own, around = coverage.of(best.text), coverage.together((best.text, *best.around))
    words, lacking = np.delete(own, subject.names), own[own < EXACT]
    denied = negations(question, best.text) - negations(best.text, question)
    return [
        float(features[0] * features[1]),
        float(max(0, denied)),
        float(turned_words(question, best.text)),
        float(sum(around[i] < EXACT for i in subject.names)),
        float(lacks_count(question, best.text)),
        float(features[4] < 0),
        float(lacking.mean()) if len(lacking) else EXACT,
        float((words < EXACT).sum()),
        float(words.mean()) if len(words) else EXACT,
        float(words.min(initial=EXACT)),
    ]
