"""Legacy PowerPoint presentations (PPT) as Markdown, slide by slide.

Source: [MS-PPT], sections 2.1.2 (persist directory), 2.3.2, 2.4.14.3 (lists of slides), 2.9
(text), 2.13.21 (placeholders). Text of masters and the lines that they repeat on each slide (date,
number, header, footer) are left out; notes follow their slide.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import Compound
from indexer.extract.extraction import Extraction, part_lines
from indexer.extract.hidden import hide
from indexer.records import Line

_ENCRYPTED = b"\xdf\xc4\xd1\xf3"
_DOCUMENT, _SLIDE, _SLIDE_ATOM, _NOTES, _SLIDE_PERSIST = 1000, 1006, 1007, 1008, 1011
_OUTLINE_REFERENCE, _TEXT_HEADER, _CHARS, _BYTES = 3998, 3999, 4000, 4008
_SLIDE_LIST, _USER_EDIT, _PERSIST_DIRECTORY, _TEXT_BOX = 4080, 4085, 6002, 0xF00D
_SHAPE, _PLACEHOLDER, _MARGIN_PLACEHOLDER = 0xF004, 3011, 1056
_SHOW_INFO = 1017  # how a slide is shown
_SLIDES, _NOTES_LIST = 0, 2  # instances of a list of slides
_MARGINS = frozenset({7, 8, 9, 10})  # placeholders: date, number, footer, header
_TITLES = frozenset({0, 6})  # types of text
_NOTES_BODY, _OTHER_TEXT = 2, 4
MAX_DEPTH = 64
MAX_EDITS = 1_000

_Outline = list[tuple[int, str]]  # type and text


@dataclass(frozen=True, slots=True)
class _Record:
    """A record of the stream: its type, instance, and its content, which may be cut."""

    kind: int
    instance: int
    is_container: bool
    data: memoryview  # one of the stream: records lie in records

    def number(self, at: int) -> int:
        """A number of four bytes; 0 beyond the end."""
        return int.from_bytes(self.data[at : at + 4], "little")

    @property
    def text(self) -> str:
        """The text of an atom, with line ends for those of paragraphs."""
        code = "latin-1" if self.kind == _BYTES else "utf-16-le"
        text = self.data.tobytes().decode(code, "replace")
        return text.replace("\r", "\n").replace("\x0b", "\n")


@dataclass(slots=True)
class _Slide:
    titles: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    hidden: bool = False  # from the show


def read_ppt(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, "encrypted" or "malformed"."""
    compound = Compound(data)
    user, stream = compound.read("Current User") or b"", compound.read("PowerPoint Document")
    if stream is None:
        raise UnreadableDocument("malformed", "no presentation stream")
    if user[12:16] == _ENCRYPTED:
        raise UnreadableDocument("encrypted")
    unread: list[str] = []
    slides = list(_slides(memoryview(stream), int.from_bytes(user[16:20], "little"), unread))
    first = next((text for slide in slides for text in slide.titles), None)
    own = compound.properties()
    return Extraction(own.title or first, _lines(slides), unread=unread, own=own)


def _lines(slides: list[_Slide]) -> Iterator[Line]:
    for number, slide in enumerate(slides, start=1):
        blocks = [*(markdown.heading(1, title) for title in slide.titles), *slide.texts]
        shown = map(hide, blocks) if slide.hidden else blocks
        yield from part_lines("Slide", number, [markdown.page(shown)], page=number)


def _records(data: memoryview, start: int = 0) -> Iterator[_Record]:
    """The records one after the other; damage ends them."""
    while start + 8 <= len(data):
        head, kind, length = struct.unpack_from("<HHI", data, start)
        content = data[start + 8 : start + 8 + length]
        yield _Record(kind, head >> 4, head & 0xF == 0xF, content)
        start += 8 + length


def _inside(record: _Record, depth: int = 0) -> Iterator[_Record]:
    """All records within a container, at any depth, in order; text boxes as one."""
    for each in _records(record.data):
        yield each
        if each.is_container and each.kind != _TEXT_BOX and depth < MAX_DEPTH:
            yield from _inside(each, depth + 1)


def _slides(stream: memoryview, edit: int, unread: list[str]) -> Iterator[_Slide]:
    """The slides in the order of the last edit's lists; else in file order.

    What is listed and not found is added to `unread`.
    """
    places, reference = _persisted(stream, edit)
    document = _record_at(stream, places.get(reference), _DOCUMENT)
    listed = list(_listed(document, _SLIDES)) if document is not None else []
    if document is None or not listed:
        yield from (_slide(each, []) for each in _records(stream) if each.kind == _SLIDE)
        return
    notes = {slide_id: reference for reference, slide_id, _ in _listed(document, _NOTES_LIST)}
    for number, (reference, _, outline) in enumerate(listed, start=1):
        found = _record_at(stream, places.get(reference), _SLIDE)
        if found is None:
            unread.append(f"slide {number}, but for its title (malformed)")
            yield _Slide([text for kind, text in outline if kind in _TITLES])
            continue
        slide = _slide(found, outline)
        about = {each.kind: each for each in _records(found.data)}
        slide.hidden = _SHOW_INFO in about and bool(about[_SHOW_INFO].number(8) >> 16 & 0x04)
        notes_id = about[_SLIDE_ATOM].number(16) if _SLIDE_ATOM in about else -1
        page = _record_at(stream, places.get(notes.get(notes_id, -1)), _NOTES)
        said = _texts(page, []) if page is not None else ()
        slide.texts += [f"Notes: {text}" for kind, text in said if kind == _NOTES_BODY]
        yield slide


def _record_at(stream: memoryview, place: int | None, kind: int) -> _Record | None:
    record = next(_records(stream, place), None) if place is not None else None
    return record if record is not None and record.kind == kind else None


def _persisted(stream: memoryview, edit: int) -> tuple[dict[int, int], int]:
    """The offset of each persistent object after the last edit, and which is the document."""
    places: dict[int, int] = {}
    document = 0
    for _ in range(MAX_EDITS):
        atom = _record_at(stream, edit, _USER_EDIT)
        if atom is None:
            break
        directory = _record_at(stream, atom.number(12), _PERSIST_DIRECTORY)
        for key, place in _entries(directory.data if directory else stream[:0]):
            places.setdefault(key, place)
        document = document or atom.number(16)
        before = atom.number(8)
        if not 0 < before < edit:  # edits go back in the file
            break
        edit = before
    return places, document


def _entries(directory: memoryview) -> Iterator[tuple[int, int]]:
    """Number and place of each object of a directory: runs of places behind a first number."""
    numbers = directory[: len(directory) // 4 * 4].cast("I")
    position = 0
    while position < len(numbers):
        first, count = numbers[position] & 0xFFFFF, numbers[position] >> 20
        yield from enumerate(numbers[position + 1 : position + 1 + count], start=first)
        position += 1 + count


def _listed(document: _Record, instance: int) -> Iterator[tuple[int, int, _Outline]]:
    """(reference, id, texts of the outline) of each slide, or page of notes, of the document."""
    for record in _records(document.data):
        if record.kind != _SLIDE_LIST or record.instance != instance:
            continue
        found: list[tuple[int, int, _Outline]] = []
        for each in _records(record.data):
            if each.kind == _SLIDE_PERSIST:
                found.append((each.number(0), each.number(12), []))
            elif each.kind == _TEXT_HEADER and found:
                found[-1][2].append((each.number(0), ""))
            elif each.kind in (_CHARS, _BYTES) and found and found[-1][2]:
                found[-1][2][-1] = (found[-1][2][-1][0], each.text)
        yield from found


def _slide(record: _Record, outline: _Outline) -> _Slide:
    slide = _Slide()
    for kind, text in _texts(record, outline):
        (slide.titles if kind in _TITLES else slide.texts).append(text)
    return slide


def _texts(record: _Record, outline: _Outline) -> Iterator[tuple[int, str]]:
    """(type, text) of the text boxes of a slide, those that stand in the outline included."""
    repeated = False  # by a master: what a shape stands in for comes before its text
    for box in _inside(record):
        if box.kind == _SHAPE:
            repeated = False
        elif box.kind == _PLACEHOLDER:
            repeated = box.number(4) & 0xFF in _MARGINS
        elif box.kind == _MARGIN_PLACEHOLDER:
            repeated = box.number(0) & 0xFF in _MARGINS
        elif box.kind == _TEXT_BOX and not repeated:
            yield from _of_box(box, outline)


def _of_box(box: _Record, outline: _Outline) -> Iterator[tuple[int, str]]:
    kind = _OTHER_TEXT
    for each in _records(box.data):
        if each.kind == _TEXT_HEADER:
            kind = each.number(0)
        elif each.kind in (_CHARS, _BYTES):
            yield kind, each.text
        elif each.kind == _OUTLINE_REFERENCE and each.number(0) < len(outline):
            yield outline[each.number(0)]
