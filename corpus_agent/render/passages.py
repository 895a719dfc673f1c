"""Renders passages that were found, and windows that were read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from corpus_agent.render.answers import block_lines
from corpus_agent.render.common import SCHEMA_VERSION, place_of
from corpus_agent.render.json_types import ReadResult, Seal, SearchHit, SearchResult
from corpus_agent.render.links import Link, no_link
from corpus_agent.text.naming import called, unambiguous
from corpus_agent.text.sanitize import inert, one_line, visible
from corpus_agent.text.snippet import snippet
from corpus_agent.text.wording import documents_searched, number_of

if TYPE_CHECKING:
    from indexer import Coverage, Hit, Window


def search_object(
    query: str, hits: Sequence[Hit], version: int, seal: Seal, notices: Sequence[str] = ()
) -> SearchResult:
    """The JSON of `search`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": version,
        "query": visible(query),
        "results": [_hit_object(hit, query) for hit in hits],
        "notices": [inert(notice) for notice in notices],
        "seal": seal,
    }


def _hit_object(hit: Hit, query: str) -> SearchHit:
    return {
        "source": unambiguous(hit.chunk.source),
        "heading": one_line(hit.chunk.heading),
        "page": hit.chunk.page_start,
        "line_start": hit.chunk.line_start,
        "line_end": hit.chunk.line_end,
        "score": round(hit.relevance, 4),
        "fused": round(hit.score, 4),
        "cosine": round(hit.cosine, 4),
        "bm25": round(hit.bm25, 4),
        "snippet": visible(snippet(hit.chunk.text, query)),
        "stale": hit.stale,
        "unreachable": hit.unreachable,
    }


def search_lines(
    query: str, hits: Sequence[Hit], coverage: Coverage, link: Link = no_link
) -> Iterator[str]:
    """Hits as text: place, heading, score, and the snippet below; `link` makes links of places."""
    for number, hit in enumerate(hits, start=1):
        chunk = hit.chunk
        stale = "changed since it was indexed" if hit.stale else ""
        stale = "cannot be looked at now" if hit.unreachable else stale
        place = place_of(chunk.source, chunk.line_start, chunk.page_start)
        where = link(place, chunk.source, chunk.page_start)
        about = (where, one_line(inert(chunk.heading)), stale)
        yield f"{number}. {' · '.join(filter(None, about))}"
        yield from block_lines(snippet(chunk.text, query), (0, 0))
        yield ""
    yield f"{number_of(len(hits), 'result')} · {documents_searched(coverage)}"


def explain_lines(hits: Sequence[Hit]) -> Iterator[str]:
    """The parts of each score."""
    yield "\nrank  score   fused  cosine    bm25  source"
    for number, hit in enumerate(hits, start=1):
        scores = f"{hit.relevance:5.3f}   {hit.score:5.3f}  {hit.cosine:6.3f}  {hit.bm25:6.2f}"
        yield f"{number:>4}  {scores}  {called(hit.chunk.source)}"


def read_object(window: Window, version: int, seal: Seal) -> ReadResult:
    """The JSON of `read`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": version,
        "source": unambiguous(window.source),
        "offset": window.offset,
        "lines": [visible(line.text) for line in window.lines],
        "total": window.total,
        "next_offset": window.next_offset,
        "stale": window.stale,
        "seal": seal,
    }


def window_lines(window: Window) -> Iterator[str]:
    """The lines of a document as text."""
    for line in window.lines:
        yield visible(line.text)
