"""Types of the results about an index: its runs, its files and its state. As json_types."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from corpus_agent.render.json_types import ReadStores, Seal


class Problem(TypedDict):
    """A file that yielded no text, with the reason."""

    source: str
    reason: str | None
    detail: str | None


class RenamedDocument(TypedDict):
    """A document that has another name, and what it was called."""

    was: str
    source: str


class RunCounts(TypedDict):
    """The counts of a run: the value of `index` in the JSON."""

    version: int
    added: int
    updated: int
    unchanged: int
    removed: int
    moved: int
    renamed: list[RenamedDocument]
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
    cluster: ClusterCounts | None


class ClusterCounts(TypedDict):
    """What came of the shards of a run with `--cluster`."""

    where: str
    shards: int
    here: int
    again: list[str]


class IndexReport(TypedDict):
    """The JSON of `index`."""

    schema_version: int
    index: RunCounts
    egress: NotRequired[str]


class IndexResult(RunCounts):
    """The counts of a run, as returned to Python callers."""

    seal: Seal


class FileEntry(TypedDict):
    """A file that was seen; `lines`, `pages` and `chunks` are those of its text, if it has any.

    `date` (an ISO day), `author` and `tags` are what it says of itself, `links` the notes and
    files that it links to.
    """

    source: str
    status: str
    reason: str | None
    detail: str | None
    title: str | None
    bytes: int
    sha256: str | None
    chunks: int
    pages: int | None
    lines: int | None
    extractor: str | None
    seconds: float
    waiting: int
    modified: str | None
    date: str | None
    author: str | None
    tags: list[str]
    links: list[str]
    language: str


class FilesResult(ReadStores):
    """Every file that was seen, by its name."""

    schema_version: int
    version: int
    files: list[FileEntry]
    seal: Seal


class RuleToAdd(TypedDict):
    """The line that keeps a document out, and the file that it belongs into."""

    file: str
    line: str | None


class ForgetResult(TypedDict):
    """A document that was dropped; `forgotten` is false if it was not in the index."""

    schema_version: int
    version: int
    source: str
    forgotten: bool
    keep_out: RuleToAdd
    seal: Seal


class FileCounts(TypedDict):
    """The number of files with each status; `blank`: of the empty, those without a byte."""

    indexed: int
    empty: int
    failed: int
    skipped: int
    unreachable: int
    ignored: int
    kept_out: int
    blank: int


class DiskUse(TypedDict):
    """Bytes of the tables, and their versions on disk."""

    tables: int
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


class ExtensionUse(TypedDict):
    """What an installed package brings; `refused` is why it is not used, None if it may be."""

    kind: str
    name: str
    package: str
    version: str
    refused: str | None


class StatusResult(TypedDict):
    """The contents of an index; `complete` is false after an interrupted run.

    `engine` is what embeds now, and why.
    """

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
    engine: str
    extensions: list[ExtensionUse]
    complete: bool
    updated: str
    seal: Seal
