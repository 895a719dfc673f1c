"""The pages in the real Chromium, by role and label, as a person uses them."""

import re
import threading
from urllib.parse import urlencode

import pytest

from corpus_agent.web.site import NAVIGATION
from tests.attacks.injection.strings import (
    PACKAGED,
    Targets,
    carried,
    contract,
    documents,
    load,
)
from tests.attacks.pages import NASTY, NEIGHBOUR, UNSEEN
from tests.support.browser import Observer, chromium, only_ours
from tests.support.fakes import ScriptedModelServer, stalls
from tests.support.places import EVAL_DATA
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


# -- what documents try


@pytest.fixture(scope="module")
def planted():
    """The planted strings: those for development where they are at hand, else the packaged ones."""
    file = EVAL_DATA / "injection" / "planted-dev.jsonl"
    targets = Targets("/nowhere/canary", "link.txt", "/nowhere/outside", "127.0.0.1:9")
    return load(file if file.exists() else PACKAGED, targets)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory, planted, browser):
    folder = tmp_path_factory.mktemp("hostile")
    docs = folder / "docs"
    docs.mkdir()
    for number, each in enumerate(planted):  # each in one kind of document, a third as a contract
        kinds = list(documents(each))
        few = [kinds[number % len(kinds)], *([] if number % 3 else [contract(each.text)])]
        for name, content in few:
            (docs / name).write_bytes(content)
    from corpus_agent.service import session
    from corpus_agent.settings import Settings

    session.index(Settings(store=folder / "store", ocr="off"), docs)
    with WebServer(folder / "store", "--llm", "none") as made:
        made.enter()
        yield made


TOGETHER = 10  # planted strings that one page of hits shows


@pytest.mark.nightly
def test_nothing_of_a_document_acts_on_any_page(browser, hostile, planted):
    context = context_of(browser, hostile)
    observer = Observer(hostile.origin)
    observer.watch(context)
    page = context.new_page()
    names = []
    first = 0
    while True:
        page.goto(at(hostile, f"/documents?sort=name&from={first}"))
        only_ours(page, hostile.base)
        links = page.get_by_role("rowheader").get_by_role("link").all()
        names += [link.get_attribute("href") for link in links]
        first += 200
        if not page.get_by_role("link", name="Next").count():
            break
    assert len(names) > len(planted)
    for href in names[:: max(1, len(names) // 80)]:
        page.goto(f"{hostile.origin}{href}", wait_until="domcontentloaded")
        only_ours(page, hostile.base)
    for some in (planted[at : at + TOGETHER] for at in range(0, len(planted), TOGETHER)):
        words = " ".join(each.word for each in some)
        page.goto(at(hostile, f"/search?{urlencode({'q': words, 'k': 100})}"))
        only_ours(page, hostile.base)
        assert all(each.word in page.content() for each in some)
        query = f"{some[0].word} valve {carried(some[0].text)[:300]}"
        page.goto(at(hostile, f"/search?{urlencode({'q': query})}"))
        only_ours(page, hostile.base)
    for each in planted[:: max(1, len(planted) // 5)]:
        ask(page, hostile, f"What do the notes say about the {each.word} valve?")
        only_ours(page, hostile.base)
    for path in (
        "/history",
        "/table?fields=code,rent",
        "/list?condition=rent > 500",
        "/timeline?go=1",
    ):
        page.goto(at(hostile, path), wait_until="domcontentloaded")
        only_ours(page, hostile.base)
    context.close()
    observer.nothing_happened()


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


ASK_AS_A_NEIGHBOUR = """async ([address, options]) => {
  try {
    const answer = await fetch(address, { credentials: "include", ...options });
    return `${answer.type} ${answer.status} ${await answer.text()}`;
  } catch (error) { return error.name; }
}"""
FRAMED = """(address) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.onload = () => {
    try { done(String(frame.contentDocument && frame.contentDocument.body.innerText)); }
    catch (error) { done(error.name); }
  };
  frame.src = address;
  document.body.append(frame);
})"""
SENT = """(address) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: address });
  form.innerHTML = '<input name="source" value="home/lease.md">';
  document.body.append(form);
  form.submit();
}"""


@pytest.mark.nightly
def test_a_server_beside_ours_gets_no_key_and_its_pages_get_nothing_of_ours(browser, server):
    context = context_of(browser, server)  # which has our key
    address = at(server, "/documents")
    with RawServer([NEIGHBOUR]) as beside:
        origin = f"http://127.0.0.1:{beside.port}"
        observed = context.new_page()
        for path in ("/", "/documents", "/0123456789abcdef/documents", "/static/style.css"):
            observed.goto(f"{origin}{path}")
        cookies = re.findall(r"(?i)\ncookie: (.*)\r", b"".join(beside.requests).decode())
        assert set(cookies) <= {"theirs=1"}
        observed.goto(f"{origin}{server.base}/")
        (heard,) = (each for each in beside.requests if f" {server.base}/ " in each.decode())
        assert server.cookie in heard.decode(), "the control: who knows the path"
        observed.goto(origin)
        for options in ({}, {"mode": "no-cors"}, {"method": "POST", "mode": "no-cors"}):
            found = observed.evaluate(ASK_AS_A_NEIGHBOUR, [address, options])
            assert found in ("TypeError", "opaque 0 "), options
        assert "lease" not in observed.evaluate(FRAMED, address)
        with observed.expect_response("**/documents") as answer:
            observed.evaluate("(address) => { location.href = address }", address)
        assert answer.value.status == 403, "a link of theirs"
        observed.get_by_role("heading", name="This address is closed").wait_for()
        observed.goto(origin)
        with observed.expect_response("**/forget") as answer:
            observed.evaluate(SENT, at(server, "/documents/forget"))
        assert answer.value.status == 403
        # An answer is not yet a page.
        observed.get_by_role("heading", name="This address is closed").wait_for()
        assert "home/lease.md" in server.get("/documents").words
        assert observed.goto(address).status == 200, "the control: typed by the person"
    context.close()


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
