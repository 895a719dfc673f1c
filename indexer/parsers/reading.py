"""The jobs of a process that reads one document at a time: its lines, or its pages as pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import groupby, islice
from typing import Any

from indexer.extract import Opened, open_document
from indexer.parsers import protocol
from indexer.parsers.child import MAX_DETAIL_CHARS, Answer, Tell, contents
from indexer.parsers.limits import worker_policy

MAX_TITLE_CHARS = 500
POLICY = worker_policy


# Loaded for pages alone: a process that reads lines has no use for them, nor for numpy.
_SHOWING, _PICTURES = "indexer.extract.pdf.showing", "indexer.extract.ocr.pictures"


def shown(data: bytes) -> Any:  # noqa: ANN401 - a PDF or a picture
    """A document with pages, opened; raises UnreadableDocument."""
    is_pdf = data[:1024].find(b"%PDF-") >= 0
    name, kind = (_SHOWING, "ShownPdf") if is_pdf else (_PICTURES, "ShownPicture")
    return getattr(import_module(name), kind)(data)


class Jobs:
    """Those of lines, and those of pages, which are numbered from 1."""

    parse: Callable[[bytes, str, Tell], Opened] = staticmethod(open_document)
    show: Callable[[bytes], Any] = staticmethod(shown)

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._opened: Any = None

    def open(self, descriptor: int, source: str) -> Answer:
        """What a document says of itself; some extractors do all their work here."""
        self._opened = None  # the one before makes room first
        opened = self._opened = self.parse(contents(descriptor), source, self._tell)
        own = {"author": opened.own.author, "date": opened.own.date}
        return {"title": opened.title[:MAX_TITLE_CHARS], **own}, b""

    def lines(self, max_lines: int, max_chars: int) -> Answer:
        """The next lines, and after the last one the label and remark of the whole document."""
        opened, batch, chars = self._opened, [], 0
        for line in islice(opened.lines, max_lines):
            batch.append(line)
            chars += len(line.text) + 1
            if chars >= max_chars:
                break
        body = protocol.encoded(batch) if batch else b""
        if len(batch) == max_lines or chars >= max_chars:
            return {}, body
        return {"label": opened.extractor, "remark": opened.remark[:MAX_DETAIL_CHARS]}, body

    def pages(self, descriptor: int) -> Answer:
        """How many pages a document has."""
        self._opened = None
        self._opened = self.show(contents(descriptor))
        return {"pages": self._opened.count}, b""

    def points(self, number: int, width: int) -> Answer:
        """A page as a picture."""
        return {}, protocol.encoded_points(self._opened.points(number, width))

    def outline(
        self, number: int, quotation: str, near: float | None, words: Sequence[Sequence[Any]]
    ) -> Answer:
        """The places of a quotation, each with its page; `words` are those recognised on it."""
        if words:
            showing = import_module(_SHOWING)
            letters = showing.letters_of_words(list(_lines(words)))
            found = [(number, box) for box in showing.outlined(quotation, letters, near)]
        else:
            found = self._opened.outline(number, quotation, near)
        boxes = [[page, *(round(share, 5) for share in box)] for page, box in found]
        return {"boxes": boxes[: protocol.MAX_BOXES]}, b""


def _lines(words: Sequence[Sequence[Any]]) -> Iterator[list[Any]]:
    """Recognised words line by line, each with its box."""
    for _, line in groupby(words, key=lambda word: word[0]):
        yield [(text, (left, top, right, bottom)) for _, left, top, right, bottom, text in line]
