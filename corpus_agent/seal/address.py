"""The one model server that a relay may ask: its address, its models, its owner. Values only.

An address is a numeric IP with a port, or a Unix socket; corpus_agent.models.discovery resolves and
checks names before.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path

_IPV6_LOOPBACK = bytes(15) + b"\1"


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """A numeric IP address, never a name, with a port."""

    ip: str
    port: int

    @property
    def family(self) -> socket.AddressFamily:
        """AF_INET or AF_INET6."""
        return socket.AF_INET6 if ":" in self.ip else socket.AF_INET

    @property
    def packed(self) -> bytes:
        """The IP address as 4 or 16 bytes in network order. Raises OSError if it is invalid."""
        return socket.inet_pton(self.family, self.ip)

    @property
    def is_local(self) -> bool:
        """Whether it is a loopback address: 127.0.0.0/8 or ::1."""
        packed = self.packed
        return packed[0] == 127 if self.family == socket.AF_INET else packed == _IPV6_LOOPBACK

    @property
    def host(self) -> str:
        """The host in a URL and in a Host header."""
        return f"[{self.ip}]:{self.port}" if ":" in self.ip else f"{self.ip}:{self.port}"

    @property
    def base_url(self) -> str:
        """The URL of this address."""
        return f"http://{self.host}"

    def __str__(self) -> str:
        return self.host


@dataclass(frozen=True, slots=True)
class UnixAddress:
    """A socket in the file system."""

    path: str

    @property
    def family(self) -> socket.AddressFamily:
        """AF_UNIX."""
        return socket.AF_UNIX

    @property
    def folder(self) -> Path:
        """The folder that contains the socket."""
        return Path(self.path).parent

    @property
    def name(self) -> str:
        """The socket's own name in that folder."""
        return Path(self.path).name

    @property
    def is_local(self) -> bool:
        """Always true: a Unix socket does not leave this machine."""
        return True

    @property
    def host(self) -> str:
        """The host in a Host header; a Unix socket has none of its own."""
        return "localhost"

    @property
    def base_url(self) -> str:
        """The URL for this address; its host is used only in the Host header."""
        return "http://localhost:80"

    def __str__(self) -> str:
        return f"unix:{self.path}"


Address = TcpAddress | UnixAddress


@dataclass(frozen=True, slots=True)
class Gate:
    """The one server that a relay may use, and how.

    `models` are the model names that a request may contain. `owners` are the users whose process
    may answer, None if that is not checked.
    """

    address: Address
    models: frozenset[str]
    owners: frozenset[int] | None
