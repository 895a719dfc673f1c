"""Tables of Word documents as grids: spans, cells merged downwards, rows that begin further right.

Source: ECMA-376-1, 17.4. The text of cells is read by the caller, `docx`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.extract import markdown
from indexer.extract.container import attribute, child, is_on, number_of, tag_of, text_of
from indexer.extract.hidden import hide
from indexer.extract.tables.grid import Cell, Placed, Row

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_SPAN = 64  # columns of a merged cell: Word's own limit is 63
Blocks = Callable[["Element"], Iterable[str]]


def word_rows(table: Element, blocks: Blocks, skipped: Collection[str]) -> Iterator[Row]:
    """The rows of a table, without deleted ones; `blocks` gives the blocks of a cell."""
    above: dict[int, Cell] = {}  # the cell that begins at a column of the row above
    for row in _found(table, "tr", skipped):
        properties = child(row, "trPr")
        if child(properties, "del") is not None:
            continue
        placed = list(
            _placed(_found(row, "tc", skipped), _count(properties, "gridBefore"), above, blocks)
        )
        if is_on(child(properties, "hidden")):
            placed = [replace(p, cell=replace(p.cell, text=hide(p.cell.text))) for p in placed]
        above = {each.first: each.cell for each in placed}
        yield Row(tuple(placed), is_on(child(properties, "tblHeader")))


def _found(container: Element, wanted: str, skipped: Collection[str]) -> Iterator[Element]:
    """The rows of a table or the cells of a row, also of those in content controls."""
    for element in container:
        tag = tag_of(element)
        if tag == wanted:
            yield element
        elif tag not in skipped:
            yield from _found(element, wanted, skipped)


def _placed(
    cells: Iterable[Element], column: int, above: dict[int, Cell], blocks: Blocks
) -> Iterator[Placed]:
    for element in cells:
        properties = child(element, "tcPr")
        merged = child(properties, "vMerge")
        again = merged is not None and attribute(merged, "val") in (None, "continue")
        last = column + max(1, _count(properties, "gridSpan"))
        if again and column in above:
            yield Placed(column, last, above[column], True)
        else:
            said = [block for block in blocks(element) if block.strip()]
            cell = Cell(markdown.page(said), strong=_is_bold(element), prose=len(said) > 1)
            yield Placed(column, last, cell)
        column = last


def _count(properties: Element | None, name: str) -> int:
    return min(number_of(child(properties, name), "val"), MAX_SPAN)


def _is_bold(cell: Element) -> bool:
    """Whether all text of a cell is in bold by its own properties."""
    runs = [run for run in cell.iter("{*}r") if text_of(run).strip()]
    return bool(runs) and all(is_on(child(run, "rPr", "b")) for run in runs)
