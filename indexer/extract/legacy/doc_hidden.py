"""Which text of a legacy Word document is there and not shown: hidden, too small, white on paper.

Source: [MS-DOC], 2.9.34 (ChpxFkp), 2.6.1 (properties of characters). What a style hides is not
known here. White counts where nothing gives a background. Pure; called by doc.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexer.extract.hidden import hide

_CHPX = 0x00FA  # where the block says where the formats of characters are
_VANISH, _SIZE, _INDEX, _COLOUR = 0x083C, 0x4A43, 0x2A42, 0x6870
_GROUNDS = frozenset({0x2A0C, 0x4866, 0xCA71})  # highlighting, shading
_WHITE_INDEX, _WHITE = 8, b"\xff\xff\xff\0"
_WIDTHS = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
MAX_UNSEEN_HALF_POINTS = 2  # as in newer documents


@dataclass(frozen=True, slots=True)
class Stretch:
    """Bytes of the stream that are not shown; `white`: on white paper alone."""

    begin: int
    end: int
    white: bool


def stretches(document: bytes, table: bytes) -> list[Stretch]:
    """What is not shown, sorted by place."""
    pages = pages_of_formats(document, table, _CHPX)
    found = [stretch for page in pages for stretch in _of_page(page)]
    return sorted(found, key=lambda each: each.begin)


def pages_of_formats(document: bytes, table: bytes, place: int) -> Iterator[bytes]:
    """The pages of formats whose list `place` names: [MS-DOC] 2.8.5, PlcBteChpx, and 2.8.6."""
    start, length = struct.unpack_from("<II", document, place)
    plc = table[start : start + length]
    for index in range((len(plc) - 4) // 8):
        (page,) = struct.unpack_from("<I", plc, len(plc) // 8 * 4 + 4 + 4 * index)
        yield document[512 * (page & 0x3FFFFF) :][:512]


def _of_page(page: bytes) -> Iterator[Stretch]:
    if len(page) < 512:
        return
    count = min(page[511], 0x65)
    for index in range(count):
        begin, end = struct.unpack_from("<II", page, 4 * index)
        offset = 2 * page[4 * (count + 1) + index]
        if offset and begin < end:
            unseen = _unseen(page[offset + 1 : offset + 1 + page[offset]])
            if unseen is not None:
                yield Stretch(begin, end, unseen)


def _unseen(settings: bytes) -> bool | None:
    """Whether white makes characters unseen (True) or else (False); None if they are seen."""
    values = dict(_settings(settings))
    size = values.get(_SIZE, b"")
    small = len(size) == 2 and int.from_bytes(size, "little") <= MAX_UNSEEN_HALF_POINTS
    if values.get(_VANISH) == b"\x01" or small:
        return False
    white = values.get(_COLOUR) == _WHITE
    white = white or (_COLOUR not in values and values.get(_INDEX) == bytes([_WHITE_INDEX]))
    return True if white and _GROUNDS.isdisjoint(values) else None


def _settings(data: bytes) -> Iterator[tuple[int, bytes]]:
    position = 0
    while position + 3 <= len(data):
        (name,) = struct.unpack_from("<H", data, position)
        position += 2
        width = _WIDTHS.get(name >> 13)
        if width is None:
            width, position = data[position], position + 1
        yield name, data[position : position + width]
        position += width


def unseen_ranges(
    pieces: Sequence[tuple[str, int, int]], found: Sequence[Stretch]
) -> Iterator[tuple[int, int, bool]]:
    """(first, behind the last, on white alone) of the characters that are not shown."""
    begins = [each.begin for each in found]
    position = 0
    for text, start, width in pieces:
        stop = start + width * len(text)
        at = max(0, bisect_right(begins, start) - 1)
        while at < len(found) and found[at].begin < stop:
            first = max(0, found[at].begin - start) // width
            last = min(len(text), (found[at].end - start) // width)
            if first < last:
                yield position + first, position + last, found[at].white
            at += 1
        position += len(text)


def marked(text: str, start: int, ranges: Sequence[tuple[int, int]]) -> str:
    """A text that begins at a position, with the signs of what is hidden of it."""
    kept: list[str] = []
    behind = 0
    at = max(0, bisect_right(ranges, (start, 0)) - 1)
    while at < len(ranges) and ranges[at][0] < start + len(text):
        first, last = (max(behind, min(len(text), end - start)) for end in ranges[at])
        kept += [text[behind:first], hide(text[first:last])]
        behind = last
        at += 1
    return "".join([*kept, text[behind:]])
