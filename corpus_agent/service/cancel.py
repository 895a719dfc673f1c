"""The token by which work is asked to end: a question, a run over the folder, a watch.

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
    """Asks work to end; may be set from any thread or signal handler, and more than once.

    What runs in steps asks `is_set`. An answerer reports each step to `check`; where it does so
    from an event loop of its own, that loop's tasks are cancelled, so that nobody waits for a model
    that takes minutes. `signal` is the one that asked, None where none did.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a handler may interrupt the thread that holds it
        self._set = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self.signal: int | None = None

    def is_set(self) -> bool:
        """Whether the end was asked for."""
        return self._set

    def set(self, signal: int | None = None) -> None:
        """Ask for the end; `signal` is the one that did."""
        with self._lock:
            self._set = True
            self.signal = self.signal or signal
            loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended by itself
                loop.call_soon_threadsafe(_cancel_all, loop)

    def check(self, _: str = "") -> None:
        """An `OnEvent`: goes on, or raises Cancelled."""
        with self._lock:
            if self._loop is None:
                with contextlib.suppress(RuntimeError):  # there is no loop in this thread
                    self._loop = asyncio.get_running_loop()
            if self._set:
                raise Cancelled


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


@contextmanager
def cancelled_by_signal() -> Iterator[Cancel]:
    """A token that the first signal sets; the second one works as it always does.

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
