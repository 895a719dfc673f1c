"""Brokers whose relays are forked from a process without threads, as the program's own are.

A test process has loaded libraries whose threads a fork brings along, and a relay with threads
cannot be confined. So each test process keeps one more that has loaded nothing but the broker; it
calls the true `start_broker` and hands the two pipes over.
"""

from __future__ import annotations

import atexit
import functools
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corpus_agent.seal import Gate, start_broker
from corpus_agent.seal.broker import Broker
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
