"""Objects as models write them: JSON, almost JSON, Python, or XML. Pure.

Reads literals only; nothing is executed. Called by text_tool_calls.py.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

MAX_VALUE_CHARS = 16_000  # of an object; a call is its name and a few words
_JSON = json.JSONDecoder(strict=False)
# The closing characters that a truncated reply, or a small model, omits at the end of an object.
_ENDINGS = ("", "}", "}}", '"}', '"}}', "}]", "]")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BEFORE_QUOTE = tuple("([{,:=")  # elsewhere a single quotation mark is an apostrophe
_PARAMETER = re.compile(
    r"<(?:parameter|param|arg)(?:=|\s+name\s*=)\s*[\"']?(?P<key>[\w-]+)[\"']?\s*>(?P<value>.*?)"
    r"(?:</(?:parameter|param|arg)>|(?=<(?:parameter|param|arg)\b)|\Z)",
    re.DOTALL,
)
_CHILD = re.compile(r"<(?P<key>[a-z_]+)>(?P<value>[^<]*)</(?P=key)>")
_KEYS_AND_VALUES = re.compile(
    r"<arg_key>(?P<key>[^<]*)</arg_key>\s*<arg_value>(?P<value>.*?)(?:</arg_value>|\Z)", re.DOTALL
)


def value_at(text: str, at: int) -> tuple[object, int]:
    """The object or list that begins at a character, and its end; None if there is none.

    Accepts Python literals, superfluous commas, and missing brackets at the end. One of more than
    MAX_VALUE_CHARS is none.
    """
    at = after_space(text, at)
    if text[at : at + 1] not in ("{", "["):
        return None, at
    piece = text[at : at + MAX_VALUE_CHARS]
    try:
        value, length = _JSON.raw_decode(piece)
    except (ValueError, RecursionError):
        length = bracket_end(piece, 0)
    else:
        return value, at + length
    if length == MAX_VALUE_CHARS < len(text) - at:
        return None, at
    for attempt in _repaired(piece[:length]):
        for read in (json.loads, ast.literal_eval):
            try:
                return read(attempt), at + length
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue  # TypeError: a set of objects, as in "{{}}"
    return None, at


def _repaired(piece: str) -> Iterator[str]:
    """The text without commas before closing brackets, completed with missing ones."""
    tidy = re.sub(r",(\s*[}\]])", r"\1", piece).rstrip().rstrip(",")
    return (tidy + missing for missing in _ENDINGS)


def object_in(text: str) -> dict[str, Any] | None:
    """The object that a text begins with, in braces or as XML parameters; None without one."""
    value, _ = value_at(text, 0)
    if isinstance(value, dict):
        return value
    for pattern in (_PARAMETER, _KEYS_AND_VALUES, _CHILD):
        found = {m["key"].strip(): m["value"].strip() for m in pattern.finditer(text)}
        if found:
            return found
    return None


def after_space(text: str, at: int) -> int:
    """The position of the next character that is not white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def bracket_end(text: str, at: int) -> int:
    """The position behind the matching closing bracket; the text's end if there is none."""
    missing: list[str] = []
    quote = before = ""
    skip = False
    for index in range(at, len(text)):
        char = text[index]
        if quote:
            quote = "" if char == quote and not skip else quote
            skip = char == "\\" and not skip
        elif char == '"' or (char == "'" and before in _BEFORE_QUOTE):
            quote = char
        elif char in _CLOSING:
            missing.append(_CLOSING[char])
        elif missing and char == missing[-1]:
            missing.pop()
            if not missing:
                return index + 1
        before = before if char.isspace() else char
    return len(text)


def python_calls(body: str) -> list[ast.Call]:
    """The calls of a text that consists of Python calls only: lines or a list, printed or not."""
    try:
        tree = ast.parse(body.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[ast.Call] = []
    for statement in tree.body:
        value = getattr(statement, "value", None)
        for node in value.elts if isinstance(value, ast.List | ast.Tuple) else [value]:
            while isinstance(node, ast.Call) and ast.unparse(node.func) == "print" and node.args:
                node = node.args[0]
            if not isinstance(node, ast.Call):
                return []
            found.append(node)
    return found


def python_arguments(call: ast.Call, keys: list[str]) -> dict[str, Any] | str:
    """The arguments of a call, positional ones under `keys`; its text if one is not a literal."""
    try:
        given = dict(zip(keys, map(ast.literal_eval, call.args), strict=False))
        given |= {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ast.unparse(call)
    return given
