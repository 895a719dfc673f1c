"""A conversation as values, and as the messages of a request. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
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

PLAIN_TOOLS = """

To call a tool, write one line and nothing after it; the result will be given to you:
<tool_call>{"name": "vectordb_search", "arguments": {"query": "sourdough temperature"}}</tool_call>
"""
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


def native(system: str, entries: Iterable[Message]) -> list[Sent]:
    """The messages for a server that supports tools."""
    return [{"role": "system", "content": system}, *map(_sent, entries)]


def plain(system: str, entries: Sequence[Message], question: str) -> list[Sent]:
    """The messages for a server or a chat template without tools: user and model alternate.

    The tools are described in text, calls and results are text, and the question is repeated after
    a result: a small model answers what it read last.
    """
    described = "\n\n".join(f"{spec.name}: {spec.description}" for spec in SPECS)
    messages = [{"role": "system", "content": f"{system}\n\n{described}{PLAIN_TOOLS}"}]
    if entries and isinstance(entries[-1], ToolMessage):
        entries = [*entries, UserMessage(f"The question was: {question}")]
    for entry in entries:
        role = "assistant" if isinstance(entry, AssistantMessage) else "user"
        if messages[-1]["role"] == role:
            messages[-1]["content"] += f"\n\n{_as_text(entry)}"
        else:
            messages.append({"role": role, "content": _as_text(entry)})
    return messages


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


def _as_text(entry: Message) -> str:
    text = unspecial(entry.text)
    if isinstance(entry, ToolMessage):
        return f"Result of {entry.call.name}:\n{text}"
    calls = entry.calls if isinstance(entry, AssistantMessage) else ()
    written = [f"<tool_call>{_written(call)}</tool_call>" for call in calls]
    return "\n".join([*([text] if text else []), *written])


def _written(call: Call) -> str:
    arguments = call.arguments if isinstance(call.arguments, str) else dict(call.arguments)
    return unspecial(json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False))


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
    """The two tools as a request offers them, without the examples of their arguments.

    Each description has those in words: prompts are short.
    """
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
