"""The two tools of one conversation: their specifications, and calls as a model makes them.

Checks arguments and remembers what the conversation already holds; search.py and read.py do the
rest. Called by the agent loop; nothing that a model writes raises here.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from corpus_agent.corpus import MAX_WINDOW_LINES, Corpus
from corpus_agent.tools import read, search
from corpus_agent.tools.frame import Frame, label

Arguments = dict[str, Any]
_WHOLE = re.compile(r"\s*[+-]?\d{1,18}\s*")
MAX_WHOLE = 10**18  # beyond any line number, and within 64 bits
MAX_SHOWN_VALUE = 60  # characters


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told of a tool; `schema` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


SPECS = (
    ToolSpec(search.NAME, search.DESCRIPTION, MappingProxyType(search.SCHEMA)),
    ToolSpec(read.NAME, read.DESCRIPTION, MappingProxyType(read.SCHEMA)),
)


class Toolbox:
    """vectordb_search and vectordb_read over one corpus, for one conversation."""

    def __init__(self, corpus: Corpus, frame: Frame) -> None:
        self._corpus = corpus
        self._frame = frame
        self._given: set[tuple[str | int, ...]] = set()
        self._shown: dict[str, str] = {}

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools, and there are no others."""
        return SPECS

    def call(self, name: str, arguments: Mapping[str, Any] | str | None) -> str:
        """The tool's text, a one-line notice for an exact repeat, or one text from `Error:` on."""
        tools: dict[str, Callable[[Arguments], str]] = {
            search.NAME: self._search,
            read.NAME: self._read,
        }
        if name not in tools:
            return _unknown_tool(name)
        spec = next(spec for spec in SPECS if spec.name == name)
        checked = check_arguments(spec, arguments)
        return checked if isinstance(checked, str) else tools[name](checked)

    def source_of(self, shown: str) -> str:
        """The source that the tools have shown under this name, or the name itself."""
        return self._shown.get(shown, shown)

    def _search(self, arguments: Arguments) -> str:
        query = " ".join(arguments["query"].split())
        notice = (
            f'Already searched in this conversation: "{_short(query)}". '
            f"See the results above, or search with other words."
        )
        return self._once(
            (search.NAME, query),
            notice,
            lambda: search.run(self._corpus, self._frame, query, self._shown),
        )

    def _read(self, arguments: Arguments) -> str:
        source = self.source_of(arguments["source"])
        offset = arguments.get("offset", 1)
        limit = arguments.get("limit", MAX_WINDOW_LINES)
        notice = (
            f"Already read in this conversation: {label(source)} from line {offset}. "
            f"See the text above, or read on with another offset."
        )
        return self._once(
            (read.NAME, source, offset, limit),
            notice,
            lambda: read.run(self._corpus, self._frame, source, offset, limit),
        )

    def _once(self, key: tuple[str | int, ...], notice: str, answer: Callable[[], str]) -> str:
        """The answer the first time, then the notice; an error does not count as given."""
        if key in self._given:
            return notice
        text = answer()
        if not text.startswith("Error:"):
            self._given.add(key)
        return text


def check_arguments(spec: ToolSpec, arguments: Mapping[str, Any] | str | None) -> Arguments | str:
    """The arguments with the types of the schema, or the error text that lists every problem."""
    given = _object(arguments)
    if isinstance(given, str):
        return _error(spec, [given])
    properties: dict[str, dict[str, Any]] = spec.schema["properties"]
    required: list[str] = spec.schema["required"]
    checked: Arguments = {}
    problems: list[str] = []
    for key, value in given.items():
        if key not in properties:
            problems.append(_unknown_argument(key, list(properties)))
        elif value is not None or key in required:
            wanted = properties[key]
            checked[key] = _KINDS[wanted["type"]][1](value)
            if checked[key] is None or checked[key] not in wanted.get("enum", [checked[key]]):
                problems.append(_wrong(key, wanted, value))
    problems += [f"{key!r} is missing" for key in required if key not in given]
    return _error(spec, problems) if problems else checked


def _object(arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any] | str:
    """The arguments as an object, or what is wrong with them as a whole."""
    value: Any = arguments
    for _ in range(2):  # some models encode the object twice
        if isinstance(value, str):
            try:
                value = json.loads(value or "{}")
            except json.JSONDecodeError as error:
                return f"the arguments are not valid JSON ({error})"
            except (ValueError, RecursionError):
                return "the arguments are not valid JSON (too long a number, or nested too deeply)"
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        return f"the arguments must be a JSON object, not {_shown(value)}"
    return value


def _text(value: object) -> str | None:
    """The string, or None; half a surrogate pair is no text and would fail in every encoder."""
    if isinstance(value, str) and not re.search("[\ud800-\udfff]", value):
        return value
    return None


def _whole(value: object) -> int | None:
    """The whole number, also where a model wrote it as a string or as 12.0; else None."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, bool) or not isinstance(number, int) or abs(number) > MAX_WHOLE:
        return None
    return number


def _flag(value: object) -> bool | None:
    """True or false, also where a model wrote it as a string; else None."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


# For each JSON type that a schema here uses: what it is called, and the value of it, if it is one.
_KINDS: dict[str, tuple[str, Any]] = {
    "string": ("text", _text),
    "integer": ("a whole number", _whole),
    "boolean": ("true or false", _flag),
}


def _wrong(key: str, wanted: Mapping[str, Any], value: object) -> str:
    noun = " or ".join(wanted["enum"]) if "enum" in wanted else _KINDS[wanted["type"]][0]
    return f"{key!r} must be {noun}, not {_shown(value)}"


def _unknown_argument(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    return f"there is no {_short(key)!r}" + (f" (do you mean {close[0]!r}?)" if close else "")


def _error(spec: ToolSpec, problems: list[str]) -> str:
    return (
        f"Error: {spec.name} was not run: {'; '.join(problems)}. "
        f"Call it again with arguments of this schema: {_schema(spec)}"
    )


def _unknown_tool(name: str) -> str:
    tools = "; ".join(f"{spec.name} {_schema(spec)}" for spec in SPECS)
    return (
        f"Error: there is no tool {_short(name)!r}. "
        f"Call one of these two, with arguments of the schema behind it: {tools}"
    )


def _schema(spec: ToolSpec) -> str:
    return json.dumps(dict(spec.schema), ensure_ascii=False)


def _shown(value: object) -> str:
    try:
        return _short(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__


def _short(text: str) -> str:
    line = label(text)
    return line if len(line) <= MAX_SHOWN_VALUE else f"{line[:MAX_SHOWN_VALUE]}…"
