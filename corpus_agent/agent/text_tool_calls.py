"""Tool calls that a model wrote as text, and where fabricated results begin. Pure.

Small models often write a call as text that the server does not recognise: as JSON, in tags, as a
line of Python. `FORMS` lists these. The toolbox validates the arguments; no text is executed.
Called by request.py for every reply, while it is streamed and when it is complete.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from corpus_agent.agent.loose_json import (
    MAX_VALUE_CHARS,
    bracket_end,
    object_in,
    python_arguments,
    python_calls,
    value_at,
)
from corpus_agent.answering.citations import quotations

MAX_OPENINGS = 40  # of one form in one reply; a model that repeats "{" must not take minutes

Arguments = dict[str, Any] | str
"""The arguments of a call: an object, or the text that was intended as one."""

Tools = Mapping[str, tuple[Collection[str], Collection[str]]]
"""For each tool the names of all its arguments, and of those that it needs."""


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call written as text: half-open range of characters, the tool's name, its arguments."""

    start: int
    end: int
    name: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """A parsed reply: the text before its first call, and its calls in order.

    `end` is the character from which the reply is ignored, because the model goes on in the role
    of a tool or of the user; None if it does not.
    """

    text: str
    calls: tuple[TextCall, ...]
    end: int | None


# Text of a tool, a user or a chat template, never of an answer.
_FABRICATED = re.compile(
    r"<\|?(?:tool_response|tool_result|function_result|function_response|observation|tool_output)"
    r"s?\|?>"
    r"|\[TOOL_RESULTS?\]|```tool_outputs?\b|<｜tool▁outputs?▁begin｜>"
    r"|^(?:<\|(?:im_start|start_header_id|user)\|>|<start_of_turn>)"
    r"|(?:<\|(?:im_end|eot_id|eom_id|end|endoftext)\|>|<end_of_turn>|</s>)(?=\s|<|\Z)"
    r"|^(?:Observation|(?:Tool|Function) (?:result|output|response))s?\s*:"
    r"|(?<=\n)(?:User|Human)\s*:"
    r"|^(?:\d+ results?|No results) for \"",
    re.MULTILINE | re.IGNORECASE,
)
# What may stand between two calls of one group: white space, commas, tokens of chat templates.
_BETWEEN = re.compile(r"(?:[\s,;`\]]|<\|[a-z_]+\|>|<｜[^｜<>]+｜>)*")


def parse(reply: str, tools: Tools) -> ParsedReply:
    """The parsed reply, without the model's thoughts; see `ParsedReply`."""
    text = without_thoughts(reply)
    fabricated = _FABRICATED.search(text)
    end = fabricated.start() if fabricated else len(text)
    group = _first_group(text, [call for call in _calls(text, tools) if call.start < end])
    if group and not _BETWEEN.fullmatch(text, group[-1].end, end):
        end = group[-1].end  # what follows is a fabricated result, or an answer from it
    before = text[: group[0].start if group else end].strip()
    thoughts = len(reply) - len(text)
    return ParsedReply(before, tuple(group), thoughts + end if end < len(text) else None)


def without_thoughts(reply: str) -> str:
    """The reply behind its thoughts; "" if they never end."""
    _, closed, after = reply.rpartition("</think>")
    if not closed and reply.lstrip().startswith("<think>"):
        return ""
    return after


def _calls(text: str, tools: Tools) -> list[TextCall]:
    """All calls in a text, except those inside another one or inside a cited quotation."""
    found: list[TextCall] = []
    quoted = [(quotation.start, quotation.end) for quotation in quotations(text)]
    for form in FORMS:
        for match in islice(form.opening.finditer(text), MAX_OPENINGS):
            taken = (*quoted, *((call.start, call.end) for call in found))
            if not any(start <= match.start() < end for start, end in taken):
                found += form.read(text, match, tools)
    return sorted(found, key=lambda call: call.start)


def _first_group(text: str, calls: Sequence[TextCall]) -> list[TextCall]:
    """The first run of adjacent calls: later ones were written without the first results."""
    group = list(calls[:1])
    for call in calls[1:]:
        same_body = call.start == group[-1].start
        if not (same_body or _BETWEEN.fullmatch(text, group[-1].end, call.start)):
            break
        group.append(call)
    return group


# ---- The forms


@dataclass(frozen=True, slots=True)
class Form:
    """One notation of calls: the models that use it, its opening, and its parser."""

    who: str
    opening: re.Pattern[str]
    read: Callable[[str, re.Match[str], Tools], list[TextCall]]


_CLOSED = re.compile(
    r"</\|?(?:tool_calls?|function_?calls?|tool_code|tools?|action)\|?>|<\|/tool_calls?\|>"
    r"|<\|tool_calls?(?:_section)?_end\|>|<｜tool▁calls?▁end｜>|\[/TOOL_CALLS?\]|<\|eom_id\|>"
)


def _tagged(text: str, match: re.Match[str], tools: Tools) -> list[TextCall]:
    """Calls between tags; the closing tag may be missing."""
    closed = _CLOSED.search(text, match.end())
    body = text[match.end() : closed.start() if closed else len(text)]
    found, length = _leading(body, tools)
    if not found:
        found, length = _intended(body.strip(), tools), len(body)
    return _placed(match.start(), closed.end() if closed else match.end() + length, found)


def _fenced(text: str, match: re.Match[str], tools: Tools) -> list[TextCall]:
    """Calls in a code block of calls only, or at the beginning of one that is not closed."""
    closed = text.find("```", match.end())
    body = text[match.end() : closed if closed >= 0 else len(text)]
    found, length = _leading(body, tools)
    if closed >= 0 and not _BETWEEN.fullmatch(body, length):
        return []
    return _placed(match.start(), closed + 3 if closed >= 0 else match.end() + length, found)


def _named_tag(text: str, match: re.Match[str], tools: Tools) -> list[TextCall]:
    """A call as a tag with the tool's name around the arguments."""
    name, tag = _plain(match["name"]), match.groupdict().get("tag")
    if tag is None and name not in tools:
        return []  # other mark-up: only a tool's name is a call
    closed = re.compile(rf"</{re.escape(tag or match['name'])}\s*>").search(text, match.end())
    body = text[match.end() : closed.start() if closed else len(text)].strip()
    end = closed.end() if closed else len(text)
    return [TextCall(match.start(), end, name, object_in(body) or body)]


def _empty_tag(text: str, match: re.Match[str], tools: Tools) -> list[TextCall]:
    """A call as a tag with the tool's name and the arguments as attributes."""
    given = dict(re.findall(r"(?<![\w-])([\w-]+)\s*=\s*[\"']([^\"']*)[\"']", match["attributes"]))
    name = _plain(match["name"])
    return [TextCall(match.start(), match.end(), name, given)] if name in tools else []


def _named(text: str, match: re.Match[str], tools: Tools) -> list[TextCall]:
    """A name behind a marker, then the arguments: an object, else the rest of the line."""
    value, end = value_at(text, match.end())
    if isinstance(value, dict):
        return [TextCall(match.start(), end, _plain(match["name"]), value)]
    line_end = text.find("\n", match.end())
    end = line_end if line_end >= 0 else len(text)
    return [TextCall(match.start(), end, _plain(match["name"]), text[match.end() : end].strip())]


def _bare_json(text: str, match: re.Match[str], tools: Tools) -> list[TextCall]:
    """The calls in a JSON object, or a list of them, with the keys of a call."""
    value, end = value_at(text, match.start())
    alone = not text[: match.start()].strip()
    return _placed(match.start(), end, list(_as_calls(value, tools, nameless=alone)))


def _bare_python(text: str, match: re.Match[str], tools: Tools) -> list[TextCall]:
    """A line of Python that calls a tool by name, possibly in brackets or in print()."""
    found, length = _python(text[match.start() :], tools)
    end = match.start() + length
    rest = text[end:].partition("\n")[0]
    return _placed(match.start(), end, found) if _BETWEEN.fullmatch(rest) else []


_NAME = r"[A-Za-z_][\w.\-/]{0,63}(?::\d+)?"
_TAG = r"tool_calls?|function_?calls?|tool_code|tools?|action"
_ATTRIBUTES = r"(?:\s+[\w-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))+"
FORMS: tuple[Form, ...] = (
    Form("Hermes, Qwen, Granite, GLM", re.compile(rf"<\|?(?:{_TAG})\|?>(?!\s*<[|｜])"), _tagged),
    Form(
        "Qwen Coder, Llama 3.1, Claude",
        re.compile(
            rf"<(?P<tag>function|invoke|tool)(?:=|\s+name\s*=)\s*[\"']?(?P<name>{_NAME})[\"']?\s*>"
        ),
        _named_tag,
    ),
    Form(
        "Kimi, DeepSeek",
        re.compile(
            r"(?:(?:<\|tool_calls_section_begin\|>|<｜tool▁calls▁begin｜>)\s*)?"
            r"(?:<\|tool_call_begin\|>|<｜tool▁call▁begin｜>(?:function)?(?:<｜tool▁sep｜>)?)\s*"
            rf"(?P<name>{_NAME})\s*(?:<\|tool_call_argument_begin\|>|<｜tool▁sep｜>)?\s*(?:```\w*)?"
        ),
        _named,
    ),
    Form(
        "gpt-oss",
        re.compile(rf"(?:<\|channel\|>\w+\s*)?to=(?P<name>{_NAME})[^{{\n]{{0,80}}<\|message\|>"),
        _named,
    ),
    Form(
        "Mistral, newer",
        re.compile(rf"\[TOOL_CALLS\]\s*(?P<name>{_NAME})\s*(?:\[ARGS\]|(?=\{{))"),
        _named,
    ),
    Form("Mistral, Llama", re.compile(r"\[TOOL_CALLS?\]|<\|python_tag\|>"), _tagged),
    Form(
        "ReAct",
        re.compile(rf"(?mi)^Action\s*:\s*`?(?P<name>{_NAME})`?\s*\nAction Input\s*:\s*(?:```\w*)?"),
        _named,
    ),
    Form("Gemma, GPT: a code block", re.compile(r"```\w*[ \t]*\n?"), _fenced),
    Form("the tool as a tag", re.compile(rf"<(?P<name>{_NAME})>"), _named_tag),
    Form(
        "the tool as an empty tag",
        re.compile(rf"<(?P<name>{_NAME})(?P<attributes>{_ATTRIBUTES})\s*/?>"),
        _empty_tag,
    ),
    Form(
        "JSON and nothing around it",
        re.compile(r"(?:(?<=[\s:>])|\A)[\[{](?=\s*[\[{\"'])"),
        _bare_json,
    ),
    Form(
        "Python and nothing around it",
        re.compile(rf"(?m)^[ \t]*\[?(?:print\()?{_NAME}\("),
        _bare_python,
    ),
)


# ---- Bodies

_NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
_ARGUMENT_KEYS = (
    *("arguments", "parameters", "args", "params", "input", "kwargs"),
    *("action_input", "tool_input"),
)
_LIST_KEYS = ("tool_calls", "tool_uses", "calls", "actions")
_NOT_ARGUMENTS = frozenset({"id", "type", "thought", "reason"})
_PYTHON = re.compile(rf"\s*(?:{_NAME}\(|\[(?=\s*{_NAME}\())")
_AROUND_NAME = re.compile(r"^(?:functions?|tools?|default_api)[./]|:\d+$")


def _placed(start: int, end: int, found: Sequence[tuple[str, Arguments]]) -> list[TextCall]:
    """The calls of one body, each with the range of the body."""
    return [TextCall(start, end, name, arguments) for name, arguments in found]


def _leading(body: str, tools: Tools) -> tuple[list[tuple[str, Arguments]], int]:
    """The calls that a body begins with, in JSON or in Python, and the position of their end."""
    found: list[tuple[str, Arguments]] = []
    at = 0
    while True:
        gap = _BETWEEN.match(body, at)
        start = gap.end() if gap else at
        value, end = value_at(body, start)
        calls = list(_as_calls(value, tools, nameless=True))
        if not calls:
            calls, length = _python(body[start:], tools)
            end = start + length
        if not calls:
            return found, at
        found, at = found + calls, end


def _intended(body: str, tools: Tools) -> list[tuple[str, Arguments]]:
    """The intended call of a tag around other text: a name, and the rest unparsed.

    The toolbox then reports the error in the rest.
    """
    inner = re.match(rf"<(?:function|invoke)(?:=|\s+name=)[\"']?(?P<name>{_NAME})[\"']?\s*>", body)
    leading = inner or re.match(rf"(?P<name>{_NAME})(?=\s*(?:[{{<]|\Z))", body)
    if leading and (inner or body[leading.end() :] or _plain(body) in tools):
        rest = body[leading.end() :].strip()
        return [(_plain(leading["name"]), object_in(rest) or rest)]
    named = re.search(rf"[\"'](?:name|tool)[\"']\s*:\s*[\"'](?P<name>{_NAME})[\"']", body)
    if named is None:
        return []
    given = re.search(r"[\"'](?:arguments|parameters|args)[\"']\s*:\s*(.*)", body, re.DOTALL)
    return [(_plain(named["name"]), given[1].strip() if given else body)]


def _python(body: str, tools: Tools) -> tuple[list[tuple[str, Arguments]], int]:
    """The calls of known tools that a Python text begins with, and the position of their end."""
    body = body[:MAX_VALUE_CHARS]
    opening = _PYTHON.match(body)
    if opening is None:
        return [], 0
    end = bracket_end(body, opening.end() - 1)
    calls = [(_plain(ast.unparse(call.func)), call) for call in python_calls(body[:end])]
    if not all(name in tools for name, _ in calls):
        return [], 0
    return [(name, python_arguments(call, list(tools[name][0]))) for name, call in calls], end


def _as_calls(value: object, tools: Tools, *, nameless: bool) -> Iterator[tuple[str, Arguments]]:
    """The calls in a JSON value; with `nameless`, also arguments that fit exactly one tool."""
    if isinstance(value, list):
        for item in value:
            yield from _as_calls(item, tools, nameless=nameless)
    if not isinstance(value, dict):
        return
    listed = next((value[key] for key in _LIST_KEYS if isinstance(value.get(key), list)), None)
    if listed is not None:
        yield from _as_calls(listed, tools, nameless=nameless)
        return
    call = _as_call(value, tools)
    if call is not None:
        yield call
    elif nameless:
        fitting = [
            name
            for name, (known, needed) in tools.items()
            if set(needed) <= set(value) <= set(known)
        ]
        if len(fitting) == 1:
            yield fitting[0], dict(value)


def _as_call(value: Mapping[str, Any], tools: Tools) -> tuple[str, Arguments] | None:
    """The call that an object represents; None if it does not."""
    for key in _NAME_KEYS:
        inner = value.get(key)
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            return _as_call(inner, tools)
        if isinstance(inner, str) and re.fullmatch(_NAME, inner):
            given = [value[k] for k in _ARGUMENT_KEYS if k in value]
            if given:
                return _plain(inner), _arguments(given[0])
            rest = {k: v for k, v in value.items() if k != key and k not in _NOT_ARGUMENTS}
            return (_plain(inner), rest) if _plain(inner) in tools else None
    if len(value) == 1:
        ((key, inner),) = value.items()
        if _plain(key) in tools and isinstance(inner, dict | str):
            return _plain(key), inner
    return None


def _arguments(given: object) -> Arguments:
    if isinstance(given, dict | str):
        return given
    return {} if given is None else json.dumps(given, default=str)


def _plain(name: str) -> str:
    """A tool's name without the decoration that models add."""
    name = name.strip().strip("`\"'")
    for _ in range(2):
        name = _AROUND_NAME.sub("", name)
    return name.replace("-", "_")
