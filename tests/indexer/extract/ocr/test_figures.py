"""Figures of one engine in the lines of another."""

from indexer.extract.ocr.reading_order import UNREADABLE, Piece
from indexer.extract.ocr.tesseract import figures_of, with_figures


def piece(left, text, *, top=100, confidence=0.98, letter=12):
    """A piece whose letters stand side by side, each as wide as a space."""
    places = [(n + 0.5) / len(text) for n, char in enumerate(text) if not char.isspace()]
    return Piece(left, top, left + letter * len(text), top + 24, text, confidence, tuple(places))


def line(left, text, *, top=100, letter=12):
    """The words of a line, each where its letters stand."""
    words, at = [], left
    for word in text.split():
        words.append(Piece(at, top, at + letter * len(word), top + 24, word, 0.9))
        at += letter * (len(word) + 1)
    return words


def merged(lines, pieces, angle=0.0):
    return [
        " ".join(word.text for word in each)
        for each in with_figures(lines, figures_of(pieces, angle))
    ]


def test_a_figure_that_was_misread_is_taken_from_the_engine_that_knows_figures():
    words = line(40, "Латунные петли 28 384,55")
    assert merged([words], [piece(40, "Jlatyhhbie 23", confidence=0.5)])[0].endswith("28 384,55")
    assert merged([words], [piece(220, "23 384,55")]) == ["Латунные петли 23 384,55"]


READ = {
    ("€37.860,08", "37.860,03"): "€37.860,03",
    ("(18%)", "15"): "(15%)",
    ("A7-B9", "9"): "A7-B9",  # which of the two it stands for is not known
    ("44,039.76", "44,039.7"): "44,039.76",  # the edge of its frame cut the other
    ("|", "1"): "1",
    (UNREADABLE, "17"): "17",
    ("слово", "17"): "слово 17",
}


def test_what_stands_around_a_figure_stays():
    for (read, figure), shown in READ.items():
        word = Piece(40, 100, 140, 124, read, 0.5)
        assert merged([[word]], [Piece(44, 100, 110, 124, figure, 0.97)]) == [shown]


def test_an_amount_that_was_not_read_at_all_stands_at_its_place_in_the_line():
    words = line(40, "Доставка") + line(400, "руб.")
    assert merged([words], [piece(250, "39 970,77")]) == ["Доставка 39 970,77 руб."]
    leftwards = line(400, "שעת") + line(300, "עבודה") + line(40, "שח")
    assert merged([leftwards], [piece(150, "402.54")]) == ["שעת עבודה 402.54 שח"]


def test_a_figure_that_is_not_certain_changes_nothing():
    words = line(40, "петли 28")
    assert merged([words], [piece(112, "23", confidence=0.79)]) == ["петли 28"]
    assert merged([words], [piece(112, "23", confidence=0.8)]) == ["петли 23"]
