"""From pieces of recognised text to lines: order, what is unsure, spaces, and places."""

from statistics import fmean

import numpy as np
import pytest

from indexer.extract.ocr.engine import MIN_FIGURE_COLUMNS, spaced, strip
from indexer.extract.ocr.reading_order import (
    MIN_CONFIDENCE,
    UNREADABLE,
    Piece,
    TurnedPage,
    certain_rows,
    is_foreign,
    is_suspect,
    lines_of_rows,
    lines_of_table,
    skew,
    trial_confidence,
    words_of_pieces,
)
from indexer.extract.pdf.showing import letters_of_words, outlined


def piece(
    text: str, left: float, top: float, confidence: float = 0.99, letter: float = 12
) -> Piece:
    """A piece whose letters stand side by side, each as wide as a space."""
    return Piece(left, top, left + letter * len(text), top + 24, text, confidence)


def shown(*pieces: Piece) -> list[str]:
    return [text for text, _ in lines_of_rows(certain_rows(pieces))]


def test_pieces_at_one_height_are_a_line_from_left_to_right():
    rows = [piece("450.00", 700, 102), piece("Oak table", 40, 100), piece("Total", 40, 140)]
    assert shown(*rows) == ["Oak table 450.00", "Total"]


def test_columns_of_running_text_are_read_one_after_the_other():
    def column(left: int, name: str) -> list[Piece]:
        return [piece(f"{name} line number {n:02}, words", left, 100 + 30 * n) for n in range(8)]

    heading = piece("A heading over both of the columns of this page, wide", 40, 60)
    found = shown(heading, *column(40, "First"), *column(400, "Other"))
    assert found[0] == heading.text
    assert found[1:9] == [piece.text for piece in column(40, "First")]
    assert found[9:] == [piece.text for piece in column(400, "Other")]


def test_what_is_unsure_is_named_in_its_place_and_its_line_keeps_the_least_confidence():
    sure, unsure = round(MIN_CONFIDENCE + 0.05, 3), MIN_CONFIDENCE - 0.01
    row = [piece("Oak table", 40, 100, sure), piece("4S0.O0", 700, 100, unsure)]
    assert lines_of_rows(certain_rows(row)) == [(f"Oak table {UNREADABLE}", sure)]
    noise = [piece(f"noise {n}", 40, 100 + 30 * n, 0.3) for n in range(5)]
    assert lines_of_rows(certain_rows(noise)) == [(UNREADABLE, 0.0)]


def test_of_a_page_in_unknown_letters_only_figures_stand():
    lost = [Piece(40, 100 + 30 * n, 600, 124 + 30 * n, "C 14", 0.99) for n in range(3)]
    words, date = piece("Cya aa py6", 40, 300), piece("16.02.2022", 40, 340)
    assert is_foreign([*lost, words, date])
    assert shown(*lost, words, date) == [UNREADABLE, "16.02.2022"]
    assert not is_suspect([words, date])
    assert shown(words, date) == [words.text, date.text]  # the control


def test_the_slant_of_a_page_is_that_of_its_long_lines():
    frame = [(0.0, 0.0), (500.0, 25.0), (498.0, 50.0), (-2.0, 25.0)]
    assert skew([frame] * 3) == pytest.approx(0.05, abs=0.001)
    assert skew([frame] * 2) == 0.0  # too few to tell


def table_of(*words):
    """What Tesseract prints for words: the number of their line, percent, and text."""
    rows = [(5, 1, 1, 1, line, n, 0, 0, 9, 9, *word) for n, (line, *word) in enumerate(words)]
    return "\n".join("\t".join(map(str, row)) for row in (*rows, (4, *[0] * 9, -1, "")))


def test_tesseracts_words_become_lines_and_unsure_ones_are_named():
    printed = table_of((1, 96.2, "Дата:"), (1, 91.8, "16.02.2022"), (2, 31.0, "шум"))
    lines = lines_of_rows(lines_of_table(printed), fmean)
    assert lines == [("Дата: 16.02.2022", 0.94), (UNREADABLE, 0.0)]


SEEN = (
    (["\u00b5ίσθω\u00b5α", "5", "\u00b5m"], "μίσθωμα 5 \u00b5m"),  # Greek, read as the micro sign
    (["ก", "ำ", "ร"], "กำร"),  # letters of Thai
)


def test_letters_that_tesseract_takes_for_others_are_mended():
    for words, shown in SEEN:
        printed = table_of(*((1, 95.0, word) for word in words))
        assert [text for text, _ in lines_of_rows(lines_of_table(printed))] == [shown]


def test_a_trial_counts_where_most_letters_are_of_the_script_that_is_tried():
    printed = table_of((1, 90.0, "Договор"), (1, 70.0, "аренды"), (2, 99.0, "16.02.2022"))
    assert trial_confidence(printed, "Cyrillic") == pytest.approx(0.8)
    assert trial_confidence(printed, "Greek") == trial_confidence("", "Greek") == 0.0


def test_what_was_read_worst_is_tried_and_a_frame_beyond_the_edge_is_cut():
    page = np.full((200, 300, 3), 255, np.uint8)
    page[100:120] = 7
    worst = Piece(-5, 100, 400, 119, "", 0.1)
    better = [Piece(10, 10 + n, 90, 30 + n, "words", 0.9) for n in range(8)]
    shown = strip(page, [*better, worst])
    assert (shown[:44] == 7).all() and shown.shape == (44 + 7 * 45, 324, 3)
    assert strip(page, []) is page


# -- spaces that the picture shows -----------------------------------------------------------------


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


# -- places on the page ----------------------------------------------------------------------------


def near(one, other, within=0.002):
    return all(abs(a - b) <= within for a, b in zip(one, other, strict=True))


def test_a_word_stands_by_its_share_of_the_piece():
    rows = [[Piece(100, 40, 300, 60, "ab", 1.0)], [Piece(100, 80, 300, 100, "ab cd", 1.0)]]
    words = words_of_pieces(rows, TurnedPage(400, 200))
    assert [(word.line, word.text) for word in words] == [(0, "ab"), (1, "ab"), (1, "cd")]
    assert near(words[2][1:5], (220 / 400, 80 / 200, 300 / 400, 100 / 200))


def test_a_page_that_was_turned_to_be_read_is_turned_back_and_places_end_at_its_edge():
    for turned, shown in (
        (0, (0.25, 0.1, 0.5, 0.2)),
        (90, (0.8, 0.25, 0.9, 0.5)),  # its top was at the right
        (180, (0.5, 0.8, 0.75, 0.9)),
        (270, (0.1, 0.5, 0.2, 0.75)),
    ):
        assert near(TurnedPage(400, 200, turned).placed(0, (100, 20, 200, 40), "rent")[1:5], shown)
    turned = TurnedPage(400, 200)
    assert turned.placed(0, (401, 20, 500, 40), "rent") is None
    assert near(turned.placed(0, (300, -5, 500, 40), "rent")[1:5], (0.75, 0, 1, 0.2))


def test_what_was_not_read_surely_has_no_place():
    sure, unsure = Piece(0, 0, 90, 20, "The rent", 0.95), Piece(0, 40, 90, 60, "is due now", 0.5)
    words = words_of_pieces(certain_rows([sure, unsure]), TurnedPage(100, 100))
    assert [word.text for word in words] == ["The", "rent"]
    lines = [[Piece(0, 0, 9, 9, "Miete", 0.9), Piece(10, 0, 19, 9, UNREADABLE, 0.0)]]
    assert [word.text for word in words_of_pieces(lines, TurnedPage(100, 100))] == ["Miete"]


def test_a_quotation_of_recognised_words_is_outlined_line_by_line():
    lines = [
        [("The", (0.1, 0.1, 0.2, 0.12)), ("rent", (0.22, 0.1, 0.3, 0.12))],
        [("is", (0.1, 0.2, 0.15, 0.22)), ("due-", (0.17, 0.2, 0.25, 0.22))],
        [("ing", (0.1, 0.3, 0.16, 0.32)), ("now", (0.2, 0.3, 0.3, 0.32))],
    ]
    page = letters_of_words(lines)
    found = outlined("rent is\ndue-\ning", page, None)
    for box, wanted in zip(
        found, [(0.22, 0.1, 0.3, 0.12), (0.1, 0.2, 0.25, 0.22), (0.1, 0.3, 0.16, 0.32)], strict=True
    ):
        assert near(box, wanted)
    assert outlined("a heron nests in the reeds", page, None) == []
