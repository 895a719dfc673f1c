"""What Tesseract printed for a page -> lines, with the figures that rapidocr read there. Pure.

rapidocr knows the figures of a page whose letters it does not know. Tesseract knows the letters,
and with the languages of other scripts it misreads every second amount.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from statistics import fmean

import numpy as np
import regex

from indexer.extract.normalise import whole
from indexer.extract.ocr.pictures import Picture
from indexer.extract.ocr.reading_order import MIN_CONFIDENCE, UNREADABLE, Piece

STRIP_PIECES = 8  # shown to Tesseract before it is given the page
# Of a line, as the mean of its words: Tesseract's numbers run lower than rapidocr's.
MIN_LINE_CONFIDENCE = 0.60
MIN_TRIAL_LETTERS = 0.5  # of all letters that it reads: in the script that is tried
_WORD = "5"  # the level of a row of its table
FIGURE = re.compile(r"\d(?:[\d.,/:-]*\d)?")
_MU = re.compile("\u00b5(?=[\u0370-\u03ff])|(?<=[\u0370-\u03ff])\u00b5")  # read as the micro sign
_COMMON = 0.5  # of the narrower of two: then both stand in one place


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
    """The line, or its places alone if neither all nor its words without figures are certain."""
    letters = [word for word in line if not FIGURE.search(word.text)] or line
    if any(fmean(w.confidence for w in part) >= MIN_LINE_CONFIDENCE for part in (line, letters)):
        return line
    return [replace(word, text=UNREADABLE, confidence=0.0) for word in line]


# ---- The figures


def figures_of(pieces: Sequence[Piece], angle: float) -> list[Piece]:
    """The figures of pieces that are certain, where they stand on a page slanted by radians."""
    cos, sin = math.cos(angle), math.sin(angle)
    found = []
    for piece in pieces:
        if piece.confidence >= MIN_CONFIDENCE:
            # Where letters were left out, one may have been taken for a figure.
            alone = not piece.is_sparse and not any(map(str.isalpha, piece.text))
            for left, right, text in _figures(piece):
                x, y = (left + right) / 2, piece.middle
                x, y = x * cos - y * sin, x * sin + y * cos
                width, height = (right - left) / 2, piece.height / 2
                sure = alone or (len(text) > 1 and not piece.is_sparse)
                frame = (x - width, y - height, x + width, y + height)
                found.append(Piece(*frame, text, piece.confidence, stands_alone=sure))
    return found


def _figures(piece: Piece) -> Iterator[tuple[float, float, str]]:
    """Left, right and text of each figure of a piece; letters that are none of it are left out."""
    words = list(re.finditer(r"\S+", piece.text))
    seen = 0  # letters before this word
    for word in words:
        before, seen = seen, seen + len(word[0])
        longest = max(FIGURE.finditer(word[0]), key=lambda match: len(match[0]), default=None)
        if longest is None or 2 * len(longest[0]) <= len(word[0]) > 1:
            continue
        span = piece.span(before + longest.start(), before + longest.end() - 1)
        if span is not None:
            yield *span, longest[0]
        elif len(words) == 1:
            yield piece.left, piece.right, longest[0]


def with_figures(lines: Sequence[Sequence[Piece]], figures: Sequence[Piece]) -> list[list[Piece]]:
    """The lines with `figures` in the place of what was read there; others are put beside."""
    placed: set[Piece] = set()
    merged = [[part for word in line for part in _merged(word, figures, placed)] for line in lines]
    for figure in figures:
        if figure.stands_alone and figure not in placed:
            _insert(figure, merged)
    return [line for line in merged if line]


def _merged(word: Piece, figures: Sequence[Piece], placed: set[Piece]) -> list[Piece]:
    """What stands in the place of a word."""
    here = [figure for figure in figures if _in_one_place(word, figure)]
    digits = [place for place, char in enumerate(word.text) if char.isdigit()]
    if not here or (not digits and any(map(str.isalpha, word.text)) and word.text != UNREADABLE):
        return [word]
    fresh = [figure for figure in here if figure not in placed]
    placed.update(here)
    if not digits:
        return fresh
    start, end = digits[0], digits[-1] + 1
    core = word.text[start:end]
    if any(map(str.isalpha, core)) or (len(here) == 1 and _cut(here[0].text, core)):
        return [word]
    if not fresh:
        return []
    ends = word.text[:start], word.text[end:]
    fresh[0] = replace(fresh[0], text=ends[0] + fresh[0].text)
    fresh[-1] = replace(fresh[-1], text=fresh[-1].text + ends[1])
    return fresh


def _cut(figure: str, longer: str) -> bool:
    """Whether a figure is a part of a longer one, cut by the edge of its frame."""
    return figure != longer and longer.startswith(figure) | longer.endswith(figure)


def _in_one_place(word: Piece, figure: Piece) -> bool:
    common = min(word.right, figure.right) - max(word.left, figure.left)
    narrower = min(word.right - word.left, figure.right - figure.left)
    near = -figure.height if word.text == figure.text else _COMMON * narrower
    return common > near and _at_one_height(word, figure)


def _at_one_height(one: Piece, other: Piece) -> bool:
    return one.top < other.middle < one.bottom or other.top < one.middle < other.bottom


def _insert(figure: Piece, lines: list[list[Piece]]) -> None:
    """Put a figure where no word was read into the nearest line at its height, or its own line."""
    level = [line for line in lines if any(_at_one_height(word, figure) for word in line)]
    if not level:
        below = (place for place, line in enumerate(lines) if line and line[0].top > figure.middle)
        lines.insert(next(below, len(lines)), [figure])
        return
    line = min(level, key=lambda line: min(abs(word.left - figure.left) for word in line))
    leftwards = sum(1 if one.left > other.left else -1 for one, other in pairwise(line)) > 0
    before = [word for word in line if (word.left < figure.left) != leftwards]
    line.insert(line.index(before[-1]) + 1 if before else 0, figure)
