"""The answerer that needs no model: the sentences that answer, word for word.

Searches, ranks the sentences of the hits against the question (sentences/) and quotes the best
one to three; `not_found` where nothing reaches the threshold. Every quotation is looked up in the
document like anybody else's.
"""

from __future__ import annotations

from collections.abc import Sequence

from corpus_agent.answer import Answer, Citation, OnEvent, Turn
from corpus_agent.corpus import Corpus
from corpus_agent.evidence import check_quotation
from corpus_agent.sentences import (
    NOT_FOUND_THRESHOLD,
    Passage,
    Sentence,
    parts,
    rank_sentences,
)
from indexer.embed import Encoder
from indexer.records import Hit

POOL = 10  # passages; more gained nothing on the development sets


class ExtractiveAnswerer:
    """Answers by quotation; needs the encoder that the index was made with.

    `notices` stand in every answer: why it is this answerer that answers.
    """

    name = "extractive"
    egress = None

    def __init__(self, encoder: Encoder, notices: tuple[str, ...] = ()) -> None:
        self._encoder = encoder
        self._notices = notices

    def answer(
        self,
        question: str,
        corpus: Corpus,
        history: Sequence[Turn] = (),
        on_event: OnEvent = lambda _: None,
    ) -> Answer:
        """One to three quotations, best first, or `not_found`; history plays no part."""
        on_event(f"searching: {question}")
        hits = _pool(question, corpus)
        passages = [
            Passage(hit.chunk.text, hit.score, hit.cosine, hit.chunk.heading) for hit in hits
        ]
        ranking = rank_sentences(question, passages, self._encoder.encode_tokens)
        if ranking.confidence < NOT_FOUND_THRESHOLD or not ranking.sentences:
            return self._not_found(question, corpus)
        cited = [
            (sentence, _cite(corpus, n, sentence, hits[sentence.passage]))
            for n, sentence in enumerate(ranking.sentences, start=1)
        ]
        # A file that changed since it was indexed may no longer say what the index holds.
        good = [(s, c) for s, c in cited if c.verdict in ("verified", "moved")]
        dropped = len(cited) - len(good)
        notices = (f"{dropped} passages were left out: their files changed.",) if dropped else ()
        if not good:
            return self._not_found(question, corpus, notices)
        return Answer(
            question=question,
            text="\n".join(f"{' '.join(s.text.split())} [{c.n}]" for s, c in good),
            status="partial" if dropped else "answered",
            answerer=self.name,
            citations=tuple(citation for _, citation in good),
            coverage=corpus.coverage(),
            version=corpus.version,
            notices=(*self._notices, *notices),
        )

    def _not_found(self, question: str, corpus: Corpus, notices: tuple[str, ...] = ()) -> Answer:
        coverage = corpus.coverage()
        unread = f"; {coverage.unreadable} more could not be read" if coverage.unreadable else ""
        text = f"The documents do not say. ({coverage.indexed:,} were searched{unread}.)"
        notices = (*self._notices, *notices)
        return Answer(question, text, "not_found", self.name, (), coverage, corpus.version, notices)


def _pool(question: str, corpus: Corpus) -> list[Hit]:
    """The passages for a question; for one that asks for two things, those of both."""
    best: dict[str, Hit] = {}
    for part in parts(question):
        for hit in corpus.search(part, limit=POOL, per_source=None):
            known = best.get(hit.chunk.id)
            best[hit.chunk.id] = hit if known is None or known.score < hit.score else known
    ranked = sorted(best.values(), key=lambda h: (-h.score, h.chunk.source, h.chunk.ordinal))
    return ranked[:POOL]


def _cite(corpus: Corpus, n: int, sentence: Sentence, hit: Hit) -> Citation:
    line = hit.chunk.line_start + hit.chunk.text.count("\n", 0, sentence.start)
    return check_quotation(corpus, n, hit.chunk.source, sentence.text, line)
