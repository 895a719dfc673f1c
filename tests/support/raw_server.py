"""A server on loopback that keeps every byte that it was sent and answers as it is told.

Parses nothing but where a request ends, so that what a relay says is seen as it stands on the wire.
"""

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterable
from typing import Self

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

Answer = Callable[[socket.socket], None] | Iterable[bytes]
"""What is done with a connection whose request is there, or the pieces that are sent over it."""


class RawServer:
    """Connections in `requests`, each the bytes of one; all are answered by `answer`."""

    def __init__(self, answer: Answer = (OK,), *, reads: bool = True) -> None:
        self.requests: list[bytes] = []
        self.heard = 0  # connections
        self.over = threading.Event()
        self._answer = answer
        self._reads = reads
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for thread in self._threads:
            thread.join(10)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.heard += 1
            thread = threading.Thread(target=self._one, args=(connection,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _one(self, connection: socket.socket) -> None:
        with connection:
            try:
                if self._reads:
                    self._read(connection)
                if callable(self._answer):
                    self._answer(connection)
                else:
                    for piece in self._answer:
                        connection.sendall(piece)
            except OSError:
                return  # the other side has had enough

    def _read(self, connection: socket.socket) -> None:
        """Take one request, and whatever else has come with it."""
        data = b""
        while not _is_whole(data) and (part := connection.recv(65_536)):
            data += part
        connection.settimeout(0.0)
        with contextlib.suppress(BlockingIOError):
            data += connection.recv(65_536)  # a second request would have come with the first
        connection.settimeout(None)
        if data:  # a relay that ends may have connected and said nothing
            self.requests.append(data)


def _is_whole(data: bytes) -> bool:
    head, end, body = data.partition(b"\r\n\r\n")
    length = LENGTH.search(head)
    return bool(end) and len(body) >= (int(length[1]) if length else 0)
