"""Tables of OpenDocument: of texts and slides as grids, of spreadsheets as rows.

Cells and rows that the file writes once and counts stand as often, up to a limit. Source:
OpenDocument 1.3, part 3, 9.1. The text of cells in texts is read by the caller, `odf`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat

from indexer.extract.container import Element, attribute, child, inside, number_of, tag_of, text_of
from indexer.extract.markdown import one_line
from indexer.extract.tables import Cell, Row, Source, resolved
from indexer.extract.tables.named_rows import MAX_COLUMNS, SheetLook, sheet_part
from indexer.records import Line

MAX_REPEATED = 64  # cells, rows or blanks with text that the file writes once and counts
MAX_EMPTY = 1024  # the same of empty cells, which only say how far to the right the next one is
SHORTENED = f"what a table repeats more than {MAX_REPEATED} times stands {MAX_REPEATED} times"
_CellOf = Callable[["Element", "Element"], Cell]


def odf_rows(table: Element, cell_of: _CellOf, notes: list[str]) -> list[Row]:
    """The grid of a table; `cell_of` reads a cell of a row, what is left out is noted once."""
    sources = list[Source]()
    for element, heads in found_rows(table):
        count = count_of(element, "number-rows-repeated")
        cells = list(_cells(element, cell_of, notes))
        if count > MAX_REPEATED and any(cell.text for cell in cells) and SHORTENED not in notes:
            notes.append(SHORTENED)
        row = Source(cells, kind="thead" if heads else "tbody")
        sources += repeat(row, min(count, MAX_REPEATED))
    return resolved(sources)


def _cells(row: Element, cell_of: _CellOf, notes: list[str]) -> Iterator[Cell]:
    """The cells of a row, but for those that others cover."""
    for element, count in found_cells(row):
        if tag_of(element) == "covered-table-cell":
            continue
        cell = cell_of(element, row)
        down = min(count_of(element, "number-rows-spanned"), MAX_EMPTY)
        across = min(count_of(element, "number-columns-spanned"), MAX_EMPTY)
        if not cell.text:
            yield replace(cell, rows=down, columns=min(count * across, MAX_EMPTY))
            continue
        if count > MAX_REPEATED and SHORTENED not in notes:
            notes.append(SHORTENED)
        yield from repeat(replace(cell, rows=down, columns=across), min(count, MAX_REPEATED))


def found_rows(table: Element) -> Iterator[tuple[Element, bool]]:
    """The rows of a table and of its groups, and whether they are header rows."""
    for element in table:
        tag = tag_of(element)
        if tag == "table-row":
            yield element, tag_of(table) == "table-header-rows"
        elif tag.startswith("table-") and "row" in tag:  # groups and headers of rows
            yield from found_rows(element)


def found_cells(row: Element) -> Iterator[tuple[Element, int]]:
    """The cells of a row, covered ones too, and how often each is repeated."""
    for cell in row:
        if tag_of(cell) in ("table-cell", "covered-table-cell"):
            yield cell, count_of(cell, "number-columns-repeated")


def count_of(element: Element, name: str) -> int:
    """A count among an element's attributes, at least 1."""
    return max(1, number_of(element, name, 1))


# --- Spreadsheets ---------------------------------------------------------------------------------

_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")
_SHAPES = frozenset({"text-box", "custom-shape", "rect", "ellipse", "line", "connector", "polygon"})


def sheets_of_tree(root: Element) -> Iterator[Line]:
    """The lines of all sheets of a document."""
    hidden = {
        attribute(style, "name")
        for style in root.iter("{*}style")
        for each in style
        if tag_of(each) == "table-properties" and attribute(each, "display") == "false"
    }
    for table in inside(root, "body", "spreadsheet"):
        if tag_of(table) == "table":
            yield from _sheet(table, attribute(table, "style-name") in hidden)


def _sheet(table: Element, hidden: bool) -> Iterator[Line]:
    look = SheetLook(hidden=hidden)
    rows: list[list[str]] = []
    beside = _boxes(child(table, "shapes"))
    for element, _ in found_rows(table):
        repeated = count_of(element, "number-rows-repeated")
        row = _row(element, len(rows), look, beside)
        if row and repeated > MAX_REPEATED:
            look.remarks.append(SHORTENED)
        for _ in range(min(repeated, MAX_REPEATED)):
            if _is_collapsed(element):
                look.rows.add(len(rows))
            rows.append(list(row))
    look.columns.update(_hidden_columns(table))
    yield from sheet_part(attribute(table, "name") or "", rows, look, beside)


def _row(element: Element, number: int, look: SheetLook, beside: list[str]) -> list[str]:
    """The cells of a row up to the last with text; what stands beside them is added."""
    row: list[str] = []
    empty = 0  # cells since the last text
    for cell, count in found_cells(element):
        column = len(row) + empty
        across = count_of(cell, "number-columns-spanned") - 1
        down = count_of(cell, "number-rows-spanned") - 1
        if across or down:
            look.merged.append((number, column, number + down, column + across))
        beside += filter(None, [comment_of(child(cell, "annotation")), *_boxes(cell)])
        text = "" if tag_of(cell) == "covered-table-cell" else _text(cell)
        if not text:
            empty = min(empty + count, MAX_COLUMNS)
            continue
        if count > MAX_REPEATED:
            look.remarks.append(SHORTENED)
        row += [*[""] * empty, *[text] * min(count, MAX_REPEATED)]
        empty = 0
    return row


def _hidden_columns(table: Element) -> Iterator[int]:
    first = 0
    for column in table.iter("{*}table-column"):
        last = min(first + count_of(column, "number-columns-repeated"), MAX_COLUMNS)
        yield from range(first, last) if _is_collapsed(column) else ()
        first = last


def _is_collapsed(element: Element) -> bool:
    return attribute(element, "visibility") in ("collapse", "filter")


def _text(cell: Element) -> str:
    """What a cell shows; its value where the file does not say how it is shown."""
    shown = [one_line(_shown(each)) for each in cell if tag_of(each) in ("p", "h", "list")]
    text = "\n".join(filter(None, shown))
    return text or next(filter(None, (attribute(cell, name) for name in _VALUES)), "")


def _shown(element: Element) -> str:
    pieces = [element.text or ""]
    for part in element:
        tag = tag_of(part)
        if tag in ("s", "tab", "line-break"):
            pieces.append(" ")
        elif tag not in ("annotation", "ruby-text"):
            pieces.append(_shown(part))
        pieces.append(part.tail or "")
    return "".join(pieces)


def _boxes(container: Element | None) -> list[str]:
    """The texts of the shapes drawn on a sheet or in a cell."""
    every = container.iter() if container is not None else ()
    drawn = (each for each in every if tag_of(each) in _SHAPES)
    texts = ("\n".join(_shown(p) for p in shape if tag_of(p) == "p").strip() for shape in drawn)
    return list(filter(None, texts))


def comment_of(note: Element | None) -> str:
    """An annotation on one line, with its author; "" for none."""
    parts = [] if note is None else [each for each in note if tag_of(each) in ("p", "list")]
    author, text = text_of(child(note, "creator")), one_line(" ".join(map(text_of, parts)))
    return f"Comment{f' ({author})' if author else ''}: {text}" if text else ""
