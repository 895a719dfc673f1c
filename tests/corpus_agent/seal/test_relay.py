"""The written list, seen from the wire, whatever a taken-over process says or a server answers."""

import io
import json
import os
import random
import re
import socket
import struct
import threading
import time
from collections import Counter

import pytest

from corpus_agent.seal import Gate, TcpAddress, upstream
from corpus_agent.seal.frames import (
    BadFrame,
    Request,
    Verb,
    head_in,
    packed_request,
    read_reply,
    read_request,
)
from corpus_agent.seal.routes import (
    MAX_CHAT_BYTES,
    MAX_NAME_BYTES,
    ROUTES,
    NotListed,
    body_to_send,
    number_of,
)
from corpus_agent.seal.upstream import MAX_HEADER_BYTES, MAX_REPLY_BYTES, request_bytes
from tests.support.brokers import Heard, asked, broker_for
from tests.support.processes import until
from tests.support.raw_server import OK, RawServer

CALL = {"name": "vectordb_search", "arguments": "{}"}
CHAT = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Answer."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": CALL}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "24 degrees"},
    ],
    "max_tokens": 100,
    "temperature": 0.0,
    "stream": True,
    "stream_options": {"include_usage": True},
    "tool_choice": "auto",
    "logprobs": True,
    "top_logprobs": 20,
    "tools": [
        {"type": "function", "function": {"name": "x", "description": "y", "parameters": {}}}
    ],
}
LISTED = {
    *("POST /v1/chat/completions", "POST /api/show", "GET /api/v0/models"),
    *("GET /v1/models", "GET /props", "GET /health", "GET /api/ps"),
}
SMUGGLED = (
    b"\r\n\r\nPOST /api/push HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
    b"0\r\n\r\nGET /api/pull HTTP/1.1\r\nHost: x\r\n\r\n",
    b" HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"\r\nContent-Length: 0\r\nContent-Length: 44\r\n",
    b"CONNECT 192.0.2.1:443 HTTP/1.1\r\n\r\n",
    b"\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n",
    b"GET http://192.0.2.1/ HTTP/1.1\r\n\r\n",
    b"\0",
    "\u2028\u0130\u1e9e\ufeff".encode(),
    b"%0d%0aX: y",
    b"?action=push",
    b"#",
)


CHAT_ROUTE = number_of("POST", "/v1/chat/completions")
MODELS = frozenset(["m"])


def chat(**changes):
    return json.dumps({**CHAT, **changes}).encode()


def user(content, **more):
    return chat(messages=[{"role": "user", "content": content} | more])


def relayed(port, owners=None):
    return broker_for(Gate(TcpAddress("127.0.0.1", port), MODELS, owners))


def is_listed(request: bytes, port: int) -> bool:
    """Whether the bytes of a connection are one request of the list and nothing more."""
    head, end, body = request.partition(b"\r\n\r\n")
    line, *headers = head.decode("latin-1").split("\r\n")
    said = line.removesuffix(" HTTP/1.1")
    wanted = [f"Host: 127.0.0.1:{port}", "Connection: close"]
    if said.startswith("POST"):
        wanted += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    if not end or said == line or said not in LISTED or headers != wanted:
        return False
    try:
        return _is_body(said, json.loads(body.decode("ascii"))) if body else said[:3] == "GET"
    except ValueError:
        return False


def _is_body(said, content):
    if not isinstance(content, dict) or content.get("model") != "m" or said.startswith("GET"):
        return False
    if said == "POST /api/show":
        return content == {"model": "m"}
    known = {"role", "content", "tool_calls", "tool_call_id"}
    return set(content) <= set(CHAT) and all(
        set(message) <= known and isinstance(message.get("content"), str | None)
        for message in content.get("messages", [])
    )


ADDRESS = TcpAddress("127.0.0.1", 8080)


def test_the_judge_knows_what_is_off_the_list():
    good = request_bytes(ADDRESS, ROUTES[CHAT_ROUTE], chat())
    assert is_listed(good, ADDRESS.port)
    replaced = (
        (b"/v1/chat", b"/api/push"), (b"Connection: close", b"Connection: close\r\nX: y"),
        (b'"m"', b'"n"'), (b"HTTP/1.1", b"HTTP/1.0"), (good, b""),
    )  # fmt: skip
    bad = [good + smuggled for smuggled in SMUGGLED] + [good.replace(*pair) for pair in replaced]
    assert [each for each in bad if is_listed(each, ADDRESS.port)] == []


def mutated(rng: random.Random, number: int) -> bytes:
    """A frame, most of them whole."""
    body, route = _body(rng), rng.choice((0, 0, 0, 1, 2, 3, 4, 5, 5, 6))
    frame = bytearray(struct.pack("=IBBI", number, 1, route, len(body)) + body)
    for _ in range(rng.randint(1, 4) if rng.random() < 0.3 else 0):
        at = rng.randrange(min(len(frame), 24) if rng.random() < 0.7 else len(frame))
        more = rng.choice((*SMUGGLED, rng.randbytes(rng.randint(1, 16)), b""))
        frame[at : at + rng.randint(0, 8)] = more or b"\0"
    return bytes(frame)


def _body(rng: random.Random) -> bytes:
    """A body: as it should be, or cut, flipped, said twice, of no kind, or with more in it."""
    body, said = chat(), rng.choice(SMUGGLED)
    at = rng.randrange(len(body))
    keys = [*CHAT, "name", "insecure", "url", "image_url", "grammar", "keep_alive", "options"]
    odd = rng.choice(("m", "n", -1, 10**400, 1e400, None, True, [], {}, [CHAT], "\ud800", "\0"))
    words = said.decode("utf-8", "replace")
    return rng.choice(
        (
            body,
            body[:at],
            body[:at] + said + body[at:],
            body + said,
            body[:at] + rng.randbytes(1) + body[at + 1 :],
            rng.choice((b"[", b'{"a":', b" ", b"x", b"{}\r\n")) * rng.choice((0, 10, 50_000)),
            rng.choice((b'{"model":"n",', b'{"url":"x",')) + body[1:],
            body[:-1] + b',"model":"n"}',
            json.dumps({"model": rng.choice(("m", "n", "m:cloud", "m\r\n", ""))}).encode(),
            user(words, role=rng.choice(("user", "tool", "root"))),
            user([{"type": "image_url"}], **{rng.choice(("audio", "images")): "x"}),
            chat(**{rng.choice(keys): odd}),
        )
    )


@pytest.mark.parametrize("count", [1_000, pytest.param(50_000, marks=pytest.mark.nightly)])
def test_mutated_frames_become_requests_of_the_list_or_none(count):
    """By the steps of a relay, whose process and wire are below."""
    rng, said, ended = random.Random(count), [], Counter()
    for number in range(count):
        frames = io.BytesIO(mutated(rng, number))
        try:
            while request := read_request(frames.read):
                route = ROUTES[request.route]
                content = body_to_send(route, request.body, MODELS)
                said.append(request_bytes(ADDRESS, route, content))
        except (BadFrame, NotListed) as error:
            ended[type(error)] += 1
    assert [each for each in said if not is_listed(each, ADDRESS.port)] == []
    assert len(said) > count / 50  # or nothing was tested
    assert ended[NotListed] > count / 10 and ended[BadFrame] > count / 20


def test_each_route_of_the_list_is_said_and_nothing_beside_it():
    body = json.dumps(CHAT).encode()
    with RawServer() as server, relayed(server.port) as broker:
        for route in ROUTES:
            given = body if route.path.endswith("completions") else b'{"model": "m"}'
            sent = given if route.judge else b""
            assert asked(broker, route.method, route.path, sent) == (200, b"{}", None)
    said = [request.split(b"\r\n")[0].decode() for request in server.requests]
    assert said == [f"{route.method} {route.path} HTTP/1.1" for route in ROUTES]
    allowed = {"host", "connection", "content-type", "content-length"}
    for request in server.requests:
        head = request.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
        assert {line.partition(":")[0].lower() for line in head} <= allowed
        assert is_listed(request, server.port)
    assert request_bytes(TcpAddress("::1", 8080), ROUTES[CHAT_ROUTE], b"{}") == (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: [::1]:8080\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    )


UNLISTED = {
    "GET": (
        "/v1/models?x=1", "/v1/models#x", "/v1/models/", "//v1/models", "/V1/models",
        "/v1/%6dodels", "/v1/../api/push", "http://127.0.0.1:1/v1/models", "/v1/models\0",
        "/v1/models HTTP/1.1\r\nX: y\r\n\r\nGET /api/push", "/v1/models\n", "/v1/mοdels", "",
        "/v1/chat/completions",
    ),
    "POST": ("/api/push", "/api/pull", "/slots/0?action=save", "/v1/models"),
    "DELETE": ("/api/delete",), "CONNECT": ("example.com:80",), "get": ("/v1/models",),
    "OPTIONS": ("*",),
}  # fmt: skip


def test_there_are_no_words_for_anything_else():
    for method, paths in UNLISTED.items():
        for path in paths:
            with pytest.raises(NotListed, match="not on the list"):
                number_of(method, path)


FUNCTION = {"type": "function", "function": {"name": "x"}}
# A server would fetch the picture, and the address would carry a document away.
PICTURE = {"type": "image_url", "image_url": {"url": "http://192.0.2.1/?secret"}}
NOT_LISTED = (
    *(b"", b"null", b"[]", b'"text"', b"{", b"\xff\xfe", b"{}"),
    *(chat(model=model) for model in ("other", ["m"], "m\r\nX: y")),
    chat(stream="yes"),
    chat(temperature=float("nan")),
    chat(grammar="root ::= x"),
    chat(chat_template="{{ x }}"),
    chat(kv_transfer_params={"remote_host": "192.0.2.1"}),
    chat(keep_alive=-1),
    chat(stream_options={"include_usage": True, "x": 1}),
    chat(tool_choice={"type": "function"}),
    chat(logprobs=1),
    chat(top_logprobs="20"),
    chat(messages={"role": "user"}),
    chat(messages=["text"]),
    chat(messages=[{"role": "developer", "content": "x"}]),
    chat(messages=[{"role": "assistant", "tool_calls": [{"type": "x"}]}]),
    user({"text": "x"}),
    user([{"type": "text", "text": "x"}]),
    user([PICTURE]),
    user("x", audio={}),
    chat(tools=[{"type": "web_search"}]),
    chat(tools=[{"type": "mcp", "server_url": "http://192.0.2.1"}]),
    chat(tools=[{"type": "function", "function": {"name": "x", "url": "y"}}]),
    chat(tools=[{"type": "function", "function": {}, "server": "x"}]),
    b"[" * 100_000,
    chat() + b"POST /api/push HTTP/1.1\r\n\r\n",
    b" " * (MAX_CHAT_BYTES + 1),
)


def test_a_body_that_is_not_on_the_list_is_refused():
    assert body_to_send(ROUTES[CHAT_ROUTE], chat(tools=[FUNCTION]), MODELS)  # the control
    for body in NOT_LISTED:
        with pytest.raises(NotListed, match="a body"):
            body_to_send(ROUTES[CHAT_ROUTE], body, MODELS)


def test_a_body_of_the_list_goes_as_it_is_and_at_the_limit():
    assert json.loads(body_to_send(ROUTES[CHAT_ROUTE], chat(), MODELS)) == CHAT
    full = chat() + b" " * (MAX_CHAT_BYTES - len(chat()))
    assert json.loads(body_to_send(ROUTES[CHAT_ROUTE], full, MODELS)) == CHAT
    show = ROUTES[number_of("POST", "/api/show")]
    assert body_to_send(show, b'{"model":"m"}', MODELS) == b'{"model":"m"}'
    assert body_to_send(show, b'{"model":"m"}'.ljust(MAX_NAME_BYTES), MODELS)
    for refused in (b'{"model":"m","verbose":true}', b'{"name":"m"}', b'{"model":"x"}'):
        with pytest.raises(NotListed, match="a body"):
            body_to_send(show, refused, MODELS)
    with pytest.raises(NotListed, match="0 are the most"):
        body_to_send(ROUTES[number_of("GET", "/props")], b"{}", MODELS)


def test_two_readings_of_one_body_become_one():
    # The relay would judge the last model, a server might take the first.
    twice = b'{"model": "other", "messages": [], "model": "m"}'
    assert body_to_send(ROUTES[CHAT_ROUTE], twice, MODELS) == b'{"model":"m","messages":[]}'
    odd = '{"model":"m","messages":[{"role":"user","content":"\u2028é\r\n\\u0000"}]}'
    sent = body_to_send(ROUTES[CHAT_ROUTE], odd.replace("\r\n", "\\r\\n").encode(), MODELS)
    assert sent.isascii() and not re.search(rb"[\x00-\x1f]", sent)


def test_what_is_no_frame_is_an_error():
    for data in (
        b"\0",
        struct.pack("=IBBI", 1, 0, 0, 0),
        struct.pack("=IBBI", 1, 3, 0, 0),
        struct.pack("=IBBI", 1, 1, len(ROUTES), 0),
        struct.pack("=IBBI", 1, 1, 255, 0),
        struct.pack("=IBBI", 1, 1, 0, MAX_CHAT_BYTES + 1),
        struct.pack("=IBBI", 1, 1, 0, 2**32 - 1),
        struct.pack("=IBBI", 1, 1, 0, 5) + b"1234",
        struct.pack("=IBBI", 1, 2, 1, 0),
        struct.pack("=IBBI", 1, 2, 0, 1) + b"x",
    ):
        with pytest.raises(BadFrame, match="that"):
            read_request(io.BytesIO(data).read)
    for data in (struct.pack("=IBI", 1, 9, 0), struct.pack("=IBI", 1, 2, 65_537)):
        with pytest.raises(BadFrame, match="a kind or a length"):
            read_reply(io.BytesIO(data).read)
    with pytest.raises(BadFrame, match="cut off"):
        head_in(b"\0")
    assert read_reply(io.BytesIO(struct.pack("=IBI", 1, 2, 4) + b"123").read) is None


def test_a_relay_that_is_told_no_frame_ends_and_says_nothing():
    for data in (
        b"GET /api/push HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT 192.0.2.1:80 HTTP/1.1\r\n\r\n",
        b"\xff" * 100,
        struct.pack("=IBBI", 1, 1, 9, 0),
    ):
        with RawServer() as server, relayed(server.port) as broker:
            assert asked(broker)[0] == 200
            os.write(broker.pipe, data)
            assert asked(broker) == (None, b"", "the relay has ended")
            assert len(server.requests) == 1


def test_a_reply_is_handed_on_as_it_comes():
    go = threading.Event()

    def answer(connection):
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n6\r\ndata 1\r\n"
        )
        assert go.wait(20)
        connection.sendall(b"6\r\ndata 2\r\n0\r\n\r\n")

    with RawServer(answer) as server, relayed(server.port) as broker:
        heard = Heard(broker)
        assert until(lambda: heard.content == b"data 1")
        go.set()
        assert heard.outcome == (200, b"data 1data 2", None)


def test_a_request_that_is_given_up_closes_its_connection():
    closed = threading.Event()

    def answer(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        connection.settimeout(20)
        if connection.recv(1) == b"":
            closed.set()

    with RawServer(answer) as server, relayed(server.port) as broker:
        heard = Heard(broker)
        assert until(lambda: heard)
        heard.exchange.cancel()
        assert closed.wait(20)


def test_a_reply_that_is_none_is_an_error_with_a_reason():
    failing = []
    for reply, expected in (
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12"], "before its reply was whole"),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12"], "was whole"),
        ([b""], "was whole"),
        ([b"HTTP/1.1 200 OK\r\nX: y"], None),  # an old server ends its header so
        ([b"nonsense\r\n\r\n"], "is no HTTP"),
        ([b"HTTP/9.9 200 OK\r\n\r\n"], "is no HTTP"),
        ([b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"], "is no HTTP"),
        ([b"HTTP/1.1 99999 OK\r\n\r\n"], "is no HTTP"),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"], "was whole"),
        ([b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000], "too long"),
        ([b"HTTP/1.1 200 OK\r\n", b"X: " + b"y" * (MAX_HEADER_BYTES + 40_000)], "reply is"),
        ([b"HTTP/1.1 200 OK\r\n", *[b"X: " + b"y" * 60_000 + b"\r\n"] * 3], "too long"),
        ([b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 200, b"\r\n"], "is no HTTP"),
        ([b"HTTP/1.1 200 OK\r\n\r\n", *[bytes(2**20)] * 33], "too long"),
    ):  # fmt: skip
        with RawServer(reply) as server, relayed(server.port) as broker:
            for _ in range(2):  # and the relay lives on
                reason = asked(broker)[2] or ""
                if reason if expected is None else expected not in reason:
                    failing.append((reply[0][:40], reason))
    assert failing == []


def test_a_reply_of_the_greatest_length_comes_through():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (MAX_REPLY_BYTES - 100_000)
    content = bytes(MAX_REPLY_BYTES - 100_000)
    with RawServer([head, content]) as server, relayed(server.port) as broker:
        assert asked(broker) == (200, content, None)


def test_of_a_header_only_the_content_type_passes_and_nothing_of_it_acts():
    reply = (
        b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nSet-Cookie: a=b\r\n"
        b"Content-Type: text/plain\x1b]0;x\x07" + b"y" * 500 + b"\r\nContent-Length: 0\r\n\r\n"
    )
    with RawServer([reply]) as server, relayed(server.port) as broker:
        heard = Heard(broker, "GET", "/props")
        assert heard.outcome == (302, b"", None)
        assert heard[0].payload == struct.pack("=H", 302) + b"text/plain]0;x" + b"y" * 86
        assert len(server.requests) == 1


def test_a_server_that_trickles_holds_up_nobody_else():
    def answer(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while not server.over.wait(0.05):
            connection.sendall(b"X")

    with RawServer(answer) as server, relayed(server.port) as broker:
        slow_ones = [Heard(broker, "GET", "/props") for _ in range(8)]
        assert broker.status_of("/props", 0.3) is None  # given up, as the caller wants
        for heard in slow_ones:
            heard.exchange.cancel()
        assert slow_ones == [[]] * 8
        server.over.set()
        assert asked(broker)[2] != "the relay has ended"


def test_more_at_once_than_are_served_are_refused_and_later_ones_served():
    go = threading.Event()
    with (
        RawServer(lambda connection: (go.wait(20), connection.sendall(OK))) as server,
        relayed(server.port) as broker,
    ):
        every = [Heard(broker, "GET", "/props") for _ in range(70)]
        assert until(lambda: sum(heard.over.is_set() for heard in every) == 6)
        go.set()
        ended = Counter(heard.outcome for heard in every)
        busy = (None, b"", "too many requests at once")
        assert ended == {(200, b"{}", None): 64, busy: 6}
        assert asked(broker)[0] == 200


def test_a_reply_has_its_time_however_it_trickles():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        wire = upstream.Wire(ours, upstream.REPLY_SECONDS)
        wire._deadline = time.monotonic() + 0.3
        theirs.sendall(b"x")
        assert wire.readinto(bytearray(5)) == 1
        for _ in range(2):
            with pytest.raises(TimeoutError, match="timed out"):
                wire.readinto(bytearray(5))


def test_a_frame_that_comes_in_pieces_is_one():
    with RawServer() as server, relayed(server.port) as broker:
        assert asked(broker)[0] == 200
        for piece in packed_request(Request(900, Verb.ASK, 1)):
            os.write(broker.pipe, bytes([piece]))
            time.sleep(0.01)
        assert asked(broker)[0] == 200
    assert len(server.requests) == 3
