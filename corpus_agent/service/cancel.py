"""Stopping a question that another thread is answering.

Holds no thread and no loop of its own. Used by the librarian's process and by the MCP server.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading


class Stopped(Exception):
    """The request was stopped from outside; there is no answer."""


class Stop:
    """Stops a question that another thread is answering: at its next step, or as it waits.

    An answerer reports each step by `note`. Where it does so from an event loop of its own, that
    loop's tasks are cancelled, so that nobody waits for a model that takes minutes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def note(self, _: str) -> None:
        """An `OnEvent`: goes on, or raises Stopped."""
        with self._lock:
            if self._loop is None:
                with contextlib.suppress(RuntimeError):  # there is no loop in this thread
                    self._loop = asyncio.get_running_loop()
            if self._asked:
                raise Stopped

    def stop(self) -> None:
        """Have the question end soon; may be called from any thread, and more than once."""
        with self._lock:
            self._asked = True
            loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended by itself
                loop.call_soon_threadsafe(_cancel_all, loop)


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()
