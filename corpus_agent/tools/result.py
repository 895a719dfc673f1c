"""What a tool hands back, and the record of the call that an answer and its receipt hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from indexer import Chunk

if TYPE_CHECKING:
    from indexer import Hit, Window

Outcome = Literal["ok", "error", "repeated"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The text for the model, what became of the call, and the passages that the text shows.

    `repeated` means that the text only refers to an earlier result. `version` is that of the index
    that the text was made from, None where no index was asked.
    """

    text: str
    outcome: Outcome = "ok"
    hits: tuple[Hit, ...] = ()
    window: Window | None = None
    version: int | None = None

    @property
    def failed(self) -> bool:
        """Whether the text says what went wrong and what to do."""
        return self.outcome == "error"

    @property
    def passages(self) -> tuple[Chunk, ...]:
        """The passages that the text shows: those of the hits, or the lines that were read."""
        if self.window is None:
            return tuple(hit.chunk for hit in self.hits)
        text = "\n".join(line.text for line in self.window.lines)
        return (passage(self.window.source, self.window.offset, text),)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One use of a tool on the way to an answer: `arguments` as JSON, `result` as its SHA-256.

    `characters` is the length of the result; `repeated` that it was only said to be known.
    """

    name: str
    arguments: str
    result: str
    characters: int
    outcome: Outcome = "ok"


def failure(text: str, version: int | None = None) -> ToolResult:
    """The result of a call that failed; `text` says why, and what to do instead."""
    return ToolResult(f"Error: {text}", "error", version=version)


def passage(source: str, line: int, text: str) -> Chunk:
    """Text of a document from `line` on (1-based), as a passage that no search has found."""
    return Chunk(source, 0, text, "", line, line + text.count("\n"))
