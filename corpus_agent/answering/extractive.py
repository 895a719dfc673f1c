"""The answerer without a language model: quotes the sentences that answer, verbatim.

Searches, ranks the sentences of the hits against the question (ranking.py) and quotes the best one
to three: `answered` or `closest` by the probability that they hold the answer, `not_found` below
both. Its quotations are verified in the document like those of a model.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_agent.answering.citations import Numbers, remarks
from corpus_agent.answering.columns import with_columns
from corpus_agent.answering.computed import computed_answer, remarks_on
from corpus_agent.answering.follow_up import carried_over
from corpus_agent.answering.languages import is_asked_in_another, language_of, notice_of
from corpus_agent.answering.named_documents import missing_names, named_documents, without_names
from corpus_agent.answering.own_words import with_plain_brackets
from corpus_agent.answering.probability import status_of
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.ranking import PASSAGES_READ, Sentence, rank_sentences
from corpus_agent.answering.records import (
    CLOSEST_HEADING,
    Answer,
    Citation,
    Computation,
    OnEvent,
    Turn,
)
from corpus_agent.answering.subquestions import asking_sentence, parts
from corpus_agent.text.calendar_names import with_spellings
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.sentences import units
from corpus_agent.text.tokens import content_terms
from corpus_agent.tools import search
from corpus_agent.tools.result import ToolCall
from indexer import Query, is_multilingual, is_other

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Chunk, Encoder, Hit

# Passages retrieved: PASSAGES_READ of them are read, all determine which words are rare. Ten
# contain the answer for .989 of the held-out questions, eight for .981 (benchmarks/fit_ranking.py).
POOL = 10
# Of documents that a question names, all are read: whose passages name it most says little there
# (benchmarks/financebench.py: cells quoted with ten .464, with thirty .714).
NAMED_POOL = 30
NAMES_LOOKED_AT = 60  # hits whose documents' names are compared with those of the question
_GLOB = re.compile(r"[*?\[]")  # in a source these are no pattern

# Why a passage is not quoted, of one and of several. What cannot be looked at has not changed.
_CHANGED = (
    "{} passage was left out: its file changed.",
    "{} passages were left out: their files changed.",
)
_NOT_LOOKED_AT = (
    "{} passage was left out: its file cannot be looked at now.",
    "{} passages were left out: their files cannot be looked at now.",
)
_OF_ANOTHER = "The passages do not name {}: they may speak of another."
_TOO_SHORT = (
    "{} passage was left out: it says too little to be quoted alone.",
    "{} passages were left out: they say too little to be quoted alone.",
)


class ExtractiveAnswerer:
    """Answers by quotation; requires the encoder that the index was made with.

    `notices` are part of every answer: the reason why this answerer is used.
    """

    name = "extractive"
    egress = None
    model_server = None

    def __init__(self, encoder: Encoder, notices: tuple[str, ...] = ()) -> None:
        self._encoder = encoder
        self._notices = notices

    def answer(
        self,
        question: str,
        corpus: CorpusView,
        history: Sequence[Turn] = (),
        on_event: OnEvent = lambda _: None,
    ) -> Answer:
        """One to three quotations, best first, `answered` or `closest`; or `not_found`.

        A question that depends on the previous one is searched with the words of both.
        """
        asked = _standalone(question, history)
        on_event(f"search: {one_line(asked)}")
        hits, calls, named = _pool(asked, corpus)
        numbers = Numbers([c for turn in history for c in turn.answer.citations])
        if (value := computed_answer(asked, hits, corpus, numbers)) is not None:
            return self._computed(question, corpus, calls, numbers, *value)
        foreign = self._foreign(asked, hits)
        unread = is_other(language_of(hits)) and not foreign and not is_multilingual(self._encoder)
        core = asking_sentence(asked)
        for source in named:
            core = without_names(core, source)
        read = NAMED_POOL if named else PASSAGES_READ
        core = core if content_terms(core) else asked
        ranking = rank_sentences(core, hits, None if unread else self._encoder.encode_tokens, read)
        probability = ranking.probability if ranking.sentences else None
        called = status_of(ranking.confidence, ranking.probability)
        if foreign and called == "not_found":  # no word can be found, whatever the passages say
            called = "closest"
        if probability is None or called == "not_found":
            return self._not_found(question, corpus, calls, foreign, probability=probability)
        cited = [(s, _cite(corpus, 0, s, hits[s.passage])) for s in ranking.sentences]
        good = [(s, c) for s, c in cited if c.stands]
        dropped = len(cited) - len(good)
        notices = _why_left_out([(hits[s.passage], c) for s, c in cited if not c.stands])
        if not good:
            barred = any(hits[s.passage].unreachable for s, _ in cited)
            return self._not_found(question, corpus, calls, (*foreign, *notices), barred=barred)
        lines = [
            f"{with_plain_brackets(' '.join(text.split()))} "
            f"[{numbers.of(replace(c, n=numbers.next))}]"
            for text, c in with_columns(corpus, [(s.text, c) for s, c in good])
        ]
        answered = called == "answered"
        about = [hits[s.passage].chunk for s, _ in good]
        if missing := missing_names(asked, [f"{c.source} {c.heading} {c.text}" for c in about]):
            notices = (*notices, _OF_ANOTHER.format(", ".join(missing)))
        return Answer(
            question=question,
            text="\n".join(lines if answered else [CLOSEST_HEADING, *lines]),
            status="closest" if not answered else "partial" if dropped else "answered",
            probability=None if dropped else probability,  # it was estimated for all of them
            answerer=self.name,
            citations=numbers.used(),
            coverage=corpus.coverage(),
            version=corpus.version,
            notices=(*self._notices, *foreign, *notices, *remarks(numbers.used())),
            calls=tuple(calls),
        )

    def _foreign(self, question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
        """The notice of a question in another language than the passages that were found."""
        language = language_of(hits)
        if not is_asked_in_another(question, language) or is_multilingual(self._encoder):
            return ()
        return (notice_of(language),)

    def _computed(
        self,
        question: str,
        corpus: CorpusView,
        calls: Sequence[ToolCall],
        numbers: Numbers,
        text: str,
        computed: Computation,
    ) -> Answer:
        return Answer(
            question=question,
            text=text,
            status="answered",
            answerer=self.name,
            citations=numbers.used(),
            coverage=corpus.coverage(),
            version=corpus.version,
            notices=(*self._notices, *remarks_on(computed), *remarks(numbers.used())),
            calls=tuple(calls),
            computed=computed,
        )

    def _not_found(
        self,
        question: str,
        corpus: CorpusView,
        calls: Sequence[ToolCall],
        notices: tuple[str, ...] = (),
        *,
        probability: float | None = None,
        barred: bool = False,
    ) -> Answer:
        coverage = corpus.coverage()
        said = "cannot be looked at now" if barred else "do not say"
        unread = f"; {coverage.unreadable} more could not be read" if coverage.unreadable else ""
        return Answer(
            question=question,
            text=f"The documents {said}. ({coverage.searched:,} were searched{unread}.)",
            status="not_found",
            probability=probability,
            answerer=self.name,
            citations=(),
            coverage=coverage,
            version=corpus.version,
            notices=(*self._notices, *notices),
            calls=tuple(calls),
        )


def _standalone(question: str, history: Sequence[Turn]) -> str:
    """The question completed with words of the previous questions."""
    asked: str | None = None
    for earlier in (*(turn.question for turn in history), question):
        asked = carried_over(earlier, asked)
    assert asked is not None
    return asked


def _pool(question: str, corpus: CorpusView) -> tuple[list[Hit], list[ToolCall], list[str]]:
    """The passages for all parts of a question, and the searches that found them.

    Where it names documents, those of these alone, searched on their own: what a report is called
    stands in all of its passages, and ranks none.
    """
    found: list[tuple[str, list[Hit]]] = []
    named: list[str] = []
    for part in parts(question):
        query = Query(with_spellings(part), limit=NAMES_LOOKED_AT, per_source=None)
        hits = corpus.search(query)
        named = named or named_documents(question, (hit.chunk.source for hit in hits))
        if named:
            begin = tuple(_GLOB.split(source)[0] for source in named)
            hits = corpus.search(replace(query, limit=NAMED_POOL, paths=begin))
            hits = [hit for hit in hits if hit.chunk.source in named]
        found.append((query.text, hits if named else hits[:POOL]))
    best: dict[str, Hit] = {}
    for _, hits in found:
        for hit in hits:
            known = best.get(hit.chunk.id)
            best[hit.chunk.id] = hit if known is None or known.score < hit.score else known
    ranked = sorted(best.values(), key=lambda h: (-h.score, h.chunk.source, h.chunk.ordinal))
    return (
        ranked[: NAMED_POOL if named else POOL],
        [_noted(part, hits) for part, hits in found],
        named,
    )


def _noted(query: str, hits: Sequence[Hit]) -> ToolCall:
    """The record of a search for a receipt; its result is the texts of the hits, in order."""
    text = "\n".join(f"{hit.chunk.source}:{hit.chunk.line_start}\n{hit.chunk.text}" for hit in hits)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return ToolCall(search.NAME, json.dumps({"query": query}), digest, len(text))


def _cite(corpus: CorpusView, n: int, sentence: Sentence, hit: Hit) -> Citation:
    """The citation of a sentence, with the one beside it where it says too little alone."""
    source, text = hit.chunk.source, hit.chunk.text
    line = hit.chunk.line_start + text.count("\n", 0, sentence.start)
    found = check_quotation(corpus, n, source, sentence.text, line)
    if found.verdict != "cut":
        return found
    for start, end in _with_a_neighbour(hit.chunk, sentence):
        line = hit.chunk.line_start + text.count("\n", 0, start)
        wider = check_quotation(corpus, n, source, text[start:end], line)
        if wider.stands and wider.hidden == found.hidden:
            return wider
    return found


def _with_a_neighbour(passage: Chunk, sentence: Sentence) -> list[tuple[int, int]]:
    """The sentence to the end of the next one, from the start of the one before, and both."""
    around = units(passage.text, passage.language)
    after = [(sentence.start, unit.end) for unit in around if unit.start >= sentence.end][:1]
    before = [(unit.start, sentence.end) for unit in around if unit.end <= sentence.start][-1:]
    both = [(start, end) for start, _ in before for _, end in after]
    return after + before + both


def _why_left_out(dropped: Sequence[tuple[Hit, Citation]]) -> tuple[str, ...]:
    """A notice for each reason why passages that answer are not quoted."""
    reasons = Counter(_why(hit, citation) for hit, citation in dropped)
    return tuple((one if n == 1 else more).format(n) for (one, more), n in reasons.items())


def _why(hit: Hit, citation: Citation) -> tuple[str, str]:
    if hit.unreachable:
        return _NOT_LOOKED_AT
    return _TOO_SHORT if citation.verdict == "cut" else _CHANGED
