"""Types of the results that look at every document: tables, lists and timelines. As json_types."""

from __future__ import annotations

from typing import Literal, TypedDict

from corpus_agent.fields.records import CellStatus, FieldType
from corpus_agent.render.json_types import AnswerCitation, ReadStores, Seal

Verdict = Literal["yes", "no", "unclear", "silent", "unreadable"]


class TableValue(TypedDict):
    """A value in its normal form and as written; `doubt` says why it does not count, or is ""."""

    value: str
    text: str
    computed: bool
    doubt: str
    citations: list[AnswerCitation]


class TableCell(TypedDict):
    """What a document says about a field; no values where it is silent or unreadable."""

    status: CellStatus
    values: list[TableValue]


class DocumentCells(TypedDict):
    """A document; `reason` says why it could not be read, `changed` that it is not as indexed."""

    source: str
    reason: str | None
    changed: bool
    cells: list[TableCell]


class TableColumn(TypedDict):
    """A field with the number of documents by the status of their cells."""

    name: str
    type: FieldType
    documents: dict[str, int]


class TableResult(ReadStores):
    """What every document says about each field; `unverified` values were left out."""

    schema_version: int
    version: int
    fields: list[TableColumn]
    rows: list[DocumentCells]
    looked_at: int
    unreadable: int
    changed: int
    unverified: int
    notices: list[str]
    seal: Seal


class ListedCells(DocumentCells):
    """A document with its cell, and whether it fulfils the condition."""

    verdict: Verdict


class ListResult(TableResult):
    """Every document with what it says about the field of a condition."""

    rows: list[ListedCells]  # type: ignore[misc]  # with one key more
    condition: str
    counts: dict[str, int]


class DatedCitation(TypedDict):
    """A dated statement; `either`: the date may be read in two ways, and both are there.

    `column` is that of the date in the row of a table.
    """

    date: str
    either: bool
    column: str | None
    citation: AnswerCitation


class UnreadSource(TypedDict):
    """A document that could not be looked at."""

    source: str
    reason: str


class TimelineResult(ReadStores):
    """The dated statements of all documents, by date; `undated` counts documents without one."""

    schema_version: int
    version: int
    statements: list[DatedCitation]
    looked_at: int
    undated: int
    unreadable: list[UnreadSource]
    changed: int
    unverified: int
    notices: list[str]
    seal: Seal
