"""Tables of HTML while they are read: which cell a block of text stands in.

Cells that are not displayed take no place in the grid. Tables that only place texts on a page give
their blocks back one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from indexer.extract.tables import MAX_COLSPAN, MAX_ROWSPAN, Cell, Source, resolved, row_lines


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of text and its context.

    `alone` is set for headings and code outside tables, `weak` if some of it is not in bold.
    """

    text: str
    main: bool
    menu: bool
    aside: bool
    links: tuple[tuple[str, str], ...] = ()
    alone: bool = False
    weak: bool = False

    @property
    def is_seen(self) -> bool:
        """Whether it is neither set aside nor part of a menu."""
        return not (self.menu or self.aside)


@dataclass(slots=True)
class _Draft:
    """A cell without its text, and the blocks of that."""

    cell: Cell
    blocks: list[Block] = field(default_factory=list)

    def finished(self, *, is_any: bool) -> Cell:
        """The cell; with `is_any` of text that is seen alone."""
        texts = [block.text for block in self.blocks if block.is_seen or not is_any]
        strong = not any(block.weak for block in self.blocks)
        return replace(self.cell, text="\n".join(texts), strong=strong, prose=len(texts) > 1)


_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_SPAN = re.compile(r"[ \t\n\f\r]*\+?(\d+)")


class TableDraft:
    """An open table: its rows so far, and the cell that text goes to."""

    def __init__(self, named: Mapping[str, str], gone: bool) -> None:
        self._gone = gone  # all of it is not displayed: then its cells have their places
        role = named.get("role", "").lower()
        self.nested = False  # whether it contains a table
        self._layout = role in ("presentation", "none")
        self._marked = role in ("table", "grid", "treegrid")
        self._rows: list[tuple[str, int, list[_Draft]]] = []  # kind and number of group, cells
        self._kind, self._group = "", 0
        self._row: list[_Draft] | None = None
        self._before: list[Block] = []  # captions, and what stands between cells
        self._unseen: list[Block] = []
        self._into = self._before

    def start(self, tag: str, named: Mapping[str, str], gone: bool) -> None:
        """Begin a group of rows, a row, a cell or a caption; `gone`: it is not displayed."""
        is_shown = self._gone or not gone
        if tag in _GROUPS:
            self._kind, self._row, self._into = tag, None, self._before
            self._group += 1
        elif tag == "tr":
            self._begin_row(is_shown=is_shown)
        elif tag in ("td", "th"):
            self._begin_cell(tag, named, is_shown)
        elif tag == "caption":
            self._into, self._marked = self._before, True

    def end(self, tag: str) -> None:
        """Close it."""
        if tag in ("td", "th", "caption", "tr", *_GROUPS):
            self._into = self._before
        if tag == "tr" or tag in _GROUPS:
            self._row = None
        if tag in _GROUPS:
            self._kind = ""

    def _begin_row(self, *, is_shown: bool) -> None:
        if not self._kind:
            self._kind = "tbody"
            self._group += 1
        self._row, self._into = [], self._before
        if is_shown:
            self._rows.append((self._kind, self._group, self._row))

    def _begin_cell(self, tag: str, named: Mapping[str, str], is_shown: bool) -> None:
        if self._row is None:
            self._begin_row(is_shown=True)
        if not is_shown:
            self._into = self._unseen
            return
        rows = _number(named.get("rowspan", ""), MAX_ROWSPAN)
        columns = _number(named.get("colspan", ""), MAX_COLSPAN)
        draft = _Draft(Cell("", tag == "th", rows=rows, columns=columns))
        self._into = draft.blocks
        self._marked = self._marked or tag == "th"
        assert self._row is not None
        self._row.append(draft)

    def keep(self, block: Block) -> None:
        """Take in a block of text."""
        self._into.append(block)

    def blocks(self) -> Iterator[Block]:
        """What stands before its rows; these as one block, or the blocks of its cells; the rest."""
        yield from self._before
        inner = [block for *_, row in self._rows for cell in row for block in cell.blocks]
        lines = [] if self._layout or not inner else self._lines(inner)
        if lines:
            seen = [block for block in inner if block.is_seen]
            first = seen[0] if seen else inner[0]
            links = tuple(link for block in seen for link in block.links)
            yield Block("\n".join(lines), first.main, first.menu, first.aside, links)
        else:
            yield from inner
        yield from self._unseen

    def _lines(self, inner: Iterable[Block]) -> list[str]:
        """The lines of its rows; none if it only places texts on a page."""
        is_any = any(block.is_seen for block in inner)
        grid = resolved(
            Source([cell.finished(is_any=is_any) for cell in row], group, kind)
            for kind, group, row in self._rows
        )
        odd = self.nested or any(block.alone for block in inner)
        return [] if odd and not self._marked else row_lines(grid, self._marked)


def _number(value: str, most: int) -> int:
    """A span: 1 if it is none; `Cell` has the meaning of 0 rows, and 0 columns count as 1."""
    found = _SPAN.match(value)
    return min(int(found[1][:9]), most) if found else 1
