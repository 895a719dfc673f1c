"""The jobs of the process that recognises text: draws a page on request and returns its lines.

rapidocr, its models and the decoders of pictures are loaded here and nowhere else, after the
process is confined. What Tesseract printed for a page, which the parent starts, is read here too.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from indexer.extract.ocr import PlacedText, tesseract
from indexer.extract.ocr.engine import RapidEngine, Recognition, is_blank
from indexer.extract.ocr.pictures import Pages, Picture, opened
from indexer.extract.ocr.reading_order import (
    Piece,
    Sheet,
    certain_rows,
    is_suspect,
    lines_of_rows,
    words_of_pieces,
)
from indexer.parsers.child import Answer, Tell, contents
from indexer.parsers.limits import ocr_policy

STRIP_PIECES = 8  # shown to another engine before it is given the page
POLICY = ocr_policy
# Of a trial, as the mean of the words in the script that is tried.
MIN_TRIAL_CONFIDENCE = 0.80


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
        """The lines of a page, "suspect" where rapidocr may lack the letters of its script.

        Of a page that is "blank", or with `look` shows "no text" at a first look, there are none.
        """
        assert self._pages is not None, "a page of no document"
        self._picture = self._read = None
        picture = self._pages.picture(number)
        if is_blank(picture):
            return {"seen": "blank"}, b""
        if look and not self._engine.shows_text(picture):
            return {"seen": "no text"}, b""
        self._read, self._picture = self._engine.read(picture)
        rows = certain_rows(self._read.pieces)
        seen = "suspect" if is_suspect(self._read.pieces) else "text"
        return {"seen": seen}, _page(lines_of_rows(rows), self._words(rows, self._skew))

    def strip(self) -> Answer:
        """The pieces that were read worst, for a trial of another engine."""
        assert self._picture is not None and self._read is not None, "the picture of no page"
        return {}, _grey(_strip(self._picture, self._read.pieces))

    def judge(self, tables: Mapping[str, str]) -> Answer:
        """The script in which Tesseract read the strip well, with the page; None for none."""
        assert self._picture is not None, "the picture of no page"
        sure = {name: tesseract.trial_confidence(table, name) for name, table in tables.items()}
        best = max(sure, key=lambda script: sure[script], default=None)
        if best is None or sure[best] <= MIN_TRIAL_CONFIDENCE:
            return {"script": None}, b""
        return {"script": best}, _grey(self._picture)

    def merge(self, table: str) -> Answer:
        """The lines of the page as Tesseract read them, with the figures of rapidocr."""
        assert self._read is not None, "the text of no page"
        figures = tesseract.figures_of(self._read.pieces, self._skew)
        rows = tesseract.with_figures(tesseract.lines_of_table(table), figures)
        return {}, _page(lines_of_rows(rows, fmean), self._words(rows, 0.0))

    @property
    def _skew(self) -> float:
        assert self._read is not None
        return math.radians(self._read.skew_degrees)

    def _words(self, rows: Sequence[Sequence[Piece]], skew: float) -> list[PlacedText]:
        """The words of the page's rows, which slant by radians."""
        assert self._picture is not None and self._read is not None
        height, width = self._picture.shape[:2]
        return words_of_pieces(rows, Sheet(width, height, self._read.turned_degrees, skew))


def _page(lines: Sequence[tuple[str, float]], words: Sequence[PlacedText]) -> bytes:
    return json.dumps({"lines": lines, "words": words}).encode()


def _strip(picture: Picture, pieces: Sequence[Piece]) -> Picture:
    """The pieces of a page that were read worst, one below the other, for a trial."""
    wide = [piece for piece in pieces if piece.right - piece.left > 2 * piece.height]
    worst = sorted(wide or pieces, key=lambda piece: (not piece.is_sparse, piece.confidence))
    cut = []
    for piece in worst[:STRIP_PIECES]:
        top, left = max(0, int(piece.top)), max(0, int(piece.left))
        crop = picture[top : int(piece.bottom) + 1, left : int(piece.right) + 1]
        if crop.size:
            cut.append(np.pad(crop, ((12, 12), (12, 12), (0, 0)), mode="edge"))
    if not cut:
        return picture
    width = max(crop.shape[1] for crop in cut)
    rest = [((0, 0), (0, width - crop.shape[1]), (0, 0)) for crop in cut]
    return np.concatenate(
        [np.pad(crop, pad, constant_values=255) for crop, pad in zip(cut, rest, strict=True)]
    )


def _grey(picture: Picture) -> bytes:
    """The picture as a portable grey map: simple to write here and to read there."""
    weights = np.array([0.114, 0.587, 0.299], np.float32)
    grey = np.rint(picture.astype(np.float32) @ weights).astype(np.uint8)
    height, width = grey.shape
    points: bytes = grey.tobytes()
    return f"P5\n{width} {height}\n255\n".encode() + points
