"""THE extractor registry: the only way from bytes to text, for indexing and for reading alike.

`claim` says which extractor serves a file, `extract` gives the whole document, `open_lines` the
same lines lazily. Parsers are imported when they are first used. Does not open files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract import pdf, text
from indexer.extract.normalise import lines_of, whole
from indexer.records import Document, Line

SAMPLE_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class Extraction:
    """The title that a document gives itself, if any, and its lines, lazily."""

    title: str | None
    lines: Iterator[Line]


@dataclass(frozen=True, slots=True)
class Extractor:
    """One way from bytes to text. A change of what `read` yields is a new `version`.

    `empty_reason` is the code for a file in which no text was found.
    """

    name: str
    version: int
    claims: Callable[[bytes, str], bool]
    read: Callable[[bytes], Extraction]
    empty_reason: str = "no_text"

    @property
    def label(self) -> str:
        """Name and version, as in "pdf/1"."""
        return f"{self.name}/{self.version}"


def _read_text(data: bytes) -> Extraction:
    return Extraction(None, (Line(line) for line in lines_of(text.decode(data))))


def _read_markdown(data: bytes) -> Extraction:
    decoded = text.decode(data).replace("\r\n", "\n")
    return Extraction(text.markdown_title(decoded), (Line(line) for line in lines_of(decoded)))


def _read_pdf(data: bytes) -> Extraction:
    title, pages = pdf.pdf_pages(data)
    return Extraction(title, _paged_lines(pages))


def _paged_lines(pages: Iterator[str]) -> Iterator[Line]:
    for number, page in enumerate(pages, start=1):
        yield Line(page_mark(number), number)
        for line in lines_of(page):
            yield Line(line, number)


def page_mark(number: int) -> str:
    """The line that begins a page."""
    return f"--- Page {number} ---"


# Magic bytes come before suffixes: the first that claims a file serves it.
REGISTRY: tuple[Extractor, ...] = (
    Extractor("pdf", 1, pdf.is_pdf, _read_pdf, empty_reason="no_text_layer"),
    Extractor("markdown", 1, text.is_markdown, _read_markdown),
    Extractor("text", 1, text.is_text, _read_text),
)

# Formats that are recognised in order to say so. First bytes, then what it is.
_UNSUPPORTED: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "ZIP archive, Office or EPUB document"),
    (b"\xd0\xcf\x11\xe0", "legacy Office document"),
    (b"{\\rtf", "RTF document"),
    (b"\x1f\x8b", "gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!", "RAR archive"),
)
_BINARY: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"RIFF", "RIFF media (WebP, WAV, AVI)"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"SQLite format 3", "SQLite database"),
    (b"ID3", "MP3 audio"),
    (b"OggS", "Ogg media"),
)


def claim(sample: bytes, path: str) -> Extractor:
    """The extractor for a file whose first bytes are `sample`.

    Raises UnreadableDocument: "unsupported" for formats that hold text that nobody reads here
    yet, "binary" for everything else that is not text.
    """
    for magic, name in _UNSUPPORTED:
        if sample.startswith(magic):
            raise UnreadableDocument("unsupported", name)
    for magic, name in _BINARY:
        if sample.startswith(magic):
            raise UnreadableDocument("binary", name)
    for extractor in REGISTRY:
        if extractor.claims(sample, path):
            return extractor
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in text.NOT_PLAIN_SUFFIXES:
        raise UnreadableDocument("unsupported", f"{suffix} document")
    raise UnreadableDocument("binary", "not text")


@dataclass(slots=True)
class Opened:
    """A document whose lines come as they are asked for.

    `title` is what it gives itself, "" if nothing. `extractor` is a label; it is final, as is
    `remark`, which says what could not be read, once all lines have come. `lines` raises
    UnreadableDocument with that label, and the extractor's `empty_reason` at the end where there
    was no text.
    """

    extractor: str
    title: str
    lines: Iterator[Line]
    remark: str = ""


def open_document(
    data: bytes, source: str, on_claim: Callable[[str], None] = lambda label: None
) -> Opened:
    """The document, before its lines are read; raises UnreadableDocument.

    `on_claim` is told the label of each extractor before it is let at the bytes.
    """
    if not data:
        raise UnreadableDocument("no_bytes", "the file is empty")
    extractor = claim(data[:SAMPLE_BYTES], source)
    on_claim(extractor.label)
    with _labelled(extractor.label):
        extraction = extractor.read(data)
    title = " ".join(whole(extraction.title or "").split())
    return Opened(extractor.label, title, _with_text(extraction.lines, extractor))


def title_of(title: str, source: str) -> str:
    """What a document is called: its own title, else its file's name."""
    return title or " ".join(PurePosixPath(source).stem.split())


def is_todays(label: str | None) -> bool:
    """Whether the extractor that gave a text is still of that version."""
    known = {extractor.label for extractor in REGISTRY}
    return label is not None and label.partition("+")[0] in known


def open_lines(data: bytes, source: str) -> Iterator[Line]:
    """The lines that `extract` would give, lazily; raises UnreadableDocument."""
    return open_document(data, source).lines


def extract(data: bytes, source: str) -> Document:
    """The whole document; raises UnreadableDocument."""
    opened = open_document(data, source)
    lines = tuple(opened.lines)
    digest = hashlib.sha256(data).hexdigest()
    title = title_of(opened.title, source)
    return Document(source, title, lines, opened.extractor, digest)


def _with_text(lines: Iterator[Line], extractor: Extractor) -> Iterator[Line]:
    """The lines; raises where none of them holds a letter or digit that is not a page mark."""
    found = False
    with _labelled(extractor.label):
        for line in lines:
            found = found or (not _is_mark(line) and any(map(str.isalnum, line.text)))
            yield line
        if not found:
            raise UnreadableDocument(extractor.empty_reason)


@contextmanager
def _labelled(label: str) -> Iterator[None]:
    try:
        yield
    except UnreadableDocument as error:
        raise UnreadableDocument(error.reason, error.detail, label) from None


def _is_mark(line: Line) -> bool:
    return line.page is not None and line.text == page_mark(line.page)
