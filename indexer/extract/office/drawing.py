"""Text in the shapes, charts and diagrams of Office documents (DrawingML). Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.extract import markdown
from indexer.extract.container import Parts, attribute, child, inside, relations, tag_of, text_of
from indexer.extract.hidden import UNKNOWN, alike, hide
from indexer.extract.office.formula import formula_text
from indexer.extract.tables.grid import simple
from indexer.extract.tables.rows import table_text

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


def paragraph_text(paragraph: Element, fill: str = UNKNOWN) -> str:
    """The text of an `a:p` on a background of this colour."""
    return "".join(_runs(paragraph, fill)).strip()


def fill_of(shape: Element, background: str) -> str:
    """The one colour behind the text of a shape: its own, or that of the slide."""
    if not _is_filled(shape):
        # Placeholders and shapes of a style take their fill from elsewhere.
        placed = child(shape, "nvSpPr", "nvPr", "ph") is not None
        return UNKNOWN if placed or child(shape, "style") is not None else background
    return _colour(child(shape, "spPr", "solidFill")) or UNKNOWN


def _is_filled(shape: Element) -> bool:
    return any(tag_of(each) in _FILLS for each in inside(shape, "spPr"))


_FILLS = frozenset({"solidFill", "gradFill", "blipFill", "pattFill", "grpFill"})


def background_of(parts: Parts, slide: str) -> str:
    """The one colour of a slide, if nothing but text without a fill stands on it.

    Not looked for where no text has a colour of its own.
    """
    name, related = slide, relations(parts, slide)
    found = ""
    root = parts.xml(slide)
    runs = root.iter("{*}rPr") if root is not None else ()
    if not any(_colour(child(each, "solidFill")) for each in runs):
        return UNKNOWN
    for above in ("slideLayout", "slideMaster", "theme"):
        root = parts.xml(name)
        if root is None or any(_covers(each) for each in root.iter()):
            return UNKNOWN
        background = child(root, "cSld", "bg")
        if background is not None and not found:
            found = _of_background(background)
        if above == "theme":
            return _of_theme(parts, root, related, found)
        name = next((part for kind, part in related.values() if kind == above), "")
        related = relations(parts, name) if name else {}
    return UNKNOWN


def _covers(element: Element) -> bool:
    """Whether something is drawn that text may stand on."""
    if tag_of(element) in ("pic", "graphicFrame", "cxnSp"):
        return True
    is_shape = tag_of(element) == "sp"
    return is_shape and (_is_filled(element) or child(element, "style") is not None)


def _of_background(background: Element) -> str:
    """A colour, or the name of one of the theme."""
    properties = child(background, "bgPr")
    if properties is not None:
        return _colour(child(properties, "solidFill")) or UNKNOWN
    reference = child(background, "bgRef")
    scheme = child(reference, "schemeClr")
    plain = scheme is not None and not len(scheme) and attribute(reference, "idx") == "1001"
    return (attribute(scheme, "val") if plain else None) or UNKNOWN


def _of_theme(parts: Parts, master: Element, related: dict[str, tuple[str, str]], name: str) -> str:
    """The colour that a theme gives to a name; a colour as it is."""
    name = attribute(child(master, "clrMap"), name) or name
    theme = next((part for kind, part in related.values() if kind == "theme"), "")
    colours = inside(parts.xml(theme) if theme else None, "themeElements", "clrScheme", name)
    if not len(colours):
        return name or UNKNOWN
    return attribute(colours[0], "lastClr") or attribute(colours[0], "val") or UNKNOWN


def _runs(element: Element, fill: str) -> Iterator[str]:
    for each in element:
        tag = tag_of(each)
        if tag == "r" and alike(_colour(child(each, "rPr", "solidFill")), fill):
            yield hide("".join(_runs(each, fill)))
        elif tag == "AlternateContent":
            chosen = child(each, "Choice")
            yield from _runs(each if chosen is None else chosen, fill)
        elif tag == "oMath":
            yield formula_text(each)
        elif tag in _SIMPLE:
            yield _SIMPLE[tag] or text_of(each)
        else:
            yield from _runs(each, fill)


_SIMPLE = {"t": "", "br": "\n", "tab": "\t"}


def _colour(fill: Element | None) -> str:
    """The colour of a `solidFill` that is given as such; "" for those of a theme."""
    given = child(fill, "srgbClr")
    if given is None or len(given):  # made lighter, darker or transparent
        return ""
    return attribute(given, "val") or ""


# --- Charts and diagrams --------------------------------------------------------------------------


def chart_titles(root: Element) -> str:
    """The words of a chart alone, where its figures are those of cells beside it."""
    return markdown.one_line(" ".join(text_of(each) for each in root.iter() if tag_of(each) == "t"))


def chart_text(root: Element) -> str:
    """The words of a chart: its titles, then a table of its series; of a diagram, all its words."""
    columns: list[tuple[str, list[str], list[str]]] = []
    for each in root.iter("{*}ser"):
        name = markdown.one_line(" ".join(_values(child(each, "tx"))))
        categories = _values(child(each, "cat")) or _values(child(each, "xVal"))
        columns.append(
            (name, categories, _values(child(each, "val")) or _values(child(each, "yVal")))
        )
    blocks = [chart_titles(root)]
    if columns:
        rows = [["", *(name for name, _, _ in columns)]]
        for index, category in enumerate(columns[0][1]):
            rows.append([category, *(c[2][index] if index < len(c[2]) else "" for c in columns)])
        blocks.append(table_text(simple(rows, headed=True), data=True))
    return markdown.page(blocks)


def _values(element: Element | None) -> list[str]:
    every = element.iter("{*}v") if element is not None else ()
    return [text_of(each).strip() for each in every]
