"""vectordb_read: renders a window of a document for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus_agent.text.naming import framed
from corpus_agent.tools.corpus import ToolResult, failure, passage
from indexer import MAX_WINDOW_BYTES, MAX_WINDOW_LINES, Refused, Window, narrowed

if TYPE_CHECKING:
    from corpus_agent.text.delimiters import Frame
    from corpus_agent.tools.corpus import CorpusView

NAME = "vectordb_read"


def run(
    corpus: CorpusView,
    frame: Frame,
    source: str,
    offset: int = 1,
    limit: int = MAX_WINDOW_LINES,
    max_bytes: int = MAX_WINDOW_BYTES,
) -> ToolResult:
    """The window and its text, or the error: at most `max_bytes`, at least one line."""
    try:
        window = corpus.read(source, offset, limit)
    except Refused as refused:
        return failure(frame.error(str(refused)), corpus.version, code=refused.code)
    if max_bytes < MAX_WINDOW_BYTES and window.lines:
        window = narrowed(window, max_bytes)
    shown = passage(source, window.offset, "\n".join(line.text for line in window.lines))
    return ToolResult(render(frame, window), passages=(shown,), version=corpus.version)


def render(frame: Frame, window: Window) -> str:
    """The lines between delimiters, after a remark if they are stale and before what remains."""
    parts = []
    if window.stale:
        name = framed(window.source, frame)
        parts.append(f"Note: {name} changed after it was indexed; this is its text today.")
    parts.append(frame.wrap("\n".join(line.text for line in window.lines)))
    last = window.offset + len(window.lines) - 1
    if window.next_offset is None:
        parts.append(f"This is the end of the document ({_lines(window.total)}).")
    else:
        parts.append(
            f"These are lines {window.offset}-{last} of {window.total}. "
            f"Use offset={window.next_offset} to continue"
        )
    return "\n".join(parts)


def _lines(number: int) -> str:
    return "1 line" if number == 1 else f"{number} lines"
