"""OpenDocument texts and presentations (ODT, ODP) as Markdown.

Deleted text of tracked changes, page headers and footers are left out; notes and comments stand
after the paragraph that they belong to. Spreadsheets are read in `spreadsheets`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from indexer.errors import UnreadableDocument
from indexer.extract import markdown
from indexer.extract.container import (
    Element,
    Parts,
    ZipParts,
    attribute,
    child,
    inside,
    meta_properties,
    number_of,
    refuse_locked,
    tag_of,
    text_of,
)
from indexer.extract.extraction import Extraction, part_lines, plain_lines, words
from indexer.extract.hidden import PAPER, UNKNOWN, Look, hide, joined, shift
from indexer.extract.office.odf_tables import MAX_REPEATED, comment_of, odf_rows
from indexer.extract.tables import Cell, table_text
from indexer.extract.text.formula import formula_text
from indexer.records import Line

_SKIPPED = words("odf", "skipped")
_HIDDEN_PARAGRAPH = "{*}hidden-paragraph"  # a field that hides the paragraph which it stands in


def read_odf(data: bytes) -> Extraction:
    """Its title and lines; raises UnreadableDocument, "encrypted" or "malformed"."""
    parts = ZipParts(data)
    refuse_locked(parts)
    content = parts.xml("content.xml")
    if content is None:
        raise UnreadableDocument("malformed", "no content part")
    own = meta_properties(parts)
    reader = _OdfReader(content, parts)
    body = child(content, "body")
    slides = [*inside(body, "presentation"), *inside(body, "drawing")]
    if slides:
        return Extraction(own.title, reader.slides(slides), notes=reader.notes, own=own)
    lines = plain_lines([reader.text(inside(body))])
    return Extraction(own.title or reader.title, lines, notes=reader.notes, own=own)


class _OdfReader:
    """State of reading a document: the title, and the notes of the current paragraph."""

    def __init__(self, content: Element, parts: Parts) -> None:
        styles = parts.xml("styles.xml")
        roots = [content] if styles is None else [content, styles]
        self._styles = OdfStyles(roots)
        self._numbered = _numbered_lists(roots)
        self._parts = parts
        self._after: list[str] = []
        self._links: list[tuple[str, str]] = []
        self.title: str | None = None
        self.notes: list[str] = []

    def text(self, container: Iterable[Element]) -> str:
        """All text in a body or on a slide, and behind it the links that lead out."""
        self._links = []
        blocks = list(self.blocks(container))
        return markdown.page([*blocks, markdown.links(self._links)])

    def slides(self, container: Iterable[Element]) -> Iterator[Line]:
        """The lines of a presentation."""
        pages = [each for each in container if tag_of(each) == "page"]
        for number, page in enumerate(pages, start=1):
            text = self.text(page)
            shown = hide(text) if self._hides(page) else text
            yield from part_lines("Slide", number, [shown], page=number)

    def blocks(self, container: Iterable[Element], depth: int = 0) -> Iterator[str]:
        """The blocks of a body, a cell, a text box or a note; `depth` is that of lists."""
        for element in container:
            tag = tag_of(element)
            if tag in _SKIPPED:
                continue
            if self._hides(element):
                yield hide(markdown.page(self._blocks([element], depth)))
            else:
                yield from self._blocks([element], depth)

    def _hides(self, element: Element) -> bool:
        """Whether a paragraph, section, row, slide, frame or run is not shown."""
        if attribute(element, "display") == "none" or attribute(element, "is-hidden") == "true":
            return True
        if attribute(element, "visibility") in ("collapse", "filter"):
            return True
        fields = element.iter(_HIDDEN_PARAGRAPH) if tag_of(element) in ("p", "h") else ()
        if any(attribute(each, "is-hidden") == "true" for each in fields):
            return True
        places = (_points(attribute(element, axis) or "") or 0.0 for axis in ("x", "y"))
        return min(places) < -_FAR or self._styles.look(element).hides

    def _blocks(self, container: Iterable[Element], depth: int) -> Iterator[str]:
        for element in container:
            tag = tag_of(element)
            if tag in ("p", "h"):
                yield from self._paragraph(element, tag)
            elif tag == "list":
                yield from self._list(element, depth + 1, "")
            elif tag == "table":
                yield table_text(odf_rows(element, self._cell, self.notes))
            elif tag == "notes":
                notes = markdown.page(self.blocks(element))
                yield f"Notes: {notes}" if notes else ""
            elif tag == "frame":
                yield from self._frame(element)
            elif tag == "annotation":
                yield comment_of(element)
            else:
                yield from self.blocks(element, depth)

    def _cell(self, element: Element, row: Element) -> Cell:
        blocks = [block for block in self.blocks(element) if block.strip()]
        text = markdown.page(blocks)
        text = hide(text) if self._hides(row) else text
        return Cell(text, prose=len(blocks) > 1)

    def _paragraph(self, element: Element, tag: str) -> Iterator[str]:
        outer, self._after = self._after, []
        look = self._styles.look(element)
        text = joined([look.marked("".join(self._inline(element)))]).strip()
        after, self._after = self._after, outer
        if tag == "h":
            yield markdown.heading(number_of(element, "outline-level", 1), text)
        elif (attribute(element, "style-name") or "") == "Title":
            self.title = self.title or markdown.one_line(text) or None
            yield markdown.heading(1, text)
        else:
            yield text
        yield from after

    def _list(self, element: Element, depth: int, style: str) -> Iterator[str]:
        style = attribute(element, "style-name") or style
        count = 0
        for each in element:
            tag = tag_of(each)
            if tag not in ("list-item", "list-header"):
                continue
            count += tag == "list-item"
            label = f"{count}." if (style, str(depth)) in self._numbered else "-"
            for part in each:
                if tag_of(part) == "list":
                    yield from self._list(part, depth + 1, style)
                    continue
                for block in self.blocks([part], depth):
                    # Later paragraphs of an item stand for themselves; headings are no items.
                    plain = label and block.strip() and tag_of(part) != "h"
                    yield markdown.item(block, depth, label) if plain else block
                    label = "" if plain else label

    def _frame(self, element: Element) -> Iterator[str]:
        """The content of a frame: a text box, table or chart; for a picture its description."""
        if (attribute(element, "class") or "") in ("title", "page-number"):
            text = markdown.one_line(text_of(element))
            yield markdown.heading(1, text) if attribute(element, "class") == "title" else ""
            return
        drawn = [each for each in element if tag_of(each) not in ("image", "title", "desc")]
        for each in drawn:
            if tag_of(each) == "object":
                yield from self._object(attribute(each, "href") or "")
        yield from self.blocks(drawn)
        yield from (hide(text_of(child(element, name))) for name in ("title", "desc"))

    def _object(self, name: str) -> Iterator[str]:
        """The words and figures of a chart, or the formula, that is kept in a folder of its own."""
        if not name.startswith("./"):
            return
        root = self._parts.xml(f"{name[2:]}/content.xml")
        if root is not None and tag_of(root) == "math":
            yield formula_text(root)
        yield from self.blocks(inside(root, "body", "chart"))

    def _inline(self, element: Element) -> Iterator[str]:
        yield element.text or ""
        for part in element:
            tag = tag_of(part)
            if tag == "s":
                yield " " * min(number_of(part, "c", 1), MAX_REPEATED)
            elif tag in ("tab", "line-break"):
                yield "\t" if tag == "tab" else "\n"
            elif tag == "a":
                text = "".join(self._inline(part))
                self._links.append((joined([text]), attribute(part, "href") or ""))
                yield text
            elif tag == "note":
                note = markdown.one_line(" ".join(self.blocks(inside(part, "note-body"))))
                kind = (attribute(part, "note-class") or "note").capitalize()
                self._after.append(f"{kind}: {note}" if note else "")
            elif tag == "annotation":
                self._after.append(comment_of(part))
            elif tag == "frame" or tag in ("p", "list", "table"):
                self._after.extend(self.blocks([part]))
            elif tag not in _SKIPPED and tag != "ruby-text":
                text = "".join(self._inline(part))
                yield hide(text) if self._hides(part) else self._styles.look(part).marked(text)
            yield part.tail or ""


def _numbered_lists(roots: Sequence[Element]) -> frozenset[tuple[str, str]]:
    """(list style, level) of the lists whose items have numbers."""
    return frozenset(
        (attribute(style, "name") or "", attribute(level, "level") or "")
        for root in roots
        for style in root.iter("{*}list-style")
        for level in style
        if tag_of(level) == "list-level-style-number" and attribute(level, "num-format")
    )


# --- What is there and not shown, by its style and its place --------------------------------------

_LENGTH = re.compile(r"(-?\d+(?:\.\d+)?)(cm|mm|in|pt|px|%)")
_POINTS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "px": 0.75, "%": 0.01}
_HEIGHTS = {"super": 1.0, "sub": -1.0}
_FAR = 1_200.0  # points to the left of a page or above it, further than any is wide


class OdfStyles:
    """The styles of a document, with those that they are derived from."""

    def __init__(self, roots: Sequence[Element]) -> None:
        every = (style for root in roots for style in root.iter("{*}style", "{*}default-style"))
        self._elements = {attribute(style, "name") or "": style for style in every}
        self._given: dict[str, dict[str, Any]] = {}
        pages = (page for root in roots for page in root.iter("{*}page-layout-properties"))
        coloured = any(_colour(page, "background-color") not in ("", PAPER) for page in pages)
        slides = any(True for root in roots for _ in root.iter("{*}presentation"))
        self._paper = UNKNOWN if coloured or slides else PAPER

    def look(self, element: Element) -> Look:
        """How the style of a paragraph, section, slide or run lets its text look."""
        given = dict(self._of(attribute(element, "style-name") or ""))
        if not given:
            return Look()
        if "ground" not in given:
            above = (self._of(attribute(e, "style-name") or "") for e in element.iterancestors())
            given["ground"] = next((e["ground"] for e in above if "ground" in e), self._paper)
        return Look(**given)

    def _of(self, name: str) -> dict[str, Any]:
        """What a style says, its parents included."""
        if name not in self._given:
            self._given[name] = {}  # of a style that is its own parent
            style = self._elements.get(name) if name else None
            if style is not None:
                self._given[name] = self._of(attribute(style, "parent-style-name") or "") | {
                    key: value for each in style for key, value in _said(each).items()
                }
        return self._given[name]


def _said(properties: Element) -> dict[str, Any]:
    """What the properties of text, of a paragraph, a cell or a slide say."""
    given: dict[str, Any] = {}
    if attribute(properties, "display") == "none" or (
        attribute(properties, "visibility") == "hidden"
    ):
        given["opacity"] = 0.0
    if tag_of(properties) == "graphic-properties":
        return {"ground": UNKNOWN}
    if ground := _colour(properties, "background-color"):
        given["ground"] = ground
    if tag_of(properties) == "text-properties":
        if colour := _colour(properties, "color"):
            given["colour"] = colour
        if line := attribute(properties, "text-line-through-style"):
            given["struck"] = line != "none"
        size, width = attribute(properties, "font-size") or "", attribute(properties, "text-scale")
        if height := (attribute(properties, "text-position") or "").split(" ")[0]:
            given["shift"] = shift(_HEIGHTS.get(height, _points(height) or 0.0))
        if (points := _points(size)) is not None and "%" not in size:
            given["points"] = points
        if (share := _points(width or "")) is not None:
            given["width"] = share
    return given


def _colour(element: Element, name: str) -> str:
    value = attribute(element, name) or ""
    return value[1:].lower() if value.startswith("#") else ""


def _points(value: str) -> float | None:
    found = _LENGTH.fullmatch(value)
    return float(found[1]) * _POINTS[found[2]] if found else None
