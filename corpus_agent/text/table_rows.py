"""The tables of a document's lines: names of columns, and the places of each row's cells. Pure.

Reads both forms in which documents come: rows that name their columns, "| Payee: Ash | Sum: 3 |",
and Markdown as a person wrote it. Called by answering/ and fields/.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus_agent.text.patterns import lazy

_RULE = lazy(r"\|(?:\s*:?-+:?\s*\|)+")
_BARS = lazy(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table with a header: the line of its names and those of all rows below it, 1-based."""

    header: int
    names: tuple[str, ...]
    rows: tuple[int, ...]


def is_row(text: str) -> bool:
    """Whether a line is a row of a table."""
    bare = text.strip()
    return len(bare) > 2 and bare.startswith("|") and bare.endswith("|")


def tables_of(texts: Sequence[str]) -> Iterator[TextTable]:
    """All tables of a document's lines that have a header, in order."""
    rows = [text.strip() if is_row(text) else "" for text in [*texts, ""]]
    header, below = 0, list[int]()
    for number, (row, after) in enumerate(zip(rows, [*rows[1:], ""], strict=True), start=1):
        heads = _heads(row, after)
        if header and (heads or not row):
            yield TextTable(header, tuple(_cells(rows[header - 1])), tuple(below))
        if heads or not row:
            header, below = number if heads else 0, []
        elif not _RULE.fullmatch(row):
            below.append(number)


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


def _heads(row: str, below: str) -> bool:
    """Whether a row is a header: a rule follows it, or a row that repeats its names in order."""
    if not (row and below) or _RULE.fullmatch(row):
        return False
    if _RULE.fullmatch(below):
        return True
    names = [name for name in _cells(row) if name]
    left, marked = iter(names), False
    for cell in _cells(below):
        name = next((name for name in left if cell == name or cell.startswith(f"{name}: ")), None)
        if name is None:
            return False
        marked |= cell != name
    return len(names) > 1 and marked
