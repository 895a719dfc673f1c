"""The JSON objects of docs/json.md as types, for the renderer and the Python interface.

Keys are added, never renamed or given another meaning.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from corpus_agent.answering.records import AnswerStatus, Operation, Verdict  # for get_type_hints
from corpus_agent.fields.records import CellStatus, FieldType

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


class ComputedWhere(TypedDict):
    """A column whose cells chose the rows, and what they hold."""

    column: str
    text: str


class ComputedCell(TypedDict):
    """A cell that was computed with, its line, and the citation of its row if that is quoted."""

    n: int | None
    line: int
    text: str


class AnswerComputation(TypedDict):
    """What was computed over all rows of one table, with each cell.

    `column` is "" where rows were counted; `rows` is how many the table has, `left_out` the lines
    of its rows of totals.
    """

    operation: Operation
    column: str
    where: list[ComputedWhere]
    value: str
    unit: str
    source: str
    rows: int
    left_out: list[int]
    cells: list[ComputedCell]


class AnswerResult(TypedDict):
    """An answer with its evidence; `notices` lists every degradation.

    `probability`: that the quotations hold the answer; None where it was not estimated.
    `computed` is None unless the answer was computed from cells of a table.
    """

    schema_version: int
    question: str
    answer: str
    status: AnswerStatus
    probability: float | None
    computed: AnswerComputation | None
    answerer: str
    citations: list[AnswerCitation]
    coverage: AnswerCoverage
    version: int
    notices: list[str]
    egress: str | None
    model_server: AnswerServer | None
    unsupported: list[str]
    seal: Seal


class TableValue(TypedDict):
    """A value in its normal form and as written; `computed` from what its citations say."""

    value: str
    text: str
    computed: bool
    citations: list[AnswerCitation]


class TableCell(TypedDict):
    """What a document says about a field; no values unless `found` or `several`."""

    status: CellStatus
    values: list[TableValue]


class DocumentCells(TypedDict):
    """A document; `reason` says why it could not be read, `changed` that it is not as indexed."""

    source: str
    reason: str | None
    changed: bool
    cells: list[TableCell]


class TableColumn(TypedDict):
    """A field with the number of documents that say it, in several ways, that do not, or cannot."""

    name: str
    type: FieldType
    say: int
    several: int
    silent: int
    unreadable: int


class TableResult(TypedDict):
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


class LanguageStatus(TypedDict):
    """Chunks by language, and the share that the model does not read; the command mends that.

    The languages are ISO 639 codes, "" where none could be told.
    """

    chunks: dict[str, int]
    unread: float
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
    languages: LanguageStatus
    chunks: int
    bytes: int
    disk: DiskUse
    model: str
    chunker: str
    complete: bool
    updated: str
    seal: Seal
