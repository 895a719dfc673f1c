"""A statement beside the passages nearest to it: what they say of it, in words and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import regex

from corpus_agent.answering.coverage import PACKAGED
from corpus_agent.answering.differences import Evidence
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.ranking import weighed
from corpus_agent.answering.support import Judgement, Supporter, Window, coverage, together
from corpus_agent.check.quotations import CONDITION, is_at
from corpus_agent.check.records import WORDS, Finding, Kind, Piece
from corpus_agent.text.numbers import found as figures_of
from corpus_agent.text.sentences import units
from corpus_agent.text.tokens import STOP_WORDS, has_digit, same_word, terms
from indexer import Query

if TYPE_CHECKING:
    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.answering.records import Citation
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Hit

_MARKS = regex.compile(r"(?<=[\w,:(] )[A-Z]{1,4}[+-]?(?!\w)|\b[A-Z]{2,4}[+-]?(?!\w)")
_MODAL = regex.compile(WORDS["modal"])
_LABEL = regex.compile(r"\d{1,3}(?:\.\d{1,3})*[.)]?\s")
HITS = 8  # passages that a statement is compared with
MOST_BETWEEN = 2  # of its words in the document others may stand
SURELY = 1.0  # of its words: a sentence with another verb says another thing


class StatementFinder:
    """Finds what the documents say of statements."""

    def __init__(self, corpus: CorpusView, encode: EncodeTokens | None) -> None:
        self._corpus, self._encode = corpus, encode

    def find(self, piece: Piece) -> Finding:
        """The passages that say a statement, or say otherwise; first of the document it names."""
        asked = Query(piece.text, HITS, None)
        found = Finding(piece, "not_found")
        if piece.named is not None:
            found = self._judged(piece, replace(asked, among=frozenset([piece.named.source])))
        return found if found.kind != "not_found" else self._judged(piece, asked)

    def _judged(self, piece: Piece, asked: Query) -> Finding:
        hits = self._corpus.search(asked)
        found = Supporter((hit.chunk for hit in hits), self._encode).support(piece.text)
        if isinstance(found, Judgement):
            return self._differing(piece, found) or self._nearest(piece, hits)
        cited = [self._cited(window) for window in found]
        says = coverage(piece.text, together(found)) >= SURELY and _said_at_once(piece.text, found)
        if not (says and all(each.stands for each in cited)):  # or the file changed meanwhile
            return self._nearest(piece, hits)
        kind: Kind = "supported" if is_at(cited[0], piece.named) else "elsewhere"
        return Finding(piece, kind, tuple(cited))

    def _nearest(self, piece: Piece, hits: Sequence[Hit]) -> Finding:
        """A statement that was not found, with the sentence that comes nearest to it."""
        own = weighed(piece.text, hits, self._encode, len(hits), PACKAGED) if hits else None
        if own is None:
            return Finding(piece, "not_found")
        best = own.found[int(own.scores.argmax())]
        cited = self._cited(Window(hits[best.passage].chunk, best.start, best.end))
        return Finding(piece, "not_found", nearest=cited if cited.stands else None)

    def _differing(self, piece: Piece, found: Judgement) -> Finding | None:
        """A statement with the words in which a sentence differs from it; None without them."""
        if found.verdict != "differs" or found.window is None:
            return None
        cited = self._cited(found.window)
        if not cited.stands:
            return None
        label, instead = _LABEL.match(cited.quote), found.found
        if label and instead.startswith(label[0]):  # the number of a clause is no figure of it
            instead = cited.quote[label.end() :]
        return Finding(piece, "doubtful", (cited,), ((found.claimed, instead),))

    def _cited(self, window: Window) -> Citation:
        return check_quotation(
            self._corpus, 0, window.passage.source, window.evidence.text, window.line
        )


def _said_at_once(statement: str, windows: Sequence[Window]) -> bool:
    """Whether one document says a statement, and one sentence or row of it what its figures are of.

    Each figure counts as often as it is said: of "2 April" and "severity 2" one 2 is not enough.
    """
    if len({window.passage.source for window in windows}) > 1 or not _in_order(statement, windows):
        return False
    text = " ".join(window.evidence.text for window in windows)
    for turning in (CONDITION, _MODAL):
        if {*turning.findall(text.casefold())} != {*turning.findall(statement.casefold())}:
            return False
    around = " ".join(f"{each.evidence.titles} {each.evidence.text}" for each in windows)
    if not set(_MARKS.findall(statement)) <= set(_MARKS.findall(around)):
        return False
    wanted = _figures(statement)
    if not wanted:
        return True
    return any(
        wanted <= _figures(f"{window.evidence.titles} {said}")
        and wanted & _figures(said)
        and 2 * coverage(statement, Evidence(said, window.evidence.titles)) >= 1
        for window in windows
        for unit in units(window.evidence.text, window.passage.language)
        for said in [window.evidence.text[unit.start : unit.end]]
    )


def _in_order(statement: str, windows: Sequence[Window]) -> bool:
    """Whether the words come in the document's order, and together: so it says who pays whom."""
    there = [
        word
        for window in windows
        for word in terms(window.evidence.text)
        if word not in STOP_WORDS and not has_digit(word)
    ]
    at = 0
    for word in terms(statement):
        if word in STOP_WORDS or has_digit(word):
            continue
        places = [n for n, other in enumerate(there) if same_word(word, other)]
        if not places:  # it leads to the sentence: a heading, the document's name
            continue
        following = next((place for place in places if place >= at), None)
        if following is None or (at and following > at + MOST_BETWEEN):
            return False
        at = following + 1
    return True


def _figures(text: str) -> Counter[tuple[str, ...]]:
    return Counter(figure.values for figure in figures_of(text))
