"""Attempts to reach the network: by sockets of every kind, by system calls, through the relay.

probes.toml says which are made. A failed attempt raises OSError.
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
from collections.abc import Callable
from dataclasses import dataclass
from errno import ENOTSOCK, EPERM, EPIPE
from socket import AF_INET, AF_INET6, AF_UNIX, SOCK_DGRAM, SOCK_STREAM

from corpus_agent.seal.address import Gate, TcpAddress
from corpus_agent.seal.broker import Broker, start_broker
from corpus_agent.seal.frames import Cause, Reply, ReplyKind, failure_in
from corpus_agent.selftest.attempts import (
    MESSAGE,
    Surroundings,
    by_number,
    checked,
    failed,
    libc,
)
from indexer.confine import starting

WAIT_SECONDS = 10
_FASTOPEN = 0x20000000  # MSG_FASTOPEN
_RTM_GETLINK, _NLM_F_REQUEST_DUMP = 18, 0x301
_DNS = struct.pack("!6H", 0x1234, 0x0100, 1, 0, 0, 0) + b"\x05probe\x07invalid\0\0\x01\0\x01"
_DATAGRAMS = {"plain": MESSAGE, "a name": _DNS}

Pair = tuple[socket.socket, socket.socket]


def connect(around: Surroundings, _: object) -> None:
    """Connect by TCP."""
    inet = AF_INET6 if ":" in around.address else AF_INET
    with socket.socket(inet if around.port else AF_UNIX, SOCK_STREAM) as sock:
        sock.connect(around.inet if around.port else around.address)
        sock.sendall(MESSAGE)


def send_datagram(around: Surroundings, _: object, message: str) -> None:
    """Send a datagram."""
    with socket.socket(AF_INET, SOCK_DGRAM) as sock:
        sock.sendto(_DATAGRAMS[message], around.inet)


def raw(_: Surroundings, __: object) -> None:
    """Open a socket that could send any IP packet."""
    socket.socket(AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


def netlink(_: Surroundings, __: object) -> None:
    """Ask the kernel for its network devices."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as sock:
        sock.settimeout(WAIT_SECONDS)
        sock.send(struct.pack("=IHHII16x", 32, _RTM_GETLINK, _NLM_F_REQUEST_DUMP, 1, 0))
        sock.recv(65536)


def datagram_from_a_pair(around: Surroundings, _: object) -> None:
    """Send from a socket pair to a named Unix socket."""
    one, other = socket.socketpair(AF_UNIX, SOCK_DGRAM)
    with one, other:
        one.sendmsg([MESSAGE], [], 0, around.address)


def io_uring(_: Surroundings, __: object) -> None:
    """Set up io_uring, through which the kernel takes requests without system calls."""
    parameters = ctypes.create_string_buffer(120)  # struct io_uring_params
    os.close(by_number("io_uring_setup", 4, parameters))


def _sockaddr(around: Surroundings) -> bytes:
    inet = struct.pack("!H4s8x", around.port, socket.inet_aton(around.address))
    return struct.pack("=H", AF_INET) + inet


def libc_connect(around: Surroundings, _: object) -> None:
    """Call socket and connect of the C library, as a native library would."""
    descriptor = checked(libc.socket(AF_INET, SOCK_STREAM, 0))
    checked(libc.connect(descriptor, _sockaddr(around), 16))


def connect_by_number(around: Surroundings, _: object) -> None:
    """Call socket and connect by number, as injected code would."""
    descriptor = by_number("socket", AF_INET, SOCK_STREAM, 0)
    by_number("connect", descriptor, _sockaddr(around), 16)


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
            connect(around, None)
        except OSError as error:
            waiting.error = error

    waiting = Waiting(threading.Event(), threading.Thread(target=work))
    waiting.thread.start()
    return waiting


def release(_: Surroundings, waiting: Waiting) -> None:
    """Connect from a thread that was there before the seal."""
    waiting.go.set()
    waiting.thread.join()
    if waiting.error:
        raise waiting.error


def socket_on_its_way(_: Surroundings, kind: str) -> Pair:
    """An unconnected socket that lies in a pair's queue, where no seal can find and close it."""
    one, other = socket.socketpair()
    with socket.socket(AF_INET, getattr(socket, kind)) as sock:
        socket.send_fds(one, [b"-"], [sock.fileno()])
    return one, other


_RECEIVED: dict[str, Callable[[socket.socket, tuple[str, int]], object]] = {
    "connect": lambda sock, inet: sock.connect(inet),
    "fastopen": lambda sock, inet: sock.sendmsg([MESSAGE], [], _FASTOPEN, inet),
    "sendto": lambda sock, inet: sock.sendto(MESSAGE, inet),
}


def use_received(around: Surroundings, pair: Pair, how: str) -> None:
    """Use a socket that came from another process."""
    with socket.socket(fileno=socket.recv_fds(pair[1], 1, 1)[1][0]) as sock:
        _RECEIVED[how](sock, around.inet)


def start_listening(_: Surroundings) -> socket.socket:
    """The one socket of a process that serves."""
    return socket.create_server(("127.0.0.1", 0))


def turn_listener(around: Surroundings, served: socket.socket) -> None:
    """Connect the socket that it serves to somewhere else."""
    served.shutdown(socket.SHUT_RDWR)
    served.connect(around.inet)
    served.sendall(MESSAGE)


def listen_again(_: Surroundings, __: object) -> None:
    """Listen at another port from there."""
    socket.create_server(("127.0.0.1", 0)).close()


def inherit_connection(around: Surroundings) -> int:
    """A connection as a careless parent passes it on: not marked close-on-exec."""
    descriptor = socket.create_connection(around.inet).detach()
    os.set_inheritable(descriptor, True)
    return descriptor


def write_inherited(_: Surroundings, descriptor: int) -> None:
    """Write to a connection that the parent left open."""
    os.write(descriptor, MESSAGE)


_CHILD = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2]))).sendall(b'probe')
except OSError as error:
    sys.exit(error.errno)
"""


def connect_in_child(around: Surroundings, _: object) -> None:
    """Connect from a child process."""
    command = starting.Command(starting.python(_CHILD, around.address, str(around.port)))
    if status := starting.run(command).returncode:
        raise failed(status)


# ---- Through the relay


def _chat(content: object = "probe", model: str = "m") -> bytes:
    return json.dumps({"model": model, "messages": [{"role": "user", "content": content}]}).encode()


_REFUSED = b"POST /api/push HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nprobe"
_WRITTEN = {"request": _REFUSED, "path": struct.pack("=IBBI", 7, 1, 99, 0)}
_BODIES = {
    "second": _chat() + _REFUSED,
    "picture": _chat([{"type": "image_url", "image_url": {"url": "http://192.0.2.1/?probe"}}]),
    "model": _chat(model="m:cloud"),
}


def start_relay(around: Surroundings) -> Broker:
    """A relay for the listener, as a command starts it."""
    address = TcpAddress(around.address, around.port)
    return start_broker(Gate(address, frozenset(["m"]), frozenset([os.geteuid()])))


def send_refused(around: Surroundings, _: object) -> None:
    """Send to the listener what the relay refuses; it arrives."""
    with socket.create_connection(around.inet, WAIT_SECONDS) as sock:
        sock.sendall(_REFUSED)


def write_to_relay(_: Surroundings, relay: Broker, written: str) -> None:
    """Write bytes of its own into the relay's pipe."""
    os.write(relay.pipe, _WRITTEN[written])
    _ask(relay, b"{}")


def ask_relay(_: Surroundings, relay: Broker, body: str) -> None:
    """Have the relay send a body."""
    _ask(relay, _BODIES[body])


def _ask(relay: Broker, body: bytes) -> None:
    frames: queue.SimpleQueue[Reply] = queue.SimpleQueue()
    relay.ask("POST", "/v1/chat/completions", body, frames.put)
    reply = frames.get(timeout=WAIT_SECONDS)
    cause = failure_in(reply.payload).cause if reply.kind is ReplyKind.FAILED else None
    if cause in (Cause.REFUSED, Cause.GONE):
        raise failed(EPERM if cause is Cause.REFUSED else EPIPE)


def write_to_held(around: Surroundings, prepared: object) -> None:
    """The same in a process that holds a connection, as one without a relay would."""
    with socket.create_connection(around.inet, WAIT_SECONDS):
        write_to_sockets(around, prepared)


def write_to_sockets(_: Surroundings, __: object) -> None:
    """Write to every network socket that the process holds."""
    found = 0
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with contextlib.suppress(OSError):  # the descriptor of the listing is gone by now
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as sock:
                if sock.family != AF_UNIX:
                    sock.sendall(MESSAGE)
                    found += 1
    if not found:
        raise failed(ENOTSOCK)
