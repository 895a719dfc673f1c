"""Sheets of OpenDocument: cells as they are shown, with comments and text boxes behind the rows.

Called by `spreadsheets` and `odf`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.extract.container import attribute, child, inside, tag_of, text_of
from indexer.extract.markdown import one_line
from indexer.extract.office.odf_tables import (
    MAX_REPEATED,
    SHORTENED,
    count_of,
    found_cells,
    found_rows,
)
from indexer.extract.tables.hidden_cells import MAX_COLUMNS, Concealed
from indexer.extract.tables.sheet_look import SheetLook
from indexer.extract.tables.sheet_rows import sheet_part
from indexer.records import Line

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

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
    look = SheetLook()
    rows: list[list[str]] = []
    unseen: set[int] = set()
    beside = _boxes(child(table, "shapes"))
    for element, _ in found_rows(table):
        repeated = count_of(element, "number-rows-repeated")
        row = _row(element, len(rows), look, beside)
        if row and repeated > MAX_REPEATED:
            look.shortened = SHORTENED
        for _ in range(min(repeated, MAX_REPEATED)):
            if _is_collapsed(element):
                unseen.add(len(rows))
            rows.append(list(row))
    look.unseen = Concealed(hidden, frozenset(unseen), frozenset(_hidden_columns(table)))
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
        beside += [*_comments(cell), *_boxes(cell)]
        text = "" if tag_of(cell) == "covered-table-cell" else _text(cell)
        if not text:
            empty = min(empty + count, MAX_COLUMNS)
            continue
        if count > MAX_REPEATED:
            look.shortened = SHORTENED
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


def _comments(cell: Element) -> Iterator[str]:
    note = child(cell, "annotation")
    if note is not None:
        author = text_of(child(note, "creator"))
        text = one_line(" ".join(text_of(each) for each in note if tag_of(each) in ("p", "list")))
        if text:
            yield f"Comment{f' ({author})' if author else ''}: {text}"
