"""Signals that cancel, and standard streams reserved for a protocol."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import BinaryIO

from corpus_agent.answering.records import Onlooker as Onlooker

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Cancelled(Exception):
    """The request was cancelled from outside; there is no answer."""


class Cancel:
    """A token that any thread or signal handler may set; `signal` is the signal that did."""

    def __init__(self) -> None:
        self._set = False
        self.signal: int | None = None

    def is_set(self) -> bool:
        """Whether the token was set."""
        return self._set

    def set(self, signal: int | None = None) -> None:
        """Request cancellation; `signal` is the signal that caused it, if any."""
        self.signal = self.signal or signal
        self._set = True

    def check(self, _: str = "") -> None:
        """Called with each step: raises Cancelled once the token is set."""
        if self._set:
            raise Cancelled


@contextmanager
def cancelled_by_signal() -> Iterator[Cancel]:
    """A token that the first signal sets; the second has its usual effect."""
    cancel = Cancel()
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def note(number: int, _: FrameType | None) -> None:
        cancel.set(number)
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, note)
    try:
        yield cancel
    finally:
        restore()


_FIRST_FREE = 3  # above the standard streams


def take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams of descriptors 0 and 1, which then are empty and a duplicate of 2."""
    requests = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    replies = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    # Open until the process ends: a thread may be blocked in a read.
    return os.fdopen(requests, "rb", closefd=False), os.fdopen(replies, "wb", closefd=False)
