"""HTTP over the broker: what plugs under an OpenAI client in a process without sockets.

Imports the HTTP library at the top: import this module after the seal, not before. Knows one
server; a request for any other host fails before anything is sent.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable

import anyio
import anyio.abc
import anyio.to_thread
import httpcore2
import httpx2
from httpcore2._backends.anyio import AnyIOStream

from corpus_agent.seal.broker import Broker

REQUEST_SECONDS = 600.0  # a small model on a slow machine takes minutes for an answer


class BrokerNetworkBackend(httpcore2.AsyncNetworkBackend):
    """Connections from the broker, for its address only."""

    def __init__(self, broker: Broker) -> None:
        url = httpx2.URL(broker.address.base_url)
        self._broker = broker
        self._host, self._port = url.host, url.port or 80

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[object] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A stream to the broker's address; ConnectError for any other, and where it fails.

        `timeout` is the broker's own, and no local address or socket option can be chosen.
        """
        if (host, port) != (self._host, self._port):
            raise httpcore2.ConnectError(f"The seal lets no connection to {host}:{port} through.")
        try:
            # Ctrl-C must not wait for the broker's answer.
            connection = await anyio.to_thread.run_sync(
                self._broker.connect, abandon_on_cancel=True
            )
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        return AnyIOStream(await _stream(connection))

    async def sleep(self, seconds: float) -> None:
        """Wait between two tries."""
        await anyio.sleep(seconds)


class _BrokerTransport(httpx2.AsyncHTTPTransport):
    """The library's transport over a pool of broker connections.

    The library's own constructor takes no network backend and reads certificates from disk.
    """

    def __init__(self, broker: Broker) -> None:
        # A server may end an idle connection while we look at documents (llama.cpp: 5 s), and a
        # request that is then sent into it fails. A new one costs next to nothing here.
        self._pool = httpcore2.AsyncConnectionPool(
            network_backend=BrokerNetworkBackend(broker), max_keepalive_connections=0
        )


def http_client(broker: Broker) -> httpx2.AsyncClient:
    """A client whose every connection comes from `broker`.

    Takes nothing from the environment (proxies, .netrc) and follows no redirect.
    """
    return httpx2.AsyncClient(
        base_url=broker.address.base_url,
        transport=_BrokerTransport(broker),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(REQUEST_SECONDS),
    )


async def _stream(connection: socket.socket) -> anyio.abc.SocketStream:
    if connection.family == socket.AF_UNIX:
        return await anyio.abc.UNIXSocketStream.from_socket(connection)
    return await anyio.abc.SocketStream.from_socket(connection)
