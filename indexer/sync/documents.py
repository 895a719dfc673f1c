"""The documents of one store as they are now: windows of their text, pages, whether they changed.

A file is copied before it is read or drawn, so that what was hashed is what is shown. Whether a
document may be read is decided before, by `indexer.index`, which calls this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from indexer.embed.folder import option_for
from indexer.errors import IncompatibleStore, Refused, Unreachable, UnreadableDocument
from indexer.extract import is_todays
from indexer.files.opening import compared
from indexer.files.paths import absence, is_there
from indexer.parsers.pages import page_viewer
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import Copy, Worker
from indexer.records import (
    MULTILINGUAL,
    Box,
    FileRow,
    Fingerprint,
    Line,
    PagePicture,
)
from indexer.store.snapshot import Snapshot
from indexer.store.texts import Texts
from indexer.sync.read import copied, text_of
from indexer.sync.recognise import recognised_text, was_recognised
from indexer.window import MAX_WINDOW_LINES, Window, cut_window, fills_window

KEPT_DOCUMENTS = 8  # extracted documents kept in memory, so that paging does not parse anew


def has_pages(row: FileRow) -> bool:
    """Whether the pages of a document can be shown as pictures."""
    return row.is_picture or (row.extractor or "").startswith("pdf/")


class Documents:
    """The files of one version of one store; each is named by its row."""

    def __init__(self, snapshot: Snapshot, *, anew: bool, quote: Callable[[str], str]) -> None:
        """With `anew` each document is parsed; `quote` formats names in error messages."""
        self._snapshot = snapshot
        self._quote = quote
        self._texts = Texts(snapshot.store, reuse=not anew, keep=not anew)
        self._kept: dict[tuple[str, str], tuple[Line, ...]] = {}  # by source and hash
        self._begun: set[tuple[str, str]] = set()

    @property
    def root(self) -> Path:
        """The folder of the documents; it need not exist."""
        return self._snapshot.root

    def check_root(self) -> None:
        """Raise Unreachable if the folder of the documents is gone, or empty and was not."""
        if self._snapshot.manifest.coverage.searched and not is_there(self.root):
            found = absence(self.root) or "is empty"
            raise Unreachable(
                f"The folder of the documents, {str(self.root)!r}, {found}: moved, or not mounted.",
                "The index is kept: search finds in it. corpus-agent index NEW_FOLDER if it moved.",
            )

    def state(self, row: FileRow) -> Literal["same", "changed", "unreachable"]:
        """Whether a file is as it was indexed."""
        return compared(self.root, row)

    def read(self, row: FileRow, offset: int, limit: int) -> Window:
        """A window of an indexed document; raises Refused."""
        with self._copied(row) as copy:
            return self._window(copy, row, offset, limit)

    def _window(self, copy: Copy, row: FileRow, offset: int, limit: int) -> Window:
        """The first read of an unchanged document whose text is not kept parses what it needs.

        The second parses all of it and keeps the lines.
        """
        stale, document = copy.sha256 != row.sha256, (row.source, copy.sha256)
        lines = self._kept.get(document)
        if lines is None:
            lazily = not stale and is_todays(row.extractor) and document not in self._begun
            with closing(Worker()) as worker:
                if was_recognised(row) and not stale:
                    text = recognised_text(copy, row, worker, self._texts)
                else:
                    enough = fills_window(offset, limit) if lazily else None
                    text = text_of(copy, row.source, worker, self._texts, enough)
            lines = tuple(decoded(text.encoding))
            self._begun.add(document)
            if not text.complete:
                return cut_window(
                    row.source, lines, offset, limit, total=row.lines, quote=self._quote
                )
            self._kept[document] = lines
            for oldest in list(self._kept)[:-KEPT_DOCUMENTS]:
                self._kept.pop(oldest, None)
        return cut_window(row.source, lines, offset, limit, stale=stale, quote=self._quote)

    def page_picture(self, row: FileRow, page: int, width: int) -> PagePicture:
        """A page of a document as a picture; raises Refused, also where it has none."""
        self._check_pages(row)
        with self._copied(row) as copy:
            drawn = page_viewer().picture(copy, page, width)
            return replace(drawn, stale=copy.sha256 != row.sha256)

    def outline(
        self, row: FileRow, page: int, quotation: str, near_line: int | None
    ) -> tuple[Box, ...]:
        """Where the words of a quotation stand on a page; raises as `page_picture` does."""
        self._check_pages(row)
        near = None
        with suppress(Refused):  # a line that is not there is near nothing
            if near_line is not None:
                first = max(1, near_line - MAX_WINDOW_LINES // 2)
                near = share_before(self.read(row, first, MAX_WINDOW_LINES), page, near_line)
        with self._copied(row) as copy:
            kept = self._texts.page(copy.sha256, page)
            words = kept.page.words if kept is not None else ()
            return page_viewer().outline(copy, page, quotation, near, words)

    def _check_pages(self, row: FileRow) -> None:
        if not has_pages(row):
            raise Refused(
                f"{self._quote(row.source)} has no pages that can be shown as pictures.",
                "Read its text.",
                code="not_a_file",
            )

    @contextmanager
    def _copied(self, row: FileRow) -> Iterator[Copy]:
        """A copy of a document; raises Refused for what goes wrong with its file."""
        named = self._quote(row.source)
        try:
            with copied(self.root, row.source, row.bytes) as copy:
                yield copy
        except FileNotFoundError:
            self.check_root()
            raise Refused(
                f"{named} no longer exists; it was indexed before.",
                "Answer from other documents, or have the folder indexed again.",
                code="not_found",
            ) from None
        except (UnreadableDocument, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise Unreachable(
                f"{named} cannot be read now ({why}).", "Use other documents."
            ) from None


def share_before(window: Window, page: int, line: int) -> float | None:
    """The share of a page's text that stands before a line, as far as the window has it; pure."""
    sizes = [
        (number < line, len(each.text))
        for number, each in enumerate(window.lines, start=window.offset)
        if each.page == page and not each.is_mark
    ]
    total = sum(size for _, size in sizes)
    return sum(size for before, size in sizes if before) / total if total else None


def check_fingerprint(prefix: str, stored: Fingerprint, today: Fingerprint) -> None:
    """Raise IncompatibleStore for a version not made as of today; `prefix` is its store's."""
    if stored.makes_same_rows(today):
        return
    which = f" {prefix[:-1]}" if prefix else ""
    if stored.model == today.model:
        hint = f"Bring it up to date: corpus-agent{which and f' -s{which}'} index"
    elif which:  # of indexes that are read together the model that reads all languages is kept
        keeps = stored.model.startswith(MULTILINGUAL)
        one, other = (stored, " NAME") if keeps else (today, which)
        command = f"corpus-agent {option_for(one.model)} -s{other} index"
        hint = f"Those read together need one model: {command}"
    else:
        hint = f"Search with the model that made it: {option_for(stored.model)}"
        hint += f". Or make it anew with this one: corpus-agent index {option_for(today.model)}"
    made, used = (f"{one.model} ({one.weights_sha256[:8]})" for one in (stored, today))
    if stored.model == today.model:
        made, used = f"{made}, {stored.chunker}", f"{used}, {today.chunker}"
    raise IncompatibleStore(f"The index{which} was made with {made}, this run uses {used}.", hint)


def within(prefix: str, quote: Callable[[str], str]) -> Callable[[str], str]:
    """How one store's documents are named in messages: as among all."""
    return (lambda source: quote(prefix + source)) if prefix else quote
