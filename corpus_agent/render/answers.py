"""Answers, hits and windows as JSON, on a screen and as Markdown; a passage is one block in all.

All text is from documents and models: it is cleaned here, and nothing in it is mark-up or a link.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import inf
from typing import TYPE_CHECKING
from urllib.parse import quote as quote_url

from corpus_agent.render.common import (
    AGES,
    advised,
    as_object,
    documents_searched,
    in_answer,
    place_of,
    plain,
    qualified,
    since_indexed,
    taken,
    under,
)
from corpus_agent.text.naming import EXTRACTIVE, Breaking, answerer, called, unambiguous
from corpus_agent.text.sanitize import enclosed, inert, message, one_line, unlinked, visible
from corpus_agent.text.tables import ends_with_figures, is_row
from corpus_agent.text.wording import UNREAD_FILES, lacks, number_of
from corpus_agent.tools.search import lacking_words, missing, snippet

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answer, Citation, Passage
    from corpus_agent.render.common import Object
    from indexer import Coverage, Hit, Window


ANSWER_SCHEMA_VERSION = 2
# Of the score of the best. Chosen on the sample's 42 questions, of which none lost its passage; 2.7
# of 5 hits are left.
FAR = 0.25
LEAST = 0.02  # the score of a hit that is near in meaning, though the words asked for are in none
WIDTH = 96  # characters of a line of a passage
MARK = "  ▸ "
# An empty line, an item, a heading, a row: what continues no line before it.
_BEGINS = re.compile(r"\s*($|[-*•#>|`]|\(?\w{1,3}[.)]\s|\s{8})")
_ADDRESS = re.compile(r"< (?=[\w.+-]{1,64}@[\w.-]{1,255}>)")  # an e-mail address is no mark-up
_PLAIN = " ,;'\n"  # beside letters, digits and _.-~, which are never escaped

Style = Callable[[str, bool], str] | None  # of a line of a passage, and whether it is likely


@dataclass(frozen=True, slots=True)
class Sheet:
    """What an answer is written on: how names are broken and the words of others set apart.

    `apart` is for lines of theirs, `within` for words in a line of the program's, `placed` for the
    place of a passage, `said` for a line of the program's. With `again` names are unambiguous
    already; all passages together have `most` tokens.
    """

    breaking: Breaking = inert
    apart: Callable[[Iterable[str]], Iterable[str]] = lambda lines: lines
    within: Callable[[str], str] = lambda words: one_line(inert(words))
    placed: Callable[[str], str] = str
    said: Callable[[str], str] = lambda line: line
    style: Style = None
    again: bool = False
    most: float = inf


SCREEN = Sheet()
# A quoted block, so that no heading, rule or open fence in it imitates or swallows what is around.
MARKDOWN = Sheet(
    unlinked,
    lambda lines: (f"> {unlinked(line)}".rstrip() for line in lines),
    lambda words: one_line(unlinked(words)),
    said=message,
)


# ---- The block of a passage


def block(text: str, likely: tuple[int, int]) -> Iterator[tuple[str, bool]]:
    """The lines of a passage, wrapped, each with whether it is a likely one; no empty line."""
    start, end = _of_whole_lines(text, *likely) if likely[0] < likely[1] else (0, 0)
    rest = text[end:].lstrip(" ")  # behind a marked sentence of a long line
    for piece, marked in ((text[:start], False), (text[start:end], True), (rest, False)):
        lines = _ADDRESS.sub("<", inert(piece)).split("\n")
        yield from ((line, marked) for line in _flowing(lines))


def _flowing(lines: Iterable[str]) -> Iterator[str]:
    """Lines that fit a screen, none empty; what is left of a longer one begins the next line."""
    left = ""
    for line in lines:
        if left and (_BEGINS.match(line) or left.endswith((".", ":", ";", "!", "?"))):
            yield left
            left = ""
        if line[:1] in (" ", "\xa0") and line[1:2].strip():  # one blank of a page is no indent
            line = line[1:]
        *whole, left = _wrapped(f"{left} {line.strip()}" if left else line.rstrip())
        yield from whole
        if not whole and left.strip():
            yield left
        left = left if whole else ""
    if left:
        yield left


def _of_whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The likely characters to the ends of their lines; a line that is wrapped is parted."""
    first = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    last = text.rfind("\n", start, end) + 1 or first
    start = start if text.find("\n", start, end) < 0 and stop - first > WIDTH else first
    return start, end if stop - max(last, first) > WIDTH else stop


def _wrapped(line: str) -> list[str]:
    """A line in pieces that fit a screen; a row of a table stays whole."""
    if len(line) <= WIDTH or is_row(line) or ends_with_figures(line):
        return [line.strip() if len(line) > WIDTH else line]
    indent = line[: len(line) - len(line.lstrip())][:8]
    line = line.strip().replace("\xa0", " ")  # at which no line would be parted
    return textwrap.wrap(line, WIDTH, initial_indent=indent, subsequent_indent=indent)


def block_lines(text: str, likely: tuple[int, int], style: Style = None) -> Iterator[str]:
    """The lines of a passage as text, the likely ones marked."""
    for line, marked in block(text, likely):
        shown = f"{MARK if marked else ' ' * len(MARK)}{line}"
        yield style(shown, marked) if style else shown


def headed(passage: Passage, sheet: Sheet = SCREEN) -> str:
    """The place of a passage, what it stands under and what qualifies it."""
    where = sheet.placed(place_of(passage.citation, sheet.breaking, again=sheet.again))
    return " · ".join(filter(None, (where, about(passage, sheet))))


def about(passage: Passage, sheet: Sheet = SCREEN) -> str:
    """What a passage stands under, which of two that differ it is, what qualifies it."""
    citation, age = passage.citation, AGES.get(passage.age)
    heading = under(citation.heading, citation.source)
    state = citation.state and f"at its top: {sheet.within(enclosed(citation.state))}"
    parts = heading and sheet.within(heading), age, state, qualified(citation)
    return " · ".join(filter(None, parts))


# ---- The screen, and what is like it


def answer_lines(answer: Answer, sheet: Sheet = SCREEN) -> Iterator[str]:
    """An answer as text: what a model says, the passages, the footer."""
    yield from _body(answer, sheet)
    yield from answer_foot_lines(answer, sheet)


def _body(answer: Answer, sheet: Sheet) -> Iterator[str]:
    """What a model says, and the passages."""
    if answer.text:
        yield from sheet.apart((sheet.breaking or inert)(answer.text).splitlines())
        yield ""
    elif answer.passages and not answer.is_outright:
        yield "No passage clearly answers this. The nearest:"
        yield ""
    spent = 0
    for number, passage in enumerate(answer.shown):
        label = f"[{passage.citation.n}] " if answer.text else f"{passage.word:<9}"
        drawn = [*_passage_lines(label, passage, sheet)]
        spent += tokens_at_most("\n".join(drawn)) if sheet.most < inf else 0
        if spent > sheet.most:
            left = len(answer.shown) - number
            yield f"{number_of(left, 'more passage is', 'more passages are')} not shown."
            return
        yield from drawn


def _passage_lines(label: str, passage: Passage, sheet: Sheet) -> Iterator[str]:
    """A passage as text: its place with a label before it, its lines, an empty line."""
    yield f"{label}{headed(passage, sheet)}"
    yield from sheet.apart(block_lines(passage.text, passage.likely, sheet.style))
    yield ""


def answer_foot_lines(answer: Answer, sheet: Sheet = SCREEN) -> Iterator[str]:
    """What qualifies an answer: its notices, where it went, who answered, what was searched."""
    lines = [f"Note: {advised(one_line(inert(notice)))}" for notice in answer.notices]
    lines += [f"egress: {one_line(answer.egress)}"] if answer.egress else []
    lines += since_indexed(answer.changed, sheet.breaking, again=sheet.again)
    yield from map(sheet.said, [*lines, *filter(None, [" · ".join(_foot(answer, sheet))])])


def _foot(answer: Answer, sheet: Sheet) -> Iterator[str]:
    """The model, if one was asked; what was searched, or that nothing there is about this."""
    coverage, server = answer.coverage, answer.model_server
    if answer.answerer != EXTRACTIVE:
        name = answerer(answer.answerer, sheet.breaking or inert)
        yield f"{answer.status} · {name}" if answer.text else f"{name}: nothing found"
    if server is not None and server.owner is not None:
        yield f"server {one_line(server.address)} of {one_line(server.owner)}"
    lacking = lacks(coverage)
    if answer.passages or answer.text:
        yield documents_searched(coverage)
    elif (coverage.searched or lacking) and not answer.changed:  # else a line above says why
        unread = f" ({lacking}: {advised(UNREAD_FILES)})" if lacking else ""
        yield f"Nothing in the {number_of(coverage.searched, 'document')} is about this.{unread}"


# ---- JSON


def answer_object(answer: Answer) -> Object:
    """The JSON of `ask`."""
    by = in_answer(answer.answerer)
    return {
        "schema_version": ANSWER_SCHEMA_VERSION,
        "question": visible(answer.question),
        **taken(answer, "status probability"),
        "answer": inert(answer.text) or None,
        "passages": [_passage_object(passage) for passage in answer.passages],
        "answerer": by,
        "model": None if answer.answerer == EXTRACTIVE else by,
        "egress": answer.egress,
        **taken(answer, "model_server unsupported changed coverage notices version"),
    }


def _passage_object(passage: Passage) -> Object:
    citation = passage.citation
    return {
        **taken(citation, "source page heading"),
        **taken(passage, "line_start line_end word age text probability"),
        "likely": [citation.line_start, citation.line_end],
        "citation": citation_object(citation),
    }


def citation_object(citation: Citation) -> Object:
    """One citation, of a passage or of a value."""
    return {**plain(citation), **raw_words(citation.quote)}


def raw_words(quote: str) -> Object:
    """The words as they stand in the document, for a program that looks for them there."""
    if inert(quote) == quote:
        return {"raw": quote, "raw_encoded": False}
    # A dot is never escaped by itself, and "www." is an address to some viewers.
    return {"raw": quote_url(quote, safe=_PLAIN).replace(".", "%2E"), "raw_encoded": True}


# ---- Passages that were found, windows that were read


def search_object(
    query: str, hits: Sequence[Hit], version: int, notices: Sequence[str] = ()
) -> Object:
    """The JSON of `search`."""
    return as_object(
        version=version,
        query=visible(query),
        results=[_hit_object(hit, query) for hit in hits],
        missing=plain(missing(query, hits), "quote"),
        notices=plain(notices),
    )


def _hit_object(hit: Hit, query: str) -> Object:
    scores = {"score": hit.relevance, "fused": hit.score, "cosine": hit.cosine, "bm25": hit.bm25}
    return {
        "source": unambiguous(hit.chunk.source),
        "heading": one_line(hit.chunk.heading),
        "page": hit.chunk.page_start,
        **taken(hit.chunk, "line_start line_end"),
        **{name: round(value, 4) for name, value in scores.items()},
        "snippet": visible(snippet(hit.chunk.text, query)),
        **taken(hit, "stale unreachable"),
    }


def search_lines(
    query: str,
    hits: Sequence[Hit],
    passages: Iterable[Passage],
    coverage: Coverage,
    *,
    near_only: bool = False,
    sheet: Sheet = SCREEN,
) -> Iterator[str]:
    """Hits as text, each as a numbered passage; first, that none has the words asked for."""
    shown = near(query, hits) if near_only else len(hits)
    if lacking := lacking_words(query, hits):
        yield f"{lacking}{'. The nearest:' if shown else ', and none is near.'}"
        yield ""
    for passage in islice(passages, shown):
        yield from _passage_lines(f"{passage.citation.n}. ", passage, sheet)
    found = number_of(len(hits), "result")
    if shown < len(hits):
        far = f"{shown} of {found} shown, the rest fits far less" if shown else "Nothing shown"
        found = f"{far} (to see all: -k {len(hits)})"
    changed = dict.fromkeys(h.chunk.source for h in hits[:shown] if h.stale and not h.unreachable)
    yield from since_indexed([*changed])
    yield f"{found} · {documents_searched(coverage)}"


def near(query: str, hits: Sequence[Hit]) -> int:
    """How many of the hits come before a clear gap: before one that is far from the best.

    Where none has the words asked for, those alone that are near in meaning.
    """
    best = hits[0].relevance if hits else 0.0
    least = max(FAR * best, LEAST if missing(query, hits) else 0.0)
    far = (number for number, hit in enumerate(hits) if hit.relevance < least)
    return next(far, len(hits))


def explain_lines(hits: Sequence[Hit]) -> Iterator[str]:
    """The parts of each score."""
    yield "\nrank  score   fused  cosine    bm25  source"
    for number, hit in enumerate(hits, start=1):
        scores = f"{hit.relevance:5.3f}   {hit.score:5.3f}  {hit.cosine:6.3f}  {hit.bm25:6.2f}"
        yield f"{number:>4}  {scores}  {called(hit.chunk.source)}"


def read_object(window: Window, version: int) -> Object:
    """The JSON of `read`."""
    return as_object(
        version=version,
        source=unambiguous(window.source),
        lines=[visible(line.text) for line in window.lines],
        **taken(window, "offset total next_offset stale"),
    )


def export_markdown(answers: Iterable[Answer]) -> str:
    """Answers as Markdown, each below its question."""
    return "\n".join(chain.from_iterable(map(_markdown, answers))) + "\n"


def _markdown(answer: Answer) -> Iterator[str]:
    """An answer's question and status, then what a screen shows."""
    yield f"# {one_line(unlinked(answer.question))}\n"
    yield f"*{answer.status.replace('_', ' ')}*\n"
    yield from _body(answer, MARKDOWN)
    yield from (f"{line}\n" for line in answer_foot_lines(answer, MARKDOWN))


_NOT_PLAIN = re.compile(r"[^A-Za-z \t\n]")


def tokens_at_most(text: str) -> int:
    """An upper bound on the tokens of a text for any current model.

    One token per three letters or blanks, one per other ASCII character, and one per two bytes of
    the rest: more than vocabularies of 100,000 and more entries need for any script.
    """
    every = len(text.encode("utf-8", "replace"))
    plain = len(_NOT_PLAIN.sub("", text))
    others = len(text.encode("ascii", "ignore")) - plain
    return -(-plain // 3) + others + -(-(every - plain - others) // 2)
