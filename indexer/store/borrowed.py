"""Whether a table of a store keeps its data in the store, as LanceDB's own files say.

A version of a Lance table may name other folders in which its data lies ("base paths": so a shallow
copy works). No link is on the disk then, and without the seal whoever opens the table would read
there. This program makes no such table, so one that names any folder is not opened.

Source: lance-format, protos/table.proto, message Manifest, field `base_paths`; a version's file
ends in the position of that message (8 bytes), two numbers of 2 bytes and a magic word.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from indexer.store.folder import TABLES, damaged

_TAIL, _LENGTH = struct.Struct("<Q4x4s"), struct.Struct("<I")
_MAGIC, _BASE_PATHS = b"LANC", 18
_WIDTHS = {1: 8, 5: 4}  # bytes of a value by its wire type; 0 is a number, 2 has a length before it
_MAX_NUMBER = 10  # bytes


def check_own_data(store: Path, table: str) -> None:
    """Raise DamagedStore if a version of the table keeps data elsewhere, or cannot be read."""
    for path in sorted((store / TABLES / f"{table}.lance" / "_versions").glob("*.manifest")):
        try:
            elsewhere = _BASE_PATHS in _fields(_message(path.read_bytes()))
        except FileNotFoundError:  # a writer has dropped it meanwhile
            continue
        except (IndexError, ValueError, struct.error):
            raise damaged(store, f"{path.name} is no version of a table") from None
        if elsewhere:
            raise damaged(store, f"{path.name} keeps its data elsewhere")


def _message(data: bytes) -> bytes:
    """The message that a version's file ends in."""
    start, magic = _TAIL.unpack(data[-_TAIL.size :])
    (length,) = _LENGTH.unpack_from(data, start)
    message = data[start + _LENGTH.size : start + _LENGTH.size + length]
    if magic != _MAGIC or len(message) != length:
        raise ValueError("no version")
    return message


def _fields(message: bytes) -> Iterator[int]:
    """The numbers of the fields of a protobuf message, without those within its fields."""
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        yield key >> 3
        if key & 7 in _WIDTHS:
            at += _WIDTHS[key & 7]
        elif key & 7 == 2:
            length, at = _number(message, at)
            at += length
        elif key & 7 == 0:
            _, at = _number(message, at)
        else:
            raise ValueError("no message")
    if at != len(message):
        raise ValueError("a torn message")


def _number(message: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where the next thing begins."""
    value = 0
    for n in range(_MAX_NUMBER):
        value |= (message[at + n] & 0x7F) << 7 * n
        if message[at + n] < 0x80:
            return value, at + n + 1
    raise ValueError("no number")
