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

import regex

from indexer.extract.normalise import lines_of, whole
from indexer.extract.ocr.reading_order import MIN_CONFIDENCE, UNREADABLE, Piece

# Of a line, as the mean of its words: Tesseract's numbers run lower than rapidocr's.
MIN_LINE_CONFIDENCE = 0.60
MIN_TRIAL_LETTERS = 0.5  # of all letters that it reads: in the script that is tried
_WORD = "5"  # the level of a row of its table
# Tesseract takes each letter of these for a word. In rendered Thai, letters stand up to .25 of the
# line's height apart, words from .33 on.
_UNSPACED = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
MIN_SPACE_HEIGHTS = 0.3

FIGURE = re.compile(r"\d(?:[\d.,/:-]*\d)?")
_COMMON = 0.5  # of the narrower of two: then both stand in one place


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
    if any(map(str.isalpha, core)) or (len(here) == 1 and _continues(core, here[0].text)):
        return [word]
    if not fresh:
        return []
    ends = word.text[:start], word.text[end:]
    fresh[0] = replace(fresh[0], text=ends[0] + fresh[0].text)
    fresh[-1] = replace(fresh[-1], text=fresh[-1].text + ends[1])
    return fresh


def _continues(longer: str, figure: str) -> bool:
    """Whether a figure is a part of a longer one: the edge of its frame cut it."""
    return len(longer) > len(figure) and (longer.startswith(figure) or longer.endswith(figure))


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
