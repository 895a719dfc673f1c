"""Renders tables of fields: lines for a terminal, JSON, CSV and a page of HTML.

All text is from documents: it is cleaned here, and nothing in it is mark-up, a link or a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from corpus_agent.fields.languages import field_notices
from corpus_agent.render.answers import citation_object
from corpus_agent.render.common import (
    SCHEMA_VERSION,
    cited_place,
    in_answer,
    left_out,
    place,
    unreadable,
)
from corpus_agent.render.files import plain_reason
from corpus_agent.text.naming import called_in_answer
from corpus_agent.text.sanitize import enclosed, inert, one_line
from corpus_agent.text.wording import number_of

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from corpus_agent.fields.records import (
        Cell,
        DocumentRow,
        Field,
        FieldTable,
        FieldValue,
        ModelReading,
    )
    from corpus_agent.render.json_types import (
        DocumentCells,
        Seal,
        TableCell,
        TableColumn,
        TableModel,
        TableResult,
        TableValue,
    )

_DURATION = re.compile(r"P(\d{1,6})([YMWD])")  # as fields.amounts writes it
_UNITS = {"Y": "year", "M": "month", "W": "week", "D": "day"}
_NARROWEST = 12  # characters of a column
_NAME = 0.3  # of the width, for the names of documents
_GAP = "  "
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # computed (OWASP)
# A spreadsheet of a country that writes 1,5 begins a cell behind each of these, quoted or not.
_SEPARATED = re.compile(r"([;\t])(?=[\"']*[=+\-@＝＋－＠])")


def table_object(table: FieldTable, seal: Seal) -> TableResult:
    """The JSON of `table`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": table.version,
        "fields": [_column_object(table, column) for column in range(len(table.fields))],
        "rows": [_row_object(row) for row in table.rows],
        "looked_at": len(table.rows),
        "unreadable": table.unreadable,
        "changed": table.changed,
        "unverified": table.unverified,
        "model": _model_object(table.reading) if table.reading is not None else None,
        "other_languages": [
            {
                "field": inert(one_line(table.fields[one.field].name)),
                "language": one.language,
                "documents": one.documents,
            }
            for one in table.elsewhere
            if one.field is not None
        ],
        "notices": [inert(notice) for notice in table.notices],
        "seal": seal,
    }


def _model_object(reading: ModelReading) -> TableModel:
    return {
        "name": reading.model,
        "asked": reading.asked,
        "known": reading.known,
        "unanswered": reading.unanswered,
        "taken": reading.taken,
        "agreed": reading.agreed,
        "refused": reading.refused,
        "egress": reading.egress,
    }


def _column_object(table: FieldTable, column: int) -> TableColumn:
    field = table.fields[column]
    return {
        "name": inert(one_line(field.name)),
        "type": field.type,
        "say": table.count(column, "found", "several"),
        "several": table.count(column, "several"),
        "silent": table.count(column, "silent"),
        "unreadable": table.count(column, "unreadable"),
    }


def _row_object(row: DocumentRow) -> DocumentCells:
    return {
        "source": in_answer(row.source),
        "reason": inert(one_line(row.reason)) if row.reason else None,
        "changed": row.changed,
        "cells": [_cell_object(cell) for cell in row.cells],
    }


def _cell_object(cell: Cell) -> TableCell:
    return {"status": cell.status, "values": [_value_object(value) for value in cell.values]}


def _value_object(value: FieldValue) -> TableValue:
    return {
        "value": inert(one_line(value.normal)),
        "text": inert(one_line(value.text)),
        "computed": value.computed,
        "by_model": value.by_model,
        "citations": [citation_object(citation) for citation in value.citations],
    }


# ---- For a person


def table_lines(table: FieldTable, width: int, *, quotations: bool = False) -> Iterator[str]:
    """One line a document that says something, and the counts; with `quotations` the evidence."""
    widths = _widths(len(table.fields), width)
    shown = [row for row in table.rows if row.reason or any(cell.values for cell in row.cells)]
    silent = len(table.rows) - len(shown)
    if shown:
        yield _line(["document", *(field.name for field in table.fields)], widths)
        yield _GAP.join("-" * wide for wide in widths)
    for row in shown:
        name = called_in_answer(row.source) + (" (changed)" if row.changed else "")
        yield _line([name, *map(_shown, table.fields, row.cells)], widths)
        if row.reason:
            yield f"    {plain_reason(row.reason)}"
        if quotations:
            yield from _evidence_lines(table, row)
    if shown:
        yield ""
    if silent and len(table.fields) > 1:
        yield f"{number_of(silent, 'document says', 'documents say')} nothing of these"
    yield from foot_lines(table)


def foot_lines(table: FieldTable) -> Iterator[str]:
    """How many documents were looked at, and for each field how many say it and how many do not."""
    changed = (
        f", {table.changed:,} of them changed after they were indexed" if table.changed else ""
    )
    yield f"{number_of(len(table.rows), 'document')} looked at{changed}:"
    for column, field in enumerate(table.fields):
        several = table.count(column, "several")
        say = number_of(table.count(column, "found") + several, "says", "say")
        more = f" ({several:,} in more than one way)" if several else ""
        yield (
            f"  {one_line(field.name)}: {say}{more}, "
            f"{table.count(column, 'silent'):,} silent"
            f"{unreadable(table.count(column, 'unreadable'))}"
        )
    if table.unverified:
        yield f"  {left_out(table.unverified, 'value')}"
    if table.reading is not None:
        yield f"  {model_counts(table.reading)}"
    yield from language_lines(table)


def language_lines(table: FieldTable) -> Iterator[str]:
    """The languages of documents in which a field may be called otherwise."""
    for notice in field_notices(table):
        yield f"  {inert(one_line(notice))}"


def model_counts(reading: ModelReading) -> str:
    """What became of the values of a model, on one line."""
    unanswered = f", no answer for {reading.unanswered:,}" if reading.unanswered else ""
    return (
        f"{reading.model}: {number_of(reading.asked, 'document')} read, {reading.known:,} known "
        f"from before{unanswered}; {number_of(reading.taken, 'value')} more than the rules found, "
        f"{reading.agreed:,} the same, {reading.refused:,} refused: not in the document, or "
        "not in what it quoted"
    )


def missing_lines(table: FieldTable) -> Iterator[str]:
    """The documents that have none of the terms, those that nobody could read, and the counts."""
    without = [row for row in table.rows if all(cell.status == "silent" for cell in row.cells)]
    for row in without:
        yield called_in_answer(row.source) + (" (changed)" if row.changed else "")
    for row in table.rows:
        if row.reason:
            yield f"unreadable: {called_in_answer(row.source)} ({plain_reason(row.reason)})"
    yield ""
    changed = (
        f", {table.changed:,} of them changed after they were indexed" if table.changed else ""
    )
    mention = len(table.rows) - len(without) - table.unreadable
    documents = number_of(len(table.rows), "document")
    if len(table.fields) == 1:
        counts = number_of(len(without), "does not mention it", "do not mention it")
        counts += f", {number_of(mention, 'does', 'do')}"
    else:
        counts = number_of(len(without), "mentions none of them", "mention none of them")
        counts += f", {number_of(mention, 'mentions', 'mention')} one or more"
    yield f"{documents} looked at{changed}: {counts}{unreadable(table.unreadable)}"
    yield from language_lines(table)


def compared_lines(table: FieldTable) -> Iterator[str]:
    """For each field what each document says, with its quotation, and whether they say the same."""
    for column, field in enumerate(table.fields):
        cells = [row.cells[column] for row in table.rows]
        yield f"{one_line(field.name)}: {_alike(field, cells)}"
        for row, cell in zip(table.rows, cells, strict=True):
            changed = " (changed)" if row.changed else ""
            yield f"  {called_in_answer(row.source)}{changed}: {_shown(field, cell)}"
            for value in cell.values:
                for citation in value.citations:
                    yield f"      {cited_place(citation)}"
                    yield f"      {enclosed(citation.quote, '“', '”')}"
    yield from language_lines(table)


def _alike(field: Field, cells: list[Cell]) -> str:
    """How what several documents say about a field goes together."""
    states = {cell.status for cell in cells}
    if "unreadable" in states:
        return "unreadable"
    if states == {"silent"}:
        return "silent"
    if "silent" in states:
        return "not in each"
    said = {tuple(_compared(field, value) for value in cell.values) for cell in cells}
    return "the same" if len(said) == 1 else "different"


def _compared(field: Field, value: FieldValue) -> str:
    """A value as it is compared: two years are 24 months."""
    found = _DURATION.fullmatch(value.normal) if field.type == "duration" else None
    if found is None:
        return value.normal.casefold()
    times, unit = {"Y": (12, "M"), "W": (7, "D")}.get(found[2], (1, found[2]))
    return f"P{int(found[1]) * times}{unit}"


def _widths(fields: int, width: int) -> list[int]:
    """The width of each column, the names' first."""
    name = max(_NARROWEST, int(width * _NAME))
    rest = width - name - len(_GAP) * fields
    return [name, *[max(_NARROWEST, rest // fields)] * fields]


def _line(cells: list[str], widths: list[int]) -> str:
    shown = (
        _cut(one_line(cell), wide).ljust(wide) for cell, wide in zip(cells, widths, strict=True)
    )
    return _GAP.join(shown).rstrip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _shown(field: Field, cell: Cell) -> str:
    """A cell on one line: its value, or why there is none."""
    if not cell.values:
        return cell.status
    values = (inert(one_line(_worded(field, value))) for value in cell.values)
    marked = (
        shown
        + (" (computed)" if value.computed else " (model)" if value.by_model else "")
        + (" (hidden)" if value.hidden else "")
        for shown, value in zip(values, cell.values, strict=True)
    )
    return " | ".join(marked)


def _worded(field: Field, value: FieldValue) -> str:
    """A value for a person: a duration in words."""
    found = _DURATION.fullmatch(value.normal) if field.type == "duration" else None
    if found is None:
        return value.shown
    unit = _UNITS[found[2]]
    return f"{int(found[1]):,} {unit if int(found[1]) == 1 else f'{unit}s'}"


def _evidence_lines(table: FieldTable, row: DocumentRow) -> Iterator[str]:
    for field, cell in zip(table.fields, row.cells, strict=True):
        for value in cell.values:
            for citation in value.citations:
                yield f"    {one_line(field.name)}: {cited_place(citation)}"
                yield f"        {enclosed(citation.quote, '“', '”')}"


def _where(citation: Citation) -> str:
    lines = citation.line_start, citation.line_end
    return place(citation.source, *lines, citation.page, called_in_answer)


# ---- For a program or a browser


def table_csv(table: FieldTable) -> str:
    """The table as CSV: for each field value, status, quotation and place."""
    out = io.StringIO()
    writer = csv.writer(out)
    parts = ("", " (status)", " (quotation)", " (place)")
    names = [f"{one_line(field.name)}{part}" for field in table.fields for part in parts]
    writer.writerow(map(_no_formula, ["document", "changed", *names]))
    for row in table.rows:
        cells = [text for cell in row.cells for text in _csv_cells(cell)]
        changed = "yes" if row.changed else "no"
        writer.writerow(map(_no_formula, [in_answer(row.source), changed, *cells]))
    return out.getvalue()


def _csv_cells(cell: Cell) -> tuple[str, str, str, str]:
    marks = {
        "computed": any(value.computed for value in cell.values),
        "model": any(value.by_model for value in cell.values),
        "hidden": any(value.hidden for value in cell.values),
    }
    citations = [citation for value in cell.values for citation in value.citations]
    return (
        " | ".join(inert(one_line(value.normal)) for value in cell.values),
        ", ".join([cell.status, *(mark for mark, it_is in marks.items() if it_is)]),
        " | ".join(inert(one_line(citation.quote)) for citation in citations),
        " | ".join(inert(_where(citation)) for citation in citations),
    )


def _no_formula(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = _SEPARATED.sub(r"\1 ", text)
    return f"'{text}" if text.startswith(_FORMULA) else text


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 15px/1.4 sans-serif; margin: 2em; }}
table {{ border-collapse: collapse; }}
th, td {{ border: 1px solid #bbb; padding: .3em .6em; text-align: left; vertical-align: top; }}
.silent, .unreadable {{ color: #777; }}
summary {{ cursor: pointer; }}
q {{ display: block; color: #444; max-width: 40em; }}
</style></head><body>
<table>
<tr>{head}</tr>
{rows}
</table>
<p>{foot}</p>
</body></html>
"""


def table_html(table: FieldTable) -> str:
    """The table as one page without scripts, links or anything to load."""
    names = ["document", *(field.name for field in table.fields)]
    return _PAGE.format(
        title=escape(", ".join(map(one_line, names[1:]))),
        head="".join(f"<th>{escape(one_line(name))}</th>" for name in names),
        rows="\n".join(_html_row(table.fields, row) for row in table.rows),
        foot="<br>".join(escape(line.strip()) for line in foot_lines(table)),
    )


def _html_row(fields: Sequence[Field], row: DocumentRow) -> str:
    changed = " (changed)" if row.changed else ""
    reason = f"<br>{escape(plain_reason(row.reason))}" if row.reason else ""
    cells = "".join(
        f'<td class="{cell.status}">{_html_cell(field, cell)}</td>'
        for field, cell in zip(fields, row.cells, strict=True)
    )
    return f"<tr><td>{escape(in_answer(row.source))}{changed}{reason}</td>{cells}</tr>"


def _html_cell(field: Field, cell: Cell) -> str:
    shown = escape(_shown(field, cell))
    quoted = "".join(
        f"<q>{escape(inert(one_line(citation.quote)))}</q>{escape(cited_place(citation))}"
        for value in cell.values
        for citation in value.citations
    )
    return f"<details><summary>{shown}</summary>{quoted}</details>" if quoted else shown
