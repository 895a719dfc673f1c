"""Which of the ranked sentences are shown: the best of each passage, the first with what it needs.

Called by ranking.py, which scores them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import regex

from corpus_agent.text.sentences import is_item, leads_in
from corpus_agent.text.tokens import terms

if TYPE_CHECKING:
    from corpus_agent.answering.ranking import Candidate, Weighed

MOST_SENTENCES = 3  # a choice: an answer should be short, though five find more
# Two sentences in a row are one quotation if the other's score is within this of the best, and it
# has this share of the question's rare words more than the best alone.
KEEP_WITHIN = 2.5
ADDS_BESIDE = 0.05
_END_MARK = regex.compile(r"[.!?。！？…؟।][\"'”’»)\]]*$")


@dataclass(frozen=True)
class Sentence:
    """One sentence of a passage, verbatim: `text == hits[passage].chunk.text[start:end]`.

    `probability` is that of its passage to hold the answer.
    """

    passage: int
    start: int
    end: int
    text: str
    probability: float = 0.0


def best_sentences(own: Weighed) -> tuple[Sentence, ...]:
    """The best sentence of each passage, best first, without duplicates; a title is only first.

    Each with the sentence that it refers to.
    """
    chosen: list[Sentence] = []
    seen: set[str | int] = set()
    for at in map(int, np.argsort(-own.scores, kind="stable")):
        one = own.found[at]
        key = " ".join(terms(one.text))
        if chosen and (one.titled or leads_in(one.text) or not seen.isdisjoint([key, one.passage])):
            continue
        seen |= {key, one.passage}
        start, end = (one.opening, one.end) if chosen else _with_beside(own, at)
        text = own.texts[one.passage][start:end]
        chosen.append(Sentence(one.passage, start, end, text, own.probability(at)))
        if len(chosen) == MOST_SENTENCES:
            break
    return tuple(chosen)


def _with_beside(own: Weighed, best: int) -> tuple[int, int]:
    """Start and end of the best sentence, with those beside it that have what it lacks."""
    first, rarity = own.found[best], own.subject.rarity
    start, end = first.opening, first.end
    for at in map(int, np.flatnonzero(own.scores >= own.scores[best] - KEEP_WITHIN)):
        other = own.found[at]
        if not (_in_a_row(own, first, other) or _in_a_row(own, other, first)):
            continue
        more = own.coverage.together((first.text, other.text)) - own.coverage.of(first.text)
        if float(more @ rarity) >= ADDS_BESIDE * float(rarity.sum()):
            start, end = min(start, other.start), max(end, other.end)
    return start, end


def _in_a_row(own: Weighed, one: Candidate, other: Candidate) -> bool:
    """Whether a sentence of running text follows another in its paragraph."""
    between = own.texts[one.passage][one.end : other.start]
    in_a_row = one.end <= other.start and not between.strip() and "\n\n" not in between
    return one.passage == other.passage and in_a_row and not (_is_line(one) or _is_line(other))


def _is_line(one: Candidate) -> bool:
    """Whether a candidate is no running text: an item, a heading, a row."""
    return is_item(one.text) or not _END_MARK.search(one.text)
