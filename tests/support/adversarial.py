"""Strings that are made to cost a pattern more than its length: from the pattern's own pieces.

A pattern is taken apart as the standard library parses it. What it begins with, again and again and
never finished, and each of its repetitions, long, is what makes a search start or go back often.
"""

from __future__ import annotations

import ast
import importlib
import math
import pkgutil
import re
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import regex

Pattern = Any  # re.Pattern of text or bytes, or regex.Pattern: they have no common type
_PROPERTY = re.compile(r"\\[pP]\{\^?([^}]*)\}")
_CHARACTERS = {"Han": "中", "N": "7", "Nd": "7", "Sc": "$", "P": ".", "Z": " ", "Lu": "A"}
_OTHER = "\x01"  # what next to nothing matches
_ALWAYS = (*" \n\t-_a0A.,:;(<[{\"'\\>=*#|/中", "a ", "a\n", "\n ", "1,", "a.", "> ")


def modules(*packages: str) -> Iterator[ModuleType]:
    """The modules of the packages, imported."""
    for name in packages:
        package = importlib.import_module(name)
        yield package
        for each in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not each.name.endswith("__main__"):
                yield importlib.import_module(each.name)


@dataclass(frozen=True)
class Used:
    """A pattern of the program, by the name it has there and the methods that are called on it."""

    name: str
    pattern: Pattern
    methods: frozenset[str]

    def seconds(self, text: str, limit: float) -> float:
        """Processor time of the costliest use on a text; infinite past the limit."""
        return max(_seconds(self.pattern, each, text, limit) for each in self.methods)


_SEARCHES = frozenset({"sub", "subn", "search", "findall", "finditer", "split"})
_METHODS = _SEARCHES | {"match", "fullmatch"}


def patterns_of(module: ModuleType) -> Iterator[Used]:
    """All patterns that a module holds, also in containers, or writes where it uses them."""
    seen: set[int] = set()
    tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
    calls = _calls(tree)
    for name, value in vars(module).items():
        if not name.startswith("__"):
            for found in _held(value, 0, seen):
                alone = found is value
                methods = calls.get(name if alone else "") or {"search"}
                yield Used(f"{module.__name__}.{name}", found, frozenset(methods))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (written := _written(node)) is not None:
            found, method = written
            yield Used(f"{module.__name__}:{node.lineno}", found, frozenset({method}))


def _calls(tree: ast.AST) -> dict[str, set[str]]:
    """The methods of patterns by the name that they are called on; "" for all that are local."""
    calls: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _METHODS:
            value = node.value
            name = value.id if isinstance(value, ast.Name) else ""
            name = value.attr if isinstance(value, ast.Attribute) else name
            if name not in ("re", "regex"):
                is_local = not name.strip("_").isupper()
                if not (is_local and node.attr == "split"):  # of a string, most likely
                    calls.setdefault("" if is_local else name, set()).add(node.attr)
    return calls


def _held(value: object, depth: int, seen: set[int]) -> Iterator[Pattern]:
    if id(value) in seen or depth > 4:
        return
    seen.add(id(value))
    if isinstance(value, (re.Pattern, regex.Pattern)):
        yield value
    elif isinstance(value, dict):
        for each in (*value, *value.values()):
            yield from _held(each, depth + 1, seen)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for each in value:
            yield from _held(each, depth + 1, seen)
    elif is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            yield from _held(getattr(value, part.name), depth + 1, seen)
    elif hasattr(value, "cache_info") and _makes_a_pattern(value):
        yield from _held(value(), depth + 1, seen)


def _makes_a_pattern(value: Any) -> bool:
    wrapped = value.__wrapped__
    takes_none = wrapped.__code__.co_argcount == 0
    return takes_none and "Pattern" in str(wrapped.__annotations__.get("return"))


def _written(node: ast.Call) -> tuple[Pattern, str] | None:
    """A pattern, and the method, that stands as a literal in a call such as re.sub(…)."""
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return None
    if function.value.id not in ("re", "regex") or function.attr not in _METHODS:
        return None
    first = node.args[0]
    if not isinstance(first, ast.Constant):
        return None
    compiled = (re if function.value.id == "re" else regex).compile(first.value)
    return compiled, function.attr


@dataclass(frozen=True)
class Hostile:
    """A text of any length: what stands first, what is repeated, what stands last."""

    first: str
    repeated: str
    last: str

    def of(self, size: int) -> str:
        """The text with about so many characters."""
        return self.first + self.repeated * max(1, size // len(self.repeated)) + self.last


def hostile(pattern: Pattern) -> list[Hostile]:
    """Texts that could make a pattern start or go back often."""
    units = dict.fromkeys(Hostile("", each, "") for each in _ALWAYS)
    for atoms in _sequences(pattern):
        begun = ""
        for atom in atoms:
            for inner in _repeated(atom):
                units[Hostile(begun, inner, _OTHER)] = None
                units[Hostile("", inner, "")] = None
                units[Hostile("", begun + inner * 60, "")] = None
            begun += _sample(atom)
            for joint in ("", "\n", " "):
                units[Hostile("", begun + joint, "")] = None
    return [each for each in units if each.repeated]


def _sequences(pattern: Pattern) -> Iterable[list[Any]]:
    """The ways through a pattern, as lists of items; none where only `regex` understands it."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    text = _PROPERTY.sub(lambda found: _CHARACTERS.get(found[1].split("=")[-1], "a"), text)
    try:
        tree = parser.parse(text, pattern.flags & re.VERBOSE)
    except re.error:
        return []
    return _ways(list(tree))[:24]


def _ways(items: list[Any]) -> list[list[Any]]:
    ways: list[list[Any]] = [[]]
    for code, value in items:
        if code is codes.SUBPATTERN:
            inner = _ways(list(value[3]))
        elif code is codes.ATOMIC_GROUP:
            inner = _ways(list(value))
        elif code is codes.BRANCH:
            inner = [way for branch in value[1] for way in _ways(list(branch))]
        else:
            inner = [[(code, value)]]
        ways = [[*way, *each] for each in inner[:12] for way in ways][:24]
    return ways


_REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}


def _repeated(item: Any) -> Iterator[str]:
    """What an item repeats, if it repeats often; so do the items within."""
    code, value = item
    if code in _REPEATS:
        _, most, inner = value
        ways = _ways(list(inner))
        if most is codes.MAXREPEAT or most > 8:
            yield from filter(None, ("".join(map(_sample, way)) for way in ways[:6]))
        for way in ways[:6]:
            for each in way:
                yield from _repeated(each)


def _sample(item: Any) -> str:
    """A text that an item matches."""
    code, value = item
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if code is codes.ANY:
        return "a"
    if code is codes.IN:
        return _of_set(value)
    if code in _REPEATS:
        least, most, inner = value
        if not least and len(list(inner)) == 1 and most == 1:
            return ""
        return "".join(map(_sample, _ways(list(inner))[0])) * max(least, 1)
    return ""  # places, looks around, references


_KINDS = {
    codes.CATEGORY_DIGIT: "7",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_NOT_WORD: "-",
}


def _of_set(members: list[Any]) -> str:
    first, *_ = members
    if first[0] is codes.NEGATE:
        for each in "a b7-.\n":
            if not any(_is_in(each, member) for member in members[1:]):
                return each
        return _OTHER
    code, value = first
    if code is codes.RANGE:
        return chr(value[0])
    return _KINDS[value] if code is codes.CATEGORY else chr(value)


def _is_in(character: str, member: Any) -> bool:
    code, value = member
    if code is codes.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if code is codes.CATEGORY:
        return _KINDS[value] == character or (value is codes.CATEGORY_SPACE and character.isspace())
    return bool(value == ord(character))


class _Late(Exception):
    """A pattern took longer than its limit."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raises _Late after so much processor time; the engine of `re` looks for signals itself."""

    def ring(number: int, frame: object) -> None:
        raise _Late

    former = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)


def _seconds(pattern: Pattern, method: str, text: str, limit: float) -> float:
    subject: Any = text
    if isinstance(pattern.pattern, bytes):
        subject = text.encode("latin-1", "replace")
    start = time.process_time()
    timeout = {"timeout": limit} if isinstance(pattern, regex.Pattern) else {}
    try:
        with _limited(limit):
            if method in ("match", "fullmatch"):
                getattr(pattern, method)(subject, **timeout)
            else:
                deque(pattern.finditer(subject, **timeout), maxlen=0)
    except (_Late, TimeoutError):
        return math.inf
    return time.process_time() - start


_QUICK = 0.03  # seconds for 32,000 characters: what is linear takes a third of it at most


def grows(used: Used, unit: Hostile, ratio: float = 9.0, limit: float = 2.0) -> bool:
    """Whether four times the text takes more than `ratio` times as long: linear is 4, square 16.

    What is quick is not compared; what is slow is measured twice more, for a machine may be busy.
    """
    if used.seconds(unit.of(8_000), limit) < _QUICK / 4**3:
        return False  # a cube of it would still be quick for four times as many
    first = used.seconds(unit.of(32_000), limit)
    if first < _QUICK or first == math.inf:
        return first == math.inf  # 200 times what is linear takes: no machine is that busy
    for _ in range(3):
        short, long = (used.seconds(unit.of(size), limit) for size in (16_000, 64_000))
        if long < math.inf and long <= ratio * short:
            return False
    return True
