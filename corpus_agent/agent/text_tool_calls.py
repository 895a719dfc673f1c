"""Tool calls that a model wrote as text, and where fabricated results begin. Pure.

Small local models write a call where the server does not recognise it: Qwen and Hermes in tags,
Mistral and Llama behind a token of their template, all of them as JSON or in a code block. The
toolbox checks the arguments; no text is executed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

MAX_OPENINGS = 40  # of one reply; a model that repeats "{" must not take minutes
MAX_VALUE_CHARS = 16_000  # of an object; a call is its name and a few words

Arguments = dict[str, Any] | str
"""The arguments of a call: an object, or the text that was intended as one."""

Tools = Mapping[str, tuple[Collection[str], Collection[str]]]
"""For each tool the names of all its arguments, and of those that it needs."""

TextCall = tuple[str, Arguments]
"""The tool's name and the arguments of a call that was written as text."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """A parsed reply: the text before its first call, and its first group of calls.

    `end` is the character from which the reply is ignored, because the model goes on in the role
    of a tool or of the user; None if it does not.
    """

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
_NAME = r"[A-Za-z_][\w.\-]{0,63}"
# Where a call may begin. What stands behind a `marker` is meant as one, whatever the tool's name;
# bare JSON is one if it names a tool.
_OPENING = re.compile(
    r"(?P<marker><\|?tool_calls?\|?>|\[TOOL_CALLS?\]|<\|python_tag\|>)"
    r"|```(?:json|tool_code|)[ \t]*\n"
    r"|^[ \t]*(?=[\[{]|<function=)",
    re.MULTILINE,
)
_FUNCTION = re.compile(rf"\s*<function=(?P<name>{_NAME})>")
_PARAMETER = re.compile(r"<parameter=([\w-]+)>\s*(.*?)\s*</parameter>", re.DOTALL)
_NAMED = re.compile(rf"\s*(?P<name>{_NAME})\s*(?:\[ARGS\])?\s*(?={{)")
_INTENDED = re.compile(rf"\s*\{{\s*[\"']name[\"']\s*:\s*[\"'](?P<name>{_NAME})[\"']")
# What may stand between two calls of one group: white space, commas, closing tags and brackets.
_BETWEEN = re.compile(r"(?:[\s,;`\])]|</[a-z_]+>|\[/TOOL_CALLS?\]|<\|/?[a-z_]+\|>)*")
_JSON = json.JSONDecoder(strict=False)
# What a reply that was cut off, or a small model, omits at the end of an object.
_ENDINGS = ("", "}", "}}", '"}', '"}}', "}]", "]")


def parse(reply: str, tools: Tools) -> ParsedReply:
    """The parsed reply, without the model's thoughts; see `ParsedReply`."""
    text = without_thoughts(reply)
    fabricated = _FABRICATED.search(text)
    end = fabricated.start() if fabricated else len(text)
    start, calls = end, list[TextCall]()
    for opening in islice(_OPENING.finditer(text, 0, end), MAX_OPENINGS):
        calls, stop = _group(text, opening, end, tools)
        if calls:
            start = opening.start()
            end = stop if text[stop:end].strip() else end
            break
    thoughts = len(reply) - len(text)
    return ParsedReply(
        text[:start].strip(), tuple(calls), thoughts + end if end < len(text) else None
    )


def without_thoughts(reply: str) -> str:
    """The reply behind its thoughts; "" if they never end."""
    _, closed, after = reply.rpartition("</think>")
    if not closed and reply.lstrip().startswith("<think>"):
        return ""
    return after


def _group(text: str, opening: re.Match[str], end: int, tools: Tools) -> tuple[list[TextCall], int]:
    """The calls at an opening and those right behind it, and where they end."""
    found: list[TextCall] = []
    at = opening.end()
    while True:
        calls, stop = _calls_at(text[:end], at, tools, marked=opening["marker"] is not None)
        if not calls:
            return found, at
        found += calls
        between = _BETWEEN.match(text, stop, end)
        at = between.end() if between else stop
        if (following := _OPENING.match(text, at, end)) is not None:
            at, opening = following.end(), following


def _calls_at(text: str, at: int, tools: Tools, *, marked: bool) -> tuple[list[TextCall], int]:
    """The calls that are written at a place, and where they end; none if there are none."""
    if (function := _FUNCTION.match(text, at)) is not None:
        closing = text.find("</function>", function.end())
        stop = closing if closing >= 0 else len(text)
        body = text[function.end() : stop]
        given = dict(_PARAMETER.findall(body)) or _value(body, 0)[0]
        return [(function["name"], given if isinstance(given, dict) else body.strip())], stop
    named = _NAMED.match(text, at)
    value, stop = _value(text, named.end() if named else at)
    if named is not None and isinstance(value, dict) and (marked or named["name"] in tools):
        return [(named["name"], value)], stop
    calls = list(_calls_in(value, tools, marked=marked))
    if calls:
        return calls, stop
    intended = _INTENDED.match(text, at) if marked else None
    if intended is None:
        return [], at
    return [(intended["name"], text[intended.end() :].strip())], len(text)


def _value(text: str, at: int) -> tuple[object, int]:
    """The JSON value at a place, or almost JSON, and its end; None if there is none."""
    while at < len(text) and text[at].isspace():
        at += 1
    if text[at : at + 1] not in ("{", "["):
        return None, at
    piece = text[at : at + MAX_VALUE_CHARS]
    try:
        value, length = _JSON.raw_decode(piece)
    except (ValueError, RecursionError):
        length = _line_end(piece)
    else:
        return value, at + length
    written = re.sub(r",\s*([}\]])", r"\1", piece[:length].partition("</")[0]).rstrip("`, \n")
    for ending in _ENDINGS:
        for read in (json.loads, ast.literal_eval):
            try:
                return read(written + ending), at + length
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue  # TypeError: a set of objects, as in "{{}}"
    return None, at


def _line_end(piece: str) -> int:
    """Where an object that does not parse may end: at an empty line, a fence or a tag."""
    found = re.search(r"\n\s*\n|\n```|</", piece)
    return found.start() if found else len(piece)


def _calls_in(value: object, tools: Tools, *, marked: bool) -> Iterator[TextCall]:
    """The calls in a JSON value: a name with its arguments, or a list of those.

    Behind a marker, the arguments of one tool alone are a call, too.
    """
    if isinstance(value, list):
        for item in value:
            yield from _calls_in(item, tools, marked=marked)
    if not isinstance(value, dict):
        return
    inner = value.get("function")
    call: dict[str, Any] = inner if isinstance(inner, dict) else value
    name, given = call.get("name"), call.get("arguments", call.get("parameters"))
    if isinstance(name, str) and isinstance(given, dict | str) and (marked or name in tools):
        yield name, given
    elif name is None and marked:
        fitting = [
            tool
            for tool, (known, needed) in tools.items()
            if set(needed) <= set(call) <= set(known)
        ]
        if len(fitting) == 1:
            yield fitting[0], call
