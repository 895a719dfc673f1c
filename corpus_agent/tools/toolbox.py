"""The two tools of one conversation: their specifications (tools.toml), and a model's calls.

No input from a model raises here.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from corpus_agent.text.delimiters import Frame, label
from corpus_agent.text.naming import called, known, unambiguous
from corpus_agent.tools import read, search
from corpus_agent.tools.corpus import ToolCall, ToolResult, failure
from indexer import MAX_WINDOW_BYTES, MAX_WINDOW_LINES, Chunk

if TYPE_CHECKING:
    from corpus_agent.tools.corpus import CorpusView

Arguments = dict[str, Any]
_WHOLE = re.compile(r"\s*[+-]?\d{1,18}\s*")
MAX_WHOLE = 10**18  # beyond any line number, and within 64 bits
MAX_SHOWN_VALUE = 60  # characters


class Key(NamedTuple):
    """The key by which calls are compared: the query, or source and window."""

    tool: str
    what: str
    offset: int = 1
    limit: int = MAX_WINDOW_LINES


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The description of a tool for a model; `schema` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


def tool_specs(table: Path, known: Mapping[str, ToolSpec] = MappingProxyType({})) -> list[ToolSpec]:
    """The tools of a TOML table, in its order; of one that is `known` it only says more."""
    rows = tomllib.loads(table.read_text("utf-8"))
    return [_spec(name, row, known.get(name)) for name, row in rows.items()]


def _spec(name: str, row: Mapping[str, Any], known: ToolSpec | None) -> ToolSpec:
    description, takes, required = row.get("description", ""), row.get("takes", {}), []
    if known is None:
        required = row["required"]
    else:
        more = f"\n{row['more']}" if "more" in row else ""
        description = known.description.replace("\nExample:", f"{more}\nExample:")
        takes = {**known.schema["properties"], **takes}
        required = known.schema["required"]
    schema = {"type": "object", "properties": takes, "required": required}
    schema |= {"additionalProperties": False}
    return ToolSpec(name, description, MappingProxyType(schema))


KNOWN = {spec.name: spec for spec in tool_specs(Path(__file__).with_name("tools.toml"))}
SPECS = {name: KNOWN[name] for name in (search.NAME, read.NAME)}
ASK_CORPUS = KNOWN["ask_corpus"]  # a parent's: our own model never sees it


@dataclass
class Toolbox:
    """vectordb_search and vectordb_read over one corpus, for one conversation.

    `max_read_bytes` limits one read; hits of the document `about` come first.
    """

    corpus: CorpusView
    frame: Frame
    max_read_bytes: int = MAX_WINDOW_BYTES
    about: str | None = None
    calls: list[ToolCall] = field(default_factory=list)
    passages: list[Chunk] = field(default_factory=list)
    _given: dict[Key, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def call(self, name: str, arguments: Mapping[str, Any] | str | None) -> ToolResult:
        """The tool's result, a one-line notice for an exact repeat, or an error.

        A search is one of the same version of the index, so it is not run again; a file is read
        again, since it may have changed in between.
        """
        result = self._run(name, arguments)
        self.passages += result.passages
        given = arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)
        text = result.text.replace(self.frame.nonce, "nonce")
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        self.calls.append(ToolCall(name, given, digest, len(text), result.outcome))
        return result

    def _run(self, name: str, arguments: Mapping[str, Any] | str | None) -> ToolResult:
        spec = SPECS.get(name)
        if spec is None:
            return _unknown_tool(name)
        checked = check_arguments(spec, arguments)
        if isinstance(checked, ToolResult):
            return checked
        key = self._key(spec.name, checked)
        before = self._given.get(key)
        if before is not None and name == search.NAME:
            return ToolResult(_notice(key), "repeated")
        if name == search.NAME:
            result = self._search(key.what)
        else:
            window = (key.what, key.offset, key.limit, self.max_read_bytes)
            result = read.run(self.corpus, self.frame, *window)
        if result.text == before:
            return ToolResult(_notice(key), "repeated")
        if not result.failed:  # an error may be requested again
            self._given[key] = result.text
        return result

    def forget(self, name: str, arguments: Mapping[str, Any] | str | None) -> None:
        """Forget the result of a call, which left the model's window, so it may be repeated."""
        spec = SPECS.get(name)
        checked = check_arguments(spec, arguments) if spec else None
        if checked is not None and not isinstance(checked, ToolResult):
            self._given.pop(self._key(name, checked), None)

    def source_of(self, shown: str) -> str:
        """The source that the tools have shown under this name, or the name itself."""
        if len(shown) > 1 and shown[0] == shown[-1] in "'\"" and shown not in self._names:
            shown = shown[1:-1]  # errors quote names that no search has shown
        return self._names.get(shown) or unambiguous(shown)

    def _key(self, name: str, arguments: Arguments) -> Key:
        if name == search.NAME:
            return Key(name, " ".join(arguments["query"].split()))
        limit = arguments.get("limit", MAX_WINDOW_LINES)
        return Key(name, self.source_of(arguments["source"]), arguments.get("offset", 1), limit)

    def _search(self, query: str) -> ToolResult:
        result = search.run(self.corpus, self.frame, query, about=self.about)
        if not result.failed:
            # Computed again: a name that is ambiguous now was unique before.
            sources = (passage.source for passage in result.passages)
            self._names = known({*self._names.values(), *sources})
        return result


def _notice(key: Key) -> str:
    if key.tool == search.NAME:
        return (
            f'Already searched in this conversation: "{_short(key.what)}". '
            f"See the results above, or search with other words."
        )
    return (
        f"Already read in this conversation: {called(key.what)} from line {key.offset}. "
        f"See the text above, or read on with another offset."
    )


def check_arguments(
    spec: ToolSpec, arguments: Mapping[str, Any] | str | None
) -> Arguments | ToolResult:
    """The arguments with the types of the schema, or the error that lists every problem."""
    given = _object(arguments)
    if isinstance(given, str):
        return _error(spec, [given])
    properties: dict[str, dict[str, Any]] = spec.schema["properties"]
    required: list[str] = spec.schema["required"]
    checked: Arguments = {}
    problems: list[str] = []
    for key, value in given.items():
        if key not in properties:
            problems.append(f"there is no {_short(key)!r}")
        elif value is not None or key in required:
            wanted = properties[key]
            noun, read_as = _KINDS[wanted["type"]]
            checked[key] = found = read_as(value)
            if found is None or found not in wanted.get("enum", [found]):
                noun = " or ".join(wanted.get("enum", [noun]))
                problems.append(f"{key!r} must be {noun}, not {_shown(value)}")
    problems += [f"{key!r} is missing" for key in required if key not in given]
    return _error(spec, problems) if problems else checked


def _object(arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any] | str:
    """The arguments as an object, or the error message."""
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
    """The string, or None; a lone surrogate is rejected because encoders fail on it."""
    if isinstance(value, str) and not re.search("[\ud800-\udfff]", value):
        return value
    return None


def _whole(value: object) -> int | None:
    """The whole number, also if a model wrote it as a string or as 12.0; else None."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, bool) or not isinstance(number, int) or abs(number) > MAX_WHOLE:
        return None
    return number


def _flag(value: object) -> bool | None:
    """True or false, also if a model wrote it as a string; else None."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _texts(value: object) -> list[str] | None:
    """The strings of a list, also if a model wrote them as one with ";" between; else None."""
    listed = value.split(";") if isinstance(value, str) else value
    if not isinstance(listed, list) or any(_text(each) is None for each in listed):
        return None
    return listed


# For each JSON type in the schemas: its name in messages, and its parser.
_KINDS: dict[str, tuple[str, Any]] = {
    "string": ("text", _text),
    "integer": ("a whole number", _whole),
    "boolean": ("true or false", _flag),
    "array": ("a list of texts", _texts),
}


def _error(spec: ToolSpec, problems: list[str]) -> ToolResult:
    return failure(
        f"{spec.name} was not run: {'; '.join(problems)}. "
        f"Call it again with arguments of this schema: {_schema(spec)}",
        code="bad_argument",
    )


def _unknown_tool(name: str) -> ToolResult:
    tools = "; ".join(f"{spec.name} {_schema(spec)}" for spec in SPECS.values())
    return failure(
        f"there is no tool {_short(name)!r}. "
        f"Call one of these two, with arguments of the schema behind it: {tools}",
        code="unknown_tool",
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
