"""The probability that a passage holds the answer, and whether anything comes near.

One logistic function of figures about a passage's best sentence, fitted over documents of several
kinds at once; what tells near misses apart (strange, negations, names) is as 3,012 questions
of SQuAD 2.0 set it. benchmarks/passages.py has what each word is worth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from corpus_agent.answering.coverage import EXACT
from corpus_agent.text.polarity import denials
from corpus_agent.text.tokens import is_code

if TYPE_CHECKING:
    from corpus_agent.answering.coverage import Coverage, Subject, Vectors

BIAS = -3.932
WEIGHTS = {
    "score": 0.009,  # of the sentence
    "gap": 0.197,  # to the best of the other passages
    "cosine": 0.598,  # of the sentence to the question
    "near": 2.092,  # that, times the cosine of the passage
    "rare": 2.327,  # coverage by the sentence and its context, weighted by rarity
    "covered": -0.246,  # share of the question's words that its passage covers
    "least": 0.339,  # coverage of the question word that its passage covers least
    "strange": -0.24,  # names and figures of the question that no passage has
    "kind": -0.763,  # it lacks the kind of answer asked for
    "negations": -3.48,  # negations of the question that the sentence lacks
    "names": -0.627,  # names and figures that neither it nor its context has
    "lacking": 0.166,  # words that are no names and that it does not have itself
    "words": 1.802,  # their mean coverage
    "other": 0.394,  # mean coverage of all words that it does not have itself
    "worst": -0.589,  # the least coverage of a word that is no name
    "code": 2.0,  # it has a code of the question (E1042), which tells more than all words; by hand
}
MOST_COVERED = 6.0
CLEAR_GAP = 3.0  # a wider one says no more: near misses have it as well
NEAR_FROM = 0.04  # below it nothing comes near: at most one of 200 answerable questions is below


@dataclass(frozen=True, slots=True)
class Looked:
    """A sentence with its context, its features, and the texts of its passage and of all."""

    text: str
    around: tuple[str, ...]
    features: Vectors
    passage: Sequence[str]
    every: Sequence[Sequence[str]]
    score: float
    other: float


def figures(question: str, subject: Subject, coverage: Coverage, one: Looked) -> list[float]:
    """The figures of a sentence in the order of WEIGHTS."""
    own, around = coverage.of(one.text), coverage.together((one.text, *one.around))
    passage = coverage.together(one.passage)
    anywhere = np.max([coverage.together(texts) for texts in one.every], axis=0)
    words, lacking = np.delete(own, subject.names), own[own < EXACT]
    counts = np.delete(subject.counts, subject.names)
    denied = len(denials(question, one.text)) - len(denials(one.text, question))
    cosine, near, rare, _, kind, _ = map(float, one.features)
    return [
        one.score,
        min(one.score - one.other, CLEAR_GAP),
        cosine,
        cosine * near,
        rare,
        min(float(passage @ subject.counts), MOST_COVERED) / max(1, float(subject.counts.sum())),
        float(passage.min(initial=EXACT)),
        float(sum(anywhere[i] < EXACT for i in subject.names)),
        float(kind < 0),
        float(max(0, denied)),
        float(sum(around[i] < EXACT for i in subject.names)),
        min(float(counts[words < EXACT].sum()), coverage.scale.most_lacking),
        float(words.mean()) if len(words) else EXACT,
        float(lacking.mean()) if len(lacking) else EXACT,
        float(words.min(initial=EXACT)),
        float(any(is_code(subject.words[i]) for i in subject.hits(one.text))),
    ]


def probability(
    found: Sequence[float], weights: Mapping[str, float] = WEIGHTS, bias: float = BIAS
) -> float:
    """The probability that the passage of a sentence with these figures holds the answer."""
    logit = bias + sum(weights.get(n, 0) * x for n, x in zip(WEIGHTS, found, strict=True))
    part = math.exp(-abs(logit))
    return (1 if logit >= 0 else part) / (1 + part)


def comes_near(highest: float) -> bool:
    """Whether anything is about the question, by the highest probability of a passage."""
    return highest >= NEAR_FROM
