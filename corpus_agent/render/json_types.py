"""The JSON objects of docs/json.md as types, for the renderer and the Python interface.

Keys are added, never renamed or given another meaning.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from corpus_agent.answering.records import AnswerStatus, Verdict  # for get_type_hints

Seal = Literal["enforced", "off"]


class Problem(TypedDict):
    """A file that yielded no text, with the reason."""

    source: str
    reason: str | None
    detail: str | None


class RunCounts(TypedDict):
    """The counts of a run: the value of `index` in the JSON."""

    version: int
    added: int
    updated: int
    unchanged: int
    removed: int
    moved: int
    spared: int
    ignored: int
    kept_out: int
    empty: list[Problem]
    failed: list[Problem]
    skipped: list[Problem]
    unreachable: list[Problem]
    chunks: int
    embedded: int
    reused: int
    interrupted: bool
    rebuilt: bool
    recognised: int
    waiting: int
    repaired: str | None
    seconds: float


class IndexReport(TypedDict):
    """The JSON of `index`."""

    schema_version: int
    index: RunCounts


class IndexResult(RunCounts):
    """The counts of a run, as returned to Python callers."""

    seal: Seal


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
    cosine: float
    bm25: float
    rerank: float | None
    snippet: str
    stale: bool
    unreachable: bool


class SearchResult(TypedDict):
    """Passages about a query, best first."""

    schema_version: int
    version: int
    query: str
    results: list[SearchHit]
    notices: list[str]
    seal: Seal


class ReadResult(TypedDict):
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


class AnswerCitation(TypedDict):
    """A quotation that was checked, and its place.

    `hidden`: the document does not show it. `confidence`: it was recognised from a picture.
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


class AnswerCoverage(TypedDict):
    """The numbers of files that were searched, and that could not be."""

    indexed: int
    empty: int
    failed: int
    unreachable: int


class AnswerServer(TypedDict):
    """The model server that was used; `owner` is None if it cannot be determined."""

    address: str
    owner: str | None


class AnswerResult(TypedDict):
    """An answer with its evidence; `notices` lists every degradation.

    `probability`: that the quotations hold the answer; None where it was not estimated.
    """

    schema_version: int
    question: str
    answer: str
    status: AnswerStatus
    probability: float | None
    answerer: str
    citations: list[AnswerCitation]
    coverage: AnswerCoverage
    version: int
    notices: list[str]
    egress: str | None
    model_server: AnswerServer | None
    unsupported: list[str]
    seal: Seal


class FileCounts(TypedDict):
    """The number of files with each status."""

    indexed: int
    empty: int
    failed: int
    skipped: int
    unreachable: int
    ignored: int


class DiskUse(TypedDict):
    """Bytes of the tables and of the saved vectors; versions of the tables on disk."""

    tables: int
    vectors: int
    versions: int


class RecognitionStatus(TypedDict):
    """Pages and pictures that wait for text recognition, and the command that reads them.

    `engine` is rapidocr's version, None without the extra; `tesseract` are the scripts that
    Tesseract has languages for.
    """

    engine: str | None
    tesseract: list[str]
    waiting_pages: int
    waiting_pictures: int
    command: str | None


class StatusResult(TypedDict):
    """The contents of an index; `complete` is false after an interrupted run."""

    schema_version: int
    version: int
    store: str
    root: str
    root_exists: bool
    files: FileCounts
    recognition: RecognitionStatus
    chunks: int
    bytes: int
    disk: DiskUse
    model: str
    chunker: str
    complete: bool
    updated: str
    seal: Seal
