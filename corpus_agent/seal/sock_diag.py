"""Looks up one TCP socket of this machine by its addresses: its user, and whether it is held.

By netlink (sock_diag(7)), as `ss` does: the kernel's own look-up takes microseconds, while reading
/proc/net/tcp walks its whole table for milliseconds. If a kernel lacks this interface, owner.py
reads the table.
"""

from __future__ import annotations

import socket
import struct
import threading
from dataclasses import dataclass

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_NLM_F_REQUEST = 1
_HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence, port
_REQUEST = struct.Struct("=BBBxI")  # family, protocol, extensions, states
_SOCKET_ID = struct.Struct("!HH16s16s")  # ports and addresses: local, remote
_ANYWHERE = struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)  # interface; no cookie
_ANSWER = struct.Struct("=BBBB48xIIIII")  # family, state, …; expires, queues, user, inode
_ALL_STATES = 0xFFFFFFFF
_LISTEN = 10  # net/tcp_states.h
_MAX_ANSWER_BYTES = 8192
_SECONDS = 1.0

Place = tuple[bytes, int]
"""An address in network order, 4 or 16 bytes, and a port."""


@dataclass(frozen=True, slots=True)
class Found:
    """A socket: its user, whether it listens, and whether a process holds it."""

    uid: int
    listens: bool
    held: bool


class SocketDiagnosis:
    """A netlink socket for queries, thread-safe; raises OSError if there is no such interface."""

    def __init__(self) -> None:
        self._sock = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _NETLINK_SOCK_DIAG)
        self._sock.settimeout(_SECONDS)
        self._lock = threading.Lock()
        self._sequence = 0

    def find(self, local: Place, remote: Place | None) -> Found | None:
        """The socket at `local` that is connected to `remote`, or that listens there.

        None if there is none, or the kernel does not answer.
        """
        ip, port = local
        nothing = bytes(len(ip))
        far, far_port = remote if remote is not None else (nothing, 0)
        family = socket.AF_INET if len(ip) == 4 else socket.AF_INET6
        names = _SOCKET_ID.pack(port, far_port, ip, far)
        body = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, _ALL_STATES) + names + _ANYWHERE
        try:
            with self._lock:
                return _found(self._reply(body))
        except OSError:
            return None

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
        """Close the netlink socket."""
        self._sock.close()


def _found(answer: bytes) -> Found | None:
    """The socket in a reply; None if it is an error."""
    _, kind, *_ = _HEADER.unpack_from(answer)
    if kind != _SOCK_DIAG_BY_FAMILY or len(answer) < _HEADER.size + _ANSWER.size:
        return None
    _, state, *_, uid, inode = _ANSWER.unpack_from(answer, _HEADER.size)
    return Found(uid, state == _LISTEN, inode != 0)
