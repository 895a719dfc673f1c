"""The tables of a document's lines: names of columns, and the cells of each row. Pure.

Reads both forms in which documents come: rows that name their columns, "| Payee: Ash | Sum: 3 |",
and Markdown as a person wrote it. A row that is neither makes its table irregular. Called by
answering/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus_agent.text.patterns import lazy
from indexer import Line

_RULE = lazy(r"\|(?:\s*:?-+:?\s*\|)+")
_BARS = lazy(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: its line (1-based), and its cells by the names of their columns, blank ones left out.

    `irregular`: the cells do not fit the names of the columns, or two columns have one name.
    """

    line: int
    cells: Mapping[str, str]
    irregular: bool = False


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table with a header: the line of its names (1-based), and all rows below it."""

    header: int
    names: tuple[str, ...]
    rows: tuple[TableRow, ...]


def is_row(text: str) -> bool:
    """Whether a line is a row of a table."""
    bare = text.strip()
    return len(bare) > 2 and bare.startswith("|") and bare.endswith("|")


def table_at(lines: Sequence[Line], number: int) -> TextTable | None:
    """The table that a line (1-based) belongs to; None if it is in none that has a header."""
    if not (1 <= number <= len(lines) and is_row(lines[number - 1].text)):
        return None
    first = last = number
    while first > 1 and is_row(lines[first - 2].text):
        first -= 1
    while last < len(lines) and is_row(lines[last].text):
        last += 1
    found = None
    for table in _tables([line.text.strip() for line in lines[first - 1 : last]], first):
        if table.header <= number:
            found = table
    return found


def tables_of(texts: Sequence[str]) -> Iterator[TextTable]:
    """All tables of a document's lines that have a header, in order."""
    first = 0
    while first < len(texts):
        last = first
        while last < len(texts) and is_row(texts[last]):
            last += 1
        if last > first:
            yield from _tables([text.strip() for text in texts[first:last]], first + 1)
        first = last + 1


def column_of(table: TextTable, line: str, at: int) -> str:
    """The name of the column in whose cell a character of a row's line stands; "" for none."""
    number = sum(1 for _ in _BARS.finditer(line, 0, at)) - 1
    cells = _cells(line)
    if not 0 <= number < len(cells):
        return ""
    named = next(
        (name for name in table.names if name and cells[number].startswith(f"{name}: ")), ""
    )
    if named or len(cells) != len(table.names):
        return named
    return table.names[number]


def _tables(texts: Sequence[str], first: int) -> Iterator[TextTable]:
    """The tables of a run of rows: a header within it begins another one."""
    starts = [n for n in range(len(texts)) if _heads(texts, n)]
    for start, stop in zip(starts, [*starts, len(texts)][1:], strict=True):
        names = _cells(texts[start])
        rows = [
            _row(first + n, texts[n], names)
            for n in range(start + 1, stop)
            if not _RULE.fullmatch(texts[n])
        ]
        yield TextTable(first + start, tuple(names), tuple(rows))


def _heads(texts: Sequence[str], at: int) -> bool:
    """Whether a row is a header: a rule follows it, or rows that repeat its names."""
    below = texts[at + 1 : at + 2]
    if not below or _RULE.fullmatch(texts[at]):
        return False
    if _RULE.fullmatch(below[0]):
        return True
    names = [name for name in _cells(texts[at]) if name]
    return len(names) > 1 and _named(_cells(below[0]), names) is not None


def cell_spans(row: str) -> list[tuple[int, int]]:
    """Where the cells of a row's line begin and end, without the blanks around them."""
    first, last = len(row) - len(row.lstrip()) + 1, len(row.rstrip()) - 1
    bars = [match.start() for match in _BARS.finditer(row, first, last)]
    spans = []
    for start, end in zip([first, *(bar + 1 for bar in bars)], [*bars, last], strict=True):
        cell = row[start:end]
        begins = start + len(cell) - len(cell.lstrip())
        spans.append((begins, begins + len(cell.strip())))
    return spans


def _cells(text: str) -> list[str]:
    return [text[start:end] for start, end in cell_spans(text)]


def _row(line: int, text: str, names: Sequence[str]) -> TableRow:
    cells = _cells(text)
    called = [name for name in names if name]
    if len(called) > len(set(called)):  # by its name, one of them would stand for both
        return TableRow(line, {}, irregular=True)
    named = _named(cells, names)
    if named is not None:
        return TableRow(line, named)
    if len(cells) == len(names) == len(set(names)) and not any(
        cell.startswith(f"{name}: ") for cell, name in zip(cells, names, strict=True) if name
    ):
        return TableRow(line, {n: c for n, c in zip(names, cells, strict=True) if c})
    return TableRow(line, {}, irregular=True)


def _named(cells: Sequence[str], names: Sequence[str]) -> dict[str, str] | None:
    """The cells of a row that names its columns; None if a cell names none of those to its right.

    A cell that says the same as the name of its column stands there once.
    """
    found: dict[str, str] = {}
    at = marked = 0
    for cell in cells:
        for index in range(at, len(names)):
            name = names[index]
            if name and (cell.startswith(f"{name}: ") or cell == name):
                found[name] = cell.removeprefix(f"{name}: ").strip()
                marked += cell != name
                at = index + 1
                break
        else:
            return None
    return found if marked else None
