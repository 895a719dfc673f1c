"""Who is let in, and what is marked, decided over values; connections are in test_web_server.py."""

import socket
from dataclasses import replace

import pytest

from corpus_agent.web.door import COOKIE, MAX_BODY_BYTES, Asked, refusal
from corpus_agent.web.listening import DoorKeys, ServedSocket, listen
from corpus_agent.web.place_page import Wanted, marked
from indexer import CorpusError
from indexer.records import Line

KEYS = DoorKeys("token", "secret", "/base")
FORM = ("content-type", "application/x-www-form-urlencoded")


@pytest.fixture
def served():
    with socket.socket() as sock:
        yield ServedSocket(sock, "127.0.0.1:8377", "http://127.0.0.1:8377")


GET = Asked("GET", "/base/", (("host", "127.0.0.1:8377"), ("cookie", f"{COOKIE}=secret")))
POST = replace(
    GET, method="POST", headers=(*GET.headers, ("origin", "http://127.0.0.1:8377"), FORM)
)


def without(asked, *names):
    return replace(asked, headers=tuple(pair for pair in asked.headers if pair[0] not in names))


def having(asked, *pairs):
    return replace(asked, headers=(*asked.headers, *pairs))


def test_who_has_the_key_is_let_in(served):
    assert refusal(GET, served, KEYS) is None
    assert refusal(POST, served, KEYS) is None
    more = without(GET, "cookie")
    assert refusal(having(more, ("cookie", "a=b; corpus-agent=secret; c")), served, KEYS) is None


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (without(GET, "cookie"), 401),
        (having(without(GET, "cookie"), ("cookie", "corpus-agent=secre")), 401),
        (having(without(GET, "cookie"), ("cookie", "corpus-agent=")), 401),
        (having(without(GET, "cookie"), ("cookie", "xcorpus-agent=secret")), 401),
        (replace(GET, path="/base"), 401),
        (replace(GET, path="/bases/"), 401),
        (replace(GET, path="/"), 401),
        (without(GET, "host"), 400),
        (having(GET, ("host", "127.0.0.1:8377")), 400),
        (having(without(GET, "host"), ("host", "127.0.0.1")), 403),
        (having(GET, ("transfer-encoding", "chunked")), 400),
        (having(GET, ("content-length", "0"), ("content-length", "0")), 400),
        (having(GET, ("content-length", "-1")), 413),
        (having(GET, ("content-length", str(MAX_BODY_BYTES + 1))), 413),
        (having(GET, ("content-length", "9" * 5_000)), 413),
        (having(GET, ("content-length", "0" * 20 + "9" * 20)), 413),
        (having(GET, ("upgrade", "websocket")), 400),
        (having(GET, ("sec-fetch-site", "cross-site")), 403),
        (replace(GET, method="PUT"), 405),
        (replace(GET, version="2.0"), 505),
        (replace(GET, target="/" * 12_001), 414),
        (having(GET, ("x", "y" * 8_000)), 431),
        (without(POST, "origin"), 403),
        (having(POST, ("origin", "http://127.0.0.1:8377")), 403),
        (having(without(POST, "origin"), ("origin", "null")), 403),
        (having(without(POST, "content-type"), ("content-type", "text/plain")), 415),
    ],
)
def test_all_others_are_refused(asked, status, served):
    assert refusal(asked, served, KEYS).status == status


def test_what_is_at_a_limit_is_let_in(served):
    assert refusal(having(GET, ("content-length", str(MAX_BODY_BYTES))), served, KEYS) is None
    assert refusal(replace(GET, target="/" * 12_000), served, KEYS) is None
    assert refusal(having(GET, ("sec-fetch-site", "same-origin")), served, KEYS) is None


def test_a_port_of_this_machine_alone_listens_and_one_that_is_taken_is_an_error():
    first = listen(None)
    with first.socket:
        port = first.socket.getsockname()[1]
        assert first.socket.getsockname()[0] == "127.0.0.1"
        assert first.host == f"127.0.0.1:{port}"
        with pytest.raises(CorpusError, match=f"Port {port} is taken"):
            listen(port)


def test_what_moved_is_found_and_what_is_gone_is_said():
    lines = [Line("New first line."), Line("The rent is due on the third day of the month.")]
    wanted = Wanted.from_query({"line": "1", "quote": "rent is due on the third day"})
    found, at, missing = marked(lines, wanted)
    assert (list(found), at, missing) == ([2], 2, False)
    wanted = Wanted.from_query({"line": "9", "quote": "otters swim in rivers"})
    assert marked(lines, wanted)[1:] == (2, True)
