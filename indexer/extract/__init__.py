"""The extractor registry: the only way from bytes to text, for both indexing and reading.

`claim` returns the extractor of a file, `open_document` its title and its lines, lazily. Parsers
are imported on first use. Does not open files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract import suffixes
from indexer.extract.damage import BROKEN
from indexer.extract.extraction import Claim, Extraction, Extractor
from indexer.extract.magic import kind_of
from indexer.extract.normalise import whole
from indexer.extract.text import SAMPLE_BYTES, is_text
from indexer.records import Line

__all__ = [
    "REGISTRY",
    "SAMPLE_BYTES",
    "Extraction",
    "Extractor",
    "Opened",
    "claim",
    "is_todays",
    "open_document",
    "title_of",
    "writes_markdown",
]


def _from(module: str, function: str) -> Callable[[bytes], Extraction]:
    """A reader of this package by name; its module is imported on the first call."""

    def read(data: bytes) -> Extraction:
        extraction = getattr(import_module(f"indexer.extract.{module}"), function)(data)
        assert isinstance(extraction, Extraction)
        return extraction

    return read


def _binary(
    name: str, version: int, kinds: str, module: str, *, markdown: bool = False
) -> Extractor:
    """A format that `kind_of` recognises by its bytes."""
    return Extractor(
        name, version, _from(module, f"read_{name}"), tuple(kinds.split()), markdown=markdown
    )


def _text(
    name: str, version: int, claims: Claim, module: str, *, markdown: bool = False
) -> Extractor:
    """A format whose files are text: a broken one is still read as plain text."""
    return Extractor(name, version, _from(module, f"read_{name}"), claims=claims, markdown=markdown)


# Every format of one document. Marks in the bytes come before names; among the formats of text the
# first that claims a file serves it, plain text last.
_DOCUMENTS: tuple[Extractor, ...] = (
    replace(_binary("pdf", 4, "pdf", "pdf.pages"), empty_reason="no_text_layer"),
    replace(_binary("image", 1, "picture", "image"), empty_reason="picture"),
    _binary("docx", 2, "docx", "office.docx", markdown=True),
    _binary("pptx", 2, "pptx", "office.pptx", markdown=True),
    _binary("xlsx", 2, "xlsx xlsb", "tables"),
    _binary("odf", 2, "odt odp", "office.odf", markdown=True),
    _binary("ods", 1, "ods", "tables"),
    _binary("epub", 3, "epub", "ebook", markdown=True),
    _binary("iwork", 1, "iwork", "office.iwork", markdown=True),
    _binary("doc", 1, "doc", "legacy.doc", markdown=True),
    _binary("ppt", 2, "ppt", "legacy.ppt", markdown=True),
    _binary("xls", 1, "xls", "tables"),
    _binary("msg", 3, "msg", "mail"),
    _binary("rtf", 3, "rtf", "legacy.rtf", markdown=True),
    _text("fb2", 1, suffixes.is_fb2, "ebook", markdown=True),
    _text("mbox", 3, suffixes.is_mbox, "mail"),
    _text("eml", 3, suffixes.is_eml, "mail"),
    _text("notebook", 3, suffixes.is_notebook, "notebook", markdown=True),
    _text("subtitles", 2, suffixes.is_subtitles, "subtitles"),
    _text("csv", 2, suffixes.is_csv, "tables"),
    _text("html", 3, suffixes.is_html, "html", markdown=True),
    _text("json", 2, suffixes.is_json, "structured"),
    _text("xml", 3, suffixes.is_xml, "structured", markdown=True),
    _text("markdown", 2, suffixes.is_markdown, "text", markdown=True),
    _text("org", 2, suffixes.is_org, "text"),
    _text("rst", 2, suffixes.is_rst, "text"),
    _text("latex", 2, suffixes.is_latex, "text"),
    _text("text", 2, suffixes.is_plain, "text"),
)
# An archive is read by all of them: when the text of one format changes, so may that of an archive.
_ZIP_VERSION = 1 + sum(extractor.version for extractor in _DOCUMENTS)
REGISTRY = (_binary("zip", _ZIP_VERSION, "zip", "archive", markdown=True), *_DOCUMENTS)
MAX_REMARK_PARTS = 10  # named in a document's remark; more are counted


def claim(sample: bytes, path: str) -> Extractor:
    """The extractor for a file of which `sample` is all, or the beginning.

    From the beginning alone, a ZIP or legacy Office file is recognised by its first entries and its
    name. Raises UnreadableDocument: "unsupported" for known formats with text that have no
    extractor, "binary" for everything else that is not text.
    """
    for extractor in _claimants(sample, path):
        return extractor
    raise UnreadableDocument("binary", "not text")


def _claimants(sample: bytes, path: str) -> Iterator[Extractor]:
    """All extractors that accept the file, best first."""
    kind = kind_of(sample, path)
    if kind is None and not is_text(sample):
        return
    for extractor in REGISTRY:
        if kind in extractor.kinds if kind else extractor.claims(sample, path):
            yield extractor


@dataclass(slots=True)
class Opened:
    """A document whose lines are extracted lazily.

    `title` is the document's own, "" if it has none. `extractor` is a label; it and `remark`, a
    message on unreadable parts, are final after the last line. `lines` raises UnreadableDocument
    with that label, and with the extractor's `empty_reason` at the end if there was no text.
    """

    extractor: str
    title: str
    lines: Iterator[Line] = field(default_factory=lambda: iter(()))
    remark: str = ""


def open_document(
    data: bytes, source: str, on_claim: Callable[[str], None] = lambda label: None
) -> Opened:
    """The document, before its lines are read; raises UnreadableDocument.

    `on_claim` is called with the label of each extractor before it reads the bytes.
    """
    if not data:
        raise UnreadableDocument("no_bytes", "the file is empty")
    extractor, extraction = _open(data, source, on_claim)
    opened = Opened(extractor.label, " ".join(whole(extraction.title or "").split()))
    opened.lines = _lines(extractor, extraction, opened)
    return opened


def _open(
    data: bytes, source: str, on_claim: Callable[[str], None]
) -> tuple[Extractor, Extraction]:
    """The extractor of a file and its extraction; errors carry the extractor's label."""
    failure = UnreadableDocument("binary", "not text")
    for extractor in _claimants(data, source):
        on_claim(extractor.label)
        try:
            return extractor, extractor.read(data)
        except (UnreadableDocument, *BROKEN) as error:
            failure = _unreadable(error, extractor)
        # A broken notebook or page of HTML is still text: then it is read, and listed, as such.
        if extractor.kinds:
            break
    raise failure


def _lines(extractor: Extractor, extraction: Extraction, opened: Opened) -> Iterator[Line]:
    """The lines; raises if none of them contains a letter or digit outside a mark."""
    found = False
    waiting = 0
    try:
        for line in extraction.lines:
            found = found or (not line.is_mark and any(map(str.isalnum, line.text)))
            waiting += line.is_waiting_mark
            yield line
    except (UnreadableDocument, *BROKEN) as error:
        raise _unreadable(error, extractor) from None
    opened.extractor = "+".join([extractor.label, *sorted(extraction.engines)])
    opened.remark = _remark(extraction.unread)
    if not found:
        reason = "malformed" if extraction.unread else extractor.empty_reason
        raise UnreadableDocument(reason, opened.remark, extractor.label, waiting)


def _unreadable(error: BaseException, extractor: Extractor) -> UnreadableDocument:
    if isinstance(error, UnreadableDocument):
        return UnreadableDocument(error.reason, error.detail, extractor.label, error.waiting)
    shown = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return UnreadableDocument("malformed", shown, extractor.label)


def title_of(title: str, source: str) -> str:
    """The title of a document: its own, else its file name."""
    return title or " ".join(PurePosixPath(source).stem.split())


def is_todays(label: str | None) -> bool:
    """Whether a label is that of a current extractor version."""
    known = {extractor.label for extractor in REGISTRY}
    return label is not None and label.partition("+")[0] in known


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
