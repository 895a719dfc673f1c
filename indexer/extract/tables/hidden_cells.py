"""Which sheets, rows and columns of a workbook are not shown. Pure; used for all its formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from indexer.errors import UnreadableDocument
from indexer.extract.container import ZipParts
from indexer.extract.hidden import hide

MAX_COLUMNS = 16_384  # of a sheet, as Excel has them


@dataclass(frozen=True, slots=True)
class Concealed:
    """The hidden parts of a sheet: all of it, or rows and columns by their index from 0."""

    whole: bool = False
    rows: frozenset[int] = field(default_factory=frozenset)
    columns: frozenset[int] = field(default_factory=frozenset)

    def marked(self, rows: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
        """The rows of the sheet, from its first cell on, with what is hidden marked."""
        if not (self.whole or self.rows or self.columns):
            yield from rows
            return
        for number, cells in enumerate(rows):
            every = self.whole or number in self.rows
            yield [
                hide(cell) if every or at in self.columns else cell for at, cell in enumerate(cells)
            ]


SHOWN = Concealed()


def concealed(
    parts: ZipParts, sheets: Mapping[str, str], unread: list[str]
) -> Mapping[str, Concealed]:
    """Sheet name -> its hidden rows and columns, of an XLSX; hidden sheets are known elsewhere.

    `sheets` are the parts by sheet name. Names of those that could not be looked at are added to
    `unread`.
    """
    found: dict[str, Concealed] = {}
    for name, part in sheets.items():
        try:
            data = parts.read(part)
        except UnreadableDocument:
            unread.append(f"hidden rows and columns of {name}")
            continue
        if data and b"hidden=" in data:
            found[name] = _of_sheet(data)
    return found


# By pattern, since the tree of a large sheet takes twenty times its bytes.
_HIDDEN = re.compile(rb"<(?:\w+:)?(row|col)\b([^<>]*\bhidden=[\"'](?:1|true)[\"'][^<>]*)>")


def _of_sheet(data: bytes) -> Concealed:
    rows: set[int] = set()
    columns: set[int] = set()
    for found in _HIDDEN.finditer(data):
        if found[1] == b"row":
            rows.add(_number(found[2], b"r", 0) - 1)
        else:
            last = min(_number(found[2], b"max", 1), MAX_COLUMNS)
            columns |= set(range(_number(found[2], b"min", 1) - 1, last))
    return Concealed(rows=frozenset(rows), columns=frozenset(columns))


def _number(attributes: bytes, name: bytes, usual: int) -> int:
    found = re.search(rb"\b" + name + rb"=[\"'](\d{1,8})[\"']", attributes)
    return int(found[1]) if found else usual
