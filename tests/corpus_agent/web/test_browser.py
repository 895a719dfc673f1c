"""The pages in the real Chromium, by role and label, as a person uses them."""

import re
import threading

import pytest

from corpus_agent.web.site import NAVIGATION
from tests.attacks.pages import NASTY, UNSEEN
from tests.support.browser import Observer, chromium, only_ours
from tests.support.fakes import ScriptedModelServer, stalls
from tests.support.processes import until
from tests.support.raw_server import RawServer
from tests.support.web_server import POLICY, WebServer

pytestmark = pytest.mark.slow

QUESTION = "On which day of the month is the rent due?"
DARK = "rgb(21, 24, 27)"
RENT = "1.1 The rent is £985 per calendar month, due in advance on the 3rd day of each month."


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def server(sample_store, browser):
    with WebServer(sample_store, "--llm", "none") as made:
        made.enter()
        yield made


def context_of(browser, server, **options):
    """A context that has the key, as the browser that opened the printed address."""
    made = browser.new_context(**options)
    key = {"name": "corpus-agent", "value": server.cookie, "httpOnly": True, "sameSite": "Strict"}
    made.add_cookies([{**key, "domain": "127.0.0.1", "path": f"{server.base}/"}])
    made.set_default_timeout(60_000)  # as long as a busy machine may take
    return made


def write(page, text):
    """Into the field that has the focus by itself: a browser gives it with its first picture."""
    page.locator("input:focus, textarea:focus").wait_for()
    page.keyboard.type(text)


@pytest.fixture
def page(browser, server):
    context = context_of(browser, server)
    observer = Observer(server.origin)
    observer.watch(context)
    made = context.new_page()
    yield made
    context.close()
    observer.nothing_happened()


def at(server, path):
    return f"{server.origin}{server.base}{path}"


def ask(page, server, question=QUESTION):
    page.goto(at(server, "/"))
    page.get_by_label("Question").fill(question)
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("list", name="Passages").wait_for()


def test_a_question_its_citation_the_marked_words_and_the_way_back(page, server):
    ask(page, server)
    page.get_by_role("link", name="home/lease.md").first.click()
    mark = page.locator("mark")
    assert mark.inner_text() == RENT
    assert mark.bounding_box()["y"] < page.viewport_size["height"], "scrolled to"
    page.reload()
    assert page.locator("mark").inner_text() == RENT
    page.go_back()
    page.get_by_role("list", name="Passages").wait_for()
    page.go_forward()
    assert page.locator("mark").inner_text() == RENT
    page.go_back()
    page.get_by_label("Ask on").fill("And how much is it?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="And how much is it?").wait_for()
    page.get_by_role("link", name="Recorded").nth(1).wait_for()
    page.reload()
    assert page.locator("article").count() == 2


def test_enter_asks_and_shift_enter_begins_a_line(page, server):
    page.goto(at(server, "/"))
    write(page, "On which day")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("is the rent due?")
    assert page.get_by_label("Question").input_value() == "On which day\nis the rent due?"
    page.keyboard.press("Enter")
    page.get_by_role("list", name="Passages").wait_for()


def test_fields_are_chips_and_a_value_leads_to_its_place(page, server):
    page.goto(at(server, "/table"))
    write(page, "rent,governing law,deposit")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remove governing law").click()
    page.get_by_role("button", name="Look").click()
    page.get_by_role("columnheader", name="governing law").wait_for(state="detached")
    page.get_by_role("link", name="rent", exact=True).click()
    assert page.get_by_role("columnheader", name="rent").get_attribute("aria-sort") == "ascending"
    page.get_by_label("Rows that hold").fill("985")
    page.keyboard.press("Enter")
    page.get_by_role("status").get_by_text("1 document").wait_for()
    page.get_by_role("link", name="£985").click()
    assert page.locator("mark").inner_text() == RENT


SCREENS = {
    "phone": {"viewport": {"width": 360, "height": 740}},
    "dark": {"color_scheme": "dark"},
    "no script": {"java_script_enabled": False},
}


@pytest.mark.parametrize("screen", SCREENS)
def test_every_page_works_on_a_phone_in_the_dark_and_without_a_script(screen, browser, server):
    context = context_of(browser, server, **SCREENS[screen])
    page = context.new_page()
    for key, path, name in NAVIGATION:
        page.goto(at(server, path))
        page.get_by_role("link", name=name, exact=True).wait_for()
        if screen == "phone":
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        if screen == "dark":
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == DARK
        if key not in ("list", "table"):
            continue
        page.locator("main input[type=search]").fill("rent > 500" if key == "list" else "rent")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="home/lease.md").first.wait_for()
    context.close()


@pytest.mark.nightly
def test_the_draft_is_shown_as_it_is_written_and_can_be_stopped(browser, sample_store):
    draft = "The rent is due on the 3rd day of each month, I believe, and it is a fair one. " * 4
    script = [stalls(draft, 60.0)] * 6
    with ScriptedModelServer(script) as model:
        where = ("--llm", model.server.base_url)
        with WebServer(sample_store, *where) as server:
            server.enter()
            page = context_of(browser, server).new_page()
            page.goto(at(server, "/"))
            assert "toy-model" in page.locator("main").inner_text()
            page.get_by_label("Question").fill(QUESTION)
            page.get_by_role("button", name="Ask").click()
            page.get_by_text("Draft, unchecked").wait_for()
            page.locator(".draft-text", has_text="The rent is due").wait_for()
            assert not model.left
            page.get_by_role("button", name="Stop").click()
            page.get_by_text("Stopped; there is no answer.").wait_for()
            assert until(lambda: model.left), "the model's request is ended, too"
            model.over.set()


@pytest.mark.nightly
def test_nothing_that_a_model_writes_acts_as_a_draft_or_in_an_answer(browser, sample_store):
    with (
        ScriptedModelServer() as model,
        WebServer(sample_store, "--llm", model.server.base_url) as server,
    ):
        server.enter()
        context = context_of(browser, server)
        observer = Observer(server.origin)
        observer.watch(context)
        page = context.new_page()
        for text in NASTY:
            seen = threading.Event()
            model.replies = [stalls(f"{RENT[4:]} {text}", 60, seen)] * 1_000
            page.goto(at(server, "/"))
            page.get_by_label("Question").fill(f"{QUESTION} {text[:40]}")
            page.get_by_role("button", name="Ask").click()
            page.locator(".draft-text", has_text="The rent is").wait_for()
            only_ours(page, server.base)
            seen.set()
            page.get_by_role("link", name="Recorded").wait_for()
            for way in ("answer", "receipt"):
                only_ours(page, server.base)
                shown = page.locator("body").inner_text()
                assert not re.search(UNSEEN, shown), way
                if way == "answer":
                    page.get_by_role("link", name="Recorded").click()
                    page.get_by_role("link", name="Save as Markdown").wait_for()
        page.goto(at(server, "/history"))
        only_ours(page, server.base)
        context.close()
        observer.nothing_happened()


BAD = """<!doctype html><title>bad</title><p onclick="1">x</p><img src="http://127.0.0.1:9/out">
<script>alert(1)</script><script>throw new Error("ours not")</script><b>bold</b>"""


def test_a_page_that_does_all_that_is_noticed(browser):
    """The control: with our policy the browser reports violations, without it things happen."""
    for policy in ("", POLICY):
        head = f"Content-Security-Policy: {policy}\r\n" if policy else ""
        answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{head}\r\n{BAD}"
        with RawServer([answer.encode()]) as bad:
            origin = f"http://127.0.0.1:{bad.port}"
            context = browser.new_context()
            observer = Observer(origin)
            observer.watch(context)
            page = context.new_page()
            page.goto(origin)
            with pytest.raises(AssertionError):
                only_ours(page, "/base")
            violations = page.evaluate("window.violations")
            context.close()
            with pytest.raises(AssertionError):
                observer.nothing_happened()
            if policy:
                assert observer.dialogs == []
                assert any(found.startswith("script-src") for found in violations)
                assert any(found.startswith("img-src") for found in violations)
                assert observer.refused
            else:
                assert observer.dialogs == ["alert"]
                assert observer.foreign == ["http://127.0.0.1:9/out"]
                assert observer.errors
