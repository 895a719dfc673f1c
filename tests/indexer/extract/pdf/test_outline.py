"""The boxes of a quotation on a page: made pages of every kind, read back by pdfium."""

import io
import time
import unicodedata
import weakref
from itertools import pairwise

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, SimpleDocTemplate
from reportlab.platypus import Table as MadeTable

from indexer.extract.pdf.outline import aligned, folded, letters_of, whole
from indexer.extract.pdf.showing import ShownPdf
from tests.support.page_pictures import drawn, lines_of_pdf, read_back
from tests.support.pdfs import bare_pdf, pdf_of

STORY = (
    "The quarterly maintenance of the municipal observatory includes the recalibration of both "
    "instruments, an inspection of the ventilation, and the replacement of the photographic "
    "plates. Responsibility for the documentation remains with the superintendent, who reports "
    "irregularities without delay to the administration of the department."
)
OTHER = "Unrelated considerations about agricultural machinery follow in this paragraph. " * 6
BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=14)


def boxes(data: bytes, number: int, quotation: str, near: float | None = None):
    return ShownPdf(data).outline(number, quotation, near)


def held(data: bytes, number: int, quotation: str, near: float | None = None) -> str:
    """The letters that the boxes of a quotation hold, page by page."""
    return "".join(map(folded, read_back(data, boxes(data, number, quotation, near))))


def letters(text: str) -> str:
    return "".join(map(folded, text))


def column_pdf(*texts: str) -> bytes:
    """Two columns on a page, filled one after the other."""
    buffer = io.BytesIO()
    document = BaseDocTemplate(buffer, pagesize=A4, invariant=True)
    frames = [Frame(left, 60, 230, A4[1] - 120) for left in (50, 310)]
    document.addPageTemplates(PageTemplate(frames=frames))
    document.build([Paragraph(text, BODY) for text in texts])
    return buffer.getvalue()


def test_a_quotation_has_a_box_for_each_of_its_lines():
    data = pdf_of("before it\nThe rent is due on the\nfirst day of the month.\nafter it")
    found = boxes(data, 1, "The rent is due on the\nfirst day of the month.")
    assert [page for page, _ in found] == [1, 1]
    (left, top, right, bottom), (_, below, _, _) = (box for _, box in found)
    assert left == pytest.approx(72 / 595.28, abs=0.002)
    assert top < bottom <= below
    assert right == pytest.approx(
        (72 + stringWidth("The rent is due on the", "Helvetica", 12)) / 595.28, abs=0.003
    )
    assert held(data, 1, "the rent is due") == "therentisdue"


def test_what_does_not_stand_on_the_page_has_no_box():
    data = pdf_of("The rent is due on the first day of the month.")
    assert boxes(data, 1, "The deposit is returned within thirty days.") == []
    assert boxes(data, 1, "…") == []
    assert boxes(data, 2, "The rent is due") == []


def test_a_pdf_that_is_no_longer_shown_leaves_memory_at_once():
    shown = ShownPdf(pdf_of("The rent is due on the first day of the month."))
    assert shown.outline(1, "The rent is due", None)  # its letters are kept for the next quotation
    document = weakref.ref(shown._document)
    assert document() is not None  # the control
    del shown
    assert document() is None


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (50, 60, 500, 700)])
def test_boxes_are_shares_of_the_page_as_it_is_shown(turned, crop):
    def page(canvas):
        canvas.setPageRotation(turned)
        canvas.drawString(100, 400, "The rent is due on the first day.")
        canvas.drawString(100, 300, "Nothing else is due.")

    data = drawn(page, crop=crop)
    assert held(data, 1, "The rent is due on the first day.") == letters(
        "The rent is due on the first day."
    )
    (_, (left, top, right, bottom)), *_ = boxes(data, 1, "Nothing else is due.")
    assert (right - left > bottom - top) == (turned in (0, 180))


def test_of_several_places_the_nearest_is_outlined():
    data = pdf_of("\n".join(["Total: 12 items"] + ["other words"] * 9 + ["Total: 12 items"]))
    above, below = (boxes(data, 1, "Total: 12 items", near)[0][1] for near in (0.0, 0.95))
    assert above[3] < below[1]
    assert boxes(data, 1, "Total: 12 items")[0][1] == above


def test_a_figure_is_not_found_within_a_longer_one():
    data = pdf_of("3,125 and 31\n12 of them")
    assert held(data, 1, "12") == "12"
    assert boxes(data, 1, "25") == []


def test_columns_are_outlined_in_the_order_in_which_they_are_read():
    data = column_pdf(OTHER, STORY, OTHER)
    sentence = STORY.split(". ")[0]
    assert held(data, 1, sentence) == letters(sentence)


def test_hyphens_at_line_ends_and_ligatures_are_no_hindrance():
    def page(canvas):
        canvas.drawString(72, 700, "The super-")
        canvas.drawString(72, 686, "intendent of o\ufb03ces")

    data = drawn(page)
    shown = "".join(line.text for line in lines_of_pdf(data))
    assert "superintendent" in shown
    found = boxes(data, 1, "The superintendent of")
    assert len(found) == 2
    assert letters("o\ufb03ces") == letters("offices")


def test_a_cell_is_outlined_and_its_row_whole():
    rows = [["Item", "2019", "2020"], ["Revenue", "1,250", "1,310"], ["Costs", "1,250", "990"]]
    buffer = io.BytesIO()
    SimpleDocTemplate(buffer, invariant=True).build([MadeTable(rows, colWidths=120)])
    data = buffer.getvalue()
    for row in rows:
        assert held(data, 1, " ".join(row)) == letters("".join(row))
    assert held(data, 1, "1,310") == "1310"
    (_, costs), *_ = boxes(data, 1, "1,250", 0.9)
    (_, revenue), *_ = boxes(data, 1, "1,250", 0.3)
    assert revenue[3] < costs[1]


def test_words_that_are_read_from_the_right_are_outlined():
    lines = ("הדייר ישלם את שכר הדירה", "ביום הראשון בכל חודש", "המחיר הוא אלף שקלים")
    data = bare_pdf([line[::-1] for line in lines])  # as it stands on the page
    read = [line.text for line in lines_of_pdf(data) if not line.is_mark]
    assert read == list(lines)
    every = [boxes(data, 1, line)[0][1] for line in lines]
    assert all(one[3] <= other[1] for one, other in pairwise(every))
    (_, (left, _, right, _)), *_ = boxes(data, 1, "הדייר ישלם")
    assert left > (every[0][0] + every[0][2]) / 2  # the words that the line begins with
    assert right == pytest.approx(every[0][2])
    assert held(data, 1, lines[2]) in (letters(lines[2]), letters(lines[2])[::-1])


def test_a_quotation_across_the_end_of_a_page_has_boxes_on_both():
    data = pdf_of(
        "Head of the report\nsome words\nThe tenant shall return the keys\n1",
        "Head of the report\nto the office of the landlord.\nother words\n2",
    )
    quotation = "The tenant shall return the keys\nto the office of the landlord."
    for number in (1, 2):
        found = boxes(data, number, quotation)
        assert [page for page, _ in found] == [1, 2]
        assert held(data, number, quotation) == letters(quotation)


def test_what_stands_between_the_words_of_a_quotation_is_left_out():
    data = pdf_of("The tenant shall return\nNEVER SEEN IN THE TEXT\nall keys of the flat\nand more")
    quotation = "The tenant shall return all keys of the flat"
    assert held(data, 1, quotation) == letters(quotation)
    assert len(boxes(data, 1, quotation)) == 2


def test_a_form_field_is_outlined_where_it_stands():
    def page(canvas):
        canvas.drawString(72, 700, "Rent in full")
        canvas.acroForm.textfield(name="rent", value="1,250", x=100, y=600, width=200, height=20)

    data = drawn(page)
    assert "rent: 1,250" in [line.text for line in lines_of_pdf(data)]
    ((number, (left, top, right, bottom)),) = boxes(data, 1, "rent: 1,250")
    assert number == 1
    assert (left * 612, right * 612) == pytest.approx((100, 300), abs=2)
    assert (792 - bottom * 792, 792 - top * 792) == pytest.approx((600, 620), abs=2)


def test_letters_that_are_drawn_twice_have_one_box():
    def page(canvas):
        for shift in (0, 0.4):
            canvas.drawString(72 + shift, 700, "Comirnaty and the rest of it")

    data = drawn(page)
    assert len(boxes(data, 1, "Comirnaty and the rest")) == 1


# -- letters ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_repeats_itself_without_end_is_looked_for_within_bounds():
    started = time.process_time()
    for words in ("a " * 200_000, "a b " * 50_000, "ab" * 200_000):
        page = letters_of(words)
        for text in ("a " * 2_000 + "c", "a b c " * 1_000, "a b c " * 10, "ba" * 2_000 + "c"):
            quote = letters_of(text)
            assert whole(page, quote) is None
            aligned(page, quote)
    page, quote = letters_of("left right " * 900), letters_of("left right up " * 180)
    assert aligned(page, quote)  # the control: at the bound they are compared
    assert time.process_time() - started < 10


def test_marks_and_forms_of_letters_make_no_difference():
    for one, other in (("É", "e"), ("ﬁ", "fi"), ("ﷲ", "ﷲ"), ("①", "1"), ("ß", "ss"), ("ﻋ", "ع")):
        assert folded(one) == folded(unicodedata.normalize("NFKC", other)) != ""
    assert letters_of("e\u0301t\u00e9").words() == [("ete", 0)]
