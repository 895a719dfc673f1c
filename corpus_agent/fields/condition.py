"""The documents that fulfil a condition in a person's words; one not understood is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Literal, cast

from corpus_agent.fields.amounts import (
    NO_UNIT,
    find_amounts,
    find_durations,
    unit_and_number,
    unit_of,
)
from corpus_agent.fields.lexicon import AMOUNTS, MENTION, WORDED, Field, FieldType, field_of
from corpus_agent.fields.page import FieldValue
from corpus_agent.fields.table import Cell, DocumentRow, FieldTable, ListVerdict, table_of
from corpus_agent.fields.terms import law_called
from corpus_agent.text.dates import add_duration, compare_durations, find_dates
from corpus_agent.text.tokens import fold
from indexer import UsageError

if TYPE_CHECKING:
    from indexer import Index

Sign = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]

MAX_CHARS = 500
UNDERSTOOD = (
    "Write a field, a sign and a value: corpus-agent list 'governing law = Florida', "
    "'rent > 1000 euros', 'expiry before 2026', 'parties contains Smith'; or 'without dog'."
)
_SIGNS: dict[str, Sign] = {
    "==": "=", "≠": "!=", "<>": "!=", "≤": "<=", "≥": ">=", "before": "<", "after": ">", "in": "=",
}  # fmt: skip
# What each sign wants of an order that is below 0, 0 or above 0.
_WANTED: dict[Sign, tuple[int, ...]] = {
    "=": (0,), "!=": (-1, 1), "<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1),
}  # fmt: skip
_QUOTES = "\"'“”„«»‘’"
_WITHOUT = re.compile(r"(?i)(?:documents )?without (?P<term>.+)")
_COMPARED = re.compile(
    r"(?P<field>[^=<>!≤≥≠]+?)"
    r"(?: ?(?P<sign>[=<>!]=|<>|[=<>≤≥≠])| (?P<word>(?i:contains|before|after|in)) )"
    r" ?(?P<value>[\"'“„«‘].*|[^=<>!≤≥≠]+)"  # another sign is another condition
)
_KINDS: tuple[FieldType, ...] = ("duration", "percent", "money", "number")
_PERIOD = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?", re.ASCII)
_STATE = re.compile(r"(?i)^(?:the )?(?:state|commonwealth) of | state$")  # New York State
_BETWEEN_NAMES = re.compile(r"; |, | and ")


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """A field and what its value is compared with; no sign: `without`; no currency: any."""

    field: Field
    shown: str
    sign: Sign | None = None
    value: str = ""
    currency: str = ""


def parse_condition(words: str) -> FieldCondition:
    """The condition that words state; raises UsageError with what is understood."""
    if len(words) > MAX_CHARS:
        raise UsageError(f"A condition of {len(words):,} characters; at most {MAX_CHARS}.")
    asked = " ".join(words.split()).strip(" ?¿¡")
    if without := _WITHOUT.fullmatch(asked):
        term = field_of(without["term"].strip(_QUOTES)).name
        return FieldCondition(Field(term, "text", (term,), MENTION), f"without “{term}”")
    compared = _COMPARED.fullmatch(asked)
    field = field_of(compared["field"]) if compared else None
    # "contracts that end in 2025" names no field.
    if compared is None or field is None or (compared["word"] == "in" and not field.is_known):
        raise _refused(asked, "is no condition")
    name, value = compared["field"], compared["value"]
    written = (compared["sign"] or compared["word"]).lower()
    shown, sign = f"{name.strip()} {written} {value}", _SIGNS.get(written, cast("Sign", written))
    text, read = fold(value.strip(_QUOTES)), _read(value)
    text = fold(law_called(text) or text) if field.type == "place" else text
    worded = sign == "contains" or (sign in ("=", "!=") and read is None)
    if worded and not (field.is_known or field.type in WORDED):  # of a column: "fee paid = no"
        field = field_of(name, "text")
    is_number = field.type == "text" and not field.is_known and read and read[0] == "number"
    if sign == "contains" or (sign in ("=", "!=") and field.type in WORDED and not is_number):
        return FieldCondition(field, shown, sign, text)
    if read is None:
        raise _refused(value, "is no date, amount or span of time that is understood")
    kind, plain, currency = read
    if kind != field.type and not {"number"} < {kind, field.type} < {*AMOUNTS}:
        if field.is_known or field.type == "identifier":
            raise _refused(shown, f"asks for a {kind}, and {field.name!r} is of type {field.type}")
        field = field_of(name, kind)
    return FieldCondition(field, shown, sign, plain, currency)


def _refused(words: str, why: str) -> UsageError:
    return UsageError(f"{words[:80]!r} {why}.", UNDERSTOOD)


def _read(value: str) -> tuple[FieldType, str, str] | None:
    """Type, plain form and currency of a date, span of time or amount that is the whole value."""
    if _PERIOD.fullmatch(value) and find_dates(f"{value}-01-01"[:10]):
        return "date", value, ""
    days = {one.normal for one in find_dates(value) if (one.start, one.end) == (0, len(value))}
    if len(days) == 1:
        return "date", days.pop(), ""
    for text in (value, f"€{value}"):  # "1.5m" is one of a currency, here of any
        for kind in _KINDS:
            for one in find_durations(text) if kind == "duration" else find_amounts(text, kind):
                unit, number = unit_and_number(one.normal)
                if (one.start, one.end) == (0, len(text)):
                    return (
                        (kind, number, unit.strip("%")) if text == value else ("number", number, "")
                    )
    return None


def verdict(condition: FieldCondition, cell: Cell) -> ListVerdict:
    """Whether a document or a row of its sheet fulfils a condition; unclear where values differ."""
    if condition.field.clause == MENTION and cell.status != "unreadable":
        return "yes" if cell.status == "silent" else "no"
    if cell.status in ("silent", "unknown", "unreadable"):
        return cell.status
    if cell.status == "doubtful":
        return "unclear"
    found = set[bool | None]([None] if cell.more else [])
    found = found.union(*(holds(condition, value) for value in cell.values))
    if found == {True} or (cell.rows and True in found):
        return "yes"
    return "no" if found == {False} else "unclear"


def holds(condition: FieldCondition, value: FieldValue) -> set[bool | None]:
    """Whether a value fulfils a condition, in each way to understand it."""
    if "scale" in unit_of(condition.shown) and any(NO_UNIT in note for note in value.notes):
        return {None}  # "> 20 million" of a bare 43.5
    day = add_duration(value.normal, "P-1D") if value.computed else None
    return {_holds(condition, each) for each in (value.normal, day) if each is not None}


def _holds(condition: FieldCondition, normal: str) -> bool | None:
    """Whether a value in its normal form fulfils a condition; None where that cannot be told."""
    sign = condition.sign or "="
    if sign == "contains":
        return condition.value in fold(normal)
    if condition.field.type in WORDED:  # any of several names, as in "England and Wales"
        wanted, said = (
            {fold(words), *(fold(_STATE.sub("", name)) for name in _BETWEEN_NAMES.split(words))}
            for words in (condition.value, normal)
        )
        return wanted.isdisjoint(said) == (sign == "!=")
    order = _order(normal, condition.value, condition.currency)
    return None if order is None else order in _WANTED[sign]


def _order(normal: str, wanted: str, currency: str) -> int | None:
    """Below 0, 0 or above 0 as one value is less, equal or more; None if that cannot be told."""
    if wanted.startswith("P"):
        return compare_durations(normal, wanted)
    if _PERIOD.fullmatch(wanted) and _PERIOD.fullmatch(normal) and not currency:
        width = min(len(normal), len(wanted))
        here, there = normal[:width], wanted[:width]
        # In the same year or month, and no more is said.
        open_ended = here == there and len(normal) < len(wanted)
        return None if open_ended else (here > there) - (here < there)
    code, number = unit_and_number(normal)
    try:
        mine, other = Decimal(number), Decimal(wanted)
    except InvalidOperation:
        return None
    return None if currency and code != currency else (mine > other) - (mine < other)


# ---- The documents that fulfil it


def listed(
    corpus: Index,
    condition: FieldCondition,
    on_document: Callable[[int, int], None] = lambda *_: None,
) -> FieldTable:
    """Every document with what it says about the field of a condition, and whether it holds."""
    table = table_of(corpus, [condition.field], on_document=on_document)
    rows = tuple(_those_first(condition, row) for row in table.rows)
    return replace(table, rows=rows, condition=condition.shown)


def _those_first(condition: FieldCondition, row: DocumentRow) -> DocumentRow:
    """A row with the values that fulfil a condition before its others; of a sheet these alone."""
    (cell,) = row.cells
    those = [v for v in cell.values if condition.sign and True in holds(condition, v)]
    others = [v for v in cell.values if not cell.rows and v not in those]
    cells = (replace(cell, values=(*those, *others)),)
    return replace(row, cells=cells, verdict=verdict(condition, cell))
