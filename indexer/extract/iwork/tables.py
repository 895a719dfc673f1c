"""Tables of Numbers, Pages and Keynote: rows of cells as the program shows their values.

Source: the published description of numbers-parser (MIT), cells of version 5. Called by `document`.
"""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterator, Mapping
from decimal import Decimal

from indexer.extract.damage import BROKEN
from indexer.extract.iwork.iwa import IwaObject
from indexer.extract.protobuf import message_in, messages_in, number_in

_INFO, _MODEL, _RICH_TEXT, _STORAGE = 6000, 6001, 6218, 2001
_NUMBER, _TEXT, _DATE, _BOOL, _DURATION, _ERROR, _RICH, _CURRENCY = 2, 3, 5, 6, 7, 8, 9, 10
_VERSION = 5
_HEAD_BYTES = 12  # of a cell
_BIAS = 0x1820  # of a decimal's exponent
_EPOCH = dt.datetime(2001, 1, 1)  # a cell's time has no zone
_PERCENT = 258  # a format
MAX_COLUMNS = 1_000  # of a table, as Numbers has them
MAX_EXPONENT = 40
MAX_PLACES = 30  # of a format; more stand for as many as there are

IwaObjects = Mapping[int, IwaObject]
Rows = list[list[str]]


def is_table(record: IwaObject) -> bool:
    """Whether an object is a table in its place on a page, slide or sheet."""
    return record.kind == _INFO


def table_of(found: IwaObjects, info: IwaObject, unread: list[str]) -> tuple[str, Rows, bool]:
    """The name and the rows of a table, and whether the first row is said to be its header."""
    model = next((found[n] for n in info.refers(2) if n in found), None)
    if model is None or model.kind != _MODEL:
        return "", [], False
    name = next(iter(model.texts(8)), "")
    try:
        return name, _IwaTable(found, model).rows(), model.number(9) > 0
    except BROKEN:
        unread.append(f"table {name}".strip())
        return name, [], False


class _IwaTable:
    """One table: its cells, and the lists of strings and formats that they refer to."""

    def __init__(self, found: IwaObjects, model: IwaObject) -> None:
        self._found = found
        self._store = message_in(model.data, 4)
        self._columns = min(model.number(7), MAX_COLUMNS)
        self._strings = dict(self._entries(4, 3))
        self._rich = dict(self._entries(17, 9))
        self._formats = dict(self._entries(22, 6))

    def rows(self) -> Rows:
        """The cells row by row, without columns at the end that are empty."""
        storage = message_in(self._store, 3)
        size = number_in(storage, 2) or 256
        rows: dict[int, list[str]] = {}
        for tile in messages_in(storage, 1):
            record = self._found.get(number_in(message_in(tile, 2), 1))
            for row in record.all(5) if record is not None else ():
                number = number_in(tile, 1) * size + number_in(row, 1)
                rows[number] = list(self._cells(row))
        width = max(
            (index + 1 for row in rows.values() for index, cell in enumerate(row) if cell),
            default=0,
        )
        return [rows[number][:width] for number in sorted(rows)]

    def _entries(self, table: int, field: int) -> Iterator[tuple[int, bytes]]:
        """Key and value of each entry of a list of the store."""
        record = self._found.get(number_in(message_in(self._store, table), 1))
        for entry in record.all(3) if record is not None else ():
            yield number_in(entry, 1), message_in(entry, field)

    def _cells(self, row: bytes) -> Iterator[str]:
        cells, packed = message_in(row, 6), message_in(row, 7)
        offsets = struct.unpack(f"<{len(packed) // 2}h", packed[: len(packed) // 2 * 2])
        scale = 4 if number_in(row, 8) else 1
        for offset in offsets[: self._columns]:
            yield "" if offset < 0 else self._cell(cells[offset * scale :])

    def _cell(self, cell: bytes) -> str:
        if len(cell) < _HEAD_BYTES or cell[0] != _VERSION:
            return ""
        values = dict(_values(cell))
        kind = cell[1]
        if kind in (_NUMBER, _CURRENCY):
            return self._number(values)
        if kind == _TEXT:
            return self._strings.get(_whole(values, 0x8), b"").decode("utf-8", "replace")
        if kind == _RICH:
            return self._rich_text(_whole(values, 0x10))
        if kind == _DATE:
            return _date(_double(values, 0x4))
        if kind == _BOOL:
            return "true" if _double(values, 0x2) else "false"
        if kind == _DURATION:
            return str(dt.timedelta(seconds=_double(values, 0x2)))
        return "#ERROR" if kind == _ERROR else ""

    def _number(self, values: Mapping[int, bytes]) -> str:
        """A number as the cell shows it: percent, a currency's code, decimal places."""
        number = _decimal(values[0x1]) if 0x1 in values else Decimal(repr(_double(values, 0x2)))
        currency = message_in(self._formats.get(_whole(values, 0x4000), b""), 3)
        if currency:
            shown = self._formats[_whole(values, 0x4000)]
            return f"{_rounded(number, shown)} {currency.decode('utf-8', 'replace')}"
        shown = self._formats.get(_whole(values, 0x2000), b"")
        if number_in(shown, 1) == _PERCENT:
            return f"{_rounded(number * 100, shown)}%"
        return _plain(number)

    def _rich_text(self, key: int) -> str:
        payload = self._found.get(number_in(self._rich.get(key, b""), 1))
        if payload is None or payload.kind != _RICH_TEXT:
            return ""
        storages = (self._found[n] for n in payload.refers(1) if n in self._found)
        return " ".join(text for s in storages if s.kind == _STORAGE for text in s.texts(3))


# The values that may stand in a cell, in their order: flag and width.
_WIDTHS = ((0x1, 16), (0x2, 8), (0x4, 8), *((1 << bit, 4) for bit in range(3, 20)))


def _values(cell: bytes) -> Iterator[tuple[int, bytes]]:
    (flags,) = struct.unpack_from("<I", cell, 8)
    position = _HEAD_BYTES
    for flag, width in _WIDTHS:
        if flags & flag:
            yield flag, cell[position : position + width]
            position += width


def _whole(values: Mapping[int, bytes], flag: int) -> int:
    return int.from_bytes(values.get(flag, b""), "little") if flag in values else -1


def _double(values: Mapping[int, bytes], flag: int) -> float:
    (value,) = struct.unpack("<d", values[flag])
    return float(value)


def _decimal(packed: bytes) -> Decimal:
    """A decimal of 128 bits."""
    exponent = ((packed[15] & 0x7F) << 7 | packed[14] >> 1) - _BIAS
    mantissa = int.from_bytes(packed[:14], "little") | (packed[14] & 1) << 112
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError("a number beyond its limit")
    return Decimal(-mantissa if packed[15] & 0x80 else mantissa).scaleb(exponent)


def _rounded(number: Decimal, shown: bytes) -> str:
    """With the decimal places of a format, if it has a number of them."""
    places = number_in(shown, 2, MAX_PLACES)
    return f"{number:.{places}f}" if places < MAX_PLACES else _plain(number)


def _plain(number: Decimal) -> str:
    """15 digits at most, as spreadsheets hold them, without zeros at the end."""
    text = f"{Decimal(f'{number:.15g}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _date(seconds: float) -> str:
    moment = _EPOCH + dt.timedelta(seconds=seconds)
    form = "%Y-%m-%d" if moment.time() == dt.time() else "%Y-%m-%d %H:%M"
    return moment.strftime(form)
