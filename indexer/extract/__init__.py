"""The only way from bytes to text, for both indexing and reading; the formats are in formats.toml.

`claim` returns the extractor of a file, `open_document` its title and its lines, lazily. Parsers
are imported on first use. Does not open files.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract.extraction import (
    BROKEN,
    MAX_NESTING,
    Extraction,
    Extractor,
    Within,
    what_broke,
)
from indexer.extract.hidden import shown
from indexer.extract.normalise import whole
from indexer.extract.text import is_text
from indexer.extract.text.keys import WithoutKeys, refuse_keys
from indexer.extract.text.kinds import BEGINS, kind_of, known_by_name
from indexer.records import Line

MAX_REMARK_PARTS = 10  # named in a document's remark; more are counted
_ROWS = tomllib.loads(Path(__file__).with_name("formats.toml").read_text("utf-8"))
_DOCUMENTS = tuple(
    Extractor(name, **row | {"begins": BEGINS[row.get("begins", "")]})
    for name, row in _ROWS.items()
)
# An archive is read by all of them: when the text of one format changes, so may that of an archive.
_archive = partial(
    Extractor,
    version=2 + sum(extractor.version for extractor in _DOCUMENTS),
    module="members",
    markdown=True,
    container=True,
)
# In the order in which they are tried.
REGISTRY = (
    _archive("zip", suffixes=".zip", kinds="zip"),
    _archive("tar", suffixes=".tar .tgz", kinds="tar"),
    _archive("packed", suffixes=".gz .bz2 .xz", kinds="gz bz2 xz"),
    *_DOCUMENTS,
)


def claim(sample: bytes, path: str) -> Extractor:
    """The extractor for a file of which `sample` is all, or the beginning.

    Raises UnreadableDocument: "secret" for key material, "unsupported" for known formats with text
    that have no extractor, "binary" for everything else that is not text.
    """
    found = next(_claimants(sample, path), None)
    if found is None:
        raise known_by_name(path).refusal()
    return found


def _claimants(sample: bytes, path: str) -> Iterator[Extractor]:
    """All extractors that accept the file, best first."""
    refuse_keys(sample)
    suffix = PurePosixPath(path).suffix.lower()
    kind = kind_of(sample, path)
    if kind is None and not is_text(sample):
        return
    for extractor in REGISTRY:
        if kind in extractor.kinds.split() if kind else extractor.claims(sample, suffix):
            yield extractor


def open_document(data: bytes, source: str, within: Within | None = None) -> Extraction:
    """The document, before its lines are read; raises UnreadableDocument.

    `within` is its place where it stands in another document.
    """
    if not data:
        raise UnreadableDocument("no_bytes", "the file is empty")
    within = within or Within(source)
    failure = known_by_name(within.name).refusal()
    for extractor in _claimants(data, within.name):
        try:
            return _opened(extractor, partial(extractor.read, data), within)
        except (UnreadableDocument, *BROKEN) as error:
            failure = _unreadable(error, extractor)
        # A broken notebook or page of HTML is still text: then it is read, and listed, as such.
        if extractor.kinds:
            break
    raise failure


def opened_as(name: str, read: Callable[[Within], Extraction], within: Within) -> Extraction:
    """A document that is no file of its own, such as a message in a message, as `name` reads it."""
    return _opened(next(each for each in REGISTRY if each.name == name), read, within)


def _opened(
    extractor: Extractor, read: Callable[[Within], Extraction], within: Within
) -> Extraction:
    if extractor.container and within.depth > MAX_NESTING:
        raise UnreadableDocument("unsupported", f"more than {MAX_NESTING} files around it")
    extraction = read(within)
    extraction.extractor = extractor.label
    extraction.title = " ".join(shown(whole(extraction.title or "")).split())
    extraction.lines = _lines(extractor, extraction, extraction.lines)
    return extraction


def _lines(extractor: Extractor, opened: Extraction, lines: Iterator[Line]) -> Iterator[Line]:
    """The lines without keys; raises if none of them contains a letter or digit outside a mark."""
    found = hidden = False
    keys = WithoutKeys(lines)
    passages = waiting = 0
    try:
        for line in keys:
            found = found or (not line.is_mark and any(map(str.isalnum, line.text)))
            passages += line.hidden and not hidden
            hidden = line.hidden
            waiting += line.is_waiting_mark
            yield line
    except (UnreadableDocument, *BROKEN) as error:
        raise _unreadable(error, extractor) from None
    opened.extractor = "+".join([extractor.label, *sorted(opened.engines)])
    if keys.chars > keys.others:  # keys and little else
        raise UnreadableDocument("secret", "private key", extractor.label)
    if keys.number:
        opened.notes.append(f"{_counted(keys.number, 'private key')} left out")
    opened.remark = "; ".join((*_remarks(opened.unread, passages), *opened.notes))
    if not found:
        reason = "malformed" if opened.unread else extractor.empty_reason
        raise UnreadableDocument(reason, opened.remark, extractor.label, waiting)


def _unreadable(error: BaseException, extractor: Extractor) -> UnreadableDocument:
    if isinstance(error, UnreadableDocument):
        return UnreadableDocument(error.reason, error.detail, extractor.label, error.waiting)
    return UnreadableDocument("malformed", what_broke(error), extractor.label)


_LABELS = frozenset(extractor.label for extractor in REGISTRY)


def title_of(title: str, source: str) -> str:
    """The title of a document: its own, else its file name."""
    return title or " ".join(PurePosixPath(source).stem.split())


def is_todays(label: str | None) -> bool:
    """Whether a label is that of a current extractor version."""
    return (label or "").partition("+")[0] in _LABELS


VERSIONS = {extractor.name: str(extractor.version) for extractor in REGISTRY}


def is_read_anew(label: str | None, source: str, known: Mapping[str, str]) -> bool:
    """Whether a file that `known` extractors gave this label may be read otherwise by today's.

    What none could read changes with any of them, the rest with its own, and with a new format: for
    its suffix, for a text by its bytes, for a container always.
    """
    if label is None:
        return known != VERSIONS
    if not is_todays(label) or not (new := VERSIONS.keys() - known.keys()):
        return not is_todays(label)
    suffix = PurePosixPath(source).suffix.lower()
    own, *_ = (each for each in REGISTRY if label.startswith(f"{each.name}/"))
    return own.container or any(
        suffix in each.suffixes.split() or (not own.kinds and (each.kinds or each.begins))
        for each in REGISTRY
        if each.name in new
    )


def _remarks(unread: list[str], passages: int) -> Iterator[str]:
    """What a person should know of parts that could not be read, and of hidden passages."""
    if unread:
        more = len(unread) - MAX_REMARK_PARTS
        named = ", ".join(unread[:MAX_REMARK_PARTS])
        yield f"not readable: {named}{f' and {more} more' if more > 0 else ''}"
    if passages:
        yield f"{_counted(passages, 'passage')} hidden in the document"


def _counted(number: int, what: str) -> str:
    return f"1 {what} is" if number == 1 else f"{number:,} {what}s are"


def is_cut_at_limit(label: str) -> bool:
    """Whether a document with this label that is longer than the limit of text is read up to it.

    The beginning of plain text is text; where a format unpacks to so much, something is wrong.
    """
    return label.partition("/")[0] in _PLAIN


_PLAIN = frozenset({"text", "markdown", "org", "csv", "json"})


def writes_markdown(label: str) -> bool:
    """Whether headings in the lines of a document with this extractor label are Markdown's."""
    name = label.partition("/")[0]
    return any(extractor.markdown for extractor in REGISTRY if extractor.name == name)
