"""The words and lines in the table that Tesseract prints, as a person is shown them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import fmean

import regex

from indexer.extract.normalise import lines_of, whole
from indexer.extract.ocr.figures import FIGURE
from indexer.extract.ocr.reading_order import UNREADABLE, Piece

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
