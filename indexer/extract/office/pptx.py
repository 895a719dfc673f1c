"""PowerPoint presentations (PPTX) as Markdown, slide by slide.

Titles become headings, tables and charts tables; speaker notes and comments follow their slide.
The content of masters is not read. Slide numbers are omitted, and footers and dates that repeat
those of an earlier slide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import (
    Element,
    Parts,
    ZipParts,
    addresses,
    attribute,
    child,
    core_properties,
    inside,
    main_part,
    number_of,
    relation_id,
    relations,
    signed,
    tag_of,
    text_of,
)
from indexer.extract.extraction import Extraction, part_lines
from indexer.extract.hidden import UNKNOWN, hide
from indexer.extract.office.drawing import UNSAID, Slide, chart_text, paragraph_text, slide_of
from indexer.extract.tables import Cell, Row, Source, resolved, table_text
from indexer.records import Line

_TITLES = frozenset({"title", "ctrTitle"})
_MARGINS = frozenset({"ftr", "dt", "hdr"})  # footer, date, header
_ON = ("1", "true", "on")


def read_pptx(data: bytes) -> Extraction:
    """Its title and lines, slide by slide; raises UnreadableDocument."""
    parts = ZipParts(data)
    main = main_part(parts, "ppt/presentation.xml")
    root = parts.xml(main)
    if root is None:
        raise UnreadableDocument("malformed", "no presentation part")
    related = relations(parts, main)
    listed = (related.get(relation_id(each), ("", ""))[1] for each in inside(root, "sldIdLst"))
    slides = list(filter(None, listed))
    own, unread = core_properties(parts), list[str]()
    title = own.title or _first_title(parts, slides)
    size = child(root, "sldSz")
    edges = {"x": number_of(size, "cx", _ENDLESS), "y": number_of(size, "cy", _ENDLESS)}
    return Extraction(title, _lines(parts, slides, edges, unread), unread=unread, own=own)


_ENDLESS = 10**9
_Edges = dict[str, int]  # of a slide, on the right and below


def _lines(parts: Parts, slides: list[str], edges: _Edges, unread: list[str]) -> Iterator[Line]:
    seen: set[str] = set()
    for number, name in enumerate(slides, start=1):
        try:
            if (root := parts.xml(name)) is None:
                raise UnreadableDocument("malformed", f"no part {name!r}")
            text = markdown.page(_slide(parts, name, root, edges, seen))
            text = hide(text) if attribute(root, "show") in ("0", "false") else text
        except UnreadableDocument as error:
            if error.reason != "malformed":
                raise
            unread.append(f"slide {number}")
            text = ""
        yield from part_lines("Slide", number, [text], page=number)


def _first_title(parts: Parts, slides: list[str]) -> str | None:
    try:
        root = parts.xml(slides[0]) if slides else None
    except UnreadableDocument:
        return None  # reported by the slide itself when it is read
    for shape in root.iter("{*}sp") if root is not None else ():
        if _placeholder(shape) in _TITLES:
            return markdown.one_line(text_of(child(shape, "txBody"))) or None
    return None


def _slide(parts: Parts, name: str, root: Element, edges: _Edges, seen: set[str]) -> Iterator[str]:
    """The blocks of a slide; `seen` contains the margin texts of earlier slides."""
    related = relations(parts, name)
    shapes = [each for each in inside(root, "cSld", "spTree") if not _repeats(each, seen)]
    shapes.sort(key=lambda shape: _placeholder(shape) not in _TITLES)
    slide = slide_of(parts, name)
    for shape in shapes:
        blocks = _shape(parts, shape, related, slide)
        yield from map(hide, blocks) if _is_unseen(shape, edges) else blocks
    yield markdown.links(_links(shapes, addresses(parts, name)))
    for kind, target in related.values():
        if kind == "notesSlide":
            notes = inside(parts.xml(target), "cSld", "spTree")
            bodies = (child(each, "txBody") for each in notes if _placeholder(each) == "body")
            text = "\n".join(map(_paragraphs, bodies))
            yield f"Notes: {text}" if text.strip() else ""
        elif kind == "comments":
            yield from _comments(parts.xml(target))


def _links(shapes: Iterable[Element], targets: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(text, address) of the linked runs in shapes."""
    for run in (run for shape in shapes for run in shape.iter("{*}r")):
        link = child(run, "rPr", "hlinkClick")
        if link is not None:
            yield text_of(child(run, "t")), targets.get(relation_id(link), "")


def _repeats(shape: Element, seen: set[str]) -> bool:
    """Whether a shape is in the margin and repeats an earlier text; records the text if not."""
    if _placeholder(shape) not in _MARGINS:
        return False
    text = markdown.one_line(text_of(child(shape, "txBody")))
    known = text in seen
    seen.add(text)
    return known


def _comments(root: Element | None) -> Iterator[str]:
    for each in root.iter("{*}cm", "{*}reply") if root is not None else ():
        text = text_of(child(each, "text")) or _paragraphs(child(each, "txBody"))
        yield f"Comment: {markdown.one_line(text)}" if text.strip() else ""


def _placeholder(shape: Element) -> str:
    """The placeholder type of a shape: "title", "body", …; "" for none."""
    place = child(shape, "nvSpPr", "nvPr", "ph")
    return (attribute(place, "type") or "body") if place is not None else ""


def _shape(
    parts: Parts, shape: Element, related: dict[str, tuple[str, str]], slide: Slide
) -> Iterator[str]:
    tag = tag_of(shape)
    if tag == "sp":
        kind = _placeholder(shape)
        text = _paragraphs(child(shape, "txBody"), slide.behind(shape))
        if kind != "sldNum":
            yield markdown.heading(1, text) if kind in _TITLES else text
    elif tag == "pic":
        yield hide(attribute(child(shape, "nvPicPr", "cNvPr"), "descr") or "")
    elif tag == "graphicFrame":
        yield from _frame(parts, shape, related, slide)
    elif tag in ("AlternateContent", "grpSp", "Choice", "Fallback"):
        for each in shape:
            blocks = _shape(parts, each, related, slide)
            yield from map(hide, blocks) if _is_off(each) else blocks


def _is_off(shape: Element) -> bool:
    """Whether a shape of any kind is switched off."""
    return len(shape) > 0 and attribute(child(shape[0], "cNvPr"), "hidden") in _ON


def _is_unseen(shape: Element, edges: _Edges) -> bool:
    """Whether a shape on a slide is switched off, or stands beside the slide."""
    own = (child(shape, "spPr", "xfrm"), child(shape, "grpSpPr", "xfrm"), child(shape, "xfrm"))
    frame = next((each for each in own if each is not None), None)
    place, size = child(frame, "off"), child(frame, "ext")
    if place is None or size is None:
        return _is_off(shape)
    starts = {axis: signed(attribute(place, axis)) for axis in edges}
    return _is_off(shape) or any(
        starts[axis] + number_of(size, f"c{axis}") < 0 or starts[axis] > edges[axis]
        for axis in edges
    )


def _frame(
    parts: Parts, frame: Element, related: dict[str, tuple[str, str]], slide: Slide
) -> Iterator[str]:
    """The table, chart or diagram in a frame."""
    for each in frame.iter("{*}tbl", "{*}chart", "{*}relIds"):
        if tag_of(each) == "tbl":
            yield table_text(_table(each, slide))
            continue
        name = attribute(each, "dm") or relation_id(each)
        root = parts.xml(related[name][1]) if name in related else None
        if root is not None:
            yield chart_text(root)


def _table(table: Element, slide: Slide) -> list[Row]:
    """The grid of a table; its first row counts as bold where its style makes it a header."""
    headed = attribute(child(table, "tblPr"), "firstRow") in _ON
    rows = [[_cell(cell, slide) for cell in row if _begins(cell)] for row in table.iter("{*}tr")]
    if headed and rows:
        rows[0] = [replace(cell, strong=True) for cell in rows[0]]
    return resolved(map(Source, rows))


def _begins(cell: Element) -> bool:
    """Whether an element is a cell, and none that another one goes over."""
    merged = (attribute(cell, name) in _ON for name in ("hMerge", "vMerge"))
    return tag_of(cell) == "tc" and not any(merged)


def _cell(cell: Element, slide: Slide) -> Cell:
    fill = slide.fill(child(cell, "tcPr", "solidFill")) or UNKNOWN
    text = _paragraphs(child(cell, "txBody"), replace(slide, ground=fill))
    rows, columns = number_of(cell, "rowSpan", 1), number_of(cell, "gridSpan", 1)
    return Cell(text, rows=max(rows, 1), columns=columns)


def _paragraphs(body: Element | None, slide: Slide = UNSAID) -> str:
    """The paragraphs of a shape, a line each; deeper ones as list items."""
    lines = []
    for paragraph in (each for each in inside(body) if tag_of(each) == "p"):
        level = number_of(child(paragraph, "pPr"), "lvl")
        if text := paragraph_text(paragraph, slide):
            lines.append(markdown.item(text, level + 1) if 0 < level < 9 else text)
    return "\n".join(lines)
