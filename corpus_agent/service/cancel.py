"""A cancellation token for a question, an index run or a watch.

Holds no thread and no loop of its own. Used by the librarian's process, the MCP server and `watch`.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Cancelled(Exception):
    """The request was cancelled from outside; there is no answer."""


class Cancel:
    """A cancellation token; may be set from any thread or signal handler, and more than once.

    Work in steps polls `is_set`. An answerer calls `check` at each step; if it does so from an
    event loop of its own, `set` cancels the tasks of the last such loop, which ends a wait for a
    model.
    `signal` is the signal that set the token, None if none did.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a handler may interrupt the thread that holds it
        self._set = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self.signal: int | None = None

    def is_set(self) -> bool:
        """Whether the token was set."""
        return self._set

    def set(self, signal: int | None = None) -> None:
        """Request cancellation; `signal` is the signal that caused it, if any."""
        with self._lock:
            self._set = True
            self.signal = self.signal or signal
            loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the work has ended
                loop.call_soon_threadsafe(_cancel_all, loop)

    def check(self, _: str = "") -> None:
        """An `OnEvent` that raises Cancelled once the token is set."""
        with self._lock:
            with contextlib.suppress(RuntimeError):  # no event loop in this thread
                self._loop = asyncio.get_running_loop()  # each document of a table has its own
            if self._set:
                raise Cancelled


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


@contextmanager
def cancelled_by_signal() -> Iterator[Cancel]:
    """A token that the first signal sets; the second has its usual effect.

    A signal that is ignored (nohup) stays ignored.
    """
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
