"""Mutated requests for a relay, and the judge of what reached the server.

A mutated request is a frame as code that took over a sealed process could write it: bodies that
hold a second request, two lengths, chunks, absolute addresses, control characters; headers of
frames with any number, verb, route or length; bytes cut, doubled and strewn in. The judge knows the
list by heart and not from the program.
"""

from __future__ import annotations

import json
import os
import random
import struct
from collections import Counter

from corpus_agent.seal import Gate, TcpAddress
from corpus_agent.seal.broker import Broker
from tests.support.brokers import broker_for
from tests.support.raw_server import RawServer

COUNTS = ("sent", "arrived", "off the list", "refused", "relays ended")
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
BODY = json.dumps(CHAT).encode()
LISTED = {
    *("POST /v1/chat/completions", "POST /v1/rerank", "POST /api/show", "GET /api/v0/models"),
    *("GET /v1/models", "GET /props", "GET /health", "GET /api/ps"),
}
CHAT_KEYS = set(CHAT)
MESSAGE_KEYS = {"role", "content", "tool_calls", "tool_call_id"}
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
KEYS = ["name", "insecure", "url", "image_url", "grammar", "keep_alive", "options", "images"]


def is_listed(request: bytes, port: int) -> bool:
    """Whether the bytes of a connection are one request of the list and nothing more."""
    head, end, body = request.partition(b"\r\n\r\n")
    try:
        line, *headers = head.decode("ascii").split("\r\n")
    except UnicodeDecodeError:
        return False
    said = line.removesuffix(" HTTP/1.1")
    wanted = [f"Host: 127.0.0.1:{port}", "Connection: close"]
    if said.startswith("POST"):
        wanted += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    if not end or said == line or said not in LISTED or headers != wanted:
        return False
    if said.startswith("GET"):
        return not body
    return _is_body(said, body)


def _is_body(said: str, body: bytes) -> bool:
    try:
        content = json.loads(body.decode("ascii"))
    except ValueError:
        return False
    if not isinstance(content, dict) or content.get("model") != "m":
        return False
    if said == "POST /api/show":
        return content == {"model": "m"}
    if said == "POST /v1/rerank":
        passages = content.get("documents", [])
        known = {"model", "query", "documents", "top_n"}
        return set(content) <= known and all(isinstance(text, str) for text in passages)
    messages = content.get("messages", [])
    return set(content) <= CHAT_KEYS and all(
        set(message) <= MESSAGE_KEYS and isinstance(message.get("content"), str | None)
        for message in messages
    )


def play(seed: int, count: int) -> Counter[str]:
    """What became of `count` mutated requests: sent, arrived, refused, ended the relay."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    with RawServer() as server:
        address = TcpAddress("127.0.0.1", server.port)
        gate = Gate(address, frozenset(["m"]), frozenset([os.geteuid()]))
        while counts["sent"] < count:
            with broker_for(gate) as broker:
                _until_it_ends(broker, rng, counts, count)
    counts["arrived"] = len(server.requests)
    counts["off the list"] = sum(not is_listed(each, server.port) for each in server.requests)
    return counts


def _until_it_ends(broker: Broker, rng: random.Random, counts: Counter[str], count: int) -> None:
    """Write frames until the relay has ended, or there were enough; then read what it said."""
    requests, answers = broker._requests, broker._answers
    number = 0
    while counts["sent"] < count:
        number += 1
        frame, whole = mutated(rng, number)
        counts["sent"] += 1
        try:
            os.write(requests, frame)
            if not whole:
                # What follows a frame that is none would be read as its end: the pipe ends here.
                break
            counts[_outcome(answers, number)] += 1
        except (BrokenPipeError, EOFError):
            counts["relays ended"] += 1
            return
    os.close(requests)
    broker._requests = os.open(os.devnull, os.O_WRONLY)
    while os.read(answers, 65_536):
        pass
    counts["relays ended"] += 1


def _outcome(answers: int, number: int) -> str:
    """How the request of this number ended."""
    while True:
        header = _exactly(answers, 9)
        which, kind, length = struct.unpack("=IBI", header)
        payload = _exactly(answers, length)
        if which == number and kind == 3:
            return "answered"
        if which == number and kind == 4:
            return "refused" if payload[0] == 1 else "failed"


def _exactly(descriptor: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = os.read(descriptor, count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def mutated(rng: random.Random, number: int) -> tuple[bytes, bool]:
    """A frame, and whether it is whole, so that the relay answers to this number."""
    body = _body(rng)
    route = rng.choice((0, 0, 0, 1, 2, 3, 4, 5, 5, 6))
    frame = struct.pack("=IBBI", number, 1, route, len(body)) + body
    kind = rng.random()
    if kind < 0.7:
        return frame, True
    damaged = bytearray(frame)
    for _ in range(rng.randint(1, 4)):
        _damage(rng, damaged)
    return bytes(damaged), False


def _damage(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(min(len(data), 24) if rng.random() < 0.7 else len(data))
    how = rng.randrange(4)
    if how == 0:
        data[at] = rng.randrange(256)
    elif how == 1:
        del data[at : at + rng.randint(1, 8)]
    elif how == 2:
        data[at:at] = rng.choice(SMUGGLED)
    else:
        data[at:at] = rng.randbytes(rng.randint(1, 16))
    if not data:
        data += b"\0"


def _body(rng: random.Random) -> bytes:
    """A body: as it should be, or cut, flipped, said twice, of no kind, or with more in it."""
    at, said = rng.randrange(len(BODY)), rng.choice(SMUGGLED)
    odd = rng.choice(("m", "n", -1, 10**400, 1e400, None, True, [], {}, [CHAT], "\ud800", "\0"))
    message = {
        "role": rng.choice(("user", "tool", "root")),
        "content": said.decode("utf-8", "replace"),
    }
    more = {
        "role": "user",
        "content": [{"type": "image_url"}],
        rng.choice(("audio", "images")): "x",
    }
    flipped = bytearray(BODY)
    flipped[at] = rng.randrange(256)
    return rng.choice(
        (
            BODY,
            BODY[:at],
            BODY[:at] + said + BODY[at:],
            BODY + said,
            bytes(flipped),
            rng.choice((b"[", b'{"a":', b" ", b"x", b"{}\r\n"))
            * rng.choice((0, 10, 5_000, 50_000)),
            rng.choice((b'{"model":"n",', b'{"model":"m","model":"n",', b'{"url":"x",')) + BODY[1:],
            BODY[:-1] + b',"model":"n"}',
            *map(
                _said,
                (
                    {"model": rng.choice(("m", "n", "m:cloud", "m\r\n", ""))},
                    {**CHAT, "messages": [message]},
                    {**CHAT, "messages": [more]},
                    {**CHAT, rng.choice(KEYS): odd},
                    {**CHAT, rng.choice(list(CHAT)): odd},
                ),
            ),
        )
    )


def _said(content: object) -> bytes:
    return json.dumps(content).encode()
