"""Serves the pages over the socket that was made before the seal, until it is stopped.

uvicorn on asyncio and h11, all in Python: the connections, their limits and times. Import it after
the seal: it starts threads. `door` decides who may enter, `site` has the pages.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from corpus_agent.web.door import Door
from corpus_agent.web.listening import wait_for_browsers
from corpus_agent.web.site import Site

if TYPE_CHECKING:
    from corpus_agent.startup import Launch
    from corpus_agent.web.listening import DoorKeys, ServedSocket

MAX_CONNECTIONS = 64
MAX_HEADER_BYTES = 16 * 1024  # of the request line and all headers
READ_SECONDS = 10.0  # until a request has come whole
IDLE_SECONDS = 20  # between two requests of a connection
STOP_SECONDS = 3  # for answers that are on their way when the server ends


def serve(launch: Launch, listener: ServedSocket, keys: DoorKeys) -> int:
    """Serve until Ctrl-C or SIGTERM; the signal that ended it."""
    site = Site(launch, keys.base)
    config = uvicorn.Config(
        cast(Any, Door(site.application(), listener, keys)),
        http=BoundedProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = _WebServer(config)
    wait_for_browsers()
    site.start()
    try:
        server.run(sockets=[_Listening(fileno=listener.socket.detach())])
    finally:
        site.stop()
    return server.ended_by


class _WebServer(uvicorn.Server):
    """Ends at the first signal without raising it again: the command has codes of its own."""

    ended_by: int = signal.SIGTERM

    def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ANN401 - uvicorn's signature
        """Stop; at once when asked again."""
        self.ended_by = sig
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True


class _Listening(socket.socket):
    """A socket that listens already: to ask again is not needed, and the seal refuses it."""

    def listen(self, backlog: int = 0, /) -> None:
        """Nothing: it listens."""


class BoundedProtocol(H11Protocol):
    """A connection whose requests come whole within their time, or that is closed."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first request begins to come."""
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing comes any more."""
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request; the time runs from its first part to its last."""
        super().data_received(data)
        if not self._waits():
            self._forget()
        elif self._deadline is None:
            self._expect()

    def _waits(self) -> bool:
        """Whether a request is on its way and has not come whole."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _expect(self) -> None:
        self._deadline = self.loop.call_later(READ_SECONDS, self._too_slow)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        if self._waits():
            self.transport.abort()
