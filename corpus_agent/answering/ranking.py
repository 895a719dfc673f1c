"""The sentences of the passages ranked against the question, with a probability.

A sentence's score is a weighted sum of six features; confidence.py judges the best ones.
docs/decisions/answering.md has the figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from corpus_agent.answering import confidence
from corpus_agent.answering.answer_type import has_kind
from corpus_agent.answering.coverage import (
    PACKAGED,
    Coverage,
    EncodeTokens,
    Scale,
    Subject,
    Vectors,
    scaled,
)
from corpus_agent.answering.passages import with_neighbours
from corpus_agent.answering.shown import Sentence, best_sentences
from corpus_agent.text.column_names import ends_with_figures, is_row_of_names, names_of_columns
from corpus_agent.text.dates import without_dates
from corpus_agent.text.front_matter import is_asked_for, key_of
from corpus_agent.text.letterhead import naming_lines
from corpus_agent.text.sentences import (
    Unit,
    asks,
    heads_table,
    is_item,
    is_pointer,
    is_title,
    leads_in,
    refers_back,
    units,
)
from corpus_agent.text.snippet import snippet
from corpus_agent.text.tokens import has_digit, terms
from indexer import file_stem

if TYPE_CHECKING:
    from indexer import Chunk, Hit


@dataclass(frozen=True)
class Ranking:
    """The best sentences, best first (at most three), each with the probability of its passage.

    `confidence` is the highest of these.
    """

    sentences: tuple[Sentence, ...]
    confidence: float


@dataclass(frozen=True)
class Candidate:
    """A unit that may be the answer, with its context.

    `opening` is where the sentence before begins if this one refers to it, else its own start.
    `key` is that of a property, which answers what asks for it alone. `naming` is a line of the
    letterhead or the signature.
    """

    passage: int
    opening: int
    start: int
    end: int
    text: str
    around: tuple[str, ...]
    titled: bool
    key: str = ""
    naming: bool = False


# ---- Limits
PASSAGES_READ = 8
UNITS_ENCODED = 16  # the best without vectors: the ranking equals that of 24

# ---- Sentence score: a conditional logit (McFadden 1974) of the right sentence among all
WEIGHT_COSINE = 4.6
WEIGHT_PASSAGE = 7.1
WEIGHT_RARE = 7.0  # coverage by the sentence and its context, weighted by rarity
WEIGHT_SHARE = 4.3  # coverage by the sentence only
WEIGHT_KIND = 1.15
WEIGHT_TITLE = -2.5
_SCORED = (WEIGHT_COSINE, WEIGHT_PASSAGE, WEIGHT_RARE, WEIGHT_SHARE)
WEIGHTS = np.array([*_SCORED, WEIGHT_KIND, WEIGHT_TITLE], dtype=np.float32)
# Without vectors, for choosing which units to encode.
WEIGHTS_UNENCODED = np.array([0.0, 11.8, 4.5, 6.4, 1.3, -3.0], dtype=np.float32)
# Without vectors: a passage counts by its score in the search, against that of the first.
WEIGHTS_BY_LETTERS = np.array([0.0, 5.5, 4.9, 4.5, 0.7, 0.3], dtype=np.float32)


# ---- Candidates and their features


def _of_passage(number: int, passage: Chunk) -> list[Candidate]:
    """The candidates of one passage, each with its heading, lead-in line and previous sentence."""
    nearest = passage.heading.rpartition(" > ")[2]
    under = f"{file_stem(passage.source)} > {nearest}".replace("_", " ").replace("-", " ")
    heading, lead = "", ""
    before: tuple[str, ...] = ("",)  # with what it refers to
    own = units(passage.text, passage.language)
    found = [_of_property(number, passage, unit) for unit in own if unit.kind == "property"]
    own = own[len(found) :]
    naming = naming_lines(passage.text, own, first=passage.ordinal == 0)
    for last, unit in zip([None, *own], own, strict=False):
        text = passage.text[unit.start : unit.end]
        if unit.kind == "head":
            heading, lead, before = text, "", ("",)
            continue
        if asks(text):
            lead = text
            continue
        if not terms(text) or is_row_of_names(text):
            continue
        if unit.kind == "row" and not lead.startswith("|"):
            lead = text
            if heads_table(passage.text, unit):
                continue
        elif unit.kind != "row" and not is_item(text) and not asks(lead):
            lead = ""
        titled, back = _is_titled(text, unit, is_last=unit is own[-1]), refers_back(text)
        named = _names_above(passage.text, unit) if unit.kind == "text" else ""
        around = dict.fromkeys((under, heading, lead, *((named,) if named else before)))
        found.append(
            Candidate(
                number,
                _opening(passage.text, last, unit) if back else unit.start,
                unit.start,
                unit.end,
                text,
                tuple(other for other in around if other and other != text),
                titled,
                naming=unit in naming,
            )
        )
        if unit.kind != "page":
            before = (before[-1], text) if back else (text,)
            heading = text if titled else heading
            lead = text if leads_in(text) else lead
    return found


def _of_property(number: int, passage: Chunk, unit: Unit) -> Candidate:
    """A property at the top of a passage, with all of it: it is said of the whole."""
    text, around = passage.text[unit.start : unit.end], (passage.heading, passage.text)
    key = key_of(text)
    return Candidate(number, unit.start, unit.start, unit.end, text, around, titled=False, key=key)


def _is_titled(text: str, unit: Unit, *, is_last: bool) -> bool:
    """Whether a unit says what others are about: a title, a page's header, a link to elsewhere."""
    if unit.kind != "text":
        return unit.kind == "page"
    return is_pointer(text) or (is_title(text) and not is_last)  # what the last heads is missing


def _opening(text: str, before: Unit | None, unit: Unit) -> int:
    """Where what a sentence refers to begins: the sentence before in its paragraph, or itself."""
    if before is None or not before.kind == unit.kind == "text":
        return unit.start
    return unit.start if "\n\n" in text[before.end : unit.start] else before.start


def _names_above(text: str, unit: Unit) -> str:
    """The line of a passage that names the columns of a row of figures, "" if there is none."""
    row = text[unit.start : unit.end]
    if "\n" in row or not ends_with_figures(row):
        return ""
    lines = [*text[: unit.start].split("\n"), row]
    at = names_of_columns(lines)
    return "" if at is None else lines[at]


def _said_of_all(hits: Sequence[Hit], found: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, each with the lines of its document that name what or whose that is."""
    said: dict[str, list[str]] = {}
    for one in found:
        if one.naming:
            said.setdefault(hits[one.passage].chunk.source, []).append(one.text)
    return [
        replace(one, around=tuple(each for each in dict.fromkeys(every) if each != one.text))
        for one in found
        for every in [(*one.around, *said.get(hits[one.passage].chunk.source, ()))]
    ]


def features(
    subject: Subject, hits: Sequence[Hit], found: Sequence[Candidate], coverage: Coverage
) -> Vectors:
    """The features, one row per candidate, columns in the order of WEIGHTS; the cosine is 0.

    The kind is 1 if the sentence has the one asked for, -1 if it does not, 0 if none is.
    """
    rarity = subject.rarity / max(float(subject.rarity.sum()), 1e-9)
    top = max(hits[0].score, 1e-9)
    near = scaled(np.array([hit.cosine for hit in hits]), coverage.scale.passage).tolist()
    rows = []
    for candidate in found:
        hit, text = hits[candidate.passage], candidate.text
        kind = 0.0
        if subject.kind:
            said = without_dates(text) if candidate.naming and subject.kind != "date" else text
            kind = 1.0 if has_kind(subject.kind, said, subject.asked) else -1.0
        around = coverage.together((text, *candidate.around))
        rows.append(
            (
                0.0,
                hit.score / top if coverage.by_letters else near[candidate.passage],
                float(around @ rarity),
                float((around if candidate.key else coverage.of(text)).mean()),
                kind,
                float(candidate.titled or _only_names(candidate, subject)),
            )
        )
    return np.array(rows, dtype=np.float32).reshape(-1, len(WEIGHTS))


def _only_names(candidate: Candidate, subject: Subject) -> bool:
    """Whether a line of a letterhead or a signature has no figure that may be asked for."""
    text = candidate.text
    return candidate.naming and not has_digit(
        text if subject.kind == "date" else without_dates(text)
    )


# ---- Ranking


@dataclass(frozen=True)
class Weighed:
    """The candidates for a question, the texts of their passages, their coverage and features."""

    question: str
    subject: Subject
    found: Sequence[Candidate]
    texts: Mapping[int, str]
    coverage: Coverage
    table: Vectors

    @cached_property
    def scores(self) -> Vectors:
        """The score of each candidate."""
        weights = WEIGHTS_BY_LETTERS if self.coverage.by_letters else WEIGHTS
        scores: Vectors = self.table @ weights
        return scores

    def probability(self, at: int) -> float:
        """The probability that the passage of a candidate holds the answer."""
        one, scores = self.found[at], self.scores
        by_passage: dict[int, list[str]] = {}
        for each in self.found:
            by_passage.setdefault(each.passage, []).extend((each.text, *each.around))
        elsewhere = [
            float(score)
            for score, each in zip(scores, self.found, strict=True)
            if each.passage != one.passage
        ]
        looked = confidence.Looked(
            one.text,
            one.around,
            self.table[at],
            by_passage[one.passage],
            list(by_passage.values()),
            float(scores[at]),
            max(elsewhere, default=float(scores[at])),
        )
        found = confidence.figures(self.question, self.subject, self.coverage, looked)
        return confidence.probability(found)


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
    found = [c for n, hit in enumerate(hits[:read]) for c in _of_passage(n, hit.chunk)]
    found = _said_of_all(hits, found)
    named = {c.text for c in found if c.naming}  # of whom or what it is, word by word
    if subject.kind:  # the words of the question alone are a label
        found = [c for c in found if c.opening < c.start or subject.adds(c.text)]
    found = [c for c in found if not subject.names_another(c.text)]
    found = [c for c in found if not c.key or is_asked_for(c.key, subject.words)]
    found = [c for c in found if not leads_in(c.text)] or found  # what it announces answers
    if not found or not subject.words:
        return None
    if encode is None:
        coverage = Coverage(subject, question, None, scale)
        table = features(subject, hits, found, coverage)
        texts = {c.passage: hits[c.passage].chunk.text for c in found}
        return Weighed(question, subject, found, texts, coverage, table)
    memory = {question: encode([question])[0]}
    plain = Coverage(subject, question, memory, scale)
    hopes = features(subject, hits, found, plain) @ WEIGHTS_UNENCODED
    kept = sorted(np.argsort(-hopes, kind="stable")[:UNITS_ENCODED].tolist())
    found = [found[i] for i in kept]
    texts = {c.passage: hits[c.passage].chunk.text for c in found}
    around = (text for c in found for text in c.around if text not in named)
    needed = dict.fromkeys([*(c.text for c in found), *around])
    new = [text for text in needed if text not in memory]
    memory.update(zip(new, encode(new), strict=True))
    coverage = Coverage(subject, question, memory, scale)
    table = features(subject, hits, found, coverage)
    cosines = np.array([memory[c.text].vector @ memory[question].vector for c in found])
    table[:, 0] = scaled(cosines, scale.sentence)
    return Weighed(question, subject, found, texts, coverage, table)


def rank_sentences(
    question: str,
    hits: Sequence[Hit],
    encode: EncodeTokens | None,
    read: int = PASSAGES_READ,
    scale: Scale = PACKAGED,
) -> Ranking:
    """The sentences of the passages that answer the question, best first, with a probability.

    `hits` are best first; the first `read` are searched, and all determine which words are rare.
    Without `encode` words are compared by their letters, for languages that the model does not
    read.
    """
    own = weighed(question, hits, encode, read, scale)
    if own is None:
        return Ranking((), 0.0)
    found = best_sentences(own)
    likeliest = max((each.probability for each in found), default=0.0)
    least = confidence.NEAR_FROM if own.coverage.by_letters else 0.0  # its cosines say nothing
    return Ranking(found, max(likeliest, least))


def found_passages(
    query: str, hits: Sequence[Hit], encode: EncodeTokens | None, scale: Scale
) -> Iterator[tuple[str, tuple[int, int], int]]:
    """What is shown of each hit: its passage, where its likely line is in that, and the line.

    Of a long passage the part with most words of the query, or the likely line with neighbours
    where that part lacks it: the neighbours alone hold .95 of the answers, whole passages .99.
    """
    own = weighed(query, hits, encode, len(hits), scale) if hits else None
    best: dict[int, Candidate] = {}
    if own is not None:
        for at in np.argsort(-own.scores, kind="stable").tolist():
            best.setdefault(own.found[at].passage, own.found[at])
    for number, hit in enumerate(hits):
        text, one = hit.chunk.text, best.get(number)
        shown, likely, line = snippet(text, query), (0, 0), hit.chunk.line_start
        if one is not None:
            line += text.count("\n", 0, one.start)
            start = shown.find(text[one.start : one.end])
            likely = start, start + one.end - one.start
            if start < 0:
                own_units = units(text, hit.chunk.language)
                start, end = with_neighbours(text, own_units, one.start, one.end)
                shown, likely = text[start:end], (one.start - start, one.end - start)
        yield shown, likely, line
