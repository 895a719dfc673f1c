"""What makes a figure of a table mislead although every word of the question was bound. Pure.

A row of totals that no word gives away, a price for one piece, a running balance, money that came
in among what was paid, a merged cell: each is told by the figures or by the cells beside them, in
any language. A table that may hold one of them is not computed with. Called by computation.py and
binding.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

import regex

from corpus_agent.answering.summable import RANK, YEAR, is_money
from corpus_agent.text.cell_values import column_values
from corpus_agent.text.table_rows import TableRow, TextTable
from corpus_agent.text.tokens import terms

MOST_TOTALS = 20  # rows of totals of a table; each is compared with all others
_QUANTITY = regex.compile(
    r"(?i)\b(?:qty|quantity|quantities|pcs|pieces|units|count|hours|hrs|days|nights|months|anzahl"
    r"|menge|stück|stk|stunden|tage|quantité|qté|heures|jours|cantidad|horas|quantità|ore|aantal)\b"
)
_FOR_ONE = regex.compile(
    r"(?i)\b(?:per|each|apiece|unit|hourly|daily|nightly|à|je|pro|unitaire|unitario)\b|/|@"
    r"|\b(?:einzel|stück)preis"
)
_FOR_ALL = regex.compile(
    r"(?i)\b(?:total|amount|sum|line|extended|betrag|summe|gesamt\p{Ll}*|montant|importe)s?\b"
)
_STANDS = regex.compile(
    r"(?i)\b(?:balance|cumulative|running|to date|ytd|saldo|kontostand|solde|stand)\b"
)
_DATED = regex.compile(
    r"(?i)\b(?:date|day|week|month|quarter|year|period|datum|tag|woche|monat|quartal|jahr|mois"
    r"|année|jour|fecha|mes|año|data|mese|anno)s?\b"
)
_PLANNED = regex.compile(
    r"(?i)\b(?:budget\p{Ll}*|plan|plans|planned|planning|forecast\p{Ll}*|estimate[sd]?|quotes?"
    r"|quotations?|offers?|proposals?|projected|target\p{Ll}*|haushaltsplan|angebote?|voranschlag"
    r"|devis|prévision\p{Ll}*|presupuesto|preventivo)\b"
)
_SPENT = regex.compile(
    r"(?i)\b(?:spent|paid|actual|actuals|ist|bezahlt|ausgegeben|dépensée?s?|payée?s?|réel|gastado"
    r"|pagado|speso|pagato)\b"
)
# A row that was not paid, or by which money came in.
_NOT_PAID = regex.compile(
    r"(?i)^(?:not |un|to be )?(?:paid|settled)\b.*|^(?:open|due|overdue|outstanding|pending|planned"
    r"|cancell?ed|void(?:ed)?|refund(?:ed)?|reversed|rejected|declined|failed|draft|waived|disputed"
    r"|income|revenue|credit|debit|in|out|received|earned|offen|unbezahlt|fällig|storniert"
    r"|einnahmen?|ausgaben?|gutschrift|impayée?|annulée?|recettes?|dépenses?)\W*$"
)
_YES_OR_NO_TEXT = "yes no y n ja nein oui non sí si true false x ✓ ✗ ☑ ☐"
_YES_OR_NO = frozenset(_YES_OR_NO_TEXT.split())
_YEAR = regex.compile(rf"(?<!\d){YEAR.pattern}(?!\d)")
_SCALE = regex.compile(
    r"(?i)\b(?:(?:figures |values |amounts )?in|as)\s(?:\p{L}{2,8}\s)?(?:of\s)?"
    r"(?:thousands?|millions?|billions?|tausend|millionen|milliarden|tsd|mio|mrd|milliers|millones"
    r"|miles|teur|mn|bn)\b|(?<!\w)(?:teur|[kmt]€|[$£€][mk])(?!\w)|['’]000\b"
)
_JOINED = r"(?i:and|or|vs\.?|versus|to|und|oder|bis|et|ou|y|o|e)|[&/+,–—-]"
_BEFORE_JOINED = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}])([\p{{L}}\p{{N}}]++)\s*+(?:(?<=\s)(?:{_JOINED})\s|[&/+,])"
)
_AFTER_JOINED = regex.compile(rf"(?:\s(?:{_JOINED})(?=\s)|[&/+,])\s*+([\p{{L}}\p{{N}}]++)")

_Numbers = Sequence[Decimal | None]


# ---- Rows of totals


def holds_totals(rows: Sequence[TableRow], column: str) -> bool:
    """Whether one of the rows may be the sum of others, by the column's figures or its own cells.

    So are rows that bear no name while the others do.
    """
    return _one_is_nameless(rows) or (len(rows) > 2 and bool(_sums(_numbers(rows, column))))


def counts_totals(table: TextTable) -> bool:
    """Whether a row is the sum of others in each column of the table that has sums."""
    columns = [name for name in table.names if name and not RANK.search(name)]
    numeric = [values for name in columns if None not in (values := _numbers(table.rows, name))]
    kept = [values for values in numeric if any(values) and not _of_years_or_places(values)]
    found = [_sums(values) for values in kept]
    return bool(found and set.intersection(*found))


def are_explained(totals: Sequence[TableRow], table: TextTable) -> bool:
    """Whether each row that was taken for totals is one by its figures: a sum or a mean of others.

    Otherwise it may be a payee whose name is Total. `table` is without these rows.
    """
    if len(totals) > MOST_TOTALS:
        return False
    return all(_is_explained(row, totals, table) for row in totals)


def _is_explained(total: TableRow, totals: Sequence[TableRow], table: TextTable) -> bool:
    before = max((row.line for row in totals if row.line < total.line), default=0)
    after = min((row.line for row in totals if row.line > total.line), default=0)
    groups = (
        list(table.rows),
        [row for row in table.rows if row.line < total.line],
        [row for row in table.rows if before < row.line < total.line],
        [row for row in table.rows if total.line < row.line and (not after or row.line < after)],
    )
    for name in table.names:
        for group in groups:
            written = [row.cells.get(name, "") for row in group]
            values = column_values([*filter(None, written), total.cells.get(name, "")])
            if values is None or len(values) < 2:
                continue
            *parts, result = (value.number for value in values)
            whole = sum(parts, Decimal(0))
            if result == whole or _is_mean(result, whole, len(parts)):
                return True
    return False


def _is_mean(result: Decimal, whole: Decimal, count: int) -> bool:
    """Whether a figure is the mean of so many, rounded as it is written."""
    half = Decimal(5).scaleb(int(result.as_tuple().exponent) - 1)
    return abs(result - whole / count) <= half


def _sums(values: _Numbers) -> set[int]:
    """The places of figures that are the sum of all others, or of the run before or after them.

    A run begins where the one before it was summed up; two figures are the least.
    """
    numbers = [value if value is not None else Decimal(0) for value in values]
    whole = sum(numbers, Decimal(0))
    every = {i for i, n in enumerate(numbers) if n and 2 * n == whole and len(numbers) > 2}
    last = len(numbers) - 1
    return every | {*_of_runs(numbers)} | {last - i for i in _of_runs(numbers[::-1])}


def _of_runs(numbers: Sequence[Decimal]) -> Iterator[int]:
    start, so_far = 0, Decimal(0)
    for i, number in enumerate(numbers):
        if i - start > 1 and number and number == so_far:
            yield i
            start, so_far = i + 1, Decimal(0)
        else:
            so_far += number


def _numbers(rows: Sequence[TableRow], column: str) -> _Numbers:
    found = column_values([cell for row in rows if (cell := row.cells.get(column))])
    if found is None:
        return [None] * len(rows)
    numbers = iter(value.number for value in found)
    return [next(numbers) if row.cells.get(column) else None for row in rows]


def _of_years_or_places(values: _Numbers) -> bool:
    numbers = [value for value in values if value is not None]
    years = all(YEAR.fullmatch(str(number)) for number in numbers)
    return years or sorted(numbers) == [Decimal(n + 1) for n in range(len(numbers))]


def _one_is_nameless(rows: Sequence[TableRow]) -> bool:
    """Whether one row has figures alone, while all others have words too."""
    return len(rows) > 1 and sum(not _has_words(row) for row in rows) == 1


def _has_words(row: TableRow) -> bool:
    return any(column_values([cell]) is None for cell in row.cells.values())


# ---- Columns


def is_for_one(column: str, table: TextTable) -> bool:
    """Whether the amounts of a column may be for one piece each: a quantity stands beside them.

    They are not where they are its products with another column.
    """
    if _FOR_ONE.search(column):
        return True
    quantities = [n for n in table.names if n != column and _QUANTITY.search(n)]
    if not quantities or _FOR_ALL.search(column) or not is_money(column, table):
        return False
    own = _numbers(table.rows, column)
    for quantity in quantities:
        times = _numbers(table.rows, quantity)
        if None in times or all(n == 1 for n in times):
            continue
        prices = (_numbers(table.rows, n) for n in table.names if n not in (column, quantity))
        if not any(_are_products(own, times, each) for each in prices):
            return True
    return False


def _are_products(results: _Numbers, ones: _Numbers, others: _Numbers) -> bool:
    return all(
        result is not None
        and one is not None
        and other is not None
        and abs(result - one * other) <= Decimal("0.01")
        for result, one, other in zip(results, ones, others, strict=True)
    )


def is_running(column: str, table: TextTable) -> bool:
    """Whether a column says how things stood, as a balance does: it goes on adding up another."""
    if _STANDS.search(column) and any(_DATED.search(name) for name in table.names):
        return True
    own = [value for value in _numbers(table.rows, column) if value is not None]
    steps = [abs(b - a) for a, b in pairwise(own)]
    if len(steps) < 2 or len(own) < len(table.rows):
        return False
    others = (_numbers(table.rows, name)[1:] for name in table.names if name != column)
    return any(steps == [abs(n) for n in other if n is not None] for other in others)


def says_what_was_paid(
    column: str, rows: Sequence[TableRow], columns: Collection[str], about: str
) -> bool:
    """Whether a column is what was paid: of one sign, in no plan, no row of it called unpaid.

    `columns` are those that chose the rows: what they say was asked for.
    """
    signs = {value < 0 for value in _numbers(rows, column) if value}
    if len(signs) > 1 or _PLANNED.search(column if _SPENT.search(column) else f"{column} {about}"):
        return False
    told = [{name: cell for name, cell in row.cells.items() if name not in columns} for row in rows]
    if any(_NOT_PAID.search(cell) for cells in told for cell in cells.values()):
        return False
    names = {name for cells in told for name in cells}
    held = ([cells.get(name, "").casefold() for cells in told] for name in names)
    return not any(set(cells) <= _YES_OR_NO and len(set(cells)) > 1 for cells in held)


def scale_over(about: str) -> str:
    """The scale of all figures of a table that it stands under, "" without one."""
    found = _SCALE.search(about)
    return " ".join(found[0].split()) if found else ""


# ---- Conditions


def chooses_clearly(
    run: Sequence[str], column: str, table: TextTable, has: Callable[[Sequence[str]], bool]
) -> bool:
    """Whether a run of words chooses cells of a column in one sense.

    Not so if it is the whole of some cells and a part of others, or a part of different ones,
    other than a year or a month of one year; nor if a blank cell, as of a merged one, is below it.
    """
    matched = [row.cells[column] for row in table.rows if has(terms(row.cells.get(column, "")))]
    for row, following in pairwise(table.rows):
        if column not in following.cells and row.cells.get(column) in matched:
            return False
    different = {" ".join(terms(cell)) for cell in matched}
    if len(different) < 2:
        return True
    if len(run) == 1 and YEAR.fullmatch(run[0]):
        return True
    years = [set(_YEAR.findall(cell)) for cell in different]
    dates = all(len(cell.split()) <= 3 and regex.search(r"\d", cell) for cell in different)
    return dates and len(set().union(*years)) <= 1 and " ".join(run) not in different


def names_over(about: str) -> set[str]:
    """The words that a table stands under and that all of it is about.

    Not those of "Income and expenses" or "2023-2024": each is about a part.
    """
    parts = {*_BEFORE_JOINED.findall(about), *_AFTER_JOINED.findall(about)}
    years = set(_YEAR.findall(about))
    kept = set(terms(about)) - {term for part in parts for term in terms(part)}
    return kept - years if len(years) > 1 else kept
