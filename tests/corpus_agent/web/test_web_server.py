"""The real server: every page, every way around the key, and what is closed to the process."""

import json
import re
import signal
import subprocess
import time
from contextlib import suppress
from itertools import product

import pytest

from corpus_agent.web.door import FORM
from corpus_agent.web.site import ASSETS, CHANGE, READ
from tests.support.pdfs import pdf_of
from tests.support.processes import until
from tests.support.web_server import POLICY, WebServer, parsed

pytestmark = pytest.mark.slow


ALWAYS = {
    "content-security-policy": POLICY, "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff", "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp", "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}  # fmt: skip
GET = sorted(READ) + [f"/static/{name}" for name in ASSETS]
EVERY = [*(("GET", path) for path in GET), *(("POST", path) for path in sorted(CHANGE))]


@pytest.fixture(scope="module")
def server(sample_store):
    with WebServer(sample_store, "--llm", "none") as made:
        made.enter()
        yield made


@pytest.fixture
def own(tmp_path, cli):
    """A server over two documents of its own, which a test may change."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "heron.md").write_text("# Heron\n\nThe heron nests in the reeds.\n")
    (docs / "boiler.md").write_text("# Boiler\n\nThe boiler was serviced in May 2024.\n")
    made = cli("--store", tmp_path / "store", "index", docs)
    assert made.returncode == 0, made.stderr
    with WebServer(tmp_path / "store", "--llm", "none") as running:
        running.enter()
        running.docs, running.store = docs, tmp_path / "store"
        yield running


def test_search_marks_the_likely_line_and_filters(server):
    found = server.get("/search", q="rent due", path="home")
    assert "<strong>1.1 The rent is £985 per calendar month" in found.text
    assert "lease.md</a>" not in server.get("/search", q="rent due", **{"not": "home"}).text
    assert "in advance on the 3rd day of each month. 1.2 The rent may" in found.words
    assert "empty not yet recognised" in server.get("/documents").words
    assert "No document of the index is at" in server.get("/search", q="rent", path="nowhere").words
    assert "lease.md</a>" not in server.get("/search", q="rent due", where="type=pdf").text
    assert "lease.md</a>" in server.get("/search", q="rent due", where="type=markdown").text
    assert " in 1 document;" in server.get("/search", q="rent", path="home/lease.md").words
    near = server.get("/search", q="rent").words
    assert re.search(r"results? in \d\d documents .* more results?, far from this", near)
    assert "other half" in server.get("/search", q="rent", path="'a b").words
    part = server.get("/search", q="rent due", part=1).text
    assert "<html" not in part
    assert "<strong>1.1 The rent" in part


def test_a_pasted_text_is_shown_with_marks_that_lead_to_the_documents(server):
    text = "It says “The rent is £1,230 per calendar month”. <script>alert(1)</script>"
    page = server.post("/check", text=text)
    assert (
        page.status == 200 and "2 statements: 0 quoted or supported, 1 altered, 1 not" in page.words
    )
    assert "<script>alert" not in page.text and "“1,230” → “985”" in page.words
    place = re.search(r'href="[^"]*(/read)\?source=home%2Flease\.md&amp;line=(\d+)', page.text)
    assert place, "the passage is linked"
    found = server.get(place[1], source="home/lease.md", line=place[2])
    assert "£985 per calendar month" in found.words
    assert "Check it in parts" in server.post("/check", text="“a b c” " * 2_100).words


def test_a_question_without_a_script_is_answered_by_the_page_that_it_leads_to(server):
    reply = server.post("/ask", question="On which day of the month is the rent due?")
    page = server.get(reply.headers["location"].removeprefix(server.base).partition("#")[0])
    assert "<strong>1.1 The rent is £985" in page.text and 'http-equiv="refresh"' not in page.text


def test_every_document_is_looked_at_and_each_value_leads_to_its_place(server):
    made = server.get("/table", fields="rent, deposit", sort=1, path="home")
    assert "£985" in made.words
    [link] = re.findall(r'href="([^"]*home%2Flease\.md[^"]*line=13[^"]*)"', made.text)
    place = server.request("GET", link.replace("&amp;", "&"), headers=server.key)
    assert "<mark>1.1 The rent is £985" in place.text
    assert "lease.md</a>" not in server.get("/table", fields="rent", q="no such").text
    csv = server.get("/table", fields="rent", csv=1)
    assert csv.headers["content-type"] == "text/csv; charset=utf-8"
    assert csv.body.startswith(b"\xef\xbb\xbfdocument,rent,rent (unit),rent (place)\r\n")
    listed = server.get("/list", condition="rent > 500")
    assert "home/lease.md" in listed.words
    assert listed.words.count("could not be read: ") == 1, "what was not looked at is said"
    assert "home/lease.md,985,GBP," in server.get("/list", condition="rent > 500", csv=1).text
    assert 'class="notice"' in server.get("/list", condition="=").text
    dated = server.get("/timeline", go=1, q="2024-05").words
    assert "2024-05-22" in dated
    assert "2024-12-08" not in dated
    assert server.get("/timeline", go=1, sort=1).status == 200
    assert server.get("/timeline", go=1, sort="name").status == 200


def test_a_document_is_forgotten_with_its_line_and_comes_back_with_a_run(own):
    before = own.get("/documents/forget", source="heron.md")
    assert "Forget heron.md?" in before.words
    mistyped = own.post("/documents/forget", source="herons.md")
    assert (mistyped.status, "neither in the index" in mistyped.words) == (404, True)
    reply = own.post("/documents/forget", source="heron.md")
    assert "heron.md is forgotten" in reply.words
    assert "<code>/heron.md</code>" in reply.text
    assert "heron.md" not in own.get("/documents").words
    (own.docs / "new.md").write_text("# New\n\nA new document about otters.\n")
    torn = pdf_of("The badger sleeps.").replace(b"/Kids [ ", b"/Kids [ 99 0 R ")
    (own.docs / "torn.pdf").write_bytes(torn)  # which no picture can be drawn of
    assert own.post("/documents/index").status == 303
    assert until(lambda: not json.loads(own.get("/documents/run", part=1).text)["open"], 60)
    assert "3 added" in own.get("/documents/run").words
    page = own.get("/read", source="torn.pdf", page=1)
    assert "There is no picture of this page" in page.words and "The badger sleeps" in page.words
    assert "new.md" in own.get("/search", q="otters").words


def test_without_the_key_every_route_is_refused(server):
    cookies = {
        "none": {},
        "wrong": {"Cookie": f"corpus-agent={server.cookie[:-1]}x"},
        "of another name": {"Cookie": f"other={server.cookie}"},
        "below another path": server.key,
    }
    let_in = []
    for key, (method, path) in product(cookies, EVERY):
        base = "/0123456789abcdef" if key == "below another path" else server.base
        headers = {**cookies[key], "Origin": server.origin, "Content-Type": FORM}
        reply = server.request(method, base + path.replace("{key}", "0" * 32), headers=headers)
        if reply.status != 401 or "corpus-agent web --open" not in reply.words:
            let_in.append((key, method, path))
    assert let_in == []


def test_with_the_key_the_same_routes_are_not_refused(server):
    """The control."""
    statuses = {path: server.get(path.replace("{key}", "0" * 32)).status for path in GET}
    assert not {401, 403} & {*statuses.values()}
    assert statuses["/"] == statuses["/search"] == statuses["/static/style.css"] == 200


def test_the_token_opens_once_and_is_worth_nothing_elsewhere(sample_store):
    with WebServer(sample_store, "--llm", "none") as server:
        path = f"/?token={server.token}"
        assert server.request("GET", path, headers={"Host": "evil.example"}).status == 403
        assert server.request("POST", path).status == 401
        assert server.request("GET", path + "&more=1").status == 401
        assert server.request("GET", path[:-1]).status == 401
        server.enter()
        assert server.get("/").status == 200
        again = server.request("GET", path)
        assert again.status == 401
        assert "set-cookie" not in again.headers
        assert "used already" in again.words
        assert "used already" not in server.request("GET", f"{path}x").words


def test_a_form_of_another_page_changes_nothing(server):
    """Over a connection; each header is judged in test_door.py."""
    form = {"Content-Type": "application/x-www-form-urlencoded", **server.key}
    for origin, status in (("http://evil.example", 403), (server.origin, 303)):
        headers = {**form, "Origin": origin}
        reply = server.request("POST", f"{server.base}/ask", b"question=Who", headers)
        assert reply.status == status


def test_get_changes_nothing(own):
    for path in CHANGE:
        reply = own.get(path.replace("{key}", "0" * 32), source="heron.md", question="Where?")
        assert reply.status in (200, 404, 405)
    assert "heron.md" in own.get("/documents").words
    assert "Where?" not in own.get("/history").words


def test_every_answer_has_all_headers(server):
    replies = [
        server.get("/"), server.get("/search", q="rent", part=1), server.get("/nowhere"),
        server.get("/static/script.js"), server.post("/ask", question="?"),
        server.request("GET", "/"), server.request("DELETE", f"{server.base}/"),
        server.request("GET", f"{server.base}/", headers={"Host": "evil.example"}),
    ]  # fmt: skip
    for reply in replies:
        assert {name: reply.headers.get(name) for name in ALWAYS} == ALWAYS
        assert "server" not in reply.headers


def framed(server, *lines, body=b""):
    head = [*lines, f"Cookie: corpus-agent={server.cookie}", f"Origin: {server.origin}",
            "Content-Type: application/x-www-form-urlencoded", "", ""]  # fmt: skip
    return "\r\n".join(head).encode() + body


def smuggled(server):
    """Requests in which two readers would see another end, with a second request behind it."""
    post, host = f"POST {server.base}/ask HTTP/1.1", f"Host: {server.host}"
    inner = f"GET {server.base}/documents HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()
    chunk = b"0\r\n\r\n"
    te = "Transfer-Encoding: chunked"
    yield framed(server, post, host, "Content-Length: 5", te, body=chunk + inner)
    yield framed(server, post, host, te, "Content-Length: 5", body=chunk + inner)
    yield framed(server, post, host, te, body=chunk + inner)
    yield framed(server, post, host, "Content-Length: 0", "Content-Length: 9", body=inner)
    yield framed(server, post, host, "Content-Length: 0, 9", body=inner)
    yield framed(server, post, host, "Content-Length: +0", body=inner)
    yield framed(server, post, host, "Content-Length: 0x0", body=inner)
    yield framed(server, post, host, "Content-Length : 0", body=inner)
    yield framed(server, post, host, " Content-Length: 0", body=inner)
    yield framed(server, post, host, "Transfer-Encoding: xchunked", body=chunk + inner)
    yield framed(server, post, host, "Transfer-Encoding:\tchunked", body=chunk + inner)
    yield framed(server, post, host, "Transfer-Encoding: chunked, identity", body=chunk + inner)
    yield framed(server, post, host, "Host: evil.example", "Content-Length: 0", body=inner)
    yield framed(server, post, "Content-Length: 0", body=inner)
    yield framed(server, f"GET http://evil.example{server.base}/ HTTP/1.1", "Host: evil.example")
    yield framed(server, f"GET {server.base}/ HTTP/1.1\nX: y", "Host: evil.example")
    yield framed(server, f"GET {server.base}/ HTTP/0.9", host)
    yield framed(server, f"GET {server.base}/ HTTP/2.0", host)


def test_what_could_be_read_in_two_ways_is_refused_and_nothing_behind_it_is_read(server):
    for data in smuggled(server):
        found = server.raw(data, 5)
        assert parsed(found).status in (0, 400, 403, 405, 413, 505), data
        assert found.count(b"HTTP/1.1 ") <= 1, data
        assert b"council-tax" not in found, data


def test_a_request_that_does_not_end_is_closed_in_its_time_and_others_are_served(server):
    with server.connect() as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        began = time.monotonic()
        assert server.get("/").status == 200
        slow.settimeout(30)
        with suppress(ConnectionResetError):
            assert slow.recv(100) == b""
        assert time.monotonic() - began < 20


def test_ctrl_c_ends_with_130_and_a_signal_of_a_service_manager_with_0(sample_store):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 0)):
        with WebServer(sample_store, "--llm", "none") as server:
            server.enter()
            assert server.get("/").status == 200
            found, errors = server.end(number)
            assert found == code, errors
            assert "Traceback" not in errors


def test_no_secret_of_the_server_is_among_the_arguments_of_a_process(server):
    found = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, text=True).stdout
    assert "corpus_agent" in found
    assert server.token not in found
    assert server.cookie not in found
