"""A statement beside the passages nearest to it: what they say of it, in words and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.claims import Evidence, in_quarters, share_covered
from corpus_agent.answering.coverage import comparison, reads
from corpus_agent.answering.differences import exchanged, said_of_another
from corpus_agent.answering.extractive import passage_of
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.ranking import logistic, weighed
from corpus_agent.answering.support import Judgement, Supporter, Window, together
from corpus_agent.check.quotations import CONDITION, is_at, sense_lost, stands_over, taken_back
from corpus_agent.check.records import WORDS, Finding, Kind, Piece
from corpus_agent.text.numbers import found as figures_of
from corpus_agent.text.polarity import denials, in_one_form
from corpus_agent.text.quantities import counted, is_unit
from corpus_agent.text.sentences import units
from corpus_agent.text.tokens import STOP_WORDS, has_digit
from indexer import Query

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from indexer import Encoder, Hit, Index

_MARKS = regex.compile(r"(?<=[\w,:(] )[A-Z]{1,4}[+-]?(?!\w)|\b[A-Z]{2,4}[+-]?(?!\w)")
_MODAL = regex.compile(WORDS["modal"])
# Line ends within a sentence; a line such as "Hygienist: £58", or "Rent £58" below one, is its own.
_WRAP = regex.compile(r"\n(?=\p{L})(?![^:\n]{2,60}:\s[^\n]*\d|(?<=\d\n)[^\n]{2,60}\d(?:\n|$))")
_LIGHT = regex.compile(WORDS["light"], regex.IGNORECASE)
HITS, NEAR, LONGEST = 8, 20, 2_000  # passages compared, and to take the nearest of; characters
# The probability that a sentence says a statement, by ranking.py's figures of the two: set on
# half of ContractNLI's agreements (benchmarks/check.py, contracts).
SAYS_BIAS = -5.34
SAYS = {"rare": 5.68, "words": 2.3, "negations": -1.24}


class StatementFinder:
    """Finds what the documents say of statements."""

    def __init__(self, corpus: Index, encoder: Encoder | None) -> None:
        self._corpus, self._encoder = corpus, encoder
        self.stale = set[str]()  # documents near to a statement that are not as they were indexed

    def find(self, piece: Piece) -> Finding:
        """The passages that say a statement, or say otherwise; first of the document it names."""
        asked = Query(f"{piece.under} {piece.text}".strip(), NEAR, None)
        own = piece.named and replace(asked, among=frozenset([piece.named.source]))
        found = self._judged(piece, own) if own else None
        return found if found and found.kind != "not_found" else self._judged(piece, asked)

    def _judged(self, piece: Piece, asked: Query) -> Finding:
        hits = self._corpus.search(asked)
        self.stale |= {hit.chunk.source for hit in hits if hit.stale}
        encode, _ = comparison(self._encoder, piece.text, hits)
        near = [hit.chunk for hit in hits[:HITS] if len(piece.text) <= LONGEST]
        found = Supporter(near, encode).support(piece.text, piece.under)
        if isinstance(found, Judgement):
            window, differs = found.window, (found.claimed, found.found)
            other = window and _all_else(piece.text, differs[0], window)
            cited = window and other and self._cited(_telling(window, differs[1]))
            if cited and cited.stands:
                return Finding(piece, "doubtful", (cited,), (differs,))
            return self._not_found(piece, hits)
        quoted = [self._cited(each) for each in found]
        said = in_quarters(piece.text).rstrip(" .。")  # it may leave out the rest, no "not" or "~~"
        says = _has_words(said, found) and _said_at_once(said, found)
        if not (says and all(each.stands for each in quoted)):
            return self._not_found(piece, hits)
        above = found[0].passage.text[: found[0].start].split("\n")
        over = [found[0].under, *stands_over(quoted[0], above)]
        lost = sense_lost(said, quoted[0])
        if lost := lost or taken_back(said, over, together(found).text):
            return Finding(piece, "doubtful", tuple(quoted), (lost,))
        kind: Kind = "supported" if is_at(quoted[0], piece.named) else "elsewhere"
        return Finding(piece, kind, tuple(quoted))

    def nearest(self, statement: str, hits: Sequence[Hit]) -> Iterator[tuple[Window, float]]:
        """The sentences nearest to a statement, best first, and how probably each says it."""
        encode, scale = comparison(self._encoder, statement, hits)
        own = weighed(statement, hits, encode, len(hits), scale) if hits else None
        if own is not None:
            for at in (-own.scores).argsort(kind="stable").tolist():
                one, says = own.found[at], logistic(own.figures(at), SAYS, SAYS_BIAS)
                yield Window(hits[one.passage].chunk, one.start, one.end), says

    def _not_found(self, piece: Piece, hits: Sequence[Hit]) -> Finding:
        """A statement that was not found, with the sentence that comes nearest to it."""
        for window, says in islice(self.nearest(piece.text, hits), 1):
            if (cited := self._cited(window)).stands:
                known = round(says, 2) if reads(self._encoder, piece.text, hits) else None
                return Finding(piece, "not_found", nearest=cited, probability=known)
        return Finding(piece, "not_found")

    def _cited(self, window: Window) -> Citation:
        cited = check_quotation(self._corpus, 0, window.passage.source, window.quote, window.line)
        return passage_of(self._corpus, cited).citation


def _all_else(text: str, claimed: str, window: Window) -> bool:
    """Whether words differ, and one sentence has all others: it may be of something else."""
    other, said = in_one_form(claimed).split(), _meant(text).split()
    rest = " ".join(word for word in said if word not in other)
    one = has_digit(claimed) or not window.several
    return bool(claimed and one) and share_covered(rest, _headed([window])) >= 1


def _telling(window: Window, words: str) -> Window:
    """The sentence of a window that has these words, or the window."""
    for unit in units(window.quote, window.passage.language) if words else ():
        if words in window.quote[unit.start : unit.end]:
            return replace(window, start=window.start + unit.start, end=window.start + unit.end)
    return window


def _has_words(statement: str, windows: Sequence[Window]) -> bool:
    """Whether sentences have all words, half of them in headings but the title's at most."""
    said, text = _meant(statement), in_one_form(together(windows).text)
    return (
        2 * share_covered(said, Evidence(text)) >= 1 and share_covered(said, _headed(windows)) >= 1
    )


def _meant(statement: str) -> str:
    """The words of a statement in one form; of one with a figure without "costs" or "people"."""
    return in_one_form(_LIGHT.sub(" ", statement) if figures_of(statement) else statement)


def _headed(windows: Sequence[Window]) -> Evidence:
    above = (window.under for window in windows)
    return Evidence(in_one_form(" ".join([together(windows).text, *above])))


def _said_at_once(statement: str, windows: Sequence[Window]) -> bool:
    """Whether one document says a statement, and one sentence or row of it each of its figures."""
    text = " ".join(window.evidence.text for window in windows)
    sources, in_row = {window.passage.source for window in windows}, any(w.cells for w in windows)
    every = [text, *(one.text for window in windows for one in window.evidence.sentences)]
    if len(sources) > 1 or (not in_row and any(exchanged(statement, one) for one in every)):
        return False
    if not in_row and any(said_of_another(statement, one) for one in every[1:]):
        return False
    there, own = text.casefold(), statement.casefold()
    kinds = [{match.lastgroup for match in _MODAL.finditer(each)} for each in (own, there)]
    conditioned = {*CONDITION.findall(own)} <= {*CONDITION.findall(there)}
    around = " ".join(f"{each.evidence.titles} {each.evidence.text}" for each in windows)
    marked = set(_MARKS.findall(statement)) <= set(_MARKS.findall(around))
    denied = len(denials(statement, text)) == len(denials(text, statement))
    if kinds[0] != kinds[1] or not (conditioned and marked and denied):
        return False
    wanted = _figures(statement)
    return not wanted or any(
        wanted <= _figures(f"{window.evidence.titles} {said}")
        and wanted & _figures(said)
        and 2 * share_covered(statement, Evidence(said, window.evidence.titles)) >= 1
        and (window.cells or not _counts_another(statement, said))
        for window in windows
        for whole in [_WRAP.sub(" ", window.quote).replace("\n", "\n\n")]
        for text in [window.evidence.text if window.cells else in_quarters(whole)]
        for said in [text[unit.start : unit.end] for unit in units(text, window.passage.language)]
    )


def _counts_another(statement: str, text: str) -> bool:
    """Whether what a figure of a statement counts is counted in a text by another one alone."""
    theirs = counted(text)
    return any(
        word not in theirs.get(value, ()) and any(word in words for words in theirs.values())
        for value, every in counted(statement).items()
        for word in every
        if not is_unit(word) and word not in STOP_WORDS
    )


def _figures(text: str) -> Counter[tuple[str, ...]]:
    return Counter(figure.values for figure in figures_of(text))
