"""The data types of indexing and search: frozen dataclasses with almost no behaviour."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Status = Literal["indexed", "empty", "failed", "skipped", "unreachable"]
STATUSES: tuple[Status, ...] = ("indexed", "empty", "failed", "skipped", "unreachable")
# Pages without text that are recognised: of documents and of pictures that show text; none; all.
Ocr = Literal["auto", "off", "all"]
OCR_CHOICES: tuple[Ocr, ...] = ("auto", "off", "all")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of extracted text, normalised, without its line end.

    `page` is 1-based (a page, a slide) and None where the format has none. `part` names the part
    of the document where that is no plain page, as in "Slide 3", "Sheet Costs". `hidden`: the
    document does not show it. `confidence`: it was recognised from a picture with this confidence,
    0 to 1; None for the document's own text. `heading`: its look is that of one, as in a PDF.
    """

    text: str
    page: int | None = None
    part: str | None = None
    hidden: bool = False
    confidence: float | None = None
    heading: bool = False

    @property
    def is_mark(self) -> bool:
        """Whether it is the mark line of its page or part rather than text of the document."""
        if self.part is not None:
            return self.text.startswith(f"--- {self.part} ---")
        return self.page is not None and self.text.startswith(page_mark(self.page))

    @property
    def is_waiting_mark(self) -> bool:
        """Whether it is the mark of a page that shows something and has no text of its own."""
        return self.text.endswith(f"({NO_TEXT_LAYER})") and self.is_mark


NO_TEXT_LAYER = "no text layer"  # remarks in the mark of a page
RECOGNISED_TEXT = "recognised text"
PACKAGED_MODEL = "all-MiniLM-L6-v2"  # it reads English
MULTILINGUAL = "multilingual-e5-small"
ENGLISH = "en"


def page_mark(number: int) -> str:
    """The line that begins a page."""
    return f"--- Page {number} ---"


@dataclass(frozen=True, slots=True)
class Document:
    """All text of one file, as `vectordb_read` pages it and as chunks were cut from it.

    Line numbers are 1-based positions in `lines`. `extractor` is name/version, as in "pdf/1", and
    the second engines that served a part, as in "pdf/1+pypdf".
    """

    source: str
    title: str
    lines: tuple[Line, ...]
    extractor: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document: what is embedded, found and quoted.

    Lines and pages are 1-based and inclusive; `text` is exactly the document's lines
    `line_start`..`line_end` or a part of them, without text from anywhere else. `heading` is the
    path of titles above the passage, joined by " > ". `language` is an ISO 639 code, "" for none.
    """

    source: str
    ordinal: int
    text: str
    heading: str
    line_start: int
    line_end: int
    page_start: int | None = None
    page_end: int | None = None
    language: str = ""

    @property
    def id(self) -> str:
        """Key of the chunk row; never shown to a model."""
        return f"{self.source}:{self.ordinal}"


LEAST_UNREAD = 0.01  # share of passages in languages that the model does not read, to be told
MANY_UNREAD = 0.2  # from which the multilingual model is taken


def is_other(language: str) -> bool:
    """Whether the language of a passage is known and not English."""
    return language not in ("", ENGLISH)


@dataclass(frozen=True, slots=True)
class Query:
    """What a search is asked for: hits about `text`, of the documents `among`; None: of all.

    The first `per_source` hits of each document go before the others; None: by score alone.
    With `only_words` no vector is looked at.
    """

    text: str
    limit: int = 5
    per_source: int | None = 2
    among: frozenset[str] | None = None
    only_words: bool = False


@dataclass(frozen=True, slots=True)
class OpenStore:
    """One of several stores as it is read: the name before its sources, its folder, its version."""

    name: str
    store: Path
    version: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found; `score` in [0, 1] orders those of one search, higher is better.

    It is fused from `cosine` (-1..1) and `bm25` (>= 0; 0 where no word matched). `relevance` is
    shown: about the share of such hits that are what was asked for, never above the hit before.
    `stale`: its file has changed since it was indexed or, if `unreachable`, cannot be looked at.
    `key` is that of the text that was embedded; `named` is how likely the query names its document.
    """

    chunk: Chunk
    score: float
    cosine: float
    bm25: float
    stale: bool = False
    unreachable: bool = False
    key: bytes | None = field(default=None, compare=False, repr=False)
    relevance: float = 0.0
    named: float = 0.0


@dataclass(frozen=True, slots=True)
class FileRow:
    """Record of one file that the walk found, indexed or not; `reason` is a code or None.

    `unreachable`: it was indexed and could not be looked at since, so its passages stay as they
    were; `reason` says why, all else is as of then.
    `waiting` counts its pages that have no text and wait for recognition. `date` (an ISO day),
    `author` and `tags` (with blanks between) are what it says of itself; `language` is that of most
    of its text.
    """

    source: str
    status: Status
    reason: str | None = None
    detail: str | None = None
    bytes: int = 0
    mtime_ns: int = 0
    sha256: str | None = None
    chunks: int = 0
    lines: int | None = None
    pages: int | None = None
    title: str | None = None
    extractor: str | None = None
    seconds: float = 0.0
    waiting: int = 0
    date: str | None = None
    author: str | None = None
    tags: str = ""
    language: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether it is a file without a byte."""
        return self.reason == "no_bytes"

    @property
    def is_unread(self) -> bool:
        """Whether it is a document that could not be read; there was something to read."""
        return self.status in ("empty", "failed") and not self.is_blank and not self.waiting

    @property
    def is_waiting(self) -> bool:
        """Whether it has no text until it is recognised."""
        return self.waiting > 0 and not self.is_document

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture rather than a document with pages."""
        return (self.extractor or "").startswith("image/")

    @property
    def is_document(self) -> bool:
        """Whether its text is in the index."""
        return self.status in ("indexed", "unreachable")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts of indexed, empty, failed, skipped and unreachable files.

    `kept_out` counts the files and folders that lines of ignore files exclude, `blank` the empty
    files without a byte: there is nothing in them to read. `waiting` are those of the empty and
    failed ones that are still to be recognised, `pictures` those of the skipped ones.
    """

    indexed: int = 0
    empty: int = 0
    failed: int = 0
    skipped: int = 0
    unreachable: int = 0
    kept_out: int = 0
    blank: int = 0
    waiting: int = 0
    pictures: int = 0

    @classmethod
    def of(cls, rows: Iterable[FileRow]) -> Coverage:
        """How many of the rows have each status."""
        counts = dict.fromkeys((*STATUSES, "blank", "waiting", "pictures"), 0)
        for row in rows:
            counts[row.status] += 1
            counts["blank"] += row.is_blank
            counts["pictures" if row.status == "skipped" else "waiting"] += row.is_waiting
        return cls(**counts)

    @property
    def searched(self) -> int:
        """Number of documents whose text is in the index."""
        return self.indexed + self.unreachable

    @property
    def unreadable(self) -> int:
        """Number of documents that could not be read, and wait for nothing."""
        return self.empty - self.blank + self.failed - self.waiting


@dataclass(frozen=True, slots=True)
class Box:
    """A piece of a line on the picture of a page, as shares of its width and height, 0 to 1."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


MAX_POINTS = 5_000_000  # of a picture: a frame of the protocol holds three bytes for each
GREY_BYTES, COLOUR_BYTES = 1, 3  # of a point: `channels`


@dataclass(frozen=True, slots=True)
class Points:
    """Rows of points from the top, without gaps: a byte each of grey, or of red, green and blue."""

    width: int
    height: int
    channels: int
    data: bytes


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as a picture of so many points; `stale`: its file changed after it was indexed."""

    png: bytes
    width: int
    height: int
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Everything besides the files that rows depend on; `extractors` are versions by name."""

    model: str
    weights_sha256: str
    dimension: int
    document_prefix: str
    query_prefix: str
    chunker: str
    normaliser: str
    extractors: dict[str, str] = field(default_factory=dict)

    def makes_same_rows(self, other: Fingerprint) -> bool:
        """Whether rows made under the two may be mixed in one table: each row has an extractor."""
        one, two = (replace(each, extractors={}, query_prefix="") for each in (self, other))
        return one == two

    def embeds_alike(self, other: Fingerprint) -> bool:
        """Whether the two make the same vector of a text, in which the prefix is included."""
        one, two = ((made.model, made.weights_sha256, made.dimension) for made in (self, other))
        return one == two


@dataclass(frozen=True, slots=True)
class Choices:
    """What a run reuses, and what it removes.

    `force` reuses nothing, `verify` compares hashes instead of sizes and times, and every byte of
    the store, `prune_unreachable` removes what cannot be looked at.
    """

    force: bool = False
    verify: bool = False
    prune_unreachable: bool = False


USUAL = Choices()

# ---- Records that somebody else wrote, as JSON has them

MAX_NUMBER = 2**63
MAX_TEXT_CHARS = 4_096  # PATH_MAX
MAX_AUTHOR_CHARS = 200


def fits(kind: str, value: Any) -> bool:  # noqa: ANN401
    """Whether a value that somebody wrote is of a field's type as annotated, in bounds."""
    match kind:
        case "bool":
            return type(value) is bool
        case "int":
            return type(value) is int and 0 <= value < MAX_NUMBER
        case "str":
            whole = isinstance(value, str) and len(value) <= MAX_TEXT_CHARS
            return whole and _is_name(value)
        case "tuple[str, ...]":
            return all(fits("str", each) for each in value)
        case "dict[str, str]" | "dict[str, int]":
            every = (fits("str", key) and fits(kind[10:-1], value[key]) for key in value)
            return isinstance(value, dict) and all(every)
    return True  # a record within, which is looked at by itself


def _is_name(value: str) -> bool:
    """Whether a text can be the name of a file; a null or a lone surrogate is in none."""
    try:
        return b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        return False
