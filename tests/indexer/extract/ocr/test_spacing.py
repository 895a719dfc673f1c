"""Where a gap in a picture is a space, and where it is the paper beside a thin figure."""

import numpy as np
import pytest

from indexer.extract.ocr.spacing import MIN_FIGURE_COLUMNS, spaced

HEIGHT, COLUMN = 50, 3  # pixels of a piece, and of one of the columns


def picture(paper: float) -> tuple[list[int], float, np.ndarray]:
    """Two strokes with paper between them, a part of the height: their columns, all, and pixels."""
    stroke, margin = HEIGHT // 5, 10
    second = margin + stroke + round(paper * HEIGHT)
    crop = np.full((HEIGHT, second + stroke + margin, 3), 255, np.uint8)
    for start in (margin, second):
        crop[5:-5, start : start + stroke] = 0
    columns = [(start + stroke // 2) // COLUMN for start in (margin, second)]
    return columns, crop.shape[1] / COLUMN, crop


@pytest.mark.parametrize(
    ("figures", "paper", "shown"),
    [
        ("27", 0.19, "27"),  # no figures of one number stood farther apart, in six fonts
        ("21", 0.22, "21"),
        ("16", 0.28, "16"),
        ("11", 0.26, "11"),
        ("27", 0.30, "2 7"),  # the controls: a space is as wide
        ("21", 0.34, "2 1"),
        ("16", 0.40, "1 6"),
        ("11", 0.42, "1 1"),
    ],
)
def test_paper_beside_a_thin_figure_is_no_space(figures, paper, shown):
    columns, all_columns, crop = picture(paper)
    assert columns[1] - columns[0] >= MIN_FIGURE_COLUMNS
    assert spaced(figures, columns, all_columns, crop) == shown
