"""Rows of sheets and CSV as lines, each with the names of its columns. Pure.

A sheet may hold several tables one below the other, with a letterhead above and notes below. Empty
rows part them; each has a header of its own, or none.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice

from indexer.extract.extraction import part_lines
from indexer.extract.hidden import hide, struck
from indexer.extract.markdown import one_line, row
from indexer.extract.tables.headers import (
    HEADER_SEARCH_ROWS,
    MIN_HEADER_SHARE,
    Header,
    entry,
    found_header,
)
from indexer.records import Line

MAX_MERGED = 100_000  # places that merged cells fill
UNFORMATTED = "numbers without their formats, hidden rows and columns without their mark"

Place = tuple[int, int]
MAX_COLUMNS = 16_384  # of a sheet, as Excel has them


@dataclass(slots=True)
class SheetLook:
    """The look of one sheet, whose rows, columns and cells are known by their index from 0.

    `merged` are (first row, first column, last row, last column); `rows`, `columns` and `cells` are
    hidden, and all of it if it is `hidden`.
    """

    formats: dict[Place, str] = field(default_factory=dict)
    formulas: list[Place] = field(default_factory=list)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    bold: set[Place] = field(default_factory=set)
    struck: set[Place] = field(default_factory=set)
    hidden: bool = False
    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    cells: set[Place] = field(default_factory=set)
    unformatted: str = ""  # why formats, and what is hidden, could not be read
    shortened: str = ""  # what the file counts and stands here fewer times

    def marked(self, rows: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
        """The rows of the sheet, from its first cell on, with marks of what is hidden or struck."""
        if not (self.hidden or self.rows or self.columns or self.cells or self.struck):
            yield from rows
            return
        for number, cells in enumerate(rows):
            every = self.hidden or number in self.rows
            yield [
                hide(cell)
                if every or at in self.columns or (number, at) in self.cells
                else struck(cell)
                if (number, at) in self.struck
                else cell
                for at, cell in enumerate(cells)
            ]

    def bold_rows(self, rows: Sequence[Sequence[str]]) -> set[int]:
        """The rows of which all filled cells are in bold."""
        return {
            number
            for number in {row for row, _ in self.bold}
            if number < len(rows)
            and all(
                (number, column) in self.bold for column, cell in enumerate(rows[number]) if cell
            )
        }

    def remark(self, rows: Sequence[Sequence[str]]) -> str:
        """What a person should know of the values of a sheet; "" if there is nothing."""
        filled = (r < len(rows) and any(rows[r][c : c + 1]) for r, c in self.formulas)
        empty = len(self.formulas) - sum(filled)
        remarks = []
        if empty:
            what = "1 formula has" if empty == 1 else f"{empty:,} formulas have"
            remarks.append(f"{what} no kept result")
        if self.unformatted:
            remarks.append(f"{UNFORMATTED}: {self.unformatted}")
        if self.shortened:
            remarks.append(self.shortened)
        return "; ".join(remarks)


def fill_merged(rows: list[list[str]], merged: Iterable[tuple[int, int, int, int]]) -> bool:
    """Repeat the text of each merged cell in all its places, but for titles over a whole row.

    Whether that was done with all of them; those past MAX_MERGED places stay as they are.
    """
    left = MAX_MERGED
    width = max(map(len, rows), default=0)
    for top, first, bottom, last in merged:
        if top >= len(rows) or first >= len(rows[top]) or not rows[top][first]:
            continue
        last, bottom = min(last, width - 1), min(bottom, len(rows) - 1)
        left -= (last - first + 1) * (bottom - top + 1)
        alone = sum(map(bool, rows[top])) == 1
        if left < 0 or alone:
            continue
        for line in range(top, bottom + 1):
            rows[line] += [""] * (last + 1 - len(rows[line]))
            for column in range(first, last + 1):
                rows[line][column] = rows[line][column] or rows[top][first]
    return left >= 0


Cells = Sequence[str]
UNFILLED = f"merged cells beyond {MAX_MERGED:,} places are not repeated"


def labelled(rows: Iterable[Cells]) -> Iterator[str]:
    """A line for each non-empty row of CSV, with the column names if there are any."""
    filled = ([cell.strip() for cell in cells] for cells in rows if any(map(str.strip, cells)))
    first = list(islice(filled, HEADER_SEARCH_ROWS * 2))
    yield from _table(chain(first, filled), found_header(first, named=True))


def sheet_lines(rows: Sequence[Cells], bold: Collection[int] = ()) -> Iterator[str]:
    """A line for each non-empty row of a sheet; `bold` are the rows whose cells are all in bold."""
    whole = [[cell.strip() for cell in cells] for cells in rows]
    before: Header | None = None
    for is_filled, run in groupby(range(len(whole)), key=lambda line: any(whole[line])):
        block = list(run)
        if not is_filled:
            continue
        part = [whole[line] for line in block]
        header = _header_of(part, block, bold)
        if header is None and before is not None and _goes_on(part, before):
            header = Header(0, 0, before.names)
        yield from _table(part, header)
        before = header


def _header_of(part: Sequence[Cells], lines: Sequence[int], bold: Collection[int]) -> Header | None:
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
        else:
            yield row(_named(header.names, cells))


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
    lines = sheet_lines(list(look.marked(rows)), bold)
    boxes = map(hide, beside) if look.hidden else beside
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
