"""The jobs of the process that recognises text: draws one page on request and returns its lines.

rapidocr, its models and the decoders of pictures are loaded here and nowhere else, after the
process is confined. What Tesseract printed for a page, which the parent starts, is read here too.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import fmean

import numpy as np
import regex

from indexer.extract.normalise import lines_of, whole
from indexer.extract.ocr.engine import RapidEngine, Recognition, is_blank
from indexer.extract.ocr.figures import FIGURE, figures_of, with_figures
from indexer.extract.ocr.pictures import Pages, Picture, opened
from indexer.extract.ocr.reading_order import (
    UNREADABLE,
    Piece,
    PlacedText,
    Sheet,
    certain_rows,
    is_suspect,
    lines_of_pieces,
    words_of_pieces,
)
from indexer.parsers.child import Answer, Tell, contents
from indexer.parsers.limits import ocr_policy

STRIP_PIECES = 8  # shown to another engine before it is given the page
POLICY = ocr_policy
# Of a line, as the mean of its words: Tesseract's numbers run lower than rapidocr's.
MIN_LINE_CONFIDENCE = 0.60
# Of a trial, as the mean of the words in the script that is tried.
MIN_TRIAL_CONFIDENCE = 0.80
MIN_TRIAL_LETTERS = 0.5  # of all letters that it reads: in the script that is tried

_WORD = "5"  # the level of a row of its table
# Tesseract takes each letter of these for a word. In rendered Thai, letters stand up to .25 of the
# line's height apart, words from .33 on.
_UNSPACED = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
MIN_SPACE_HEIGHTS = 0.3


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

    def draw(self, number: int) -> Answer:
        """Whether a page, which is drawn, is empty."""
        assert self._pages is not None, "a page of no document"
        self._picture = self._read = None
        picture = self._picture = self._pages.picture(number)
        return {"blank": is_blank(picture)}, b""

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
        placed = words_of_pieces(certain_rows(pieces), self._sheet(self._skew))
        return {"suspect": is_suspect(pieces)}, _page(lines, placed)

    def grey(self, strip: bool) -> Answer:
        """The page that was read for another engine, or the pieces of it that were read worst."""
        assert self._picture is not None and self._read is not None, "the picture of no page"
        return {}, _grey(_strip(self._picture, self._read.pieces) if strip else self._picture)

    def judge(self, tables: Mapping[str, str]) -> Answer:
        """The script in which Tesseract read the strip well, None for none."""
        sure = {script: trial_confidence(table, script) for script, table in tables.items()}
        best = max(sure, key=lambda script: sure[script], default=None)
        return {"script": best if best and sure[best] > MIN_TRIAL_CONFIDENCE else None}, b""

    def merge(self, table: str) -> Answer:
        """The lines of the page as Tesseract read them, with the figures of rapidocr."""
        assert self._read is not None, "the text of no page"
        figures = figures_of(self._read.pieces, self._skew)
        read = with_figures(lines_of_table(table), figures)
        lines = [part for line in read for part in shown(line)]
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


# ---- The table that Tesseract prints


def lines_of_table(table: str) -> list[list[Piece]]:
    """The words of Tesseract's table, line by line."""
    lines = groupby(words_of_table(table), key=lambda cells: cells[1:5])
    return [_certain([_placed(cells) for cells in line]) for _, line in lines]


def trial_confidence(table: str, script: str) -> float:
    """How surely words of a script were read; 0 if most letters are of another."""
    words = words_of_table(table)
    letters = [char for cells in words for char in cells[11] if char.isalpha()]
    ours = regex.compile(rf"\p{{{script}}}")
    if sum(bool(ours.match(char)) for char in letters) < MIN_TRIAL_LETTERS * max(1, len(letters)):
        return 0.0
    sure = [_share(cells[10]) for cells in words if ours.search(cells[11])]
    return sum(sure) / len(sure) if sure else 0.0


def words_of_table(table: str) -> list[list[str]]:
    """The rows of the table that are words."""
    rows = (row.split("\t") for row in table.splitlines())
    return [cells for cells in rows if len(cells) == 12 and cells[0] == _WORD and cells[11].strip()]


def _placed(cells: Sequence[str]) -> Piece:
    left, top, width, height = (float(cell) for cell in cells[6:10])
    text = " ".join(whole(cells[11]).split())
    return Piece(left, top, left + width, top + height, text, _share(cells[10]))


def _certain(line: list[Piece]) -> list[Piece]:
    """The line, or its places alone if neither all nor its words without figures are certain."""
    letters = [word for word in line if not FIGURE.search(word.text)] or line
    if any(fmean(w.confidence for w in part) >= MIN_LINE_CONFIDENCE for part in (line, letters)):
        return line
    return [replace(word, text=UNREADABLE, confidence=0.0) for word in line]


def shown(words: Sequence[Piece]) -> Iterator[tuple[str, float]]:
    """The lines that a person is shown of one, each with the mean confidence of what is read."""
    read = [word.confidence for word in words if word.text != UNREADABLE]
    mean = round(fmean(read), 3) if read else 0.0
    for part in lines_of(_joined(words)):
        yield part, mean


def _joined(words: Sequence[Piece]) -> str:
    """The words with spaces between; of a script that is written without, where there is room."""
    text, before = "", None
    height = max((word.height for word in words), default=0.0)
    for word in words:
        if before is not None:
            if word.text == before.text == UNREADABLE:
                continue
            close = word.left - before.right < MIN_SPACE_HEIGHTS * height
            unspaced = _UNSPACED.match(before.text[-1]) and _UNSPACED.match(word.text[0])
            text += "" if close and unspaced else " "
        text += word.text
        before = word
    return text.replace("\u0e4d\u0e32", "\u0e33")  # one vowel of Thai, seen as its two parts


def _share(percent: str) -> float:
    try:
        return min(1.0, max(0.0, float(percent) / 100))
    except ValueError:
        return 0.0
