"""The answerer without a language model: quotes the sentences that answer, verbatim.

Searches, ranks the sentences of the hits against the question (ranking.py) and quotes the best one
to three: `answered` or `closest` by the probability that they hold the answer, `not_found` below
both. Its quotations are verified in the document like those of a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_agent.answering.antecedents import antecedent
from corpus_agent.answering.changed import with_changed
from corpus_agent.answering.citations import Numbers, remarks
from corpus_agent.answering.columns import with_columns
from corpus_agent.answering.computed import computed_answer, remarks_on
from corpus_agent.answering.languages import is_asked_in_another, language_of, notice_of
from corpus_agent.answering.name_lines import name_line
from corpus_agent.answering.named_documents import missing_names, without_names
from corpus_agent.answering.own_words import with_plain_brackets
from corpus_agent.answering.probability import status_of
from corpus_agent.answering.quotations import check_quotation
from corpus_agent.answering.ranking import PASSAGES_READ, Ranking, rank_sentences
from corpus_agent.answering.reading import NAMED_POOL, read
from corpus_agent.answering.records import (
    CLOSEST_HEADING,
    Answer,
    Citation,
    Computation,
    OnEvent,
    Turn,
)
from corpus_agent.answering.statements import statement_rows
from corpus_agent.answering.unclear import Meanings, meanings, pointed_at
from corpus_agent.answering.versions import newest_first, told_of_older, versions
from corpus_agent.text.naming import quoted_in_answer
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.sentences import units
from corpus_agent.text.tokens import content_terms
from corpus_agent.text.wording import number_of
from indexer import is_multilingual, is_other

if TYPE_CHECKING:
    from corpus_agent.answering.reading import AskedAs
    from corpus_agent.answering.records import AnswerStatus
    from corpus_agent.answering.shown import Sentence
    from corpus_agent.tools.corpus import CorpusView
    from corpus_agent.tools.result import ToolCall
    from indexer import Chunk, Encoder, Hit


# Why a passage is not quoted, of one and of several. What cannot be looked at has not changed.
_CHANGED = (
    "{} passage was left out: its file changed: run corpus-agent index.",
    "{} passages were left out: their files changed: run corpus-agent index.",
)
_NOT_LOOKED_AT = (
    "{} passage was left out: its file cannot be looked at now.",
    "{} passages were left out: their files cannot be looked at now.",
)
_NOT_WHOLE = (
    "{} passage was left out: it was not found whole in its document.",
    "{} passages were left out: they were not found whole in their documents.",
)
_OF_ANOTHER = "The passages do not name {}: they may speak of another."
_NO_ROW = "Its statements have no row that was recognised as: {}."
_TOO_SHORT = (
    "{} passage was left out: it says too little to be quoted alone.",
    "{} passages were left out: they say too little to be quoted alone.",
)

Quoted = tuple["Sentence", Citation]
"""A ranked sentence with its checked quotation."""


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
        found = self.read(question, corpus, history)
        asked, hits, calls, ranking = found.asked, found.hits, found.calls, found.ranking
        on_event(f"search: {one_line(asked)}")
        numbers = Numbers([c for turn in history for c in turn.answer.citations])
        if (value := computed_answer(asked, hits, corpus, numbers)) is not None:
            return self._computed(question, corpus, calls, numbers, *value)
        rows, lacking = statement_rows(asked, (hit.chunk.source for hit in hits), corpus)
        if rows:
            about = (_NO_ROW.format(", ".join(lacking)),) if lacking else ()
            return self._quoted(question, corpus, calls, numbers, rows, "closest", about)
        if (pointed := _pointed_at(question, corpus, hits, history)) is not None:
            return self._asked_back(question, corpus, calls, numbers, *pointed)
        foreign = self._foreign(asked, hits)
        probability = ranking.probability if ranking.sentences else None
        called = status_of(ranking.confidence, ranking.probability)
        if foreign and called == "not_found":  # no word can be found, whatever the passages say
            called = "closest"
        if probability is None or called == "not_found":
            return self._not_found(question, corpus, calls, foreign, probability=probability)
        dated = versions(asked, hits, ranking.sentences)
        sentences = newest_first(dated, ranking.sentences)
        cited = [(s, _cite(corpus, 0, s, hits[s.passage])) for s in sentences]
        good = [(s, c) for s, c in cited if c.stands]
        dropped = len(cited) - len(good)
        why = {c.source: _why(hits[s.passage], c) for s, c in cited if not c.stands}
        changed = tuple(source for source, reason in why.items() if reason == _CHANGED)
        notices = _why_left_out([(hits[s.passage], c) for s, c in cited if not c.stands])
        if not good:
            barred = any(hits[s.passage].unreachable for s, _ in cited)
            answer = self._not_found(question, corpus, calls, (*foreign, *notices), barred=barred)
            return with_changed(answer, changed)
        meant, good = (None, good) if dated else _meant(found, good, history)
        if meant is not None:
            return self._asked_back(question, corpus, calls, numbers, meant, good)
        good = _with_name_lines(asked, corpus, hits, good)
        notices += _of_another(asked, [hits[s.passage].chunk for s, _ in good])
        answer = self._quoted(
            question,
            corpus,
            calls,
            numbers,
            [(s.text, c) for s, c in good],
            "closest" if called != "answered" else "partial" if dropped else "answered",
            (*foreign, *notices),
            None if dropped else probability,  # it was estimated for all of them
        )
        older = told_of_older(dated, hits, answer.citations)
        return replace(answer, changed=changed, notices=(*answer.notices, *older))

    def _quoted(
        self,
        question: str,
        corpus: CorpusView,
        calls: Sequence[ToolCall],
        numbers: Numbers,
        quoted: Sequence[tuple[str, Citation]],
        status: AnswerStatus,
        notices: tuple[str, ...],
        probability: float | None = None,
    ) -> Answer:
        named = ((text, _named(corpus, c)) for text, c in with_columns(corpus, quoted))
        lines = [
            f"{_told(c)}{with_plain_brackets(' '.join(text.split()))} "
            f"[{numbers.of(replace(c, n=numbers.next))}]"
            for text, c in named
        ]
        return Answer(
            question=question,
            text="\n".join([CLOSEST_HEADING, *lines] if status == "closest" else lines),
            status=status,
            probability=probability,
            answerer=self.name,
            citations=numbers.used(),
            coverage=corpus.coverage(),
            version=corpus.version,
            notices=(*self._notices, *notices, *remarks(numbers.used())),
            calls=tuple(calls),
        )

    def _asked_back(
        self,
        question: str,
        corpus: CorpusView,
        calls: Sequence[ToolCall],
        numbers: Numbers,
        meant: Meanings,
        good: Sequence[Quoted],
    ) -> Answer:
        marks = [f"[{numbers.of(replace(c, n=numbers.next))}]" for _, c in good]
        return Answer(
            question=question,
            text=meant.asks(marks),
            status="unclear",
            answerer=self.name,
            citations=numbers.used(),
            coverage=corpus.coverage(),
            version=corpus.version,
            notices=(*self._notices, *remarks(numbers.used())),
            calls=tuple(calls),
        )

    def read(self, question: str, corpus: CorpusView, history: Sequence[Turn] = ()) -> AskedAs:
        """The reading of a question that the passages answer best."""
        return read(question, corpus, self._rank, history)

    def _rank(self, asked: str, hits: Sequence[Hit], named: Sequence[str]) -> Ranking:
        unread = is_other(language_of(hits, asked)) and not is_multilingual(self._encoder)
        by_letters = unread and not self._foreign(asked, hits)
        core = asked
        for source in named:
            core = without_names(core, source)
        core = core if content_terms(core) else asked
        encode = None if by_letters else self._encoder.encode_tokens
        return rank_sentences(core, hits, encode, NAMED_POOL if named else PASSAGES_READ)

    def _foreign(self, question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
        """The notice of a question in another language than the passages that were found."""
        language = language_of(hits, question)
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
        searched = number_of(coverage.searched, "was", "were")
        return Answer(
            question=question,
            text=f"The documents {said}. ({searched} searched{unread}.)",
            status="not_found",
            probability=probability,
            answerer=self.name,
            citations=(),
            coverage=coverage,
            version=corpus.version,
            notices=(*self._notices, *notices),
            calls=tuple(calls),
        )


def _named(corpus: CorpusView, citation: Citation) -> Citation:
    return replace(citation, antecedent=antecedent(corpus, citation))


def _told(citation: Citation) -> str:
    """What the first word of a quotation stands for, as a name is shown: no document's own mark."""
    if not citation.antecedent:
        return ""
    return f"[{citation.quote.split()[0]}: {quoted_in_answer(citation.antecedent)}] "


def _pointed_at(
    question: str, corpus: CorpusView, hits: Sequence[Hit], history: Sequence[Turn]
) -> tuple[Meanings, list[Quoted]] | None:
    """What "this library" may mean, if all of it can be quoted."""
    said = [text for turn in history for text in (turn.question, turn.answer.text)]
    if (meant := pointed_at(question, hits, said)) is None:
        return None
    own = [(s, _cite(corpus, 0, s, hits[s.passage])) for s in meant.sentences]
    return (meant, own) if all(citation.stands for _, citation in own) else None


def _of_another(asked: str, passages: Sequence[Chunk]) -> tuple[str, ...]:
    """The notice of names that no passage has, nor its heading or the name of its file."""
    missing = missing_names(asked, [f"{c.source} {c.heading} {c.text}" for c in passages])
    return (_OF_ANOTHER.format(", ".join(missing)),) if missing else ()


def _with_name_lines(
    asked: str, corpus: CorpusView, hits: Sequence[Hit], good: Sequence[Quoted]
) -> list[Quoted]:
    """The quotations, behind the first of each document the line with the name asked for."""
    found: list[Quoted] = []
    seen: set[str] = set()
    for sentence, citation in good:
        found.append((sentence, citation))
        line = name_line(asked, sentence, hits) if citation.source not in seen else None
        seen.add(citation.source)
        if line is None or any((line.passage, line.start) == (s.passage, s.start) for s, _ in good):
            continue
        named = _cite(corpus, 0, line, hits[line.passage])
        if named.stands:
            found.append((line, named))
    return found


def _meant(
    found: AskedAs, good: list[Quoted], history: Sequence[Turn]
) -> tuple[Meanings | None, list[Quoted]]:
    """What the question may mean, and what is quoted: of that alone, or of what the talk is of."""
    meant = meanings(found.asked, found.hits, [sentence for sentence, _ in good])
    if meant is None:
        return None, good
    own = [(sentence, c) for sentence, c in good if sentence in meant.sentences]
    before = {c.source for turn in history[-1:] for c in turn.answer.citations}
    spoken_of = before.intersection(c.source for _, c in own)
    if len(spoken_of) != 1:
        return meant, own
    return None, [(s, c) for s, c in good if (s, c) not in own or c.source in spoken_of]


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
    if citation.verdict == "cut":
        return _TOO_SHORT
    return _CHANGED if hit.stale else _NOT_WHOLE
