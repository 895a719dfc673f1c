"""Nothing that a document says, or that somebody types, acts on a page."""

import re
from html.parser import HTMLParser

import pytest

from corpus_agent.service import session
from corpus_agent.settings import Settings
from corpus_agent.text.naming import unambiguous
from tests.attacks.injection.strings import contract
from tests.attacks.pages import NASTY, UNSEEN
from tests.support.browser import ELEMENTS
from tests.support.web_server import WebServer

pytestmark = pytest.mark.slow


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
