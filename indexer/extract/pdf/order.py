"""Puts the pieces of a page in order where they were drawn out of it. Pure.

The order of drawing is that of reading in most files and stays, except that nothing is read before
what stands above it (a title that was drawn last, columns drawn before their abstract), and no
column before the one that it follows. Called by layout.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indexer.extract.pdf.lines import PlacedLine
from indexer.extract.pdf.right_to_left import is_base

MAX_BLOCKS = 200  # of a page that is put in order: more are the labels of a drawing
MIN_LINES = 3  # of a piece that others are put above or below
MIN_EMS = 15.0  # the width of one with fewer lines
MIN_COLUMN_LINES = 6
MIN_COLUMN_EMS = 10.0  # a column's width: a narrower piece stands beside the text
MIN_LETTERS = 3  # of a piece that is put above or below
NEW_BLOCK = 3.0  # font sizes between two lines that are not of one piece
SHARED = 0.3  # of the narrower piece's width: how much stands under the other


@dataclass(slots=True)
class DrawnPiece:
    """Lines drawn one after the other, downwards."""

    lines: list[PlacedLine]
    left: float
    right: float
    top: float
    bottom: float
    last: PlacedLine  # that has a place

    def __init__(self, line: PlacedLine) -> None:
        self.lines, self.last = [line], line
        self.left, self.right, self.top, self.bottom = line.left, line.right, line.top, line.bottom

    def takes(self, line: PlacedLine) -> bool:
        """Whether a line goes on below the block, or beside its last line."""
        if not line.size or not self.top:
            return not line.size
        last = self.last
        if last.beside(line):
            return line.left >= last.left
        step = last.base - line.base
        return (
            0 < step < NEW_BLOCK * max(line.size, last.size)
            and self.left < line.right
            and line.left < self.right
            and line.left < line.right
            and self.left < self.right
        )

    def add(self, line: PlacedLine) -> None:
        """Take a line in."""
        self.lines.append(line)
        if line.size:
            self.last = line
            self.left, self.right = min(self.left, line.left), max(self.right, line.right)
            self.bottom = min(self.bottom, line.bottom)

    def above(self, other: DrawnPiece) -> bool:
        """Whether it must be read first: it ends above the other and stands over it."""
        if self.bottom < other.top - 2.0:
            return False
        shared = min(self.right, other.right) - max(self.left, other.left)
        return shared > SHARED * min(self.right - self.left, other.right - other.left)

    def column_before(self, other: DrawnPiece, from_right: bool) -> bool:
        """Whether both are columns side by side and it is the first of them."""
        if min(len(self.lines), len(other.lines)) < MIN_COLUMN_LINES:
            return False
        widths = (self.right - self.left, other.right - other.left)
        size = max(line.size for line in other.lines)
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return (
            min(widths) >= MIN_COLUMN_EMS * size
            and shared > 0.5 * min(self.top - self.bottom, other.top - other.bottom)
            and (other.right <= self.left if from_right else self.right <= other.left)
        )

    def large(self) -> bool:
        """Whether it is text rather than the label of a drawing: of some lines, or a long one."""
        wide = self.right - self.left >= MIN_EMS * max(line.size for line in self.lines)
        return len(self.lines) >= MIN_LINES or wide

    def letters(self) -> int:
        """How many letters it has, as far as that matters."""
        return sum(map(str.isalpha, "".join(line.text for line in self.lines[:MIN_LINES])))


def in_order(lines: Sequence[PlacedLine]) -> list[PlacedLine]:
    """The lines in reading order."""
    blocks: list[DrawnPiece] = []
    for line in lines:
        if blocks and blocks[-1].takes(line):
            blocks[-1].add(line)
        else:
            blocks.append(DrawnPiece(line))
    if not 1 < len(blocks) <= MAX_BLOCKS:
        return list(lines)
    from_right = is_base("".join(line.text for line in lines))
    first = [_before(index, blocks, from_right) for index in range(len(blocks))]
    if not any(above > index for index, all_above in enumerate(first) for above in all_above):
        return list(lines)
    return [line for index in _sorted(first) for line in blocks[index].lines]


def _before(index: int, blocks: Sequence[DrawnPiece], from_right: bool) -> set[int]:
    """The blocks that must be read before one, of those that matter."""
    block = blocks[index]
    large = block.large()
    return {
        other
        for other, each in enumerate(blocks)
        if other != index
        and each.top
        and (
            each.column_before(block, from_right)
            or (
                each.above(block)
                and (large or each.large())
                and (other < index or (block.letters() and each.letters() >= MIN_LETTERS))
            )
        )
    }


def _sorted(first: Sequence[set[int]]) -> list[int]:
    """All indices, each after those that go before it, else as they are."""
    left = list(range(len(first)))
    done: set[int] = set()
    order: list[int] = []
    while left:
        # Pieces that lie around each other may form a circle: then the first drawn is taken.
        index = next((each for each in left if first[each] <= done), left[0])
        left.remove(index)
        done.add(index)
        order.append(index)
    return order
