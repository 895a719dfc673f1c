"""Which of the ranked sentences are shown: the best, with what it needs beside it, and what adds.

Called by ranking.py, which scores them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import regex

from corpus_agent.text.dates import find_dates
from corpus_agent.text.sentences import is_item, leads_in, refers_back
from corpus_agent.text.tokens import has_digit, terms

if TYPE_CHECKING:
    from corpus_agent.answering.ranking import Candidate, Weighed

# A further sentence is returned while its score is within this of the best: where it stands in the
# same passage, and in another one, which must also hold as much of the question's rare words.
KEEP_WITHIN = 2.5
KEEP_WITHIN_OTHER = 2.0
LACKS_AT_MOST = 0.2
MOST_SENTENCES = 3  # a choice: an answer should be short, though five find more
# Two sentences in a row are one quotation if the other has this share of the question's rare words
# more than the best alone.
ADDS_BESIDE = 0.05
_END_MARK = regex.compile(r"[.!?。！？…؟।][\"'”’»)\]]*$")


@dataclass(frozen=True)
class Sentence:
    """One sentence of a passage, verbatim: `text == hits[passage].chunk.text[start:end]`."""

    passage: int
    start: int
    end: int
    text: str
    score: float
    probability: float = 0.0


def best_sentences(own: Weighed) -> tuple[Sentence, ...]:
    """The sentences that are shown, best first, without duplicates and those that add nothing.

    Each with the sentence that it refers to, unless that is among them.
    """
    chosen: list[Sentence] = []
    seen: set[str] = set()
    scores, texts = own.scores, own.texts
    best = int(np.argmax(scores))
    for i in map(int, np.argsort(-scores, kind="stable")):
        one, score = own.found[i], float(scores[i])
        if len(chosen) == MOST_SENTENCES:
            break
        if chosen and score < chosen[0].score - KEEP_WITHIN:
            break
        if chosen and not _adds(own, best, i):
            continue
        others = [(s.start, s.end) for s in chosen if s.passage == one.passage]
        if any(start <= one.start < end for start, end in others):
            continue
        if (key := " ".join(terms(one.text))) not in seen:
            seen.add(key)
            inside = any(start <= one.opening < end for start, end in others)
            start, end = (one.start if inside else one.opening), one.end
            if not chosen:
                start, end = _with_beside(own, best)
            chosen.append(Sentence(one.passage, start, end, texts[one.passage][start:end], score))
    return (*chosen, *_of_others(own, chosen, seen))


def _of_others(own: Weighed, chosen: Sequence[Sentence], seen: set[str]) -> Iterator[Sentence]:
    """The best sentences of further passages, up to `MOST_SENTENCES` in all."""
    passages, left = {sentence.passage for sentence in chosen}, MOST_SENTENCES - len(chosen)
    for i in map(int, np.argsort(-own.scores, kind="stable")):
        one = own.found[i]
        if left <= 0:
            return
        key = " ".join(terms(one.text))
        if one.passage in passages or key in seen or one.titled or leads_in(one.text):
            continue
        passages.add(one.passage)
        seen.add(key)
        left -= 1
        yield Sentence(one.passage, one.start, one.end, one.text, float(own.scores[i]))


def _adds(own: Weighed, best: int, at: int) -> bool:
    """Whether a sentence near the best may add to it."""
    further, scores, rare = own.found[at], own.scores, own.table[:, 2]
    if further.titled or leads_in(further.text):
        return False
    near = scores[at] >= scores[best] - KEEP_WITHIN_OTHER and rare[at] >= rare[best] - LACKS_AT_MOST
    return bool(near) or further.passage == own.found[best].passage


def _with_beside(own: Weighed, best: int) -> tuple[int, int]:
    """Start and end of the best sentence, with those beside it that have what it lacks."""
    first, rarity = own.found[best], own.subject.rarity
    start, end = first.opening, first.end
    if own.subject.kind == "date" and not has_digit(first.text):
        ends = (other.end for other in own.found if _says_when(own, first, other))
        end = max(end, next(ends, end))
    for at in map(int, np.flatnonzero(own.scores >= own.scores[best] - KEEP_WITHIN)):
        other = own.found[at]
        if not (_in_a_row(own, first, other) or _in_a_row(own, other, first)):
            continue
        more = own.coverage.together((first.text, other.text)) - own.coverage.of(first.text)
        if float(more @ rarity) >= ADDS_BESIDE * float(rarity.sum()) and _adds(own, best, at):
            start, end = min(start, other.start), max(end, other.end)
    return start, end


def _says_when(own: Weighed, one: Candidate, other: Candidate) -> bool:
    """Whether the sentence behind one goes on about it and has a date: "It began on 1 March"."""
    return _in_a_row(own, one, other) and refers_back(other.text) and bool(find_dates(other.text))


def _in_a_row(own: Weighed, one: Candidate, other: Candidate) -> bool:
    """Whether a sentence of running text follows another in its paragraph."""
    between = own.texts[one.passage][one.end : other.start]
    in_a_row = one.end <= other.start and not between.strip() and "\n\n" not in between
    return one.passage == other.passage and in_a_row and not (_is_line(one) or _is_line(other))


def _is_line(one: Candidate) -> bool:
    """Whether a candidate is no running text: an item, a heading, a row."""
    return is_item(one.text) or not _END_MARK.search(one.text)
