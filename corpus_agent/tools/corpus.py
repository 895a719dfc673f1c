"""What tools ask of a corpus, an index or documents in memory, and what they return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from indexer import MAX_WINDOW_LINES, Chunk, Coverage, Hit, Query, Window


class Readable(Protocol):
    """Documents that can be read: all of an index, or one that was read already."""

    def read(self, source: str, offset: int = 1, limit: int = MAX_WINDOW_LINES) -> Window:
        """A window of a document that is in the index."""
        ...


class CorpusView(Readable, Protocol):
    """A read-only view of one version of an index."""

    @property
    def version(self) -> int:
        """The index version that all calls of this object read."""
        ...

    def coverage(self) -> Coverage:
        """The numbers of files that are indexed, empty, failed and skipped."""
        ...

    def heading(self, source: str, line: int) -> str:
        """What a line stands under, from the highest: "Notice > Tenant"; "" for nothing."""
        ...

    def search(self, query: Query) -> list[Hit]:
        """Hits, best first; ties by source and ordinal."""
        ...

    def amendments(self, source: str) -> list[str]:
        """The documents that are named as changes of another."""
        ...


Outcome = Literal["ok", "error", "repeated"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The text for the model, the outcome of the call, its passages, and the index version it read.

    `repeated`: the text only refers to an earlier result. `code` is why a call failed.
    """

    text: str
    outcome: Outcome = "ok"
    passages: tuple[Chunk, ...] = ()
    version: int | None = None
    code: str = ""

    @property
    def failed(self) -> bool:
        """Whether the text is an error message."""
        return self.outcome == "error"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call behind an answer: `arguments` as JSON, `result` as its SHA-256."""

    name: str
    arguments: str
    result: str
    characters: int
    outcome: Outcome = "ok"


def failure(text: str, version: int | None = None, *, code: str) -> ToolResult:
    """The result of a call that failed; `text` has the reason, and what to do instead."""
    return ToolResult(f"Error: {text}", "error", version=version, code=code)


def passage(source: str, line: int, text: str) -> Chunk:
    """Text of a document from `line` on (1-based), as a passage that was not found by a search."""
    return Chunk(source, 0, text, "", line, line + text.count("\n"))
