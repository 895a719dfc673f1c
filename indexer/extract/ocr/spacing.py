"""Spaces that the model leaves out, put back where the picture shows a gap. Pure.

Its letters come with the columns of the picture in which they were seen. Between the cells of a
table and between groups of figures the model may see no space, and two numbers become one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

# In columns of the model: letters stand 2 to 4 apart, words 3 to 6, cells 7 and more.
MIN_CELL_COLUMNS = 7
MIN_CELL_RATIO = 2.2  # to the median of the piece, so that letter-spaced words stay whole
MIN_FIGURE_COLUMNS = 4
# Paper without ink between two figures, as parts of the piece's height. All figures of a number are
# as broad as each other, so that the thin 1 has paper beside it, most behind it. Between figures of
# one number there was up to .19, .22 before and .28 behind a 1 (six fonts, five heights).
MIN_FIGURE_GAP = 0.23
BEFORE_ONE, BEHIND_ONE = 0.04, 0.09
_INK = 0.5  # between the darkest and the lightest of a piece


def spaced(text: str, columns: Sequence[int], all_columns: float, crop: NDArray[np.uint8]) -> str:
    """`text` with a space in each wide gap; `columns` are those of its letters, spaces left out."""
    letters = [index for index, char in enumerate(text) if not char.isspace()]
    if len(letters) != len(columns) or len(letters) < 2:
        return text
    usual = median(second - first for first, second in pairwise(columns))
    parts = [text[: letters[0]]]
    for place, index in enumerate(letters):
        if place and index == letters[place - 1] + 1:
            ends = (columns[place - 1], columns[place])
            if _is_gap(text[index - 1], text[index], ends, usual, all_columns, crop):
                parts.append(" ")
        end = letters[place + 1] if place + 1 < len(letters) else len(text)
        parts.append(text[index:end])
    return "".join(parts)


def _is_gap(
    before: str,
    after: str,
    ends: tuple[int, int],
    usual: float,
    all_columns: float,
    crop: NDArray[np.uint8],
) -> bool:
    if _is_wide(before) or _is_wide(after):
        return False
    columns = ends[1] - ends[0]
    if columns >= MIN_CELL_COLUMNS and columns >= MIN_CELL_RATIO * usual:
        return True
    if not (before.isdigit() and after.isdigit()) or columns < MIN_FIGURE_COLUMNS:
        return False
    least = MIN_FIGURE_GAP + BEFORE_ONE * (after == "1") + BEHIND_ONE * (before == "1")
    return _clear(ends, all_columns, crop) >= least


def _is_wide(char: str) -> bool:
    return east_asian_width(char) in "WF"


def _clear(ends: tuple[int, int], all_columns: float, crop: NDArray[np.uint8]) -> float:
    """The widest paper without ink between two columns, as part of the piece's height."""
    height, width = crop.shape[:2]
    left, right = (int((column + 0.5) / all_columns * width) for column in ends)
    grey = crop[:, max(0, left) : right + 1].mean(axis=2)
    if grey.size == 0:
        return 0.0
    low, high = float(crop.min()), float(crop.max())
    edge = low + _INK * (high - low)
    run = longest = 0
    for clear in (grey > edge).all(axis=0):
        run = run + 1 if clear else 0
        longest = max(longest, run)
    return float(longest / height)
