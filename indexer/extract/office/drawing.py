"""Text in the shapes of PowerPoint slides and Excel sheets (DrawingML), formulas included. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.extract.container import attribute, child, tag_of, text_of
from indexer.extract.hidden import hide
from indexer.extract.office.formula import office_formula
from indexer.extract.office.unseen import UNKNOWN, alike

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


def paragraph_text(paragraph: Element, fill: str = UNKNOWN) -> str:
    """The text of an `a:p` on a background of this colour."""
    return "".join(_runs(paragraph, fill)).strip()


def fill_of(properties: Element | None) -> str:
    """The one colour that a shape is filled with."""
    return _colour(child(properties, "solidFill")) or UNKNOWN


def _runs(element: Element, fill: str) -> Iterator[str]:
    for each in element:
        tag = tag_of(each)
        if tag == "r" and alike(_colour(child(each, "rPr", "solidFill")), fill):
            yield hide("".join(_runs(each, fill)))
        elif tag == "AlternateContent":
            chosen = child(each, "Choice")
            yield from _runs(each if chosen is None else chosen, fill)
        elif tag == "oMath":
            yield office_formula(each)
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
