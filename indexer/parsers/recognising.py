"""The jobs of the process that recognises text: draws a page on request and returns its lines.

rapidocr, its models and the decoders of pictures are loaded here and nowhere else, after the
process is confined.
"""

from __future__ import annotations

import json
import math
import os
from functools import partial

from indexer.extract.ocr.engine import RapidEngine, is_blank
from indexer.extract.ocr.pictures import Pages, opened
from indexer.extract.ocr.reading_order import (
    TurnedPage,
    certain_rows,
    lines_of_rows,
    words_of_pieces,
)
from indexer.parsers.child import Answer, Tell, contents
from indexer.parsers.limits import OCR_MEMORY_BYTES, policy

POLICY = partial(policy, OCR_MEMORY_BYTES)


class Jobs:
    """One document at a time, and of it one page."""

    engine: type[RapidEngine] = RapidEngine

    def __init__(self, _: Tell) -> None:
        self._engine = self.engine(len(os.sched_getaffinity(0)))
        self._pages: Pages | None = None

    def pages(self, descriptor: int) -> Answer:
        """How many pages a document has."""
        self._pages = None  # the one before makes room first
        self._pages = opened(contents(descriptor))
        return {"pages": self._pages.count}, b""

    def read(self, number: int, look: bool) -> Answer:
        """The lines of a page; none of one that is "blank", or shows "no text" at a first look."""
        assert self._pages is not None, "a page of no document"
        picture = self._pages.picture(number)
        if is_blank(picture):
            return {"seen": "blank"}, b""
        if look and not self._engine.shows_text(picture):
            return {"seen": "no text"}, b""
        read, picture = self._engine.read(picture)
        rows = certain_rows(read.pieces)
        height, width = picture.shape[:2]
        page = TurnedPage(width, height, read.turned_degrees, math.radians(read.skew_degrees))
        found = {"lines": lines_of_rows(rows), "words": words_of_pieces(rows, page)}
        return {"seen": "text"}, json.dumps(found).encode()
