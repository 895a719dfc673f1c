"""Where recognised words stand on the page as it is shown, whichever way it lay."""

from indexer.extract.ocr.reading_order import (
    UNREADABLE,
    Piece,
    Sheet,
    certain_rows,
    words_of_pieces,
)
from indexer.extract.pdf.showing import letters_of_words, outlined


def near(one, other, within=0.002):
    return all(abs(a - b) <= within for a, b in zip(one, other, strict=True))


def test_a_word_stands_where_its_letters_were_seen_else_by_its_share_of_the_piece():
    seen = Piece(100, 40, 300, 60, "ab cd", 1.0, (0.05, 0.15, 0.85, 0.95))
    rows = [[seen], [Piece(100, 80, 300, 100, "ab cd", 1.0)]]
    words = words_of_pieces(rows, Sheet(400, 200))
    assert [(word.line, word.text) for word in words] == [
        (0, "ab"), (0, "cd"), (1, "ab"), (1, "cd"),
    ]  # fmt: skip
    assert near(words[1][1:5], (265 / 400, 40 / 200, 295 / 400, 60 / 200))
    assert near(words[3][1:5], (220 / 400, 80 / 200, 300 / 400, 100 / 200))


def test_a_page_that_was_turned_to_be_read_is_turned_back_and_places_end_at_its_edge():
    for turned, shown in (
        (0, (0.25, 0.1, 0.5, 0.2)),
        (90, (0.8, 0.25, 0.9, 0.5)),  # its top was at the right
        (180, (0.5, 0.8, 0.75, 0.9)),
        (270, (0.1, 0.5, 0.2, 0.75)),
    ):
        assert near(Sheet(400, 200, turned).placed(0, (100, 20, 200, 40), "rent")[1:5], shown)
    sheet = Sheet(400, 200)
    assert sheet.placed(0, (401, 20, 500, 40), "rent") is None
    assert near(sheet.placed(0, (300, -5, 500, 40), "rent")[1:5], (0.75, 0, 1, 0.2))


def test_what_was_not_read_surely_has_no_place():
    sure, unsure = Piece(0, 0, 90, 20, "The rent", 0.95), Piece(0, 40, 90, 60, "is due now", 0.5)
    words = words_of_pieces(certain_rows([sure, unsure]), Sheet(100, 100))
    assert [word.text for word in words] == ["The", "rent"]
    lines = [[Piece(0, 0, 9, 9, "Miete", 0.9), Piece(10, 0, 19, 9, UNREADABLE, 0.0)]]
    assert [word.text for word in words_of_pieces(lines, Sheet(100, 100))] == ["Miete"]


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
