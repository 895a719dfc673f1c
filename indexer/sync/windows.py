"""The lines of a document that is read: kept, recognised or parsed, no more than a window needs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from indexer.extract import is_todays
from indexer.parsers.protocol import decoded
from indexer.parsers.worker import Copy, Worker
from indexer.records import FileRow, Line
from indexer.store.recognised import RecognisedPages
from indexer.store.texts import Notes, Texts
from indexer.sync.read import text_of
from indexer.sync.recognise import recognised_text, was_recognised
from indexer.window import Window, cut_window, fills_window

KEPT_DOCUMENTS = 8  # extracted documents kept in memory, so that paging does not parse anew


class Windows:
    """Windows of the documents of one store; whether a document may be read is decided before."""

    def __init__(self, store: Path, *, anew: bool, quote: Callable[[str], str]) -> None:
        """With `anew` each document is parsed; `quote` formats names in error messages."""
        self._quote = quote
        self._texts = Texts(store, reuse=not anew, keep=not anew)
        self._pages = RecognisedPages(store)
        self._kept: dict[tuple[str, str], tuple[Line, ...]] = {}  # by source and hash
        self._begun: set[tuple[str, str]] = set()

    def notes(self, row: FileRow) -> Notes:
        """What callers kept of the text of a document."""
        return self._texts.notes(row.sha256)

    def of(self, copy: Copy, row: FileRow, offset: int, limit: int) -> Window:
        """The window of a document as it is now.

        The first read of an unchanged, uncached document parses only what the window needs; the
        second parses all of it and caches the lines.
        """
        source, stale = row.source, copy.sha256 != row.sha256
        document = (source, copy.sha256)
        lines = self._kept.get(document)
        if lines is None:
            lazily = not stale and is_todays(row.extractor) and document not in self._begun
            enough = fills_window(offset, limit) if lazily else None
            with closing(Worker()) as worker:
                if was_recognised(row) and not stale:
                    text = recognised_text(copy, row, worker, self._texts, self._pages)
                else:
                    text = text_of(copy, source, worker, self._texts, enough)
            lines = tuple(decoded(text.encoding))
            self._begun.add(document)
            if not text.complete:
                return cut_window(source, lines, offset, limit, total=row.lines, quote=self._quote)
            self._keep(document, lines)
        return cut_window(source, lines, offset, limit, stale=stale, quote=self._quote)

    def _keep(self, document: tuple[str, str], lines: tuple[Line, ...]) -> None:
        self._kept[document] = lines
        for oldest in list(self._kept)[:-KEPT_DOCUMENTS]:
            self._kept.pop(oldest, None)
