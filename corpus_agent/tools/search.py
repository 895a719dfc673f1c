"""vectordb_search: renders the hits of a search for the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpus_agent.text.delimiters import Frame, label
from corpus_agent.text.naming import called
from corpus_agent.text.snippet import snippet
from corpus_agent.text.wording import number_of, searched
from corpus_agent.tools.corpus import ToolResult, failure
from indexer import Chunk, Coverage, Hit, Query, Refused

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView

NAME = "vectordb_search"
HITS = 5
PER_SOURCE = 2
POOL = 50  # hits among which those of one document are looked for
MAX_SHOWN_QUERY = 200  # characters


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
    return ToolResult(text, hits=tuple(hits), version=corpus.version)


def render(frame: Frame, coverage: Coverage, query: str, hits: Sequence[Hit]) -> str:
    """The header line and the numbered hits; without hits, what to try."""
    asked = frame.line(query)
    if len(asked) > MAX_SHOWN_QUERY:
        asked = frame.line(f"{asked[:MAX_SHOWN_QUERY]}…")
    found = number_of(len(hits), "result") if hits else "No results"
    header = f'{found} for "{asked}" in {searched(coverage)}'
    if not hits:
        return f"{header}. Search again with other words: a synonym, a name, a number."
    return "\n".join([header, *(_hit(frame, n, hit, query) for n, hit in enumerate(hits, 1))])


def _hit(frame: Frame, n: int, hit: Hit, query: str) -> str:
    chunk = hit.chunk
    place = [
        called(chunk.source, frame.breaking),
        *_pages(chunk),
        _lines(chunk),
        f"score {hit.relevance:.2f}",
    ]
    if hit.unreachable:
        place.append("file cannot be looked at now, this is its text as it was")
    elif hit.stale:
        place.append("file changed after it was indexed")
    heading = [f"under {frame.wrap(label(chunk.heading))}"] if chunk.heading else []
    text = frame.wrap(snippet(chunk.text, query))
    return "\n".join([f"{n}. {' · '.join(place)}", *heading, text])


def _pages(chunk: Chunk) -> list[str]:
    if chunk.page_start is None:
        return []
    return [_range("page", chunk.page_start, chunk.page_end or chunk.page_start)]


def _lines(chunk: Chunk) -> str:
    return _range("line", chunk.line_start, chunk.line_end)


def _range(noun: str, start: int, end: int) -> str:
    return f"{noun} {start}" if start == end else f"{noun}s {start}-{end}"
