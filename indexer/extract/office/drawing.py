"""Text in the shapes, charts and diagrams of Office documents (DrawingML). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from indexer.extract import markdown
from indexer.extract.container import (
    Element,
    Parts,
    attribute,
    child,
    inside,
    number_of,
    relations,
    signed,
    tag_of,
    text_of,
)
from indexer.extract.hidden import UNKNOWN, Look, joined, shift
from indexer.extract.tables import simple, table_text
from indexer.extract.text.formula import formula_text


@dataclass(frozen=True, slots=True)
class Slide:
    """What the text of a slide stands on: one colour, and the theme's colours by their names."""

    ground: str = UNKNOWN
    colours: Mapping[str, str] = field(default_factory=dict)

    def fill(self, element: Element | None) -> str:
        """The one colour of a `solidFill`; "" for none, and for one made lighter or darker."""
        given, named = child(element, "srgbClr"), child(element, "schemeClr")
        if given is not None and not len(given):
            return attribute(given, "val") or ""
        plain = named is not None and not len(named)
        return self.colours.get(attribute(named, "val") or "", "") if plain else ""

    def behind(self, shape: Element) -> Slide:
        """What the text of a shape stands on: its own colour, or that of the slide."""
        if _is_filled(shape):
            return replace(self, ground=self.fill(child(shape, "spPr", "solidFill")) or UNKNOWN)
        # Placeholders and shapes of a style take their fill from elsewhere.
        placed = child(shape, "nvSpPr", "nvPr", "ph") is not None
        return UNSAID if placed or child(shape, "style") is not None else self

    def look(self, properties: Element | None) -> Look:
        """How a run with these properties looks."""
        filled = child(properties, "solidFill")
        alpha = next(filled.iter("{*}alpha"), None) if filled is not None else None
        unfilled = child(properties, "noFill") is not None and child(properties, "ln") is None
        return Look(
            self.fill(filled),
            self.ground,
            number_of(properties, "sz", 1000) / 100,
            opacity=0.0 if unfilled else number_of(alpha, "val", 100_000) / 100_000,
            struck=attribute(properties, "strike") in ("sngStrike", "dblStrike"),
            shift=shift(signed(attribute(properties, "baseline"))),
        )


UNSAID = Slide()


def slide_of(parts: Parts, name: str) -> Slide:
    """What a slide is, if nothing but text without a fill stands on it.

    Its theme is not looked for where no text has a colour of its own.
    """
    root = parts.xml(name)
    runs = root.iter("{*}rPr") if root is not None else ()
    if all(child(each, "solidFill") is None for each in runs):
        return UNSAID
    background, covered, related = None, False, relations(parts, name)
    for above in ("slideLayout", "slideMaster", "theme"):
        covered = covered or root is None or any(map(_covers, root.iter()))
        background = child(root, "cSld", "bg") if background is None else background
        if above == "theme":
            break
        name = next((part for kind, part in related.values() if kind == above), "")
        root, related = (parts.xml(name), relations(parts, name)) if name else (None, {})
    theme = next((part for kind, part in related.values() if kind == "theme"), "")
    slide = Slide(UNKNOWN, _colours(parts.xml(theme) if theme else None, child(root, "clrMap")))
    return slide if covered else replace(slide, ground=_ground(slide, background))


def _colours(theme: Element | None, names: Element | None) -> dict[str, str]:
    """The colours of a theme, also by the names that a master gives them."""
    scheme = inside(theme, "themeElements", "clrScheme")
    found = {tag_of(each): each[0] for each in scheme if len(each)}
    own = {n: attribute(e, "lastClr") or attribute(e, "val") or "" for n, e in found.items()}
    given = names.attrib.items() if names is not None else ()
    return own | {str(name): own.get(str(value), "") for name, value in given}


def _ground(slide: Slide, background: Element | None) -> str:
    reference = child(background, "bgRef")
    if reference is None:
        return slide.fill(child(background, "bgPr", "solidFill")) or UNKNOWN
    plain = attribute(reference, "idx") == "1001"
    return (slide.fill(reference) if plain else "") or UNKNOWN


_FILLS = frozenset({"solidFill", "gradFill", "blipFill", "pattFill", "grpFill"})


def _is_filled(shape: Element) -> bool:
    return any(tag_of(each) in _FILLS for each in inside(shape, "spPr"))


def _covers(element: Element) -> bool:
    """Whether something is drawn that text may stand on."""
    if tag_of(element) in ("pic", "graphicFrame", "cxnSp"):
        return True
    is_shape = tag_of(element) == "sp"
    return is_shape and (_is_filled(element) or child(element, "style") is not None)


def paragraph_text(paragraph: Element, slide: Slide = UNSAID) -> str:
    """The text of an `a:p` on a slide."""
    return joined(_runs(paragraph, slide)).strip()


def _runs(element: Element, slide: Slide) -> Iterator[str]:
    for each in element:
        tag = tag_of(each)
        if tag == "r":
            yield slide.look(child(each, "rPr")).marked("".join(_runs(each, slide)))
        elif tag == "oMath":
            yield formula_text(each)
        elif tag in _SIMPLE:
            yield _SIMPLE[tag] or text_of(each)
        else:
            yield from _runs(each, slide)


_SIMPLE = {"t": "", "br": "\n", "tab": "\t"}


# --- Charts and diagrams --------------------------------------------------------------------------


def chart_text(root: Element) -> str:
    """The words of a chart: its titles, then a table of its series; of a diagram, all its words."""
    columns: list[tuple[str, list[str], list[str]]] = []
    for each in root.iter("{*}ser"):
        name = markdown.one_line(" ".join(_values(child(each, "tx"))))
        categories = _values(child(each, "cat")) or _values(child(each, "xVal"))
        columns.append(
            (name, categories, _values(child(each, "val")) or _values(child(each, "yVal")))
        )
    titles = (text_of(each) for each in root.iter() if tag_of(each) == "t")
    blocks = [markdown.one_line(" ".join(titles))]
    if columns:
        rows = [["", *(name for name, _, _ in columns)]]
        for index, category in enumerate(columns[0][1]):
            rows.append([category, *(c[2][index] if index < len(c[2]) else "" for c in columns)])
        blocks.append(table_text(simple(rows, headed=True), data=True))
    return markdown.page(blocks)


def _values(element: Element | None) -> list[str]:
    every = element.iter("{*}v") if element is not None else ()
    return [text_of(each).strip() for each in every]
