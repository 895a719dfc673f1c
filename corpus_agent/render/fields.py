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

from corpus_agent.fields.amounts import unit_and_number
from corpus_agent.fields.lexicon import AMOUNTS, not_understood
from corpus_agent.fields.table import CellStatus, ListVerdict
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
from corpus_agent.render.index import FEW_FILES, plain_reason
from corpus_agent.text.naming import called, typed
from corpus_agent.text.sanitize import enclosed, inert, one_line
from corpus_agent.text.wording import number_of

if TYPE_CHECKING:
    from corpus_agent.fields.lexicon import Field
    from corpus_agent.fields.page import FieldValue
    from corpus_agent.fields.table import Cell, DocumentRow, FieldTable
    from corpus_agent.render.common import Object

_DURATION = re.compile(r"P(T?)(\d{1,6})([BDHMWY])")
_UNITS = {"Y": "year", "M": "month", "W": "week", "D": "day", "B": "business day"}
_UNITS |= {"TH": "hour", "TM": "minute"}
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_VERDICTS = {"no": "not fulfilled", "unclear": "unclear", "silent": "nothing said of it"}
_NARROWEST = 12  # characters of a column
_TALLEST = 8  # lines of a cell
_NAME = 0.3  # of the width, for the names of documents
_GAP = "  "
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # computed (OWASP)
# A spreadsheet of a country that writes 1,5 begins a cell behind each of these, quoted or not.
_SEPARATED = re.compile(r"([;\t])(?=[\"']*[=+\-@＝＋－＠])")
_BOM = "\ufeff"  # without it a spreadsheet takes UTF-8 for something else


def table_object(table: FieldTable) -> Object:
    """The JSON of `table`; of `list` with the condition, and each row's verdict."""
    columns = [
        {
            **taken(field, "name type"),
            "documents": {state: table.count(column, state) for state in get_args(CellStatus)},
        }
        for column, field in enumerate(table.fields)
    ]
    counts = {verdict: table.verdicts.count(verdict) for verdict in get_args(ListVerdict)}
    listed = {"condition": plain(table.condition), "counts": counts}
    return as_object(
        fields=columns,
        rows=[_row_object(row) for row in table.rows],
        looked_at=len(table.rows),
        **taken(table, "version unreadable changed unverified"),
        notices=plain((*table.notices, *not_understood(table))),
        **(listed if table.condition else {}),
    )


def _row_object(row: DocumentRow) -> Object:
    cells = [{"status": c.status, "values": [*map(_value_object, c.values)]} for c in row.cells]
    said = {**taken(row, "source changed"), "reason": plain(row.reason) or None, "cells": cells}
    return said | ({"verdict": row.verdict} if row.verdict else {})


def _value_object(value: FieldValue) -> Object:
    cited = [citation_object(each) for each in value.citations]
    rest = taken(value, "computed doubt notes")
    return {"value": plain(value.normal), "text": plain(value.text), **rest, "citations": cited}


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
    every = (row for row in table.rows if not row.reason)
    silent = [row for row in every if not any(cell.values for cell in row.cells)]
    known = [each for at, each in enumerate(table.fields) if not table.count(at, "unknown")]
    if silent and known:  # of a field that was not understood nobody knows who says nothing
        them = "these" if len(known) > 1 else one_line(known[0].name)
        say = "says" if len(silent) == 1 else "say"
        named = ", ".join(_named(row) for row in silent) if len(silent) <= FEW_FILES else ""
        said = f"{len(silent):,} of {number_of(read, 'document')} {say} nothing of {them}"
        yield f"{said}: {named}" if named else said
    yield from left_lines(table)


def left_lines(table: FieldTable, what: str = "value") -> Iterator[str]:
    """What is missing: unreadable and changed documents, values, and fields not understood."""
    if names := ", ".join(called(row.source, inert) for row in table.rows if row.reason):
        yield f"could not be read: {names}"
    if table.changed:
        yield f"{number_of(table.changed, 'document')} changed after indexing"
    if table.unverified:
        yield left_out(table.unverified, what)
    yield from (plain(advised(notice)) for notice in not_understood(table))


def list_lines(listed: FieldTable, *, verbose: bool = False) -> Iterator[str]:
    """The documents that fulfil the condition, those that may, and how many others there are."""
    others = [verdict for verdict in ("no", "silent") if verdict in listed.verdicts]
    for wanted in ("yes", "unclear", *(others if verbose else ())):
        if wanted != "yes" and wanted in listed.verdicts:
            yield f"{_VERDICTS[wanted]}:"
        for row in listed.rows:
            if row.verdict == wanted:
                yield from _listed_lines(row)
    if not {"yes", "unclear", *(others if verbose else ())}.isdisjoint(listed.verdicts):
        yield ""
    unnamed = " (-v names the others)" if others and not verbose else ""
    if "unknown" not in listed.verdicts:
        yield plain(counted_line(listed)) + unnamed
    yield from left_lines(listed)


def _listed_lines(row: DocumentRow) -> Iterator[str]:
    """A document of a list with what it says; of a sheet a line for each of its rows."""
    (cell,) = row.cells
    said = number_of(len(cell.values), "row") if cell.rows else cell_text(cell)
    yield f"{_named(row)}: {said}" if cell.values else _named(row)
    for value in cell.values if cell.rows else ():
        doubt = f" (doubtful: {value.doubt})" if value.doubt else ""
        yield f"    {'  '.join(map(str.strip, _quotation_lines(value)))}{doubt}"
    quoted = (tuple(_quotation_lines(value)) for value in cell.shown if not cell.rows)
    yield from chain.from_iterable(dict.fromkeys(quoted))  # one may say several values


def counted_line(listed: FieldTable) -> str:
    """How many documents fulfil the condition, do not, or say nothing of it."""
    read = number_of(len(listed.rows) - listed.unreadable, "document")
    counts = {one: listed.verdicts.count(one) for one in ("yes", *_VERDICTS)}
    rest = (f"; {_VERDICTS[one]} in {counts[one]:,}" for one in _VERDICTS if counts[one])
    return f"{listed.condition}: fulfilled in {counts['yes']:,} of {read}{''.join(rest)}"


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
        source = typed(cell.values[0].citations[0].source)
        return f"{count:,} rows: {advised('corpus-agent read')} {source}"
    return " | ".join(map(plain, cell.texts)) or "–"


def _quotation_lines(value: FieldValue, label: str = "    ") -> Iterator[str]:
    for citation in value.citations:
        yield f"{label}{cited_place(citation)}"
        yield f"        {enclosed(citation.quote)}"


# ---- For a spreadsheet


def table_csv(table: FieldTable) -> str:
    """The table as CSV: a field has a column, one for its unit where it has any, one for places.

    Days are in ISO form, amounts are numbers, spans of time are "1 year".
    """
    out = io.StringIO()
    writer = csv.writer(out)
    names = [f"{one_line(field.name)}{part}" for field in table.fields for part in _parts(field)]
    writer.writerow(map(_no_formula, ["document", *names]))
    for row in chain.from_iterable(map(_entries, table.rows)):
        every = zip(table.fields, row.cells, strict=True)
        cells = [text for field, cell in every for text in _csv_cells(field, cell, row.reason)]
        writer.writerow(map(_no_formula, [in_answer(row.source), *cells]))
    return _BOM + out.getvalue()


def _parts(field: Field) -> tuple[str, ...]:
    """What the names of its columns end with."""
    return ("", " (unit)", " (place)") if field.type in AMOUNTS else ("", " (place)")


def _entries(row: DocumentRow) -> Iterator[DocumentRow]:
    """A document as one row; each row of its sheet that says something as one of its own."""
    lines = {v.citations[0].line_start for cell in row.cells if cell.rows for v in cell.values}
    for line in sorted(lines) or [0]:
        cells: list[Cell] = []
        for cell in row.cells:
            here = (value for value in cell.values if value.citations[0].line_start == line)
            cells.append(replace(cell, values=(*here,)) if cell.rows else cell)
        yield replace(row, cells=tuple(cells))


def _csv_cells(field: Field, cell: Cell, unread: str) -> list[str]:
    """The values of a cell, the units of amounts, and where each stands or why there is none."""
    normal = [_DURATION.sub(_span, plain(value.normal)) for value in cell.values]
    places = " | ".join(map(inert, map(_csv_place, cell.values)))
    if cell.status == "unknown" or unread:
        places = f"unreadable: {plain_reason(unread)}" if unread else "not understood"
    if field.type not in AMOUNTS:
        return [" | ".join(normal), places]
    amounts = [unit_and_number(one) for one in normal]
    units = [unit for unit, _ in amounts]
    units = units if len({*units}) > 1 else units[:1]
    return [" | ".join(number for _, number in amounts), " | ".join(units), places]


def _csv_place(value: FieldValue) -> str:
    """Where a value stands, with what qualifies it."""
    places = ", ".join(dict.fromkeys(map(place_of, value.citations)))
    notes = f" ({'; '.join(filter(None, value.notes))})" if any(value.notes) else ""
    doubt = f" (doubtful: {value.doubt})" if value.doubt else ""
    return places + " (computed)" * value.computed + notes + doubt


def _span(found: re.Match[str]) -> str:
    return number_of(int(found[2]), _UNITS[found[1] + found[3]])


def _no_formula(text: str) -> str:
    """A cell that no spreadsheet takes for a formula; a number below zero is none."""
    if _NUMBER.fullmatch(text):
        return text
    text = _SEPARATED.sub(r"\1 ", text)
    return f"'{text}" if text.startswith(_FORMULA) else text
