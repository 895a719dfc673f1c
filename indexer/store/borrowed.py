"""Whether the tables of a store keep their data in the store, as LanceDB's own files say.

A version of a Lance table may name other folders in which its data lies ("base paths"; that is how
a shallow copy of a table works). No link is on the disk then, and without the seal whoever opens
the table reads there. We make no such table; so one that names any folder is not opened.

Source: lance-format, protos/table.proto, message Manifest, field `base_paths`; the file ends in the
position of that message, as 8 bytes, two version numbers and a magic word.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from indexer.store.folder import TABLES
from indexer.store.manifest import damaged

_TAIL = struct.Struct("<QHH4s")
_LENGTH = struct.Struct("<I")
MAX_VERSION_BYTES = 256 * 2**20
_MAGIC = b"LANC"
_BASE_PATHS = 18
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5  # wire types of protocol buffers
_MAX_SHIFT = 63  # of the last seven bits of a number of 64
_WIDTH = {_FIXED_64: 8, _FIXED_32: 4}


def check_own_data(store: Path) -> None:
    """Raise DamagedStore where a version of a table keeps data elsewhere, or cannot be read."""
    for path in sorted((store / TABLES).glob("*.lance/_versions/*.manifest")):
        try:
            if path.stat().st_size > MAX_VERSION_BYTES:
                raise damaged(store, f"{path.name!r} is too large for a version of a table")
            data = path.read_bytes()
        except FileNotFoundError:  # dropped by a writer meanwhile
            continue
        name = path.relative_to(store)
        try:
            elsewhere = _BASE_PATHS in list(_fields(_message(data)))
        except (IndexError, ValueError, struct.error):
            raise damaged(store, f"{str(name)!r} is no version of a table") from None
        if elsewhere:
            raise damaged(store, f"{str(name)!r} keeps its data elsewhere")


def _message(data: bytes) -> bytes:
    """The message that a version's file ends in."""
    start, _, _, magic = _TAIL.unpack(data[-_TAIL.size :])
    (length,) = _LENGTH.unpack(data[start : start + _LENGTH.size])
    message = data[start + _LENGTH.size : start + _LENGTH.size + length]
    if magic != _MAGIC or len(message) != length:
        raise ValueError("no version")
    return message


def _fields(message: bytes) -> Iterator[int]:
    """The numbers of the fields of a message, without those within its fields."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        yield key >> 3
        wire = key & 7
        if wire == _VARINT:
            _, at = _varint(message, at)
        elif wire == _BYTES:
            length, at = _varint(message, at)
            at += length
        elif wire in _WIDTH:
            at += _WIDTH[wire]
        else:
            raise ValueError("no message")
    if at != len(message):
        raise ValueError("a torn message")


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """A number, and where the next thing begins."""
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > _MAX_SHIFT:
            raise ValueError("no number")
