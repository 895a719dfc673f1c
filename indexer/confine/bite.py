"""Verifies that confinement is in force by trying operations that must fail.

Some kernels, emulated ones among them, accept a filter and do not apply it. Called by all processes
that confine themselves: the program, its parsers, the broker, the model server, ripgrep.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from errno import EACCES, EPERM

from indexer.errors import SealUnavailable

_FAMILIES = (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK)


def check_sockets(peer: int | None = None) -> None:
    """Raise SealUnavailable if a socket of any family but `peer` can be made."""
    for family in _FAMILIES:
        if family != peer:
            _must_fail(f"opens {family.name} sockets", EPERM, _socket, family, socket.SOCK_STREAM)
    if peer is not None:
        _must_fail("opens datagram sockets", EPERM, _socket, peer, socket.SOCK_DGRAM)


def check_files(*, whole_disk: bool = False) -> None:
    """Raise SealUnavailable if the file rules are not in force.

    With `whole_disk` everything may be read, so only writing is tried.
    """
    if whole_disk:
        _must_fail("writes to /dev/zero", EACCES, _open, "/dev/zero", os.O_WRONLY)
    else:
        _must_fail("lists '/'", EACCES, _open, "/", os.O_RDONLY | os.O_DIRECTORY)


def _socket(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def _open(path: str, flags: int) -> None:
    os.close(os.open(path, flags | os.O_CLOEXEC))


def _must_fail(what: str, expected: int, attempt: Callable[..., None], *arguments: object) -> None:
    try:
        attempt(*arguments)
    except OSError as error:
        if error.errno == expected:
            return
        raise SealUnavailable(f"It {what}? {error} instead of a refusal.") from error
    raise SealUnavailable(f"The kernel took the rules of the seal and still {what}.")
