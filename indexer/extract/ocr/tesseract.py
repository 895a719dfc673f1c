"""What Tesseract printed for a page -> lines, and what it is tried with. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import fmean

import numpy as np
import regex

from indexer.extract.normalise import whole
from indexer.extract.ocr.pictures import Picture
from indexer.extract.ocr.reading_order import UNREADABLE, Piece

STRIP_PIECES = 8  # shown to Tesseract before it is given the page
# Of a line, as the mean of its words: Tesseract's numbers run lower than rapidocr's.
MIN_LINE_CONFIDENCE = 0.60
MIN_TRIAL_LETTERS = 0.5  # of all letters that it reads: in the script that is tried
_WORD = "5"  # the level of a row of its table
_MU = re.compile("\u00b5(?=[\u0370-\u03ff])|(?<=[\u0370-\u03ff])\u00b5")  # read as the micro sign


def strip(picture: Picture, pieces: Sequence[Piece]) -> Picture:
    """The pieces of a page that were read worst, one below the other, for a trial."""
    wide = [piece for piece in pieces if piece.right - piece.left > 2 * piece.height]
    worst = sorted(wide or pieces, key=lambda piece: (not piece.is_sparse, piece.confidence))
    crops = [
        picture[max(0, int(p.top)) : int(p.bottom) + 1, max(0, int(p.left)) : int(p.right) + 1]
        for p in worst[:STRIP_PIECES]
    ]
    cut = [np.pad(c, ((12, 12), (12, 12), (0, 0)), mode="edge") for c in crops if c.size]
    width = max((crop.shape[1] for crop in cut), default=0)
    rest = (((0, 0), (0, width - crop.shape[1]), (0, 0)) for crop in cut)
    filled = [np.pad(c, pad, constant_values=255) for c, pad in zip(cut, rest, strict=True)]
    return np.concatenate(filled) if filled else picture


def lines_of_table(table: str) -> list[list[Piece]]:
    """The words of Tesseract's table, line by line."""
    lines = groupby(_words(table), key=lambda word: word[0])
    return [_certain([piece for _, piece in line]) for _, line in lines]


def trial_confidence(table: str, script: str) -> float:
    """How surely words of a script were read; 0 if most letters are of another."""
    words = [piece for _, piece in _words(table)]
    letters = [char for word in words for char in word.text if char.isalpha()]
    ours = regex.compile(rf"\p{{{script}}}")
    if sum(bool(ours.match(char)) for char in letters) < MIN_TRIAL_LETTERS * max(1, len(letters)):
        return 0.0
    sure = [word.confidence for word in words if ours.search(word.text)]
    return sum(sure) / len(sure) if sure else 0.0


def _words(table: str) -> Iterator[tuple[list[str], Piece]]:
    """The rows of the table that are words, each with the cells that number its line."""
    for cells in (row.split("\t") for row in table.splitlines()):
        if len(cells) == 12 and cells[0] == _WORD and cells[11].strip():
            left, top, width, height, percent = (float(cell) for cell in cells[6:11])
            text = _MU.sub("\u03bc", " ".join(whole(cells[11]).split()))
            sure = min(1.0, max(0.0, percent / 100))
            yield cells[1:5], Piece(left, top, left + width, top + height, text, sure)


def _certain(line: list[Piece]) -> list[Piece]:
    """The line, or its places alone if it is not certain."""
    if fmean(word.confidence for word in line) >= MIN_LINE_CONFIDENCE:
        return line
    return [replace(word, text=UNREADABLE, confidence=0.0) for word in line]
