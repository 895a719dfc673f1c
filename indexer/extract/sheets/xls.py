"""Legacy Excel workbooks (XLS): cells as they are shown, text boxes and comments behind the rows.

Cells by xlrd, not by calamine, which requests all memory for one in eight damaged files of this
format. What xlrd passes over is read from the records themselves: the texts of boxes and
comments. Source: [MS-XLS] 2.4.28 (BoundSheet8), 2.4.329 (TxO).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
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

_BOF, _EOF, _CONTINUE = 0x0809, 0x000A, 0x003C
_BOUND_SHEET, _TEXT_OBJECT, _OBJECT = 0x0085, 0x01B6, 0x005D
_WORKSHEET, _NOTE = 0, 0x19
_BOLD = 600  # of a font's weight: 400 is normal, 700 bold


def read_xls(data: bytes) -> Extraction:
    """The lines of all sheets; raises UnreadableDocument, "encrypted" or "malformed"."""
    try:
        book, why = _opened(data, True), ""
    except _xlrd_errors() as error:
        _refuse_locked(error)
        try:
            book, why = _opened(data, False), "its styles are damaged"
        except _xlrd_errors() as second:
            _refuse_locked(second)
            raise _malformed(second) from None
    compound = Compound(data) if data.startswith(OLE) else None
    drawn = _Records(_stream(compound) if compound is not None else data).sheets()
    own = compound.properties() if compound else OwnProperties()
    return Extraction(own.title, _sheets(book, drawn, why), own=own)


def _opened(data: bytes, styled: bool) -> xlrd.Book:
    import xlrd

    # Rows as long as they are, so that one cell far to the right costs one row.
    return xlrd.open_workbook(
        file_contents=data,
        on_demand=True,
        ragged_rows=True,
        formatting_info=styled,
        logfile=io.StringIO(),
    )


def _refuse_locked(error: BaseException) -> None:
    if "encrypted" in str(error):
        raise UnreadableDocument("encrypted", "a password is needed") from None


def _malformed(error: BaseException) -> UnreadableDocument:
    return UnreadableDocument("malformed", f"workbook: {what_broke(error)}")


def _xlrd_errors() -> tuple[type[Exception], ...]:
    import xlrd
    from xlrd.compdoc import CompDocError

    own = (xlrd.XLRDError, CompDocError)
    return (*own, *BROKEN, AssertionError, AttributeError, TypeError)


def _sheets(book: xlrd.Book, drawn: Sequence[list[str]], why: str) -> Iterator[Line]:
    for index, name in enumerate(book.sheet_names()):
        try:
            sheet = book.sheet_by_index(index)
            look = _look(book, sheet) if not why else SheetLook(unformatted=why)
            rows = [
                [_cell(cell, book.datemode, look.formats.get((r, c), "")) for c, cell in row]
                for r, row in ((r, enumerate(sheet.row(r))) for r in range(sheet.nrows))
            ]
        except _xlrd_errors() as error:
            raise _malformed(error) from None
        beside = drawn[index] if index < len(drawn) else []
        look.unseen = _unseen(sheet)
        yield from sheet_part(name, rows, look, beside)
        book.unload_sheet(index)


def _unseen(sheet: xlrd.sheet.Sheet) -> Concealed:
    """What of a sheet is not shown; its rows and columns are known where styles are read."""
    return Concealed(
        bool(sheet.visibility),
        frozenset(row for row, info in sheet.rowinfo_map.items() if info.hidden),
        frozenset(column for column, info in sheet.colinfo_map.items() if info.hidden),
    )


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

    value: object = cell.value
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, ""))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return plain_value(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_DATE:
        value = _moment(cell.value, date_mode)
    formatted = shown(value, code) if code and cell.ctype != xlrd.XL_CELL_TEXT else None
    return one_line(formatted) if formatted is not None else plain_value(value)


def _moment(value: float, date_mode: int) -> object:
    """A time of day below one day, a date or moment from then on; the number if it is neither."""
    import xlrd

    try:
        moment = xlrd.xldate.xldate_as_datetime(value, date_mode)
    except (ValueError, OverflowError):
        return value
    return moment.time() if 0 <= value < 1 else moment


# --- Records ------------------------------------------------------------------------------------


def _stream(compound: Compound) -> bytes:
    for name in ("Workbook", "Book"):
        try:
            stream = compound.read(name)
        except UnreadableDocument:
            return b""  # xlrd has found it: the values are read, the boxes not
        if stream is not None:
            return stream
    return b""


class _Records:
    """The records of a workbook's stream; damage ends them."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream

    def sheets(self) -> list[list[str]]:
        """The texts of boxes and comments of each worksheet, in the order of the workbook's."""
        starts = [
            struct.unpack_from("<I", body)[0]
            for kind, body in self._records(0)
            if kind == _BOUND_SHEET and len(body) > 6 and body[5] == _WORKSHEET
        ]
        return [self._sheet(start) for start in starts]

    def _records(self, position: int) -> Iterator[tuple[int, bytes]]:
        """The records from one place to the end of its part, those of parts within included."""
        depth = 0
        while position + 4 <= len(self._stream):
            kind, length = struct.unpack_from("<HH", self._stream, position)
            yield kind, self._stream[position + 4 : position + 4 + length]
            depth += (kind == _BOF) - (kind == _EOF)
            if depth <= 0:
                return
            position += 4 + length

    def _sheet(self, start: int) -> list[str]:
        texts: list[str] = []
        left, is_note, pieces = 0, False, list[str]()
        for kind, body in self._records(start):
            if kind == _OBJECT and len(body) >= 6:
                is_note = struct.unpack_from("<H", body, 4)[0] == _NOTE
            elif kind == _TEXT_OBJECT and len(body) >= 12:
                left, pieces = struct.unpack_from("<H", body, 10)[0], []
            elif kind == _CONTINUE and left and body:
                text = body[1:].decode("utf-16-le" if body[0] & 1 else "latin-1", "replace")[:left]
                left -= len(text)
                pieces.append(text)
                if not left:
                    shown_text = "\n".join(filter(None, map(one_line, "".join(pieces).split("\n"))))
                    texts.append(f"Comment: {one_line(shown_text)}" if is_note else shown_text)
        return texts
