"""Answers as files: everything is in them, nothing in them acts, and the words are outlined."""

import base64
import re
from html.parser import HTMLParser

import pytest
from lxml import html

from corpus_agent import render
from corpus_agent.answering.receipt import Rechecked
from corpus_agent.answering.records import Answer, Citation
from corpus_agent.service.pictures import CitedPage, CitedPages
from indexer.extract.points import Points
from indexer.parsers.pages import png_of
from indexer.records import Box, Coverage, PagePicture
from tests.attacks.injection.leaks import live_markup
from tests.support.fakes import passages
from tests.support.page_pictures import points_of_png

HOSTILE = (
    "</blockquote></title><script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>"
    " ![x](http://evil.example/y) [z](javascript:alert(1)) \x1b[31m\u202e {0} {answers} & \"q\" 'r'"
)
PICTURE = PagePicture(png_of(Points(200, 300, 1, bytes(60_000))), 200, 300)
BOX = Box(7, 0.1, 0.2, 0.5, 0.25)


def answer(text: str = "It is due on the first day [1].", quote: str = "due on the first day"):
    citation = Citation(1, text if text == HOSTILE else "lease.pdf", 7, 3, 4, quote, "verified")
    question = HOSTILE if text == HOSTILE else "When is it due?"
    coverage = Coverage(indexed=3, failed=1)
    notices = ("A notice.", *([HOSTILE] if text == HOSTILE else []))
    return Answer(question, text, "perhaps", "extractive", passages(citation), coverage, 1, notices)


def cited(*boxes: Box, stale: bool = False) -> CitedPages:
    picture = PagePicture(PICTURE.png, 200, 300, stale)
    return CitedPages((CitedPage(7, picture, boxes),))


def page(*exported) -> html.HtmlElement:
    return html.document_fromstring(render.export_html(exported))


def test_a_file_holds_the_question_the_answer_and_where_it_is_from():
    exported = render.exported_answer(answer())
    for text in (render.export_markdown([exported]), render.export_html([exported])):
        for words in (
            *("When is it due?", "perhaps", "It is due on the first day [1]."),
            *("lease.pdf, page 7", "due on the first day", "A notice."),
            *("3 documents searched, 1 could not be read",),
        ):
            assert words in text


def test_the_page_holds_the_picture_and_an_outline_around_the_words():
    shown = page(render.exported_answer(answer(), [cited(BOX)]))
    (image,) = shown.iter("img")
    kind, data = image.get("src").split(",")
    assert kind == "data:image/png;base64"
    assert points_of_png(base64.b64decode(data)).shape == (300, 200)
    (svg,) = shown.iter("svg")
    assert svg.get("viewbox") == "0 0 200 300"
    (rect,) = shown.iter("rect")
    x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
    assert x <= 0.1 * 200 and y <= 0.2 * 300
    assert x + width >= 0.5 * 200 and y + height >= 0.25 * 300
    assert width < 0.45 * 200 and height < 0.07 * 300


def test_what_a_picture_lacks_is_said():
    assert "where the words stand on it is not known" in render.export_html(
        [render.exported_answer(answer(), [cited()])]
    )
    assert "changed since it was indexed" in render.export_html(
        [render.exported_answer(answer(), [cited(BOX, stale=True)])]
    )
    problem = CitedPages(problem="'lease.pdf' no longer exists")
    assert "No picture: " in render.export_html([render.exported_answer(answer(), [problem])])


class Tags(HTMLParser):
    """The elements and attributes of a page, as a lenient reader finds them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.add(tag)
        self.attributes.update(name for name, _ in attributes)


def test_nothing_that_a_document_or_a_model_wrote_is_markup():
    plain = Tags(render.export_html([render.exported_answer(answer(), [cited(BOX)])]))
    exported = render.exported_answer(answer(HOSTILE, HOSTILE), [cited(BOX)])
    text = render.export_html([exported])
    hostile = Tags(text)
    assert (hostile.found, hostile.attributes) == (plain.found, plain.attributes)
    assert not hostile.found & {"script", "a", "link", "iframe", "form", "object"}
    assert not any(name.startswith("on") or name == "href" for name in hostile.attributes)
    assert "alert(1)" in text  # it is shown, as text
    assert Tags(f"<p>{HOSTILE}").found == {"p", "script", "img"}  # the control


def test_nothing_in_the_markdown_is_live():
    text = render.export_markdown([render.exported_answer(answer(HOSTILE, HOSTILE))])
    assert not live_markup(text)
    assert live_markup(HOSTILE)  # the control
    assert "\x1b" not in text


def test_a_fence_or_heading_of_a_model_stays_in_its_block():
    text = render.export_markdown([render.exported_answer(answer("# Title\n```\nopen\n---\n[1]"))])
    body = text.partition("*\n\n")[2].partition("\n[1] ")[0]
    assert all(line.startswith(">") for line in body.splitlines() if line)


def test_the_page_may_load_nothing():
    text = render.export_html([render.exported_answer(answer(), [cited(BOX)])])
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert "//" not in re.sub(r"base64,[^\"]*", "", text)


@pytest.mark.parametrize("holds", [True, False])
def test_a_receipt_is_written_as_it_stands_today(holds):
    now = answer().citations[0]
    if not holds:
        now = Citation(1, "lease.pdf", None, 0, 0, "", "not_found")
    content = {
        "question": "When is it due?",
        "answer": "It is due [1].",
        "status": "answered",
        "started": "2026-01-02T03:04:05Z",
        "answerer": "extractive",
    }
    exported = render.exported_receipt((content, [Rechecked(now, (3, 4), "unchanged")]))
    for text in (render.export_markdown([exported]), render.export_html([exported])):
        assert f"{int(holds)} of 1 quotations still stand in their documents" in text
        assert ("holds" if holds else "no longer there") in text
        assert "2026-01-02T03:04:05Z" in text
