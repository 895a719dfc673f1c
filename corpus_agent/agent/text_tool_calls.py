"""Tool calls that a model wrote as text, and where fabricated results begin. Pure.

A server hands a call over apart from the text if it knows the model's way of writing one. Where it
does not, small models write what they were trained on: JSON between tags (Qwen, Hermes), or JSON
alone, also as a code block (Llama, Qwen Coder). The toolbox checks the arguments; no text is run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

MAX_OPENINGS = 40  # of one reply; a model that repeats "{" must not take minutes
MAX_VALUE_CHARS = 16_000  # of an object; a call is its name and a few words

TextCall = tuple[str, dict[str, Any] | str]
"""The tool's name, and its arguments: an object, or the text that was intended as one."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """A reply up to `end`, where it speaks for others: the text before its calls, and them."""

    text: str
    calls: tuple[TextCall, ...]
    end: int | None


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
# Where a call may begin. JSON behind a `tag` is meant as one, whatever the tool's name; JSON alone
# is one if it names a tool.
_OPENING = re.compile(
    r"(?P<tag><\|?tool_calls?\|?>)|```(?:json|)[ \t]*\n|^[ \t]*(?=[\[{])", re.MULTILINE
)
_BROKEN = re.compile(r"\s*\{\s*[\"']name[\"']\s*:\s*[\"'](?P<name>[A-Za-z_][\w.\-]{0,63})[\"']")
_CLOSING = re.compile(r"[\s,;`\]]|</[a-z_]+>|<\|/[a-z_]+\|>")  # behind a call
_JSON = json.JSONDecoder(strict=False)


def parse(reply: str, tools: Collection[str]) -> ParsedReply:
    """The parsed reply, without the model's thoughts; see `ParsedReply`."""
    text = without_thoughts(reply)
    fabricated = _FABRICATED.search(text)
    end = fabricated.start() if fabricated else len(text)
    calls: list[TextCall] = []
    start = stop = end
    for opening in islice(_OPENING.finditer(text, 0, end), MAX_OPENINGS):
        if calls and opening.start() < stop:
            continue  # within the value before
        found, after = _calls_at(text[:end], opening, tools)
        if found:
            start = start if calls else opening.start()
            calls, stop = [*calls, *found], after
    end = stop if _CLOSING.sub("", text[stop:end]) else end
    begun = len(reply) - len(text)
    return ParsedReply(text[:start].strip(), tuple(calls), begun + end if end < len(text) else None)


def without_thoughts(reply: str) -> str:
    """The reply behind its thoughts; "" if they never end."""
    _, closed, after = reply.rpartition("</think>")
    if not closed and reply.lstrip().startswith("<think>"):
        return ""
    return after


def _calls_at(
    text: str, opening: re.Match[str], tools: Collection[str]
) -> tuple[list[TextCall], int]:
    """The calls of the JSON at an opening, and where it ends; none if there are none."""
    at, tagged = opening.end(), opening["tag"] is not None
    begun = text[at : at + MAX_VALUE_CHARS].lstrip()
    try:
        value, length = _JSON.raw_decode(begun) if begun[:1] in ("{", "[") else (None, 0)
    except (ValueError, RecursionError):
        broken = _BROKEN.match(text, at) if tagged else None
        if broken is None:
            return [], at
        return [(broken["name"], text[broken.end() :].strip())], len(text)
    stop = text.index(begun, at) + length
    return list(_calls_in(value, tools, tagged=tagged)), stop


def _calls_in(value: object, tools: Collection[str], *, tagged: bool) -> Iterator[TextCall]:
    """The calls in a JSON value: a name with its arguments, or a list of those."""
    if isinstance(value, list):
        for item in value:
            yield from _calls_in(item, tools, tagged=tagged)
    if isinstance(value, dict):
        inner = value.get("function")
        call: dict[str, Any] = inner if isinstance(inner, dict) else value
        name, given = call.get("name"), call.get("arguments", call.get("parameters"))
        if isinstance(name, str) and isinstance(given, dict | str) and (tagged or name in tools):
            yield name, given
