"""An HTTP transport over the relay, for an OpenAI client in a process without sockets.

Imports the HTTP library at the top: import this module after the seal, not before. Forwards method,
path and body of a request, and status, content type and content of a reply; a request that is not
on the list of routes, or for another host, already fails here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import httpx2

from corpus_agent.seal.broker import Broker, Exchange
from corpus_agent.seal.frames import BadFrame, Cause, Failure, Kind, Reply, failure_in, head_in
from corpus_agent.seal.routes import NotListed

REQUEST_SECONDS = 600.0  # a small model on a slow machine takes minutes to answer

_ERRORS: dict[Cause, type[httpx2.TransportError]] = {
    Cause.REFUSED: httpx2.LocalProtocolError,
    Cause.BUSY: httpx2.PoolTimeout,
    Cause.CONNECT: httpx2.ConnectError,
    Cause.OWNER: httpx2.ConnectError,
    Cause.GONE: httpx2.ConnectError,
    Cause.TIMEOUT: httpx2.ReadTimeout,
    Cause.PROTOCOL: httpx2.RemoteProtocolError,
    Cause.TOO_MUCH: httpx2.RemoteProtocolError,
    Cause.BROKEN: httpx2.RemoteProtocolError,
}


class RelayTransport(httpx2.AsyncBaseTransport):
    """Sends listed requests to the broker's server only."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._base = httpx2.URL(broker.gate.address.base_url)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, whose content is streamed.

        Raises ConnectError for another host, LocalProtocolError for a request that is not listed,
        and the exceptions of the library's own transport if the server fails.
        """
        url, base = request.url, self._base
        if (url.scheme, url.host, url.port) != (base.scheme, base.host, base.port):
            raise httpx2.ConnectError(f"The seal lets nothing to {url.host}:{url.port} through.")
        loop = asyncio.get_running_loop()
        frames: asyncio.Queue[Reply] = asyncio.Queue()

        def on_frame(reply: Reply) -> None:
            # A closed event loop has no waiters.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(frames.put_nowait, reply)

        body = await request.aread()
        try:
            path = url.raw_path.decode("ascii", "replace")
            exchange = self._broker.ask(request.method, path, body, on_frame)
        except NotListed as error:
            raise httpx2.LocalProtocolError(f"{request.method} {url.path}: {error}") from None
        seconds = request.extensions.get("timeout", {}).get("read")
        content = _Content(exchange, frames, seconds)
        try:
            return await content.response()
        except BaseException:
            exchange.cancel()
            raise


class _Content(httpx2.AsyncByteStream):
    """The streamed content of a reply; `seconds` is the timeout for a piece."""

    def __init__(
        self, exchange: Exchange, frames: asyncio.Queue[Reply], seconds: float | None
    ) -> None:
        self._exchange = exchange
        self._frames = frames
        self._seconds = seconds

    async def response(self) -> httpx2.Response:
        """The response of this content, once it has begun."""
        frame = await self._next()
        if frame.kind is not Kind.HEAD:
            raise _error(Failure(Cause.PROTOCOL))
        try:
            head = head_in(frame.payload)
        except BadFrame:
            raise _error(Failure(Cause.PROTOCOL)) from None
        headers = [("Content-Type", head.content_type)] if head.content_type else []
        return httpx2.Response(head.status, headers=headers, stream=self)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (frame := await self._next()).kind is Kind.DATA:
            yield frame.payload
        if frame.kind is not Kind.END:
            raise _error(Failure(Cause.PROTOCOL))

    async def aclose(self) -> None:
        """Cancel the rest of the reply: the relay closes its connection to the server."""
        self._exchange.cancel()

    async def _next(self) -> Reply:
        try:
            async with asyncio.timeout(self._seconds):
                frame = await self._frames.get()
        except TimeoutError:
            raise _error(Failure(Cause.TIMEOUT)) from None
        if frame.kind is not Kind.FAILED:
            return frame
        try:
            raise _error(failure_in(frame.payload))
        except BadFrame:
            raise _error(Failure(Cause.GONE)) from None


def _error(failure: Failure) -> httpx2.TransportError:
    return _ERRORS[failure.cause](failure.reason)


def http_client(broker: Broker) -> httpx2.AsyncClient:
    """A client that sends all requests through `broker`.

    Reads nothing from the environment (proxies, .netrc) and follows no redirects.
    """
    return httpx2.AsyncClient(
        base_url=broker.gate.address.base_url,
        transport=RelayTransport(broker),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(REQUEST_SECONDS),
    )
