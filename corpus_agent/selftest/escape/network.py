"""Ways to the network: by sockets of every kind, by system calls, through the relay."""

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
from errno import EBADF, ENOSYS, ENOTSOCK, EOPNOTSUPP, EPERM, EPIPE
from socket import AF_INET, AF_INET6, AF_UNIX, SOCK_DGRAM, SOCK_STREAM

from corpus_agent.seal.address import TcpAddress
from corpus_agent.seal.broker import Broker, start_broker
from corpus_agent.seal.frames import Cause, Kind, Reply, failure_in
from corpus_agent.seal.gate import Gate
from corpus_agent.selftest.escape.probe import (
    MESSAGE,
    WAIT_SECONDS,
    Attempt,
    Prepare,
    Surroundings,
    also,
    by_number,
    checked,
    libc,
    of_a_parser,
    probe,
)
from indexer.parsers.limits import ocr_policy

_FASTOPEN = 0x20000000  # MSG_FASTOPEN
_RTM_GETLINK, _NLM_F_REQUEST_DUMP = 18, 0x301
_DNS = struct.pack("!6H", 0x1234, 0x0100, 1, 0, 0, 0) + b"\x05probe\x07invalid\0\0\x01\0\x01"

Pair = tuple[socket.socket, socket.socket]


def connect_and_send(family: int, kind: int) -> Attempt:
    """An attempt that connects a new socket to the listener and sends."""

    def attempt(around: Surroundings, _: object) -> None:
        with socket.socket(family, kind) as sock:
            sock.connect(around.inet if around.port else around.address)
            sock.sendall(MESSAGE)

    return attempt


def send_datagram(message: bytes) -> Attempt:
    """An attempt that sends one datagram to the listener by UDP."""

    def attempt(around: Surroundings, _: object) -> None:
        with socket.socket(AF_INET, SOCK_DGRAM) as sock:
            sock.sendto(message, around.inet)

    return attempt


BY_TCP, BY_UNIX = connect_and_send(AF_INET, SOCK_STREAM), connect_and_send(AF_UNIX, SOCK_STREAM)

also("tcp", "connect by TCP", BY_TCP, listener="tcp4")
also(
    "tcp-ipv6", "connect by TCP over IPv6", connect_and_send(AF_INET6, SOCK_STREAM), listener="tcp6"
)
also("udp", "send a datagram", send_datagram(MESSAGE), listener="udp4")
also("dns", "ask a name server", send_datagram(_DNS), listener="udp4")
also("unix-path", "connect to a Unix socket in the file system", BY_UNIX, listener="stream")
also("unix-abstract", "connect to an abstract Unix socket", BY_UNIX, listener="abstract")
of_a_parser("parser-tcp", "connect by TCP from a parser's process", BY_TCP, listener="tcp4")
of_a_parser(
    "recogniser-tcp",
    "connect by TCP from the process that recognises text",
    BY_TCP,
    listener="tcp4",
    confined=ocr_policy,
)


@probe("raw", lacking=(EPERM,))
def raw(_: Surroundings, __: object) -> None:
    """Open a socket that could send any IP packet."""
    socket.socket(AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


@probe("netlink")
def netlink(_: Surroundings, __: object) -> None:
    """Ask the kernel for its network devices."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as sock:
        sock.settimeout(WAIT_SECONDS)
        sock.send(struct.pack("=IHHII16x", 32, _RTM_GETLINK, _NLM_F_REQUEST_DUMP, 1, 0))
        sock.recv(65536)


@probe("unix-datagram", listener="datagram")
def datagram_from_a_pair(around: Surroundings, _: object) -> None:
    """Send from a socket pair to a named Unix socket."""
    one, other = socket.socketpair(AF_UNIX, SOCK_DGRAM)
    with one, other:
        one.sendmsg([MESSAGE], [], 0, around.address)


@probe("io_uring", lacking=(EPERM, ENOSYS))
def io_uring(_: Surroundings, __: object) -> None:
    """Set up io_uring, through which the kernel takes requests without system calls."""
    parameters = ctypes.create_string_buffer(120)  # struct io_uring_params
    os.close(by_number("io_uring_setup", 4, parameters))


def _sockaddr(around: Surroundings) -> bytes:
    inet = struct.pack("!H4s8x", around.port, socket.inet_aton(around.address))
    return struct.pack("=H", AF_INET) + inet


@probe("libc", listener="tcp4")
def libc_connect(around: Surroundings, _: object) -> None:
    """Call socket and connect of the C library, as a native library would."""
    descriptor = checked(libc.socket(AF_INET, SOCK_STREAM, 0))
    checked(libc.connect(descriptor, _sockaddr(around), 16))


@probe("syscall", listener="tcp4")
def system_calls(around: Surroundings, _: object) -> None:
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
            BY_TCP(around, None)
        except OSError as error:
            waiting.error = error

    waiting = Waiting(threading.Event(), threading.Thread(target=work))
    waiting.thread.start()
    return waiting


@probe("thread", prepare=start_thread, listener="tcp4", threads=True)
def in_the_thread(_: Surroundings, waiting: Waiting) -> None:
    """Connect from a thread that was there before the seal."""
    waiting.go.set()
    waiting.thread.join()
    if waiting.error:
        raise waiting.error


def on_its_way(kind: int) -> Prepare:
    """An unconnected socket that lies in a pair's queue, where no seal can find and close it."""

    def prepare(_: Surroundings) -> Pair:
        one, other = socket.socketpair()
        with socket.socket(AF_INET, kind) as sock:
            socket.send_fds(one, [b"-"], [sock.fileno()])
        return one, other

    return prepare


def _received(pair: Pair) -> socket.socket:
    return socket.socket(fileno=socket.recv_fds(pair[1], 1, 1)[1][0])


@probe("received-connect", prepare=on_its_way(SOCK_STREAM), listener="tcp4")
def connect_received(around: Surroundings, pair: Pair) -> None:
    """Connect a socket that came from another process."""
    with _received(pair) as sock:
        sock.connect(around.inet)


@probe("received-fastopen", prepare=on_its_way(SOCK_STREAM), listener="tcp4", lacking=(EOPNOTSUPP,))
def fast_open(around: Surroundings, pair: Pair) -> None:
    """Connect it and send at once with MSG_FASTOPEN, whose address no filter can read."""
    with _received(pair) as sock:
        sock.sendmsg([MESSAGE], [], _FASTOPEN, around.inet)


@probe("received-sendto", prepare=on_its_way(SOCK_DGRAM), listener="udp4")
def send_to_received(around: Surroundings, pair: Pair) -> None:
    """Send a datagram from a socket that came from another process."""
    with _received(pair) as sock:
        sock.sendto(MESSAGE, around.inet)


def start_listening(_: Surroundings) -> socket.socket:
    """The one socket of a process that serves."""
    return socket.create_server(("127.0.0.1", 0))


also(
    "serve-connect",
    "connect by TCP from the process that serves a browser",
    BY_TCP,
    listener="tcp4",
    prepare=start_listening,
    serves=True,
)


@probe("serve-turn", listener="tcp4", prepare=start_listening, serves=True)
def turn_listener(around: Surroundings, served: socket.socket) -> None:
    """Connect the socket that it serves to somewhere else."""
    served.shutdown(socket.SHUT_RDWR)
    served.connect(around.inet)
    served.sendall(MESSAGE)


@probe("serve-listen", prepare=start_listening, serves=True)
def listen_again(_: Surroundings, __: object) -> None:
    """Listen at another port from there."""
    socket.create_server(("127.0.0.1", 0)).close()


def inherit_connection(around: Surroundings) -> int:
    """A connection as a careless parent passes it on: not marked close-on-exec."""
    descriptor = socket.create_connection(around.inet).detach()
    os.set_inheritable(descriptor, True)
    return descriptor


@probe("inherited", expected=(EBADF,), prepare=inherit_connection, listener="tcp4", connected=True)
def write_inherited(_: Surroundings, descriptor: int) -> None:
    """Write to a connection that the parent left open."""
    os.write(descriptor, MESSAGE)


# ---- Through the relay: what code that took over this process could write into its pipe

_REFUSED = b"POST /api/push HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nprobe"


def _chat(content: object = "probe", model: str = "m") -> bytes:
    return json.dumps({"model": model, "messages": [{"role": "user", "content": content}]}).encode()


def start_relay(around: Surroundings) -> Broker:
    """A relay for the listener, as a command starts it."""
    address = TcpAddress(around.address, around.port)
    return start_broker(Gate(address, frozenset(["m"]), frozenset([os.geteuid()])))


def send_directly(around: Surroundings, _: object) -> None:
    """Send to the listener what the relay refuses; it arrives."""
    with socket.create_connection(around.inet, WAIT_SECONDS) as sock:
        sock.sendall(_REFUSED)


def by_relay(name: str, what: str, *, pipe: bytes = b"", body: bytes = b"{}") -> None:
    """Add a probe that writes bytes into the relay's pipe, or has it send a body.

    What does not belong there ends the relay, EPIPE; a body that may not be sent is refused, EPERM.
    """

    def attempt(_: Surroundings, relay: Broker) -> None:
        if pipe:
            os.write(relay.pipe, pipe)
        frames: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        relay.ask("POST", "/v1/chat/completions", body, frames.put)
        reply = frames.get(timeout=WAIT_SECONDS)
        cause = failure_in(reply.payload).cause if reply.kind is Kind.FAILED else None
        if cause in (Cause.REFUSED, Cause.GONE):
            met = EPERM if cause is Cause.REFUSED else EPIPE
            raise OSError(met, os.strerror(met))

    expected = (EPIPE,) if pipe else (EPERM,)
    also(
        name,
        what,
        attempt,
        expected=expected,
        listener="tcp4",
        prepare=start_relay,
        directly=send_directly,
    )


_PICTURE = [{"type": "image_url", "image_url": {"url": "http://192.0.2.1/?probe"}}]
by_relay("relay-http", "write a request of its own into the relay's pipe", pipe=_REFUSED)
by_relay(
    "relay-path",
    "have the relay ask what is not on its list",
    pipe=struct.pack("=IBBI", 7, 1, 99, 0),
)
by_relay("relay-body", "hide a second request in a body", body=_chat() + _REFUSED)
by_relay("relay-picture", "have the model server fetch an address", body=_chat(_PICTURE))
by_relay("relay-model", "have it ask a model that runs elsewhere", body=_chat(model="m:cloud"))


def use_held_connection(around: Surroundings, prepared: object) -> None:
    """The same in a process that holds a connection, as one without a relay would."""
    with socket.create_connection(around.inet, WAIT_SECONDS):
        use_network_sockets(around, prepared)


@probe(
    "sockets",
    expected=(ENOTSOCK,),
    prepare=start_relay,
    directly=use_held_connection,
    listener="tcp4",
    connected=True,
)
def use_network_sockets(_: Surroundings, __: object) -> None:
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
        raise OSError(ENOTSOCK, os.strerror(ENOTSOCK))
