"""The jobs of the process that recognises text: draws one page on request and returns its lines.

rapidocr, its models and the decoders of pictures are loaded here and nowhere else, after the
process is confined. What Tesseract printed for a page, which the parent starts, is read here too.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence

import numpy as np

from indexer.extract.normalise import lines_of
from indexer.extract.ocr.engine import RapidEngine, Recognition, is_blank
from indexer.extract.ocr.figures import figures_of, with_figures
from indexer.extract.ocr.pictures import Pages, Picture, opened
from indexer.extract.ocr.places import PlacedText, Sheet, words_of_pieces
from indexer.extract.ocr.reading_order import Piece, certain_rows, is_suspect, lines_of_pieces
from indexer.parsers import words
from indexer.parsers.child import Answer, Tell, contents
from indexer.parsers.limits import ocr_policy

STRIP_PIECES = 8  # shown to another engine before it is given the page
POLICY = ocr_policy


class Jobs:
    """One document at a time, and of it one page."""

    engine: type[RapidEngine] = RapidEngine

    def __init__(self, _: Tell) -> None:
        self._engine = self.engine(len(os.sched_getaffinity(0)))
        self._pages: Pages | None = None
        self._picture: Picture | None = None
        self._read: Recognition | None = None  # of the picture

    def open(self, descriptor: int) -> Answer:
        """How many pages a document has."""
        self._pages = self._picture = self._read = None  # the one before makes room first
        self._pages = opened(contents(descriptor))
        return {"pages": self._pages.count}, b""

    def draw(self, number: int) -> Answer:
        """The hash of a page as a picture, and whether there is anything on it."""
        assert self._pages is not None, "a page of no document"
        self._picture = self._read = None
        picture = self._picture = self._pages.picture(number)
        digest = hashlib.sha256(f"{picture.shape}".encode())
        digest.update(picture.tobytes())
        return {"sha256": digest.hexdigest(), "blank": is_blank(picture)}, b""

    def look(self) -> Answer:
        """Whether a first look at the page finds lines of text."""
        assert self._picture is not None, "a look at no page"
        return {"text": self._engine.shows_text(self._picture)}, b""

    def read(self) -> Answer:
        """The lines of the page, and whether rapidocr may lack the letters of its script."""
        assert self._picture is not None, "the text of no page"
        self._read, self._picture = self._engine.read(self._picture)
        pieces = self._read.pieces
        lines = [
            (text, round(line.confidence, 3))
            for line in lines_of_pieces(pieces)
            for text in lines_of(line.text)
        ]
        words = words_of_pieces(certain_rows(pieces), self._sheet(self._skew))
        return {"suspect": is_suspect(pieces)}, _page(lines, words)

    def grey(self, strip: bool) -> Answer:
        """The page that was read for another engine, or the pieces of it that were read worst."""
        assert self._picture is not None and self._read is not None, "the picture of no page"
        return {}, _grey(_strip(self._picture, self._read.pieces) if strip else self._picture)

    def judge(self, tables: Mapping[str, str]) -> Answer:
        """The script in which Tesseract read the strip well, None for none."""
        sure = {script: words.trial_confidence(table, script) for script, table in tables.items()}
        best = max(sure, key=lambda script: sure[script], default=None)
        return {"script": best if best and sure[best] > words.MIN_TRIAL_CONFIDENCE else None}, b""

    def merge(self, table: str) -> Answer:
        """The lines of the page as Tesseract read them, with the figures of rapidocr."""
        assert self._read is not None, "the text of no page"
        figures = figures_of(self._read.pieces, self._skew)
        read = with_figures(words.lines_of_table(table), figures)
        lines = [part for line in read for part in words.shown(line)]
        return {}, _page(lines, words_of_pieces(read, self._sheet(0.0)))

    @property
    def _skew(self) -> float:
        assert self._read is not None
        return math.radians(self._read.skew_degrees)

    def _sheet(self, skew: float) -> Sheet:
        assert self._picture is not None and self._read is not None
        height, width = self._picture.shape[:2]
        return Sheet(width, height, self._read.turned_degrees, skew)


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
