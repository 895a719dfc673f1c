"""What a tool call leaves behind: the record of it that an answer and its receipt hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One use of a tool on the way to an answer: `arguments` as JSON, `result` as its SHA-256.

    `characters` is the length of the result; `repeated` that it was only said to be known.
    """

    name: str
    arguments: str
    result: str
    characters: int
    outcome: Literal["ok", "error", "repeated"] = "ok"
