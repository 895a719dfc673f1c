"""Rows of RTF as grids: where a cell ends is given in twips, whatever stands in other rows.

Source: RTF Specification 1.9.1, "Table Definitions". Called by `rtf`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indexer.extract.tables.grid import Cell, Placed, Row

WORDS = frozenset({"trowd", "trhdr", "trleft", "cellx", "clmgf", "clmrg", "clvmgf", "clvmrg"})
_TWIPS = 1_000  # of a cell whose end is not given


@dataclass(frozen=True, slots=True)
class _Edge:
    """The right edge of a cell; `left` and `above` say that it goes on from another cell."""

    at: int
    left: bool
    above: bool


class RowsDraft:
    """The rows of a table so far, and the definition of the next one."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._edges: list[_Edge] = []
        self._start = 0
        self._heads = False
        self._merged: set[str] = set()
        self._above: dict[int, Placed] = {}

    def define(self, word: str, number: int) -> None:
        """Take in one of `WORDS`."""
        if word == "trowd":
            self._edges, self._start, self._heads, self._merged = [], 0, False, set()
        elif word == "trhdr":
            self._heads = True
        elif word == "trleft":
            self._start = number
        elif word == "cellx":
            left, above = "clmrg" in self._merged, "clvmrg" in self._merged
            self._edges.append(_Edge(number, left, above))
            self._merged = set()
        else:
            self._merged.add(word)

    def end_row(self, cells: Sequence[Cell]) -> None:
        """Place the cells of a row by the last definition."""
        placed: list[Placed] = []
        first = min(self._start, self._edges[0].at - 1) if self._edges else 0
        for index, cell in enumerate(cells):
            known = index < len(self._edges)
            edge = self._edges[index] if known else _Edge(first + _TWIPS, False, False)
            last = max(edge.at, first + 1)
            if edge.left and placed:
                before = placed.pop()
                placed.append(Placed(before.first, last, before.cell, before.again))
            elif edge.above and first in self._above:
                placed.append(Placed(first, last, self._above[first].cell, True))
            else:
                placed.append(Placed(first, last, cell))
            first = last
        self._above = {each.first: each for each in placed}
        self._rows.append(Row(tuple(placed), self._heads))

    def taken(self) -> list[Row]:
        """The rows so far, which are given up."""
        rows, self._rows, self._above = self._rows, [], {}
        return rows
