"""A listener on loopback that counts connections, and the connection of a control to it."""

from __future__ import annotations

import socket
import threading
import time

SECONDS = 30.0  # that a control waits for this run's own listener or model
_SETTLE_SECONDS = 0.2  # the wait for what loopback delivers at once


class Listener:
    """A port of loopback that counts connections; a context manager."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self._thread = threading.Thread(target=self._count, daemon=True)
        self._connections = 0

    @property
    def address(self) -> str:
        """Host and port."""
        host, port = self._socket.getsockname()
        return f"{host}:{port}"

    def connections(self) -> int:
        """The number of connections since the last call."""
        time.sleep(_SETTLE_SECONDS)
        connections, self._connections = self._connections, 0
        return connections

    def __enter__(self) -> Listener:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Closing alone would not wake the thread that waits in accept().
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _count(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            connection.close()
            self._connections += 1


def connect(listener: str) -> None:
    """Connect to the listener of this run."""
    host, _, port = listener.partition(":")
    socket.create_connection((host, int(port)), SECONDS).close()
