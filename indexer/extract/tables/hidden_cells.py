"""Which sheets, rows and columns of a workbook are not shown. Pure; used for all its formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from indexer.extract.hidden import hide

MAX_COLUMNS = 16_384  # of a sheet, as Excel has them


@dataclass(frozen=True, slots=True)
class Concealed:
    """The hidden parts of a sheet: all of it, or rows, columns and cells by their index from 0."""

    whole: bool = False
    rows: frozenset[int] = field(default_factory=frozenset)
    columns: frozenset[int] = field(default_factory=frozenset)
    cells: frozenset[tuple[int, int]] = field(default_factory=frozenset)

    def marked(self, rows: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
        """The rows of the sheet, from its first cell on, with what is hidden marked."""
        if not (self.whole or self.rows or self.columns or self.cells):
            yield from rows
            return
        for number, cells in enumerate(rows):
            every = self.whole or number in self.rows
            yield [
                hide(cell) if every or at in self.columns or (number, at) in self.cells else cell
                for at, cell in enumerate(cells)
            ]


SHOWN = Concealed()
