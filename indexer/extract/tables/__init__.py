"""Tables as grids of cells, merged cells resolved, and a line for each row of one. Pure.

Each format hands over its cells, placed by itself (`Placed`) or by the rules of HTML (`resolved`).
Columns may be numbered in any unit that grows to the right. Each row names its columns,
`| Port: Vigo | Fare: 7.50 |`, as far as the table does, and repeats what a merged cell says for it,
so that it can be found, quoted and read alone. A table that only places texts on a page becomes
paragraphs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from indexer.extract import markdown
from indexer.extract.tables.named_rows import (
    HEADER_SEARCH_ROWS,
    Header,
    entry,
    found_header,
    is_name,
    paths,
)

MAX_COLSPAN = 1000  # HTML 4.9.11, which all browsers keep to
MAX_ROWSPAN = 65534  # the same
MAX_CARRIED = 100_000  # places that cells of rows above fill; beyond, spans are not followed


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

    `across`: one cell takes the whole row, as a title, a section or a note.
    """

    cells: tuple[Placed, ...]
    heads: bool = False
    across: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A row as HTML has it: cells in order, the row group (a number) and its kind."""

    cells: Sequence[Cell]
    group: int = 0
    kind: str = "tbody"


def simple(rows: Iterable[Sequence[str]], headed: bool = False) -> list[Row]:
    """The rows of a table without merged cells; with `headed` the first one is its header."""
    return [
        Row(
            tuple(Placed(i, i + 1, Cell(text)) for i, text in enumerate(cells)),
            headed and number == 0,
        )
        for number, cells in enumerate(rows)
    ]


_ORDER = ("thead", "tbody", "tfoot")


def resolved(sources: Iterable[Source]) -> list[Row]:
    """The grid of an HTML table: the standard's algorithm for forming a table, in rows' order.

    Header groups come first and footer groups last. Spans end with their group.
    """
    rows: list[Row] = []
    above: list[tuple[Placed, int]] = []  # cells that grow down, and how many rows further
    group: int | None = None
    carried = 0
    for source in sorted(sources, key=lambda row: _ORDER.index(row.kind)):
        if source.group != group:
            above, group = [], source.group
        carried += len(above)
        if carried > MAX_CARRIED:
            above = []
        begun = _begun(source.cells, sorted((p.first, p.last) for p, _ in above))
        again = [Placed(p.first, p.last, p.cell, True) for p, _ in above]
        cells = sorted([*again, *begun], key=lambda placed: placed.first)
        rows.append(Row(tuple(cells), source.kind == "thead"))
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
            across = len(left) == 1 and left[0].last - left[0].first == len(kept)
            found.append(Row(left, row.heads, across))
    return found, len(kept)


# --- Lines of rows -------------------------------------------------------------------------------

MAX_ROW_CELL = 400  # characters of a cell
MAX_LONG_SHARE = 0.25  # of a table's cells that are longer, before it is no table of data
MAX_AGAIN = 120  # characters of a merged cell that is repeated in each of its rows
MAX_LABELS = 12  # columns that one cell is named by
MAX_HEADER_ROWS = 8
Names = Sequence[str]


def table_text(rows: Sequence[Row], data: bool = False) -> str:
    """The table as lines of rows, or as paragraphs where it is no table of data.

    With `data` the document says that it is one. "" where all cells are empty.
    """
    texts = (p.cell.text for row in compact(rows)[0] for p in row.cells if not p.again)
    return "\n".join(row_lines(rows, data)) or "\n\n".join(texts)


def unmerged_text(rows: Sequence[Sequence[str]]) -> str:
    """A table of which merged cells are not known: its columns have names if all rows are as long.

    A row with fewer cells has wider ones, and nobody knows which.
    """
    filled = [cells for cells in rows if any(cells)]
    if len(set(map(len, filled))) == 1:
        return table_text(simple(filled))
    return "\n".join(map(markdown.row, filled))


def row_lines(rows: Sequence[Row], data: bool = False) -> list[str]:
    """A line for each row; none where a table is empty or only places texts on a page."""
    left, width = compact(rows)
    return [] if width < 2 or _is_layout(left, data) else list(_lines(left, width))


def _is_layout(rows: Sequence[Row], data: bool) -> bool:
    """Whether a table only places texts on a page."""
    own = [placed.cell for row in rows for placed in row.cells if not placed.again]
    if sum(len(cell.text) > MAX_ROW_CELL for cell in own) > MAX_LONG_SHARE * len(own):
        return True
    if data or any(map(_is_marked, rows)):
        return False
    alone = len(rows) == 1 and any(len(cell.text) > MAX_AGAIN for cell in own)
    return alone or sum(cell.prose for cell in own) > MAX_LONG_SHARE * len(own)


# --- Lines --------------------------------------------------------------------------------------


def _lines(rows: Sequence[Row], width: int) -> Iterator[str]:
    header = _header(rows, width)
    names: Names = header.names
    for row in rows[: header.start]:
        yield _plain(row)
    if names:
        yield from _headed(names)
    for renames, run in groupby(rows[header.stop :], key=_renames):
        part = list(run)
        if renames and names:
            fresh = _paths(part, width)
            if fresh != names:
                names = fresh
                yield from _headed(names)
            continue
        for row in part:
            plain = not names or row.across
            yield _plain(row) if plain else markdown.row(_named(row.cells, names))


def _headed(names: Names) -> Iterator[str]:
    yield markdown.row(names)
    yield f"|{' --- |' * len(names)}"


def _named(cells: Iterable[Placed], names: Names) -> Iterator[str]:
    entries: list[tuple[str, str]] = []
    for placed in cells:
        text = markdown.cell(placed.cell.text)
        if placed.again and len(text) > MAX_AGAIN:
            continue
        labels = list(dict.fromkeys(filter(None, names[placed.first : placed.last])))
        for label in labels if 0 < len(labels) <= MAX_LABELS else [""]:
            before = entries[-1] if entries else ("", "")
            if label and before[0] == label and (_is_sign(text) or _is_sign(before[1])):
                entries[-1] = (label, before[1] + text)  # "$" and "479" in cells of their own
            else:
                entries.append((label, text))
    return (entry(label, text) for label, text in entries)


def _is_sign(text: str) -> bool:
    return not any(map(str.isalnum, text))


def _plain(row: Row) -> str:
    """The row with each cell in its place, without names."""
    if row.across:
        return markdown.row([row.cells[0].cell.text])
    shown = [""] * max(placed.first + 1 for placed in row.cells)
    for placed in row.cells:
        if not placed.again or len(placed.cell.text) <= MAX_AGAIN:
            shown[placed.first] = placed.cell.text
    return markdown.row(shown)


# --- Header rows --------------------------------------------------------------------------------


def _is_marked(row: Row) -> bool:
    """Whether a row is a header row by the document's own marks."""
    return row.heads or (len(row.cells) > 1 and all(placed.cell.names for placed in row.cells))


def _renames(row: Row) -> bool:
    """Whether a marked row in the middle of a table is another header, and no row of totals."""
    return _is_marked(row) and all(is_name(placed.cell.text) for placed in row.cells[1:])


def _header(rows: Sequence[Row], width: int) -> Header:
    """The header, by the document's marks or evidently; an empty one for none."""
    start = next((i for i, row in enumerate(rows) if not row.across), len(rows))
    stop = start
    while stop < len(rows) and stop - start < MAX_HEADER_ROWS and _is_marked(rows[stop]):
        stop += 1
    if stop == len(rows) > start + 1:
        stop = start + 1  # all cells are marked alike: then the first row names the others
    if start < stop < len(rows):
        return Header(start, stop, _paths(rows[start:stop], width))
    first = rows[: 2 * HEADER_SEARCH_ROWS]
    merged = any(placed.last - placed.first > 1 for row in first for placed in row.cells)
    texts = [_spread(row, width) for row in first]
    return found_header(texts, strong=_strong(first), merged=merged) or Header()


def _strong(rows: Sequence[Row]) -> int:
    """How many of the first rows are in bold, unlike the row below them; 0 if all are."""
    bold = [all(p.cell.strong or p.cell.names for p in row.cells) for row in rows]
    return bold.index(False) if False in bold else 0


def _paths(rows: Sequence[Row], width: int) -> tuple[str, ...]:
    own = [row for row in rows if not row.across]
    merged = any(p.last - p.first > 1 for row in own for p in row.cells)
    return paths([_spread(row, width) for row in own], fill=not merged)


def _spread(row: Row, width: int) -> list[str]:
    """The text of each column; one that goes over all columns stands in the first."""
    shown = [""] * width
    for placed in row.cells:
        last = placed.first + 1 if row.across else placed.last
        for column in range(placed.first, last):
            shown[column] = shown[column] or markdown.cell(placed.cell.text)
    return shown
