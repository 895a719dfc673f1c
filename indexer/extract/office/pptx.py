"""PowerPoint presentations (PPTX) as Markdown, slide by slide.

Titles become headings, tables and charts tables; speaker notes and comments follow their slide.
The content of masters is not read. Slide numbers are omitted, and footers and dates that repeat
those of an earlier slide.

Not kreuzberg: it marks no slides, and of the test documents it loses charts and notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import (
    Parts,
    ZipParts,
    addresses,
    attribute,
    child,
    core_properties,
    main_part,
    relations,
    tag_of,
    text_of,
)
from indexer.extract.extraction import Extraction, part_lines
from indexer.extract.hidden import UNKNOWN, hide
from indexer.extract.office.drawing import background_of, chart_text, fill_of, paragraph_text
from indexer.extract.tables.grid import Cell, Placed, Row
from indexer.extract.tables.rows import table_text
from indexer.records import Line

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


def read_pptx(data: bytes) -> Extraction:
    """Its title and lines, slide by slide; raises UnreadableDocument."""
    parts = ZipParts(data)
    main = main_part(parts, "ppt/presentation.xml")
    slides = _slides(parts, main)
    own, unread = core_properties(parts), list[str]()
    title = own.title or _first_title(parts, slides)
    return Extraction(title, _lines(parts, slides, unread), unread=unread, own=own)


def _lines(parts: Parts, slides: list[str], unread: list[str]) -> Iterator[Line]:
    seen: set[str] = set()
    for number, name in enumerate(slides, start=1):
        try:
            text = markdown.page(_slide(parts, name, seen))
        except UnreadableDocument as error:
            if error.reason != "malformed":
                raise
            unread.append(f"slide {number}")
            text = ""
        yield from part_lines("Slide", number, [text], page=number)


def _slides(parts: Parts, main: str) -> list[str]:
    """Names of the slides' parts in the order in which they are shown."""
    root = parts.xml(main)
    if root is None:
        raise UnreadableDocument("malformed", "no presentation part")
    related = relations(parts, main)
    listed = child(root, "sldIdLst")
    names = []
    for each in listed if listed is not None else ():
        target = related.get(_relation_id(each), ("", ""))[1]
        if target:
            names.append(target)
    return names


def _relation_id(element: Element) -> str:
    """The `r:id` of an element, which may have an `id` of its own beside it."""
    for key, value in element.attrib.items():
        if key.endswith("}id"):
            return str(value)
    return ""


def _first_title(parts: Parts, slides: list[str]) -> str | None:
    try:
        root = parts.xml(slides[0]) if slides else None
    except UnreadableDocument:
        return None  # reported by the slide itself when it is read
    for shape in root.iter() if root is not None else ():
        if tag_of(shape) == "sp" and _placeholder(shape) in _TITLES:
            return markdown.one_line(text_of(child(shape, "txBody"))) or None
    return None


_TITLES = frozenset({"title", "ctrTitle"})
_MARGINS = frozenset({"ftr", "dt", "hdr"})  # footer, date, header


def _slide(parts: Parts, name: str, seen: set[str]) -> Iterator[str]:
    """The blocks of a slide; `seen` contains the margin texts of earlier slides."""
    root = parts.xml(name)
    if root is None:
        raise UnreadableDocument("malformed", f"no part {name!r}")
    hidden = attribute(root, "show") in ("0", "false")
    blocks = _slide_blocks(parts, name, root, seen)
    yield from map(hide, blocks) if hidden else blocks


def _slide_blocks(parts: Parts, name: str, root: Element, seen: set[str]) -> Iterator[str]:
    related = relations(parts, name)
    tree = child(root, "cSld", "spTree")
    shapes = [each for each in (tree if tree is not None else ()) if not _repeats(each, seen)]
    shapes.sort(key=lambda shape: _placeholder(shape) not in _TITLES)
    yield from _shapes(parts, shapes, related, background_of(parts, name))
    yield markdown.links(_links(shapes, addresses(parts, name)))
    for kind, target in related.values():
        if kind == "notesSlide":
            notes = child(parts.xml(target), "cSld", "spTree")
            text = "\n".join(_notes(notes if notes is not None else ()))
            if text.strip():
                yield f"Notes: {text}"
        elif kind == "comments":
            yield from _comments(parts.xml(target))


def _links(shapes: Iterable[Element], targets: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(text, address) of the linked runs in shapes."""
    for run in (each for shape in shapes for each in shape.iter() if tag_of(each) == "r"):
        link = child(run, "rPr", "hlinkClick")
        if link is not None:
            yield text_of(child(run, "t")), targets.get(_relation_id(link), "")


def _repeats(shape: Element, seen: set[str]) -> bool:
    """Whether a shape is in the margin and repeats an earlier text; records the text if not."""
    if _placeholder(shape) not in _MARGINS:
        return False
    text = markdown.one_line(text_of(child(shape, "txBody")))
    known = text in seen
    seen.add(text)
    return known


def _notes(shapes: Iterable[Element]) -> Iterator[str]:
    for shape in shapes:
        if _placeholder(shape) == "body":
            yield _paragraphs(child(shape, "txBody"))


def _comments(root: Element | None) -> Iterator[str]:
    for each in root.iter() if root is not None else ():
        if tag_of(each) in ("cm", "reply"):
            text = child(each, "text")
            body = child(each, "txBody")
            shown = text_of(text) if text is not None else _paragraphs(body)
            if shown.strip():
                yield f"Comment: {markdown.one_line(shown)}"


def _placeholder(shape: Element) -> str:
    """The placeholder type of a shape: "title", "body", …; "" for none."""
    place = child(shape, "nvSpPr", "nvPr", "ph")
    return (attribute(place, "type") or "body") if place is not None else ""


def _shapes(
    parts: Parts,
    shapes: Iterable[Element],
    related: dict[str, tuple[str, str]],
    background: str,
) -> Iterator[str]:
    for shape in shapes:
        tag = tag_of(shape)
        if tag == "sp":
            kind = _placeholder(shape)
            text = _paragraphs(child(shape, "txBody"), fill_of(shape, background))
            text = hide(text) if _is_unseen(shape) else text
            if kind in _TITLES:
                yield markdown.heading(1, text)
            elif kind != "sldNum":
                yield text
        elif tag == "pic":
            about = child(shape, "nvPicPr", "cNvPr")
            yield (attribute(about, "descr") or "") if about is not None else ""
        elif tag == "graphicFrame":
            yield from _frame(parts, shape, related)
        elif tag == "AlternateContent":
            chosen = child(shape, "Choice")
            chosen = shape if chosen is None else chosen
            yield from _shapes(parts, chosen, related, background)
        elif tag in ("grpSp", "Choice", "Fallback"):
            yield from _shapes(parts, shape, related, background)


def _is_unseen(shape: Element) -> bool:
    """Whether a shape is switched off, or stands left of or above its slide."""
    about = child(shape, "nvSpPr", "cNvPr")
    if about is not None and attribute(about, "hidden") in ("1", "true"):
        return True
    frame = child(shape, "spPr", "xfrm")
    place, size = child(frame, "off"), child(frame, "ext")
    if place is None or size is None or tag_of(shape.getparent()) != "spTree":
        return False  # in a group the places are its own
    ends = (_number(place, at) + _number(size, long) for at, long in (("x", "cx"), ("y", "cy")))
    return any(end < 0 for end in ends)


def _number(element: Element, name: str) -> int:
    value = attribute(element, name) or ""
    return int(value) if value.removeprefix("-").isdecimal() else 0


def _frame(parts: Parts, frame: Element, related: dict[str, tuple[str, str]]) -> Iterator[str]:
    """The table, chart or diagram in a frame."""
    for each in frame.iter():
        tag = tag_of(each)
        if tag == "tbl":
            yield table_text(_table(each))
        elif tag in ("chart", "relIds"):
            name = attribute(each, "dm") or _relation_id(each)
            root = parts.xml(related[name][1]) if name in related else None
            if root is not None:
                yield chart_text(root)


def _table(table: Element) -> list[Row]:
    """The grid of a table; its first row counts as bold where its style makes it a header."""
    properties = child(table, "tblPr")
    headed = properties is not None and attribute(properties, "firstRow") in _ON
    rows: list[Row] = []
    above: dict[int, Placed] = {}
    for element in table:
        if tag_of(element) != "tr":
            continue
        placed: list[Placed] = []
        for column, cell in enumerate(each for each in element if tag_of(each) == "tc"):
            if attribute(cell, "hMerge") in _ON:
                continue  # the cell on its left goes over it
            if attribute(cell, "vMerge") in _ON and column in above:
                placed.append(replace(above[column], again=True))
                continue
            span = attribute(cell, "gridSpan") or ""
            last = column + (min(int(span), MAX_SPAN) if span.isdecimal() else 1)
            text = _paragraphs(child(cell, "txBody"))
            placed.append(Placed(column, last, Cell(text, strong=headed and not rows)))
        above = {each.first: each for each in placed}
        rows.append(Row(tuple(placed)))
    return rows


_ON = ("1", "true", "on")
MAX_SPAN = 1000  # columns of a merged cell


def _paragraphs(body: Element | None, fill: str = UNKNOWN) -> str:
    """The paragraphs of a shape, a line each; deeper ones as list items."""
    lines = []
    for paragraph in body if body is not None else ():
        if tag_of(paragraph) != "p":
            continue
        text = paragraph_text(paragraph, fill)
        properties = child(paragraph, "pPr")
        level = (attribute(properties, "lvl") or "0") if properties is not None else "0"
        if text:
            lines.append(markdown.item(text, int(level) + 1) if level in _DEEPER else text)
    return "\n".join(lines)


_DEEPER = frozenset("12345678")
