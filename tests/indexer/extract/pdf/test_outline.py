"""The boxes of a quotation on a page: made pages of every kind, read back by pdfium."""

import io
import itertools
import time

import pytest
from reportlab.platypus import SimpleDocTemplate
from reportlab.platypus import Table as MadeTable

from indexer.extract.pdf.showing import ShownPdf
from indexer.words import folded, letters_of, runs_of, whole
from tests.support.pdfs import bare_pdf, pdf_of
from tests.support.pictures import drawn, lines_of_pdf, read_back


def boxes(data: bytes, number: int, quotation: str, near: float | None = None):
    return ShownPdf(data).outline(number, quotation, near)


def held(data: bytes, number: int, quotation: str, near: float | None = None) -> str:
    """The letters that the boxes of a quotation hold, page by page."""
    return "".join(map(folded, read_back(data, boxes(data, number, quotation, near))))


def letters(text: str) -> str:
    return "".join(map(folded, text))


def table(*rows: list[str]) -> bytes:
    buffer = io.BytesIO()
    SimpleDocTemplate(buffer, invariant=True).build([MadeTable(rows, colWidths=120)])
    return buffer.getvalue()


ROWS = (["Item", "2019", "2020"], ["Revenue", "1,250", "1,310"], ["Costs", "1,250", "990"])
HEBREW = ("הדייר ישלם את שכר הדירה", "ביום הראשון בכל חודש", "המחיר הוא אלף שקלים")


def words(*lines: str, shifts: tuple[float, ...] = (0,)) -> bytes:
    def page(canvas):
        for shift in shifts:
            for number, line in enumerate(lines):
                canvas.drawString(72 + shift, 700 - 14 * number, line)

    return drawn(page)


# A document of one page, a quotation, and how many boxes it has: they hold its letters.
FOUND = {
    "a part of a line": (pdf_of("before\nThe rent is due on the\nfirst day"), "the rent is due", 1),
    "a hyphen at a line end": (
        words("The super-", "intendent of o\ufb03ces"),
        "The superintendent of",
        2,
    ),
    "a figure": (pdf_of("3,125 and 31\n12 of them"), "12", 1),
    "a cell": (table(*ROWS), "1,310", 1),
    "a row": (table(*ROWS), "Revenue 1,250 1,310", None),
    "what stands between is left out": (
        pdf_of("The tenant shall return\nNEVER SEEN IN THE TEXT\nall keys of the flat\nand more"),
        "The tenant shall return all keys of the flat",
        2,
    ),
    "drawn twice": (
        words("Comirnaty and the rest of it", shifts=(0, 0.4)),
        "Comirnaty and the rest",
        1,
    ),
}
ABSENT = ("The deposit is returned within thirty days.", "…", "25")


def test_the_boxes_of_a_quotation_hold_its_letters():
    for way, (data, quotation, number) in FOUND.items():
        read = held(data, 1, quotation)
        if "hyphen" not in way:  # whose two boxes may hold the sign
            assert read == letters(quotation), way
        assert number in (None, len(boxes(data, 1, quotation))), way
    data = FOUND["a figure"][0]
    assert [boxes(data, 1, quotation) for quotation in ABSENT] == [[], [], []]
    assert boxes(data, 2, "12") == []


def test_boxes_are_shares_of_the_page_as_it_is_shown():
    for turned, crop in itertools.product((0, 90, 180, 270), (None, (50, 60, 500, 700))):

        def page(canvas, turned=turned):
            canvas.setPageRotation(turned)
            canvas.drawString(100, 400, "The rent is due on the first day.")

        data = drawn(page, crop=crop)
        assert held(data, 1, "due on the first day.") == "dueonthefirstday"
        (_, (left, top, right, bottom)), *_ = boxes(data, 1, "The rent is due")
        assert (right - left > bottom - top) == (turned in (0, 180))


def test_of_several_places_the_nearest_is_outlined():
    data = pdf_of("\n".join(["Total: 12 items"] + ["other words"] * 9 + ["Total: 12 items"]))
    above, below = (boxes(data, 1, "Total: 12 items", near)[0][1] for near in (0.0, 0.95))
    assert above[3] < below[1]
    assert boxes(data, 1, "Total: 12 items")[0][1] == above


@pytest.mark.slow
def test_what_repeats_itself_without_end_is_looked_for_within_bounds():
    started = time.process_time()
    for words in ("a " * 200_000, "a b " * 50_000, "ab" * 200_000):
        page = letters_of(words)
        for text in ("a " * 2_000 + "c", "a b c " * 1_000, "a b c " * 10, "ba" * 2_000 + "c"):
            quote = letters_of(text)
            assert whole(page, quote) is None
            runs_of(page, quote)
    page, quote = letters_of("left right " * 900), letters_of("left right up " * 180)
    assert runs_of(page, quote) == ()  # beyond the bound
    assert time.process_time() - started < 10


def test_words_that_are_read_from_the_right_are_outlined():
    data = bare_pdf([line[::-1] for line in HEBREW])  # as it stands on the page
    assert [line.text for line in lines_of_pdf(data) if not line.is_mark] == list(HEBREW)
    every = [boxes(data, 1, line)[0][1] for line in HEBREW]
    assert every[0][3] <= every[1][1] and every[1][3] <= every[2][1]
    (_, (left, _, right, _)), *_ = boxes(data, 1, "הדייר ישלם")
    assert left > (every[0][0] + every[0][2]) / 2  # the words that the line begins with
    assert right == pytest.approx(every[0][2])
