"""A listener on loopback that counts who knocks. Called by trial.py and boundaries.py."""

from __future__ import annotations

import socket
import threading
import time

_SETTLE_SECONDS = 0.2  # how long the listener waits for what loopback delivers at once


class Listener:
    """A port of loopback at which somebody counts who knocks; a context manager."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self._thread = threading.Thread(target=self._count, daemon=True)
        self._heard = 0

    @property
    def address(self) -> str:
        """Host and port."""
        host, port = self._socket.getsockname()
        return f"{host}:{port}"

    def heard(self) -> int:
        """How many connections there have been since the last call."""
        time.sleep(_SETTLE_SECONDS)
        heard, self._heard = self._heard, 0
        return heard

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
            self._heard += 1
