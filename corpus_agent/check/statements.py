"""A statement beside the passages nearest to it: what they say of it, in words and figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.support import Judgement, Supporter, Window
from corpus_agent.check.quotations import is_at
from corpus_agent.check.records import Finding, Kind, Piece
from indexer import Query

if TYPE_CHECKING:
    from corpus_agent.answering.coverage import EncodeTokens
    from corpus_agent.answering.records import Citation
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Chunk

_LABEL = re.compile(r"\d{1,3}(?:\.\d{1,3})*[.)]?\s")
HITS = 8  # passages that a statement is compared with

Judge = Callable[[str, Sequence["Chunk"]], tuple[Kind, str] | None]
"""What a model says of a statement and passages, with its reason; None for nothing."""


class StatementFinder:
    """Finds what the documents say of statements."""

    def __init__(
        self,
        corpus: CorpusView,
        encode: EncodeTokens | None,
        judge: Judge | None = None,
        model: str = "",
    ) -> None:
        self._corpus, self._encode = corpus, encode
        self._judge, self._model = judge, model

    def find(self, piece: Piece) -> Finding:
        """The passages that say a statement, or the one that says otherwise."""
        named = piece.named
        asked = Query(piece.text, HITS, None)
        if named is not None:
            own = self._corpus.search(replace(asked, paths=(named.source,)))
            found = self._judged(piece, [hit.chunk for hit in own])
            if found.kind != "not_found":
                return found
        passages = [hit.chunk for hit in self._corpus.search(asked)]
        found = self._judged(piece, passages)
        if found.kind == "not_found" and self._judge is not None and passages:
            verdict = self._judge(piece.text, passages)
            if verdict is not None:
                kind, reason = verdict
                return replace(found, kind=kind, model=self._model, reason=reason)
        return found

    def _judged(self, piece: Piece, passages: Sequence[Chunk]) -> Finding:
        found = Supporter(passages, self._encode).support(piece.text)
        if isinstance(found, Judgement):
            return self._differing(piece, found)
        cited = [self._cited(window) for window in found]
        if not all(each.stands for each in cited):  # the file changed since it was indexed
            return Finding(piece, "not_found")
        kind: Kind = "supported" if is_at(cited[0], piece.named) else "elsewhere"
        return Finding(piece, kind, tuple(cited))

    def _differing(self, piece: Piece, found: Judgement) -> Finding:
        if found.verdict != "differs" or found.window is None:
            return Finding(piece, "not_found")
        cited = self._cited(found.window)
        if not cited.stands:
            return Finding(piece, "not_found")
        label = _LABEL.match(cited.quote)
        instead = found.found
        if label and instead.startswith(label[0]):  # the number of a clause is no figure of it
            instead = cited.quote[label.end() :]
        return Finding(piece, "doubtful", (cited,), ((found.claimed, instead),))

    def _cited(self, window: Window) -> Citation:
        return check_quotation(
            self._corpus, 0, window.passage.source, window.evidence.text, window.line
        )
