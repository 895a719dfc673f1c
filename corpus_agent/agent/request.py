"""One chat request: its reply streamed, and ended early at the server where the rest is useless.

A server hands a tool call over apart from the text if it knows the model's way of writing one. Else
small models write what they were trained on: JSON between tags (Qwen, Hermes), or JSON alone, also
as a code block (Llama, Qwen Coder). The toolbox checks the arguments; no text is run. A server's
error is ModelUnavailable.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from corpus_agent.models.discovery import ModelUnavailable
from corpus_agent.models.http import OK, Deadline, Response, request
from corpus_agent.tools.toolbox import SPECS

if TYPE_CHECKING:
    from corpus_agent.seal.broker import Broker

Sent = dict[str, Any]
"""A message, or a tool, as servers take it."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; `arguments` as the model wrote them: an object, or text that may not parse."""

    id: str
    name: str
    arguments: Mapping[str, Any] | str


# ---- Calls in the text of a reply

MAX_OPENINGS = 40  # of one reply; a model that repeats "{" must not take minutes
MAX_VALUE_CHARS = 16_000  # of an object; a call is its name and a few words


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A reply: the text before its calls, and them.

    `end` is where it speaks for others, None if it does not; `full`: its tokens ran out.
    """

    text: str
    calls: tuple[Call, ...] = ()
    end: int | None = None
    full: bool = False


# Text of a tool, a user or a chat template, never of an answer.
_FABRICATED = re.compile(
    r"<\|?(?:tool_response|tool_result|tool_output|function_result|observation)s?\|?>"
    r"|\[TOOL_RESULTS?\]|```tool_outputs?\b"
    r"|^(?:<\|(?:im_start|start_header_id|user)\|>|<start_of_turn>)"
    r"|(?:<\|(?:im_end|eot_id|eom_id|end|endoftext)\|>|<end_of_turn>|</s>)(?=\s|<|\Z)"
    r"|^(?:Observation|(?:Tool|Function) (?:result|output|response))s?\s*:"
    r"|(?<=\n)(?:User|Human)\s*:"
    r"|^(?:\d+ results?|No results) for \"",
    re.MULTILINE | re.IGNORECASE,
)
# Where a call may begin: JSON that names a tool, between tags, as a code block or alone.
_OPENING = re.compile(r"<\|?tool_calls?\|?>|```(?:json|)[ \t]*\n|^[ \t]*(?=[\[{])", re.MULTILINE)
_CLOSING = re.compile(r"[\s,;`\]]|</[a-z_]+>|<\|/[a-z_]+\|>")  # behind a call
_JSON = json.JSONDecoder(strict=False)


def parse(reply: str, tools: Collection[str]) -> ModelReply:
    """The reply with the calls in its text, without the model's thoughts."""
    text = without_thoughts(reply)
    fabricated = _FABRICATED.search(text)
    end = fabricated.start() if fabricated else len(text)
    calls: list[Call] = []
    start = stop = end
    for opening in islice(_OPENING.finditer(text, 0, end), MAX_OPENINGS):
        if calls and opening.start() < stop:
            continue  # within the value before
        found, after = _calls_at(text[:end], opening.end(), tools)
        if found:
            start = start if calls else opening.start()
            calls, stop = [*calls, *found], after
    end = stop if _CLOSING.sub("", text[stop:end]) else end
    begun = len(reply) - len(text)
    end_of_own = begun + end if end < len(text) else None
    return ModelReply(text[:start].strip(), tuple(calls), end_of_own)


def without_thoughts(reply: str) -> str:
    """The reply behind its thoughts; "" if they never end."""
    _, closed, after = reply.rpartition("</think>")
    if not closed and reply.lstrip().startswith("<think>"):
        return ""
    return after


def _calls_at(text: str, at: int, tools: Collection[str]) -> tuple[list[Call], int]:
    """The calls of the JSON at a place, and where it ends; none if there are none."""
    begun = text[at : at + MAX_VALUE_CHARS].lstrip()
    try:
        value, length = _JSON.raw_decode(begun) if begun[:1] in ("{", "[") else (None, 0)
    except (ValueError, RecursionError):
        return [], at
    return [*_calls_in(value, tools)], text.index(begun, at) + length


def _calls_in(value: object, tools: Collection[str]) -> Iterator[Call]:
    """The calls in a JSON value: a tool's name with its arguments, or a list of those."""
    for item in value if isinstance(value, list) else ():
        yield from _calls_in(item, tools)
    if isinstance(value, dict):
        inner = value.get("function")
        call: dict[str, Any] = inner if isinstance(inner, dict) else value
        name, given = call.get("name"), call.get("arguments", call.get("parameters"))
        if isinstance(name, str) and name in tools and isinstance(given, dict | str):
            yield Call("", name, given)


FIRST_SECONDS = 300.0  # until a reply begins: a model on a CPU takes minutes for a long window
STALL_SECONDS = 60.0  # between two pieces of a reply; a server may buffer a whole tool call
CHECK_CHARACTERS = 40  # of new text after which a reply is parsed again, and an eighth of it
ECHO_CHARACTERS = 120  # a tail of this length ...
ECHOES = 4  # ... that occurs this often in a reply ends it: the model repeats itself
MAX_REPLY_CHARACTERS = 40_000  # thoughts and arguments included; servers send more than asked for
MAX_LINE_BYTES = 1_000_000  # of one event
MAX_CALLS = 8  # of one reply, which ends with the next one
MAX_ERROR_BYTES, ERROR_SECONDS = 65_536, 5.0  # of the content of an error
DRAFT_SECONDS = 0.05  # between two looks at a draft
MAX_WORDS = 100  # events in which the one word that was asked for is looked for
TOP_TOKENS = 20  # whose probabilities are asked for; the most that servers give
PATH = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model that requests go to, until the question's deadline.

    `on_draft` receives the reply so far, without thoughts, a few times a second while it grows.
    """

    broker: Broker
    name: str
    deadline: Deadline
    on_draft: Callable[[str], object] = lambda _: None


class NoTools(ModelUnavailable):
    """The server, or the chat template of its model, does not support tools."""


class Unusable(ModelUnavailable):
    """What the server sent is no reply of a chat."""

    def __init__(self) -> None:
        super().__init__(
            "The model server gave no usable answer.",
            "Look at the server's log, or use --llm none.",
        )


@dataclass
class _PartialReply:
    """A reply that is being received."""

    on_draft: Callable[[str], object]
    text: str = ""
    calls: dict[int, list[str]] = field(default_factory=dict)  # id, name, arguments
    full: bool = False
    _size: int = 0
    _checked: int = 0
    _drawn: float = 0.0

    def take(self, choice: Mapping[str, Any]) -> bool:
        """Add what an event brings; returns whether all further events can be ignored."""
        delta = choice.get("delta") or {}
        if not isinstance(delta, dict):
            raise Unusable
        self.full |= choice.get("finish_reason") == "length"
        content, called = delta.get("content"), delta.get("tool_calls") or []
        if not isinstance(content, str | None) or not isinstance(called, list):
            raise Unusable
        if not all(map(self._take_call, called)):
            return True
        self.text += content or ""
        self._size += len(content or "")
        if self._size > MAX_REPLY_CHARACTERS:
            self.text, self.full = self.text[:MAX_REPLY_CHARACTERS], True
        return self.full or self._is_over(content or "")

    def _take_call(self, called: object) -> bool:
        """Add a piece of a call; returns whether the reply may go on behind it."""
        if not isinstance(called, dict) or not isinstance(called.get("function"), dict | None):
            raise Unusable
        at, function = called.get("index", 0), called.get("function") or {}
        given = called.get("id"), function.get("name"), function.get("arguments")
        if type(at) is not int or not all(isinstance(text, str | None) for text in given):
            raise Unusable
        if at not in self.calls and len(self.calls) == MAX_CALLS:
            return False
        known = self.calls.setdefault(at, ["", "", ""])
        for place, text in enumerate(given):
            known[place] += (text or "")[:MAX_REPLY_CHARACTERS]
            self._size += len(text or "")
        return True

    def _is_over(self, piece: str) -> bool:
        """Whether the model goes on in another's role, or repeats itself."""
        new = len(self.text) - self._checked
        due = new >= max(CHECK_CHARACTERS, len(self.text) // 8) or (new > 1 and "\n" in piece)
        if not due:
            return False
        self._checked = len(self.text)
        return parse(self.text, SPECS).end is not None or echoes(self.text)

    def draw(self) -> None:
        now = time.monotonic()
        if now >= self._drawn + DRAFT_SECONDS:
            self._drawn = now
            self.on_draft(without_thoughts(self.text))


def echoes(text: str) -> bool:
    """Whether a text has begun to repeat itself, as small models do until the token limit."""
    tail = text[-ECHO_CHARACTERS:]
    return len(tail) == ECHO_CHARACTERS and text.count(tail) >= ECHOES


def stream_reply(
    model: ChatModel,
    messages: Sequence[Sent],
    *,
    tools: Sequence[Sent] = (),
    may_call: bool = True,
    max_tokens: int,
) -> ModelReply:
    """The reply to the messages."""
    asked: Sent = {"max_tokens": max_tokens}
    if tools:
        asked |= {"tools": tools, "tool_choice": "auto" if may_call else "none"}
    partial = _PartialReply(model.on_draft)
    model.deadline.looking = partial.draw
    with closing(_choices(model, messages, asked)) as choices:
        any(map(partial.take, choices))  # up to the first after which none counts
    model.on_draft(without_thoughts(partial.text))
    return _reply(partial)


def first_word(model: ChatModel, messages: Sequence[Sent]) -> tuple[str, list[tuple[str, float]]]:
    """A reply of one token, and the likeliest tokens in its place; none if not reported."""
    asked = {"max_tokens": 1, "logprobs": True, "top_logprobs": TOP_TOKENS}
    text, likeliest = "", []
    with closing(_choices(model, messages, asked)) as choices:
        for choice in islice(choices, MAX_WORDS):
            try:
                text += choice["delta"]["content"] or ""
                top = choice["logprobs"]["content"][0]["top_logprobs"][:TOP_TOKENS]
                likeliest = [(str(each["token"]), float(each["logprob"])) for each in top]
            except (KeyError, TypeError, IndexError, ValueError):
                continue  # the role alone, or a server that gives no probabilities
            if likeliest:
                break
    return text, likeliest


def _choices(
    model: ChatModel, messages: Sequence[Sent], asked: Mapping[str, Any]
) -> Generator[Mapping[str, Any]]:
    """The first choice of each event of a streamed reply; raises ModelUnavailable."""
    body = {"model": model.name, "messages": messages, "stream": True, "temperature": 0.0, **asked}
    times = {"first": FIRST_SECONDS, "stall": STALL_SECONDS}
    seen = False
    with request(model.broker, PATH, body, deadline=model.deadline, **times) as response:
        if response.status != OK:
            raise _refused(response.status, _error_in(response))
        for event in _events(response.pieces):
            model.deadline.left()
            if "error" in event:
                raise _refused(OK, event["error"])
            choices = event.get("choices")
            if not isinstance(choices, list) or not all(isinstance(one, dict) for one in choices):
                raise Unusable
            seen = seen or bool(choices)
            yield from choices[:1]
    if not seen:
        raise Unusable


def _events(pieces: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """The objects of server-sent events; raises Unusable for what is none."""
    rest = bytearray()
    for piece in pieces:
        rest += piece
        *lines, last = rest.split(b"\n")
        rest = bytearray(last)
        if len(rest) > MAX_LINE_BYTES:
            raise Unusable
        for line in lines:
            name, _, value = line.strip().partition(b":")
            if name != b"data":
                continue
            if value.strip() == b"[DONE]":
                return
            try:
                event = json.loads(value)
            except (ValueError, RecursionError):
                raise Unusable from None
            if not isinstance(event, dict):
                raise Unusable
            yield event


def _reply(partial: _PartialReply) -> ModelReply:
    """The reply without fabricated text; protocol calls take precedence over calls in the text."""
    parsed = parse(partial.text, SPECS)
    calls = tuple(
        Call(number or f"call_{at}", name, arguments or {})
        for at, (number, name, arguments) in partial.calls.items()
    ) or tuple(replace(call, id=f"text_{at}") for at, call in enumerate(parsed.calls[:MAX_CALLS]))
    return ModelReply(parsed.text, calls, full=partial.full)


# ---- Errors

_NO_TOOLS = re.compile(r"\btools?\b|jinja|chat template|\broles?\b", re.IGNORECASE)


def _error_in(response: Response) -> object:
    """What the content of an error says of it."""
    content = response.page(MAX_ERROR_BYTES, ERROR_SECONDS)
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        return content.decode("utf-8", "replace")
    return said.get("error", said) if isinstance(said, dict) else said


def _refused(status: int, error: object) -> ModelUnavailable:
    """The exception for an error, chosen by what the server says, which is in `said` alone."""
    said = error
    if isinstance(error, dict):
        said = error.get("message", "")
        code = error.get("code")
        status = code if type(code) is int and 100 <= code <= 599 else status
    reason = str(said)
    kind = NoTools if _NO_TOOLS.search(reason) else ModelUnavailable
    return kind(
        f"The model server answered with HTTP {status}.",
        "Look at the server's log, or use --llm none.",
        said=reason,
    )
