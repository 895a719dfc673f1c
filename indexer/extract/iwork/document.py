"""Apple's Pages, Keynote and Numbers: the XML of 2009 and before, the records of 2013 and later.

Where no text is found in the records, the PDF preview is read, if there is one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import ZipParts, attribute, parse_xml, tag_of
from indexer.extract.extraction import MAX_PART_BYTES, Extraction, part_lines, plain_lines
from indexer.extract.iwork.iwa import IwaObject, records
from indexer.extract.iwork.tables import is_table, table_of
from indexer.extract.pdf.pages import read_pdf
from indexer.extract.protobuf import message_in, number_in
from indexer.extract.tables.grid import simple
from indexer.extract.tables.rows import table_text
from indexer.extract.tables.sheet_rows import labelled
from indexer.records import Line

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_PREVIEW = "QuickLook/Preview.pdf"
_PREVIEWED = "read from its preview, which may show the first page alone"
_EXPORT = "export as PDF from Pages, Numbers or Keynote"
_UNSEEN = frozenset({"stylesheet", "prototype-drawables", "master-slides", "prototype-slide"})


def read_iwork(data: bytes) -> Extraction:
    """Its lines; raises UnreadableDocument, "unsupported" where no form of text is in it."""
    parts = ZipParts(data)
    for name in ("index.xml", "index.apxl"):
        content = parts.read(name)
        packed = parts.read(f"{name}.gz")
        if packed is not None:
            content = zlib.decompressobj(31).decompress(packed, MAX_PART_BYTES)
        if content is not None:
            return _extraction(parse_xml(content))
    today = _read_today(_index(parts))
    if today is not None:
        return today
    preview = parts.read(_PREVIEW)
    if preview is None:
        raise UnreadableDocument("unsupported", "Pages, Numbers or Keynote document; " + _EXPORT)
    extraction = read_pdf(preview)
    extraction.notes.append(_PREVIEWED)
    return extraction


def _index(parts: ZipParts) -> ZipParts:
    """Where the records are: in the file, or in an archive in it."""
    inner = parts.read("Index.zip")
    return parts if inner is None else ZipParts(inner)


def _extraction(root: Element) -> Extraction:
    slides = [each for each in root.iter() if tag_of(each) == "slide-list"]
    if slides:
        return Extraction(None, _slides(slides[0]))
    return Extraction(None, plain_lines([markdown.page(_blocks(root))]))


def _slides(listed: Element) -> Iterator[Line]:
    slides = [each for each in listed.iter() if tag_of(each) == "slide"]
    for number, slide in enumerate(slides, start=1):
        text = markdown.page(_blocks(slide))
        yield from part_lines("Slide", number, [text], page=number)


def _blocks(element: Element) -> Iterator[str]:
    for each in element:
        tag = tag_of(each)
        if tag == "p":
            yield "".join(_inline(each)).strip()
            yield from (block for inner in each if len(inner) for block in _within(inner))
        elif tag == "tabular-model":
            yield from _table(each)
        elif tag not in _UNSEEN:
            yield from _blocks(each)


def _within(element: Element) -> Iterator[str]:
    """Blocks of the objects within a paragraph: tables, text boxes."""
    if tag_of(element) in ("attachment", "attachment-ref", "drawable-shape", "tabular-info"):
        yield from _blocks(element)


def _inline(element: Element) -> Iterator[str]:
    yield element.text or ""
    for part in element:
        tag = tag_of(part)
        if tag in ("br", "lnbr", "crbr", "pgbr"):
            yield "\n"
        elif tag == "tab":
            yield "\t"
        elif tag in ("span", "link", "tracked-change", "footnote"):
            yield from _inline(part)
        yield part.tail or ""


def _table(model: Element) -> Iterator[str]:
    """The cells of a table, row by row: texts, numbers, and dates as they are kept."""
    columns = 0
    cells: list[str] = []
    for each in model.iter():
        tag = tag_of(each)
        if tag == "grid":
            columns = int(attribute(each, "numcols") or 0)
        elif tag == "ct":
            value = attribute(each, "s")
            cells.append(value if value is not None else markdown.page(_blocks(each)))
        elif tag in ("n", "d", "f", "du"):
            cells.append(attribute(each, "v") or attribute(each, "cell-date") or "")
        elif tag == "g":
            cells.append("")
    width = columns if columns > 0 else len(cells) or 1
    rows = [cells[start : start + width] for start in range(0, len(cells), width)]
    yield table_text(simple(rows))


# --- Since 2013: slides with notes, sheets with tables, a body with what is anchored in it --------

_SHOW, _SHEET, _SLIDE_NODE, _SLIDES = 2, 2, 4, (5, 6)
_PAGES, _STORAGE, _ATTACHMENT = 10_000, 2001, 2003
_BODY, _HEADER, _NOTE, _CELL, _CONTENTS = 0, 1, 4, 5, 7
_ANCHOR = "\ufffc"  # where something is anchored in a text
_ENDS = re.compile("[\n\r\u2028\u2029\x04\x05\x0b\x0c]+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\ufffc]")
MAX_OBJECTS = 200_000  # that one slide or document leads to


def _read_today(parts: ZipParts) -> Extraction | None:
    """The lines of a file of today's format; None where no text is found in its records."""
    unread: list[str] = []
    document = _Document(records(parts, unread), unread)
    if document.slides:
        return Extraction(None, document.slide_lines(), unread=unread)
    if document.sheets:
        return Extraction(None, document.sheet_lines(), unread=unread)
    text = markdown.page(document.pages())
    return Extraction(None, plain_lines([text]), unread=unread) if text else None


class _Document:
    """The objects of a file, and those that have been read."""

    def __init__(self, found: dict[int, IwaObject], unread: list[str]) -> None:
        self._found = found
        self._unread = unread
        self._seen: set[int] = set()
        self.slides = list(self._slides())
        self.sheets = [] if self.slides else list(self._sheets())

    def _slides(self) -> Iterator[int]:
        """The slides in the order of the show."""
        shows = [r for r in self._found.values() if r.kind == _SHOW and message_in(r.data, 3)]
        for show in shows:
            tree = IwaObject(0, message_in(show.data, 3), (), "")
            for node in (self._found.get(number) for number in tree.refers(2)):
                if node is not None and node.kind == _SLIDE_NODE:
                    slides = (n for n in node.refers(2) if n in self._found)
                    yield from (n for n in slides if self._found[n].kind in _SLIDES)

    def _sheets(self) -> Iterator[int]:
        for root in (r for r in self._found.values() if r.kind == 1):
            for number in root.refers(1):
                if number in self._found and self._found[number].kind in (_SHEET, _SHEET + 1):
                    yield number

    def slide_lines(self) -> Iterator[Line]:
        """Each slide: its title and text first, then what else is on it, then its notes."""
        for number, slide in enumerate(self.slides, start=1):
            record = self._found[slide]
            first = [*record.refers(5), *record.refers(6), *record.refers(7), *record.refers(42)]
            blocks = list(self._blocks([*first, *record.references], record.file))
            notes = [f"Notes: {block}" for kind, block in blocks if kind == _NOTE]
            text = markdown.page([*(b for kind, b in blocks if kind != _NOTE), *notes])
            yield from part_lines("Slide", number, [text], page=number)

    def sheet_lines(self) -> Iterator[Line]:
        """Each sheet: its tables under their names, a line for each row, then its other texts."""
        for sheet in self.sheets:
            record = self._found[sheet]
            tables = [self._found[n] for n in record.refers(2) if n in self._found]
            lines: list[str] = []
            for info in filter(is_table, tables):
                name, rows, _ = table_of(self._found, info, self._unread)
                lines += [f"Table: {name}"] if name and any(map(any, rows)) else []
                lines += labelled(rows)
            others = (n for n in record.refers(2) if n in self._found)
            drawn = [n for n in others if not is_table(self._found[n])]
            lines += (block for _, block in self._blocks(drawn, ""))
            name = next(iter(record.texts(1)), "") or "without a name"
            yield from part_lines("Sheet", name, ["\n".join(lines)])

    def pages(self) -> Iterator[str]:
        """The body with what is anchored in it, then text boxes and the like."""
        roots = [n for n, record in self._found.items() if record.kind == _PAGES]
        storages = [n for n, record in self._found.items() if record.kind == _STORAGE]
        bodies = [n for n in storages if self._found[n].number(1) == _BODY]
        yield from (block for _, block in self._blocks([*bodies, *roots, *storages], ""))

    def _blocks(self, starts: Iterable[int], file: str) -> Iterator[tuple[int, str]]:
        """(kind of text, text) of all that is reached from the first objects, in reading order.

        With `file`, objects of other files are left alone, but for tables.
        """
        waiting = list(starts)[::-1]
        while waiting:
            if len(self._seen) >= MAX_OBJECTS:
                self._note(f"what is beyond the first {MAX_OBJECTS:,} objects")
                return
            number = waiting.pop()
            record = self._found.get(number)
            if record is None or number in self._seen or record.kind in (_SLIDE_NODE, *_SLIDES):
                continue
            self._seen.add(number)
            if file and record.file != file and "Tables/" not in record.file:
                continue
            if is_table(record):
                _, rows, headed = table_of(self._found, record, self._unread)
                yield _BODY, table_text(simple(rows, headed))
            elif record.kind == _STORAGE:
                yield from self._storage(record, file)
            else:
                waiting += record.references[::-1]

    def _note(self, what: str) -> None:
        if what not in self._unread:
            self._unread.append(what)

    def _storage(self, record: IwaObject, file: str) -> Iterator[tuple[int, str]]:
        """The paragraphs of a text, each followed by what is anchored in it."""
        kind = record.number(1)
        if kind in (_HEADER, _CELL, _CONTENTS):
            return
        anchored = self._anchored(record)
        for paragraph in _ENDS.split("".join(record.texts(3))):
            text = _CONTROLS.sub("", paragraph).strip()
            if text:
                yield kind, text
            for _ in range(paragraph.count(_ANCHOR)):
                if (number := next(anchored, None)) is not None:
                    yield from self._blocks([number], file)

    def _anchored(self, record: IwaObject) -> Iterator[int]:
        """The objects anchored in a text, in its order."""
        for entry in IwaObject(0, message_in(record.data, 9), (), "").all(1):
            attachment = self._found.get(number_in(message_in(entry, 2), 1))
            if attachment is not None and attachment.kind == _ATTACHMENT:
                yield from attachment.refers(1)
