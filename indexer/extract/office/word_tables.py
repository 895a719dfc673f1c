"""Tables of Word documents as grids: spans, cells merged downwards, rows that begin further right.

Source: ECMA-376-1, 17.4. The text of cells is read by the caller, `docx`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.extract import markdown
from indexer.extract.container import attribute, child, tag_of, text_of
from indexer.extract.hidden import hide
from indexer.extract.tables.grid import Cell, Placed, Row

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_SPAN = 64  # columns of a merged cell: Word's own limit is 63


class WordRows:
    """Reads tables with `blocks`, which gives the blocks of a cell."""

    def __init__(
        self, blocks: Callable[[Element], Iterable[str]], skipped: Collection[str]
    ) -> None:
        self._blocks = blocks
        self._skipped = skipped

    def of(self, table: Element) -> list[Row]:
        """The rows of a table, without deleted ones."""
        rows: list[Row] = []
        above: dict[int, Cell] = {}  # the cell that begins at a column of the row above
        for element in self._found(table, "tr"):
            properties = child(element, "trPr")
            if child(properties, "del") is not None:
                continue
            placed = list(self._placed(element, _count(properties, "gridBefore", 0), above))
            if _is_on(child(properties, "hidden")):
                placed = [replace(each, cell=_hidden(each.cell)) for each in placed]
            above = {each.first: each.cell for each in placed}
            rows.append(Row(tuple(placed), _is_on(child(properties, "tblHeader"))))
        return rows

    def _found(self, container: Element, wanted: str) -> Iterator[Element]:
        """The rows of a table or the cells of a row, also of those in content controls."""
        for element in container:
            tag = tag_of(element)
            if tag == wanted:
                yield element
            elif tag not in self._skipped:
                yield from self._found(element, wanted)

    def _placed(self, row: Element, column: int, above: dict[int, Cell]) -> Iterator[Placed]:
        for element in self._found(row, "tc"):
            properties = child(element, "tcPr")
            merged = child(properties, "vMerge")
            again = merged is not None and attribute(merged, "val") in (None, "continue")
            cell = above.get(column) if again else None
            last = column + max(1, _count(properties, "gridSpan", 1))
            if cell is not None:
                yield Placed(column, last, cell, True)
            else:
                blocks = [block for block in self._blocks(element) if block.strip()]
                text, bold = markdown.page(blocks), _is_bold(element)
                yield Placed(column, last, Cell(text, strong=bold, prose=len(blocks) > 1))
            column = last


def _hidden(cell: Cell) -> Cell:
    return replace(cell, text=hide(cell.text))


def _count(properties: Element | None, name: str, otherwise: int) -> int:
    element = child(properties, name)
    value = (attribute(element, "val") or "") if element is not None else ""
    return min(int(value), MAX_SPAN) if value.isdecimal() else otherwise


def _is_on(element: Element | None) -> bool:
    """Whether a property of two states is set: ECMA-376-1, 17.17.4."""
    return element is not None and attribute(element, "val") not in ("0", "false", "off")


def _is_bold(cell: Element) -> bool:
    """Whether all text of a cell is in bold by its own properties."""
    runs = [run for run in cell.iter() if tag_of(run) == "r" and text_of(run).strip()]
    return bool(runs) and all(_is_on(child(run, "rPr", "b")) for run in runs)
