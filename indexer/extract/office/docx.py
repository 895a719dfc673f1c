"""Word documents (DOCX, and Word's XML forms) as Markdown.

Reads what is visible on the page: accepted text (no tracked deletions), numbers of lists and
headings, tables, text boxes, formulas; notes and comments stand after the paragraph that they
belong to. Text that the page does not show is marked as hidden. Page headers and footers are left
out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
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
    is_on,
    main_part,
    number_of,
    relations,
    setting,
    tag_of,
    text_of,
)
from indexer.extract.extraction import Extraction, plain_lines, words
from indexer.extract.hidden import hide, joined, shown
from indexer.extract.office.drawing import chart_text
from indexer.extract.office.word_styles import (
    Ground,
    Numbering,
    Place,
    WordStyles,
    box_ground,
    level_of,
)
from indexer.extract.tables import Cell, Placed, Row, table_text
from indexer.extract.text.formula import formula_text

_SKIPPED = words("word", "skipped")
_DELETED = frozenset({"del", "moveFrom", "delText"})


def read_docx(data: bytes) -> Extraction:
    """Its title and text; raises UnreadableDocument."""
    parts = ZipParts(data)
    return _extraction(parts, main_part(parts, "word/document.xml"), everything=False)


def read_word_xml(root: Element) -> Extraction:
    """Word's XML forms, of 2003 or a package in one file: all of their text.

    Such files are made for programs and kept for their content, so nothing is omitted.
    """
    parts = _FlatParts(root)
    return _extraction(parts, main_part(parts, _ALONE), everything=True)


def _extraction(parts: Parts, main: str, everything: bool) -> Extraction:
    """With `everything` also deleted text, page headers and footers."""
    root = parts.xml(main)
    if root is None:
        raise UnreadableDocument("malformed", "no document part")
    body = child(root, "body")
    reader = _DocxReader(parts, main, root, everything)
    blocks = list(reader.blocks(root if body is None else body))
    if everything:
        blocks += reader.margins()
    blocks.append(markdown.links(reader.links))
    own = core_properties(parts)
    return Extraction(own.title or reader.title, plain_lines([markdown.page(blocks)]), own=own)


_ALONE = "document.xml"


class _FlatParts:
    """The parts of a package in one XML file; a document of 2003 is its only part."""

    def __init__(self, root: Element) -> None:
        self._parts = {_ALONE: root} if tag_of(root) != "package" else {}
        for part in root if tag_of(root) == "package" else ():
            for data in inside(part, "xmlData"):
                self._parts.setdefault((attribute(part, "name") or "").lstrip("/"), data)

    def xml(self, name: str) -> Element | None:
        """The root of a part; None where there is none of that name."""
        return self._parts.get(name.lstrip("/"))


class _DocxReader:
    """One document: its styles, numbering and notes, and the counts of its lists so far."""

    def __init__(self, parts: Parts, main: str, root: Element, everything: bool) -> None:
        self._skipped = _SKIPPED - _DELETED - {"sectPr"} if everything else _SKIPPED
        self._parts = parts
        self._related = relations(parts, main)
        named = dict(self._related.values())
        styles = parts.xml(named.get("styles", "word/styles.xml"))
        self._styles = WordStyles(styles, root)
        self._ground = self._styles.paper
        self._numbering = Numbering(parts.xml(named.get("numbering", "word/numbering.xml")))
        self._notes = {
            kind: _notes(parts.xml(named.get(f"{kind}s", f"word/{kind}s.xml")), kind)
            for kind in ("footnote", "endnote", "comment")
        }
        self._addresses = addresses(parts, main)
        self.links: list[tuple[str, str]] = []  # (text, address) of those met so far
        self.title: str | None = None

    def blocks(self, container: Iterable[Element]) -> Iterator[str]:
        """The blocks of a body, a cell, a text box or a note."""
        for element in container:
            tag = tag_of(element)
            if tag == "p":
                yield from self._paragraph(element)
            elif tag == "tbl":
                yield self._table(element)
            elif tag not in self._skipped:
                yield from self.blocks(element)

    def _paragraph(self, paragraph: Element) -> Iterator[str]:
        said, after = list[str](), list[str]()
        properties = child(paragraph, "pPr")
        outer, self._ground = self._ground, self._styles.paragraph(self._ground, properties)
        self._inline(paragraph, said, after)
        self._ground = outer
        text = joined(said).strip()
        if text:
            yield self._styled(text, properties)
        yield from after

    def _styled(self, text: str, properties: Element | None) -> str:
        """A paragraph as heading, list item or plain text, with its number."""
        style = self._styles.of(setting(properties, "pStyle"))
        own = child(properties, "outlineLvl")
        level = style.get("level") if own is None else level_of(own)
        place = Place.of(child(properties, "numPr"), style.get("place"))
        label = self._numbering.label(place) if place else None
        if style.get("title"):
            self.title = self.title or markdown.one_line(text)
            return markdown.heading(1, text)
        if level is not None:
            numbered = f"{label} {text}" if label and label != "-" else text
            return markdown.heading(level, numbered)
        if place and label:
            return markdown.item(text, place.level + 1, label)
        return text

    def _inline(self, element: Element, said: list[str], after: list[str]) -> None:
        """Add the text of a paragraph, and what is anchored in it: boxes, notes."""
        for part in element:
            tag = tag_of(part)
            if tag in self._skipped:
                continue
            if tag in _SIMPLE:
                said.append(_SIMPLE[tag](part))
                continue
            hanging = self._hanging(tag, part)
            if hanging is not None:
                after.extend(block for block in hanging if block)
                continue
            if tag == "oMath":
                said.append(formula_text(part))
                continue
            start, hanging_start = len(said), len(after)
            self._inline(part, said, after)
            if tag == "r":
                mark = self._styles.marking(child(part, "rPr"), self._ground)
                said[start:] = [mark("".join(said[start:]))]
                after[hanging_start:] = (joined([mark(each)]) for each in after[hanging_start:])
            if tag == "hyperlink":
                address = self._addresses.get(attribute(part, "id") or "", "")
                self.links.append((shown(joined(said[start:])), address))
            if tag == "docPr":
                after.append(hide(attribute(part, "descr") or ""))

    def _hanging(self, tag: str, part: Element) -> Iterable[str] | None:
        """The blocks of an element anchored in a paragraph; None for the paragraph's own text."""
        if tag in ("footnoteReference", "endnoteReference", "commentReference"):
            return self._note(tag.removesuffix("Reference"), part)
        if tag in ("footnote", "endnote", "hdr", "ftr"):  # Word 2003 keeps them in place
            return [f"{_PLACES[tag]}: {text}" for text in self._flat(part)]
        if tag == "annotation" and (attribute(part, "type") or "").endswith("Comment"):
            return [f"Comment: {text}" for text in self._flat(part)]
        if tag in ("chart", "relIds"):
            return self._drawing(part)
        if tag == "txbxContent":
            return self._on(box_ground(part), part)
        return self.blocks([part]) if tag in ("p", "tbl") else None

    def _on(self, ground: Ground, container: Element) -> list[str]:
        """The blocks of a box or cell on its own ground."""
        outer, self._ground = self._ground, ground
        blocks = list(self.blocks(container))
        self._ground = outer
        return blocks

    def _table(self, table: Element) -> str:
        ground = self._ground.inside(child(table, "tblPr"))

        def cell(element: Element) -> list[str]:
            return self._on(ground.inside(child(element, "tcPr")), element)

        return table_text(list(word_rows(table, cell, self._skipped)))

    def _flat(self, container: Element) -> list[str]:
        """All text in a note on one line; nothing where there is none."""
        return list(filter(None, [markdown.one_line(" ".join(self.blocks(container)))]))

    def margins(self) -> Iterator[str]:
        """Page headers and footers, and the prompts of fields."""
        for kind, name in self._related.values():
            root = self._parts.xml(name) if kind in _MARGINS else None
            if root is not None:
                yield from (f"{_MARGINS[kind]}: {text}" for text in self._flat(root))

    def _note(self, kind: str, reference: Element) -> Iterator[str]:
        note = self._notes[kind].pop(attribute(reference, "id") or "", None)
        if note is None:
            return
        author = attribute(note, "author") if kind == "comment" else None
        for text in self._flat(note):
            yield f"{kind.capitalize()}{f' ({author})' if author else ''}: {text}"

    def _drawing(self, reference: Element) -> Iterator[str]:
        """The text of a chart or diagram, which is in a part of its own."""
        name = attribute(reference, "dm") or attribute(reference, "id") or ""
        target = self._related.get(name, ("", ""))[1]
        root = self._parts.xml(target) if target else None
        if root is not None:
            yield chart_text(root)


_PLACES = {"footnote": "Footnote", "endnote": "Endnote", "hdr": "Header", "ftr": "Footer"}
_MARGINS = {"header": "Header", "footer": "Footer", "glossaryDocument": "Prompts"}


_BOXES = {0xF0A8: "[ ]", 0xF06F: "[ ]", 0xF071: "[ ]", 0xF0FD: "[x]", 0xF0FE: "[x]"}


def _symbol(element: Element) -> str:
    """A character of a symbol font: its own code point, unless that is private to the font."""
    code = int(attribute(element, "char") or "0", 16)
    if code in _BOXES and (attribute(element, "font") or "").startswith("Wingdings"):
        return _BOXES[code]
    return "" if code < 0x20 or 0xD800 <= code <= 0xF8FF or code > 0x10FFFF else chr(code)


def _is_ticked(box: Element) -> bool:
    ticked = child(box, "checked")
    return is_on(child(box, "default") if ticked is None else ticked)


_SIMPLE: dict[str, Callable[[Element], str]] = {
    **dict.fromkeys(("t", "delText"), text_of),
    **dict.fromkeys(("tab", "ptab"), lambda _: "\t"),
    **dict.fromkeys(("br", "cr"), lambda _: "\n"),
    "noBreakHyphen": lambda _: "\u2011",
    "softHyphen": lambda _: "",
    "checkBox": lambda box: f"[{'x' if _is_ticked(box) else ' '}] ",
    "sym": _symbol,
}


def _notes(root: Element | None, kind: str) -> dict[str, Element]:
    """Notes by their id, without the separators that Word keeps among them."""
    return {
        attribute(note, "id") or "": note
        for note in inside(root)
        if tag_of(note) == kind and attribute(note, "type") in (None, "normal")
    }


# --- Tables: spans, cells merged downwards, rows that begin further right (ECMA-376-1, 17.4) ------

MAX_SPAN = 64  # columns of a merged cell: Word's own limit is 63
Blocks = Callable[["Element"], Iterable[str]]


def word_rows(table: Element, blocks: Blocks, skipped: Collection[str]) -> Iterator[Row]:
    """The rows of a table, without deleted ones; `blocks` gives the blocks of a cell."""
    above: dict[int, Cell] = {}  # the cell that begins at a column of the row above
    for row in _found(table, "tr", skipped):
        properties = child(row, "trPr")
        if child(properties, "del") is not None:
            continue
        placed = list(
            _placed(_found(row, "tc", skipped), _count(properties, "gridBefore"), above, blocks)
        )
        if is_on(child(properties, "hidden")):
            placed = [replace(p, cell=replace(p.cell, text=hide(p.cell.text))) for p in placed]
        above = {each.first: each.cell for each in placed}
        yield Row(tuple(placed), is_on(child(properties, "tblHeader")))


def _found(container: Element, wanted: str, skipped: Collection[str]) -> Iterator[Element]:
    """The rows of a table or the cells of a row, also of those in content controls."""
    for element in container:
        tag = tag_of(element)
        if tag == wanted:
            yield element
        elif tag not in skipped:
            yield from _found(element, wanted, skipped)


def _placed(
    cells: Iterable[Element], column: int, above: dict[int, Cell], blocks: Blocks
) -> Iterator[Placed]:
    for element in cells:
        properties = child(element, "tcPr")
        merged = child(properties, "vMerge")
        again = merged is not None and attribute(merged, "val") in (None, "continue")
        last = column + max(1, _count(properties, "gridSpan"))
        if again and column in above:
            yield Placed(column, last, above[column], True)
        else:
            said = [block for block in blocks(element) if block.strip()]
            cell = Cell(markdown.page(said), strong=_is_bold(element), prose=len(said) > 1)
            yield Placed(column, last, cell)
        column = last


def _count(properties: Element | None, name: str) -> int:
    return min(number_of(child(properties, name), "val"), MAX_SPAN)


def _is_bold(cell: Element) -> bool:
    """Whether all text of a cell is in bold by its own properties."""
    runs = [run for run in cell.iter("{*}r") if text_of(run).strip()]
    return bool(runs) and all(is_on(child(run, "rPr", "b")) for run in runs)
