"""Pages without text -> recognised text: the second part of a run, after all other files.

A page that was read is kept at once; one that was read before costs nothing, and needs no engine.
Text that a document has of its own stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from indexer.chunk import Chunker
from indexer.errors import Refused, UnreadableDocument
from indexer.extract.normalise import lines_of
from indexer.extract.ocr.reading_order import UNREADABLE
from indexer.parsers import is_installed, protocol
from indexer.parsers.pages import LABEL, OCR_LIMITS, RecognisedPage, Recogniser, engine_version
from indexer.parsers.tesseract import tesseract_scripts
from indexer.parsers.worker import Copy, Text, Worker
from indexer.records import NO_TEXT_LAYER, RECOGNISED_TEXT, Chunk, FileRow, Line, Ocr, page_mark
from indexer.store.texts import Texts
from indexer.sync.read import copied, indexed

LOOKED = "look-1"  # in the label of a picture at which only a first look was taken
MAX_PROBLEMS = 10  # pages that a remark names


def to_recognise(rows: Iterable[FileRow], ocr: Ocr) -> list[FileRow]:
    """The files whose pages wait under this setting, documents before pictures."""
    waiting = (row for row in rows if _waits(row, ocr))
    return sorted(waiting, key=lambda row: (row.is_picture, row.source))


def _waits(row: FileRow, ocr: Ocr) -> bool:
    if ocr == "off":
        return False
    marks = (row.extractor or "").split("+")[1:]
    other = [mark for mark in marks if mark.startswith("ocr-") and mark != LABEL]
    # A page that Tesseract did not read with the scripts that it had then is read with others.
    vain = [mark for mark in marks if mark.startswith("tesseract-")] if is_installed() else []
    stale = bool(vain) and vain != [f"tesseract-{len(tesseract_scripts())}"]
    return bool(row.waiting or other or stale or (ocr == "all" and LOOKED in marks))


@dataclass(slots=True)
class RecognitionRun:
    """The second part of a run. `on_page` is called after each page that was read or looked up.

    Without the extra only pages that were read before are found; the others go on waiting.
    """

    root: Path
    chunker: Chunker
    texts: Texts
    ocr: Ocr = "auto"
    on_page: Callable[[str], None] = lambda source: None
    should_stop: Callable[[], bool] = lambda: False
    read: int = 0  # pages that an engine read in this run
    _recogniser: Recogniser = field(default_factory=Recogniser)

    def documents(self, rows: Sequence[FileRow]) -> Generator[tuple[FileRow, list[Chunk]]]:
        """Each file's new row and chunks; closing the iterator ends the processes."""
        with closing(Worker()) as worker, closing(self._recogniser):
            for row in rows:
                if self.should_stop():
                    return
                try:
                    with copied(self.root, row.source, row.bytes) as copy:
                        done = self._document(copy, row, worker)
                except (OSError, Refused, UnreadableDocument):
                    continue  # gone or stopped: the pages go on waiting
                if done is not None:
                    yield done

    def _document(
        self, copy: Copy, row: FileRow, worker: Worker
    ) -> tuple[FileRow, list[Chunk]] | None:
        """The row and chunks with recognised text; None if the row stays as it is for now."""
        if copy.sha256 != row.sha256:
            return None  # the next run reads it anew
        base = own_text(copy, row, worker, self.texts)
        known, numbers = _kept_pages(base, row, self.texts)
        if not is_installed():
            if not numbers or not known.keys() >= numbers:
                return None
            return self._row(row, base, {number: known[number] for number in numbers})
        if base is None and not numbers:
            try:
                numbers = frozenset(range(1, self._recogniser.give(copy, OCR_LIMITS) + 1))
            except UnreadableDocument as error:
                return self._row(row, base, {1: self._unread(copy.sha256, 1, error)})
        only_look = self.ocr == "auto" and row.is_picture
        found = {}
        for number in sorted(numbers):
            if self.should_stop():
                return None
            page = known.get(number)
            if (
                page is None
                or page.version != engine_version()
                or page.in_vain not in (None, len(tesseract_scripts()))
                or (page.looked and self.ocr == "all")
            ):
                page = self._page(copy, number, only_look=only_look)
            found[number] = page
            self.on_page(row.source)
        return self._row(row, base, found)

    def _page(self, copy: Copy, number: int, *, only_look: bool) -> RecognisedPage:
        """One page, which is kept when this returns. Raises UnreadableDocument("interrupted")."""
        try:
            page = self._recogniser.read(copy, number, look=only_look)
        except UnreadableDocument as error:
            return self._unread(copy.sha256, number, error)
        self.read += bool(page.lines)
        self.texts.put_page(copy.sha256, page)
        return page

    def _unread(self, sha256: str, number: int, error: UnreadableDocument) -> RecognisedPage:
        """A page that cannot be read, which is kept so that it is not tried every time."""
        if error.reason == "interrupted":
            raise error
        page = RecognisedPage(number, engine_version(), problem=error.reason)
        self.texts.put_page(sha256, page)
        return page

    def _row(
        self, row: FileRow, base: Text | None, kept: Mapping[int, RecognisedPage]
    ) -> tuple[FileRow, list[Chunk]]:
        """The row of a file all of whose pages are done."""
        text = with_pages(base, row, kept)
        said = {line for page in kept.values() for line, _ in page.lines}
        if base is None and not said - {UNREADABLE}:
            reason = "binary" if row.is_picture else "no_text_layer"
            detail = _without_text(row, kept)
            done = replace(row, reason=reason, detail=detail, extractor=text.extractor, waiting=0)
            return done, []
        self.texts.put(row.sha256 or "", row.source, text)
        fresh = replace(row, reason=None, detail=None)
        return indexed(fresh, text, self.chunker)


def own_text(copy: Copy, row: FileRow, worker: Worker, texts: Texts) -> Text | None:
    """The text that a document has of its own, its pages without text marked; None without any."""
    if row.status != "indexed" or row.is_picture:
        return None
    text = texts.get(copy.sha256, row.source)
    if text is not None and "ocr" not in _marks(text.extractor):
        return text
    try:
        return worker.read(copy.descriptor, row.source)
    except UnreadableDocument as error:
        if error.reason == "no_text_layer":
            return None
        raise


def was_recognised(row: FileRow) -> bool:
    """Whether a document has text that was recognised."""
    return "ocr" in _marks(row.extractor or "")


def _marks(label: str) -> frozenset[str]:
    """The engines in the label of an extractor, without their versions."""
    return frozenset(mark.partition("-")[0] for mark in label.split("+")[1:])


def waiting_pages(text: Text) -> frozenset[int]:
    """The numbers of the pages that have no text of their own."""
    return frozenset(
        line.page
        for line in protocol.decoded(text.encoding)
        if line.is_waiting_mark and line.page is not None
    )


def _kept_pages(
    base: Text | None, row: FileRow, texts: Texts
) -> tuple[dict[int, RecognisedPage], frozenset[int]]:
    """The pages that are kept, and the numbers of all that are to be read; none where not known."""
    sha256 = row.sha256 or ""
    if base is None:
        known = texts.first_pages(sha256)
        return known, frozenset(known if len(known) >= max(1, row.waiting) else ())
    numbers = waiting_pages(base)
    found = ((number, texts.page(sha256, number)) for number in numbers)
    return {number: page for number, page in found if page is not None}, numbers


def recognised_text(copy: Copy, row: FileRow, worker: Worker, texts: Texts) -> Text:
    """The text of a document as it was indexed with recognised pages, put together if need be."""
    text = texts.get(copy.sha256, row.source)
    if text is not None and LABEL in text.extractor.split("+"):
        return text
    base = own_text(copy, row, worker, texts)
    known, numbers = _kept_pages(base, row, texts)
    if not numbers or not known.keys() >= numbers:
        raise UnreadableDocument("not_kept", "its recognised text: corpus-agent index")
    return with_pages(base, row, {number: known[number] for number in numbers})


def with_pages(base: Text | None, row: FileRow, kept: Mapping[int, RecognisedPage]) -> Text:
    """A document's own text with the recognised pages in their places. Pure."""
    if base is None:  # then every page is one without text
        marks = [Line(f"{page_mark(n)} ({NO_TEXT_LAYER})", n) for n in sorted(kept)]
        label = (row.extractor or "").partition("+")[0]
        base = Text(label, "", protocol.encoded(marks), len(marks), 0)
    encoding = protocol.encoded(list(_placed(base, kept)))
    lines, chars = protocol.checked(encoding)
    engine = "+tesseract" if any(page.by_tesseract for page in kept.values()) else ""
    in_vain = min((p.in_vain for p in kept.values() if p.in_vain is not None), default=None)
    engine += "" if in_vain is None else f"+tesseract-{in_vain}"
    looked = LOOKED if all(page.looked for page in kept.values()) else LABEL
    unread = [f"page {n} ({page.problem})" for n, page in kept.items() if page.problem]
    remarks = [base.remark] if base.remark else []
    if unread:
        more = len(unread) - MAX_PROBLEMS
        shown = ", ".join(unread[:MAX_PROBLEMS])
        remarks.append(f"not recognised: {shown}{f' and {more} more' if more > 0 else ''}")
    label = f"{base.extractor}{engine}+{looked}"
    made = replace(base, extractor=label, remark="; ".join(remarks))
    return replace(made, encoding=encoding, lines=lines, chars=chars)


def _placed(base: Text, kept: Mapping[int, RecognisedPage]) -> Iterator[Line]:
    """The lines of a document, recognised pages in the place of those without text."""
    for line in protocol.decoded(base.encoding):
        if line.is_waiting_mark and line.page is not None and line.page in kept:
            mark = line.text.removesuffix(f" ({NO_TEXT_LAYER})")
            yield from _page_lines(mark, kept[line.page])
        else:
            yield line


def _page_lines(mark: str, page: RecognisedPage) -> Iterator[Line]:
    remark = f" ({RECOGNISED_TEXT})" if page.lines else ""
    if page.problem:
        remark = f" (not recognised: {page.problem})"
    yield Line(f"{mark}{remark}", page.number)
    for text, confidence in page.lines:
        for part in lines_of(text):
            yield Line(part, page.number, confidence=confidence)


def _without_text(row: FileRow, kept: Mapping[int, RecognisedPage]) -> str:
    """Why a file still has no text although its pages were looked at."""
    problems = {page.problem for page in kept.values()} - {""}
    if problems:
        return f"not recognised: {', '.join(sorted(problems))}"
    if any(page.lines for page in kept.values()):
        return "no line of it is legible"
    if all(page.looked for page in kept.values()):
        name = (row.detail or "picture").partition(";")[0]
        return f"{name}; no lines of text seen (read it all the same: --ocr all)"
    return "no text seen on it"
