"""Apple's Pages, Keynote and Numbers: the XML of 2009 and before, the records of 2013 and later.

Where no text is found in the records, the PDF preview is read, if there is one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import ZipParts, attribute, parse_xml, tag_of
from indexer.extract.extraction import MAX_PART_BYTES, Extraction, part_lines, plain_lines
from indexer.extract.iwork.today import read_today
from indexer.extract.pdf.pages import read_pdf
from indexer.extract.tables.grid import simple
from indexer.extract.tables.rows import table_text
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
    today = read_today(_index(parts))
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
