"""THE extractor registry: the only way from bytes to text, for indexing and for reading alike.

`claim` says which extractor serves a file, `extract` gives the whole document, `open_lines` the
same lines lazily. Parsers are imported when they are first used. Does not open files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract import (
    doc,
    docx,
    ebook,
    html,
    mail,
    notebook,
    odf,
    pdf,
    ppt,
    pptx,
    rtf,
    structured,
    subtitles,
    tables,
    text,
)
from indexer.extract.broken import BROKEN
from indexer.extract.extraction import Extraction, Extractor, is_mark, page_mark
from indexer.extract.kinds import kind_of
from indexer.extract.normalise import whole
from indexer.records import Document, Line

__all__ = [
    "REGISTRY",
    "Extraction",
    "Extractor",
    "claim",
    "extract",
    "is_mark",
    "open_lines",
    "page_mark",
    "writes_markdown",
]

# Marks in the bytes come before suffixes; then the first that claims a file, plain text last.
REGISTRY: tuple[Extractor, ...] = (
    *pdf.EXTRACTORS,
    *docx.EXTRACTORS,
    *pptx.EXTRACTORS,
    *odf.EXTRACTORS,
    *tables.EXTRACTORS,
    *rtf.EXTRACTORS,
    *doc.EXTRACTORS,
    *ppt.EXTRACTORS,
    *ebook.EXTRACTORS,
    *mail.EXTRACTORS,
    *notebook.EXTRACTORS,
    *subtitles.EXTRACTORS,
    *html.EXTRACTORS,
    *structured.EXTRACTORS,
    *text.EXTRACTORS,
)
MAX_REMARK_PARTS = 10  # named in a document's remark; more are counted


def claim(sample: bytes, path: str) -> Extractor:
    """The extractor for a file of which `sample` is all, or the beginning.

    With the beginning alone a ZIP or legacy Office file is told by what happens to stand there.
    Raises UnreadableDocument: "unsupported" for formats that hold text that nobody reads here,
    "binary" for everything else that is not text.
    """
    for extractor in _claimants(sample, path):
        return extractor
    raise UnreadableDocument("binary", "not text")


def _claimants(sample: bytes, path: str) -> Iterator[Extractor]:
    """All that would serve the file, best first."""
    kind = kind_of(sample)
    for extractor in REGISTRY:
        if kind in extractor.kinds if kind else extractor.claims(sample, path):
            yield extractor


def _open(data: bytes, source: str) -> tuple[Extractor, Extraction]:
    """Who serves a file, and what they give; errors carry the extractor's label."""
    failure = UnreadableDocument("binary", "not text")
    for extractor in _claimants(data, source):
        try:
            return extractor, extractor.read(data)
        except (UnreadableDocument, *BROKEN) as error:
            failure = _unreadable(error, extractor)
        # A broken notebook or page of HTML is still text: then it is read, and listed, as such.
        if not extractor.over_text:
            break
    raise failure


def _lines(extractor: Extractor, extraction: Extraction) -> Iterator[Line]:
    try:
        yield from extraction.lines
    except (UnreadableDocument, *BROKEN) as error:
        raise _unreadable(error, extractor) from None


def _unreadable(error: BaseException, extractor: Extractor) -> UnreadableDocument:
    if isinstance(error, UnreadableDocument):
        return UnreadableDocument(error.reason, error.detail, extractor.label)
    shown = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return UnreadableDocument("malformed", shown, extractor.label)


def open_lines(data: bytes, source: str) -> Iterator[Line]:
    """The lines that `extract` would give, lazily; raises UnreadableDocument."""
    return _lines(*_open(data, source))


def extract(data: bytes, source: str) -> Document:
    """The whole document.

    Raises UnreadableDocument, with the extractor's `empty_reason` where the file holds no text.
    """
    if not data:
        raise UnreadableDocument("no_bytes", "the file is empty")
    extractor, extraction = _open(data, source)
    lines = tuple(_lines(extractor, extraction))
    remark = _remark(extraction.unread)
    if not any(char.isalnum() for line in lines if not is_mark(line) for char in line.text):
        reason = "malformed" if extraction.unread else extractor.empty_reason
        raise UnreadableDocument(reason, remark, extractor.label)
    title = " ".join(whole(extraction.title or "").split()) or PurePosixPath(source).stem
    label = "+".join([extractor.label, *sorted(extraction.engines)])
    digest = hashlib.sha256(data).hexdigest()
    return Document(source, title, lines, label, digest, remark)


def _remark(unread: list[str]) -> str:
    if not unread:
        return ""
    more = len(unread) - MAX_REMARK_PARTS
    shown = ", ".join(unread[:MAX_REMARK_PARTS])
    return f"not readable: {shown}{f' and {more} more' if more > 0 else ''}"


def writes_markdown(label: str) -> bool:
    """Whether headings in the lines of a document with this extractor label are Markdown's."""
    name = label.partition("/")[0]
    return any(extractor.markdown for extractor in REGISTRY if extractor.name == name)
