"""Apple's IWA records, of which Pages, Numbers and Keynote files consist since 2013. Pure.

A file is a graph of objects: each has a number, a kind and a message. Source: the published
descriptions of keynote-parser and numbers-parser (MIT). Called by `document` and `tables`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from indexer.errors import UnreadableDocument
from indexer.extract.container import ZipParts
from indexer.extract.damage import BROKEN
from indexer.extract.extraction import MAX_UNPACKED_BYTES
from indexer.extract.protobuf import messages_in, number_in, numbers_in, varint

MAX_CHUNK_BYTES = 2**22  # unpacked; Apple's programs write 64 KiB
# Files of a document that no reader sees: styles, templates, what is open in which window.
_UNSEEN = ("Stylesheet", "ViewState", "Metadata", "MasterSlide", "TemplateSlide")


@dataclass(frozen=True, slots=True)
class IwaObject:
    """An object: its kind, its message, the objects that it names, and the file it stands in."""

    kind: int
    data: bytes
    references: tuple[int, ...]
    file: str

    def all(self, number: int) -> list[bytes]:
        """The values of a field that are strings or messages."""
        return [*messages_in(self.data, number)]

    def number(self, field: int) -> int:
        """The first value of a field that is a number, 0 where there is none."""
        return number_in(self.data, field)

    def texts(self, field: int) -> list[str]:
        """The strings of a field."""
        return [value.decode("utf-8", "replace") for value in self.all(field)]

    def refers(self, field: int) -> list[int]:
        """The numbers of the objects that a field names."""
        return [number_in(value, 1) for value in self.all(field)]


def records(parts: ZipParts, unread: list[str]) -> dict[int, IwaObject]:
    """All objects by number, but for styles and templates; damaged files go to `unread`."""
    found: dict[int, IwaObject] = {}
    left = MAX_UNPACKED_BYTES
    for name in parts.names():
        if not name.endswith(".iwa") or any(word in name for word in _UNSEEN):
            continue
        try:
            data = unpacked(parts.read(name) or b"", left)
            left -= len(data)
            for number, record in _objects(data, name):
                found.setdefault(number, record)
        except UnreadableDocument as error:
            if error.reason == "too_large_unpacked":
                raise
            unread.append(name)
        except BROKEN:
            unread.append(name)
    return found


def _objects(data: bytes, file: str) -> Iterator[tuple[int, IwaObject]]:
    position = 0
    while position < len(data):
        length, position = varint(data, position)
        info = data[position : position + length]
        position += length
        for index, head in enumerate(messages_in(info, 2)):
            size = number_in(head, 3)
            if index == 0:  # others are changes of it
                kind, references = number_in(head, 1), tuple(numbers_in(head, 5))
                content = data[position : position + size]
                yield number_in(info, 1), IwaObject(kind, content, references, file)
            position += size


def unpacked(data: bytes, most: int) -> bytes:
    """The records in a file, out of its chunks; raises ValueError for others.

    Raises UnreadableDocument("too_large_unpacked") past `most` bytes.
    """
    out = bytearray()
    position = 0
    while position < len(data):
        if data[position]:
            raise ValueError("no chunk")
        length = int.from_bytes(data[position + 1 : position + 4], "little")
        out += unsnappy(data[position + 4 : position + 4 + length])
        position += 4 + length
        if len(out) > most:
            raise UnreadableDocument("too_large_unpacked")
    return bytes(out)


def unsnappy(data: bytes) -> bytes:
    """What is packed by Snappy, without a frame; raises ValueError or IndexError for other bytes.

    Source: google/snappy, format_description.txt.
    """
    size, position = varint(data, 0)
    if size > MAX_CHUNK_BYTES:
        raise ValueError("a chunk beyond its limit")
    out = bytearray()
    while position < len(data) and len(out) < size:
        tag = data[position]
        position += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                width = length - 59
                length = int.from_bytes(data[position : position + width], "little")
                position += width
            out += data[position : position + length + 1]
            position += length + 1
        else:
            length, distance, position = _COPIES[tag & 3](data, tag, position)
            _copy(out, length, distance)
    if len(out) != size:
        raise ValueError("a chunk of another length")
    return bytes(out)


def _near(data: bytes, tag: int, position: int) -> tuple[int, int, int]:
    return (tag >> 2 & 7) + 4, tag >> 5 << 8 | data[position], position + 1


def _far(data: bytes, tag: int, position: int) -> tuple[int, int, int]:
    return (tag >> 2) + 1, int.from_bytes(data[position : position + 2], "little"), position + 2


def _farthest(data: bytes, tag: int, position: int) -> tuple[int, int, int]:
    return (tag >> 2) + 1, int.from_bytes(data[position : position + 4], "little"), position + 4


_COPIES: dict[int, Callable[[bytes, int, int], tuple[int, int, int]]]
_COPIES = {1: _near, 2: _far, 3: _farthest}


def _copy(out: bytearray, length: int, distance: int) -> None:
    """Repeat what was written `distance` bytes ago; source and target may overlap."""
    if not 0 < distance <= len(out):
        raise ValueError("a copy of nothing")
    start = len(out) - distance
    piece = bytes(out[start : start + length])
    out += (piece * (length // len(piece) + 1))[:length]
