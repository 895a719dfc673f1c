"""The users whose process listens at an address, according to the kernel, not the server.

TCP: the kernel's own look-up of a socket, sock_diag(7), as `ss` asks it. Unix: SO_PEERCRED, the
user who called listen(). `SocketLookup` stays open, so that a relay without files can check each
connection again. Trust is decided by corpus_agent.models.discovery.

Does not detect on whose behalf a process listens, such as a port forwarder.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from typing import Self

from corpus_agent.seal.address import TcpAddress
from indexer import CorpusError

_USERS = Path("/etc/passwd")
_MAX_USERS_BYTES = 2**20
_CREDENTIALS = struct.Struct("=iII")  # struct ucred: pid, uid, gid
# The number of users that a namespace does not map, and also of the user "nobody".
_OVERFLOW_UID = 65_534
_ALL_USERS = ["0", "0", "4294967295"]

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h, net/tcp_states.h
_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY, _NLMSG_ERROR, _NLM_F_REQUEST = 20, 2, 1
_HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence, port
_ERROR = struct.Struct("=i")
_REQUEST = struct.Struct("=BBBxI")  # family, protocol, extensions, states
_SOCKET_ID = struct.Struct("!HH16s16s")  # ports and addresses: local, remote
_INTERFACE = struct.Struct("=III")  # and no cookie
_NO_COOKIE = 0xFFFFFFFF
_LOOPBACK = 1  # of every network namespace: net/loopback.h. One bound to it is found as well.
_ANSWER = struct.Struct("=BBBB48xIIIII")  # family, state, …; expires, queues, user, inode
_ALL_STATES, _LISTEN = 0xFFFFFFFF, 10
_MAX_ANSWER_BYTES = 8192
_SECONDS = 1.0


class OwnerUnknown(CorpusError):
    """The owner of a listening process cannot be determined here."""


@dataclass(frozen=True, slots=True)
class FoundSocket:
    """A TCP socket: its user, whether it listens, and whether a process holds it."""

    uid: int
    listens: bool
    held: bool


class SocketLookup:
    """The kernel's look-up of TCP sockets, open for questions; thread-safe."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._lock = threading.Lock()
        self._sequence = 0
        self._users_are_known = all_users_are_known()

    @classmethod
    def open(cls) -> Self:
        """The look-up of this network namespace. Raises OwnerUnknown if there is none."""
        try:
            sock = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _NETLINK_SOCK_DIAG)
        except OSError as error:
            raise OwnerUnknown(f"Sockets cannot be looked up: {error.strerror}.") from None
        sock.settimeout(_SECONDS)
        return cls(sock)

    def owners(self, address: TcpAddress, client: tuple[str, int] | None = None) -> frozenset[int]:
        """The users of the sockets that may answer at `address`; empty if nothing listens.

        With `client`, our end of a connection, also the user of the process that accepted it.
        Raises OwnerUnknown.
        """
        # The listener first: a connection that no process holds yet is then in its queue, or it
        # would be closed.
        found = [self.find(address)]
        if client is not None:
            found.append(self.find(address, TcpAddress(*client)))
        known = (each for each in found if each is not None)
        owners = frozenset(each.uid for each in known if each.listens or each.held)
        return checked(owners, self._users_are_known)

    def find(self, local: TcpAddress, remote: TcpAddress | None = None) -> FoundSocket | None:
        """The socket that gets what `remote`, by default anybody new, sends to `local`; None: none.

        Raises OwnerUnknown where the kernel does not say.
        """
        far = (remote.port, remote.packed) if remote is not None else (0, b"")
        names = _SOCKET_ID.pack(local.port, far[0], local.packed, far[1])
        interface = _INTERFACE.pack(_LOOPBACK if local.is_local else 0, _NO_COOKIE, _NO_COOKIE)
        body = _REQUEST.pack(local.family, socket.IPPROTO_TCP, 0, _ALL_STATES) + names + interface
        try:
            with self._lock:
                return _found(self._reply(body))
        except OSError as error:
            raise OwnerUnknown(f"Sockets cannot be looked up: {error.strerror}.") from None

    def _reply(self, body: bytes) -> bytes:
        """The kernel's reply to one query; replies to earlier ones are skipped."""
        self._sequence += 1
        length = _HEADER.size + len(body)
        header = (length, _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, self._sequence, 0)
        self._sock.send(_HEADER.pack(*header) + body)
        while True:
            answer = self._sock.recv(_MAX_ANSWER_BYTES)
            if len(answer) >= _HEADER.size and _HEADER.unpack_from(answer)[3] == self._sequence:
                return answer

    def close(self) -> None:
        """Close the look-up."""
        self._sock.close()


def _found(answer: bytes) -> FoundSocket | None:
    """The socket in a reply, None where the kernel says that there is none; raises OSError."""
    kind = _HEADER.unpack_from(answer)[1]
    if kind == _NLMSG_ERROR:
        (number,) = _ERROR.unpack_from(answer, _HEADER.size)
        if number == -ENOENT:
            return None
        raise OSError(-number, os.strerror(-number))
    _, state, *_, uid, inode = _ANSWER.unpack_from(answer, _HEADER.size)
    return FoundSocket(uid, state == _LISTEN, inode != 0)


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
