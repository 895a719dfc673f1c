"""A statement beside the passages nearest to it: what they say of it, in words and figures."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.support import Judgement, Supporter, Window, coverage, together
from corpus_agent.check.quotations import is_at
from corpus_agent.check.records import Finding, Kind, Piece
from indexer import Query

if TYPE_CHECKING:
    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.answering.records import Citation
    from corpus_agent.tools.corpus import CorpusView

_LABEL = re.compile(r"\d{1,3}(?:\.\d{1,3})*[.)]?\s")
HITS = 8  # passages that a statement is compared with
SURELY = 0.9  # of its words; of SciFact's claims .90 are right with so many, .60 with any number


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
        passages = [hit.chunk for hit in self._corpus.search(asked)]
        found = Supporter(passages, self._encode).support(piece.text)
        if isinstance(found, Judgement):
            return self._differing(piece, found)
        cited = [self._cited(window) for window in found]
        says = coverage(piece.text, together(found)) >= SURELY
        if not (says and all(each.stands for each in cited)):  # or the file changed meanwhile
            return Finding(piece, "not_found")
        kind: Kind = "supported" if is_at(cited[0], piece.named) else "elsewhere"
        return Finding(piece, kind, tuple(cited))

    def _differing(self, piece: Piece, found: Judgement) -> Finding:
        if found.verdict != "differs" or found.window is None:
            return Finding(piece, "not_found")
        cited = self._cited(found.window)
        if not cited.stands:
            return Finding(piece, "not_found")
        label, instead = _LABEL.match(cited.quote), found.found
        if label and instead.startswith(label[0]):  # the number of a clause is no figure of it
            instead = cited.quote[label.end() :]
        return Finding(piece, "doubtful", (cited,), ((found.claimed, instead),))

    def _cited(self, window: Window) -> Citation:
        return check_quotation(
            self._corpus, 0, window.passage.source, window.evidence.text, window.line
        )
