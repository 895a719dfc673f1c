"""What is read of a PDF that real documents do not show: order, heads, damage, locks, scripts."""

import io
from itertools import islice

import pypdf
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from indexer.errors import UnreadableDocument
from indexer.extract import open_document
from indexer.extract.pdf.layout import cleaned
from indexer.extract.pdf.lines import PlacedChars, in_reading_order
from tests.support.documents import extract
from tests.support.pdfs import bare_pdf


def drawn(*pages: list[tuple[float, float, str]]) -> bytes:
    """A PDF in which each text stands at its place, drawn in the order given."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=True)
    for page in pages:
        canvas.setFont("Helvetica", 10)
        for x, y, text in page:
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def texts(data: bytes) -> list[str]:
    return [line.text for line in extract(data, "a.pdf").lines if line.text.strip()][1:]


def changed(data: bytes, change) -> bytes:
    writer = pypdf.PdfWriter(io.BytesIO(data))
    change(writer)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


# --- Words --------------------------------------------------------------------------------------


CLEANED = {
    "exam\ufffeple text": "example\ntext",
    "exam-\r\nple text": "example\ntext",
    "Über-\ngrößen da": "Übergrößen\nda",
    "pre-\nWar": "pre-\nWar",
    "1\ufffe2": "1-\n2",
    "of\ufb01ce \ufb02ow \ufb03 \ufb06": "office flow ffi st",
    "10² ½ ℃": "10² ½ ℃",
    "con\x1dict of o\x1ece": "conflict of office",
}


def test_hyphens_and_ligatures_of_the_page_are_not_in_the_text():
    assert {raw: cleaned(raw) for raw in CLEANED} == CLEANED


# --- Heads and feet ----------------------------------------------------------------------


def body(page: int, rows: int = 20) -> list[tuple[float, float, str]]:
    names = ("salt", "rope", "tar", "grain", "wine", "wool", "coal", "fish", "oak", "tin")
    return [
        (
            72.0,
            700.0 - 14 * n,
            f"Lot {names[n % 10]} of {names[page % 10]} was sold {n}{page} times",
        )
        for n in range(rows)
    ]


def kept(data: bytes) -> list[str]:
    lines = [line for line in extract(data, "a.pdf").lines if line.part]
    assert all(line.page is None for line in lines)
    assert not lines or (lines[0].text == "--- Running heads and feet ---" and lines[0].is_mark)
    return [line.text for line in lines[1:]]


def of_pages(data: bytes) -> list[str]:
    lines = extract(data, "a.pdf").lines
    return [line.text for line in lines if line.page and not line.is_mark]


def test_heads_and_feet_are_kept_once_and_not_on_their_pages():
    pages = [
        [
            (72.0, 800.0, "Harbour report"),
            *body(n, 20 if n % 3 else 9),
            (280.0, 40.0, f"Page {n + 1} of 9"),
        ]
        for n in range(9)
    ]
    data = drawn(*pages)
    assert kept(data) == ["Harbour report", "Page 1 of 9", "Page 9 of 9"]
    assert of_pages(data) == [text for page in pages for _, _, text in page[1:-1]]


HEADS = (
    lambda n: f"{n + 1}. {('Rent', 'Notice', 'Deposit')[n % 3]} is {n * 37 + 400} euros",
    lambda n: f"Invoice {1001 + n}",
)


def test_clauses_and_invoices_that_count_as_pages_do_are_no_heads():
    for head in HEADS:
        pages = [[(72.0, 780.0, head(n)), *body(n)] for n in range(9)]
        data = drawn(*pages)
        assert kept(data) == []
        assert of_pages(data) == [text for page in pages for _, _, text in page]


@pytest.mark.slow
def test_the_first_lines_are_the_same_however_far_one_reads():
    pages = [
        [(72.0, 800.0, "Harbour report"), *body(n), (280.0, 40.0, str(n + 1))] for n in range(30)
    ]
    data = drawn(*pages)
    lines = list(extract(data, "a.pdf").lines)
    for number in (1, 25, 100, 400):
        assert list(islice(open_document(data, "a.pdf").lines, number)) == lines[:number]


# --- Headings -----------------------------------------------------------------------------------

LETTER = [
    *((780, 10, "Anna Berg"), (766, 10, "12 Quay Street"), (752, 10, "Grimvik")),
    *((700, 16, "Lease of the mill"), (676, 10, "The tenant pays on the first day of a month.")),
    *((662, 10, "Nothing else is owed"), (648, -10, "Not by anybody"), (634, 10, "at any time.")),
    *(
        (600, -10, "Ending"),
        (586, 10, "Three months are given, in writing,"),
        (572, 10, "by post."),
    ),
    *((530, -10, "Rent 2019 2020"), (516, 10, "Mill 1,250 1,310"), (502, 10, "Barn 990 980")),
]


def test_a_heading_is_larger_or_bolder_than_what_follows_and_stands_apart():
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=True)
    for height, size, text in LETTER:
        canvas.setFont("Helvetica" if size > 0 else "Helvetica-Bold", abs(size))
        canvas.drawString(72, height, text)
    canvas.save()
    lines = extract(buffer.getvalue(), "a.pdf").lines
    assert [line.text for line in lines if line.heading] == ["Lease of the mill", "Ending"]


# --- Pages --------------------------------------------------------------------------------------


def test_a_page_says_its_printed_number_where_that_is_another_one():
    def label(writer: pypdf.PdfWriter) -> None:
        writer.set_page_label(0, 1, style="/r")
        writer.set_page_label(2, 2, style="/D", start=3)

    data = changed(drawn(*[[(72, 700, f"page {n}")] for n in range(3)]), label)
    marks = [line.text for line in extract(data, "a.pdf").lines if line.text.startswith("---")]
    assert marks == [
        "--- Page 1 --- (labelled i)",
        "--- Page 2 --- (labelled ii)",
        "--- Page 3 ---",
    ]


# --- Locks, damage, and who read it -------------------------------------------------------------


def test_a_file_that_only_its_owner_may_change_is_read_and_a_locked_one_is_not():
    plain = drawn([(72, 700, "readable")])
    for user, algorithm in (("", "RC4-128"), ("secret", "RC4-128")):
        data = changed(plain, lambda w, u=user, a=algorithm: w.encrypt(u, "owner", algorithm=a))
        assert b"/Encrypt" in data
        if user:
            with pytest.raises(UnreadableDocument, match="encrypted"):
                extract(data, "a.pdf")
        else:
            assert texts(data) == ["readable"]


def test_the_second_engine_reads_what_the_first_cannot_and_the_document_says_so():
    data = drawn([(72, 700, "words")])
    assert extract(data, "a.pdf").extractor == "pdf/20"
    # The first page of the tree is none: pdfium loses count there, pypdf goes on.
    broken = extract(data.replace(b"/Kids [ ", b"/Kids [ 99 0 R "), "a.pdf")
    assert broken.extractor == "pdf/20+pypdf"
    assert [line.text for line in broken.lines] == ["--- Page 1 ---", "words"]


def test_a_page_that_no_engine_reads_is_named():
    data = drawn([(72, 700, "first")], [(72, 700, "second")])
    place = data.rfind(b"/Type /Page\n")
    document = extract(data[:place] + b"/Type /Xage\n" + data[place + 12 :], "a.pdf")
    assert document.remark == "not readable: page 2"
    assert [line.text for line in document.lines if line.text] == [
        "--- Page 1 ---",
        "first",
        "--- Page 2 ---",
    ]


def as_shown(text: str) -> list[PlacedChars]:
    """The characters of a line as they stand on the page, each as wide as another."""
    return [PlacedChars(char, 6.0 * n, 6.0 * n + 6) for n, char in enumerate(text)]


FROM_THE_RIGHT = {
    "דומע Microsoft Word רפס": "ספר Microsoft Word עמוד",
    "ריחמ 1,250 אוה": "הוא 1,250 מחיר",
    ".2021 תנש": "שנת 2021.",
    "ףוס )version 2.0( ןאכ": "כאן (version 2.0) סוף",
}


def test_words_from_the_left_and_their_spaces_keep_their_sides_in_a_line_from_the_right():
    for shown, read in FROM_THE_RIGHT.items():
        assert in_reading_order(as_shown(shown), 10.0) == read


def test_what_stands_beside_a_line_end_of_any_kind_is_read():
    for end in ("\r", "\n", "\r\n", "\n\r", "\x0b", "\x0c", "\x85", "\u2028", "\x02"):
        document = extract(bare_pdf(["first line", f"alpha{end}beta", "last line"], "t"), "a.pdf")
        text = "\n".join(line.text for line in document.lines)
        assert all(word in text for word in ("first line", "alpha", "beta", "last line")), end
