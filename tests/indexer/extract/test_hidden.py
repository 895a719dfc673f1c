"""What a document holds and does not show is read behind a mark, in every format alike."""

import io
import itertools
import json
import re
from collections.abc import Callable

import pytest
from docx import Document as WordFile
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook
from PIL import Image
from pptx import Presentation
from pptx.dml.color import RGBColor as SlideColour
from pptx.util import Inches
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from indexer.extract import open_document
from indexer.extract.hidden import HIDDEN_MARK, hide, is_hidden, parted, shown
from indexer.records import Line
from tests.support.made_files import ppt, xls, zipped

SHOWN, SECRET = "The deposit is 900 euros.", "The fee behind it is 50 euros."
WHITE = "FFFFFF"


def read(data: bytes, name: str) -> tuple[list[Line], str]:
    """The lines of a file that hold text, and its remark."""
    opened = open_document(data, name)
    return [line for line in opened.lines if line.text.strip() and not line.is_mark], opened.remark


def texts(lines: list[Line], *, hidden: bool) -> str:
    return "\n".join(line.text for line in lines if line.hidden == hidden)


def assert_hides(data: bytes, name: str) -> None:
    """The file shows the one sentence and hides the other, each on lines of its own."""
    lines, remark = read(data, name)
    assert SHOWN in texts(lines, hidden=False) and SECRET not in texts(lines, hidden=False)
    assert SECRET in texts(lines, hidden=True) and SHOWN not in texts(lines, hidden=True)
    assert all(line.text.startswith(HIDDEN_MARK) == line.hidden for line in lines)
    assert remark == "1 passage is hidden in the document"


def assert_shows(data: bytes, name: str) -> None:
    """The control: both sentences are shown."""
    lines, remark = read(data, name)
    assert SHOWN in texts(lines, hidden=False) and SECRET in texts(lines, hidden=False)
    assert not texts(lines, hidden=True) and remark == ""


# -- marks


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb", [("a", False), ("b", False)]),
        (f"pay {hide('never ')}now", [("pay now", False), ("never", True)]),
        (f"pay {hide('never')} now", [("pay now", False), ("never", True)]),
        (hide("one") + hide(" two"), [("one two", True)]),
        (f"- {hide('one')}\n- two", [("one", True), ("- two", False)]),
        (f"# {hide('Title')}", [("Title", True)]),
        (f"| a | {hide('b')} | {hide('c')} |", [("| a | |", False), ("b | c", True)]),
        (f"| {hide('Fee')}: {hide('50')} | x |", [("| | x |", False), ("Fee: 50", True)]),
        (
            f"a{hide('one' + chr(10) + 'two')}b",
            [("a", False), ("one", True), ("b", False), ("two", True)],
        ),
        (hide("a \ufdd1b"), [("a b", True)]),  # a noncharacter of the document's own ends nothing
        (hide(hide("a") + "b"), [("ab", True)]),
        (
            hide("x").partition("x")[0] + "never closed\nnor here",
            [("never closed", True), ("nor here", True)],
        ),
        (hide("  "), [("  ", False)]),
    ],
    ids=map(str, itertools.count()),  # the signs differ from process to process
)
def test_a_line_is_parted_from_what_it_hides(text, lines):
    marked = [(f"{HIDDEN_MARK} {line}" if hidden else line, hidden) for line, hidden in lines]
    assert [(" ".join(line.split(" ")), h) for line, h in parted(text)] == marked


@pytest.mark.slow
@given(st.lists(st.tuples(st.text("ab c\n|-", max_size=9), st.booleans()), max_size=9))
def test_no_letter_is_lost_and_none_changes_sides(pieces):
    text = "".join(hide(piece) if hidden else piece for piece, hidden in pieces)
    for side in (False, True):
        there = [line.removeprefix(HIDDEN_MARK) for line, hidden in parted(text) if hidden == side]
        put = "".join(piece for piece, hidden in pieces if hidden == side)
        assert sorted("".join(there).translate(_LETTERS)) == sorted(put.translate(_LETTERS))


_LETTERS = str.maketrans("", "", " \n|-")


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.csv", "a.json", "a.xml"])
def test_noncharacters_of_a_document_hide_nothing_and_change_no_figure(name):
    page = "<p>The fee is 1\ufdd0.\ufdd15 and &#xfdd0;the rest&#64977; is shown</p>"
    data = json.dumps({"fee": page}, ensure_ascii=False) if name == "a.json" else page
    opened = open_document(data.encode(), name)
    lines = list(opened.lines)
    assert not any(line.hidden for line in lines) and opened.remark == ""
    text = re.sub("[\ufdd0\ufdd1]", "", "\n".join(line.text for line in lines))
    assert "The fee is 1.5" in text and "is shown" in text


def test_a_long_hidden_text_says_so_on_every_line():
    lines = list(parted(hide("secret words " * 500)))
    assert len(lines) > 10
    assert all(line.startswith(HIDDEN_MARK) and len(line) < 500 for line, _ in lines)


def test_what_is_hidden_is_known_and_left_out_of_a_title():
    assert is_hidden(hide("a")) and is_hidden(f"- {hide('a')}")
    assert not is_hidden(f"a {hide('b')}") and not is_hidden("a")
    assert shown(f"Lease {hide('draft')}") == "Lease "


# -- Word


def word(dress: Callable[..., None]) -> bytes:
    """A document with a paragraph that shows one sentence and holds another in a run of its own."""
    document = WordFile()
    paragraph = document.add_paragraph(f"{SHOWN} ")
    dress(document, paragraph, paragraph.add_run(SECRET))
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def shade(element: object, properties: str, fill: str) -> None:
    """Put a shading into the properties of an element, at their end."""
    shading = OxmlElement("w:shd")
    shading.set(qn("w:val"), "clear")
    shading.set(qn("w:fill"), fill)
    getattr(element, f"get_or_add_{properties}")().append(shading)


def vanish(document, paragraph, run):
    run.font.hidden = True


def vanish_by_style(document, paragraph, run):
    style = document.styles.add_style("Secret", 2)
    style.font.hidden = True
    run.style = document.styles.add_style("Deeper secret", 2)
    run.style.base_style = style


def white(document, paragraph, run):
    run.font.color.rgb = RGBColor.from_string("FFFFFE")


def black_on_black(document, paragraph, run):
    run.font.color.rgb = RGBColor.from_string("000000")
    shade(run._r, "rPr", "000000")


def tiny(document, paragraph, run):
    run.font.size = Pt(1)


def white_on_blue(document, paragraph, run):
    white(document, paragraph, run)
    shade(run._r, "rPr", "0000AA")


def white_on_blue_paragraph(document, paragraph, run):
    white(document, paragraph, run)
    shade(paragraph._p, "pPr", "0000AA")


def white_on_marker(document, paragraph, run):
    white(document, paragraph, run)
    run.font.highlight_color = 2


def vanish_switched_off(document, paragraph, run):
    vanish_by_style(document, paragraph, run)
    run.font.hidden = False


def small(document, paragraph, run):
    run.font.size = Pt(4)


@pytest.mark.parametrize("dress", [vanish, vanish_by_style, white, black_on_black, tiny])
def test_word_text_that_the_page_does_not_show_is_marked(dress):
    assert_hides(word(dress), "a.docx")


@pytest.mark.parametrize(
    "dress",
    [white_on_blue, white_on_blue_paragraph, white_on_marker, vanish_switched_off, small],
)
def test_word_text_that_is_shown_in_white_or_small_is_not(dress):
    assert_shows(word(dress), "a.docx")


@pytest.mark.parametrize(("fill", "check"), [(None, assert_hides), ("222222", assert_shows)])
def test_white_text_in_a_cell_stands_on_the_cells_own_shade(fill, check):
    document = WordFile()
    cells = document.add_table(1, 2).rows[0].cells
    cells[0].text = SHOWN
    run = cells[1].paragraphs[0].add_run(SECRET)
    run.font.color.rgb = RGBColor.from_string(WHITE)
    if fill:
        shade(cells[1]._tc, "tcPr", fill)
    file = io.BytesIO()
    document.save(file)
    check(file.getvalue(), "a.docx")


def test_on_the_shade_of_a_tables_style_nothing_is_claimed():
    document = WordFile()
    table = document.add_table(1, 2, "Medium Shading 1 Accent 1")
    table.rows[0].cells[0].text = SHOWN
    run = table.rows[0].cells[1].paragraphs[0].add_run(SECRET)
    run.font.color.rgb = RGBColor.from_string(WHITE)
    file = io.BytesIO()
    document.save(file)
    assert_shows(file.getvalue(), "a.docx")


def test_a_hidden_heading_is_no_heading_of_what_is_shown():
    document = WordFile()
    document.add_heading(level=1).add_run("Void draft").font.hidden = True
    document.add_paragraph(SHOWN)
    file = io.BytesIO()
    document.save(file)
    lines, _ = read(file.getvalue(), "a.docx")
    assert [line.text for line in lines] == [f"{HIDDEN_MARK} Void draft", SHOWN]


# -- PowerPoint


def slides(dress: Callable[..., None]) -> bytes:
    """Two slides; a sentence on each."""
    deck = Presentation()
    boxes = []
    for text in (SHOWN, SECRET):
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1))
        box.text_frame.text = text
        boxes.append((slide, box))
    dress(*boxes[1])
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def switch_off_slide(slide, box):
    slide._element.set("show", "0")


def switch_off_shape(slide, box):
    box._element.nvSpPr.cNvPr.set("hidden", "1")


def move_off(slide, box):
    box.left = -box.width - 10


def paint(slide, box, fill=WHITE):
    box.fill.solid()
    box.fill.fore_color.rgb = SlideColour.from_string(fill)
    run = box.text_frame.paragraphs[0].runs[0]
    run.font.color.rgb = SlideColour.from_string(WHITE)


def paint_dark(slide, box):
    paint(slide, box, "102030")


def write_white(slide, box):
    """On the bare slide, which the theme makes white."""
    run = box.text_frame.paragraphs[0].runs[0]
    run.font.color.rgb = SlideColour.from_string(WHITE)


def write_white_on_blue(slide, box):
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = SlideColour.from_string("0000AA")
    write_white(slide, box)


def write_white_on_a_shape(slide, box):
    slide.shapes.add_shape(1, 0, 0, Inches(9), Inches(7))
    write_white(slide, box)


@pytest.mark.parametrize(
    "dress", [switch_off_slide, switch_off_shape, move_off, paint, write_white]
)
def test_slides_and_shapes_that_are_not_shown_are_marked(dress):
    assert_hides(slides(dress), "a.pptx")


@pytest.mark.parametrize(
    "dress", [paint_dark, write_white_on_blue, write_white_on_a_shape, lambda slide, box: None]
)
def test_slides_and_shapes_that_may_be_seen_are_not(dress):
    assert_shows(slides(dress), "a.pptx")


# -- web pages and mail


def page(html: str, head: str = "") -> bytes:
    return f"<html><head><title>Lease</title>{head}</head><body>{html}</body></html>".encode()


WAYS_TO_HIDE = [
    "hidden",
    'hidden="until-found"',
    "style='display:none'",
    "style='DISPLAY : none !important'",
    "style='visibility: hidden'",
    "style='font-size:0'",
    "style='font-size:1px; line-height: 1px'",
    "style='max-height:0;overflow:hidden'",
    "style='position:absolute; left:-9999px'",
    "style='text-indent:-100em'",
    "style='mso-hide:all'",
    "style='position:absolute;clip:rect(0,0,0,0)'",
    "style='clip-path: inset(100%)'",
    "style='transform:scale(0)'",
    "style='opacity:0'",
    "style='color:transparent'",
    "style='color:rgba(0,0,0,0)'",
    "style='color:#fff'",
    "style='color:rgb(255, 255, 254)'",
    "style='color:white;background:#FFFFFF'",
    "style='color:#000;background-color:black'",
    "bgcolor='#102030' style='color:#102030'",
]
WAYS_TO_SHOW = [
    "",
    "style='display:block'",
    "style='visibility:visible'",
    "style='font-size:6px'",
    "style='font-size:90%'",
    "style='max-height:200px;overflow:hidden'",
    "style='position:absolute; left:-5px'",
    "style='color:#fff;background:#102030'",
    "style='color:#fff;background:url(a.png)'",
    "style='color:#fff;background:linear-gradient(red, blue)'",
    "bgcolor='#102030' style='color:#fff'",
    "style='color:#333'",
    "style='opacity:0.5'",
    "style='color:transparent;background-clip:text;background-image:url(a.png)'",
    "style='color:rgba(0,0,0,.5)'",
    "style='color:rgba(255,255,255,.5);background:#fff'",
    "style='color:rgba(1.2.3)'",
    "style='color:rgba(0,0,0,1.2.3)'",
    "style=';:;;x:y:z;font-size:;color:#;opacity:.;left:--9px;clip:rect('",
    "class='hidden'",  # what a stylesheet does is not known
]


@pytest.mark.parametrize("way", WAYS_TO_HIDE)
@pytest.mark.parametrize("tag", ["div", "span"])
def test_what_a_page_hides_by_itself_is_marked(tag, way):
    html = f"<p>{SHOWN} <{tag} {way}><b>{SECRET}</b></{tag}></p>"
    assert_hides(page(html), "a.html")
    message = b"Subject: Lease\nMIME-Version: 1.0\nContent-Type: text/html\n\n" + page(html)
    assert_hides(message, "a.eml")


@pytest.mark.parametrize("way", WAYS_TO_SHOW)
def test_what_may_be_seen_is_not(way):
    assert_shows(page(f"<p>{SHOWN}</p><div {way}><p>{SECRET}</p></div>"), "a.html")


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{SHOWN}</p><table bgcolor=black><tr><td style='color:#fff'>{SECRET}</td></tr></table>",
        f"<div style='font-size:0'><p style='font-size:12px'>{SHOWN} {SECRET}</p></div>",
        f"<p>{SHOWN}</p><p style='visibility:hidden'><b style='visibility:visible'>{SECRET}</b>",
        f"<font color=#222222>{SHOWN} {SECRET}</font>",
    ],
)
def test_an_element_within_may_be_seen_again(html):
    assert_shows(page(html), "a.html")


def test_white_text_counts_against_white_paper_only_where_no_stylesheet_may_colour_it():
    html = f"<p>{SHOWN}</p><p style='color:#fff'>{SECRET}</p>"
    assert_hides(page(html), "a.html")
    faint = html.replace("color:#fff", "opacity:0")
    for head in (
        *("<style>body{background:#000}</style>", "<link rel=stylesheet href=a.css>"),
        "<script src=a.js></script>",
    ):
        assert_shows(page(html, head), "a.html")
        assert_shows(page(faint, head), "a.html")
    assert_shows(page(f"<div style='background:#123'>{html}</div>"), "a.html")
    # What is written beside it counts with a stylesheet too.
    html = html.replace("color:#fff", "color:#fff;background:#fff")
    assert_hides(page(html, "<style>b{}</style>"), "a.html")


def test_a_page_that_hides_all_of_itself_is_shown_by_its_script():
    html = f"<html><body style='display:none' hidden><p>{SHOWN} {SECRET}</p></body></html>"
    assert_shows(html.encode(), "a.html")


@pytest.mark.parametrize(
    "machinery",
    [
        "<nav hidden>{}</nav>",
        "<div aria-hidden=true style='display:none'>{}</div>",
        "<div role=dialog hidden>{}</div>",
        "<dialog style='display:none'>{}</dialog>",
        "<template>{}</template>",
        "<script>{}</script>",
        "<noscript>{}</noscript>",
    ],
)
def test_the_machinery_of_a_page_is_left_out(machinery):
    lines, remark = read(
        page(f"<main>{f'<p>{SHOWN}</p>' * 5}</main>{machinery.format(SECRET)}"), "a.html"
    )
    assert SECRET not in "".join(line.text for line in lines) and remark == ""


def test_a_hidden_link_is_not_among_the_links_of_a_page():
    html = f"<p>{SHOWN}</p><p hidden><a href='https://evil.example/x'>{SECRET}</a></p>"
    assert_hides(page(html), "a.html")
    assert "evil.example" not in str(read(page(html), "a.html"))


def test_a_hidden_cell_is_not_in_its_row():
    row = f"<tr><td>Rent</td><td>{SHOWN}</td><td style='display:none'>{SECRET}</td></tr>"
    html = f"<table>{row}<tr><td>a<td>b<td>c</table>"
    assert_hides(page(html), "a.html")


# -- spreadsheets


def workbook(dress: Callable[..., None]) -> bytes:
    """Two sheets; the first has a table that begins in column B, row 3."""
    book = Workbook()
    sheet = book.active
    for number, cells in enumerate(
        [("Item", "Says", "Note"), ("Mill", SHOWN, "x"), ("Barn", "nothing", "y")], start=3
    ):
        for column, value in zip("BCD", cells, strict=True):
            sheet[f"{column}{number}"] = value
    dress(book, sheet)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def hidden_sheet(book, sheet, state="hidden"):
    other = book.create_sheet("Drafts")
    other["A1"] = SECRET
    other.sheet_state = state


def very_hidden_sheet(book, sheet):
    hidden_sheet(book, sheet, "veryHidden")


@pytest.mark.parametrize("dress", [hidden_sheet, very_hidden_sheet])
def test_hidden_sheets_are_marked(dress):
    lines, remark = read(workbook(dress), "a.xlsx")
    assert any(SHOWN in line.text and not line.hidden for line in lines)
    assert [line.hidden for line in lines if SECRET in line.text] == [True]
    assert "hidden in the document" in remark
    assert all(line.text.startswith(HIDDEN_MARK) == line.hidden for line in lines)


def test_a_shown_sheet_is_shown():
    for dress in (
        lambda b, s: hidden_sheet(b, s, "visible"),
        lambda b, s: s.__setitem__("C5", SECRET),
    ):
        assert_shows(workbook(dress), "a.xlsx")


def test_hidden_sheets_of_the_older_format_are_marked():
    data = xls()
    shown, _ = read(data, "a.xls")
    assert shown and not any(line.hidden for line in shown)  # the control
    at = data.index(b"Costs") - 4  # BOUNDSHEET: its place, then whether it is hidden
    for state in (1, 2):
        hidden, remark = read(data[:at] + bytes([state]) + data[at + 1 :], "a.xls")
        assert any(line.hidden for line in hidden) and "hidden" in remark


# -- RTF


def rtf(text: str) -> bytes:
    return (r"{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}" + text + "}").encode()


@pytest.mark.parametrize(
    ("text", "check"),
    [
        *((text, assert_hides) for text in (r"{\v %s}", r"\v %s\v0 ", r"\v %s\plain ")),
        *((text, assert_shows) for text in (r"{\v0 %s}", r"{\v\plain %s}")),
    ],
)
def test_hidden_text_of_rtf_is_marked(text, check):
    check(rtf(rf"\pard {SHOWN} " + text % SECRET + r" Again.\par"), "a.rtf")


def test_deleted_text_of_rtf_is_left_out():
    lines, remark = read(rtf(rf"\pard {SHOWN} {{\deleted {SECRET}}}\par"), "a.rtf")
    assert [line.text for line in lines] == [SHOWN] and remark == ""


# -- PDF


def drawn(draw: Callable[..., None]) -> bytes:
    """A page that shows one sentence, and whatever is drawn after it."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(595, 842), pageCompression=0)
    canvas.drawString(72, 700, SHOWN)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def render_mode(canvas, mode=3):
    text = canvas.beginText(72, 600)
    text.setTextRenderMode(mode)
    text.textLine(SECRET)
    canvas.drawText(text)


def pale(canvas, box=None, alpha=1.0):
    if box:
        canvas.setFillColorRGB(*box)
        canvas.rect(60, 590, 400, 30, stroke=0, fill=1)
    canvas.setFillColorRGB(1, 1, 1, alpha)
    canvas.drawString(72, 600, SECRET)


def pale_on_a_white_box(canvas):
    pale(canvas, (1, 1, 1))


def clear(canvas):
    canvas.setFillColorRGB(0, 0, 0, 0.0)
    canvas.drawString(72, 600, SECRET)


def minute(canvas, size=0.4):
    canvas.setFont("Helvetica", size)
    canvas.drawString(72, 600, SECRET)


def off_page(canvas):
    canvas.drawString(-400, 600, SECRET)


def picture(canvas, share=1.0):
    canvas.drawImage(ImageReader(Image.new("L", (8, 8), 200)), 0, 0, 595, 842 * share)


def scan(canvas):
    """What programs that recognise text make of a picture."""
    picture(canvas)
    render_mode(canvas)


def logo(canvas):
    picture(canvas, 0.1)
    render_mode(canvas)


@pytest.mark.parametrize(
    "draw", [render_mode, pale, pale_on_a_white_box, clear, minute, off_page, logo]
)
def test_text_of_a_pdf_that_the_page_does_not_show_is_marked(draw):
    assert_hides(drawn(draw), "a.pdf")


@pytest.mark.parametrize(
    "draw",
    [
        lambda canvas: render_mode(canvas, 0),
        lambda canvas: render_mode(canvas, 1),
        lambda canvas: pale(canvas, (0.1, 0.2, 0.4)),
        lambda canvas: minute(canvas, 4),
        scan,
    ],
)
def test_text_of_a_pdf_that_may_be_seen_or_that_a_picture_shows_is_not(draw):
    assert_shows(drawn(draw), "a.pdf")


def test_what_a_pdf_shows_keeps_its_lines_where_other_text_is_hidden():
    def two_words(canvas):
        canvas.drawString(72, 600, "Left")
        canvas.setFillColorRGB(1, 1, 1)
        canvas.drawString(120, 600, "never")
        canvas.setFillColorRGB(0, 0, 0)
        canvas.drawString(160, 600, "right")

    lines, _ = read(drawn(two_words), "a.pdf")
    assert [(line.text, line.hidden, line.page) for line in lines] == [
        (SHOWN, False, 1),
        ("Left right", False, 1),
        (f"{HIDDEN_MARK} never", True, 1),
    ]


# -- OpenDocument

STYLES = (
    '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/>'
    '</style:style><style:style style:name="D" style:family="drawing-page">'
    '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
)
SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style", "draw", "presentation")
)


def opendocument(kind: str, body: str) -> bytes:
    content = (
        f"<office:document-content {SPACES}><office:automatic-styles>{STYLES}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )
    mime = {"text": "text", "presentation": "presentation"}[kind]
    return zipped(
        {"mimetype": f"application/vnd.oasis.opendocument.{mime}", "content.xml": content},
        stored_first=True,
    )


@pytest.mark.parametrize(
    ("hidden", "check"),
    [
        (
            f'<text:p>Also <text:span text:style-name="H">{SECRET}</text:span> so.</text:p>',
            assert_hides,
        ),
        (f'<text:p text:style-name="H">{SECRET}</text:p>', assert_hides),
        (
            f'<text:section text:display="none"><text:p>{SECRET}</text:p></text:section>',
            assert_hides,
        ),
        (
            (
                '<table:table><table:table-row table:visibility="collapse"><table:table-cell>'
                f"<text:p>{SECRET}</text:p></table:table-cell></table:table-row></table:table>"
            ),
            assert_hides,
        ),
        (f'<text:p text:style-name="I">{SECRET}</text:p>', assert_shows),
        (
            f'<text:section text:display="true"><text:p>{SECRET}</text:p></text:section>',
            assert_shows,
        ),
    ],
)
def test_hidden_text_of_opendocument_is_marked(hidden, check):
    check(opendocument("text", f"<text:p>{SHOWN}</text:p>{hidden}"), "a.odt")


@pytest.mark.parametrize(("style", "check"), [("D", assert_hides), ("E", assert_shows)])
def test_a_hidden_slide_of_opendocument_is_marked(style, check):
    body = "".join(
        f'<draw:page draw:style-name="{name}"><text:p>{text}</text:p></draw:page>'
        for name, text in (("E", SHOWN), (style, SECRET))
    )
    check(opendocument("presentation", body), "a.odp")


def test_a_hidden_slide_of_a_legacy_presentation_stands_behind_the_mark():
    for flags, unseen in ((0x04, True), (0x05, True), (0x01, False), (0, False)):
        lines = list(open_document(ppt(hidden=flags), "a.ppt").lines)
        assert [line.hidden for line in lines if "welcome" in line.text] == [unseen]
        assert not any(line.hidden for line in lines if "nine" in line.text)
