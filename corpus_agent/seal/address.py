"""Where a model server is: an IP address in numbers with a port, or a Unix socket.

Values alone; connects to nothing. Names are resolved and checked before, by
corpus_agent.models.address.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path

_IPV6_LOOPBACK = bytes(15) + b"\1"


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """An IP address in numbers, never a name."""

    ip: str
    port: int

    @property
    def family(self) -> socket.AddressFamily:
        """AF_INET or AF_INET6."""
        return socket.AF_INET6 if ":" in self.ip else socket.AF_INET

    @property
    def packed(self) -> bytes:
        """The IP address as 4 or 16 bytes in network order. Raises OSError where it is none."""
        return socket.inet_pton(self.family, self.ip)

    @property
    def is_local(self) -> bool:
        """Whether nothing sent there leaves the machine: 127.0.0.0/8 or ::1."""
        packed = self.packed
        return packed[0] == 127 if self.family == socket.AF_INET else packed == _IPV6_LOOPBACK

    @property
    def host(self) -> str:
        """What stands in a URL and in a Host header for it."""
        return f"[{self.ip}]:{self.port}" if ":" in self.ip else f"{self.ip}:{self.port}"

    @property
    def base_url(self) -> str:
        """The URL whose host and port lead to this address, and alone do."""
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
        """The folder that the socket lies in."""
        return Path(self.path).parent

    @property
    def name(self) -> str:
        """The socket's own name in that folder."""
        return Path(self.path).name

    @property
    def is_local(self) -> bool:
        """Always: a Unix socket reaches no further than this machine."""
        return True

    @property
    def host(self) -> str:
        """What stands in a Host header; such a socket has no host."""
        return "localhost"

    @property
    def base_url(self) -> str:
        """The URL that leads to this address; its host only fills the Host header."""
        return "http://localhost:80"

    def __str__(self) -> str:
        return f"unix:{self.path}"


Address = TcpAddress | UnixAddress
