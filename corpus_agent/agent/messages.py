"""A conversation as values, and as the messages of a request. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from corpus_agent.tools.toolbox import SPECS


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; `arguments` as the model wrote them: an object, or text that may not parse."""

    id: str
    name: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the user, or of the program in the user's role."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """A reply of the model: text and tool calls."""

    text: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The result of one tool call."""

    call: Call
    text: str


Message = UserMessage | AssistantMessage | ToolMessage
Sent = dict[str, Any]
"""A message as servers take it."""

# What tokenizers of chat models read as one token with a meaning, also inside a document's text.
_SPECIAL = re.compile(
    r"<(?=[|｜]|/?(?:s|bos|eos|pad|unk|think|tool_call|tool_response|start_of_turn|end_of_turn)>"
    r"|<SYS>>|</SYS>>|unused\d)"
    r"|\[(?=/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT)\])",
    re.IGNORECASE,
)
_JOINER = "\u200d"  # hidden: `visible` takes it out of what a model copies


def unspecial(text: str) -> str:
    """`text` in which no tokenizer finds a token of a chat template."""
    return _SPECIAL.sub(lambda found: found[0] + _JOINER, text)


def sent(system: str, entries: Iterable[Message]) -> list[Sent]:
    """The messages of a request."""
    return [{"role": "system", "content": system}, *map(_sent, entries)]


def _sent(entry: Message) -> Sent:
    text = unspecial(entry.text)
    if isinstance(entry, UserMessage):
        return {"role": "user", "content": text}
    if isinstance(entry, ToolMessage):
        return {"role": "tool", "tool_call_id": entry.call.id, "content": text}
    if not entry.calls:
        return {"role": "assistant", "content": text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": _sendable(call.arguments)},
        }
        for call in entry.calls
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": calls}


def _sendable(arguments: Mapping[str, Any] | str) -> str:
    """The arguments as JSON that a server can parse: chat templates fail on broken JSON."""
    if isinstance(arguments, str):
        try:
            json.loads(arguments)
        except (ValueError, RecursionError):
            return json.dumps({"arguments": arguments})
        return unspecial(arguments)
    return unspecial(json.dumps(dict(arguments)))


def tool_definitions() -> list[Sent]:
    """The two tools as a request offers them, without the examples of their arguments."""
    offered = []
    for spec in SPECS:
        properties = {
            name: {key: value for key, value in entry.items() if key != "examples"}
            for name, entry in spec.schema["properties"].items()
        }
        function = {"name": spec.name, "description": spec.description}
        parameters = {**spec.schema, "properties": properties}
        offered.append({"type": "function", "function": {**function, "parameters": parameters}})
    return offered
