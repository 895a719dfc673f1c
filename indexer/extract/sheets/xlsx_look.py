"""The look of the sheets of an XLSX: number formats, formulas, merged cells, bold, what is hidden.

python-calamine gives values alone. Source: ECMA-376-1, 18.3.1.4 (cells), 18.3.1.13
(columns), 18.3.1.73 (rows), 18.8 (styles).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract.container import Parts, attribute, child
from indexer.extract.sheets.number_formats import BUILT_IN, is_applied
from indexer.extract.tables.hidden_cells import MAX_COLUMNS, Concealed
from indexer.extract.tables.sheet_look import Place, SheetLook

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_STYLES = 65_490  # Excel's own limit
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_DAMAGED = "the sheet is damaged"
_LOWEST_POINTS, _NARROWEST = 1.0, 0.1  # nothing is read in a lower row, a narrower column
_BOLD_ROWS = 100  # of a sheet, in which headers are looked for


@dataclass(frozen=True, slots=True)
class Styles:
    """Number formats that show more than the number, and bold, by a cell's style."""

    formats: Mapping[int, str]
    bold: frozenset[int]

    @property
    def noted(self) -> frozenset[int]:
        """The styles of cells that are to be remembered."""
        return self.bold | self.formats.keys()


def read_styles(parts: Parts, name: str) -> Styles:
    """The styles of a workbook; none where it has none."""
    root = parts.xml(name) if name else None
    own = {
        _number(each, "numFmtId"): attribute(each, "formatCode") or ""
        for each in _children(root, "numFmts")
    }
    fonts = [child(each, "b") is not None for each in _children(root, "fonts")]
    formats, bold = {}, set()
    for index, style in enumerate(_children(root, "cellXfs")):
        number = _number(style, "numFmtId")
        code = own.get(number, BUILT_IN.get(number, ""))
        if is_applied(code):
            formats[index] = code
        font = _number(style, "fontId")
        if font < len(fonts) and fonts[font]:
            bold.add(index)
    return Styles(formats, frozenset(bold))


def _number(element: Element, name: str) -> int:
    return _count(attribute(element, name), 0)


def _count(value: str | None, usual: int) -> int:
    return int(value[:9]) if value and value.isdecimal() else usual


def _children(root: Element | None, name: str) -> Sequence[Element]:
    container = child(root, name)
    return list(container)[:MAX_STYLES] if container is not None else ()


def read_look(parts: Parts, name: str, styles: Styles) -> SheetLook:
    """The look of the sheet in the part `name`; of a damaged one what comes before the damage.

    Its values may be readable all the same, since calamine passes over what they do not need.
    """
    from lxml import etree

    look = SheetLook()
    try:
        data = parts.read(name)
    except UnreadableDocument as error:
        if error.reason != "too_large_unpacked":
            raise
        look.unformatted = "the sheet is too large"
        return look
    cells = etree.iterparse(
        io.BytesIO(data or b"<none/>"),
        tag=("{*}col", "{*}c", "{*}row", "{*}mergeCell"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
    )
    hidden = _Hidden()
    try:
        _walk((element for _, element in cells), styles, look, hidden)
    except etree.LxmlError:
        look.unformatted = _DAMAGED
    if cells.error_log.filter_from_fatals():
        look.unformatted = _DAMAGED
    look.unseen = hidden.concealed()
    return look


class _Hidden:
    """The rows and columns of a sheet that are not shown, so far."""

    def __init__(self) -> None:
        self._rows: set[int] = set()
        self._columns = bytearray(MAX_COLUMNS)  # many elements may each name all of them

    def take_row(self, row: Element, number: int) -> None:
        """Add a row, by its number from 1, if it is hidden; its cells may name another."""
        if _is_hidden(row, "ht", _LOWEST_POINTS):
            places = (_place(cell.get("r") or "") for cell in row)
            self._rows.update((number - 1, *(place[0] for place in places if place)))

    def take_columns(self, columns: Element) -> None:
        """Add a run of columns if they are hidden."""
        first = max(_count(columns.get("min"), 1) - 1, 0)
        width = min(_count(columns.get("max"), 1), MAX_COLUMNS) - first
        if width > 0 and _is_hidden(columns, "width", _NARROWEST):
            self._columns[first : first + width] = b"\1" * width

    def concealed(self) -> Concealed:
        """What was taken in."""
        columns = (column for column, is_hidden in enumerate(self._columns) if is_hidden)
        return Concealed(rows=frozenset(self._rows), columns=frozenset(columns))


def _is_hidden(element: Element, size: str, least: float) -> bool:
    """Whether rows or columns are hidden, by name or by their size."""
    if element.get("hidden", "").strip() in ("1", "true"):
        return True
    try:
        return float(element.get(size, "nan")) < least
    except ValueError:
        return False


def _walk(elements: Iterable[Element], styles: Styles, look: SheetLook, hidden: _Hidden) -> None:
    """Take in each column, cell, row and merged cell as it ends; of most there is nothing to keep.

    Of these elements, and of those within a cell, the end of the name tells which it is.
    """
    number = column = 0  # of rows so far, of cells so far in this one
    noted = styles.noted
    for element in elements:
        tag = element.tag
        if tag[-1] == "c":
            value = element.get("s", "0")
            style = int(value[:9]) if value.isdecimal() else 0
            computed = len(element) > 0 and str(element[0].tag)[-1] == "f"
            if style in noted or computed:
                place = _place(element.get("r", "")) or (_row_of(element, number), column)
                _take(place, style, computed, styles, look)
            column += 1
        elif tag[-1] == "w":
            number, column = _count(element.get("r"), number + 1), 0
            hidden.take_row(element, number)
            element.clear()
        elif tag.endswith("col"):
            hidden.take_columns(element)
        else:
            first, _, last = element.get("ref", "").partition(":")
            begins, ends = _place(first), _place(last)
            if begins and ends:
                look.merged.append((*begins, *ends))


def _row_of(cell: Element, above: int) -> int:
    """The row, from 0, of a cell that does not name it: where it names none, below those above."""
    row = cell.getparent()
    return _count(row.get("r") if row is not None else None, above + 1) - 1


def _take(place: Place, style: int, computed: bool, styles: Styles, look: SheetLook) -> None:
    if style in styles.formats:
        look.formats[place] = styles.formats[style]
    if style in styles.bold and place[0] < _BOLD_ROWS:
        look.bold.add(place)
    if computed:
        look.formulas.append(place)


def _place(reference: str) -> Place | None:
    """Row and column of "B7", both from 0; None where it is no reference."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]) - 1, column - 1
