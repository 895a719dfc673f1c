"""Figures as rapidocr reads them, in lines of which Tesseract reads the words. Pure.

rapidocr knows the figures of a page whose letters it does not know. Tesseract knows the letters,
and with the languages of other scripts it misreads every second amount; benchmarks/ocr.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from indexer.extract.ocr.reading_order import MIN_CONFIDENCE, UNREADABLE, Piece

FIGURE = re.compile(r"\d(?:[\d.,/:-]*\d)?")
_COMMON = 0.5  # of the narrower of two: then both stand in one place


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
