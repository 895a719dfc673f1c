"""Renders tables, lists and timelines: lines for a terminal, JSON and CSV.

All text is from documents: it is cleaned here, and nothing in it is mark-up, a link or a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, get_args

from corpus_agent.fields.condition import ListVerdict
from corpus_agent.fields.lexicon import not_understood
from corpus_agent.fields.table import CellStatus
from corpus_agent.render.answers import citation_object
from corpus_agent.render.common import (
    advised,
    as_object,
    cited_place,
    in_answer,
    left_out,
    place_of,
    plain,
    taken,
)
from corpus_agent.render.index import plain_reason
from corpus_agent.text.naming import called
from corpus_agent.text.sanitize import enclosed, inert, one_line
from corpus_agent.text.wording import number_of

if TYPE_CHECKING:
    from corpus_agent.fields.condition import ListedDocuments
    from corpus_agent.fields.table import Cell, DocumentRow, FieldTable, FieldValue
    from corpus_agent.render.common import Object

_DURATION = re.compile(r"P(T?)(\d{1,6})([BDHMWY])")
_UNITS = {"Y": "year", "M": "month", "W": "week", "D": "day", "B": "business day"}
_UNITS |= {"TH": "hour", "TM": "minute"}
_NARROWEST = 12  # characters of a column
_TALLEST = 8  # lines of a cell
_NAME = 0.3  # of the width, for the names of documents
_GAP = "  "
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # computed (OWASP)
# A spreadsheet of a country that writes 1,5 begins a cell behind each of these, quoted or not.
_SEPARATED = re.compile(r"([;\t])(?=[\"']*[=+\-@＝＋－＠])")
_BOM = "\ufeff"  # without it a spreadsheet takes UTF-8 for something else


def table_object(table: FieldTable) -> Object:
    """The JSON of `table`."""
    columns = [
        {
            **taken(field, "name type"),
            "documents": {state: table.count(column, state) for state in get_args(CellStatus)},
        }
        for column, field in enumerate(table.fields)
    ]
    return as_object(
        fields=columns,
        rows=[_row_object(row) for row in table.rows],
        looked_at=len(table.rows),
        **taken(table, "version unreadable changed unverified"),
        notices=plain((*table.notices, *not_understood(table))),
    )


def _row_object(row: DocumentRow) -> Object:
    cells = [{"status": c.status, "values": [*map(_value_object, c.values)]} for c in row.cells]
    return {**taken(row, "source changed"), "reason": plain(row.reason) or None, "cells": cells}


def _value_object(value: FieldValue) -> Object:
    cited = [citation_object(each) for each in value.citations]
    rest = taken(value, "computed doubt notes")
    return {"value": plain(value.normal), "text": plain(value.text), **rest, "citations": cited}


def list_object(listed: ListedDocuments) -> Object:
    """The JSON of `list`: that of a table, with the condition and each row's verdict."""
    table = table_object(listed.table)
    return {
        **table,
        "rows": [
            {**row, "verdict": verdict}
            for row, verdict in zip(table["rows"], listed.verdicts, strict=True)
        ],
        "condition": plain(listed.condition.shown),
        "counts": {verdict: listed.count(verdict) for verdict in get_args(ListVerdict)},
    }


def timeline_object(timeline: FieldTable) -> Object:
    """The JSON of `timeline`."""
    return as_object(
        statements=[
            {
                "date": day.normal,
                "either": bool(day.doubt),
                "column": plain(day.notes[0]) or None,
                "year_from": plain(day.notes[1]) or None,
                "citation": citation_object(day.citations[0]),
            }
            for day in _in_order(timeline)
        ],
        unreadable=[
            {"source": in_answer(row.source), "reason": plain(row.reason)}
            for row in timeline.rows
            if row.reason
        ],
        looked_at=len(timeline.rows),
        undated=timeline.count(0, "silent"),
        **taken(timeline, "version changed unverified notices"),
    )


def _in_order(timeline: FieldTable) -> list[FieldValue]:
    """The dated statements of all documents, by date, document and line."""
    return sorted(
        (day for row in timeline.rows for day in row.cells[0].values),
        key=lambda day: (day.normal, day.citations[0].source, day.citations[0].line_start),
    )


# ---- For a person


def table_lines(table: FieldTable, width: int, *, quotations: bool = False) -> Iterator[str]:
    """One line a document that says something; with `quotations` the evidence below it."""
    name = max(_NARROWEST, int(width * _NAME))
    rest = (width - name) // max(1, len(table.fields)) - len(_GAP)
    widths = [name, *[max(_NARROWEST, rest)] * len(table.fields)]
    shown = [row for row in table.rows if any(cell.values for cell in row.cells)]
    if shown:
        yield from _lines(["document", *(field.name for field in table.fields)], widths)
        yield _GAP.join("-" * wide for wide in widths)
    for row in shown:
        yield from _lines([_named(row), *map(cell_text, row.cells)], widths)
        for field, cell in zip(table.fields, row.cells, strict=True):
            for value in cell.shown if quotations else ():
                yield from _quotation_lines(value, f"    {one_line(field.name)}: ")
    if shown:
        yield ""
    yield from foot_lines(table)


def foot_lines(table: FieldTable) -> Iterator[str]:
    """How many documents are no row, and what was left out."""
    read = len(table.rows) - table.unreadable
    silent = read - sum(any(cell.values for cell in row.cells) for row in table.rows)
    known = [each for at, each in enumerate(table.fields) if not table.count(at, "unknown")]
    if silent and known:  # of a field that was not understood nobody knows who says nothing
        them = "these" if len(known) > 1 else one_line(known[0].name)
        say = "says" if silent == 1 else "say"
        yield f"{silent:,} of {number_of(read, 'document')} {say} nothing of {them}"
    yield from left_lines(table)


def left_lines(table: FieldTable, what: str = "value") -> Iterator[str]:
    """What is missing: unreadable and changed documents, values, and fields not understood."""
    if names := ", ".join(called(row.source, inert) for row in table.rows if row.reason):
        yield f"could not be read: {names}"
    if table.changed:
        yield f"{number_of(table.changed, 'document')} changed after indexing"
    if table.unverified:
        yield left_out(table.unverified, what)
    yield from (plain(notice) for notice in not_understood(table))


def list_lines(listed: ListedDocuments, *, verbose: bool = False) -> Iterator[str]:
    """The documents that fulfil the condition, those that may, and how many others there are."""
    for wanted in ("yes", "unclear", "no") if verbose else ("yes", "unclear"):
        if wanted != "yes" and listed.count(wanted):
            yield {"unclear": "unclear:", "no": "not:"}[wanted]
        for row, verdict in zip(listed.table.rows, listed.verdicts, strict=True):
            if verdict != wanted:
                continue
            (cell,) = row.cells
            said = number_of(len(cell.values), "row") if cell.rows else cell_text(cell)
            yield f"{_named(row)}: {said}" if cell.values else _named(row)
            for value in cell.values if cell.rows else ():
                doubt = f" (doubtful: {value.doubt})" if value.doubt else ""
                yield f"    {'  '.join(map(str.strip, _quotation_lines(value)))}{doubt}"
            quoted = (tuple(_quotation_lines(value)) for value in cell.shown if not cell.rows)
            yield from chain.from_iterable(dict.fromkeys(quoted))  # one may say several values
    if listed.count("yes") or listed.count("unclear") or (verbose and listed.count("no")):
        yield ""
    unnamed = " (-v names the others)" if listed.count("no") and not verbose else ""
    if not listed.count("unknown"):
        yield plain(listed.counted) + unnamed
    yield from left_lines(listed.table)


def timeline_lines(timeline: FieldTable) -> Iterator[str]:
    """A date a line with the statement and its place, then the counts."""
    above, days = None, _in_order(timeline)
    for day in days:
        (cited,), (column, year_from) = day.citations, map(one_line, day.notes)
        beside = f" · {enclosed(column)}" if column else ""
        beside += f" ({day.doubt})" if day.doubt else ""
        beside += f" (the year is that of {enclosed(year_from)})" if year_from else ""
        yield f"{day.normal:<10}  {cited_place(cited)}{beside}"
        if cited != above:
            yield f"            {enclosed(cited.quote)}"
        above = cited
    yield ""
    read = len(timeline.rows) - timeline.unreadable
    dated = timeline.count(0, "found", "several")
    yield f"{number_of(len(days), 'date')} in {dated:,} of {number_of(read, 'document')}"
    yield from left_lines(timeline, "date")


def _named(row: DocumentRow) -> str:
    return called(row.source, inert) + (" (changed)" if row.changed else "")


def _lines(cells: list[str], widths: list[int]) -> Iterator[str]:
    """A row of a table, each cell over as many lines as it takes."""
    wrapped = (
        wrap(one_line(cell), wide, break_on_hyphens=False, max_lines=_TALLEST, placeholder=" …")
        for cell, wide in zip(cells, widths, strict=True)
    )
    for parts in zip_longest(*wrapped, fillvalue=""):
        yield _GAP.join(map(str.ljust, parts, widths)).rstrip()


def cell_text(cell: Cell) -> str:
    """A cell on one line: its values as the document writes them, a dash where it has none."""
    count = len(cell.values) + cell.more
    if cell.rows and count > len(cell.shown):
        source = called(cell.values[0].citations[0].source, inert)
        return f"{count:,} rows: {advised('corpus-agent read')} {source}"
    return " | ".join(map(plain, cell.texts)) or "–"


def _quotation_lines(value: FieldValue, label: str = "    ") -> Iterator[str]:
    for citation in value.citations:
        yield f"{label}{cited_place(citation)}"
        yield f"        {enclosed(citation.quote)}"


# ---- For a spreadsheet


def table_csv(table: FieldTable) -> str:
    """The table as CSV: a column a field and one for its places; days in ISO form, "1 year"."""
    out = io.StringIO()
    writer = csv.writer(out)
    names = [f"{one_line(field.name)}{part}" for field in table.fields for part in ("", " (place)")]
    writer.writerow(map(_no_formula, ["document", *names]))
    for row in chain.from_iterable(map(_entries, table.rows)):
        cells = [text for cell in row.cells for text in _csv_cells(cell, row.reason)]
        writer.writerow(map(_no_formula, [in_answer(row.source), *cells]))
    return _BOM + out.getvalue()


def _entries(row: DocumentRow) -> Iterator[DocumentRow]:
    """A document as one row; each row of its sheet that says something as one of its own."""
    lines = {v.citations[0].line_start for cell in row.cells if cell.rows for v in cell.values}
    for line in sorted(lines) or [0]:
        cells: list[Cell] = []
        for cell in row.cells:
            here = (value for value in cell.values if value.citations[0].line_start == line)
            cells.append(replace(cell, values=(*here,)) if cell.rows else cell)
        yield replace(row, cells=tuple(cells))


def _csv_cells(cell: Cell, unread: str) -> tuple[str, str]:
    """The values of a cell; and where each stands, or why there is none."""
    if cell.status == "unknown" or unread:
        return "", f"unreadable: {plain_reason(unread)}" if unread else "not understood"
    normal = " | ".join(_DURATION.sub(_span, plain(value.normal)) for value in cell.values)
    return normal, " | ".join(map(inert, map(_csv_place, cell.values)))


def _csv_place(value: FieldValue) -> str:
    """Where a value stands, with what qualifies it."""
    places = ", ".join(dict.fromkeys(map(place_of, value.citations)))
    notes = f" ({'; '.join(filter(None, value.notes))})" if any(value.notes) else ""
    doubt = f" (doubtful: {value.doubt})" if value.doubt else ""
    return places + " (computed)" * value.computed + notes + doubt


def _span(found: re.Match[str]) -> str:
    return number_of(int(found[2]), _UNITS[found[1] + found[3]])


def _no_formula(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = _SEPARATED.sub(r"\1 ", text)
    return f"'{text}" if text.startswith(_FORMULA) else text
