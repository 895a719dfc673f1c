"""Renders passages that were found, and windows that were read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from corpus_agent.render.answers import block_lines
from corpus_agent.render.common import SCHEMA_VERSION, place_of, taken
from corpus_agent.text.naming import called, unambiguous
from corpus_agent.text.sanitize import inert, one_line, visible
from corpus_agent.text.snippet import snippet
from corpus_agent.text.wording import documents_searched, number_of

# Of the score of the best. Chosen on the sample's 42 questions, of which none lost its passage; 2.7
# of 5 hits are left.
FAR = 0.25

if TYPE_CHECKING:
    from corpus_agent.render.common import Object, Seal
    from indexer import Coverage, Hit, Window


def search_object(
    query: str, hits: Sequence[Hit], version: int, seal: Seal, notices: Sequence[str] = ()
) -> Object:
    """The JSON of `search`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": version,
        "query": visible(query),
        "results": [_hit_object(hit, query) for hit in hits],
        "notices": [inert(notice) for notice in notices],
        "seal": seal,
    }


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
    coverage: Coverage,
    *,
    near_only: bool = False,
) -> Iterator[str]:
    """Hits as text: place, heading, and the snippet below.

    With `near_only` it ends before the first that is far from the best.
    """
    shown = near(hits) if near_only else len(hits)
    for number, hit in enumerate(hits[:shown], start=1):
        chunk = hit.chunk
        stale = "changed since it was indexed" if hit.stale else ""
        stale = "cannot be looked at now" if hit.unreachable else stale
        where = place_of(chunk.source, chunk.line_start, chunk.page_start)
        about = (where, one_line(inert(chunk.heading)), stale)
        yield f"{number}. {' · '.join(filter(None, about))}"
        yield from block_lines(snippet(chunk.text, query), (0, 0))
        yield ""
    found = number_of(len(hits), "result")
    if shown < len(hits):
        found = f"{shown} of {found} shown, the others are far: -k {len(hits)}"
    yield f"{found} · {documents_searched(coverage)}"


def near(hits: Sequence[Hit]) -> int:
    """How many of the hits come before a clear gap: before one that is far from the best."""
    best = hits[0].relevance if hits else 0.0
    far = (number for number, hit in enumerate(hits) if hit.relevance < FAR * best)
    return next(far, len(hits))


def explain_lines(hits: Sequence[Hit]) -> Iterator[str]:
    """The parts of each score."""
    yield "\nrank  score   fused  cosine    bm25  source"
    for number, hit in enumerate(hits, start=1):
        scores = f"{hit.relevance:5.3f}   {hit.score:5.3f}  {hit.cosine:6.3f}  {hit.bm25:6.2f}"
        yield f"{number:>4}  {scores}  {called(hit.chunk.source)}"


def read_object(window: Window, version: int, seal: Seal) -> Object:
    """The JSON of `read`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": version,
        "source": unambiguous(window.source),
        "lines": [visible(line.text) for line in window.lines],
        **taken(window, "offset total next_offset stale"),
        "seal": seal,
    }


def window_lines(window: Window) -> Iterator[str]:
    """The lines of a document as text."""
    for line in window.lines:
        yield visible(line.text)
