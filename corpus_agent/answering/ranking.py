"""The sentences of the passages ranked against the question, with a probability.

A sentence's score is a weighted sum of six features. That its passage holds the answer has a
probability: a logistic function of eight figures, fitted over documents of several kinds at once.
docs/decisions/answering.md has the figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from corpus_agent.answering.candidates import Candidate, candidates
from corpus_agent.answering.coverage import (
    EXACT,
    Coverage,
    EncodeTokens,
    Scale,
    Subject,
    Vectors,
    scaled,
)
from corpus_agent.text.polarity import denials, turned
from corpus_agent.text.sentences import leads_in
from corpus_agent.text.tokens import has_digit, is_code, terms

if TYPE_CHECKING:
    from indexer import Hit


PASSAGES_READ = 8
MOST_SENTENCES = 3  # a choice: an answer should be short, though five find more
UNITS_ENCODED = 16  # the best without vectors: the ranking equals that of 24

# ---- Sentence score: a conditional logit (McFadden 1974) of the right sentence among all. Of each
# its cosine, its passage's, coverage by it and its context (weighted by rarity), coverage by it
# alone, whether it names the document, whether it is of the kind that is asked for.
SCORING = np.array([4.6, 7.1, 7.0, 4.3, -2.5, 3.0], dtype=np.float32)
# Without vectors, for choosing which units to encode.
SCORING_UNENCODED = np.array([0.0, 11.8, 4.5, 6.4, -3.0, 3.0], dtype=np.float32)
# Without vectors: a passage counts by its score in the search, against that of the first.
SCORING_BY_LETTERS = np.array([0.0, 5.5, 4.9, 4.5, 0.3, 3.0], dtype=np.float32)


def features(
    subject: Subject, hits: Sequence[Hit], found: Sequence[Candidate], coverage: Coverage
) -> Vectors:
    """The features, one row per candidate, columns in the order of SCORING; the cosine is 0."""
    top = max(hits[0].score, 1e-9)
    near = scaled(np.array([hit.cosine for hit in hits]), coverage.scale.passage).tolist()
    rows = []
    for candidate in found:
        hit, text = hits[candidate.passage], candidate.text
        around = coverage.together((text, *candidate.around))
        led_by = hit.chunk.text[candidate.opening : candidate.start].strip()
        alone = coverage.together((text, candidate.columns, led_by))
        rows.append(
            (
                0.0,
                hit.score / top if coverage.by_letters else near[candidate.passage],
                float(around @ subject.rarity),
                float((around if candidate.key else alone).mean()),
                float(candidate.naming and not has_digit(text)),
                subject.kind.of(text),
            )
        )
    return np.array(rows, dtype=np.float32).reshape(-1, len(SCORING))


# ---- The probability that the passage of a sentence holds the answer

BIAS = 0.08
WEIGHTS = {
    "lead": 0.4,  # of its score to the best of other documents, else of other passages
    "near": 3.6,  # the cosine of the sentence to the question, times that of the passage
    "least": -1.4,  # what it and its context lack of the word that they cover least
    "missing": -2.7,  # the most that they lack of a word, by its share of the rarity of all
    "negations": -3.65,  # negations of the question that the sentence lacks
    "opposites": -1.8,  # words of the question that it has the opposites of
    "name": -0.65,  # a name or figure of the question that neither it nor its context has
    "code": 2.2,  # it has a code of the question (E1042), which tells more than all words
}
CLEAR_LEAD = 3.0  # a wider one says no more: near misses have it as well
# Of the question's rare words and of "near": below both a sentence is about something else, for
# none of 1,000 answerable questions and one in 11 of the others.
NEAR_FROM = (0.35, 0.08)


def logistic(figures: Mapping[str, float], weights: Mapping[str, float], bias: float) -> float:
    """The probability that weights give to figures."""
    odds = bias + sum(weight * figures[name] for name, weight in weights.items())
    return 0.5 + math.tanh(odds / 2) / 2  # of any odds


# ---- Ranking


@dataclass(frozen=True)
class Weighed:
    """The candidates for a question in hits, their coverage, features and scores."""

    question: str
    subject: Subject
    hits: Sequence[Hit]
    found: Sequence[Candidate]
    coverage: Coverage
    table: Vectors
    scores: Vectors

    def probability(self, at: int) -> float:
        """The probability that the passage of a candidate holds the answer; 0 if it is not near."""
        figures = self.figures(at)
        rare, cosines = NEAR_FROM
        near = figures["rare"] >= rare or figures["near"] >= cosines or self.coverage.by_letters
        return logistic(figures, WEIGHTS, BIAS) if near else 0.0

    def figures(self, at: int) -> dict[str, float]:
        """The figures of a candidate that a logistic function weighs."""
        one, subject = self.found[at], self.subject
        own, around = self.coverage.of(one.text), self.coverage.together((one.text, *one.around))
        words, lacks = np.delete(own, subject.names), EXACT - around.clip(0.0)
        sources = [self.hits[each.passage].chunk.source for each in self.found]
        others = [source != sources[at] for source in sources]
        if not any(others):
            others = [each.passage != one.passage for each in self.found]
        lead = float(self.scores[at] - self.scores[others].max()) if any(others) else 0.0
        denied = len(denials(self.question, one.text)) - len(denials(one.text, self.question))
        cosine, near, rare, *_ = map(float, self.table[at])
        return {
            "lead": min(lead, CLEAR_LEAD),
            "near": cosine * near,
            "rare": rare,
            "words": float(words.mean()) if len(words) else EXACT,  # for `check`
            "least": float(lacks.max()),
            "missing": float((lacks * subject.rarity).max()),
            "negations": float(max(0, denied)),
            "opposites": float(len(turned(self.question, one.text))),
            "name": float(any(around[i] < EXACT for i in subject.names)),
            "code": float(any(is_code(subject.words[i]) for i in subject.hits(one.text))),
        }


def weighed(
    question: str,
    hits: Sequence[Hit],
    encode: EncodeTokens | None,
    read: int,
    scale: Scale,
) -> Weighed | None:
    """The likeliest candidates with all features; None if there is no candidate.

    Without `encode`, all candidates by their letters.
    """
    subject = Subject(question, hits, scale.alike)
    found = candidates(hits[:read])
    named = {c.text for c in found if c.naming}  # of whom or what it is, word by word
    # A property answers what names its key.
    found = [c for c in found if not c.key or subject.hits(c.key)]
    found = [c for c in found if not (leads_in(c.text) or subject.names_another(c.text))]
    if subject.kind.asks_value:  # a name says neither when nor how much
        found = [c for c in found if not c.naming or subject.kind.of(c.text)]
    if not found or not subject.words:
        return None
    memory = {question: encode([question])[0]} if encode else None
    coverage = Coverage(subject, question, memory, scale)
    table = features(subject, hits, found, coverage)
    if encode and memory:
        kept = np.argsort(-(table @ SCORING_UNENCODED), kind="stable")[:UNITS_ENCODED]
        found = [found[i] for i in sorted(kept.tolist())]
        around = (text for c in found for text in c.around if text not in named)
        new = dict.fromkeys([*(c.text for c in found), *around])
        new.pop(question, None)
        memory.update(zip(new, encode([*new]), strict=True))
        coverage = Coverage(subject, question, memory, scale)
        table = features(subject, hits, found, coverage)
        cosines = np.array([memory[c.text].vector @ memory[question].vector for c in found])
        table[:, 0] = scaled(cosines, scale.sentence)
    scores = table @ (SCORING if encode else SCORING_BY_LETTERS)
    return Weighed(question, subject, hits, found, coverage, table, scores)


def best_sentences(own: Weighed) -> tuple[Candidate, ...]:
    """The best sentence of each passage, best first, without duplicates.

    Each with the sentence that it refers to.
    """
    chosen: list[Candidate] = []
    seen: set[str | int] = set()
    for at in map(int, np.argsort(-own.scores, kind="stable")):
        one = own.found[at]
        key = " ".join(terms(one.text))
        if not seen.isdisjoint([key, one.passage]):
            continue
        seen |= {key, one.passage}
        text, sure = own.hits[one.passage].chunk.text[one.opening : one.end], own.probability(at)
        chosen.append(replace(one, start=one.opening, text=text, probability=sure))
        if len(chosen) == MOST_SENTENCES:
            break
    return tuple(chosen)
