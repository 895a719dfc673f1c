"""Legacy PowerPoint presentations (PPT) as Markdown, slide by slide.

Source: [MS-PPT], sections 2.1.2 (persist directory), 2.3.2, 2.4.14.3 (lists of slides), 2.9
(text), 2.13.21 (placeholders). Text of masters and the lines that they repeat on each slide (date,
number, header, footer) are left out; notes and comments follow their slide.

Not kreuzberg, which reads the masters' "Click to edit" as text and marks slides by guessing.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.extraction import Extraction, part_lines
from indexer.extract.hidden import hide
from indexer.extract.legacy.compound import Compound
from indexer.extract.tables.grid import Cell, Placed, Row
from indexer.extract.tables.rows import table_text
from indexer.records import Line

_ENCRYPTED = b"\xdf\xc4\xd1\xf3"
_SLIDE, _SLIDE_ATOM, _NOTES, _SLIDE_PERSIST, _COMMENT = 1006, 1007, 1008, 1011, 12000
_OUTLINE_REFERENCE, _TEXT_HEADER, _CHARS, _BYTES, _STRING = 3998, 3999, 4000, 4008, 4026
_SLIDE_LIST, _USER_EDIT, _PERSIST_DIRECTORY, _TEXT_BOX = 4080, 4085, 6002, 0xF00D
_SHAPE, _PLACEHOLDER, _MARGIN_PLACEHOLDER = 0xF004, 3011, 1056
_GROUP, _CHILD_ANCHOR, _OPTIONS = 0xF003, 0xF00F, frozenset({0xF00B, 0xF121, 0xF122})
_TABLE_PROPERTY = 0x039F  # of a group: [MS-ODRAW] 2.3.4.37
_NEAR = 8  # units of the drawing by which edges of one line may differ
_SLIDES, _NOTES_LIST = 0, 2  # instances of a list of slides
_MARGINS = frozenset(
    map(bytes, ([7], [8], [9], [10]))
)  # placeholders: date, number, footer, header
_TITLES = frozenset({0, 6})
_NOTES_BODY = 2
_SHOW_INFO = 1017  # how a slide is shown
MAX_DEPTH = 64
MAX_EDITS = 1_000


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the stream: its type, instance, and where its content stands."""

    kind: int
    instance: int
    start: int
    end: int
    is_container: bool


def read_ppt(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, "encrypted" or "malformed"."""
    compound = Compound(data)
    user, stream = compound.read("Current User"), compound.read("PowerPoint Document")
    if stream is None:
        raise UnreadableDocument("malformed", "no presentation stream")
    if user is not None and user[12:16] == _ENCRYPTED:
        raise UnreadableDocument("encrypted", "a password is needed")
    unread: list[str] = []
    slides = list(_slides(stream, user, unread))
    first = next((text for slide in slides for text in slide.titles), None)
    own = compound.properties()
    return Extraction(own.title or first, _lines(slides), unread=unread, own=own)


def _lines(slides: list[_Slide]) -> Iterator[Line]:
    for number, slide in enumerate(slides, start=1):
        blocks = [*(markdown.heading(1, title) for title in slide.titles), *slide.texts]
        shown = map(hide, blocks) if slide.hidden else blocks
        yield from part_lines("Slide", number, [markdown.page(shown)], page=number)


@dataclass(slots=True)
class _Slide:
    titles: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    hidden: bool = False  # from the show


def _records(stream: bytes, start: int, end: int) -> Iterator[Record]:
    """The records one after the other between two places; damage ends them."""
    while start + 8 <= min(end, len(stream)):
        head, kind, length = struct.unpack_from("<HHI", stream, start)
        content = start + 8
        yield Record(kind, head >> 4, content, min(content + length, end), head & 0xF == 0xF)
        start = content + length


def _inside(stream: bytes, record: Record, depth: int = 0) -> Iterator[Record]:
    """All records within a container, at any depth, in order; text boxes and tables as one."""
    for each in _records(stream, record.start, record.end):
        yield each
        whole = each.kind == _TEXT_BOX or _is_table(stream, each)
        if each.is_container and not whole and depth < MAX_DEPTH:
            yield from _inside(stream, each, depth + 1)


def _is_table(stream: bytes, record: Record) -> bool:
    """Whether a record is a group of shapes that make up a table."""
    if record.kind != _GROUP:
        return False
    group = next(_records(stream, record.start, record.end), None)
    for each in _records(stream, group.start, group.end) if group is not None else ():
        for place in range(each.start, each.end - 5, 6) if each.kind in _OPTIONS else ():
            if struct.unpack_from("<H", stream, place)[0] & 0x3FFF == _TABLE_PROPERTY:
                return True
    return False


def _slides(stream: bytes, user: bytes | None, unread: list[str]) -> Iterator[_Slide]:
    """The slides in the order of the last edit's lists; else in file order.

    What is listed and not found is added to `unread`.
    """
    places, document = _persisted(stream, user, unread)
    listed = list(_listed(stream, document, _SLIDES)) if document is not None else []
    if not listed:
        for record in _records(stream, 0, len(stream)):
            if record.kind == _SLIDE:
                yield _slide(stream, record, [])
        return
    notes = {slide_id: place for place, slide_id, _ in _listed(stream, document, _NOTES_LIST)}
    for number, (reference, _, outline) in enumerate(listed, start=1):
        found = _record_at(stream, places.get(reference), _SLIDE)
        if found is None:
            unread.append(f"slide {number}, but for its title (malformed)")
            yield _Slide([text for kind, text in outline if kind in _TITLES], [])
            continue
        slide = _slide(stream, found, outline)
        slide.hidden = _is_hidden(stream, found)
        notes_place = places.get(notes.get(_notes_id(stream, found), 0))
        page = _record_at(stream, notes_place, _NOTES)
        if page is not None:
            slide.texts += [
                f"Notes: {text}" for kind, text in _texts(stream, page, []) if kind == _NOTES_BODY
            ]
        yield slide


def _is_hidden(stream: bytes, slide: Record) -> bool:
    """Whether a slide is left out of the show: [MS-PPT] 2.6.6, SlideShowSlideInfoAtom."""
    for each in _records(stream, slide.start, slide.end):
        if each.kind == _SHOW_INFO and each.end - each.start >= 12:
            return bool(stream[each.start + 10] & 0x04)
    return False


def _record_at(stream: bytes, place: int | None, kind: int) -> Record | None:
    if place is None:
        return None
    record = next(_records(stream, place, len(stream)), None)
    return record if record is not None and record.kind == kind else None


def _persisted(
    stream: bytes, user: bytes | None, unread: list[str]
) -> tuple[dict[int, int], Record | None]:
    """The offset of each persistent object after the last edit, and the document container.

    Edits before the last MAX_EDITS, or behind a damaged one, are added to `unread`.
    """
    places: dict[int, int] = {}
    document = None
    edit = struct.unpack_from("<I", user, 16)[0] if user is not None and len(user) >= 20 else 0
    for _ in range(MAX_EDITS):
        atom = _record_at(stream, edit, _USER_EDIT)
        if atom is None or atom.end - atom.start < 20:
            if places:
                unread.append("what was saved earlier (malformed)")
            break
        before, directory, reference = struct.unpack_from("<III", stream, atom.start + 8)
        for key, place in _directory(stream, directory):
            places.setdefault(key, place)
        document = reference if document is None else document
        if not before or before >= edit:  # edits go back in the file
            break
        edit = before
    else:
        unread.append(f"what was saved before the last {MAX_EDITS:,} times")
    return places, _record_at(stream, places.get(document or 0), 1000)


def _directory(stream: bytes, place: int) -> Iterator[tuple[int, int]]:
    record = _record_at(stream, place, _PERSIST_DIRECTORY)
    position = record.start if record else 0
    while record is not None and position + 4 <= record.end:
        (entry,) = struct.unpack_from("<I", stream, position)
        first, count = entry & 0xFFFFF, entry >> 20
        position += 4
        for index in range(min(count, (record.end - position) // 4)):
            yield first + index, struct.unpack_from("<I", stream, position + 4 * index)[0]
        position += 4 * count


_Outline = list[tuple[int, str]]


def _listed(
    stream: bytes, document: Record | None, instance: int
) -> Iterator[tuple[int, int, _Outline]]:
    """(reference, id, texts of the outline) of each slide, or page of notes, of the document."""
    for record in _records(stream, document.start, document.end) if document else ():
        if record.kind != _SLIDE_LIST or record.instance != instance:
            continue
        found: list[tuple[int, int, _Outline]] = []
        kind = 0
        for each in _records(stream, record.start, record.end):
            if each.kind == _SLIDE_PERSIST and each.end - each.start >= 16:
                reference, _, _, slide_id = struct.unpack_from("<IIII", stream, each.start)
                found.append((reference, slide_id, []))
            elif each.kind == _TEXT_HEADER and each.end - each.start >= 4:
                kind = struct.unpack_from("<I", stream, each.start)[0]
                if found:
                    found[-1][2].append((kind, ""))
            elif each.kind in (_CHARS, _BYTES) and found and found[-1][2]:
                found[-1][2][-1] = (kind, _text(stream, each))
        yield from found


def _notes_id(stream: bytes, slide: Record) -> int:
    for record in _records(stream, slide.start, slide.end):
        if record.kind == _SLIDE_ATOM and record.end - record.start >= 20:
            return int(struct.unpack_from("<I", stream, record.start + 16)[0])
    return -1


def _slide(stream: bytes, record: Record, outline: _Outline) -> _Slide:
    slide = _Slide()
    for kind, text in _texts(stream, record, outline):
        (slide.titles if kind in _TITLES else slide.texts).append(text)
    for each in _inside(stream, record):
        if each.kind == _COMMENT:
            for part in _records(stream, each.start, each.end):
                if part.kind == _STRING and part.instance == 1:
                    slide.texts.append(f"Comment: {_text(stream, part)}")
    return slide


def _boxes(stream: bytes, record: Record) -> Iterator[Record]:
    """The text boxes and tables of a slide, but for boxes that a master repeats."""
    repeated = False
    for each in _inside(stream, record):
        # What a shape stands in for comes before its text.
        if each.kind == _SHAPE:
            repeated = False
        elif each.kind == _PLACEHOLDER:
            repeated = stream[each.start + 4 : each.start + 5] in _MARGINS
        elif each.kind == _MARGIN_PLACEHOLDER:
            repeated = stream[each.start : each.start + 1] in _MARGINS
        elif (each.kind == _TEXT_BOX and not repeated) or _is_table(stream, each):
            yield each


def _texts(stream: bytes, record: Record, outline: _Outline) -> Iterator[tuple[int, str]]:
    """(type, text) of the text boxes of a slide, those that stand in the outline included."""
    for box in _boxes(stream, record):
        kind = 4  # other text
        if box.kind == _GROUP:
            yield kind, table_text(_grid(stream, box))
            continue
        for each in _records(stream, box.start, box.end):
            if each.kind == _TEXT_HEADER and each.end - each.start >= 4:
                kind = struct.unpack_from("<I", stream, each.start)[0]
            elif each.kind in (_CHARS, _BYTES):
                yield kind, _text(stream, each)
            elif each.kind == _OUTLINE_REFERENCE and each.end - each.start >= 4:
                (index,) = struct.unpack_from("<I", stream, each.start)
                if index < len(outline):
                    yield outline[index]


def _grid(stream: bytes, group: Record) -> list[Row]:
    """The rows of a table, by where its cells stand: left, top, right and bottom edge."""
    cells: list[tuple[int, int, int, int, str]] = []
    for shape in _records(stream, group.start, group.end):
        edges, text = None, ""
        for each in _records(stream, shape.start, shape.end):
            if each.kind == _CHILD_ANCHOR and each.end - each.start >= 16:
                edges = struct.unpack_from("<iiii", stream, each.start)
            elif each.kind == _TEXT_BOX:
                texts = _records(stream, each.start, each.end)
                text = "\n".join(
                    _text(stream, one) for one in texts if one.kind in (_CHARS, _BYTES)
                )
        if edges is not None and text.strip():
            cells.append((*edges, text))
    tops = _lines_of(top for _, top, _, _, _ in cells)
    rows: list[list[Placed]] = [[] for _ in tops]
    for left, top, right, bottom, text in cells:
        cell = Cell(text)
        begins = bisect_right(tops, top) - 1
        for number in range(begins, max(bisect_right(tops, bottom - _NEAR - 1), begins + 1)):
            rows[number].append(Placed(left, max(right, left + 1), cell, number > begins))
    lefts = _lines_of(placed.first for row in rows for placed in row)
    return [
        Row(tuple(sorted((_snapped(p, lefts) for p in row), key=lambda placed: placed.first)))
        for row in rows
    ]


def _lines_of(places: Iterable[int]) -> list[int]:
    """The edges among places, of which those that are near to each other are one."""
    found: list[int] = []
    for place in sorted(places):
        if not found or place - found[-1] > _NEAR:
            found.append(place)
    return found


def _snapped(placed: Placed, lefts: list[int]) -> Placed:
    """A cell with its columns counted: those that begin before its right edge."""
    first = bisect_right(lefts, placed.first) - 1
    last = max(bisect_right(lefts, placed.last - _NEAR - 1), first + 1)
    return Placed(first, last, placed.cell, placed.again)


_MARKS = str.maketrans({"\r": "\n", "\x0b": "\n"})


def _text(stream: bytes, record: Record) -> str:
    data = stream[record.start : record.end]
    text = data.decode("latin-1" if record.kind == _BYTES else "utf-16-le", "replace")
    return text.translate(_MARKS)
