"""The result of a tool, and the record of its call in an answer and its receipt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from indexer import Chunk

if TYPE_CHECKING:
    from indexer import Hit, Window

Outcome = Literal["ok", "error", "repeated"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The text for the model, the outcome of the call, its passages, and the index version it read.

    `repeated`: the text only refers to an earlier result. `code` is why a call failed.
    """

    text: str
    outcome: Outcome = "ok"
    hits: tuple[Hit, ...] = ()
    window: Window | None = None
    version: int | None = None
    code: str = ""

    @property
    def failed(self) -> bool:
        """Whether the text is an error message."""
        return self.outcome == "error"

    @property
    def passages(self) -> tuple[Chunk, ...]:
        """The passages in the text: those of the hits, or the lines that were read."""
        if self.window is None:
            return tuple(hit.chunk for hit in self.hits)
        text = "\n".join(line.text for line in self.window.lines)
        return (passage(self.window.source, self.window.offset, text),)


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
