"""Types of the results that list documents: by a condition, by time, by version. As json_types."""

from __future__ import annotations

from typing import Literal, TypedDict

from corpus_agent.render.json_types import (
    AnswerCitation,
    DocumentCells,
    ReadStores,
    Seal,
    TableResult,
    UnknownWords,
)

Verdict = Literal["yes", "no", "unclear", "silent", "unreadable"]


class ListedCells(DocumentCells):
    """A document with its cell, and whether it fulfils the condition."""

    verdict: Verdict


class VerdictCounts(TypedDict):
    """How many documents have each verdict."""

    yes: int
    no: int
    unclear: int
    silent: int
    unreadable: int


class ListResult(TableResult):
    """Every document with what it says about the field of a condition."""

    rows: list[ListedCells]  # type: ignore[misc]  # with one key more
    condition: str
    counts: VerdictCounts


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
    other_languages: list[UnknownWords]
    notices: list[str]
    seal: Seal
