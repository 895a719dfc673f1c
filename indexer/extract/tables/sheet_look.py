"""What stands in a sheet beside its values: formats, formulas, merged cells, bold, what is hidden.

Filled by the readers of each format; places are (row, column), both from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from indexer.extract.hidden import hide

MAX_MERGED = 100_000  # places that merged cells fill
UNFORMATTED = "numbers without their formats, hidden rows and columns without their mark"

Place = tuple[int, int]
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


@dataclass(slots=True)
class SheetLook:
    """The look of one sheet; `merged` are (first row, first column, last row, last column)."""

    formats: dict[Place, str] = field(default_factory=dict)
    formulas: list[Place] = field(default_factory=list)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    bold: set[Place] = field(default_factory=set)
    unseen: Concealed = SHOWN
    unformatted: str = ""  # why formats, and what is hidden, could not be read
    shortened: str = ""  # what the file counts and stands here fewer times

    def bold_rows(self, rows: Sequence[Sequence[str]]) -> set[int]:
        """The rows of which all filled cells are in bold."""
        return {
            number
            for number in {row for row, _ in self.bold}
            if number < len(rows)
            and all(
                (number, column) in self.bold for column, cell in enumerate(rows[number]) if cell
            )
        }

    def remark(self, rows: Sequence[Sequence[str]]) -> str:
        """What a person should know of the values of a sheet; "" if there is nothing."""
        empty = sum(not _at(rows, place) for place in self.formulas)
        remarks = []
        if empty:
            what = "1 formula has" if empty == 1 else f"{empty:,} formulas have"
            remarks.append(f"{what} no kept result")
        if self.unformatted:
            remarks.append(f"{UNFORMATTED}: {self.unformatted}")
        if self.shortened:
            remarks.append(self.shortened)
        return "; ".join(remarks)


def _at(rows: Sequence[Sequence[str]], place: Place) -> str:
    row, column = place
    return rows[row][column] if row < len(rows) and column < len(rows[row]) else ""


def fill_merged(rows: list[list[str]], merged: Iterable[tuple[int, int, int, int]]) -> bool:
    """Repeat the text of each merged cell in all its places, but for titles over a whole row.

    Whether that was done with all of them; those past MAX_MERGED places stay as they are.
    """
    left = MAX_MERGED
    width = max(map(len, rows), default=0)
    for top, first, bottom, last in merged:
        if top >= len(rows) or first >= len(rows[top]) or not rows[top][first]:
            continue
        last, bottom = min(last, width - 1), min(bottom, len(rows) - 1)
        left -= (last - first + 1) * (bottom - top + 1)
        alone = sum(map(bool, rows[top])) == 1
        if left < 0 or alone:
            continue
        for row in range(top, bottom + 1):
            rows[row] += [""] * (last + 1 - len(rows[row]))
            for column in range(first, last + 1):
                rows[row][column] = rows[row][column] or rows[top][first]
    return left >= 0
