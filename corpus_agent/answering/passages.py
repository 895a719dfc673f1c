"""From a checked quotation to the passage that is shown: its neighbours, a row's header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from corpus_agent.answering.records import Citation, Passage, alone
from corpus_agent.text.sentences import Unit, is_item, leads_in, units
from corpus_agent.text.tables import (
    ends_with_figures,
    is_brief,
    is_row,
    names_of_columns,
    tables_of,
    unit_above,
)
from corpus_agent.tools.corpus import Readable
from indexer import Refused

CONTEXT = 400  # characters on either side of a quotation that its neighbours fill at most
BESIDE_ITEM = 240  # the same of an item of a list
LINES_ABOVE, LINES_BELOW = 240, 12  # in which the head of a list or table is looked for
_ENDS = ("head", "page")


def passage_of(
    corpus: Readable, citation: Citation, probability: float | None = None, language: str = ""
) -> Passage:
    """The passage around a citation, read from its document.

    The quotation alone where it does not stand, or its document cannot be read.
    """
    if not citation.quote:
        return alone(citation, probability)
    try:
        before, lines, first = _page(corpus, citation)
    except Refused:  # removed since it was quoted
        return alone(citation, probability)
    text, at = "\n".join(lines), citation.line_start - first
    # A quotation that was widened over an empty line has a blank there.
    words = re.compile(r"\s+".join(map(re.escape, citation.quote.split())))
    found = words.search(text, sum(len(line) + 1 for line in lines[:at]))
    if found is None:  # across a page end
        return alone(citation, probability)
    (start, end), citation = found.span(), replace(citation, quote=found[0])
    row = text[start:end].rpartition("\n")[2]
    if is_row(row) or ends_with_figures(row):
        names = _names_above([*before, *lines], len(before) + at, row)
        shown = "\n".join([*names, text[start:end]])
        return Passage(citation, shown, citation.line_start, citation.line_end, probability)
    is_listed = is_item(text[start:end])
    heads = _heads_above("\n".join([*before, text[:end]])) if is_listed else ()
    start, end = with_neighbours(text, units(text, language), start, end)
    begins, ends = (first + text.count("\n", 0, place) for place in (start, end))
    above = [head for head in heads if head not in text[start:end]]
    return Passage(citation, "\n".join([*above, text[start:end]]), begins, ends, probability)


def _page(corpus: Readable, citation: Citation) -> tuple[list[str], list[str], int]:
    """Lines before the page of a citation, those on it, and the number of the first of them."""
    first = max(1, citation.line_start - LINES_ABOVE)
    count = citation.line_end - first + 1 + LINES_BELOW
    lines = corpus.read(citation.source, first, count).lines
    at, last = citation.line_start - first, citation.line_end - first
    marks = [number for number, line in enumerate(lines) if line.is_mark]
    begin = max((mark + 1 for mark in marks if mark < at), default=0)
    end = min((mark for mark in marks if mark > last), default=len(lines))
    before = [line.text for line in lines[:begin] if not line.is_mark]
    return before, [line.text for line in lines[begin:end]], first + begin


def _names_above(lines: Sequence[str], at: int, row: str) -> Sequence[str]:
    """The lines that say what a row is: names of columns, the unit above them."""
    if is_row(row):
        ruled = [lines[each.header - 1] for each in tables_of(lines) if at + 1 in each.rows]
        return ruled or [*takewhile(is_row, reversed(lines[:at]))][-1:]
    index = names_of_columns([*lines[:at], row])
    if index is not None:
        return lines[unit_above(lines[: index + 1]) : index + 1]
    # No rule marks the names: the line above all rows.
    first = at - len([*takewhile(ends_with_figures, reversed(lines[:at]))])
    return [line for line in lines[max(0, first - 1) : first] if is_brief(line)]


def _heads_above(text: str) -> Sequence[str]:
    """The heads of the lists that the last item of a text stands in, from the outermost."""
    *above, last = units(text)
    found, depth = list[str](), _indent(text, last)
    for unit in reversed(above):
        said, indent = text[unit.start : unit.end], _indent(text, unit)
        if unit.kind in _ENDS:
            break
        if is_item(said):
            if indent < depth or leads_in(said):
                found, depth = [said, *found], min(depth, indent)
        elif leads_in(said) or (
            indent <= depth and (text[: unit.start] or "\n\n").endswith("\n\n")
        ):
            return [said, *found]
    return found


def _indent(text: str, unit: Unit) -> int:
    """The column in which a unit begins; of one behind another on its line a high one."""
    return unit.start - text.rfind("\n", 0, unit.start) - 1


def with_neighbours(text: str, every: Sequence[Unit], start: int, end: int) -> tuple[int, int]:
    """Start and end with the sentences before and after, up to the next heading."""
    before = [unit for unit in every if unit.end <= start and unit.kind != "property"]
    most = BESIDE_ITEM if is_item(text[start:end]) else CONTEXT
    first, last = start, end
    for unit in reversed(before):
        if unit.kind in _ENDS or start - unit.start > most:
            break
        first = unit.start
    for unit in (unit for unit in every if unit.start >= end):
        if unit.kind in _ENDS or unit.end - end > most:
            break
        last = unit.end
    return first, last
