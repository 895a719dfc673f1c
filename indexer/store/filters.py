"""Filters of documents, `type=pdf date>=2024-03 tag:tax`, and paths. Pure.

Every term must hold; several values with commas between are alternatives; `!=` is exactly what `=`
is not, so that a document without a value is among it.
"""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import PurePosixPath

from indexer.errors import UsageError
from indexer.files.ignore import MAX_PATTERN_CHARS, compiled
from indexer.files.paths import may_be_named
from indexer.records import STATUSES, FileRow

Value = str | int

MAX_CHARS = 2_000
MAX_SHOWN = 40  # of what is wrong
_TERM = re.compile(r'(?<![^\W\d_])([^\W\d_]++)(!=|<=|>=|=|<|>|:)("[^"]*"|[^\s"]\S*)?')
_NUMBER = re.compile(r"([0-9]{1,15})(k|kb|m|mb|g|gb)?", re.ASCII)
_DAY = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?", re.ASCII)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_ORDERED: dict[str, Callable[[Value, Value], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_WORDS = ("path", "type", "title", "author", "tag", "language", "status")
_NUMBERS = ("pages", "lines", "bytes", "passages")
_DAYS = ("date", "modified")
_COLUMNS = {  # of a file's row, where they are called otherwise
    "type": "extractor",
    "tag": "tags",
    "modified": "mtime_ns",
    "passages": "chunks",
}
KNOWN = (
    f"There is: {', '.join(_WORDS)} (= is, : holds, != is not; several with commas), "
    f"{', '.join(_NUMBERS)} and {', '.join(_DAYS)} (= != < <= > >=; 10, 2mb, 2024, 2024-03-12)."
)


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: a property, how it is compared, and the values that it may have."""

    key: str
    comparison: str
    values: tuple[Value, ...]

    def matches(self, row: FileRow) -> bool:
        """Whether a file has it; a path is no property of a row, and is selected elsewhere."""
        how = "=" if self.comparison == "!=" else self.comparison
        pairs = itertools.product(_held(row, self.key), self.values)
        has = any(_compares(self.key, how, held, value) for held, value in pairs)
        return has != (self.comparison == "!=")


def parse_filter(text: str) -> tuple[Term, ...]:
    """The terms of an expression; none of an empty one."""
    if len(text) > MAX_CHARS:
        raise UsageError(f"A filter of {len(text):,} characters; at most {MAX_CHARS:,}.", KNOWN)
    terms, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        found = _TERM.match(text, at)
        if found is None:
            raise _wrong(text, at, f"{_shown(text[at:].split()[0])} is no condition")
        terms.append(_term(text, found))
        at = found.end()
        if at < len(text) and not text[at].isspace():
            raise _wrong(text, at, f"{_shown(text[at:].split()[0])} stands behind a value")
    return tuple(terms)


def _term(text: str, found: re.Match[str]) -> Term:
    key, comparison, written = found[1].casefold(), found[2], found[3] or ""
    if key not in (*_WORDS, *_NUMBERS, *_DAYS):
        raise _wrong(text, found.start(1), f"{_shown(found[1])} is no property")
    if comparison in _ORDERED if key in _WORDS else comparison == ":":
        raise _wrong(text, found.start(2), f"{key} is not compared by {comparison}")
    parts = [written[1:-1]] if written[:1] == '"' else written.split(",")
    if "" in parts or written[0] in "=<>!:":
        raise _wrong(text, found.end(2), f"no value is behind {key}{comparison}")
    return Term(key, comparison, tuple(_value(text, found.end(2), key, part) for part in parts))


def _value(text: str, at: int, key: str, written: str) -> Value:
    if key in _NUMBERS:
        if number := _NUMBER.fullmatch(written.casefold()):
            return int(number[1]) * _UNITS[(number[2] or "")[:1]]
        wanted = "a number"
    elif key in _DAYS:
        if is_period(written):
            return written
        wanted = "2024, 2024-03 or 2024-03-12"
    elif key == "status" and written.casefold() not in STATUSES:
        wanted = f"one of {', '.join(STATUSES)}"
    else:
        return written if key == "path" else _folded(written)
    raise _wrong(text, at, f"{key} is compared with {wanted}, not {_shown(written)}")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def is_period(written: str) -> bool:
    """Whether it is a day, a month or a year of the calendar, as 2024-03."""
    if not _DAY.fullmatch(written):
        return False
    try:
        date.fromisoformat((written + "-01-01")[:10])
    except ValueError:
        return False
    return True


def _wrong(text: str, at: int, what: str) -> UsageError:
    return UsageError(f"The filter {_shown(text, 200)}, character {at + 1}: {what}.", KNOWN)


def _shown(text: str, most: int = MAX_SHOWN) -> str:
    return repr(text if len(text) <= most else f"{text[:most]}…")


def _compares(key: str, comparison: str, held: Value, value: Value) -> bool:
    """Whether one value that a file has compares so with one that was asked for."""
    if isinstance(held, str) and isinstance(value, str):
        if key in _DAYS:
            held = held[: len(value)]
        elif comparison == ":" and key == "tag":  # and all tags below
            return f"{held}/".startswith(f"{value}/")
        elif comparison == ":" and key != "type":
            return value in held
    in_order = _ORDERED.get(comparison)
    return in_order(held, value) if in_order is not None else held == value


def _held(row: FileRow, key: str) -> Sequence[Value]:
    """The values of a file's property."""
    if key == "type":  # the ending of its name, and the extractor that read it
        read_by = (row.extractor or "").partition("/")[0]
        ending = PurePosixPath(row.source).suffix.removeprefix(".").casefold()
        return [name for name in (ending, read_by) if name]
    if key == "tag":
        return (row.tags or "").split()  # null in a table that another program wrote
    if key == "modified":
        return _day_of(row.mtime_ns)
    held: Value | None = getattr(row, _COLUMNS.get(key, key))
    if key in ("title", "author"):
        held = _folded(str(held or ""))
    return [] if held is None else [held]


def _day_of(mtime_ns: int) -> list[str]:
    """The day of a file's time, in the user's time zone; none where there is none such."""
    try:
        return [datetime.fromtimestamp(mtime_ns / 1e9).astimezone().date().isoformat()]
    except (ValueError, OverflowError, OSError):
        return []


# ---- Paths

_GLOB = frozenset("*?")  # brackets alone are part of a name
_CLASS = re.compile(r"\[[!^]?(?:[\w .]|-(?!-))+\]")  # one that means the same to everybody


def selector(path: str) -> Callable[[str], bool]:
    """Whether a source is one that a path selects: its beginning, or a glob of an ignore file."""
    bare = _CLASS.sub("", path)
    if not may_be_named(path) or len(path) > MAX_PATTERN_CHARS:
        raise _no_pattern(path)
    if not _GLOB & set(path):
        return lambda source: source.startswith(path)
    if "[" in bare or "\\" in bare:
        raise _no_pattern(path)
    rules = [*compiled([("", 0, f"\\{path}" if path[0] in "!#" else path)])]
    return lambda source: any(rule.matched(source.split("/"), False) for rule in rules)


def _no_pattern(path: str) -> UsageError:
    hint = "As in *.pdf, tax/** or 202[3-5]-*.md"
    return UsageError(f"{_shown(path, 200)} is not a pattern of paths.", hint)
