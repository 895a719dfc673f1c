"""Workbooks (XLSX, XLSB, ODS, XLS): one self-contained line for each row.

If the first row names the columns, each later row repeats the names with its values. Formulas are
read as their results; the mark of the sheet counts those that have none. Comments and the words of
text boxes of an XLSX follow the rows of their sheet; print headers and charts are left out.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.container import (
    OLE,
    Compound,
    ZipParts,
    attribute,
    core_properties,
    main_part,
    meta_properties,
    refuse_locked,
    relation_id,
    relations,
    tag_of,
    text_of,
)
from indexer.extract.extraction import BROKEN, Extraction, OwnProperties, what_broke
from indexer.extract.markdown import one_line
from indexer.extract.office.drawing import paragraph_text
from indexer.extract.office.odf_tables import sheets_of_tree
from indexer.extract.office.sheet_look import is_applied, read_look, read_styles, shown
from indexer.extract.tables.named_rows import Place, SheetLook, plain_value, sheet_part
from indexer.records import Line

if TYPE_CHECKING:
    import python_calamine as calamine
    import xlrd

MAX_SHEETS_BYTES = 2**30  # unpacked, as the file's directory says; they are read as a stream

Looks = Callable[[str], SheetLook]


def read_ods(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, "encrypted" or "malformed"."""
    parts = _affordable(data)
    refuse_locked(parts)
    own = meta_properties(parts)
    content = parts.xml("content.xml")
    if content is None:
        raise UnreadableDocument("malformed", "no content part")
    return Extraction(own.title, sheets_of_tree(content), own=own)


def read_xlsx(data: bytes) -> Extraction:
    """The same, with the text outside cells."""
    parts = _affordable(data)
    unread: list[str] = []
    sheets = _parts_of(parts)
    beside = _beside(parts, sheets, unread)
    lines = _workbook(data, beside, _looks(parts, sheets, unread))
    own = core_properties(parts)
    return Extraction(own.title, lines, unread=unread, own=own)


def _affordable(data: bytes) -> ZipParts:
    parts = ZipParts(data)
    if sum(info.file_size for info in parts.members()) > MAX_SHEETS_BYTES:  # as it claims
        raise UnreadableDocument("too_large_unpacked", f"more than {MAX_SHEETS_BYTES:,} bytes")
    return parts


def _workbook(data: bytes, beside: Mapping[str, Sequence[str]], looks: Looks) -> Iterator[Line]:
    with _translated():
        import python_calamine

        workbook = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    return _sheets(workbook, beside, looks)


class _translated:  # noqa: N801 - reads as the words that it stands for
    """Calamine's errors, its Rust panics included, become UnreadableDocument."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        import python_calamine

        if kind is None:
            return
        if issubclass(kind, python_calamine.PasswordError):
            raise UnreadableDocument("encrypted") from None
        if issubclass(kind, python_calamine.CalamineError) or kind.__name__ == "PanicException":
            raise UnreadableDocument("malformed", f"workbook: {error}"[:200]) from None


def _sheets(
    workbook: calamine.CalamineWorkbook, beside: Mapping[str, Sequence[str]], looks: Looks
) -> Iterator[Line]:
    visible = {sheet.name: str(sheet.visible) for sheet in workbook.sheets_metadata}
    for name in workbook.sheet_names:
        with _translated():
            sheet = workbook.get_sheet_by_name(name)
            values = list(sheet.iter_rows())
            left = sheet.start[1] if sheet.start else 0
        look = looks(name)
        rows = [
            [*[""] * left, *(_cell(value, look, (r, left + c)) for c, value in enumerate(cells))]
            for r, cells in enumerate(values)
        ]
        look.hidden = "Hidden" in visible.get(name, "")
        yield from sheet_part(name, rows, look, beside.get(name, ()))


def _cell(value: object, look: SheetLook, place: Place) -> str:
    code = look.formats.get(place) if look.formats else None
    formatted = shown(value, code) if code else None
    return one_line(formatted) if formatted is not None else plain_value(value)


def _parts_of(parts: ZipParts) -> dict[str, str]:
    """Sheet name -> its part."""
    main = main_part(parts, "xl/workbook.xml")
    root = parts.xml(main) if main.endswith(".xml") else None
    related = relations(parts, main) if root is not None else {}
    found = {}
    for sheet in root.iter("{*}sheet") if root is not None else ():
        if (key := relation_id(sheet)) in related:
            found[attribute(sheet, "name") or ""] = related[key][1]
    return found


def _looks(parts: ZipParts, sheets: Mapping[str, str], unread: list[str]) -> Looks:
    """What gives the look of a sheet; damaged styles are added to `unread`, values are read."""
    kinds = relations(parts, main_part(parts, "xl/workbook.xml")).values() if sheets else ()
    name = next((target for kind, target in kinds if kind == "styles"), "")
    try:
        styles = read_styles(parts, name)
    except UnreadableDocument:
        unread.append(name)
        styles = read_styles(parts, "")

    def look(sheet: str) -> SheetLook:
        return read_look(parts, sheets[sheet], styles) if sheet in sheets else SheetLook()

    return look


def _beside(parts: ZipParts, sheets: Mapping[str, str], unread: list[str]) -> dict[str, list[str]]:
    """Sheet name -> texts outside its cells: comments and text boxes.

    Names of damaged parts are added to `unread`; the cells are still read.
    """
    found: dict[str, list[str]] = {sheet: [] for sheet in sheets}
    for sheet, target in sheets.items():
        for kind, name in relations(parts, target).values():
            try:
                root = parts.xml(name) if kind in ("comments", "drawing") else None
            except UnreadableDocument:
                unread.append(name)
                continue
            for each in root.iter("{*}comment", "{*}txBody") if root is not None else ():
                if tag_of(each) == "comment":
                    found[sheet].append(
                        f"Comment ({attribute(each, 'ref')}): {one_line(text_of(each))}"
                    )
                else:
                    texts = map(paragraph_text, each.iterchildren("{*}p"))
                    found[sheet].append("\n".join(filter(None, texts)))
    return found


# --- XLS ----------------------------------------------------------------------------------------

# By xlrd: calamine requests all memory for one in eight damaged files of this format.

_BOLD = 600  # of a font's weight: 400 is normal, 700 bold


def read_xls(data: bytes) -> Extraction:
    """The lines of all sheets; raises UnreadableDocument, "encrypted" or "malformed"."""
    try:
        book = _opened(data, styled=True)
    except UnreadableDocument as error:
        if error.reason != "malformed":
            raise
        book = _opened(data, styled=False)  # its styles may be what is damaged
    own = Compound(data).properties() if data.startswith(OLE) else OwnProperties()
    return Extraction(own.title, _xls_sheets(book), own=own)


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
            raise UnreadableDocument("encrypted") from None
        raise UnreadableDocument("malformed", f"workbook: {what_broke(error)}") from None


def _xlrd_errors() -> tuple[type[Exception], ...]:
    import xlrd
    from xlrd.compdoc import CompDocError

    own = (xlrd.XLRDError, CompDocError)
    return (*own, *BROKEN, AssertionError, AttributeError, TypeError)


def _xls_sheets(book: xlrd.Book) -> Iterator[Line]:
    for index, name in enumerate(book.sheet_names()):
        try:
            sheet = book.sheet_by_index(index)
            look = _xls_look(book, sheet)
            rows = [
                [_xls_cell(cell, book.datemode, look.formats.get((r, c), "")) for c, cell in row]
                for r, row in ((r, enumerate(sheet.row(r))) for r in range(sheet.nrows))
            ]
        except _xlrd_errors() as error:
            raise UnreadableDocument("malformed", f"workbook: {what_broke(error)}") from None
        notes = [f"Comment: {one_line(note.text)}" for note in sheet.cell_note_map.values()]
        yield from sheet_part(name, rows, look, notes)
        book.unload_sheet(index)


def _xls_look(book: xlrd.Book, sheet: xlrd.sheet.Sheet) -> SheetLook:
    look = SheetLook(merged=[(a, c, b - 1, d - 1) for a, b, c, d in sheet.merged_cells])
    codes = [book.format_map[style.format_key].format_str for style in book.xf_list]
    applied = [code if is_applied(code) else "" for code in codes]
    fonts = [book.font_list[style.font_index] for style in book.xf_list]
    look.hidden = bool(sheet.visibility)
    look.rows = {row for row, info in sheet.rowinfo_map.items() if info.hidden}
    look.columns = {column for column, info in sheet.colinfo_map.items() if info.hidden}
    for row in range(sheet.nrows):
        for column, cell in enumerate(sheet.row(row)):
            style = cell.xf_index
            if style is None or not 0 <= style < len(applied):
                continue
            if applied[style]:
                look.formats[row, column] = applied[style]
            if fonts[style].weight >= _BOLD:
                look.bold.add((row, column))
            if fonts[style].struck_out:
                look.struck.add((row, column))
    return look


def _xls_cell(cell: xlrd.sheet.Cell, date_mode: int, code: str) -> str:
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
