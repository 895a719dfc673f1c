"""The jobs of a parser: opens a document, then returns its lines in batches."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from indexer.extract import Opened, open_document
from indexer.parsers import protocol
from indexer.parsers.child import MAX_DETAIL_CHARS, Answer, Tell, contents
from indexer.parsers.limits import worker_policy

MAX_TITLE_CHARS = 500
POLICY = worker_policy


class Jobs:
    """One document at a time."""

    parse: Callable[[bytes, str, Tell], Opened] = staticmethod(open_document)

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._opened: Opened | None = None

    def open(self, descriptor: int, source: str) -> Answer:
        """What a document says of itself; some extractors do all their work here."""
        self._opened = None  # the one before makes room first
        opened = self._opened = self.parse(contents(descriptor), source, self._tell)
        own = {"author": opened.own.author, "date": opened.own.date}
        return {"title": opened.title[:MAX_TITLE_CHARS], **own}, b""

    def lines(self, max_lines: int, max_chars: int) -> Answer:
        """The next lines, and after the last one the label and remark of the whole document."""
        opened = self._opened
        assert opened is not None, "lines of no document"
        batch = []
        chars = 0
        for line in islice(opened.lines, max_lines):
            batch.append(line)
            chars += len(line.text) + 1
            if chars >= max_chars:
                break
        body = protocol.encoded(batch) if batch else b""
        if len(batch) == max_lines or chars >= max_chars:
            return {}, body
        return {"label": opened.extractor, "remark": opened.remark[:MAX_DETAIL_CHARS]}, body
