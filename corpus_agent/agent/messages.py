"""A conversation as values, and as the messages of a request. Pure.

The list of entries is the whole state of the loop: requests, truncation and test transcripts are
made from it. Called by conversation.py and context_window.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus_agent.tools.toolbox import SPECS

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart


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

PLAIN_TOOLS = """

To call a tool, write one line and nothing after it; the result will be given to you:
<tool_call>{"name": "vectordb_search", "arguments": {"query": "sourdough temperature"}}</tool_call>
"""


def native(system: str, entries: Sequence[Message]) -> list[ModelMessage]:
    """The messages for a server that supports tools; adjacent results are one message."""
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    messages: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart(system)])]
    for entry in entries:
        if isinstance(entry, AssistantMessage):
            text = [TextPart(entry.text)] if entry.text or not entry.calls else []
            made = [ToolCallPart(c.name, _sendable(c.arguments), c.id) for c in entry.calls]
            messages.append(ModelResponse(parts=[*text, *made]))
            continue
        part: ModelRequestPart
        if isinstance(entry, UserMessage):
            part = UserPromptPart(entry.text)
        else:
            part = ToolReturnPart(entry.call.name, entry.text, entry.call.id)
        last = messages[-1]
        if isinstance(last, ModelRequest):
            messages[-1] = ModelRequest(parts=[*last.parts, part])
        else:
            messages.append(ModelRequest(parts=[part]))
    return messages


def plain(system: str, entries: Sequence[Message], question: str) -> list[ModelMessage]:
    """The messages for a server or a chat template without tools: user and model alternate.

    The tools are described in text, calls and results are text, and the question is repeated after
    a result: a small model answers what it read last.
    """
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        UserPromptPart,
    )

    described = "\n\n".join(f"{spec.name}: {spec.description}" for spec in SPECS)
    first = SystemPromptPart(f"{system}\n\n{described}{PLAIN_TOOLS}")
    messages: list[ModelMessage] = []
    if entries and isinstance(entries[-1], ToolMessage):
        entries = [*entries, UserMessage(f"The question was: {question}")]
    for by_user, texts in _in_turn(entries):
        text = "\n\n".join(texts)
        if by_user:
            messages.append(ModelRequest(parts=[UserPromptPart(text)]))
        else:
            messages.append(ModelResponse(parts=[TextPart(text)]))
    return [ModelRequest(parts=[first]), *messages]


def _in_turn(entries: Iterable[Message]) -> list[tuple[bool, list[str]]]:
    """The texts of user and model in alternation; adjacent texts of one role are joined."""
    turns: list[tuple[bool, list[str]]] = []
    for entry in entries:
        by_user = not isinstance(entry, AssistantMessage)
        if not turns or turns[-1][0] != by_user:
            turns.append((by_user, []))
        turns[-1][1].append(_as_text(entry))
    return turns


def _as_text(entry: Message) -> str:
    if isinstance(entry, UserMessage):
        return entry.text
    if isinstance(entry, ToolMessage):
        return f"Result of {entry.call.name}:\n{entry.text}"
    calls = [f"<tool_call>{_written(call)}</tool_call>" for call in entry.calls]
    return "\n".join([*([entry.text] if entry.text else []), *calls])


def _written(call: Call) -> str:
    arguments = call.arguments if isinstance(call.arguments, str) else dict(call.arguments)
    return json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False)


def _sendable(arguments: Mapping[str, Any] | str) -> dict[str, Any] | str:
    """The arguments in a form that a server can parse: chat templates fail on broken JSON."""
    if isinstance(arguments, str):
        try:
            json.loads(arguments)
        except (ValueError, RecursionError):
            return {"arguments": arguments}
        return arguments
    return dict(arguments)


def tool_definitions() -> list[Any]:
    """The definitions of the two tools for pydantic-ai."""
    from pydantic_ai.tools import ToolDefinition

    return [
        ToolDefinition(
            name=spec.name,
            description=spec.description,
            parameters_json_schema=_without_examples(spec.schema),
            strict=False,
        )
        for spec in SPECS
    ]


def _without_examples(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without its examples, which each description has in words: prompts are short."""
    properties = {
        name: {key: value for key, value in entry.items() if key != "examples"}
        for name, entry in schema["properties"].items()
    }
    return {**schema, "properties": properties}
