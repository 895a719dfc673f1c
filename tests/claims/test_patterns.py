"""No regular expression costs a document or a reply more than its length.

Each pattern of the program is fed what it begins with, again and again and never finished, and each
of its repetitions, long. Slow: there are hundreds of patterns.
"""

import ast
import importlib
import math
import pkgutil
import re
import signal
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import pytest
import regex

from corpus_agent.fields import lexicon
from corpus_agent.text.tokens import Lazy

Pattern = Any  # re.Pattern of text or bytes, or regex.Pattern: they have no common type
_PROPERTY = re.compile(r"\\[pP]\{\^?([^}]*)\}")
_CHARACTERS = {"Han": "中", "N": "7", "Nd": "7", "Sc": "$", "P": ".", "Z": " ", "Lu": "A"}
_OTHER = "\x01"  # what next to nothing matches
_ALWAYS = (*" \n\t-_a0A.,:;(<[{\"'\\>=*#|/中", "a ", "a\n", "\n ", "1,", "a.", "> ")
_WHOLE = {"match", "fullmatch"}
_METHODS = _WHOLE | {"sub", "subn", "search", "findall", "finditer", "split"}
_REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}


class Used(NamedTuple):
    """A pattern of the program, by the name it has there and the methods that are called on it."""

    name: str
    pattern: Pattern
    methods: frozenset[str]

    def seconds(self, text: str, limit: float) -> float:
        """Processor time of the costliest use on a text; infinite past the limit."""
        return max(_seconds(self.pattern, each, text, limit) for each in self.methods)


def patterns_of(module: ModuleType) -> Iterator[Used]:
    """All patterns that a module holds, also in containers, or writes where it uses them."""
    text = Path(module.__file__ or "").read_text("utf-8")
    for name, held in vars(module).items():
        value = held.compiled if isinstance(held, Lazy) else held
        called = re.findall(rf"\b{name}\.({'|'.join(_METHODS)})\b", text)
        for found in [] if name.startswith("__") else _held(value):
            methods = called if found is value and called else ["search"]
            yield Used(f"{module.__name__}.{name}", found, frozenset(methods))
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(
                ast.Attribute(ast.Name("re" | "regex" as library), method),
                [ast.Constant(written), *_],
            ) if method in _METHODS:
                compiled = (re if library == "re" else regex).compile(written)
                yield Used(f"{module.__name__}:{node.lineno}", compiled, frozenset({method}))
    if module is lexicon:  # its patterns stand in a table
        for name in lexicon.content()["document"]:
            found = lexicon.document(name)
            yield Used(f"{module.__name__}.document.{name}", found, frozenset({"search"}))


def _held(value: Any, depth: int = 0) -> Iterator[Pattern]:
    inner: list[Any] = []
    if isinstance(value, Lazy):
        value = value.compiled
    if isinstance(value, (re.Pattern, regex.Pattern)):
        yield value
    elif isinstance(value, (dict, tuple, list, set, frozenset)):
        inner = [*value, *(value.values() if isinstance(value, dict) else ())]
    elif is_dataclass(value) and not isinstance(value, type):
        inner = [getattr(value, part.name) for part in fields(value)]
    elif hasattr(value, "cache_info") and not value.__wrapped__.__code__.co_argcount:
        returned = str(value.__wrapped__.__annotations__.get("return"))
        inner = [value()] if "Pattern" in returned else []
    for each in inner if depth < 4 else []:
        yield from _held(each, depth + 1)


class Hostile(NamedTuple):
    """A text of any length: what stands first, what is repeated, what stands last."""

    first: str
    repeated: str
    last: str

    def of(self, size: int) -> str:
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


def _sequences(pattern: Pattern) -> list[list[Any]]:
    """The ways through a pattern, as lists of items; none where only `regex` understands it."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    text = _PROPERTY.sub(lambda found: _CHARACTERS.get(found[1].split("=")[-1], "a"), text)
    try:
        return _ways(list(parser.parse(text, pattern.flags & re.VERBOSE)))[:24]
    except re.error:
        return []


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


def _repeated(item: Any) -> Iterator[str]:
    """What an item repeats, if it repeats often; so do the items within."""
    code, value = item
    if code in _REPEATS:
        _, most, inner = value
        ways = _ways(list(inner))[:6]
        if most is codes.MAXREPEAT or most > 8:
            yield from filter(None, ("".join(map(_sample, way)) for way in ways))
        for way in ways:
            for each in way:
                yield from _repeated(each)


def _sample(item: Any) -> str:
    code, value = item
    if code in _REPEATS:
        least, most, inner = value
        if not least and len(list(inner)) == 1 and most == 1:
            return ""
        return "".join(map(_sample, _ways(list(inner))[0])) * max(least, 1)
    if code is codes.LITERAL:
        return chr(value)
    if code in (codes.IN, codes.NOT_LITERAL, codes.ANY):
        one = compiler.compile(parser.SubPattern(parser.State(), [item]))
        return next(filter(one.fullmatch, _TRIED), _OTHER)
    return ""  # places, looks around, references


_TRIED = ("a", "7", " ", "-", ".", "\n", "b", *map(chr, range(33, 127)), "中", "é")


class _Late(Exception):
    """A pattern took longer than its limit."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise _Late


def _seconds(pattern: Pattern, method: str, text: str, limit: float) -> float:
    """Processor time; the engine of `re` looks for signals itself, `regex` takes a timeout."""
    subject: Any = text
    if isinstance(pattern.pattern, bytes):
        subject = text.encode("latin-1", "replace")
    timeout = {"timeout": limit} if isinstance(pattern, regex.Pattern) else {}
    former, start = signal.signal(signal.SIGVTALRM, _ring), time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        if method in _WHOLE:
            getattr(pattern, method)(subject, **timeout)
        else:
            deque(pattern.finditer(subject, **timeout), maxlen=0)
    except (_Late, TimeoutError):
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)
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


# Searched for in one question, sentence, claim, quotation or draft of an answer, which tokens
# bound, or in a code of 255 characters; never in a document.
BOUNDED = {
    "indexer.extract.office.sheet_look._LITERAL",
    "corpus_agent.agent.request",
    "corpus_agent.answering.comparable._RANGE",  # the last 30 characters of a text
    "corpus_agent.answering.drafts._PLACE",
    "corpus_agent.answering.quotations._ELLIPSIS",
    "corpus_agent.answering.reading._ASKS_ALL",
    "corpus_agent.fields.lexicon.document.and",  # matched at places of 3,000 characters
    "corpus_agent.fields.lexicon.document.described",  # matched behind a name
    "corpus_agent.fields.lexicon.document.name",  # matched at one place
    "corpus_agent.text.tables",  # the last 400 characters of a line
    "corpus_agent.text.sentences",
    "corpus_agent.tools.search._UNIT",
    "corpus_agent.text.tokens._NAME",
}


def growing(package: str) -> list[tuple[str, Hostile]]:
    """The patterns of a package that take more than their length, each with what shows it."""
    found, seen = [], set()
    folder = importlib.import_module(package).__path__
    names = (each.name for each in pkgutil.walk_packages(folder, f"{package}."))
    modules = (importlib.import_module(name) for name in names if not name.endswith("__main__"))
    for used in (used for module in modules for used in patterns_of(module)):
        key = used.pattern.pattern, used.pattern.flags, used.methods
        if key in seen or used.name.startswith(tuple(BOUNDED)):
            continue
        seen.add(key)
        shows = next((unit for unit in hostile(used.pattern) if grows(used, unit)), None)
        found += [(used.name, shows)] if shows else []
    return found


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
@pytest.mark.parametrize("package", ["indexer", "corpus_agent"])
def test_no_pattern_costs_more_than_the_length_of_its_text(package):
    assert growing(package) == []


GROWING = {
    r"(?ms)^begin \w+\n.*?^end$": "sub",
    r"\s+$": "search",
    r"<a\b[^>]*>": "finditer",
    r"\d*\.?\d+(?:px|em)": "fullmatch",
}


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("pattern", GROWING)
def test_a_pattern_that_grows_would_be_found(pattern):
    used = Used("test", re.compile(pattern), frozenset({GROWING[pattern]}))
    assert any(grows(used, unit) for unit in hostile(used.pattern))


def test_a_pattern_that_does_not_grow_is_not_found():
    used = Used("test", re.compile(r"^begin \w+$"), frozenset({"match"}))
    assert not any(grows(used, unit) for unit in hostile(used.pattern))
