"""Which rows of a table name its columns, and rows of sheets and CSV under these names. Pure.

Names are judged by their texts alone where a document does not say which they are: in CSV, sheets,
and most tables of office documents and mails. A name under the wrong column is worse than none, so
what is doubtful has no header. A sheet may hold several tables one below the other, with a
letterhead above and notes below: empty rows part them, and each has a header of its own, or none.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice, repeat
from statistics import median

from indexer.extract.extraction import part_lines
from indexer.extract.hidden import bare, hide, is_hidden, struck
from indexer.extract.markdown import one_line, row
from indexer.records import Line

HEADER_SEARCH_ROWS = 10
MAX_HEADER_CHARS = 80
MIN_HEADER_SHARE = 0.6  # of the cells that the rows below fill
MAX_GROUP_ROWS = 3  # of names that stand above several columns
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
# Years and dates name columns too, where the cells below are none.
_PERIOD = re.compile(r"(?:fy|cy)?\s*'?(?:19|20)\d\d(?:\s*[-–/]\s*(?:19|20)?\d\d)?[ae]?", re.I)
_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
_FIGURE = re.compile(r"[^\w]*\d[\d.,'\u00a0\u202f\s%:/-]*\S{0,4}")

Cells = Sequence[str]


@dataclass(frozen=True, slots=True)
class Header:
    """Rows `start` to `stop` - 1 are the header, and `names` what they call each column."""

    start: int = 0
    stop: int = 0
    names: tuple[str, ...] = ()


def found_header(
    rows: Sequence[Cells], named: bool = False, strong: int = 0, merged: bool = False
) -> Header | None:
    """The header among the first rows of a table; None where no row is surely one.

    With `named` the first row, if it is one of names, counts without further evidence, as in CSV;
    `strong` is how many of the first rows are in bold, unlike the row below them; with `merged`
    neighbours of one name are one merged cell.
    """
    given, rows = rows, _bared(rows)
    filled = [*map(_filled, rows)]
    for index, cells in enumerate(rows[:HEADER_SEARCH_ROWS]):
        if filled[index] < 2 or index + 1 == len(rows):
            continue
        if filled[index] < MIN_HEADER_SHARE * median(filled[index + 1 :]):
            continue  # a letterhead, or names above several columns
        start, stop = index - _groups(rows[:index], cells), index + 1
        while _are_names(rows, stop - 1):
            names = paths(rows[start:stop], fill=not merged)
            further = stop - start <= MAX_GROUP_ROWS and stop + 1 < len(rows)
            if not _is_each(names) and further and _are_names(rows, stop):
                stop += 1  # the same name above several columns: the next row names each
                continue
            is_sure = (
                (named and not start) or stop <= strong or _is_list(rows[stop - 1], rows[stop:])
            )
            if not is_sure or not _is_each(names, merged):
                return None
            return Header(start, stop, paths(given[start:stop], fill=not merged))
        return None
    return None


def _bared(rows: Sequence[Cells]) -> Sequence[Cells]:
    """The texts without signs of what is hidden; a hidden row names no columns that are shown."""
    hidden = [is_hidden(" ".join(cells)) for cells in rows]
    blank = not all(hidden)
    return [
        [""] * len(cells) if unseen and blank else [*map(bare, cells)]
        for cells, unseen in zip(rows, hidden, strict=True)
    ]


def entry(name: str, value: str) -> str:
    """A value with the name of its column; hidden as a whole where the value is hidden."""
    if is_hidden(value):
        return hide(f"{bare(name)}: {bare(value)}") if name else value
    return f"{name}: {value}" if name and name != value and not is_hidden(name) else value


def _is_each(names: Cells, merged: bool = False) -> bool:
    """Whether each column has a name of its own; with `merged` neighbours may share one."""
    shown = [name for name in names if name]
    if merged:
        shown = [name for name, _ in groupby(shown)]
    return len(set(shown)) == len(shown)


def _are_names(rows: Sequence[Cells], index: int) -> bool:
    below = rows[index + 1 :]
    return all(_names(cell, column, below) for column, cell in enumerate(rows[index]) if cell)


def is_name(cell: str) -> bool:
    """Whether a text may be a name by itself: no figure, or a year."""
    return not _FIGURE.fullmatch(cell) or _PERIOD.fullmatch(cell) is not None


def _names(cell: str, column: int, below: Sequence[Cells]) -> bool:
    """Whether a cell may name the column of the cells below it."""
    if len(cell) > MAX_HEADER_CHARS:
        return False
    if _LETTER.search(cell) or not _DIGIT.search(cell):
        return True
    kind = next((kind for kind in (_PERIOD, _DATE) if kind.fullmatch(cell)), None)
    values = [cells[column] for cells in below if column < len(cells) and cells[column]]
    return kind is not None and bool(values) and not any(map(kind.fullmatch, values))


def _groups(above: Sequence[Cells], names: Cells) -> int:
    """How many of the rows right above a header name groups of its columns."""
    count = 0
    for cells in reversed(above[-MAX_GROUP_ROWS:]):
        groups = [cell for cell in cells if cell]
        short = all(len(cell) <= MAX_HEADER_CHARS for cell in groups)
        if len(set(groups)) < 2 or (cells[0] and cells[0] != names[0]) or not short:
            break
        count += 1
    return count


def _is_list(names: Cells, below: Sequence[Cells]) -> bool:
    """Whether a row of names without any mark heads a list, rather than begins a form.

    In a form each row is a label and its value. Two columns are a form unless the values of the
    second are alike but for their digits and its name is not, or the first has no labels: its
    values repeat, or all have digits and its name has none.
    """
    columns = [column for column, name in enumerate(names) if name]
    labels = [names[column] for column in columns]
    labels += [cells[columns[0]] for cells in below if columns[0] < len(cells)]
    if sum(label.endswith((":", "：")) for label in labels) > len(labels) / 4:
        return False
    wide = [cells for cells in below if _filled(cells) > 1]
    if max(map(_filled, [names, *wide])) > 2:
        plain = not any(map(_DIGIT.search, filter(None, names)))
        return (len(wide) > 1 and plain) or any(_figures(names, c, wide) for c in columns)
    first, last = (
        [cells[c] for cells in wide if c < len(cells)] for c in (columns[0], columns[-1])
    )
    numbered = all(map(_DIGIT.search, first)) and not _DIGIT.search(names[columns[0]])
    alike = len(set(map(_shape, last))) == 1 and _shape(names[columns[-1]]) != _shape(last[0])
    counted = alike and all(map(_DIGIT.search, last)) and is_name(names[columns[-1]])
    return len(wide) > 1 and (counted or numbered or len(set(first)) < len(first))


def _shape(value: str) -> str:
    return re.sub(r"\d+", "0", value)


def _filled(cells: Cells) -> int:
    return sum(map(bool, cells))


def _figures(names: Cells, column: int, below: Sequence[Cells]) -> bool:
    """Whether a column holds figures alone, its name aside."""
    values = [cells[column] for cells in below if column < len(cells) and cells[column]]
    return bool(values) and all(map(_FIGURE.fullmatch, values)) and is_name(names[column])


def paths(rows: Sequence[Cells], fill: bool = True) -> tuple[str, ...]:
    """The name of each column from header rows, one below the other.

    With `fill`, in all but the last row an empty cell belongs to the name on its left.
    """
    width = max(map(len, rows), default=0)
    names: list[list[str]] = [[] for _ in range(width)]
    for number, cells in enumerate(rows):
        group = ""
        for column in range(width):
            cell = cells[column] if column < len(cells) else ""
            group = cell or (group if fill else "")
            shown = cell if number == len(rows) - 1 else group
            if shown and names[column][-1:] != [shown]:
                names[column].append(shown)
    return tuple(" ".join(parts) for parts in names)


# --- Sheets and CSV -------------------------------------------------------------------------------

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
    remarks: list[str] = field(default_factory=list)  # why formats could not be read, for example

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
        remarks = dict.fromkeys(self.remarks)
        if empty := len(self.formulas) - sum(filled):
            what = "1 formula has" if empty == 1 else f"{empty:,} formulas have"
            return "; ".join([f"{what} no kept result", *remarks])
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
        # One narrow row above the header may be a title that is in bold too.
        strong = next((n for n, line in enumerate(block) if line not in bold), 0)
        header = found_header(part[: 2 * HEADER_SEARCH_ROWS], strong=strong)
        if header is None and before is not None and _goes_on(part, before):
            header = Header(0, 0, before.names)
        yield from _table(part, header)
        before = header


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
        elif index >= header.stop:
            named = zip(chain(header.names, repeat("")), cells, strict=False)
            yield row(entry(name, cell) for name, cell in named if cell)
        elif index + 1 == header.stop:
            yield row(_stripped(header.names))


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
