"""Legacy Word documents (DOC): Word 97 and later by the piece table, Word 6 and 95 as plain text.

Source: [MS-DOC], sections 2.4.1 (retrieving text), 2.5 (the file information block), 2.9.38.
Codes of fields, page headers and footers are left out. Text that is deleted or hidden is not told
from other text: its marks stand apart from the characters.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import Compound
from indexer.extract.extraction import Extraction, plain_lines
from indexer.extract.tables import unmerged_text

_WORD_97 = 0xA5EC
_ENCRYPTED, _TABLE_1 = 0x0100, 0x0200
_OLD_VERSION = 0x00C1  # of the format; below it there are no Unicode pieces
_CLX = 0x01A2  # where the block says where the piece table is
_PAPX = 0x0102  # and the formats of paragraphs
_COMPRESSED = 0x40000000
# Lengths of the parts of the text, one after the other, and what they are; None: left out.
_PARTS = (
    (0x4C, ""),
    (0x50, "Footnotes"),
    (0x54, None),  # headers
    (0x58, None),  # macros
    (0x5C, "Comments"),
    (0x60, "Endnotes"),
    (0x64, "Text boxes"),
)


def read_doc(data: bytes) -> Extraction:
    """Its title and text; raises UnreadableDocument, "encrypted" or "malformed"."""
    compound = Compound(data)
    document = compound.read("WordDocument")
    if document is None or len(document) < _CLX + 8:
        raise UnreadableDocument("malformed", "no document stream")
    magic, version = struct.unpack_from("<HH", document)
    (flags,) = struct.unpack_from("<H", document, 0x0A)
    if flags & _ENCRYPTED:
        raise UnreadableDocument("encrypted")
    if magic != _WORD_97 or version < _OLD_VERSION:
        start, end = struct.unpack_from("<II", document, 0x18)
        blocks = list(_blocks(document[start:end].decode("cp1252", "replace"), 0, {}))
    else:
        table = compound.read("1Table" if flags & _TABLE_1 else "0Table")
        if table is None:
            raise UnreadableDocument("malformed", "no table stream")
        blocks = list(_parts(document, table))
    own = compound.properties()
    return Extraction(own.title, plain_lines([markdown.page(blocks)]), own=own)


@dataclass(frozen=True, slots=True)
class _Format:
    """Properties of a paragraph: its style's index, and whether it is (the end of) a row."""

    style: int = 0
    in_table: bool = False
    ends_row: bool = False


def _parts(document: bytes, table: bytes) -> Iterator[str]:
    """The blocks of the text and of what belongs to it."""
    pieces = list(_pieces(document, table))
    known = dict(_known(pieces, _formats(document, table)))
    text = "".join(piece for piece, _, _ in pieces)
    start = 0
    for offset, name in _PARTS:
        (length,) = struct.unpack_from("<I", document, offset)
        part = "" if name is None else text[start : start + length]
        blocks = list(_blocks(part, start, known))
        start += length
        if name and any(map(str.strip, blocks)):
            yield f"{name}:"
        yield from blocks


def _pieces(document: bytes, table: bytes) -> Iterator[tuple[str, int, int]]:
    """The text piece by piece, with its place in the stream and the bytes of a character."""
    start, length = struct.unpack_from("<II", document, _CLX)
    clx = table[start : start + length]
    position = 0
    while position < len(clx) and clx[position] == 1:  # settings that pieces refer to
        position += 3 + struct.unpack_from("<H", clx, position + 1)[0]
    if position >= len(clx) or clx[position] != 2:
        raise UnreadableDocument("malformed", "no piece table")
    (size,) = struct.unpack_from("<I", clx, position + 1)
    pieces = clx[position + 5 : position + 5 + size]
    number = (len(pieces) - 4) // 12
    ends = struct.unpack_from(f"<{number + 1}I", pieces) if number > 0 else ()
    for index in range(number):
        (place,) = struct.unpack_from("<I", pieces, 4 * (number + 1) + 8 * index + 2)
        count = ends[index + 1] - ends[index]
        if count < 0:
            raise UnreadableDocument("malformed", "pieces out of order")
        width = 1 if place & _COMPRESSED else 2
        place = (place & ~_COMPRESSED) // (3 - width)
        data = document[place : place + width * count]
        # One character for each unit of two bytes: positions are counted in those.
        wide = memoryview(data[: len(data) // 2 * 2]).cast("H")
        units = data.decode("cp1252", "replace") if width == 1 else "".join(map(chr, wide))
        yield units.ljust(count, "\0") if count < len(document) else units, place, width


def _formats(document: bytes, table: bytes) -> list[tuple[int, _Format]]:
    """(place in the stream where it begins, paragraph), sorted by place: [MS-DOC] 2.8.6."""
    start, length = struct.unpack_from("<II", document, _PAPX)
    plc = table[start : start + length]
    found: list[tuple[int, _Format]] = []
    for index in range((len(plc) - 4) // 8):
        (number,) = struct.unpack_from("<I", plc, len(plc) // 8 * 4 + 4 + 4 * index)
        page = document[512 * (number & 0x3FFFFF) :][:512]
        found += _page_formats(page) if len(page) == 512 else ()
    return sorted(found, key=lambda item: item[0])


def _page_formats(page: bytes) -> Iterator[tuple[int, _Format]]:
    """The paragraphs of one page of formats: [MS-DOC] 2.9.171, PapxFkp."""
    count = min(page[511], 0x1D)
    for index in range(count):
        (place,) = struct.unpack_from("<I", page, 4 * index)
        offset = 2 * page[4 * (count + 1) + 13 * index]
        if not offset:
            yield place, _Format()
            continue
        size = 2 * page[offset] - 1
        if size < 0:
            offset += 1
            size = 2 * page[offset]
        properties = page[offset + 1 : offset + 1 + size]
        style, settings = int.from_bytes(properties[:2], "little"), properties[2:]
        yield place, _Format(style, b"\x16\x24\x01" in settings, b"\x17\x24\x01" in settings)


def _known(
    pieces: Iterable[tuple[str, int, int]], formats: Sequence[tuple[int, _Format]]
) -> Iterator[tuple[int, _Format]]:
    """(position in the text, paragraph) for each sign that ends a paragraph or cell."""
    places = [place for place, _ in formats]
    position = 0
    for text, start, width in pieces:
        for match in re.finditer("[\r\x07\x0c]", text) if formats else ():
            index = bisect_right(places, start + width * match.start()) - 1
            if index >= 0:
                yield position + match.start(), formats[index][1]
        position += len(text)


_SIGNS = re.compile("([\r\x07\x0c\x13\x14\x15])")
_MARKS = str.maketrans(
    {"\x0b": "\n", "\x1e": "\u2011", "\x1f": None}
    | dict.fromkeys("\0\x01\x02\x03\x04\x05\x06\x08\x0e\x0f\x10\x11\x12\x16\x17\x18\x19\x1a")
)


def _blocks(text: str, start: int, known: Mapping[int, _Format]) -> Iterator[str]:
    """The blocks of a part of the text that begins at position `start`.

    Of fields only the results are read: the code is between 0x13 and 0x14. In paragraphs without
    known properties, an empty cell is taken for the end of a row, which looks the same.
    """
    in_code: list[bool] = []
    shown: list[str] = []
    cells: list[str] = []
    rows: list[list[str]] = []
    position = start
    for piece in _SIGNS.split(text):
        if piece == "\x13":
            in_code.append(True)
        elif piece == "\x14" and in_code:
            in_code[-1] = False
        elif piece == "\x15" and in_code:
            in_code.pop()
        elif any(in_code):
            pass
        elif piece in ("\r", "\x07", "\x0c"):
            paragraph = known.get(position)
            if piece != "\x07" and paragraph is not None and paragraph.in_table:
                shown.append("\n")
                position += 1
                continue
            block, shown = "".join(shown).translate(_MARKS), []
            if piece != "\x07":
                yield unmerged_text([*rows, cells])
                cells, rows = [], []
                level = paragraph.style if paragraph else 0  # the places of nine styles are fixed
                yield markdown.heading(level, block) if 1 <= level <= 9 else block
            elif paragraph.ends_row if paragraph else cells and not block.strip():
                rows.append(cells)
                cells = []
            else:
                cells.append(block.strip())
        else:
            shown.append(piece)
        position += len(piece)
    yield unmerged_text([*rows, cells])
    yield "".join(shown).translate(_MARKS)
