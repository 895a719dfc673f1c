"""Tables of OpenDocument as grids: spans, cells and rows that the file writes once and counts.

Source: OpenDocument 1.3, part 3, 9.1. The text of cells is read by the caller, `odf`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from indexer.extract.container import attribute, number_of, tag_of, text_of
from indexer.extract.tables.grid import Cell, Placed, Row

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_REPEATED = 64  # cells, rows or blanks with text that the file writes once and counts
MAX_EMPTY = 1024  # the same of empty cells, which only say how far to the right the next one is
SHORTENED = f"what a table repeats more than {MAX_REPEATED} times stands {MAX_REPEATED} times"
_NAMES = "Table_20_Heading"  # the style of paragraphs in header cells


def odf_rows(
    table: Element, cell_of: Callable[[Element, Element], Cell], shorten: Callable[[], None]
) -> Iterator[Row]:
    """The grid of a table; `cell_of` reads a cell of a row, `shorten` hears of what is left out."""
    above: list[tuple[Placed, int]] = []  # cells that grow down, and how many rows further
    for element, heads in found_rows(table):
        count = count_of(element, "number-rows-repeated")
        if count > MAX_REPEATED and text_of(element):
            shorten()
        for _ in range(min(count, MAX_REPEATED)):
            begun = list(_begun(element, cell_of, shorten))
            again = [Placed(each.first, each.last, each.cell, True) for each, _ in above]
            cells = sorted([*again, *(each for each, _ in begun)], key=lambda each: each.first)
            yield Row(tuple(cells), heads)
            left = [*((each, count - 1) for each, count in above), *begun]
            above = [(each, count) for each, count in left if count > 0]


def _begun(
    row: Element, cell_of: Callable[[Element, Element], Cell], shorten: Callable[[], None]
) -> Iterator[tuple[Placed, int]]:
    """The cells that begin in a row, and how many rows further they go."""
    column = 0
    for element, count in found_cells(row):
        cell = cell_of(element, row)
        if cell.text:
            if count > MAX_REPEATED:
                shorten()
            span = min(count_of(element, "number-columns-spanned"), MAX_EMPTY)
            down = min(count_of(element, "number-rows-spanned"), MAX_EMPTY) - 1
            for first in range(column, column + min(count, MAX_REPEATED)):
                yield Placed(first, first + span, cell), down
        column += min(count, MAX_EMPTY)


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


def header_styles(content: Element) -> frozenset[str]:
    """The styles of paragraphs that name columns: the usual one, and those derived from it."""
    derived = {
        attribute(style, "name") or ""
        for style in content.iter()
        if tag_of(style) == "style" and attribute(style, "parent-style-name") == _NAMES
    }
    return frozenset({_NAMES, *derived})
