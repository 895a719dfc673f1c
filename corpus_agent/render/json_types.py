"""The JSON objects of docs/json.md as types: of what is found, read, answered and verified.

For the renderer and the Python interface; json_index and json_lists have the others.

Keys are added, never renamed or given another meaning.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from corpus_agent.answering.records import AnswerStatus, Verdict, Word  # for get_type_hints

Seal = Literal["enforced", "off"]


class StoreVersion(TypedDict):
    """One of several stores: the name that its sources begin with, its folder, its version."""

    name: str
    store: str
    version: int


class ReadStores(TypedDict):
    """The stores that were read together; without the key it was one."""

    stores: NotRequired[list[StoreVersion]]


class SearchHit(TypedDict):
    """A passage; lines are 1-based and inclusive, `stale` if its file changed since or cannot be
    compared, `unreachable` in the second case.
    """

    source: str
    heading: str
    page: int | None
    line_start: int
    line_end: int
    score: float
    fused: float
    cosine: float
    bm25: float
    snippet: str
    stale: bool
    unreachable: bool


class SearchResult(ReadStores):
    """Passages about a query, best first."""

    schema_version: int
    version: int
    query: str
    results: list[SearchHit]
    notices: list[str]
    seal: Seal


class ReadResult(ReadStores):
    """Lines of a document; `next_offset` is the next line to read, None at the end."""

    schema_version: int
    version: int
    source: str
    offset: int
    lines: list[str]
    total: int
    next_offset: int | None
    stale: bool
    seal: Seal


class RawWords(TypedDict):
    """A quotation's words as they stand in the document; percent-encoded if `raw_encoded`."""

    raw: str
    raw_encoded: bool


class AnswerCitation(RawWords):
    """A quotation that was checked, and its place; `quote` is for showing.

    `hidden`: the document does not show it. `confidence`: it was recognised from a picture.
    `heading`: what it stands under; "" if unknown.
    """

    n: int
    source: str
    page: int | None
    line_start: int
    line_end: int
    quote: str
    verdict: Verdict
    hidden: bool
    confidence: float | None
    heading: str


class AnswerPassage(TypedDict):
    """A passage: its lines with their neighbours, and which of them are likely to answer.

    `likely` are the first and last line of these. `probability`: that the passage holds the answer;
    None where it was not estimated. `age`: "newer" or "older" where two contradict each other.
    """

    source: str
    page: int | None
    line_start: int
    line_end: int
    heading: str
    text: str
    likely: list[int]
    probability: float | None
    word: Word
    age: str
    citation: AnswerCitation


class AnswerResult(ReadStores):
    """An answer with its evidence; `notices` lists every degradation.

    `answer` is what a model or a list says, None where the passages themselves are the answer.
    `coverage` are the counts of files by status, `changed` the files from which passages were found
    and not shown, since they changed. `owner` of the server is None if it cannot be determined.
    """

    schema_version: int
    question: str
    status: AnswerStatus
    probability: float | None
    answer: str | None
    passages: list[AnswerPassage]
    answerer: str
    model: str | None
    model_server: dict[str, str | None] | None
    egress: str | None
    unsupported: list[str]
    changed: list[str]
    coverage: dict[str, int]
    notices: list[str]
    version: int
    seal: Seal


class LinesBefore(TypedDict):
    """The lines of a quotation when it was made, 1-based and inclusive."""

    line_start: int
    line_end: int


class CheckedQuotation(TypedDict):
    """A quotation of a receipt, looked up in today's file; without lines if it is not there."""

    n: int
    source: str
    verdict: Verdict
    hidden: bool
    confidence: float | None
    file: str
    was: LinesBefore
    page: int | None
    line_start: int | None
    line_end: int | None
    quote: str | None


class CheckedAnswer(TypedDict):
    """A receipt; `holds` if all its quotations still stand."""

    question: str
    started: str
    status: AnswerStatus | None
    holds: bool
    citations: list[CheckedQuotation]


class CheckedReceipts(TypedDict):
    """All receipts of a file."""

    holds: bool
    receipts: list[CheckedAnswer]


class VerifyResult(ReadStores):
    """Whether the quotations of receipts still stand in version `version` of the index."""

    schema_version: int
    version: int
    verify: CheckedReceipts
    seal: Seal
