"""The jobs of the process that recognises text: draws a page on request and returns its lines.

rapidocr, its models and the decoders of pictures are loaded here and nowhere else, after the
process is confined.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence

from indexer.extract.ocr import PlacedText
from indexer.extract.ocr.engine import RapidEngine, Recognition, is_blank
from indexer.extract.ocr.pictures import Pages, Picture, opened
from indexer.extract.ocr.reading_order import (
    Piece,
    TurnedPage,
    certain_rows,
    lines_of_rows,
    words_of_pieces,
)
from indexer.parsers.child import Answer, Tell, contents
from indexer.parsers.limits import ocr_policy

POLICY = ocr_policy


class Jobs:
    """One document at a time, and of it one page."""

    engine: type[RapidEngine] = RapidEngine

    def __init__(self, _: Tell) -> None:
        self._engine = self.engine(len(os.sched_getaffinity(0)))
        self._pages: Pages | None = None
        self._picture: Picture | None = None
        self._read: Recognition | None = None  # of the picture

    def pages(self, descriptor: int) -> Answer:
        """How many pages a document has."""
        self._pages = self._picture = self._read = None  # the one before makes room first
        self._pages = opened(contents(descriptor))
        return {"pages": self._pages.count}, b""

    def read(self, number: int, look: bool) -> Answer:
        """The lines of a page; none of one that is "blank", or shows "no text" at a first look."""
        assert self._pages is not None, "a page of no document"
        self._picture = self._read = None
        picture = self._pages.picture(number)
        if is_blank(picture):
            return {"seen": "blank"}, b""
        if look and not self._engine.shows_text(picture):
            return {"seen": "no text"}, b""
        self._read, self._picture = self._engine.read(picture)
        rows = certain_rows(self._read.pieces)
        return {"seen": "text"}, _page(lines_of_rows(rows), self._words(rows, self._skew))

    @property
    def _skew(self) -> float:
        assert self._read is not None
        return math.radians(self._read.skew_degrees)

    def _words(self, rows: Sequence[Sequence[Piece]], skew: float) -> list[PlacedText]:
        """The words of the page's rows, which slant by radians."""
        assert self._picture is not None and self._read is not None
        height, width = self._picture.shape[:2]
        return words_of_pieces(rows, TurnedPage(width, height, self._read.turned_degrees, skew))


def _page(lines: Sequence[tuple[str, float]], words: Sequence[PlacedText]) -> bytes:
    return json.dumps({"lines": lines, "words": words}).encode()
