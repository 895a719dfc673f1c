"""The look of the sheets of an XLSX: number formats, formulas, merged cells, bold, what is hidden.

python-calamine gives values alone. Source: ECMA-376-1, 18.3.1.4 (cells), 18.3.1.13
(columns), 18.3.1.73 (rows), 18.8 (styles).
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.container import Parts, attribute, child, inside, number_of
from indexer.extract.sheets.number_formats import BUILT_IN, is_applied
from indexer.extract.tables.hidden_cells import MAX_COLUMNS, Concealed
from indexer.extract.tables.sheet_look import Place, SheetLook

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_STYLES = 65_490  # Excel's own limit
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_LOWEST_POINTS, _NARROWEST = 1.0, 0.1  # nothing is read in a lower row, a narrower column
_BOLD_ROWS = 100  # of a sheet, in which headers are looked for


@dataclass(frozen=True, slots=True)
class Styles:
    """Number formats that show more than the number, and bold, by a cell's style."""

    formats: Mapping[int, str]
    bold: frozenset[int]


def read_styles(parts: Parts, name: str) -> Styles:
    """The styles of a workbook; none where it has none."""
    root = parts.xml(name) if name else None
    own = {
        number_of(each, "numFmtId"): attribute(each, "formatCode") or ""
        for each in inside(root, "numFmts")[:MAX_STYLES]
    }
    fonts = [child(each, "b") is not None for each in inside(root, "fonts")[:MAX_STYLES]]
    formats, bold = {}, set()
    for index, style in enumerate(inside(root, "cellXfs")[:MAX_STYLES]):
        number = number_of(style, "numFmtId")
        code = own.get(number, BUILT_IN.get(number, ""))
        if is_applied(code):
            formats[index] = code
        font = number_of(style, "fontId")
        if font < len(fonts) and fonts[font]:
            bold.add(index)
    return Styles(formats, frozenset(bold))


def read_look(parts: Parts, name: str, styles: Styles) -> SheetLook:
    """The look of the sheet in the part `name`; of a damaged one what comes before the damage.

    Its values may be readable all the same, since calamine passes over what they do not need.
    """
    from lxml import etree

    try:
        data = parts.read(name) or b"<none/>"
    except UnreadableDocument as error:
        if error.reason != "too_large_unpacked":
            raise
        return SheetLook(unformatted="the sheet is too large")
    elements = etree.iterparse(
        io.BytesIO(data),
        tag=("{*}col", "{*}c", "{*}row", "{*}mergeCell"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
    )
    reader = _LookReader(styles)
    damaged = False
    try:
        for _, element in elements:
            reader.take(element)
    except etree.LxmlError:
        damaged = True
    look = reader.look
    if damaged or elements.error_log.filter_from_fatals():
        look.unformatted = "the sheet is damaged"
    columns = (column for column, is_hidden in enumerate(reader.columns) if is_hidden)
    look.unseen = Concealed(rows=frozenset(reader.rows), columns=frozenset(columns))
    return look


@dataclass(slots=True)
class _LookReader:
    """Takes in each column, cell, row and merged cell as it ends; of most nothing is kept."""

    styles: Styles
    look: SheetLook = field(default_factory=SheetLook)
    rows: set[int] = field(default_factory=set)  # that are hidden
    # The same of columns, of which many elements may each name all.
    columns: bytearray = field(default_factory=lambda: bytearray(MAX_COLUMNS))
    number: int = 0  # of rows so far
    column: int = 0  # of cells so far in this one

    def take(self, element: Element) -> None:
        """An element at its end; the end of its name tells which it is."""
        tag = element.tag
        if tag[-1] == "c":
            self._take_cell(element)
            self.column += 1
        elif tag[-1] == "w":
            self.number, self.column = _count(element.get("r"), self.number + 1), 0
            if _is_hidden(element, "ht", _LOWEST_POINTS):
                places = (_place(cell.get("r") or "") for cell in element)
                self.rows.update((self.number - 1, *(place[0] for place in places if place)))
            element.clear()
        elif tag.endswith("col"):
            first = max(_count(element.get("min"), 1) - 1, 0)
            width = min(_count(element.get("max"), 1), MAX_COLUMNS) - first
            if width > 0 and _is_hidden(element, "width", _NARROWEST):
                self.columns[first : first + width] = b"\1" * width
        else:
            begin, _, end = map(_place, element.get("ref", "").partition(":"))
            if begin and end:
                self.look.merged.append((*begin, *end))

    def _take_cell(self, cell: Element) -> None:
        style = _count(cell.get("s"), 0)
        code, is_bold = self.styles.formats.get(style), style in self.styles.bold
        computed = len(cell) > 0 and str(cell[0].tag)[-1] == "f"
        if not (code or is_bold or computed):
            return
        place = _place(cell.get("r", "")) or (self._row_of(cell), self.column)
        if code:
            self.look.formats[place] = code
        if is_bold and place[0] < _BOLD_ROWS:
            self.look.bold.add(place)
        if computed:
            self.look.formulas.append(place)

    def _row_of(self, cell: Element) -> int:
        """The row, from 0, of a cell that does not name it; below those above if it names none."""
        row = cell.getparent()
        return _count(row.get("r") if row is not None else None, self.number + 1) - 1


def _is_hidden(element: Element, size: str, least: float) -> bool:
    """Whether rows or columns are hidden, by name or by their size."""
    if element.get("hidden", "").strip() in ("1", "true"):
        return True
    try:
        return float(element.get(size, "nan")) < least
    except ValueError:
        return False


def _count(value: str | None, usual: int) -> int:
    return int(value[:9]) if value and value.isdecimal() else usual


def _place(reference: str) -> Place | None:
    """Row and column of "B7", both from 0; None where it is no reference."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]) - 1, column - 1
