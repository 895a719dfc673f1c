"""Legacy Excel workbooks (XLS): cells with percent, currency and units, comments behind the rows.

By xlrd, not by calamine, which requests all memory for one in eight damaged files of this format.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.damage import BROKEN, what_broke
from indexer.extract.extraction import Extraction
from indexer.extract.legacy.compound import OLE, Compound
from indexer.extract.markdown import one_line
from indexer.extract.own_properties import OwnProperties
from indexer.extract.sheets.number_formats import is_applied, shown
from indexer.extract.tables.hidden_cells import Concealed
from indexer.extract.tables.sheet_look import SheetLook
from indexer.extract.tables.sheet_rows import plain_value, sheet_part
from indexer.records import Line

if TYPE_CHECKING:
    import xlrd

_BOLD = 600  # of a font's weight: 400 is normal, 700 bold


def read_xls(data: bytes) -> Extraction:
    """The lines of all sheets; raises UnreadableDocument, "encrypted" or "malformed"."""
    why = ""
    try:
        book = _opened(data, styled=True)
    except UnreadableDocument as error:
        if error.reason != "malformed":
            raise
        book, why = _opened(data, styled=False), "its styles are damaged"
    own = Compound(data).properties() if data.startswith(OLE) else OwnProperties()
    return Extraction(own.title, _sheets(book, why), own=own)


def _opened(data: bytes, styled: bool) -> xlrd.Book:
    import xlrd

    try:  # rows as long as they are, so that one cell far to the right costs one row
        return xlrd.open_workbook(
            file_contents=data,
            on_demand=True,
            ragged_rows=True,
            formatting_info=styled,
            logfile=io.StringIO(),
        )
    except _xlrd_errors() as error:
        if "encrypted" in str(error):
            raise UnreadableDocument("encrypted", "a password is needed") from None
        raise UnreadableDocument("malformed", f"workbook: {what_broke(error)}") from None


def _xlrd_errors() -> tuple[type[Exception], ...]:
    import xlrd
    from xlrd.compdoc import CompDocError

    own = (xlrd.XLRDError, CompDocError)
    return (*own, *BROKEN, AssertionError, AttributeError, TypeError)


def _sheets(book: xlrd.Book, why: str) -> Iterator[Line]:
    for index, name in enumerate(book.sheet_names()):
        try:
            sheet = book.sheet_by_index(index)
            look = SheetLook(unformatted=why) if why else _look(book, sheet)
            rows = [
                [_cell(cell, book.datemode, look.formats.get((r, c), "")) for c, cell in row]
                for r, row in ((r, enumerate(sheet.row(r))) for r in range(sheet.nrows))
            ]
        except _xlrd_errors() as error:
            raise UnreadableDocument("malformed", f"workbook: {what_broke(error)}") from None
        look.unseen = Concealed(
            bool(sheet.visibility),
            frozenset(row for row, info in sheet.rowinfo_map.items() if info.hidden),
            frozenset(column for column, info in sheet.colinfo_map.items() if info.hidden),
        )
        notes = [f"Comment: {one_line(note.text)}" for note in sheet.cell_note_map.values()]
        yield from sheet_part(name, rows, look, notes)
        book.unload_sheet(index)


def _look(book: xlrd.Book, sheet: xlrd.sheet.Sheet) -> SheetLook:
    look = SheetLook(merged=[(a, c, b - 1, d - 1) for a, b, c, d in sheet.merged_cells])
    codes = [book.format_map[style.format_key].format_str for style in book.xf_list]
    applied = [code if is_applied(code) else "" for code in codes]
    bold = [book.font_list[style.font_index].weight >= _BOLD for style in book.xf_list]
    for row in range(sheet.nrows):
        for column, cell in enumerate(sheet.row(row)):
            style = cell.xf_index
            if style is None or not 0 <= style < len(applied):
                continue
            if applied[style]:
                look.formats[row, column] = applied[style]
            if bold[style]:
                look.bold.add((row, column))
    return look


def _cell(cell: xlrd.sheet.Cell, date_mode: int, code: str) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, ""))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return plain_value(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_DATE:
        return plain_value(_moment(cell.value, date_mode))
    return (shown(cell.value, code) if code else None) or plain_value(cell.value)


def _moment(value: float, date_mode: int) -> object:
    """A time of day below one day, a date or moment from then on; the number if it is neither."""
    import xlrd

    try:
        moment = xlrd.xldate.xldate_as_datetime(value, date_mode)
    except (ValueError, OverflowError):
        return value
    return moment.time() if 0 <= value < 1 else moment
