"""Spreadsheets (XLSX, XLSB, XLS, ODS) and CSV: one self-contained line for each row.

If the first row names the columns, each later row repeats the names with its values. Formulas are
read as their results. Comments, text boxes and titles of charts of an XLSX follow the rows of their
sheet; print headers are left out, and in the other formats these too.

python-calamine (MIT, the Rust reader that kreuzberg uses too) and xlrd rather than kreuzberg: they
give the cells with their types, sheet by sheet.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.container import (
    ZipParts,
    attribute,
    core_title,
    main_part,
    meta_title,
    refuse_locked,
    relations,
    tag_of,
    text_of,
)
from indexer.extract.damage import BROKEN
from indexer.extract.extraction import Extraction, part_lines, plain_lines
from indexer.extract.hidden import hide, is_hidden
from indexer.extract.legacy.compound import OLE, Compound
from indexer.extract.markdown import one_line, row
from indexer.extract.office.charts import chart_titles
from indexer.extract.office.drawing import paragraph_text
from indexer.extract.office.hidden_cells import SHOWN, Concealed, concealed
from indexer.extract.text import decode
from indexer.records import Line

if TYPE_CHECKING:
    import python_calamine as calamine
    import xlrd
    from lxml.etree import _Element as Element

MAX_SHEETS_BYTES = 2**30  # unpacked, as the file's directory says; they are read as a stream

Cells = Sequence[str]


def read_xls(data: bytes) -> Extraction:
    """The lines of all sheets; raises UnreadableDocument, "encrypted" or "malformed".

    By xlrd: calamine requests all memory for one in eight damaged files of this format.
    """
    import xlrd

    try:
        # Rows as long as they are, so that one cell far to the right costs one row.
        book = xlrd.open_workbook(
            file_contents=data, on_demand=True, ragged_rows=True, logfile=io.StringIO()
        )
    except _xlrd_errors() as error:
        reason = "encrypted" if "encrypted" in str(error) else "malformed"
        raise UnreadableDocument(reason, f"{type(error).__name__}: {error}"[:200]) from None
    return Extraction(Compound(data).title() if data.startswith(OLE) else None, _old_sheets(book))


def _old_sheets(book: xlrd.Book) -> Iterator[Line]:
    for index, name in enumerate(book.sheet_names()):
        try:
            sheet = book.sheet_by_index(index)
            rows = [
                [_old_cell(cell, book.datemode) for cell in sheet.row(number)]
                for number in range(sheet.nrows)
            ]
        except _xlrd_errors() as error:
            raise UnreadableDocument(
                "malformed", f"{type(error).__name__}: {error}"[:200]
            ) from None
        marked = Concealed(whole=bool(sheet.visibility)).marked(rows)
        yield from part_lines("Sheet", name, labelled(marked))
        book.unload_sheet(index)


def _old_cell(cell: xlrd.sheet.Cell, date_mode: int) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return _shown(xlrd.xldate.xldate_as_datetime(cell.value, date_mode))
        except (ValueError, OverflowError):
            return _shown(cell.value)
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, ""))
    return _shown(bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else cell.value)


def _xlrd_errors() -> tuple[type[Exception], ...]:
    import xlrd
    from xlrd.compdoc import CompDocError

    own = (xlrd.XLRDError, CompDocError)
    return (*own, *BROKEN, AssertionError, AttributeError, TypeError)


def read_ods(data: bytes) -> Extraction:
    """The same; raises UnreadableDocument, "encrypted" too."""
    parts = ZipParts(data)
    _affordable(parts)
    refuse_locked(parts)
    return Extraction(meta_title(parts), _workbook(data).lines)


def read_xlsx(data: bytes) -> Extraction:
    """The same, with the title and the text outside cells."""
    parts = ZipParts(data)
    _affordable(parts)
    unread: list[str] = []
    workbook = _workbook(data, _beside(parts, unread), concealed(parts, unread))
    return Extraction(core_title(parts), workbook.lines, unread=unread)


def _affordable(parts: ZipParts) -> None:
    if parts.claimed_bytes() > MAX_SHEETS_BYTES:
        raise UnreadableDocument(
            "too_large_unpacked", f"unpacks to more than {MAX_SHEETS_BYTES:,} bytes"
        )


def _workbook(
    data: bytes,
    beside: Mapping[str, Sequence[str]] = MappingProxyType({}),
    unseen: Mapping[str, Concealed] = MappingProxyType({}),
) -> Extraction:
    with _translated():
        import python_calamine

        workbook = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    return Extraction(None, _sheets(workbook, beside, unseen))


class _translated:  # noqa: N801 - reads as the words that it stands for
    """Calamine's errors, its Rust panics included, become UnreadableDocument."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        import python_calamine

        if kind is None:
            return
        if issubclass(kind, python_calamine.PasswordError):
            raise UnreadableDocument("encrypted", "a password is needed") from None
        if issubclass(kind, python_calamine.CalamineError) or kind.__name__ == "PanicException":
            raise UnreadableDocument("malformed", f"{kind.__name__}: {error}"[:200]) from None


def _sheets(
    workbook: calamine.CalamineWorkbook,
    beside: Mapping[str, Sequence[str]],
    unseen: Mapping[str, Concealed],
) -> Iterator[Line]:
    visible = {sheet.name: str(sheet.visible) for sheet in workbook.sheets_metadata}
    for name in workbook.sheet_names:
        with _translated():
            sheet = workbook.get_sheet_by_name(name)
            rows = [[_shown(value) for value in values] for values in sheet.iter_rows()]
        whole = "Hidden" in visible.get(name, "")
        parts = replace(unseen.get(name, SHOWN), whole=whole)
        first_column = sheet.start[1] if sheet.start else 0
        marked = labelled(parts.marked(rows, first_column=first_column))
        boxes = beside.get(name, ())
        yield from part_lines("Sheet", name, chain(marked, map(hide, boxes) if whole else boxes))


def _shown(value: object) -> str:
    """A cell as a person would type it: 15 digits at most, as spreadsheets hold them."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e17 else f"{value:.15g}"
    if isinstance(value, dt.datetime):
        return str(value.date()) if value.time() == dt.time() else value.isoformat(" ")
    return one_line(str(value))


def _beside(parts: ZipParts, unread: list[str]) -> dict[str, list[str]]:
    """Sheet name -> texts outside its cells: comments, text boxes, titles of charts.

    Names of damaged parts are added to `unread`; the cells are still read.
    """
    found: dict[str, list[str]] = {}
    main = main_part(parts, "xl/workbook.xml")
    if not main.endswith(".xml"):
        return found
    root = parts.xml(main)
    related = relations(parts, main)
    for sheet in root.iter() if root is not None else ():
        if tag_of(sheet) != "sheet":
            continue
        ids = [str(value) for key, value in sheet.attrib.items() if key.endswith("}id")]
        target = related.get(ids[0], ("", ""))[1] if ids else ""
        for kind, name in relations(parts, target).values() if target else ():
            try:
                texts = [text for text in _BESIDE.get(kind, _nothing)(parts, name) if text]
            except UnreadableDocument:
                unread.append(name)
            else:
                found.setdefault(attribute(sheet, "name") or "", []).extend(texts)
    return found


def _comments(parts: ZipParts, name: str) -> Iterator[str]:
    """As in "Comment (B7): …"."""
    notes = parts.xml(name)
    for note in notes.iter() if notes is not None else ():
        if tag_of(note) == "comment":
            yield f"Comment ({attribute(note, 'ref')}): {one_line(text_of(note))}"


def _drawn(parts: ZipParts, name: str) -> Iterator[str]:
    """The texts of boxes and shapes, and the titles of charts."""
    root = parts.xml(name)
    related = relations(parts, name)
    for each in root.iter() if root is not None else ():
        if tag_of(each) in ("txBody", "chart") and _is_spare(each):
            continue
        if tag_of(each) == "txBody":
            texts = (paragraph_text(paragraph) for paragraph in each if tag_of(paragraph) == "p")
            yield "\n".join(filter(None, texts))
        elif tag_of(each) == "chart":
            target = related.get(attribute(each, "id") or "", ("", ""))[1]
            chart = parts.xml(target) if target else None
            yield chart_titles(chart) if chart is not None else ""


def _is_spare(element: Element) -> bool:
    """Whether an element is a fallback for programs that do not support the original."""
    return any(tag_of(outer) == "Fallback" for outer in element.iterancestors())


def _nothing(parts: ZipParts, name: str) -> Iterator[str]:
    return iter(())


_BESIDE: Mapping[str, Callable[[ZipParts, str], Iterator[str]]] = {
    "comments": _comments,
    "drawing": _drawn,
}

# --- Rows ---------------------------------------------------------------------------------------

HEADER_SEARCH_ROWS = 10
MAX_HEADER_CHARS = 80
MIN_HEADER_SHARE = 0.6  # of the cells that the rows below fill
_LETTER = re.compile(r"[^\W\d_]")


def labelled(rows: Iterable[Cells]) -> Iterator[str]:
    """A line for each non-empty row, with the column names if there are any."""
    filled = ([cell.strip() for cell in cells] for cells in rows if any(map(str.strip, cells)))
    first = list(islice(filled, HEADER_SEARCH_ROWS * 2))
    header = _header(first)
    names: Cells = ()
    for index, cells in enumerate(chain(first, filled)):
        if index == header:
            names = cells
            yield row(cells)
        elif names:
            yield row(_named(names, cells))
        else:
            yield row(_stripped(cells))


def _named(names: Cells, cells: Cells) -> Iterator[str]:
    for index, cell in enumerate(cells):
        name = names[index] if index < len(names) else ""
        if cell:
            yield f"{name}: {cell}" if name and name != cell else cell


def _stripped(cells: Cells) -> Cells:
    """Cells without trailing empty ones."""
    last = max((index for index, cell in enumerate(cells) if cell), default=-1)
    return cells[: last + 1]


def _header(rows: Sequence[Cells]) -> int | None:
    """Which of the first rows names the columns: the first of several cells, if it is all names."""
    for index, cells in enumerate(rows[:HEADER_SEARCH_ROWS]):
        names = [cell for cell in cells if cell]
        if len(names) < 2 or (is_hidden(" ".join(names)) and not is_hidden(" ".join(rows[-1]))):
            continue  # a hidden row names no shown columns
        below = [sum(map(bool, other)) for other in rows[index + 1 :]]
        is_named = all(len(name) <= MAX_HEADER_CHARS and _LETTER.search(name) for name in names)
        whole = bool(below) and len(names) >= MIN_HEADER_SHARE * median(below)
        return index if is_named and whole and len(set(names)) == len(names) else None
    return None


# --- CSV ----------------------------------------------------------------------------------------

_DELIMITERS = ",;\t|"
_SEPARATOR_LINE = re.compile(r"\A\ufeff?sep=(.)\r?\n")


def read_csv(data: bytes) -> Extraction:
    """Its lines, one for each row."""
    text = decode(data)
    told = _SEPARATOR_LINE.match(text)
    if told:
        text = text[told.end() :]
    delimiter = told[1] if told else _delimiter(text)
    return Extraction(None, plain_lines(labelled(_csv_rows(text, delimiter))))


def _csv_rows(text: str, delimiter: str) -> Iterator[Cells]:
    csv.field_size_limit(2**31 - 1)  # a stray quotation mark may make one field of all the rest
    lines = (line.replace("\0", "") for line in io.StringIO(text, newline=""))
    yield from csv.reader(lines, delimiter=delimiter)


def _delimiter(text: str) -> str:
    """The delimiter that gives the first lines equal numbers of cells; the most cells win."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()][:20]

    def score(delimiter: str) -> tuple[float, int]:
        counts = [len(cells) for cells in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(counts), key=counts.count, default=1)
        return (counts.count(usual) / len(counts) if usual > 1 else 0.0, usual)

    return max(_DELIMITERS, key=score) if lines else ","
