"""One request to a model server and its reply, with limits: the relay's HTTP client.

All bytes of a request are written here, from a listed route: one request per connection, only the
headers that HTTP requires. A reply yields its status, its content type and its content, each with a
limit in size and time. No redirect is followed; nothing is decoded.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import socket
import threading
import time
from collections.abc import Iterator
from errno import ETIMEDOUT
from typing import Any, Literal

from corpus_agent.seal.address import Address, Gate, TcpAddress, UnixAddress
from corpus_agent.seal.frames import MAX_PAYLOAD_BYTES, Cause, Failure, Head
from corpus_agent.seal.owner import OwnerUnknown, SocketLookup, peer_of
from corpus_agent.seal.routes import Route

CONNECT_SECONDS = 5.0
SEND_SECONDS = 60.0  # for a whole request: over loopback it is immediate
# The client's own limits are shorter, and requests that it cancels are closed here; these bound the
# rest. A slow processor may be given hours (llm_seconds).
IDLE_SECONDS = 4 * 3_600.0  # between two pieces of a reply, and before its first
REPLY_SECONDS = 12 * 3_600.0  # for a whole reply
MAX_HEADER_BYTES = 65_536
MAX_REPLY_BYTES = 32 * 2**20
_BUFFER_BYTES = 16_384
_LEAST_STATUS = 200  # below: an interim reply, or a switch to another protocol


class Failed(Exception):
    """The reply is missing or incomplete."""

    def __init__(self, cause: Cause, error: int = 0) -> None:
        super().__init__(cause.name)
        self.failure = Failure(cause, error)


class Line:
    """The connection of one request, which another thread may cut at any time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sock: socket.socket | None = None
        self._is_cut = False

    def hold(self, sock: socket.socket) -> None:
        """Set the connection. Raises Failed if the line was already cut."""
        with self._lock:
            self._sock = sock
            if self._is_cut:
                raise Failed(Cause.BROKEN)

    def cut(self) -> None:
        """Shut the connection down; a blocked read or write returns at once."""
        with self._lock:
            self._is_cut = True
            if self._sock is not None:
                with contextlib.suppress(OSError):  # not connected yet, or no longer
                    self._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection, if there is one."""
        with self._lock:
            if self._sock is not None:
                self._sock.close()
                self._sock = None


def replies(
    gate: Gate, lookup: SocketLookup | None, route: Route, body: bytes, line: Line
) -> Iterator[Head | bytes]:
    """The head of the reply, then its content in pieces as received; raises Failed."""
    sock = _connected(gate, lookup, line)
    wire = Wire(sock, REPLY_SECONDS)
    try:
        _send(sock, request_bytes(gate.address, route, body))
        response = http.client.HTTPResponse(wire, method=route.method)  # type: ignore[arg-type]
        response.begin()
        if response.status < _LEAST_STATUS:
            raise Failed(Cause.PROTOCOL)
        yield Head(response.status, response.headers.get("Content-Type") or "")
        wire.begin_body()
        while part := response.read1(MAX_PAYLOAD_BYTES):
            yield part
        if response.length:  # fewer bytes than its header promised
            raise Failed(Cause.BROKEN)
    except TimeoutError:
        raise Failed(Cause.TIMEOUT) from None
    except (http.client.IncompleteRead, http.client.RemoteDisconnected):
        raise Failed(Cause.BROKEN) from None
    except (http.client.HTTPException, ValueError):
        raise Failed(Cause.PROTOCOL) from None
    except OSError:
        raise Failed(Cause.BROKEN) from None


def request_bytes(address: Address, route: Route, body: bytes) -> bytes:
    """The whole request, byte for byte; only `body` comes from inside the seal."""
    lines = [f"{route.method} {route.path} HTTP/1.1", f"Host: {address.host}", "Connection: close"]
    if route.judge is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _connected(gate: Gate, lookup: SocketLookup | None, line: Line) -> socket.socket:
    """A connection to the server, with the owner of its process verified."""
    address = gate.address
    sock = socket.socket(address.family, socket.SOCK_STREAM)
    line.hold(sock)
    try:
        sock.settimeout(CONNECT_SECONDS)
        sock.connect(
            address.name if isinstance(address, UnixAddress) else (address.ip, address.port)
        )
        if isinstance(address, TcpAddress):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except TimeoutError:
        raise Failed(Cause.CONNECT, ETIMEDOUT) from None
    except OSError as error:
        raise Failed(Cause.CONNECT, error.errno or 0) from None
    if gate.owners is not None and not _is_theirs(sock, gate.owners, address, lookup):
        raise Failed(Cause.OWNER)
    return sock


def _is_theirs(
    sock: socket.socket, owners: frozenset[int], address: Address, lookup: SocketLookup | None
) -> bool:
    """Whether the other end of a connection belongs to one of `owners`.

    The connection is established, so its listener can no longer be swapped: it has either accepted
    it, and then holds it, or still has it in its queue, and then listens.
    """
    try:
        if isinstance(address, UnixAddress):
            seen = peer_of(sock)
        elif lookup is None:
            return False
        else:
            seen = lookup.owners(address, sock.getsockname()[:2])
    except OwnerUnknown:
        return False
    return bool(seen) and seen <= owners


def _send(sock: socket.socket, request: bytes) -> None:
    sock.settimeout(SEND_SECONDS)
    # A server may refuse a long body before it has read it; then its reply has the reason.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        sock.sendall(request)


class Wire(io.RawIOBase):
    """A connection as a file for HTTPResponse, limited in bytes and in time."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._sock = sock
        self._deadline = time.monotonic() + seconds
        self._left = MAX_HEADER_BYTES + _BUFFER_BYTES

    def makefile(self, _: Literal["rb"]) -> io.BufferedReader:
        """A buffered reader of the connection."""
        return io.BufferedReader(self, _BUFFER_BYTES)

    def begin_body(self) -> None:
        """Count the following bytes as content."""
        self._left = MAX_REPLY_BYTES

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - as RawIOBase has it
        """The number of bytes received. Raises TimeoutError and Failed beyond a limit."""
        seconds = min(self._deadline - time.monotonic(), IDLE_SECONDS)
        if seconds <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(seconds)
        count = self._sock.recv_into(buffer)
        self._left -= count
        if self._left < 0:
            raise Failed(Cause.TOO_MUCH)
        return count
