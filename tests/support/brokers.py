"""Brokers whose relays are forked from a process without threads, as the program's own are.

A test process has loaded libraries whose threads a fork brings along, and a relay with threads
cannot be confined. So each test process keeps one more that has loaded nothing but the broker; it
calls the true `start_broker` and hands the two pipes over.
"""

import atexit
import functools
import os
import pickle
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corpus_agent.seal import Gate, start_broker
from corpus_agent.seal.broker import Broker
from corpus_agent.seal.frames import Reply, ReplyKind, failure_in
from indexer.errors import CorpusError
from tests.support.places import REPOSITORY

MAX_MESSAGE_BYTES = 1 << 16


@contextmanager
def broker_for(gate: Gate) -> Iterator[Broker]:
    """A broker for one server; its relay has ended afterwards."""
    to_launcher = _launcher()
    pid, pipes = _asked(to_launcher, gate)
    broker = Broker(gate, *pipes, pid)
    try:
        yield broker
    finally:
        broker.close()
        _asked(to_launcher, pid)


class Heard(list[Reply]):
    """A request to a broker, and the frames that have come for it."""

    def __init__(
        self, broker: Broker, method: str = "GET", path: str = "/v1/models", body: bytes = b""
    ) -> None:
        self.over = threading.Event()
        self.exchange = broker.ask(method, path, body, self._hear)

    def _hear(self, reply: Reply) -> None:
        self.append(reply)
        if reply.kind in (ReplyKind.END, ReplyKind.FAILED):
            self.over.set()

    @property
    def content(self) -> bytes:
        return b"".join(reply.payload for reply in self if reply.kind is ReplyKind.DATA)

    @property
    def outcome(self) -> tuple[int | None, bytes, str | None]:
        """How it ended: status, content and the reason of a failure."""
        assert self.over.wait(20), self
        first, last = self[0], self[-1]
        has_head = first.kind is ReplyKind.HEAD
        status = struct.unpack_from("=H", first.payload)[0] if has_head else None
        reason = failure_in(last.payload).reason if last.kind is ReplyKind.FAILED else None
        return status, self.content, reason


def asked(broker: Broker, *request: str | bytes) -> tuple[int | None, bytes, str | None]:
    return Heard(broker, *request).outcome


def _asked(to_launcher: socket.socket, what: Gate | int) -> tuple[Any, list[int]]:
    """What the launcher answers, and the descriptors that come with it; raises its errors."""
    to_launcher.send(pickle.dumps(what))
    content, pipes, _, _ = socket.recv_fds(to_launcher, MAX_MESSAGE_BYTES, 2)
    for pipe in pipes:
        os.set_inheritable(pipe, False)
    answer = pickle.loads(content)
    if isinstance(answer, Exception):
        raise answer
    return answer, pipes


@functools.cache
def _launcher() -> socket.socket:
    """The way to this test process's launcher, which ends when the way is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.brokers", str(theirs.fileno())],
        cwd=REPOSITORY,
        pass_fds=[theirs.fileno()],
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _serve(to_tests: socket.socket) -> None:
    """Start a broker for each gate and wait for each process that is named, until the tests end."""
    while message := to_tests.recv(MAX_MESSAGE_BYTES):
        what = pickle.loads(message)
        if isinstance(what, int):
            os.waitpid(what, 0)
            to_tests.send(pickle.dumps(what))
            continue
        try:
            broker = start_broker(what)
        except CorpusError as error:
            to_tests.send(pickle.dumps(error))
            continue
        pipes = [broker._requests, broker._answers]
        socket.send_fds(to_tests, [pickle.dumps(broker.pid)], pipes)
        for pipe in pipes:
            os.close(pipe)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
