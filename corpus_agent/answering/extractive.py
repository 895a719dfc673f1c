"""The answerer without a language model: the passages that answer, with their likely lines.

Searches, ranks the sentences of the hits against the question (ranking.py) and shows up to three
passages, each with the probability that it holds the answer. What is marked in them is verified in
the document like a quotation of a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from corpus_agent.answering.coverage import comparison, is_unbridged, language_of, notice_of
from corpus_agent.answering.decision import of_passages
from corpus_agent.answering.quotations import check_quotation, found_again
from corpus_agent.answering.ranking import PASSAGES_READ, best_sentences, weighed
from corpus_agent.answering.reading import NAMED_POOL, AskedAs, read, without_names
from corpus_agent.answering.records import (
    NOBODY,
    Answer,
    Citation,
    Numbers,
    Onlooker,
    Passage,
    Turn,
    alone,
)
from corpus_agent.text.numbers import found as figures_of
from corpus_agent.text.sanitize import one_line
from corpus_agent.text.sentences import TOP, Unit, is_item, leads_in, state_of, units
from corpus_agent.text.tables import (
    cell_spans,
    ends_with_figures,
    is_brief,
    is_row,
    names_above,
    names_cells,
    says_unit,
    tables_of,
)
from corpus_agent.text.tokens import content_terms, has_digit, lazy
from corpus_agent.text.wording import WORDS, number_of
from corpus_agent.tools.search import snippet
from indexer import Query, Refused, file_stem

if TYPE_CHECKING:
    from corpus_agent.answering.candidates import Candidate
    from corpus_agent.tools.corpus import CorpusView, Readable
    from indexer import Encoder, Hit

ADDS_FROM = 0.2  # of the likeliest passage's probability
CHANGES_READ = 8  # documents that are named as changes of the likeliest one
CHANGES_SHOWN = 2  # passages of documents that change the likeliest one
UNSETTLED = 0.89  # the most that a draft, or what no longer holds, is likely to answer
SAME_FRAME = 0.5  # of the words of the shorter of two sentences, values left out
_A_YEAR = lazy(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_A_VERSION = lazy(r"(?<![^\W_])(?:v\.?|[Vv]ersion\s)(\d{1,3})(?![\d.])")
_FISCAL = lazy(r"(?i)\b(?:fiscal|financial) (?:years? )?(?=(?:19|20)\d\d\b)")  # its year says it
_UNREACHABLE = "{} left out: its file cannot be looked at now."


class ExtractiveAnswerer:
    """Answers with passages; requires the encoder that the index was made with.

    `notices` are part of every answer: the reason why this answerer is used.
    """

    name = "extractive"

    def __init__(self, encoder: Encoder, notices: tuple[str, ...] = ()) -> None:
        self._encoder = encoder
        self._notices = notices

    def stamped(self, answer: Answer) -> Answer:
        """The answer as it is: nothing was sent anywhere."""
        return answer

    def answer(
        self,
        question: str,
        corpus: CorpusView,
        history: Sequence[Turn] = (),
        onlooker: Onlooker = NOBODY,
    ) -> Answer:
        """One to three passages, best first; `not_found` where nothing comes near.

        A question that depends on the previous one is searched with the words of both.
        """
        found = self.read(question, corpus, history)
        onlooker.step(f"search: {one_line(found.asked)}")
        unbridged = is_unbridged(self._encoder, found.asked, found.hits)
        foreign = [notice_of(language_of(found.hits, found.asked))] * unbridged
        near = found.surest > 0 or bool(foreign and found.sentences)
        cited = [*_cited(corpus, found)] if near else []
        left = [found.hits[s.passage] for s, citation in cited if not citation.stands]
        passages = _shown(corpus, found.hits, cited, history)
        passages += self._amending(corpus, found.asked, passages)
        if not _A_YEAR.search(question):  # which asks for that year, not for the newest
            passages = _with_ages(passages)
        status, probability = of_passages(passages)
        gone = sum(hit.unreachable for hit in left)
        return Answer(
            question=question,
            text="",
            status=status,
            probability=probability,
            answerer=self.name,
            passages=passages,
            coverage=corpus.coverage(),
            version=corpus.version,
            notices=(
                *self._notices,
                *foreign,
                *([_UNREACHABLE.format(number_of(gone, "passage"))] if gone else ()),
            ),
            calls=tuple(found.calls),
            changed=tuple(
                dict.fromkeys(h.chunk.source for h in left if h.stale and not h.unreachable)
            ),
        )

    def read(self, question: str, corpus: CorpusView, history: Sequence[Turn] = ()) -> AskedAs:
        """The reading of a question that counts; see `reading.read`."""
        return read(question, corpus, self._rank, history)

    def found(self, query: str, hits: Sequence[Hit]) -> Iterator[Passage]:
        """What is shown of each hit, numbered: its passage with the likely line as its quotation.

        Of a long passage the part with most words of the query, or the likely line with neighbours
        where that part lacks it: the neighbours alone hold .95 of the answers, whole passages .99.
        """
        encode, scale = comparison(self._encoder, query, hits)
        own = weighed(query, hits, encode, len(hits), scale) if hits else None
        best: dict[int, Candidate] = {}
        if own is not None:
            for at in (-own.scores).argsort(kind="stable").tolist():
                best.setdefault(own.found[at].passage, own.found[at])
        for number, hit in enumerate(hits):
            chunk, one, quote = hit.chunk, best.get(number), ""
            shown, line = snippet(chunk.text, query), chunk.line_start
            if one is not None:
                quote = chunk.text[one.start : one.end]
                line += chunk.text.count("\n", 0, one.start)
                if quote not in shown:
                    every = units(chunk.text, chunk.language)
                    start, end = with_neighbours(chunk.text, every, one.start, one.end)
                    shown = chunk.text[start:end]
            place = number + 1, chunk.source, chunk.page_start, line, line, quote
            cited = Citation(*place, "verified", heading=chunk.heading)
            yield Passage(cited, shown, chunk.line_start, chunk.line_end)

    def _amending(
        self, corpus: CorpusView, asked: str, passages: Sequence[Passage]
    ) -> tuple[Passage, ...]:
        """What documents that change the first one say, however unlikely it answers."""
        shown = [passage.citation.source for passage in passages]
        every = (o for s in shown[:1] for o in corpus.amendments(s) if o not in shown)
        others = frozenset(islice(every, CHANGES_READ))
        if not others:
            return ()
        hits = corpus.search(Query(asked, NAMED_POOL, None, among=others))
        found = AskedAs(asked, hits, (), self._rank(asked, hits, [*others])[:CHANGES_SHOWN])
        changing = _shown(corpus, hits, [*_cited(corpus, found)], ())
        return tuple(
            replace(each, probability=min(each.probability or 0.0, UNSETTLED)) for each in changing
        )

    def _rank(self, asked: str, hits: Sequence[Hit], named: Sequence[str]) -> Sequence[Candidate]:
        core = asked
        for source in named:
            core = without_names(core, source)
        core = _FISCAL.sub("", core) if content_terms(core) else asked
        pool = NAMED_POOL if named else PASSAGES_READ
        encode, scale = comparison(self._encoder, asked, hits)
        own = weighed(core, hits, encode, pool, scale)
        return () if own is None else best_sentences(own)


def _cited(corpus: CorpusView, found: AskedAs) -> Iterator[tuple[Candidate, Citation]]:
    """The sentences that were found, each looked up in its document."""
    for sentence in found.sentences:
        chunk = found.hits[sentence.passage].chunk
        line = chunk.line_start + chunk.text.count("\n", 0, sentence.start)
        yield sentence, check_quotation(corpus, 0, chunk.source, sentence.text, line)


def _shown(
    corpus: CorpusView,
    hits: Sequence[Hit],
    cited: Sequence[tuple[Candidate, Citation]],
    history: Sequence[Turn],
) -> tuple[Passage, ...]:
    """The passages of the sentences that stand, the best word first, but for what adds nothing.

    A passage adds nothing that is far less likely than the likeliest, or stands in another one.
    """
    numbers = Numbers([citation for turn in history for citation in turn.answer.citations])
    stand = [(sentence, citation) for sentence, citation in cited if citation.stands]
    least = ADDS_FROM * max((sentence.probability for sentence, _ in stand), default=0.0)
    found: list[Passage] = []
    for sentence, citation in stand:
        held = (one_line(p.text) for p in found if p.citation.source == citation.source)
        if sentence.probability < least or any(one_line(citation.quote) in text for text in held):
            continue
        language = hits[sentence.passage].chunk.language
        numbered = numbers.numbered(citation)
        passage = passage_of(corpus, numbered, sentence.probability, language)
        most = min(_most(passage), UNSETTLED if corpus.amendments(citation.source) else 1.0)
        found.append(replace(passage, probability=min(sentence.probability, most)))
    return tuple(sorted(found, key=lambda passage: WORDS.index(passage.word)))


def _most(passage: Passage) -> float:
    """The most that a passage is likely to answer: what is struck out does not."""
    return 0.0 if passage.citation.struck else UNSETTLED if passage.citation.state else 1.0


# ---- Passages that say the same of one thing with other values: this year's price list and last's


def _with_ages(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages; of the first and one that contradicts it the newer first, each marked."""
    if not passages:
        return ()
    first, *others = passages
    for other in others:
        edition, its = _editions(first, other)
        if edition != its and _differ(first, other):
            both = (first, other) if edition > its else (other, first)
            surest = max(first.probability or 0.0, other.probability or 0.0)
            if both[0].citation.state and not both[1].citation.state:
                continue  # a draft is no newer edition
            new, old = (replace(each, probability=min(surest, _most(each))) for each in both)
            rest = (each for each in others if each is not other)
            return (replace(new, age="newer"), replace(old, age="older"), *rest)
    return tuple(passages)


def _editions(*both: Passage) -> list[int]:
    """The years in the names of two documents, else their versions; equal where they lack them."""
    for edition, most in ((_A_YEAR, datetime.now(UTC).year), (_A_VERSION, 999)):
        found = [{*map(int, edition.findall(_name(each)))} for each in both]
        if all(len(own) == 1 and max(own) <= most for own in found):
            return [own.pop() for own in found]
    return [0, 0]


def _name(passage: Passage) -> str:
    return file_stem(passage.citation.source).replace("_", " ")


def _differ(*both: Passage) -> bool:
    """Whether two documents say the same in their words, and other figures.

    Of two editions of one name, as their tables may have other columns, half of the words do.
    """
    quotes = [passage.citation.quote for passage in both]
    plain = [{word for word in content_terms(quote) if not has_digit(word)} for quote in quotes]
    named = {_A_VERSION.sub("", _A_YEAR.sub("", _name(passage))) for passage in both}
    same = len(plain[0] & plain[1]) / max(1, min(map(len, plain))) * (3 - len(named))
    values = [{figure.values for figure in figures_of(quote)} for quote in quotes]
    return same >= SAME_FRAME and values[0] != values[1]


# ---- The passage around a quotation: its neighbours, the head of its list, the names of a row

CONTEXT = 400  # characters on either side of a quotation that its neighbours fill at most
BESIDE_ITEM = 240  # the same of an item of a list
REST_OF_LINE = 120  # the same of a line that is shown whole
LONGEST_UNIT = 4  # words above the names of columns: "€ in millions"
LINES_ABOVE, LINES_BELOW = 240, 12  # in which the head of a list or table is looked for
CAPTIONS = 2  # rows of one cell above the names of a sheet's columns: what it is of, its unit
_ENDS = ("head", "page")


def passage_of(
    corpus: CorpusView, citation: Citation, probability: float | None = None, language: str = ""
) -> Passage:
    """The passage around a citation, read from its document.

    The quotation alone where it does not stand, or its document cannot be read.
    """
    if not citation.quote:
        return alone(citation, probability)
    try:
        before, lines, first = _page(corpus, citation)
        top = corpus.read(citation.source, 1, TOP).lines
        heading = corpus.heading(citation.source, citation.line_start)  # as it is now
    except Refused:  # removed since it was quoted
        return alone(citation, probability)
    state = state_of(line.text for line in top if not (line.is_mark or line.hidden))
    citation = replace(citation, heading=heading, state=state)
    text, at = "\n".join(lines), citation.line_start - first
    found = found_again(text, citation.quote, sum(len(line) + 1 for line in lines[:at]))
    if found is None:  # across a page end
        return alone(citation, probability)
    (start, end), citation = found.span(), replace(citation, quote=found[0])
    row = text[start:end].rpartition("\n")[2]
    if is_row(row) or ends_with_figures(row):
        names = _names_above([*before, *lines], len(before) + at, row)
        return alone(replace(citation, above="\n".join(names)), probability)
    is_listed = is_item(text[start:end])
    heads = _heads_above("\n".join([*before, text[:end]])) if is_listed else ()
    start, end = with_neighbours(text, units(text, language), start, end)
    begins, ends = (first + text.count("\n", 0, place) for place in (start, end))
    every = (line for head in heads for line in head.split("\n"))
    above = [line for line in every if line not in text[start:end]]
    unsaid = "\n".join(head for head in heads if head not in citation.quote)
    shown = "\n".join([*above, text[start:end]])
    return Passage(replace(citation, above=unsaid), shown, begins, ends, probability)


def _page(corpus: Readable, citation: Citation) -> tuple[list[str], list[str], int]:
    """Lines before a citation's page in its sheet, those on it, and the number of its first."""
    first = max(1, citation.line_start - LINES_ABOVE)
    count = citation.line_end - first + 1 + LINES_BELOW
    lines = corpus.read(citation.source, first, count).lines
    if len(lines) <= citation.line_end - first:  # a window has a limit, which those above fill
        first = citation.line_start
        lines = corpus.read(citation.source, first, count).lines
    at, last = citation.line_start - first, citation.line_end - first
    marks = [number for number, line in enumerate(lines) if line.is_mark]
    begin = max((mark + 1 for mark in marks if mark < at), default=0)
    end = min((mark for mark in marks if mark > last), default=len(lines))
    part = lines[at].part
    before = [line.text for line in lines[:begin] if line.part == part and not line.is_mark]
    return before, [line.text for line in lines[begin:end]], first + begin


def _names_above(lines: Sequence[str], at: int, row: str) -> Sequence[str]:
    """The lines that say what a row is: names of columns, the unit above them."""
    if is_row(row):
        ruled = [lines[each.header - 1] for each in tables_of(lines) if at + 1 in each.rows]
        rows = [*takewhile(is_row, reversed(lines[:at]))]
        spans = {each: cell_spans(each) for each in rows if each not in ruled}
        section = [
            each for each, own in spans.items() if len(own) > 1 == sum(x < y for x, y in own)
        ]
        captions = [each for each, own in spans.items() if len(own) == 1][:CAPTIONS][::-1]
        first_row = [first for first in rows[-1:] if names_cells(first, row)]
        return [*captions, *ruled, *section[:1]] if ruled else [*first_row, *section[:1]]
    if named := names_above([*lines[:at], row]):
        return named
    # No rule marks the names: the line above all rows.
    first = at - len([*takewhile(ends_with_figures, reversed(lines[:at]))])
    above, names = ["", "", *lines[:first]][-2:]
    is_unit = says_unit(above) and len(above.split()) <= LONGEST_UNIT
    return [*[above] * is_unit, *filter(is_brief, [names])]


def _heads_above(text: str) -> Sequence[str]:
    """The heads of the lists that the last item of a text stands in, from the outermost."""
    *above, last = units(text)
    found, depth, end = list[str](), _indent(text, last), 0  # of the paragraph above the list
    for unit in reversed(above):
        said, indent = text[unit.start : unit.end], _indent(text, unit)
        if unit.kind in _ENDS:
            break
        end = 0 if is_item(said) or unit.kind == "row" else end or unit.end
        if is_item(said):
            if indent < depth or leads_in(said):
                found, depth = [said, *found], min(depth, indent)
        elif leads_in(said) or (
            indent <= depth and (text[: unit.start] or "\n\n").endswith("\n\n")
        ):
            whole = end > unit.end and end - unit.start <= BESIDE_ITEM
            return [text[unit.start : end] if whole else said, *found]
    return found


def _indent(text: str, unit: Unit) -> int:
    """The column in which a unit begins; of one behind another on its line a high one."""
    return unit.start - text.rfind("\n", 0, unit.start) - 1


def with_neighbours(text: str, every: Sequence[Unit], start: int, end: int) -> tuple[int, int]:
    """Start and end with the sentences before and after, up to the next heading."""
    before = [unit for unit in every if unit.end <= start and unit.kind != "property"]
    most = BESIDE_ITEM if is_item(text[start:end]) else CONTEXT
    first, last = start, end
    for unit in reversed(before):
        if unit.kind in _ENDS or start - unit.start > most:
            break
        first = unit.start
    for unit in (unit for unit in every if unit.start >= end):
        if unit.kind in _ENDS or unit.end - end > most:
            break
        last = unit.end
    # Lines are shown whole where little of them is left, items from their sign to their end.
    begins, begun = (text.rfind("\n", 0, place) + 1 for place in (first, last))
    stop = text.find("\n", last)
    stop = len(text) if stop < 0 else stop
    if is_item(text[begins:first]) or first - begins <= REST_OF_LINE:
        first = begins
    if is_item(text[begun:last]) or stop - last <= REST_OF_LINE:
        last = stop
    return first, last
