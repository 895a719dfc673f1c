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

Change = Literal["added", "changed", "moved", "removed"]
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


class VersionEntry(TypedDict):
    """A version that is kept; `changes` against the one before, null for the oldest.

    `same_as`: an earlier one that held the same, as after a rollback.
    """

    version: int
    made: str
    documents: int
    chunks: int
    complete: bool
    current: bool
    changes: dict[Change, int] | None
    same_as: int | None


class HistoryResult(TypedDict):
    """The versions that are kept, newest first, and the bytes that the former ones take besides."""

    schema_version: int
    version: int
    keep: str
    former_bytes: int
    versions: list[VersionEntry]
    seal: Seal


class PassagePlace(TypedDict):
    """A passage of a version."""

    line_start: int
    line_end: int
    page: int | None
    heading: str
    text: str


class ChangedPassage(TypedDict):
    """A passage that differs between two versions; null where it is not."""

    change: Change
    before: PassagePlace | None
    after: PassagePlace | None


class ChangedDocument(TypedDict):
    """A document that differs between two versions; `was` is its name before it was moved."""

    source: str
    change: Change
    was: str | None
    chunks_before: int
    chunks_after: int
    passages: list[ChangedPassage]


class DiffResult(TypedDict):
    """What changed from version `first` to `second`; `unchanged` counts the other documents."""

    schema_version: int
    first: int
    second: int
    unchanged: int
    documents: list[ChangedDocument]
    seal: Seal


class RollbackResult(TypedDict):
    """`version` is current now and has the content of `target`; it was `before`."""

    schema_version: int
    version: int
    before: int
    target: int
    seal: Seal
