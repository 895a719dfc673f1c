"""Pieces of recognised text: their order, and what is too unsure to stand."""

import pytest

from indexer.extract.ocr.reading_order import (
    MIN_CONFIDENCE,
    UNREADABLE,
    Piece,
    certain_rows,
    is_foreign,
    is_suspect,
    lines_of_rows,
    skew,
)


def piece(text: str, left: float, top: float, confidence: float = 0.99) -> Piece:
    return Piece(left, top, left + 11 * len(text), top + 24, text, confidence)


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
