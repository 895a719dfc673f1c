"""The allowlist of requests that a sealed process can send to a model server.

A request is an index into `ROUTES` and a body. The format cannot express another path, query,
header or method, so none can be smuggled in; a body is parsed and serialised again, so that the
server reads exactly what was checked here. Pure; applied by relay.py, outside of the seal.

Does not stop: data in the text of a question.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

MAX_CHAT_BYTES = 16 * 2**20  # a window of a million tokens, four bytes each, quoted as JSON
MAX_NAME_BYTES = 4096  # the name of a model, as JSON


class NotListed(Exception):
    """The request is not on the list; the message has the reason, without quoting the request."""


Judge = Callable[[Mapping[str, Any], Collection[str]], bool]
"""Whether a body may be sent, given the names of the models that may be asked."""


@dataclass(frozen=True, slots=True)
class Route:
    """One permitted request; `judge` is None if it has no body."""

    method: Literal["GET", "POST"]
    path: str
    judge: Judge | None = None
    max_body_bytes: int = 0


# Servers act on more than the text of a chat: llama.cpp and vLLM fetch the URL of an image, vLLM
# accepts templates and hosts to send a cache to. So each key is listed, and a message is text.
_CHAT: dict[str, type | tuple[type, ...]] = {
    "model": str,
    "messages": list,
    "max_tokens": int,
    "temperature": (int, float),
    "stream": bool,
    "stream_options": dict,
    "tools": list,
    "tool_choice": str,
    "logprobs": bool,
    "top_logprobs": int,
}
_MESSAGE: dict[str, type | tuple[type, ...]] = {
    "role": str,
    "content": (str, type(None)),
    "tool_calls": list,
    "tool_call_id": str,
}
_ROLES = ("system", "user", "assistant", "tool")
_CHOICES = ("auto", "none")


def _is_chat(body: Mapping[str, Any], models: Collection[str]) -> bool:
    return (
        _fits(body, _CHAT)
        and body.get("model") in models
        and body.get("tool_choice", "auto") in _CHOICES
        and _fits(body.get("stream_options", {}), {"include_usage": bool})
        and all(_is_message(message) for message in body.get("messages", ()))
        and all(_is_tool(tool) for tool in body.get("tools", ()))
    )


def _is_message(message: object) -> bool:
    return (
        _fits(message, _MESSAGE)
        and message.get("role") in _ROLES
        and all(_is_call(call) for call in message.get("tool_calls", ()))
    )


def _is_call(call: object) -> bool:
    return (
        _fits(call, {"id": str, "type": str, "function": dict})
        and call.get("type") == "function"
        and _fits(call.get("function", {}), {"name": str, "arguments": str})
    )


def _is_tool(tool: object) -> bool:
    known = {"name": str, "description": str, "parameters": dict}
    return (
        _fits(tool, {"type": str, "function": dict})
        and tool.get("type") == "function"
        and _fits(tool.get("function", {}), known)
    )


def _is_name(body: Mapping[str, Any], models: Collection[str]) -> bool:
    return _fits(body, {"model": str}) and body.get("model") in models


def _fits(
    value: object, keys: Mapping[str, type | tuple[type, ...]]
) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is an object with only these keys, each of its type."""
    return isinstance(value, dict) and all(
        key in keys and isinstance(each, keys[key]) for key, each in value.items()
    )


ROUTES: tuple[Route, ...] = (
    Route("POST", "/v1/chat/completions", _is_chat, MAX_CHAT_BYTES),
    Route("GET", "/v1/models"),
    Route("GET", "/props"),  # llama.cpp: window and chat template
    Route("GET", "/health"),  # llama.cpp: whether the model is loaded
    Route("GET", "/api/ps"),  # Ollama: the window of a loaded model
    Route("POST", "/api/show", _is_name, MAX_NAME_BYTES),  # Ollama: capabilities of a model
    Route("GET", "/api/v0/models"),  # LM Studio: window of a loaded model
)
MAX_BODY_BYTES = max(route.max_body_bytes for route in ROUTES)


def number_of(method: str, path: str) -> int:
    """The index of a route. Raises NotListed unless method and path match exactly."""
    for number, route in enumerate(ROUTES):
        if (route.method, route.path) == (method, path):
            return number
    raise NotListed("this request is not on the list of what a model server may be asked")


def body_to_send(route: Route, body: bytes, models: Collection[str]) -> bytes:
    """The body for the server: parsed, checked and serialised again, in ASCII.

    The result has each key once and is unambiguous. Raises NotListed.
    """
    if len(body) > route.max_body_bytes:
        raise NotListed(f"a body of {len(body):,} bytes; {route.max_body_bytes:,} are the most")
    if route.judge is None:
        return b""
    try:
        content = json.loads(body)
        if isinstance(content, dict) and route.judge(content, models):
            return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")
    except (ValueError, RecursionError):
        raise NotListed("a body that is not JSON") from None
    raise NotListed("a body with a key, a value or a model that is not on the list")
