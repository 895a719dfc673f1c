"""The frames between a sealed process and its relay, over two pipes, as values.

In: a number, a verb, a route and a body. Out: a number, a kind and a payload. Both readers distrust
the other side: lengths are checked before anything is read, and an invalid frame ends the channel.
Neither direction can carry a descriptor: these are pipes.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from corpus_agent.seal.routes import MAX_BODY_BYTES, ROUTES

MAX_PAYLOAD_BYTES = 65_536
MAX_TYPE_BYTES = 100  # of a content type
_PIECE_BYTES = 2**20  # of one read
_REQUEST = struct.Struct("=IBBI")
_REPLY = struct.Struct("=IBI")
_HEAD = struct.Struct("=H")
_FAILED = struct.Struct("=BH")


Read = Callable[[int], bytes]
"""The next so many bytes of a pipe; fewer where it ends."""


class BadFrame(Exception):
    """The bytes are not a frame; the beginning of the next one is unknown."""


class Verb(IntEnum):
    """What a request frame asks of the relay."""

    ASK = 1
    CANCEL = 2


class ReplyKind(IntEnum):
    """The content of a reply frame."""

    HEAD = 1
    DATA = 2
    END = 3
    FAILED = 4


class Cause(IntEnum):
    """The reason why a reply is missing or incomplete."""

    REFUSED = 1  # not on the list
    BUSY = 2
    CONNECT = 3
    OWNER = 4
    TIMEOUT = 5
    PROTOCOL = 6
    TOO_MUCH = 7
    BROKEN = 8
    GONE = 9  # the relay itself


@dataclass(frozen=True, slots=True)
class Request:
    """One frame of a sealed process; only ASK has `route` and `body`."""

    number: int
    verb: Verb
    route: int = 0
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """One frame of a relay."""

    number: int
    kind: ReplyKind
    payload: bytes = b""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a reply: its status and content type, the only header that is passed on."""

    status: int
    content_type: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of a request; `error` is the errno of a refused connection, else 0."""

    cause: Cause
    error: int = 0

    @property
    def reason(self) -> str:
        """The reason as text."""
        if self.cause is Cause.CONNECT and self.error:
            return os.strerror(self.error)
        return _REASONS[self.cause]


_REASONS = {
    Cause.REFUSED: "not on the list of what a model server may be asked",
    Cause.BUSY: "too many requests at once",
    Cause.CONNECT: os.strerror(errno.ETIMEDOUT),
    Cause.OWNER: "another user's process listens there now",
    Cause.TIMEOUT: "the server took too long",
    Cause.PROTOCOL: "the server's reply is no HTTP",
    Cause.TOO_MUCH: "the server's reply is too long",
    Cause.BROKEN: "the server closed the connection before its reply was whole",
    Cause.GONE: "the relay has ended",
}


# ---- Pipes


def reader_of(descriptor: int) -> Read:
    """A function that reads exactly the requested bytes from a pipe, without read-ahead."""

    def read(count: int) -> bytes:
        parts = []
        while count and (part := os.read(descriptor, min(count, _PIECE_BYTES))):
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    return read


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte. Raises BrokenPipeError if the reader has closed the pipe."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


# ---- A sealed process writes, a relay reads


def packed_request(request: Request) -> bytes:
    """The bytes of a request."""
    header = (request.number, request.verb, request.route, len(request.body))
    return _REQUEST.pack(*header) + request.body


def read_request(read: Read) -> Request | None:
    """The next request; None if the pipe ends between two. Raises BadFrame.

    A body is limited to the largest one of any route.
    """
    header = read(_REQUEST.size)
    if not header:
        return None
    if len(header) < _REQUEST.size:
        raise BadFrame("a header that is cut off")
    number, verb, route, length = _REQUEST.unpack(header)
    if verb == Verb.CANCEL and not (route or length):
        return Request(number, Verb.CANCEL)
    if verb != Verb.ASK or route >= len(ROUTES) or length > MAX_BODY_BYTES:
        raise BadFrame("a verb, a route or a length that there is not")
    body = read(length)
    if len(body) < length:
        raise BadFrame("a body that is cut off")
    return Request(number, Verb.ASK, route, body)


# ---- A relay writes, a sealed process reads


def packed_reply(reply: Reply) -> bytes:
    """The bytes of a reply."""
    return _REPLY.pack(reply.number, reply.kind, len(reply.payload)) + reply.payload


def read_reply(read: Read) -> Reply | None:
    """The next reply; None if the pipe ends. Raises BadFrame."""
    header = read(_REPLY.size)
    if len(header) < _REPLY.size:
        return None
    number, kind, length = _REPLY.unpack(header)
    if kind not in list(ReplyKind) or length > MAX_PAYLOAD_BYTES:
        raise BadFrame("a kind or a length that there is not")
    payload = read(length)
    return Reply(number, ReplyKind(kind), payload) if len(payload) == length else None


def packed_head(head: Head) -> bytes:
    """The payload of a HEAD, with the printable ASCII of the content type."""
    plain = "".join(char for char in head.content_type if char.isascii() and char.isprintable())
    return _HEAD.pack(head.status) + plain[:MAX_TYPE_BYTES].encode("ascii")


def head_in(payload: bytes) -> Head:
    """The Head of a payload. Raises BadFrame."""
    if len(payload) < _HEAD.size:
        raise BadFrame("a head that is cut off")
    (status,) = _HEAD.unpack_from(payload)
    return Head(status, payload[_HEAD.size :].decode("ascii", "replace"))


def packed_failure(failure: Failure) -> bytes:
    """The payload of FAILED."""
    return _FAILED.pack(failure.cause, failure.error)


def failure_in(payload: bytes) -> Failure:
    """The Failure of a payload. Raises BadFrame."""
    if len(payload) != _FAILED.size or payload[0] not in list(Cause):
        raise BadFrame("a failure that there is not")
    cause, error = _FAILED.unpack(payload)
    return Failure(Cause(cause), error)
