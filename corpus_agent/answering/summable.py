"""The values of a column in some rows of a table, and whether they may be computed with. Pure.

Refuses what does not go together: blank cells, different units or currencies, percentages, years,
places in a ranking. Called by computation.py and binding.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import regex

from corpus_agent.text.cell_values import CellValue, column_values
from corpus_agent.text.table_rows import TableRow, TextTable

_TOTAL = regex.compile(
    r"(?i)\b(?:(?:sub|grand )?totals?|sum|summe|gesamt|insgesamt|average|mean|overall|zwischensumme"
    r"|durchschnitt|somme|suma|totale)\b"
)
_MONEY_NAME = regex.compile(
    r"(?i)\b(?:amount|price|cost|sum|paid|net|gross|payment|fee|charge|value|rent|spent|betrag"
    r"|preis|summe|montant|importe)s?\b"
)
_LABEL_WORDS = 5  # of the label of a row of totals, at most
UNIT_IN_NAME = regex.compile(r"\(([^()]*)\)|%")
YEAR = regex.compile(r"(?:1[5-9]|20)\d\d")
RANK = regex.compile(r"(?i)\b(?:rank|rk|pos|position|place|no|nr|number|id|year|date|day|#)\b\.?")


def values_of(rows: Sequence[TableRow], column: str) -> tuple[list[CellValue], str] | None:
    """The values of a column in some rows, with their unit; None where one is blank or differs."""
    if not rows or any(not row.cells.get(column) for row in rows):
        return None
    found = column_values([row.cells[column] for row in rows])
    if found is None or len({value.unit for value in found}) != 1:
        return None
    in_name = UNIT_IN_NAME.search(column)
    named = (in_name[1] if in_name[1] is not None else "%") if in_name else ""
    return found, found[0].unit or named


def one_currency(rows: Sequence[TableRow], table: TextTable) -> bool:
    """Whether no column of units or currencies says different things of the rows."""
    for name in table.names:
        if regex.search(r"(?i)\b(?:currency|unit|units|ccy|curr|währung|einheit|uom)\b", name):
            if len({row.cells.get(name, "") for row in rows}) > 1:
                return False
        else:
            cells = [row.cells.get(name, "") for row in rows]
            signs = {c for c in cells if regex.fullmatch(r"[A-Z]{3}|\p{Sc}", c)}
            if len(signs) > 1 and all(regex.fullmatch(r"[A-Z]{3}|\p{Sc}", c) for c in cells):
                return False
    return True


def adds_up(values: Sequence[CellValue], unit: str, column: str) -> bool:
    """Whether a sum of a column means something: no percentages, no years, no ranks."""
    if (
        "%" in unit
        or "‰" in unit
        or regex.search(r"(?i)percent|pct|rate\b|ratio|average|avg", column)
    ):
        return False
    if RANK.search(column):
        return False
    return not all(YEAR.fullmatch(str(value.number)) for value in values)


def are_places(values: Sequence[CellValue]) -> bool:
    """Whether the values are places: one, two, three, each once."""
    numbers = sorted(value.number for value in values)
    return len(numbers) > 2 and numbers == [Decimal(n + 1) for n in range(len(numbers))]


def is_of_totals(row: TableRow, table: TextTable) -> bool:
    """Whether a row is one of totals: a cell of its first columns says so."""
    first = [row.cells[name] for name in table.names if name in row.cells][:2]
    return any(_TOTAL.search(cell) and len(cell.split()) <= _LABEL_WORDS for cell in first)


def is_money(name: str, table: TextTable) -> bool:
    """Whether a column holds sums of money, by its name or by the signs beside all of them."""
    cells = [row.cells[name] for row in table.rows if name in row.cells]
    values = column_values(cells) if cells else None
    if values is None:
        return False
    signed = all(regex.fullmatch(r"\p{Sc}|[A-Z]{3}", value.unit) for value in values)
    return signed or bool(_MONEY_NAME.search(name))
