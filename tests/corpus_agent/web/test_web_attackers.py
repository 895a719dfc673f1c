"""What attackers get of the pages: in the process that draws, in a model, beside the server."""

import json
import re
from html.parser import HTMLParser

import pytest

from corpus_agent.service import session
from corpus_agent.settings import Settings
from corpus_agent.text.naming import unambiguous
from tests.attacks.injection.strings import contract
from tests.attacks.obeying_viewer import FRAMES
from tests.attacks.pages import NASTY, UNSEEN, taken_over_copy
from tests.support.browser import ELEMENTS
from tests.support.pictures import drawn, points_of_png
from tests.support.places import REPOSITORY
from tests.support.web_server import WebServer

pytestmark = pytest.mark.slow

BAD_FRAMES = ("no height", "too few points", "a file instead")
BAD_BOXES = ({}, {"boxes": [[9, 0.1, 0.1, 0.2, 0.2]]}, {"boxes": [[1, 0, 0, 1, 10**400]]},
             {"boxes": [[1, 0, 0, 1, "<script>"]]})  # fmt: skip


def text_page(canvas):
    canvas.drawString(72, 700, "The heron nests in the reeds by the river.")


@pytest.fixture(scope="module")
def taken_over(tmp_path_factory):
    """A server whose pages are drawn by a process that does what the last line of a file says."""
    folder = tmp_path_factory.mktemp("poisoned")
    docs = folder / "docs"
    docs.mkdir()
    orders = ["fine", "attack", "die", *BAD_FRAMES, *map(json.dumps, BAD_BOXES)]
    for number, order in enumerate(orders):
        (docs / f"{number:02}.pdf").write_bytes(drawn(text_page) + b"\n" + order.encode())
    session.index(Settings(store=folder / "store", ocr="off"), docs)
    copy = taken_over_copy(REPOSITORY, folder / "program")
    with WebServer(folder / "store", "--llm", "none", program=copy) as server:
        server.enter()
        server.names = {order: f"{number:02}.pdf" for number, order in enumerate(orders)}
        yield server


def test_a_process_that_draws_and_was_taken_over_has_a_wrong_picture_and_nothing_else(taken_over):
    picture = taken_over.get("/picture", source=taken_over.names["attack"], page=1)
    assert picture.headers["content-type"] == "image/png", picture.words
    row = points_of_png(picture.body).tobytes()
    assert json.loads(row) == {
        "socket": "EPERM",
        "write": "EACCES",
        "read": "EACCES",
        "program": "EPERM",
    }
    fine = taken_over.get("/picture", source=taken_over.names["fine"], page=1)
    assert points_of_png(fine.body).tolist() == [[7]], "the control: it is not pdfium that draws"


def test_what_it_sends_instead_of_a_picture_or_of_boxes_reaches_no_page(taken_over):
    for order in ("die", *BAD_FRAMES):
        assert order == "die" or order in FRAMES
        name = taken_over.names[order]
        page = taken_over.get("/read", source=name, page=1)
        assert page.status == 200, order
        assert "There is no picture of this page" in page.words, order
        assert "The heron nests in the reeds" in page.words, order
    assert taken_over.get("/picture", source=taken_over.names["die"], page=1).status in (404, 500)
    for boxes in BAD_BOXES:
        name = taken_over.names[json.dumps(boxes)]
        page = taken_over.get("/read", source=name, line=2, quote="The heron nests")
        assert "The heron nests in the reeds" in page.words, boxes
        assert "<rect" not in page.text, boxes
        assert "<script>" not in page.text, boxes
    fine = taken_over.get("/read", source=taken_over.names["fine"], line=2, quote="The heron nests")
    assert fine.text.count("<rect") == 1, "the control"


class Acting(HTMLParser):
    """What of a page could act and is not of our templates: elements, handlers, addresses."""

    def __init__(self, page: str, base: str) -> None:
        super().__init__()
        self._base = base
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [] if tag in ELEMENTS.split() else [tag]
        for name, value in attrs:
            leads = name in ("href", "src", "action", "formaction", "srcset", "data")
            if name.startswith("on") or name in ("style", "srcdoc"):
                self.found.append(name)
            elif leads and not (value or "").startswith((f"{self._base}/", "#")):
                self.found.append(f"{name} {value}")


@pytest.fixture(scope="module")
def contracts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contracts")
    (folder / "docs").mkdir()
    for name, content in map(contract, NASTY):
        (folder / "docs" / name).write_bytes(content)
    session.index(Settings(store=folder / "store", ocr="off"), folder / "docs")
    with WebServer(folder / "store", "--llm", "none") as server:
        server.enter()
        yield server


def test_nothing_of_a_document_or_of_what_was_typed_acts_on_any_page(contracts):
    base = contracts.base
    pages = {
        "table": contracts.get("/table", fields="code, rent", sort="2", where="type=md"),
        "list": contracts.get("/list", condition="rent > 500"),
        "timeline": contracts.get("/timeline", go=1),
        "check": contracts.post("/check", text=" ".join(f"“{text}”" for text in NASTY)),
    }
    for name, page in pages.items():
        assert page.words.count("alert(1)") >= 2, name  # in the document's name, and in its words
    names = {text: contract(text)[0] for text in NASTY}
    for text, name in names.items():
        question = {"question": f"What is the rent? {text}"}
        pages[f"ask {text}"] = contracts.followed(contracts.post("/ask", **question))
        pages[f"search {text}"] = contracts.get("/search", q=f"rent {text}", k=100)
        pages[f"read {text}"] = contracts.get("/read", source=unambiguous(name), quote=text)
        few = {"q": text, "path": text, "where": text, "sort": text}
        pages |= {
            f"table {text}": contracts.get("/table", fields=text, **few),
            f"rows {text}": contracts.get("/table", fields="rent", q=text, sort=text),
            f"list {text}": contracts.get("/list", condition=f"code contains {text}"),
            f"timeline {text}": contracts.get("/timeline", go=1, **few),
        }
    for path in ("/", "/documents", "/history", "/state"):
        pages[path] = contracts.get(path)
    for name, page in pages.items():
        assert page.status == 200, name
        assert Acting(page.text, base).found == [], name
        assert page.text.count("<script") == 1, name
        assert not re.search(UNSEEN, page.text), name
    control = Acting("".join(NASTY), base).found
    assert {"iframe", "onerror", "src http://127.0.0.1:9/out"} <= {*control}
    assert re.search(UNSEEN, "".join(NASTY))
