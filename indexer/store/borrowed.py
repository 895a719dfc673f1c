"""Whether the tables of a store keep their data in the store, as LanceDB's own files say.

A version of a Lance table may name other folders in which its data lies ("base paths"; that is how
a shallow copy of a table works). No link is on the disk then, and without the seal whoever opens
the table reads there. We make no such table; so one that names any folder is not opened.

Source: lance-format, protos/table.proto, message Manifest, field `base_paths`; the file ends in the
position of that message, as 8 bytes, two version numbers and a magic word.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

from indexer.store.folder import TABLES
from indexer.store.manifest import damaged

_TAIL = struct.Struct("<QHH4s")
_LENGTH = struct.Struct("<I")
# Of a version's file, which LanceDB itself reads; of the message in it; and of the fields of all
# messages of a store. A version has a field for each fragment of its table, of some hundred bytes,
# and few hundred fragments, since the tables are compacted.
MAX_VERSION_BYTES = 64 * 2**20
MAX_MESSAGE_BYTES = 16 * 2**20
MAX_FIELDS = 2_000_000
_READ_ONLY = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_MAGIC = b"LANC"
_BASE_PATHS = 18
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5  # wire types of protocol buffers
_MAX_SHIFT = 63  # of the last seven bits of a number of 64
_WIDTH = {_FIXED_64: 8, _FIXED_32: 4}


def check_own_data(store: Path) -> None:
    """Raise DamagedStore where a version of a table keeps data elsewhere, or cannot be read."""
    left = MAX_FIELDS
    for path in sorted((store / TABLES).glob("*.lance/_versions/*.manifest")):
        name = str(path.relative_to(store))
        try:
            for field in _fields(_message(path)):
                left -= 1
                if field == _BASE_PATHS:
                    raise damaged(store, f"{name!r} keeps its data elsewhere")
                if left < 0:
                    raise damaged(store, f"{name!r} has more fields than its tables could need")
        except FileNotFoundError:  # dropped by a writer meanwhile
            continue
        except (OSError, IndexError, ValueError, struct.error):
            raise damaged(store, f"{name!r} is no version of a table") from None


def _message(path: Path) -> bytes:
    """The message that a version's file ends in; no more of the file is read."""
    file = os.open(path, _READ_ONLY)
    try:
        info = os.fstat(file)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_VERSION_BYTES:
            raise ValueError("no version, or too large for one")
        start, _, _, magic = _TAIL.unpack(os.pread(file, _TAIL.size, info.st_size - _TAIL.size))
        if magic != _MAGIC or start > info.st_size:
            raise ValueError("no version")
        (length,) = _LENGTH.unpack(os.pread(file, _LENGTH.size, start))
        if length > MAX_MESSAGE_BYTES:
            raise ValueError("too large a message")
        message = os.pread(file, length, start + _LENGTH.size)
    finally:
        os.close(file)
    if len(message) != length:
        raise ValueError("a torn message")
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
