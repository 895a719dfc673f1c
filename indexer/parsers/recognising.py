"""The jobs of the process that recognises text: draws a page on request and returns its lines.

rapidocr, its models and the decoders of pictures are loaded here and nowhere else, after the
process is confined. What Tesseract printed for a page, which the parent starts, is read here too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

import numpy as np

from indexer.extract.ocr.engine import RapidEngine, grey, is_blank, strip
from indexer.extract.ocr.pictures import Picture
from indexer.extract.ocr.reading_order import (
    Piece,
    TurnedPage,
    certain_rows,
    is_suspect,
    lines_of_rows,
    lines_of_table,
    trial_confidence,
    words_of_pieces,
)
from indexer.parsers import child, protocol
from indexer.parsers.child import Answer
from indexer.parsers.limits import OCR_MEMORY_BYTES, policy
from indexer.records import GREY_BYTES, MAX_POINTS, Points

POLICY = partial(policy, OCR_MEMORY_BYTES)
# Of a trial of Tesseract, as the mean of the words in the script that is tried.
MIN_TRIAL_CONFIDENCE = 0.80
_NO_PAGE: tuple[list[Piece], TurnedPage, Picture] = [], TurnedPage(0, 0), np.zeros((0, 0, 3), "u1")


class Jobs(child.Jobs):
    """Those of pages, of which one at a time is read."""

    engine: type[RapidEngine] = RapidEngine

    def __init__(self) -> None:
        super().__init__()
        self._engine = self.engine(len(os.sched_getaffinity(0)))
        self._pieces, self._turned, self._picture = _NO_PAGE

    def read(self, number: int, look: bool) -> Answer:
        """The lines of a page, "suspect" where rapidocr may lack the letters of its script.

        Of a page that is "blank", or with `look` shows "no text" at a first look, there are none.
        """
        self._pieces, self._turned, self._picture = _NO_PAGE
        picture = self._opened.picture(number)
        if is_blank(picture):
            return {"seen": "blank"}, b""
        if look and not self._engine.shows_text(picture):
            return {"seen": "no text"}, b""
        self._pieces, self._turned, self._picture = self._engine.read(picture)
        seen = "suspect" if is_suspect(self._pieces) else "text"
        return {"seen": seen}, _page(certain_rows(self._pieces), self._turned)

    def picture(self, trial: bool) -> Answer:
        """The page that was read in grey, for Tesseract; for a `trial` the pieces read worst."""
        chosen = strip(self._picture, self._pieces) if trial else self._picture
        width = chosen.shape[1]
        rows = grey(chosen)[: MAX_POINTS // width]
        return protocol.answer_of(Points(width, len(rows), GREY_BYTES, rows.tobytes()))

    def judge(self, tables: Mapping[str, str]) -> Answer:
        """The script in which Tesseract read the strip well; None for none."""
        sure = {name: trial_confidence(table, name) for name, table in tables.items()}
        best = max(sure, key=lambda script: sure[script], default=None)
        return {"script": best if best and sure[best] > MIN_TRIAL_CONFIDENCE else None}, b""

    def printed(self, table: str) -> Answer:
        """The lines of the page as Tesseract read them."""
        return {}, _page(lines_of_table(table), replace(self._turned, skew=0.0), fmean)


def _page(
    rows: Sequence[Sequence[Piece]],
    page: TurnedPage,
    sure: Callable[[Sequence[float]], float] = min,
) -> bytes:
    """The lines of a page's rows, and their words."""
    found = {"lines": lines_of_rows(rows, sure), "words": words_of_pieces(rows, page)}
    return json.dumps(found).encode()
