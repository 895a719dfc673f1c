"""Rows of sheets and CSV as lines, each with the names of its columns. Pure.

A sheet may hold several tables, one below the other or side by side, with a letterhead above and
notes below. Empty rows and columns part them; each has a header of its own, or none.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby, islice

from indexer.extract.extraction import part_lines
from indexer.extract.hidden import hide
from indexer.extract.markdown import one_line, row
from indexer.extract.tables.headers import (
    HEADER_SEARCH_ROWS,
    MIN_HEADER_SHARE,
    Header,
    entry,
    found_header,
    is_name,
)
from indexer.extract.tables.sheet_look import MAX_MERGED, SheetLook, fill_merged
from indexer.records import Line

Cells = Sequence[str]
MAX_DEPTH = 8  # of tables beside tables below tables
UNFILLED = f"merged cells beyond {MAX_MERGED:,} places are not repeated"
MAX_NOTE_WORDS = 6  # of a single cell that still counts as a value of its column


def labelled(rows: Iterable[Cells]) -> Iterator[str]:
    """A line for each non-empty row of CSV, with the column names if there are any."""
    filled = ([cell.strip() for cell in cells] for cells in rows if any(map(str.strip, cells)))
    first = list(islice(filled, HEADER_SEARCH_ROWS * 2))
    yield from _table(chain(first, filled), found_header(first, named=True))


def sheet_lines(rows: Sequence[Cells], bold: Collection[int] = ()) -> Iterator[str]:
    """A line for each non-empty row of a sheet; `bold` are the rows whose cells are all in bold."""
    whole = [[cell.strip() for cell in cells] for cells in rows]
    width = max(map(len, whole), default=0)
    yield from _region(whole, range(len(whole)), range(width), frozenset(bold))


def _region(
    rows: Sequence[Cells],
    lines: range,
    columns: range,
    bold: frozenset[int],
    depth: int = 0,
) -> Iterator[str]:
    """The lines of a part of a sheet: parted by empty rows, then by columns, or one table."""
    before: Header | None = None
    for block in _runs(lines, [any(rows[line][columns.start : columns.stop]) for line in lines]):
        taken = [False] * len(columns)
        for line in block:
            for place, cell in enumerate(rows[line][columns.start : columns.stop]):
                taken[place] = taken[place] or bool(cell)
        islands = list(_runs(columns, taken))
        if depth < MAX_DEPTH and len(islands) > 1 and _are_apart(rows, block, islands):
            for island in islands:
                yield from _region(rows, block, island, bold, depth + 1)
            before = None
            continue
        part = [rows[line][columns.start : columns.stop] for line in block]
        header = _header_of(part, block, bold)
        if header is None and before is not None and _goes_on(part, before):
            header = Header(0, 0, before.names)
        yield from _table(part, header)
        before = header


def _runs(places: range, taken: Sequence[bool]) -> Iterator[range]:
    """Each run of places that are taken."""
    position = places.start
    for is_taken, run in groupby(taken):
        length = sum(1 for _ in run)
        if is_taken:
            yield range(position, position + length)
        position += length


def _are_apart(rows: Sequence[Cells], block: range, islands: Sequence[range]) -> bool:
    """Whether parts between empty columns are tables of their own, not one with a gap.

    They are where one begins, ends or pauses in other rows, or where each has a header and names
    of its rows.
    """
    shapes = {
        tuple(any(rows[line][island.start : island.stop]) for line in block) for island in islands
    }
    if len(shapes) > 1:
        return all(len(island) > 1 for island in islands)
    return all(
        _stands_alone([rows[line][island.start : island.stop] for line in block])
        for island in islands
    )


def _stands_alone(part: Sequence[Cells]) -> bool:
    """Whether columns have a header and begin with names, as those of a whole table do."""
    header = found_header(part[: 2 * HEADER_SEARCH_ROWS])
    return header is not None and all(is_name(cells[0]) for cells in part[header.stop :])


def _header_of(part: Sequence[Cells], lines: range, bold: frozenset[int]) -> Header | None:
    """The header of one table; one narrow row above it may be a title that is in bold too."""
    first = part[: 2 * HEADER_SEARCH_ROWS]
    strong = 0
    for line in lines[: len(first)]:
        if line not in bold:
            break
        strong += 1
    return found_header(first, strong=strong if strong < len(part) else 0)


def _goes_on(part: Sequence[Cells], before: Header) -> bool:
    """Whether a block without a header has the shape of the table before it."""
    named = {column for column, name in enumerate(before.names) if name}
    filled = [{column for column, cell in enumerate(cells) if cell} for cells in part]
    wide = [each for each in filled if len(each) >= MIN_HEADER_SHARE * len(named)]
    return all(each <= named for each in filled) and len(wide) * 2 >= len(filled)


def _table(rows: Iterable[Cells], header: Header | None) -> Iterator[str]:
    for index, cells in enumerate(rows):
        if header is None or index < header.start:
            yield row(_stripped(cells))
        elif index < header.stop:
            if index + 1 == header.stop:
                yield row(_stripped(header.names))
        elif _is_note(cells):
            yield row(_stripped(cells))
        else:
            yield row(_named(header.names, cells))


def _is_note(cells: Cells) -> bool:
    """Whether a row is a sentence in one cell rather than a value of its column."""
    filled = [cell for cell in cells if cell]
    return len(filled) == 1 and len(cells) > 2 and len(filled[0].split()) > MAX_NOTE_WORDS


def _named(names: Cells, cells: Cells) -> Iterator[str]:
    for index, cell in enumerate(cells):
        name = names[index] if index < len(names) else ""
        if cell:
            yield entry(name, cell)


def _stripped(cells: Cells) -> Cells:
    """Cells without trailing empty ones."""
    last = max((index for index, cell in enumerate(cells) if cell), default=-1)
    return cells[: last + 1]


def sheet_part(
    name: str,
    rows: list[list[str]],
    look: SheetLook,
    beside: Iterable[str] = (),
) -> Iterator[Line]:
    """The lines of a sheet behind its mark; `beside` are texts outside of cells."""
    remark = look.remark(rows)
    if not fill_merged(rows, look.merged):
        remark = "; ".join(filter(None, (remark, UNFILLED)))
    bold = look.bold_rows(rows)
    lines = sheet_lines(list(look.unseen.marked(rows)), bold)
    boxes = map(hide, beside) if look.unseen.whole else beside
    yield from part_lines("Sheet", name, chain(lines, boxes), remark=remark)


def plain_value(value: object) -> str:
    """A cell as a person would type it: 15 digits at most, as spreadsheets hold them."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e17 else f"{value:.15g}"
    if isinstance(value, dt.datetime):
        return str(value.date()) if value.time() == dt.time() else value.isoformat(" ")
    return one_line(str(value))
