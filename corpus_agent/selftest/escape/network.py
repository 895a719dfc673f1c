"""Attempts to reach the network: by sockets of every kind, by system calls, through the relay.

A failed attempt raises OSError. probes.py lists them; nothing else calls them.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import queue
import socket
import stat
import struct
import threading
from dataclasses import dataclass
from errno import ENOTSOCK, EPERM, EPIPE

from corpus_agent.seal.address import TcpAddress
from corpus_agent.seal.broker import Broker, start_broker
from corpus_agent.seal.frames import Cause, Kind, Reply, failure_in
from corpus_agent.seal.gate import Gate
from corpus_agent.selftest.escape.attempt import (
    MESSAGE,
    WAIT_SECONDS,
    Attempt,
    Prepare,
    Surroundings,
    by_number,
    checked,
    libc,
)

MSG_FASTOPEN = 0x20000000
RTM_GETLINK, NLM_F_REQUEST_DUMP = 18, 0x301
DNS_QUERY = struct.pack("!6H", 0x1234, 0x0100, 1, 0, 0, 0) + b"\x05probe\x07invalid\0\0\x01\0\x01"


def connect_and_send(family: int, kind: int) -> Attempt:
    """An attempt that connects a new socket to the listener and sends."""

    def attempt(around: Surroundings, _: object) -> None:
        with socket.socket(family, kind) as sock:
            address = around.inet if around.port else around.address
            sock.connect(address)
            sock.sendall(MESSAGE)

    return attempt


def send_datagram(message: bytes) -> Attempt:
    """An attempt that sends one datagram to the listener by UDP."""

    def attempt(around: Surroundings, _: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(message, around.inet)

    return attempt


def raw(_: Surroundings, __: object) -> None:
    """Open a socket that could send any IP packet."""
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


def netlink(_: Surroundings, __: object) -> None:
    """List the network devices by asking the kernel."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as sock:
        sock.settimeout(WAIT_SECONDS)
        sock.send(struct.pack("=IHHII16x", 32, RTM_GETLINK, NLM_F_REQUEST_DUMP, 1, 0))
        sock.recv(65536)


def datagram_from_a_pair(around: Surroundings, _: object) -> None:
    """Send from one half of a socket pair to the listener instead of the other half."""
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, other:
        one.sendmsg([MESSAGE], [], 0, around.address)


def _sockaddr(around: Surroundings) -> bytes:
    return struct.pack("=H", socket.AF_INET) + struct.pack(
        "!H4s8x", around.port, socket.inet_aton(around.address)
    )


def libc_connect(around: Surroundings, _: object) -> None:
    """Connect as a native library would, through the C library."""
    descriptor = checked(libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0))
    checked(libc.connect(descriptor, _sockaddr(around), 16))


def system_calls(around: Surroundings, _: object) -> None:
    """Connect as injected code would, without the C library's own functions."""
    descriptor = by_number("socket", socket.AF_INET, socket.SOCK_STREAM, 0)
    by_number("connect", descriptor, _sockaddr(around), 16)


def io_uring(_: Surroundings, __: object) -> None:
    """Set up the queues through which the kernel takes requests without system calls."""
    parameters = ctypes.create_string_buffer(120)  # struct io_uring_params
    os.close(by_number("io_uring_setup", 4, parameters))


@dataclass(slots=True)
class Waiting:
    """A thread that was started before the seal, and its outcome."""

    go: threading.Event
    thread: threading.Thread
    error: OSError | None = None


def start_thread(around: Surroundings) -> Waiting:
    """A thread that waits, and connects when it is released."""

    def work() -> None:
        waiting.go.wait()
        try:
            connect_and_send(socket.AF_INET, socket.SOCK_STREAM)(around, None)
        except OSError as error:
            waiting.error = error

    waiting = Waiting(threading.Event(), threading.Thread(target=work))
    waiting.thread.start()
    return waiting


def in_the_thread(_: Surroundings, waiting: Waiting) -> None:
    """Release the waiting thread."""
    waiting.go.set()
    waiting.thread.join()
    if waiting.error:
        raise waiting.error


def on_its_way(kind: int) -> Prepare:
    """An unconnected socket that lies in a pair's queue, where no seal can find and close it."""

    def prepare(_: Surroundings) -> tuple[socket.socket, socket.socket]:
        one, other = socket.socketpair()
        with socket.socket(socket.AF_INET, kind) as sock:
            socket.send_fds(one, [b"-"], [sock.fileno()])
        return one, other

    return prepare


def _received(pair: tuple[socket.socket, socket.socket]) -> socket.socket:
    return socket.socket(fileno=socket.recv_fds(pair[1], 1, 1)[1][0])


def connect_received(around: Surroundings, pair: tuple[socket.socket, socket.socket]) -> None:
    """Connect a socket that was made outside the seal."""
    with _received(pair) as sock:
        sock.connect(around.inet)


def fast_open(around: Surroundings, pair: tuple[socket.socket, socket.socket]) -> None:
    """Connect and send at once, by a flag of sendmsg whose address no filter can read."""
    with _received(pair) as sock:
        sock.sendmsg([MESSAGE], [], MSG_FASTOPEN, around.inet)


def send_to_received(around: Surroundings, pair: tuple[socket.socket, socket.socket]) -> None:
    """Send a datagram from a socket that was made outside the seal."""
    with _received(pair) as sock:
        sock.sendto(MESSAGE, around.inet)


def start_listening(_: Surroundings) -> socket.socket:
    """The one socket of a process that serves."""
    return socket.create_server(("127.0.0.1", 0))


def turn_listener(around: Surroundings, served: socket.socket) -> None:
    """Stop listening, and connect that socket to the listener instead."""
    served.shutdown(socket.SHUT_RDWR)
    served.connect(around.inet)
    served.sendall(MESSAGE)


def listen_again(_: Surroundings, __: object) -> None:
    """Listen at a second port, where somebody else may come."""
    socket.create_server(("127.0.0.1", 0)).close()


def inherit_connection(around: Surroundings) -> int:
    """A connection as a careless parent passes it on: not marked close-on-exec."""
    descriptor = socket.create_connection(around.inet).detach()
    os.set_inheritable(descriptor, True)
    return descriptor


def write_inherited(_: Surroundings, descriptor: int) -> None:
    """Write to the inherited connection."""
    os.write(descriptor, MESSAGE)


# ---- Through the relay: what code that took over this process could write into its pipe

_REFUSED = b"POST /api/push HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nprobe"
_CHAT = {"model": "m", "messages": [{"role": "user", "content": "probe"}]}
_PICTURE = {"type": "image_url", "image_url": {"url": "http://192.0.2.1/?probe"}}
CHATS: dict[str, bytes] = {
    "body": json.dumps(_CHAT).encode() + _REFUSED,
    "picture": json.dumps(
        {**_CHAT, "messages": [{"role": "user", "content": [_PICTURE]}]}
    ).encode(),
    "model": json.dumps({**_CHAT, "model": "m:cloud"}).encode(),
}


def start_relay(around: Surroundings) -> Broker:
    """A relay for the listener, as a command starts it."""
    address = TcpAddress(around.address, around.port)
    return start_broker(Gate(address, frozenset(["m"]), frozenset([os.geteuid()])))


def send_directly(around: Surroundings, _: object) -> None:
    """Send to the listener what the relay refuses; it arrives."""
    with socket.create_connection(around.inet, WAIT_SECONDS) as sock:
        sock.sendall(_REFUSED)


def write_to_relay(data: bytes) -> Attempt:
    """An attempt that writes bytes into the relay's pipe; EPIPE if that ends the relay."""

    def attempt(_: Surroundings, relay: Broker) -> None:
        os.write(relay.pipe, data)
        _ask(relay, b"{}")

    return attempt


def ask_relay(body: bytes) -> Attempt:
    """An attempt that has the relay send a body; EPERM if it refuses."""

    def attempt(_: Surroundings, relay: Broker) -> None:
        _ask(relay, body)

    return attempt


def _ask(relay: Broker, body: bytes) -> None:
    frames: queue.SimpleQueue[Reply] = queue.SimpleQueue()
    relay.ask("POST", "/v1/chat/completions", body, frames.put)
    reply = frames.get(timeout=WAIT_SECONDS)
    cause = failure_in(reply.payload).cause if reply.kind is Kind.FAILED else None
    found = {Cause.REFUSED: EPERM, Cause.GONE: EPIPE}.get(cause) if cause else None
    if found is not None:
        raise OSError(found, os.strerror(found))


def use_network_sockets(_: Surroundings, __: object) -> None:
    """Write to every open network socket; ENOTSOCK if there is none."""
    found = 0
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with contextlib.suppress(OSError):  # the descriptor of the listing is gone by now
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as sock:
                if sock.family != socket.AF_UNIX:
                    sock.sendall(MESSAGE)
                    found += 1
    if not found:
        raise OSError(ENOTSOCK, os.strerror(ENOTSOCK))


def use_held_connection(around: Surroundings, prepared: object) -> None:
    """The same in a process that holds a connection, as one without a relay would."""
    with socket.create_connection(around.inet, WAIT_SECONDS):
        use_network_sockets(around, prepared)
