"""A question over one table -> which cells, and what they come to: sum, count, difference. Pure.

Every word of the question must be bound: to what is to be computed, to a column, to cells that
choose rows, or to the title of the table. A word that is not is a condition that was not
understood, and nothing is computed. Called by computed.py; benchmarks/computing.py measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import regex

from corpus_agent.answering.binding import (
    Mention,
    Words,
    chosen,
    conditions_of,
    named_columns,
    next_to,
    the_column,
    titled,
    wheres,
)
from corpus_agent.answering.pitfalls import (
    are_explained,
    counts_totals,
    holds_totals,
    is_for_one,
    is_running,
    says_what_was_paid,
)
from corpus_agent.answering.records import Computation, Condition, Operation, UsedCell
from corpus_agent.answering.summable import (
    RANK,
    adds_up,
    are_places,
    is_money,
    is_of_totals,
    one_currency,
    values_of,
)
from corpus_agent.text.cell_values import column_values
from corpus_agent.text.table_rows import TableRow, TextTable
from corpus_agent.text.tokens import fold, terms

_PLACES = 6  # of an average


# ---- What is asked

_MORE = r"(?: (?:number|amount) of)?"
_ASKED: dict[Operation, str] = {
    "difference": r"\b(?:the )?difference (?:in|between|of)\b|\bhow (?:many|much) more\b",
    "average": rf"\b(?:on )?(?:the )?(?:average|mean)\b{_MORE}",
    "highest": r"\b(?<!\bat )(?:the )?(?:most|highest|largest|greatest|biggest|maximum)\b" + _MORE,
    "lowest": r"\b(?<!\bat )(?:the )?(?:least|fewest|lowest|smallest|minimum)\b" + _MORE,
    "sum": r"\b(?:in all|in total|altogether|combined)\b|\b(?:the )?(?:sum|total)\b(?! number)",
    "count": r"\bhow many(?: total)?\b|\b(?:the )?(?:total )?number of\b",
}
_PATTERNS: dict[Operation, regex.Pattern[str]] = {
    name: regex.compile(pattern) for name, pattern in _ASKED.items()
}
_NOTHING_MORE = ("row", "rows", "entry", "entries", "line", "lines", "record", "records")
_PAID = regex.compile(
    r"\b(?:pay|pays|paid|spend|spent|cost|costs|charge[ds]?|earn(?:ed|s)?|receive[ds]?|owe[ds]?"
    r"|invoiced?|billed?)\b"
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with what it asks for and its words, and the table without its rows of totals.

    `about` are the names that the table stands under.
    """

    question: str
    operation: Operation
    words: Words
    table: TextTable
    totals: tuple[TableRow, ...]
    about: str


def computed(question: str, table: TextTable, about: str = "") -> Computation | None:
    """What a question asks to be computed over all rows of a table; None unless that is certain.

    `about` are the names that the table stands under: file, headings, caption.
    """
    asked = operation_of(question)
    if asked is None or any(row.irregular for row in table.rows) or len(table.rows) < 2:
        return None
    operation, start, end = asked
    folded = fold(question)
    before, within = terms(folded[:start]), terms(folded[start:end])
    words = Words((*before, *within, *terms(folded[end:])), frozenset())
    words = words.bind(range(len(before), len(before) + len(within)))
    rest = tuple(row for row in table.rows if not is_of_totals(row, table))
    totals = tuple(row for row in table.rows if is_of_totals(row, table))
    if _PAID.search(folded) and operation in ("sum", "average", "highest", "lowest"):
        words = words.bind(i for i, word in enumerate(words.every) if _PAID.fullmatch(word))
    plain = replace(table, rows=rest)
    if not are_explained(totals, plain):
        return None
    return _OF[operation](_Asked(fold(question), operation, words, plain, totals, about))


def operation_of(question: str) -> tuple[Operation, int, int] | None:
    """What a question asks to be computed, and the characters of its folded text that ask so.

    None if it asks for nothing of the kind, or for two such things.
    """
    folded = fold(question)
    found = [(name, m) for name, pattern in _PATTERNS.items() if (m := pattern.search(folded))]
    if {name for name, _ in found} == {"sum", "count"}:  # "how many points in total"
        found = [(name, match) for name, match in found if name == "sum"]
    if len(found) != 1:
        return None
    name, match = found[0]
    return name, match.start(), match.end()


def _written(value: Decimal) -> str:
    return f"{value:,f}" if abs(value) >= 10_000 else f"{value:f}"


# ---- Each operation

_Plan = Callable[[_Asked], "Computation | None"]


def _made(
    asked: _Asked,
    column: str,
    where: Sequence[Condition],
    cells: Iterable[tuple[TableRow, str]],
    value: str,
    unit: str = "",
) -> Computation:
    used = tuple(UsedCell(row.line, row.cells[name]) for row, name in cells)
    left_out = tuple(row.line for row in asked.totals)
    every = len(asked.table.rows) + len(left_out)
    return Computation(asked.operation, column, tuple(where), used, value, unit, every, left_out)


def _added(asked: _Asked) -> Computation | None:
    """A sum or an average of a column over the rows that are named."""
    column = _column_of(asked)
    if column is None:
        return None
    name, places = column
    where = wheres(asked.words.bind(places), asked.table, asked.about)
    if where is None or any(condition.column == name for condition in where):
        return None
    rows = chosen(asked.table, where)
    found = values_of(rows, name)
    if found is None or len(rows) < 2 or not one_currency(rows, asked.table):
        return None
    values, unit = found
    if not adds_up(values, unit, name) or not _may_be_meant(asked, name, where, rows):
        return None
    total = sum((value.number for value in values), Decimal(0))
    if asked.totals and not where and not _agrees(total, asked.totals, name):
        return None
    if asked.operation == "average":
        total = round(total / len(values), _PLACES).normalize()
    return _made(asked, name, where, ((row, name) for row in rows), _written(total), unit)


def _may_be_meant(
    asked: _Asked, column: str, where: Sequence[Condition], rows: Sequence[TableRow]
) -> bool:
    """Whether nothing beside the figures of some rows makes them mean something else."""
    if holds_totals(rows, column):
        return False
    if asked.operation in ("sum", "average") and is_running(column, asked.table):
        return False
    if asked.operation == "sum" and is_for_one(column, asked.table):
        return False
    if not _PAID.search(asked.question):
        return True
    return says_what_was_paid(column, rows, {each.column for each in where}, asked.about)


def _agrees(total: Decimal, totals: Sequence[TableRow], column: str) -> bool:
    """Whether the table's own row of totals says the same: else a row may be missing or doubled."""
    if len(totals) != 1:
        return False
    found = column_values([totals[0].cells.get(column, "")])
    return found is not None and found[0].number == total


def _column_of(asked: _Asked) -> Mention | None:
    """The column that is named, or the only one of money where it is asked what was paid."""
    column = the_column(asked.words, asked.table.names)
    if column is not None and values_of(asked.table.rows, column[0]) is not None:
        return column
    if not _PAID.search(asked.question):
        return column
    money = [name for name in asked.table.names if name and is_money(name, asked.table)]
    return (money[0], []) if len(money) == 1 else None


def _counted(asked: _Asked) -> Computation | None:
    """How many rows there are of what is named: a column whose cells are all different, or rows.

    "How many different" counts cells that are alike once.
    """
    words, table = asked.words, asked.table
    column = the_column(words, table.names)
    distinct = [i for i, word in enumerate(words.every) if word in ("different", "distinct")]
    if (distinct and column is None) or counts_totals(table):
        return None
    noun = max(words.bound) + 1
    name, places = column or ("", [noun])
    generic = set(words.every[noun : noun + 1]) & set(_NOTHING_MORE)
    if places[0] != noun + len(distinct) or not (name or generic):
        return None
    where = wheres(words.bind([*places, *distinct]), table, asked.about)
    if where is None or any(condition.column == name for condition in where):
        return None
    rows = chosen(table, where)
    counted = name or table.names[0]
    if not rows or any(not row.cells.get(counted) for row in rows):
        return None
    kept = {fold(row.cells[counted]): row for row in reversed(rows)}
    is_numeric = column_values([row.cells[counted] for row in rows]) is not None
    if name and (is_numeric or (len(kept) < len(rows) and not distinct)):
        return None
    if distinct:
        rows = tuple(sorted(kept.values(), key=lambda row: row.line))
    return _made(asked, name, where, ((row, counted) for row in rows), str(len(rows)))


_QUESTION = regex.compile(r"\s*(?:(?:in|on|at|for|to|from) )?(?:who|which|what)\b")
_ASKS_VALUE = regex.compile(r"\s*what (?:is|was|are|were) (?:the )?\p{L}+est\b")


def _extreme(asked: _Asked) -> Computation | None:
    """The row with the highest or lowest cell of a column: its name, or the cell."""
    column = _column_of(asked)
    if column is None:
        return None
    name, places = column
    words, table = asked.words.bind(places), asked.table
    which = _QUESTION.match(asked.question)
    start = len(terms(which[0])) if which else len(words.every)
    label = next_to(words, named_columns(words, table.names), start)
    where = wheres(words.bind(label[1] if label else ()), table, asked.about)
    if where is None or any(c.column == name for c in where):
        return None
    rows = chosen(table, where)
    found = values_of(rows, name)
    if found is None or len(rows) < 2 or not one_currency(rows, table):
        return None
    values, unit = found
    if are_places(values) or RANK.search(name) or not _may_be_meant(asked, name, where, rows):
        return None
    if is_money(name, table) and any(value.number < 0 for value in values):
        return None  # the highest cost may be written as the lowest figure
    turn = -1 if asked.operation == "highest" else 1
    order = sorted(range(len(rows)), key=lambda i: turn * values[i].number)
    best = rows[order[0]]
    if values[order[0]].number == values[order[1]].number:
        return None
    if _ASKS_VALUE.match(asked.question) or which is None:
        value = best.cells[name] if label is None else ""
    else:
        named = label[0] if label else _naming(asked.question, rows, table, name)
        value, unit = best.cells.get(named, ""), ""
    return (
        _made(asked, name, where, ((rows[i], name) for i in order), value, unit) if value else None
    )


def _naming(question: str, rows: Sequence[TableRow], table: TextTable, value: str) -> str:
    """The first column whose cells name the rows, if "who" alone asks for it; else ""."""
    if not question.strip().startswith("who "):
        return ""
    for name in table.names:
        cells = [row.cells.get(name, "") for row in rows]
        texts = name != value and all(any(map(str.isalpha, cell)) for cell in cells)
        if texts and len(set(cells)) == len(cells):
            return name
    return ""


def _differs(asked: _Asked) -> Computation | None:
    """The difference of two cells of a column, in the rows that two texts of another one name."""
    table, column = asked.table, the_column(asked.words, asked.table.names)
    if column is None:
        return None
    name, places = column
    words = asked.words.bind(places)
    words = words.bind(
        i for i, word in enumerate(words.every) if word in ("between", "and", "than")
    )
    bound = conditions_of(words, table)
    if bound is None or titled(bound[0], asked.about).free() or len(bound[1]) != 2:
        return None
    (one, _), (other, _) = sorted(bound[1], key=lambda each: each[1])
    if one.column != other.column or one.column == name:
        return None
    pair = [*chosen(table, [one]), *chosen(table, [other])]
    found = values_of(pair, name)
    if len(pair) != 2 or pair[0] == pair[1] or found is None or not one_currency(pair, table):
        return None
    (first, second), unit = found
    gap = first.number - second.number
    if RANK.search(name) or ("more" in words.every and gap < 0):
        return None
    unit = "percentage points" if unit == "%" else unit
    return _made(asked, name, (one, other), ((row, name) for row in pair), _written(abs(gap)), unit)


_OF: dict[Operation, _Plan] = {
    "sum": _added,
    "average": _added,
    "count": _counted,
    "highest": _extreme,
    "lowest": _extreme,
    "difference": _differs,
}
