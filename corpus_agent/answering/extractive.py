"""The answerer without a language model: the passages that answer, with their likely lines.

Searches, ranks the sentences of the hits against the question (ranking.py) and shows up to three
passages, each with the probability that it holds the answer. What is marked in them is verified in
the document like a quotation of a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus_agent.answering.citations import Numbers, remarks
from corpus_agent.answering.confidence import comes_near
from corpus_agent.answering.coverage import comparison
from corpus_agent.answering.decision import of_passages
from corpus_agent.answering.languages import is_unbridged, language_of, notice_of
from corpus_agent.answering.passages import passage_of
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.ranking import (
    PASSAGES_READ,
    Ranking,
    Sentence,
    found_passages,
    rank_sentences,
)
from corpus_agent.answering.reading import NAMED_POOL, read, without_names
from corpus_agent.answering.records import Answer, Citation, OnEvent, Passage, Turn
from corpus_agent.text.patterns import lazy
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.tokens import content_terms, has_digit
from corpus_agent.text.wording import number_of
from indexer import file_stem

if TYPE_CHECKING:
    from corpus_agent.answering.reading import AskedAs
    from corpus_agent.tools.corpus import CorpusView
    from indexer import Encoder, Hit

ADDS_FROM = 0.1  # of the likeliest passage's probability
SAME_FRAME = 0.5  # of the words of the shorter of two sentences, values left out
_A_YEAR = lazy(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_UNREACHABLE = "{} left out: its file cannot be looked at now."


class ExtractiveAnswerer:
    """Answers with passages; requires the encoder that the index was made with.

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
        """One to three passages, best first; `not_found` where nothing comes near.

        A question that depends on the previous one is searched with the words of both.
        """
        found = self.read(question, corpus, history)
        on_event(f"search: {one_line(found.asked)}")
        foreign = self._foreign(found.asked, found.hits)
        near = comes_near(found.ranking.confidence) or bool(foreign and found.ranking.sentences)
        cited = [*_cited(corpus, found)] if near else []
        left = [found.hits[s.passage] for s, citation in cited if not citation.stands]
        passages = _shown(corpus, found.hits, cited, history)
        best = max((p.probability or 0.0 for p in passages), default=None)
        return Answer(
            question=question,
            text="",
            status=of_passages(best),
            probability=best,
            answerer=self.name,
            passages=passages,
            coverage=corpus.coverage(),
            version=corpus.version,
            notices=(
                *self._notices,
                *foreign,
                *_why_left_out(left),
                *remarks([passage.citation for passage in passages]),
            ),
            calls=tuple(found.calls),
            changed=tuple(
                dict.fromkeys(h.chunk.source for h in left if h.stale and not h.unreachable)
            ),
        )

    def read(self, question: str, corpus: CorpusView, history: Sequence[Turn] = ()) -> AskedAs:
        """The reading of a question that counts; see `reading.read`."""
        return read(question, corpus, self._rank, history)

    def found(self, query: str, hits: Sequence[Hit]) -> Iterator[tuple[str, tuple[int, int], int]]:
        """What is shown of each hit of a search; see `found_passages`."""
        return found_passages(query, hits, *comparison(self._encoder, query, hits))

    def _rank(self, asked: str, hits: Sequence[Hit], named: Sequence[str]) -> Ranking:
        core = asked
        for source in named:
            core = without_names(core, source)
        core = core if content_terms(core) else asked
        pool = NAMED_POOL if named else PASSAGES_READ
        encode, scale = comparison(self._encoder, asked, hits)
        return rank_sentences(core, hits, encode, pool, scale)

    def _foreign(self, question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
        """The notice of a question in another language than the passages that were found."""
        if not is_unbridged(self._encoder, question, hits):
            return ()
        return (notice_of(language_of(hits, question)),)


def _cited(corpus: CorpusView, found: AskedAs) -> Iterator[tuple[Sentence, Citation]]:
    """The sentences that were found, each looked up in its document."""
    for sentence in found.ranking.sentences:
        chunk = found.hits[sentence.passage].chunk
        line = chunk.line_start + chunk.text.count("\n", 0, sentence.start)
        yield sentence, check_quotation(corpus, 0, chunk.source, sentence.text, line)


def _shown(
    corpus: CorpusView,
    hits: Sequence[Hit],
    cited: Sequence[tuple[Sentence, Citation]],
    history: Sequence[Turn],
) -> tuple[Passage, ...]:
    """The passages of the sentences that stand, but for those that add nothing.

    A passage adds nothing that is far less likely than the likeliest, or stands in another one.
    """
    numbers = Numbers([citation for turn in history for citation in turn.answer.citations])
    least = ADDS_FROM * max((sentence.probability for sentence, _ in cited), default=0.0)
    found: list[Passage] = []
    for sentence, citation in cited:
        held = (p for p in found if p.citation.source == citation.source)
        if sentence.probability < least or any(citation.quote in passage.text for passage in held):
            continue
        if citation.stands:
            language = hits[sentence.passage].chunk.language
            numbered = numbers.numbered(citation)
            found.append(passage_of(corpus, numbered, sentence.probability, language))
    return _with_ages(found)


def _why_left_out(dropped: Sequence[Hit]) -> tuple[str, ...]:
    """The notice of passages whose files cannot be looked at now."""
    count = sum(hit.unreachable for hit in dropped)
    return (_UNREACHABLE.format(number_of(count, "passage")),) if count else ()


# ---- Passages that say the same of one thing with other values: this year's price list and last's


def _with_ages(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages; of the first and one that contradicts it the newer first, each marked."""
    if not passages:
        return ()
    first, *others = passages
    year = _year(first)
    for other in others:
        its = _year(other)
        if year and its and year != its and _differ(first, other):
            new, old = (first, other) if year > its else (other, first)
            rest = (each for each in others if each is not other)
            return (replace(new, age="newer"), replace(old, age="older"), *rest)
    return tuple(passages)


def _year(passage: Passage) -> int:
    """The year of a document; 0 if none is known."""
    for text in (file_stem(passage.citation.source).replace("_", " "), passage.citation.heading):
        years = {int(year) for year in _A_YEAR.findall(text)}
        if len(years) == 1:
            year = years.pop()
            return year if year <= datetime.now(UTC).year else 0
    return 0


def _differ(one: Passage, other: Passage) -> bool:
    """Whether two documents say the same in their words, and other figures."""
    if one.citation.source == other.citation.source:
        return False
    words = [set(content_terms(passage.citation.quote)) for passage in (one, other)]
    plain = [{word for word in own if not has_digit(word)} for own in words]
    same = len(plain[0] & plain[1]) / max(1, min(map(len, plain)))
    values = [own - bare for own, bare in zip(words, plain, strict=True)]
    return same >= SAME_FRAME and bool(values[0] ^ values[1])
