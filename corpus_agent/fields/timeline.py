"""The dated statements of all documents in order, and the documents that fulfil a condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from corpus_agent.answering.records import Citation
from corpus_agent.fields.checked import quoted_span, shows
from corpus_agent.fields.condition import FieldCondition, ListVerdict, holds, verdict
from corpus_agent.fields.page import DocumentText
from corpus_agent.fields.records import DocumentRow, FieldTable
from corpus_agent.fields.table import Documents, each_document, table_of
from corpus_agent.text.wording import number_of


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """A table of one field, and for each of its rows whether it fulfils the condition."""

    condition: FieldCondition
    table: FieldTable
    verdicts: tuple[ListVerdict, ...]

    def count(self, wanted: ListVerdict) -> int:
        """How many documents have this verdict."""
        return self.verdicts.count(wanted)

    @property
    def counted(self) -> str:
        """How many documents fulfil the condition, do not, or say nothing of it, on one line."""
        read = number_of(len(self.table.rows) - self.table.unreadable, "document")
        others: dict[ListVerdict, str] = {
            "no": "not", "unclear": "unclear", "silent": "say nothing of it"
        }  # fmt: skip
        counts = ((self.count(one), said) for one, said in others.items())
        rest = "".join(f", {count:,} {said}" for count, said in counts if count)
        return f"{self.count('yes'):,} of {read}: {self.condition.shown}{rest}"


@dataclass(frozen=True, slots=True)
class DatedStatement:
    """A sentence with a date; `either`: it may be read in two ways; `column`: of its cell."""

    day: str
    citation: Citation
    either: bool = False
    column: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The dated statements of all documents, by date, and how many documents gave none."""

    statements: tuple[DatedStatement, ...]
    looked_at: int
    undated: int
    unread: tuple[tuple[str, str], ...]
    changed: int
    unverified: int
    version: int
    notices: tuple[str, ...] = ()


def listed(
    corpus: Documents,
    condition: FieldCondition,
    on_document: Callable[[int, int], None] = lambda *_: None,
    *,
    notices: tuple[str, ...] = (),
) -> ListedDocuments:
    """Every document with what it says about the field of a condition, and whether it holds."""
    table = table_of(corpus, [condition.field], on_document=on_document)
    table = replace(table, notices=(*table.notices, *notices))
    verdicts = tuple(verdict(condition, row.cells[0]) for row in table.rows)
    rows = tuple(_those_first(condition, row) for row in table.rows)
    return ListedDocuments(condition, replace(table, rows=rows), verdicts)


def _those_first(condition: FieldCondition, row: DocumentRow) -> DocumentRow:
    """A row with the values that fulfil a condition before its others."""
    (cell,) = row.cells
    if condition.sign is not None:
        cell = replace(
            cell, values=(*sorted(cell.values, key=lambda v: True not in holds(condition, v)),)
        )
    return replace(row, cells=(cell,))


def timeline_of(
    corpus: Documents, on_document: Callable[[int, int], None] = lambda *_: None
) -> Timeline:
    """The dated statements of every document, in order."""
    found: list[DatedStatement] = []
    unread: list[tuple[str, str]] = []
    looked_at = undated = changed = unverified = 0
    for source, document, reason in each_document(corpus, on_document):
        looked_at += 1
        if document is None:
            unread.append((source, reason))
            continue
        statements, dropped = _statements(document)
        undated += not (statements or dropped)
        changed += document.stale
        unverified += dropped
        found += statements
    found.sort(key=lambda one: (one.day, one.citation.source, one.citation.line_start))
    counts = undated, tuple(unread), changed, unverified, corpus.version
    return Timeline(tuple(found), looked_at, *counts)


def _statements(document: DocumentText) -> tuple[list[DatedStatement], int]:
    """The dated statements of one document, each sentence once a day; and how many did not hold."""
    dates = [reading for reading in document.dates if not document.is_property(reading.start)]
    starts = Counter(reading.start for reading in dates)
    quoted: dict[tuple[int, int], Citation | None] = {}
    found: dict[tuple[str, tuple[int, int]], DatedStatement] = {}
    dropped = 0
    for reading in dates:
        span = document.sentence(reading.start, reading.end)
        if span not in quoted:
            quoted[span] = quoted_span(document, 1, (reading.start, reading.end))
            dropped += quoted[span] is None
        citation = quoted[span]
        if citation is not None and not shows(document, citation, reading):
            dropped += 1
        elif citation is not None:
            either = starts[reading.start] > 1
            column = document.column_at(reading.start)
            statement = DatedStatement(reading.normal, citation, either, column)
            found.setdefault((reading.normal, span), statement)
    return list(found.values()), dropped
