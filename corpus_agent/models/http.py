"""One request to the model's server through the relay: its reply in pieces, bounded in time.

No exception has a word of the server in its message: `said` has them, for people.
"""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from corpus_agent.models.discovery import BUSY_SECONDS, RETRY_SECONDS, ModelUnavailable
from corpus_agent.seal.broker import Broker
from corpus_agent.seal.frames import BadFrame, Cause, Failure, Kind, Reply, failure_in, head_in
from corpus_agent.seal.routes import NotListed

TICK_SECONDS = 0.1
OK, BUSY = 200, 503


class TookTooLong(ModelUnavailable):
    """The question's time is over."""

    code = "model_too_slow"


class Deadline:
    """The end of a question, which every loop of it looks at."""

    def __init__(self, seconds: float, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called at each look; it may raise, which ends the question."""
        self.seconds = seconds
        self._check = check
        self.looking: Callable[[], None] = lambda: None  # at each look, too
        self._end = time.monotonic() + seconds
        self._patience: float | None = None

    def left(self) -> float:
        """The seconds that are left. Raises TookTooLong, and what `check` raises."""
        self._check()
        self.looking()
        left = self._end - time.monotonic()
        if left <= 0:
            raise TookTooLong(
                f"The model took longer than {self.seconds:g} s for one question.",
                "Set llm_seconds higher, or use --llm none.",
            )
        return left

    def may_try_again(self) -> bool:
        """Whether a busy server may be asked again; waits a little if so."""
        now = time.monotonic()
        self._patience = self._patience or now + BUSY_SECONDS
        if now >= self._patience:
            return False
        while time.monotonic() < now + RETRY_SECONDS:
            time.sleep(min(TICK_SECONDS, self.left()))
        return True


@dataclass(frozen=True, slots=True)
class Response:
    """The status and content type of a reply, and its content in pieces."""

    status: int
    content_type: str
    pieces: Iterator[bytes]

    def page(self, most: int, seconds: float) -> bytes:
        """The content: at most so many bytes of it, and what comes within so many seconds."""
        until = time.monotonic() + seconds
        content = bytearray()
        for piece in self.pieces:
            content += piece
            if len(content) >= most or time.monotonic() > until:
                break
        return bytes(content[:most])


@contextmanager
def request(
    broker: Broker,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    deadline: Deadline,
    first: float,
    stall: float,
) -> Iterator[Response]:
    """The response to a POST of `body`, or a GET: within `first` seconds, `stall` a piece."""
    content = b"" if body is None else json.dumps(body).encode()
    method = "GET" if body is None else "POST"
    while True:
        frames = _frames(broker, (method, path, content), deadline, (first, stall))
        try:
            head = head_in(next(frames))
            if head.status != BUSY or not deadline.may_try_again():
                yield Response(head.status, head.content_type, frames)
                return
        except BadFrame:
            raise _unavailable(Failure(Cause.GONE)) from None
        finally:
            frames.close()


def _frames(
    broker: Broker,
    asked: tuple[str, str, bytes],
    deadline: Deadline,
    seconds: tuple[float, float],
) -> Generator[bytes]:
    """The payload of the head, then those of the content; the request is over when closed."""
    frames: queue.SimpleQueue[Reply] = queue.SimpleQueue()
    try:
        exchange = broker.ask(*asked, frames.put)
    except NotListed as error:
        raise ModelUnavailable(f"The seal does not let this request through: {error}.") from None
    first, stall = seconds
    try:
        frame = _next(frames, deadline, first)
        while frame.kind is not Kind.END:
            if frame.kind is Kind.FAILED:
                raise _unavailable(failure_in(frame.payload))
            yield frame.payload
            frame = _next(frames, deadline, stall)
    finally:
        exchange.cancel()


def _next(frames: queue.SimpleQueue[Reply], deadline: Deadline, seconds: float) -> Reply:
    """The next frame; raises ModelUnavailable if there is none within `seconds`."""
    until = time.monotonic() + seconds
    while True:
        left = min(deadline.left(), until - time.monotonic())
        if left <= 0:
            raise _unavailable(Failure(Cause.TIMEOUT))
        try:
            return frames.get(timeout=min(TICK_SECONDS, left))
        except queue.Empty:
            continue


def _unavailable(failure: Failure) -> ModelUnavailable:
    return ModelUnavailable(
        f"The connection to the model server failed ({failure.reason}).",
        "Look at the server's log, or use --llm none.",
    )
