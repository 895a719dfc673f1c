"""Where a gap in a picture is a space, and where it is the paper beside a thin figure."""

import numpy as np

from indexer.extract.ocr.engine import MIN_FIGURE_COLUMNS, spaced

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


def test_paper_beside_a_thin_figure_is_no_space():
    # No figures of one number stood farther apart, in six fonts; the second share is a space.
    for figures, paper, space in (("27", 0.19, 0.30), ("21", 0.22, 0.34), ("16", 0.28, 0.40)):
        for share, shown in ((paper, figures), (space, " ".join(figures))):
            columns, all_columns, crop = picture(share)
            assert columns[1] - columns[0] >= MIN_FIGURE_COLUMNS
            assert spaced(figures, columns, all_columns, crop) == shown


GAP = np.full((24, 200, 3), 255, np.uint8)  # paper, and one dot of ink
GAP[0, 0] = 0
INK = np.zeros((24, 200, 3), np.uint8)
INK[0, 0] = 255


GAPS = (
    ("Kc55", [0, 3, 11, 14], INK, "Kc 55"),  # two cells that the model took for one word
    ("0105555", [0, 2, 4, 8, 10, 12, 14], GAP, "010 5555"),
    ("0105555", [0, 2, 4, 8, 10, 12, 14], INK, "0105555"),  # no paper between them
    ("TOTAL", [0, 8, 16, 24, 32], GAP, "TOTAL"),  # set wide
    ("号20", [0, 9, 11], GAP, "号20"),
    ("abc", [0, 9], GAP, "abc"),  # columns of something else
)


def test_a_space_comes_back_where_the_picture_shows_a_gap():
    for text, columns, crop, expected in GAPS:
        assert spaced(text, columns, 40.0, crop) == expected
