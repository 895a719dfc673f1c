"""The only channel to a model: a child process that sends listed requests to one server.

Forked before the seal, with the address, the names of the models and the server's owner fixed in
its memory. Two pipes connect to it: requests are route numbers with a body (routes.py), replies are
frames (frames.py). The child (relay.py) speaks HTTP; this side has no socket.

Does not stop: data sent to the model in the text of a question.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

from corpus_agent.seal.address import Gate
from corpus_agent.seal.frames import (
    BadFrame,
    Cause,
    Failure,
    Reply,
    ReplyKind,
    Request,
    Verb,
    head_in,
    packed_failure,
    packed_request,
    read_reply,
    reader_of,
    write_all,
)
from corpus_agent.seal.routes import number_of
from indexer import SealUnavailable, UsageError

OnFrame = Callable[[Reply], None]
"""Called with the frames of one reply, in order, in another thread than the request's."""

_GONE = packed_failure(Failure(Cause.GONE))


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request under way."""

    broker: Broker
    number: int

    def cancel(self) -> None:
        """Cancel it: the relay closes its connection, and no further frames are delivered."""
        self.broker.forget(self.number)


class Broker:
    """Sends requests to one server through its relay; safe for several threads and event loops."""

    def __init__(self, gate: Gate, requests: int, answers: int, pid: int) -> None:
        self.gate = gate
        self.pid = pid
        self._requests = requests
        self._answers = answers
        self._writing = threading.Lock()
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._callbacks: dict[int, OnFrame] = {}
        self._reader: threading.Thread | None = None
        self._is_gone = False

    @property
    def pipe(self) -> int:
        """The descriptor of the pipe for requests."""
        return self._requests

    def ask(self, method: str, path: str, body: bytes, on_frame: OnFrame) -> Exchange:
        """Send a request; `on_frame` gets each frame of the reply, the last is END or FAILED.

        Raises NotListed for a request that is not a listed route.
        """
        route = number_of(method, path)
        with self._lock:
            number = next(self._numbers)
            self._callbacks[number] = on_frame
            if self._reader is None:
                # Not before: the process must have no other thread when it is sealed.
                self._reader = threading.Thread(target=self._read, name="relay", daemon=True)
                self._reader.start()
            is_gone = self._is_gone
        if is_gone or not self._write(Request(number, Verb.ASK, route, body)):
            self._deliver(Reply(number, ReplyKind.FAILED, _GONE))
        return Exchange(self, number)

    def status_of(self, path: str, seconds: float) -> int | None:
        """The HTTP status of a GET; None if there is none within `seconds`."""
        frames: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        exchange = self.ask("GET", path, b"", frames.put)
        try:
            first = frames.get(timeout=seconds)
        except queue.Empty:
            return None
        finally:
            exchange.cancel()
        return head_in(first.payload).status if first.kind is ReplyKind.HEAD else None

    def forget(self, number: int) -> None:
        """Drop further frames of a request, and have its connection closed."""
        with self._lock:
            known = self._callbacks.pop(number, None)
        if known is not None:
            self._write(Request(number, Verb.CANCEL))

    def close(self) -> None:
        """End the child process and wait for it."""
        with self._writing:
            os.close(self._requests)
            self._requests = -1
        if self._reader is not None:
            self._reader.join()
        os.close(self._answers)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def _write(self, request: Request) -> bool:
        """Whether a request was written; false if the child has ended."""
        with self._writing:
            if self._requests < 0:
                return False
            try:
                write_all(self._requests, packed_request(request))
            except BrokenPipeError:
                return False
            return True

    def _read(self) -> None:
        """Deliver frames until the pipe ends; requests still open then have failed."""
        read = reader_of(self._answers)
        with contextlib.suppress(BadFrame):
            while (reply := read_reply(read)) is not None:
                self._deliver(reply)
        with self._lock:
            self._is_gone = True
            waiting = list(self._callbacks)
        for number in waiting:
            self._deliver(Reply(number, ReplyKind.FAILED, _GONE))

    def _deliver(self, reply: Reply) -> None:
        last = reply.kind in (ReplyKind.END, ReplyKind.FAILED)
        with self._lock:
            pending = self._callbacks
            on_frame = pending.pop(reply.number, None) if last else pending.get(reply.number)
        if on_frame is not None:
            on_frame(reply)


def start_broker(gate: Gate, *, allow_remote: bool = False) -> Broker:
    """A broker for one server, its child running and confined.

    Call it before the seal and before anything starts threads. Raises UsageError for an address
    that is not on this machine unless `allow_remote`, SealUnavailable if the child cannot be
    confined.
    """
    if not (allow_remote or gate.address.is_local):
        raise UsageError(
            f"{gate.address} is not this machine.",
            "Use a model server on 127.0.0.1, or --allow-remote-llm.",
        )
    # Imported only if a broker is started, for the HTTP library; and before the child is confined,
    # which cannot import anything afterwards.
    from corpus_agent.seal import relay

    parent = os.getpid()
    requests, to_relay = os.pipe()
    answers, from_relay = os.pipe()
    pid = os.fork()
    if pid == 0:
        relay.run(requests, from_relay, gate, parent)
    os.close(requests)
    os.close(from_relay)
    greeting = reader_of(answers)(len(relay.READY))
    if greeting != relay.READY:
        greeting += reader_of(answers)(relay.MAX_ERROR_BYTES)
        os.close(to_relay)
        os.close(answers)
        os.waitpid(pid, 0)
        raise SealUnavailable(greeting.decode() or "The relay ended before it was confined.")
    return Broker(gate, to_relay, answers, pid)
