"""The users whose process listens at an address, according to the kernel, not the server.

TCP: the owner of the socket in /proc/net/tcp and tcp6. Unix: SO_PEERCRED, the user who called
listen(). `SocketTables` stays open, so that a relay without files can check each connection again.
Trust is decided by corpus_agent.models.discovery.

Does not detect on whose behalf a process listens, such as a port forwarder.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from corpus_agent.seal.address import TcpAddress
from indexer import CorpusError

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_USERS = Path("/etc/passwd")
_MAX_USERS_BYTES = 2**20
_LISTEN = "0A"  # net/tcp_states.h
_READ_BYTES = 65_536
_MAX_TABLE_BYTES = 64 * 2**20
_MAPPED = bytes(10) + b"\xff\xff"  # ::ffff:a.b.c.d
_CREDENTIALS = struct.Struct("=iII")  # struct ucred: pid, uid, gid
# The number of users that a namespace does not map, and also of the user "nobody".
_OVERFLOW_UID = 65_534
_ALL_USERS = ["0", "0", "4294967295"]

Place = tuple[bytes, int]
"""An address in network order, 4 or 16 bytes, and a port."""


class OwnerUnknown(CorpusError):
    """The owner of a listening process cannot be determined here."""


@dataclass(frozen=True, slots=True)
class SocketRow:
    """A socket in the kernel's table; `accepted` is false while no process holds it."""

    local: Place
    remote: Place
    listens: bool
    uid: int
    accepted: bool


class SocketTables:
    """The kernel's tables of TCP sockets, open for reading; thread-safe."""

    def __init__(self, descriptors: tuple[int, ...]) -> None:
        self._descriptors = descriptors
        self._lock = threading.Lock()
        self._users_are_known = all_users_are_known()

    @classmethod
    def open(cls) -> Self:
        """The tables of this network namespace. Raises OwnerUnknown if they cannot be read."""
        descriptors = []
        try:
            descriptors.append(os.open(_TABLES[0], os.O_RDONLY | os.O_CLOEXEC))
            if _TABLES[1].exists():  # missing if IPv6 is disabled
                descriptors.append(os.open(_TABLES[1], os.O_RDONLY | os.O_CLOEXEC))
            return cls(tuple(descriptors))
        except OSError as error:
            for descriptor in descriptors:
                os.close(descriptor)
            raise OwnerUnknown(f"{error.filename}: {error.strerror}.") from None

    def owners(self, address: TcpAddress, client: tuple[str, int] | None = None) -> frozenset[int]:
        """The users of all sockets that may answer at `address`; empty if nothing listens.

        With `client`, our end of a connection, also the user of the process that accepted it.
        Raises OwnerUnknown.
        """
        server = address.packed, address.port
        ours = (TcpAddress(*client).packed, client[1]) if client else None
        needle = b":%04X " % server[1]
        # The kernel lists those that listen first: what was accepted meanwhile is seen once more.
        # Of IPv6 first: a socket can be made one of IPv4 between two looks, never one of IPv6.
        with self._lock:
            lines = [line for table in map(_whole, reversed(self._descriptors)) for line in table]
        rows = rows_in(line.decode("ascii", "replace") for line in lines if needle in line)
        return checked(frozenset(who(rows, server, ours)), self._users_are_known)

    def close(self) -> None:
        """Close the tables."""
        for descriptor in self._descriptors:
            os.close(descriptor)


def who(rows: Iterable[SocketRow], server: Place, client: Place | None) -> Iterator[int]:
    """The users who listen at `server`, and who accepted the connection of `client`."""
    ip, port = server
    for row in rows:
        at, on = row.local
        if on != port:
            continue
        # A socket for all IPv6 addresses usually accepts IPv4 too; the table does not show whether.
        may_answer = row.listens and (at == ip or not any(at))
        has_answered = row.accepted and (row.local, row.remote) == (server, client)
        if may_answer or has_answered:
            yield row.uid


def rows_in(lines: Iterable[str]) -> Iterator[SocketRow]:
    """The sockets in lines of /proc/net/tcp or tcp6; other lines are skipped."""
    for line in lines:
        parts = line.split()
        if len(parts) < 10 or not parts[0].endswith(":"):
            continue
        yield SocketRow(
            _place(parts[1]),
            _place(parts[2]),
            parts[3] == _LISTEN,
            int(parts[7]),
            parts[9] != "0",
        )


def _place(text: str) -> Place:
    """Address and port, the address in network order and IPv4 in four bytes."""
    words, _, port = text.partition(":")
    # The kernel prints each 32-bit word of the address in native byte order.
    packed = b"".join(
        int(words[at : at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(words), 8)
    )
    return packed.removeprefix(_MAPPED) if len(packed) == 16 else packed, int(port, 16)


def _whole(descriptor: int) -> list[bytes]:
    """All lines of a table, from its beginning."""
    data = b""
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        while len(data) <= _MAX_TABLE_BYTES and (part := os.read(descriptor, _READ_BYTES)):
            data += part
    except OSError as error:
        raise OwnerUnknown(f"The table of sockets cannot be read: {error.strerror}.") from None
    return data.splitlines()


def all_users_are_known() -> bool:
    """Whether the user namespace of this process maps all users of the machine."""
    try:
        return Path("/proc/self/uid_map").read_text().split() == _ALL_USERS
    except OSError:
        return False  # then the number of "nobody" is ambiguous


def checked(owners: frozenset[int], users_are_known: bool) -> frozenset[int]:
    """The owners unchanged. Raises OwnerUnknown if one may stand for unmapped users."""
    if _OVERFLOW_UID in owners and not users_are_known:
        raise OwnerUnknown("The process that listens there belongs to no user known here.")
    return owners


def peer_of(sock: socket.socket) -> frozenset[int]:
    """The user who called listen() on the Unix socket that `sock` is connected to."""
    credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(credentials)
    return frozenset((uid,))


def owner_text(owners: frozenset[int]) -> str:
    """The users by name and number, for messages."""
    return " and ".join(map(_user, sorted(owners)))


def _user(uid: int) -> str:
    """A user by the name in /etc/passwd; the C library might query a network."""
    try:
        lines = _USERS.read_bytes()[:_MAX_USERS_BYTES].decode("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, *rest = line.split(":")
        if rest[1:2] == [str(uid)]:
            return f"{name} (uid {uid})"
    return f"uid {uid}"
