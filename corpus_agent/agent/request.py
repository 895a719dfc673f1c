"""One request to a model: streamed, truncated at a fabricated tool result, bounded by timeouts.

Closing the stream early ends the generation at the server, so that a model on a CPU does not spend
minutes on unused text. The libraries' exceptions for a failing server are translated here only.
Called by conversation.py; imports the model libraries when it runs.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from corpus_agent.agent.messages import AssistantMessage, Call, tool_definitions
from corpus_agent.agent.text_tool_calls import Tools, parse, without_thoughts
from corpus_agent.models.discovery import ModelUnavailable
from corpus_agent.text.sanitize import one_line
from corpus_agent.tools.toolbox import SPECS

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.messages import ModelMessage, ModelResponseStreamEvent
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

CONNECT_SECONDS = 5.0
FIRST_SECONDS = 300.0  # until a reply begins: a model on a CPU takes minutes for a long window
STALL_SECONDS = 60.0  # between two pieces of a reply; a server may buffer a whole tool call
CHECK_CHARACTERS = 40  # a reply is parsed again after this much new text
ECHO_CHARACTERS = 120  # a tail of this length ...
ECHOES = 4  # ... that occurs this often in a reply ends it: the model repeats itself
MAX_REPLY_CHARACTERS = 200_000  # thoughts included; a server may send more than it was asked for
MAX_SHOWN_ERROR = 160  # characters
TOP_TOKENS = 20  # whose probabilities are asked for; the most that servers give

TOOLS: Tools = {
    spec.name: (tuple(spec.schema["properties"]), tuple(spec.schema["required"])) for spec in SPECS
}

OnDraft = Callable[[str], None]
"""Receives the reply so far, thoughts left out, each time that it has grown."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds: until a reply begins, and between two pieces of it."""

    first: float = FIRST_SECONDS
    stall: float = STALL_SECONDS


@dataclass(frozen=True, slots=True)
class StreamedReply:
    """The valid part of a reply; `cut` before fabricated text, `full` if its tokens ran out."""

    message: AssistantMessage
    cut: bool = False
    full: bool = False


class TooLong(ModelUnavailable):
    """The conversation does not fit into the model's window, according to the server."""


class Declined(ModelUnavailable):
    """The server takes no such request: it would say so again."""


class NoTools(Declined):
    """The server, or the chat template of its model, does not support tools."""


@dataclass
class _PartialReply:
    """A reply that is being received."""

    on_draft: OnDraft
    text: str = ""
    calls: dict[str, Call] = field(default_factory=dict)
    full: bool = False
    as_written: bool = False
    _checked: int = 0

    def add(self, piece: str) -> bool:
        """Add text; returns whether all further text can be ignored."""
        self.text += piece
        if len(self.text) > MAX_REPLY_CHARACTERS:
            self.text, self.full = self.text[:MAX_REPLY_CHARACTERS], True
        self.on_draft(without_thoughts(self.text))
        if self.full or self.as_written:
            return self.full
        if len(self.text) - self._checked < CHECK_CHARACTERS and "\n" not in piece:
            return False
        self._checked = len(self.text)
        return parse(self.text, TOOLS).end is not None or echoes(self.text)


def echoes(text: str) -> bool:
    """Whether a text has begun to repeat itself, as small models do until the token limit."""
    tail = text[-ECHO_CHARACTERS:]
    return len(tail) == ECHO_CHARACTERS and text.count(tail) >= ECHOES


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model that requests go to; `where` is its server, for error messages."""

    model: Model
    where: str
    timeouts: Timeouts = Timeouts()
    on_draft: OnDraft = lambda _: None


def chat_model(
    client: AsyncClient,
    base_url: str,
    name: str,
    timeouts: Timeouts = Timeouts(),
    on_draft: OnDraft = lambda _: None,
) -> ChatModel:
    """The model for pydantic-ai: no API key, no proxy, no retries."""
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    api = AsyncOpenAI(
        base_url=base_url,
        api_key="none",  # otherwise the key in the environment would be sent
        organization="",
        project="",
        http_client=client,
        timeout=httpx2.Timeout(timeouts.first, connect=CONNECT_SECONDS),
        max_retries=0,
    )
    profile = OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=False,
        openai_supports_strict_tool_definition=False,
        # A document may contain "<|im_start|>", which such servers would parse as a new turn.
        may_tokenize_special_tokens_in_content=True,
    )
    model = OpenAIChatModel(name, provider=OpenAIProvider(openai_client=api), profile=profile)
    return ChatModel(model, base_url, timeouts, on_draft)


async def stream_reply(
    chat_model: ChatModel,
    messages: Sequence[ModelMessage],
    *,
    tools: bool = False,
    may_call: bool = True,
    as_written: bool = False,
    max_tokens: int,
) -> StreamedReply:
    """The reply to the messages; `tools`: whether tools are offered, `may_call`: and callable.

    `as_written`: no calls are looked for in its text, and it may repeat itself, as one does that
    quotes a sentence for each of several fields.

    Raises ModelUnavailable if there is none; TooLong or NoTools if that is the server's reason.
    """
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

    settings = ModelSettings(temperature=0.0, max_tokens=max_tokens)
    if tools:
        settings["tool_choice"] = "auto" if may_call else "none"
    parameters = ModelRequestParameters(function_tools=tool_definitions() if tools else [])
    partial = _PartialReply(chat_model.on_draft, as_written=as_written)
    stopped = False
    async with aclosing(_events(chat_model, messages, settings, parameters, partial)) as events:
        async for event in events:
            stopped = _take(event, partial)
            if stopped:
                break
    return _reply(partial, stopped)


async def whole_reply(
    chat_model: ChatModel, messages: Sequence[ModelMessage]
) -> tuple[str, Sequence[Mapping[str, Any]]]:
    """A reply of one token, and the likeliest tokens in its place; empty if not reported.

    Raises ModelUnavailable if there is none.
    """
    from pydantic_ai.direct import model_request
    from pydantic_ai.models.openai import OpenAIChatModelSettings

    settings = OpenAIChatModelSettings(
        temperature=0.0, max_tokens=1, openai_logprobs=True, openai_top_logprobs=TOP_TOKENS
    )
    with _translated(chat_model.where):
        async with asyncio.timeout(chat_model.timeouts.first):
            reply = await model_request(chat_model.model, messages, model_settings=settings)
    tokens = (reply.provider_details or {}).get("logprobs") or [{}]
    return reply.text or "", tokens[0].get("top_logprobs") or []


async def _events(
    chat_model: ChatModel,
    messages: Sequence[ModelMessage],
    settings: ModelSettings,
    parameters: ModelRequestParameters,
    partial: _PartialReply,
) -> AsyncGenerator[ModelResponseStreamEvent]:
    """The events of the stream, each within its timeout."""
    from pydantic_ai.direct import model_request_stream

    timeouts = chat_model.timeouts
    with _translated(chat_model.where):
        async with (
            asyncio.timeout(timeouts.first) as clock,
            model_request_stream(
                chat_model.model,
                messages,
                model_settings=settings,
                model_request_parameters=parameters,
            ) as stream,
        ):
            async for event in stream:
                clock.reschedule(asyncio.get_running_loop().time() + timeouts.stall)
                yield event
            partial.full = stream.get().finish_reason == "length"


def _take(event: ModelResponseStreamEvent, partial: _PartialReply) -> bool:
    """Add one event to the reply; returns whether the rest can be skipped."""
    from pydantic_ai.messages import (
        PartDeltaEvent,
        PartEndEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
        ToolCallPart,
    )

    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return partial.add(event.part.content)
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return partial.add(event.delta.content_delta)
    if isinstance(event, PartEndEvent) and isinstance(event.part, ToolCallPart):
        part = event.part
        arguments = part.args if part.args is not None else {}
        partial.calls[part.tool_call_id] = Call(part.tool_call_id, part.tool_name, arguments)
    return False


def _reply(partial: _PartialReply, stopped: bool) -> StreamedReply:
    """The reply without fabricated text; protocol calls take precedence over calls in the text."""
    if partial.as_written:
        text = AssistantMessage(without_thoughts(partial.text).strip())
        return StreamedReply(text, stopped, partial.full)
    parsed = parse(partial.text, TOOLS)
    calls = tuple(partial.calls.values()) or tuple(
        Call(f"text_{n}", call.name, call.arguments) for n, call in enumerate(parsed.calls)
    )
    cut = stopped or parsed.end is not None
    return StreamedReply(AssistantMessage(parsed.text, calls), cut, partial.full)


# ---- Errors

_TOO_LONG = re.compile(
    r"context[ _](?:size|length|window)|maximum context|too many tokens|prompt is too long"
    r"|greater than the context|exceeds? the (?:available|model)",
    re.IGNORECASE,
)
_DECLINED = (400, 404, 405, 415, 422, 501)  # not those that pass, as 408, 429 and 503
_NO_TOOLS = re.compile(r"\btools?\b|jinja|chat template|\broles?\b", re.IGNORECASE)


@contextmanager
def _translated(where: str) -> Iterator[None]:
    """Turns what pydantic-ai, openai and httpx2 raise for a failing model into ModelUnavailable."""
    from httpx2 import HTTPError
    from openai import OpenAIError
    from pydantic import ValidationError
    from pydantic_ai.exceptions import (
        AgentRunError,
        ModelConnectionError,
        ModelHTTPError,
        ModelTimeoutError,
    )
    from pydantic_core import PydanticSerializationError

    unusable = (
        *(AgentRunError, OpenAIError, ValidationError, AttributeError, TypeError),
        *(UnicodeEncodeError, PydanticSerializationError, RecursionError),
    )
    hint = f"See what the server at {where} logs, or use --llm none."
    try:
        yield
    except ModelHTTPError as error:
        raise _refused(error.status_code, error.body, hint) from error
    except (ModelTimeoutError, TimeoutError) as error:
        raise ModelUnavailable("The model server took too long to answer.", hint) from error
    except (ModelConnectionError, HTTPError) as error:
        message = f"The connection to the model server failed ({_short(str(_first(error)))})."
        raise ModelUnavailable(message, hint) from error
    # From the third on: events that are JSON of another shape, which the libraries do not check,
    # text with a lone surrogate, which no request can encode, and JSON of any depth.
    except unusable as error:
        message = f"The model server gave no usable answer ({_short(str(error))})."
        raise ModelUnavailable(message, hint) from error


def _first(error: BaseException) -> BaseException:
    """The root cause of an exception: the outer ones only say "connection error"."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _refused(status: int, body: object, hint: str) -> ModelUnavailable:
    """The exception for an error status, chosen by its message."""
    reason = str(body.get("message") if isinstance(body, dict) else body or "")
    shown = f": {_short(reason)}" if reason else ""
    message = f"The model server answered with HTTP {status}{shown}."
    if _TOO_LONG.search(reason):
        return TooLong(message, hint)
    if _NO_TOOLS.search(reason):
        return NoTools(message, hint)
    declined = status in _DECLINED
    return Declined(message, hint) if declined else ModelUnavailable(message, hint)


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= MAX_SHOWN_ERROR else f"{line[:MAX_SHOWN_ERROR]}…"
