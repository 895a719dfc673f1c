"""The fields of a message of protocol buffers, read without a schema. Pure.

For untrusted bytes: what is no message raises ValueError or IndexError. Source: protobuf.dev,
"Encoding".
"""

from __future__ import annotations

from collections.abc import Iterator

MAX_VARINT_BYTES = 10
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5  # wire types; two more are of a former version
_WIDTH = {_FIXED_64: 8, _FIXED_32: 4}


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(number, value) of each field: a number, also of fixed width, or bytes."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        wire = key & 7
        if wire == _VARINT:
            number, at = _varint(message, at)
            yield key >> 3, number
            continue
        if wire == _BYTES:
            length, at = _varint(message, at)
        elif wire in _WIDTH:
            length = _WIDTH[wire]
        else:
            raise ValueError("no field")
        value = message[at : at + length]
        if len(value) < length:
            raise ValueError("a field that is cut off")
        yield key >> 3, value if wire == _BYTES else int.from_bytes(value, "little")
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """A number, and where the next thing begins."""
    value = 0
    for index in range(MAX_VARINT_BYTES):
        byte = message[at + index]
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, at + index + 1
    raise ValueError("a number without an end")
