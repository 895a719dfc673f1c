"""Sheets of OpenDocument: cells as they are shown, with comments behind the rows.

Reads a row at a time, so that a large sheet needs no tree. Called by `spreadsheets` and `odf`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.container import attribute, child, tag_of, text_of
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
_NOT_SHOWN = frozenset({"annotation", "ruby-text"})


@dataclass(slots=True)
class _Sheet:
    name: str
    rows: list[list[str]] = field(default_factory=list)
    look: SheetLook = field(default_factory=SheetLook)
    beside: list[str] = field(default_factory=list)
    hidden: bool = False
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    columns: int = 0  # so far

    def lines(self) -> Iterator[Line]:
        rows, columns = frozenset(self.hidden_rows), frozenset(self.hidden_columns)
        self.look.unseen = Concealed(self.hidden, rows, columns)
        return sheet_part(self.name, self.rows, self.look, self.beside)

    def take_any(self, element: Element) -> None:
        """Add a row, a column or drawn shapes."""
        tag = tag_of(element)
        if tag == "table-column":
            self.take_column(element)
        elif tag == "shapes":
            self.beside += _boxes(element)
        else:
            self.take(element)

    def take_column(self, element: Element) -> None:
        """Take note of a column, or of as many as it stands for."""
        count = min(count_of(element, "number-columns-repeated"), MAX_COLUMNS)
        if _is_collapsed(element):
            self.hidden_columns |= set(range(self.columns, self.columns + count))
        self.columns += count

    def take(self, element: Element) -> None:
        """Add a row, as often as it is repeated."""
        row: list[str] = []
        empty = 0  # cells since the last text; those at the end of a row are none
        number = len(self.rows)
        for cell, count in found_cells(element):
            covered = tag_of(cell) == "covered-table-cell"
            text = "" if covered else _text(cell)
            column = len(row) + empty
            self._merge(cell, number, column)
            self.beside += [*_comments(cell), *_boxes(cell)]
            if not text:
                empty = min(empty + count, MAX_COLUMNS)
                continue
            if count > MAX_REPEATED:
                self.look.shortened = SHORTENED
            row += [*[""] * empty, *[text] * min(count, MAX_REPEATED)]
            empty = 0
        repeated = count_of(element, "number-rows-repeated")
        if row and repeated > MAX_REPEATED:
            self.look.shortened = SHORTENED
        for _ in range(min(repeated, MAX_REPEATED)):
            if _is_collapsed(element):
                self.hidden_rows.add(len(self.rows))
            self.rows.append(list(row))

    def _merge(self, cell: Element, row: int, column: int) -> None:
        across = count_of(cell, "number-columns-spanned")
        down = count_of(cell, "number-rows-spanned")
        if across > 1 or down > 1:
            self.look.merged.append((row, column, row + down - 1, column + across - 1))


def _is_collapsed(element: Element) -> bool:
    return attribute(element, "visibility") in ("collapse", "filter")


def _hides(style: Element) -> bool:
    """Whether a style of tables makes them hidden."""
    properties = child(style, "table-properties")
    return properties is not None and attribute(properties, "display") == "false"


def sheets_of_tree(container: Element) -> Iterator[Line]:
    """The lines of a spreadsheet's element."""
    styles = container.getroottree().getroot().iter("{*}style")
    hidden = {attribute(style, "name") for style in styles if _hides(style)}
    for table in container:
        if tag_of(table) == "table":
            sheet = _Sheet(attribute(table, "name") or "")
            sheet.hidden = attribute(table, "style-name") in hidden
            sheet.beside += _boxes(child(table, "shapes"))
            for column in table.iter("{*}table-column"):
                sheet.take_column(column)
            for element, _ in found_rows(table):
                sheet.take(element)
            yield from sheet.lines()


def sheets_of_stream(data: bytes) -> Iterator[Line]:
    """The lines of a `content.xml`; raises UnreadableDocument("malformed")."""
    from lxml import etree

    events = etree.iterparse(
        io.BytesIO(data),
        tag=("{*}table", "{*}table-row", "{*}table-column", "{*}shapes", "{*}style"),
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
    )
    sheet: _Sheet | None = None
    hidden: set[str | None] = set()
    depth = 0
    try:
        for event, element in events:
            if tag_of(element) == "style":
                hidden |= {attribute(element, "name")} if _hides(element) else set()
            elif tag_of(element) == "table":
                depth += 1 if event == "start" else -1
                if event == "start" and depth == 1:
                    sheet = _Sheet(attribute(element, "name") or "")
                    sheet.hidden = attribute(element, "style-name") in hidden
                elif event == "end" and depth == 0 and sheet is not None:
                    yield from sheet.lines()
                    sheet = None
                    element.clear()
            elif event == "end" and depth == 1 and sheet is not None:
                sheet.take_any(element)
                element.clear()
    except (etree.LxmlError, ValueError) as error:
        raise UnreadableDocument("malformed", f"XML: {error}"[:200]) from None


def _text(cell: Element) -> str:
    """What a cell shows; its value where the file does not say how it is shown."""
    shown = [one_line(_shown(each)) for each in cell if tag_of(each) in ("p", "h", "list")]
    text = "\n".join(filter(None, shown))
    return text or next(filter(None, (attribute(cell, name) for name in _VALUES)), "")


def _shown(element: Element) -> str:
    pieces = [element.text or ""]
    for part in element:
        tag = tag_of(part)
        if tag == "s" or tag in ("tab", "line-break"):
            pieces.append(" ")
        elif tag not in _NOT_SHOWN:
            pieces.append(_shown(part))
        pieces.append(part.tail or "")
    return "".join(pieces)


def _boxes(container: Element | None) -> list[str]:
    """The texts of the shapes drawn on a sheet or in a cell."""
    drawn = [
        each
        for each in (container.iter() if container is not None else ())
        if tag_of(each) in _SHAPES
    ]
    texts = ("\n".join(_shown(p) for p in shape if tag_of(p) == "p").strip() for shape in drawn)
    return [text for text in texts if text]


_SHAPES = frozenset({"text-box", "custom-shape", "rect", "ellipse", "line", "connector", "polygon"})


def _comments(cell: Element) -> Iterator[str]:
    note = child(cell, "annotation")
    if note is not None:
        author = text_of(child(note, "creator"))
        text = one_line(" ".join(text_of(each) for each in note if tag_of(each) in ("p", "list")))
        if text:
            yield f"Comment{f' ({author})' if author else ''}: {text}"
