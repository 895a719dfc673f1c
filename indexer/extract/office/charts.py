"""The words and figures of charts and diagrams in Office documents. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.extract import markdown
from indexer.extract.container import child, tag_of, text_of
from indexer.extract.tables.grid import simple
from indexer.extract.tables.rows import table_text

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


def chart_titles(root: Element) -> str:
    """The words of a chart alone, where its figures are those of cells beside it."""
    return markdown.one_line(" ".join(text_of(each) for each in root.iter() if tag_of(each) == "t"))


def chart_text(root: Element) -> str:
    """The words of a chart: its titles, then a table of its series; of a diagram, all its words."""
    series = [each for each in root.iter() if tag_of(each) == "ser"]
    columns: list[tuple[str, list[str], list[str]]] = []
    for each in series:
        name = markdown.one_line(" ".join(_values(child(each, "tx"))))
        categories = child(each, "cat")
        values = child(each, "val")
        columns.append(
            (
                name,
                _values(child(each, "xVal") if categories is None else categories),
                _values(child(each, "yVal") if values is None else values),
            )
        )
    blocks = [chart_titles(root)]
    if columns:
        rows = [["", *(name for name, _, _ in columns)]]
        for index, category in enumerate(columns[0][1]):
            rows.append([category, *(c[2][index] if index < len(c[2]) else "" for c in columns)])
        blocks.append(table_text(simple(rows, headed=True), data=True))
    return markdown.page(blocks)


def _values(element: Element | None) -> list[str]:
    if element is None:
        return []
    return [text_of(each).strip() for each in element.iter() if tag_of(each) == "v"]
