"""From a checked quotation to the passage that is shown: its neighbours, a row's header.

Called by extractive.py and by agent/ for each citation of an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus_agent.answering.records import Citation, Passage, alone
from corpus_agent.text.column_names import (
    MAX_LINES_ABOVE,
    ends_with_figures,
    names_of_columns,
    unit_above,
)
from corpus_agent.text.sentences import Unit, units
from corpus_agent.text.table_rows import is_row, tables_of
from corpus_agent.tools.corpus import Readable
from indexer import Line, Refused

CONTEXT = 240  # characters on either side of a quotation that its neighbours fill
MOST_BESIDE = 400  # characters of the first neighbour, which is shown if it is longer than that
LINES_BELOW = 12


@dataclass(frozen=True)
class _Page:
    """The lines of the page around a quotation; `first` is the number of the first of them."""

    lines: tuple[Line, ...]
    first: int

    def line_of(self, text: str, at: int) -> int:
        return self.first + text.count("\n", 0, at)


def passage_of(
    corpus: Readable, citation: Citation, probability: float | None = None, language: str = ""
) -> Passage:
    """The passage around a citation, read from its document.

    The quotation alone where it does not stand, or its document cannot be read.
    """
    if not citation.quote:
        return alone(citation, probability)
    try:
        page = _page(corpus, citation)
    except Refused:  # removed since it was quoted
        return alone(citation, probability)
    text = "\n".join(line.text for line in page.lines)
    above = sum(len(line.text) + 1 for line in page.lines[: citation.line_start - page.first])
    start = text.find(citation.quote, above)
    if start < 0:  # across a page end
        return alone(citation, probability)
    end = start + len(citation.quote)
    row = text[start:end].rpartition("\n")[2]
    if is_row(row) or ends_with_figures(row):
        lead = _names_above(page, citation.line_start, row)
        shown = "\n".join([*lead, text[start:end]])
        return Passage(citation, shown, citation.line_start, citation.line_end, probability)
    start, end = with_neighbours(text, units(text, language), start, end)
    lines = page.line_of(text, start), page.line_of(text, end)
    return Passage(citation, text[start:end], *lines, probability)


def _page(corpus: Readable, citation: Citation) -> _Page:
    """The lines around a citation that stand on its page."""
    first = max(1, citation.line_start - MAX_LINES_ABOVE)
    count = citation.line_end - first + 1 + LINES_BELOW
    lines = corpus.read(citation.source, first, count).lines
    at, last = citation.line_start - first, citation.line_end - first
    marks = [number for number, line in enumerate(lines) if line.is_mark]
    begin = max((mark + 1 for mark in marks if mark < at), default=0)
    end = min((mark for mark in marks if mark > last), default=len(lines))
    return _Page(lines[begin:end], first + begin)


def _names_above(page: _Page, number: int, row: str) -> list[str]:
    """The lines that say what the figures of a row are: names of columns, the unit above them."""
    at = number - page.first
    if is_row(row):
        tables = tables_of([line.text for line in page.lines])
        return [page.lines[each.header - 1].text for each in tables if at + 1 in each.rows]
    above = [line.text for line in page.lines[:at]]
    index = names_of_columns([*above, row])
    if index is None:
        return []
    return above[unit_above(above[: index + 1]) : index + 1]


def with_neighbours(text: str, every: Sequence[Unit], start: int, end: int) -> tuple[int, int]:
    """Start and end with the sentences before and after, up to the next heading."""
    before = [unit for unit in every if unit.end <= start][::-1]
    after = [unit for unit in every if unit.start >= end]
    first = start
    for unit in before:
        if unit.kind in ("head", "page", "property") or not _is_near(start - unit.start, unit):
            break
        first = unit.start
        if start - first >= CONTEXT:
            break
    last = end
    for unit in after:
        if unit.kind in ("head", "page") or not _is_near(unit.end - end, unit):
            break
        last = unit.end
        if last - end >= CONTEXT:
            break
    return first, last


def _is_near(distance: int, unit: Unit) -> bool:
    """Whether a neighbour fits, at such a distance from the quotation to its far end."""
    return distance <= (MOST_BESIDE if distance - (unit.end - unit.start) < 3 else CONTEXT)
