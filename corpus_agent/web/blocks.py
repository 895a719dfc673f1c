"""A document's lines as blocks to be shown: headings, tables, the marks of pages, text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from corpus_agent.text.sanitize import visible
from corpus_agent.text.table_rows import TextTable, is_row, table_at
from corpus_agent.web.marking import Piece
from indexer import Line

BlockKind = Literal["page", "heading", "table", "text"]
_HEADING = re.compile(r"(#{1,6})\s+\S")
MOST_COLUMNS = 60  # of a table that is shown as one; a wider one as its lines


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line with its number and its pieces; `cells` are those of a table's row, by column."""

    number: int
    pieces: tuple[Piece, ...]
    cells: tuple[str, ...] = ()
    hidden: bool = False
    confidence: float | None = None

    @property
    def is_marked(self) -> bool:
        """Whether a part of it is marked."""
        return any(marked for _, marked in self.pieces)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are shown alike; `names` are the columns of a table, `level` that of a heading."""

    kind: BlockKind
    lines: tuple[ShownLine, ...]
    names: tuple[str, ...] = ()
    level: int = 0


def blocks(
    lines: Sequence[Line], start: int, end: int, marks: Mapping[int, Sequence[Piece]]
) -> Iterator[Block]:
    """The blocks of lines `start` to `end`, of all `lines` of a document; numbers are 1-based.

    `marks` are the pieces of the lines in which something is marked.
    """
    number = start
    while number <= end:
        table = _table(lines, number)
        if table is not None:
            last = _last_row(lines, number, end, table)
            yield _table_block(lines, number, last, table, marks)
            number = last + 1
            continue
        line = lines[number - 1]
        shown = _shown(line, number, marks)
        heading = _HEADING.match(line.text)
        if line.is_mark:
            yield Block("page", (shown,))
        elif heading:
            yield Block("heading", (shown,), level=min(6, len(heading[1]) + 1))
        else:
            yield Block("text", (shown,))
        number += 1


def _table(lines: Sequence[Line], number: int) -> TextTable | None:
    table = table_at(lines, number) if is_row(lines[number - 1].text) else None
    if table is None or not 0 < len(table.names) <= MOST_COLUMNS:
        return None
    return None if any(row.irregular for row in table.rows) else table


def _last_row(lines: Sequence[Line], number: int, end: int, table: TextTable) -> int:
    """The last line of the view that belongs to the table; the next table begins at its header."""
    last = max((row.line for row in table.rows), default=table.header)
    return max(number, min(end, last, len(lines)))


def _table_block(
    lines: Sequence[Line],
    first: int,
    last: int,
    table: TextTable,
    marks: Mapping[int, Sequence[Piece]],
) -> Block:
    rows = tuple(
        _row(
            lines[row.line - 1], row.line, [row.cells.get(name, "") for name in table.names], marks
        )
        for row in table.rows
        if first <= row.line <= last
    )
    return Block("table", rows, tuple(map(visible, table.names)))


def _row(
    line: Line, number: int, cells: Sequence[str], marks: Mapping[int, Sequence[Piece]]
) -> ShownLine:
    shown = _shown(line, number, marks)
    cleaned = tuple(map(visible, cells))
    return ShownLine(number, shown.pieces, cleaned, shown.hidden, shown.confidence)


def _shown(line: Line, number: int, marks: Mapping[int, Sequence[Piece]]) -> ShownLine:
    pieces = marks.get(number, [(line.text, False)])
    cleaned = tuple((visible(text), marked) for text, marked in pieces)
    return ShownLine(number, cleaned, hidden=line.hidden, confidence=line.confidence)
