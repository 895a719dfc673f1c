"""Messages of protocol buffers, read without a schema: fields by number. Pure.

For untrusted bytes: what is no message raises ValueError or IndexError. Used by `iwork`, and by
indexer.store for the files of LanceDB.

Source: protobuf.dev, "Encoding".
"""

from __future__ import annotations

from collections.abc import Iterator

MAX_VARINT_BYTES = 10
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5  # wire types; two more are of a former version
_WIDTH = {_FIXED_64: 8, _FIXED_32: 4}

Value = int | bytes


def fields(message: bytes) -> Iterator[tuple[int, Value]]:
    """(number, value) of each field: a number, also of fixed width, or bytes."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        wire = key & 7
        if wire == _VARINT:
            number, at = varint(message, at)
            yield key >> 3, number
            continue
        if wire == _BYTES:
            length, at = varint(message, at)
        elif wire in _WIDTH:
            length = _WIDTH[wire]
        else:
            raise ValueError("no field")
        value = message[at : at + length]
        if len(value) < length:
            raise ValueError("a field that is cut off")
        yield key >> 3, value if wire == _BYTES else int.from_bytes(value, "little")
        at += length


def message_in(message: bytes, *numbers: int) -> bytes:
    """The first message in a field of a field …; b"" where there is none."""
    for number in numbers:
        message = next(messages_in(message, number), b"")
    return message


def messages_in(message: bytes, field: int) -> Iterator[bytes]:
    """The values of a field that are strings or messages."""
    return (v for n, v in fields(message) if n == field and isinstance(v, bytes))


def number_in(message: bytes, field: int, default: int = 0) -> int:
    """The first value of a field that is a number, `default` where there is none."""
    return next((v for n, v in fields(message) if n == field and isinstance(v, int)), default)


def numbers_in(message: bytes, field: int) -> Iterator[int]:
    """The numbers of a repeated field, packed or not."""
    for number, value in fields(message):
        if number != field:
            continue
        if isinstance(value, int):
            yield value
            continue
        at = 0
        while at < len(value):
            each, at = varint(value, at)
            yield each


def varint(message: bytes, at: int) -> tuple[int, int]:
    """A number, and where the next thing begins."""
    value = 0
    for index in range(MAX_VARINT_BYTES):
        byte = message[at + index]
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, at + index + 1
    raise ValueError("a number without an end")
