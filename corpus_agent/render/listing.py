"""Renders lists of documents that fulfil a condition, and timelines.

All text is from documents: it is cleaned here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpus_agent.fields.languages import month_notice
from corpus_agent.render.answers import citation_object
from corpus_agent.render.common import SCHEMA_VERSION, cited_place, in_answer, left_out, unreadable
from corpus_agent.render.fields import language_lines, table_object
from corpus_agent.render.files import plain_reason
from corpus_agent.text.naming import called_in_answer
from corpus_agent.text.sanitize import enclosed, inert, one_line
from corpus_agent.text.wording import number_of

if TYPE_CHECKING:
    from corpus_agent.answering.records import Citation
    from corpus_agent.fields.records import Cell, DocumentRow
    from corpus_agent.fields.timeline import DatedStatement, ListedDocuments, Timeline
    from corpus_agent.render.json_lists import (
        ListedCells,
        ListResult,
        TimelineResult,
        VerdictCounts,
    )
    from corpus_agent.render.json_types import Seal


def list_object(listed: ListedDocuments, seal: Seal) -> ListResult:
    """The JSON of `list`: that of a table, with the condition and each row's verdict."""
    table = table_object(listed.table, seal)
    rows: list[ListedCells] = [
        {**row, "verdict": verdict}
        for row, verdict in zip(table["rows"], listed.verdicts, strict=True)
    ]
    counts: VerdictCounts = {
        "yes": listed.count("yes"),
        "no": listed.count("no"),
        "unclear": listed.count("unclear"),
        "silent": listed.count("silent"),
        "unreadable": listed.count("unreadable"),
    }
    condition = inert(one_line(listed.condition.shown))
    return {**table, "rows": rows, "condition": condition, "counts": counts}


def list_lines(listed: ListedDocuments) -> Iterator[str]:
    """The documents that fulfil the condition, those that may, and the counts of all others."""
    rows = list(zip(listed.table.rows, listed.verdicts, strict=True))
    for row, verdict in rows:
        if verdict == "yes":
            yield from _row_lines(row)
    if listed.count("unclear"):
        yield "unclear:"
    for row, verdict in rows:
        if verdict == "unclear":
            yield from _row_lines(row)
    for row in listed.table.rows:
        if row.reason:
            yield f"unreadable: {called_in_answer(row.source)} ({plain_reason(row.reason)})"
    yield ""
    yield from list_foot(listed)


def list_foot(listed: ListedDocuments) -> Iterator[str]:
    """How many documents were looked at, and how many fulfil the condition or do not."""
    table, what = listed.table, inert(one_line(listed.condition.what))
    changed = f", {table.changed:,} of them changed after they were indexed"
    yield (
        f"{number_of(len(table.rows), 'document')} looked at{changed if table.changed else ''}: "
        f"{number_of(listed.count('yes'), 'has', 'have')} "
        f"{inert(one_line(listed.condition.shown))}, "
        f"{number_of(listed.count('no'), 'has not', 'have not')}, "
        f"{listed.count('unclear'):,} unclear, {listed.count('silent'):,} silent"
        f"{unreadable(listed.count('unreadable'))}"
    )
    yield f"  “{what}” chooses no documents: all were looked at; --path and --where choose some"
    if table.unverified:
        yield f"  {left_out(table.unverified, 'value')}"
    yield from language_lines(table)


def _row_lines(row: DocumentRow) -> Iterator[str]:
    changed = " (changed)" if row.changed else ""
    yield f"{called_in_answer(row.source)}{changed}: {_values(row.cells[0])}"
    quoted = (
        tuple(_quotation_lines(citation))
        for value in row.cells[0].values
        for citation in value.citations
    )
    for lines in dict.fromkeys(quoted):  # one sentence may say several values
        yield from lines


def _values(cell: Cell) -> str:
    return " | ".join(
        inert(one_line(value.shown))
        + (" (computed)" if value.computed else "")
        + (" (hidden)" if value.hidden else "")
        for value in cell.values
    )


def _quotation_lines(citation: Citation) -> Iterator[str]:
    yield f"    {cited_place(citation)}"
    yield f"    {enclosed(citation.quote, '“', '”')}"


def timeline_object(timeline: Timeline, seal: Seal) -> TimelineResult:
    """The JSON of `timeline`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": timeline.version,
        "statements": [
            {
                "date": one.day,
                "either": one.either,
                "column": inert(one_line(one.column)) if one.column else None,
                "citation": citation_object(one.citation),
            }
            for one in timeline.statements
        ],
        "looked_at": timeline.looked_at,
        "undated": timeline.undated,
        "unreadable": [
            {"source": in_answer(source), "reason": inert(one_line(reason))}
            for source, reason in timeline.unread
        ],
        "changed": timeline.changed,
        "unverified": timeline.unverified,
        "other_languages": [
            {"field": None, "language": one.language, "documents": one.documents}
            for one in timeline.elsewhere
        ],
        "notices": [inert(notice) for notice in timeline.notices],
        "seal": seal,
    }


def timeline_lines(timeline: Timeline) -> Iterator[str]:
    """A date a line with the statement and its place, then the counts."""
    rows: dict[Citation, str] = {}  # of tables, with the day at which each was quoted
    for one in timeline.statements:
        quoted = rows.setdefault(one.citation, one.day) if one.column else one.day
        yield from _statement_lines(one, None if quoted == one.day else quoted)
    for source, reason in timeline.unread:
        yield f"unreadable: {called_in_answer(source)} ({plain_reason(reason)})"
    yield ""
    changed = f", {timeline.changed:,} of them changed after they were indexed"
    documents = number_of(timeline.looked_at, "document")
    yield (
        f"{documents} looked at{changed if timeline.changed else ''}: "
        f"{number_of(len(timeline.statements), 'dated statement')}, "
        f"{number_of(timeline.undated, 'document')} without"
        f"{unreadable(len(timeline.unread))}"
    )
    if timeline.unverified:
        yield f"  {left_out(timeline.unverified, 'statement')}"
    if notice := month_notice(timeline.elsewhere):
        yield f"  {notice}"


def _statement_lines(one: DatedStatement, quoted: str | None) -> Iterator[str]:
    """A statement; of a row that stands above, the day at which it was `quoted` instead."""
    either = " (or the day and the month the other way round)" if one.either else ""
    column = f" · {enclosed(one_line(one.column), '“', '”')}" if one.column else ""
    row = f" of the row at {quoted}" if quoted else ""
    yield f"{one.day:<10}  {cited_place(one.citation)}{column}{row}{either}"
    if quoted is None:
        yield f"            {enclosed(one.citation.quote, '“', '”')}"
