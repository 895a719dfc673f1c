"""Apple's Pages, Keynote and Numbers: the XML of 2009 and before, else the PDF preview in a file.

The records that they consist of since 2013 are not read: their programs export PDF.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import ZipParts, attribute, parse_xml, tag_of
from indexer.extract.extraction import MAX_PART_BYTES, Extraction, part_lines, plain_lines
from indexer.extract.pdf.pages import read_pdf
from indexer.extract.tables.rows import simple, table_text
from indexer.records import Line

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_EXPORT = "Pages, Numbers or Keynote document; export as PDF from Pages, Numbers or Keynote"
_PREVIEWED = "read from its preview, which may show the first page alone"
_UNSEEN = frozenset({"stylesheet", "prototype-drawables", "master-slides", "prototype-slide"})
_WITHIN = frozenset({"attachment", "attachment-ref", "drawable-shape", "tabular-info"})
_BREAKS = {"br": "\n", "lnbr": "\n", "crbr": "\n", "pgbr": "\n", "tab": "\t"}


def read_iwork(data: bytes) -> Extraction:
    """Its lines; raises UnreadableDocument, "unsupported" where no form of text is in it."""
    parts = ZipParts(data)
    for name in ("index.xml", "index.apxl"):
        content, packed = parts.read(name), parts.read(f"{name}.gz")
        if packed is not None:
            content = zlib.decompressobj(31).decompress(packed, MAX_PART_BYTES)
        if content is not None:
            return _of_xml(parse_xml(content))
    preview = parts.read("QuickLook/Preview.pdf")
    if preview is None:
        raise UnreadableDocument("unsupported", _EXPORT)
    extraction = read_pdf(preview)
    extraction.notes.append(_PREVIEWED)
    return extraction


def _of_xml(root: Element) -> Extraction:
    shows = next(root.iter("{*}slide-list"), None)
    if shows is None:
        return Extraction(None, plain_lines([markdown.page(_blocks(root))]))

    def lines() -> Iterator[Line]:
        for number, slide in enumerate(shows.iter("{*}slide"), start=1):
            yield from part_lines("Slide", number, [markdown.page(_blocks(slide))], page=number)

    return Extraction(None, lines())


def _blocks(element: Element) -> Iterator[str]:
    for each in element:
        tag = tag_of(each)
        if tag == "p":
            yield "".join(_inline(each)).strip()
            for inner in each:
                yield from _blocks(inner) if tag_of(inner) in _WITHIN else ()
        elif tag == "tabular-model":
            yield _xml_table(each)
        elif tag not in _UNSEEN:
            yield from _blocks(each)


def _inline(element: Element) -> Iterator[str]:
    yield element.text or ""
    for part in element:
        tag = tag_of(part)
        if tag in _BREAKS:
            yield _BREAKS[tag]
        elif tag in ("span", "link", "tracked-change", "footnote"):
            yield from _inline(part)
        yield part.tail or ""


def _xml_table(model: Element) -> str:
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
        elif tag in ("n", "d", "f", "du", "g"):
            cells.append(attribute(each, "v") or attribute(each, "cell-date") or "")
    width = columns if columns > 0 else len(cells) or 1
    return table_text(simple(cells[at : at + width] for at in range(0, len(cells), width)))
