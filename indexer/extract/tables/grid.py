"""Tables as grids of cells, merged cells resolved. Pure.

Each format hands over its cells, placed by itself (`Placed`) or by the rules of HTML (`resolved`);
`table_text` in `rows` turns the grid into text. Columns may be numbered in any unit that grows to
the right: `compact` leaves those in which something stands.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_COLSPAN = 1000  # HTML 4.9.11, which all browsers keep to
MAX_ROWSPAN = 65534  # the same
MAX_CARRIED = 100_000  # places that cells of rows above fill; beyond, columns are not known


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The text of a cell and what the document says of it; compared by identity.

    `names` is set for a header cell, `strong` for one in bold, `prose` for several paragraphs.
    `rows` and `columns` are spans, for `resolved` alone; 0 rows reach to the end of the group.
    """

    text: str
    names: bool = False
    strong: bool = False
    prose: bool = False
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Placed:
    """A cell in a row, in columns first to last - 1; `again` if it began in a row above."""

    first: int
    last: int
    cell: Cell
    again: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row from left to right; `heads` if the document calls it a header row.

    `adrift` if absurd spans above make it impossible to know the columns of its cells.
    """

    cells: tuple[Placed, ...]
    heads: bool = False
    adrift: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A row as HTML has it: cells in order, the row group (a number) and its kind."""

    cells: Sequence[Cell]
    group: int = 0
    heads: bool = False
    foots: bool = False


def simple(rows: Iterable[Sequence[str]], headed: bool = False) -> list[Row]:
    """The rows of a table without merged cells; with `headed` the first one is its header."""
    return [
        Row(
            tuple(Placed(i, i + 1, Cell(text)) for i, text in enumerate(cells)),
            headed and number == 0,
        )
        for number, cells in enumerate(rows)
    ]


def resolved(sources: Iterable[Source]) -> list[Row]:
    """The grid of an HTML table: the standard's algorithm for forming a table, in rows' order.

    Header groups come first and footer groups last. Spans end with their group. Rows behind
    MAX_CARRIED places that are filled from above are adrift.
    """
    given = list(sources)
    ordered = [row for row in given if row.heads]
    ordered += [row for row in given if not row.heads and not row.foots]
    ordered += [row for row in given if row.foots]
    rows: list[Row] = []
    above: list[tuple[Placed, int]] = []  # cells that grow down, and how many rows further
    group: int | None = None
    carried = 0
    for source in ordered:
        if source.group != group:
            above, group = [], source.group
        carried += len(above)
        adrift = carried > MAX_CARRIED
        if adrift:
            above = []
        begun = _begun(source.cells, sorted((p.first, p.last) for p, _ in above))
        again = [Placed(p.first, p.last, p.cell, True) for p, _ in above]
        cells = sorted([*again, *begun], key=lambda placed: placed.first)
        rows.append(Row(tuple(cells), source.heads, adrift))
        above = [(placed, left - 1) for placed, left in above if left > 1]
        above += [
            (placed, left)
            for placed in begun
            if (left := min(placed.cell.rows or MAX_ROWSPAN, MAX_ROWSPAN) - 1)
        ]
    return rows


def _begun(cells: Iterable[Cell], taken: Sequence[tuple[int, int]]) -> list[Placed]:
    """The cells that begin in a row, each in the first place that no cell from above holds."""
    found: list[Placed] = []
    column, index = 0, 0
    for cell in cells:
        while index < len(taken) and taken[index][0] <= column:
            column = max(column, taken[index][1])
            index += 1
        width = min(max(cell.columns, 1), MAX_COLSPAN)
        found.append(Placed(column, column + width, cell))
        column += width
    return found


def compact(rows: Sequence[Row]) -> tuple[list[Row], int]:
    """The rows without empty cells, rows and columns, and the number of columns that are left.

    A column is left where a cell of its own stands in it, or the first of those that a wider cell
    covers alone.
    """
    edges = sorted({placed.first for row in rows for placed in row.cells})
    spread = [
        [
            (bisect_left(edges, placed.first), bisect_left(edges, placed.last), placed)
            for placed in row.cells
            if placed.cell.text
        ]
        for row in rows
    ]
    flat = [(first, last) for cells in spread for first, last, _ in cells]
    kept = sorted({first for first, last in flat if last - first == 1})
    for first, last in sorted(set(flat), key=lambda pair: pair[1] - pair[0]):
        place = bisect_left(kept, first)
        if place == len(kept) or kept[place] >= last:
            kept.insert(place, first)
    found = []
    for row, cells in zip(rows, spread, strict=True):
        left = tuple(
            Placed(bisect_left(kept, first), bisect_left(kept, last), placed.cell, placed.again)
            for first, last, placed in cells
        )
        if any(not placed.again for placed in left):
            found.append(Row(left, row.heads, row.adrift))
    return found, len(kept)
