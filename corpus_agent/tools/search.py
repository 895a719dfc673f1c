"""vectordb_search: renders the hits of a search for the model, each with its best part."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpus_agent.text.delimiters import Frame, label
from corpus_agent.text.naming import framed
from corpus_agent.text.sanitize import enclosed
from corpus_agent.text.tokens import same_word, terms
from corpus_agent.text.wording import number_of, searched
from corpus_agent.tools.corpus import ToolResult, failure
from indexer import Coverage, Hit, Query, Refused, unheld

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView

NAME = "vectordb_search"
HITS = 5
PER_SOURCE = 2
POOL = 50  # hits among which those of one document are looked for
MAX_SHOWN_QUERY = 200  # characters
A_FEW = 3  # words, that somebody looks for rather than asks with


def run(
    corpus: CorpusView, frame: Frame, query: str, limit: int = HITS, about: str | None = None
) -> ToolResult:
    """The hits and their text, or the error; those of the document `about` come first."""
    try:
        hits = corpus.search(Query(query, limit))
        if about is not None:
            pool = corpus.search(Query(query, POOL, None))
            its = [hit for hit in pool if hit.chunk.source == about][:PER_SOURCE]
            hits = [*its, *(hit for hit in hits if hit not in its)][:limit]
    except Refused as refused:
        return failure(frame.error(str(refused)), corpus.version, code=refused.code)
    text = render(frame, corpus.coverage(), query, hits)
    return ToolResult(text, passages=tuple(hit.chunk for hit in hits), version=corpus.version)


def render(frame: Frame, coverage: Coverage, query: str, hits: Sequence[Hit]) -> str:
    """The header line and the numbered hits; without hits, what to try."""
    asked = frame.line(query)
    if len(asked) > MAX_SHOWN_QUERY:
        asked = frame.line(f"{asked[:MAX_SHOWN_QUERY]}…")
    found = number_of(len(hits), "result") if hits else "No results"
    header = f'{found} for "{asked}" in {searched(coverage)}'
    if not hits:
        return f"{header}. Search again with other words: a synonym, a name, a number."
    lacking = (
        [frame.line(f"{said}. These are the nearest.")]
        if (said := lacking_words(query, hits))
        else []
    )
    shown = (_hit(frame, n, hit, query) for n, hit in enumerate(hits, 1))
    return "\n".join([header, *lacking, *shown])


def missing(query: str, hits: Sequence[Hit]) -> list[str]:
    """What stands between quotation marks in a query, where no hit has all of it."""
    return unheld(query, hits[0].chunk.text if hits else "")


def lacking_words(query: str, hits: Sequence[Hit]) -> str:
    """That no hit has the words between quotation marks, or any of a few; "" where one has."""
    none = [query] * (len(query.split()) <= A_FEW and not any(hit.bm25 for hit in hits))
    words = " and ".join(map(enclosed, missing(query, hits) or none))
    return words and f"No passage was found with {words}"


def _hit(frame: Frame, n: int, hit: Hit, query: str) -> str:
    chunk = hit.chunk
    first = chunk.page_start
    place = [
        framed(chunk.source, frame),
        *([] if first is None else [_range("page", first, chunk.page_end or first)]),
        _range("line", chunk.line_start, chunk.line_end),
        f"score {hit.relevance:.2f}",
    ]
    if hit.unreachable:
        place.append("file cannot be looked at now, this is its text as it was")
    elif hit.stale:
        place.append("file changed after it was indexed")
    heading = [f"under {frame.wrap(label(chunk.heading))}"] if chunk.heading else []
    text = frame.wrap(snippet(chunk.text, query))
    return "\n".join([f"{n}. {' · '.join(place)}", *heading, text])


def _range(noun: str, start: int, end: int) -> str:
    return f"{noun} {start}" if start == end else f"{noun}s {start}-{end}"


# ---- The part of a passage that is most relevant to a query: whole sentences, as many as fit

SNIPPET_CHARACTERS = 800
_ELLIPSIS = "…"
_UNIT = re.compile(
    r"[^\n]*?(?:[.!?…]+[\"'”’)\]]*(?=\s)|[。！？｡]+[」』”’）]*|।|\n|\Z)[ \t]*\n?", re.DOTALL
)


def snippet(text: str, query: str, limit: int = SNIPPET_CHARACTERS) -> str:
    """The window of `text` with the most of the query's words, at most `limit` characters.

    The whole text where it fits; else whole sentences or lines, with "…" where text was left out.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    start, end = _best_window(text, set(terms(query)), limit - 2 * (len(_ELLIPSIS) + 1))
    found = text[start:end]
    before = f"{_ELLIPSIS} " if start > 0 else ""
    after = f" {_ELLIPSIS}" if end < len(text) else ""
    return f"{before}{found.strip()}{after}"


def _best_window(text: str, wanted: set[str], limit: int) -> tuple[int, int]:
    """The consecutive pieces in which the distinct wanted words weigh most, half-open.

    A word weighs more the fewer pieces it is in; of equals those whose words are in their middle.
    """
    pieces = [
        piece
        for unit in _UNIT.finditer(text)
        for piece in _pieces(text, unit.start(), unit.end(), max(1, limit // 2))
    ]
    held = [_held(text[start:end], wanted) for start, end in pieces]
    spread = Counter(word for words in held for word in words)
    weights = {word: math.log1p(len(pieces) / count) for word, count in spread.items()}
    best, found, last = (-1.0, 0.0), (0, 0), 0
    for first, (start, _) in enumerate(pieces):
        last = max(last, first + 1)
        while last < len(pieces) and pieces[last][1] - start <= limit:
            last += 1
        end = pieces[last - 1][1]
        weight = sum(weights[word] for word in set().union(*held[first:last]))
        middles = [sum(pieces[n]) / 2 for n in range(first, last) for _ in held[n]]
        middle = sum(middles) / len(middles) if middles else start
        merit = (round(weight, 6), -abs(middle - (start + end) / 2) if middles else 0.0)
        if merit > best:
            best, found = merit, (start, end)
        if last == len(pieces):
            break  # what follows is only a part of this window
    return found


def _held(text: str, wanted: set[str]) -> set[str]:
    """The wanted words that a text has in any form."""
    there = set(terms(text))
    return {word for word in wanted if any(same_word(word, other) for other in there)}


def _pieces(text: str, start: int, end: int, size: int) -> list[tuple[int, int]]:
    """The range cut after white space where there is some, never before a combining mark."""
    pieces = []
    while end - start > size:
        cut = max(text.rfind(" ", start, start + size), text.rfind("\t", start, start + size)) + 1
        if cut <= start:
            cut = start + size
            while cut > start + 1 and unicodedata.category(text[cut]).startswith("M"):
                cut -= 1
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, end)] if end > start else pieces
