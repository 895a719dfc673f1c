"""The jobs of the process that shows pages: draws one, and finds a quotation's places on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from indexer.extract.ocr.pictures import ShownPicture
from indexer.extract.pdf.showing import Fractions, ShownPdf, letters_of_words, outlined
from indexer.parsers import protocol
from indexer.parsers.child import Answer, Tell, contents
from indexer.parsers.limits import worker_policy

MAX_BOXES = 1_000  # of a quotation on a page: as many lines as a message holds
POLICY = worker_policy


def shown(data: bytes) -> ShownPdf | ShownPicture:
    """A PDF or a picture, opened; raises UnreadableDocument."""
    return ShownPdf(data) if data[:1024].find(b"%PDF-") >= 0 else ShownPicture(data)


class Jobs:
    """One document at a time; its pages are numbered from 1."""

    show: Callable[[bytes], Any] = staticmethod(shown)

    def __init__(self, _: Tell) -> None:
        self._opened: Any = None

    def open(self, descriptor: int) -> Answer:
        """How many pages a document has."""
        self._opened = None  # the one before makes room first
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
            letters = letters_of_words(list(_lines(words)))
            found = [(number, box) for box in outlined(quotation, letters, near)]
        else:
            found = self._opened.outline(number, quotation, near)
        boxes = [[page, *(round(share, 5) for share in box)] for page, box in found]
        return {"boxes": boxes[:MAX_BOXES]}, b""


def _lines(words: Sequence[Sequence[Any]]) -> Iterator[list[tuple[str, Fractions]]]:
    """Recognised words line by line, each with its box."""
    for _, line in groupby(words, key=lambda word: word[0]):
        yield [(text, (left, top, right, bottom)) for _, left, top, right, bottom, text in line]
