"""Closes this process: no socket, no file beyond the policy, for all threads and children.

Takes full effect or raises. Reads no setting and no environment variable: only the caller decides,
and only `unsealed()` returns the state "off".
"""

from __future__ import annotations

import fcntl
import os
import socket
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from errno import EBADF
from pathlib import Path
from typing import Literal

from corpus_agent.seal.policy import SealPolicy
from indexer import SealUnavailable
from indexer.confine import (
    check_alone,
    check_files,
    check_kernel,
    check_sockets,
    confine,
    opened_without_links,
)
from indexer.confine.walls import enter as namespaces

SealState = Literal["enforced", "off"]

_FIRST_INHERITED = 3  # after standard input, output and error
LOOPBACK = "127.0.0.1"
_PEER_ONLY = (socket.SOCK_STREAM, socket.SOCK_SEQPACKET)


@dataclass(frozen=True, slots=True)
class Sealed:
    """The state of the seal; `state` is recorded in every JSON object and every answer.

    `not_covered` describes what an older kernel cannot enforce, which never concerns the network.
    `walls` are the namespaces behind the seal, if available.
    """

    state: SealState
    landlock_abi: int = 0
    not_covered: tuple[str, ...] = ()
    walls: tuple[str, ...] = ()


def unsealed() -> Sealed:
    """The state of a process that runs without the seal by explicit request."""
    return Sealed("off")


def seal(policy: SealPolicy) -> Sealed:
    """Irrevocably close this process and verify that it is closed.

    Creates the temp folder, sets TMPDIR to it, closes descriptors that the process inherited, and
    denies everything that `policy` does not allow. Raises SealUnavailable, naming what is missing,
    if the kernel cannot do it or the check fails; the process must then end.
    """
    if policy.temp is not None:
        _use_temp_folder(policy.temp)
    # joblib, which sentence-transformers imports, tries to open a semaphore in /dev/shm and warns.
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"
    if policy.listener is not None:
        _check_listener(policy.listener)
    _close_inherited(policy.listener)
    check_kernel()
    check_alone()  # the next steps affect only this thread and stay, even if the seal fails
    walls = namespaces(tuple(rule.path for rule in policy.confinement.files))
    confinement = confine(policy.confinement)
    # Independent of the policy: this process has no socket and does not see the whole disk.
    check_sockets()
    check_files()
    return Sealed("enforced", confinement.landlock_abi, confinement.not_covered, walls)


def _use_temp_folder(temp: Path) -> None:
    # From the store's own descriptor, and through no link: the process is not closed yet.
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        held = opened_without_links(temp.parent)
        store = os.open(f"/proc/self/fd/{held}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        os.close(held)
        try:
            with suppress(FileExistsError):
                os.mkdir(temp.name, 0o700, dir_fd=store)
            os.close(os.open(temp.name, flags, dir_fd=store))
        finally:
            os.close(store)
    except OSError as error:
        raise SealUnavailable(f"The store's temp folder cannot be made: {error}.") from error
    os.environ["TMPDIR"] = tempfile.tempdir = str(temp)


def _check_listener(descriptor: int) -> None:
    """Raise SealUnavailable unless a descriptor is a socket that listens on this machine alone.

    One that did not listen yet could be connected anywhere by a kernel that fails to refuse it.
    """
    try:
        with socket.socket(fileno=os.dup(descriptor)) as sock:
            listens = bool(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
            address = sock.getsockname()
            local = sock.family == socket.AF_UNIX or (
                sock.family == socket.AF_INET and address[0] == LOOPBACK
            )
    except OSError as error:
        raise SealUnavailable(f"There is no socket to serve: {error.strerror}.") from error
    if not (listens and local and sock.type == socket.SOCK_STREAM):
        raise SealUnavailable(
            "The socket to serve does not listen on this machine alone.",
            f"It must listen at {LOOPBACK}, or be a Unix socket.",
        )


def _close_inherited(listener: int | None = None) -> None:
    """Close inherited descriptors; raises SealUnavailable for a network socket among them.

    Python marks every descriptor it opens close-on-exec, so one above 2 without that mark was
    inherited. A socket that remains, standard streams included, must be a Unix socket of a type
    that only reaches its peer: a parent may communicate through one. `listener` may stay.
    """
    for descriptor in _open_descriptors():
        try:
            own = fcntl.fcntl(descriptor, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
            if descriptor >= _FIRST_INHERITED and not own:
                os.close(descriptor)
            elif descriptor != listener and _is_foreign_socket(descriptor):
                raise SealUnavailable(
                    f"Descriptor {descriptor} is a socket that could reach beyond this process.",
                    "Start corpus-agent without it: from a pipe, a file or a terminal.",
                )
        except OSError as error:
            if error.errno != EBADF:  # the descriptor of the listing itself is already closed
                raise


def _open_descriptors() -> list[int]:
    try:
        return sorted(int(name) for name in os.listdir("/proc/self/fd"))  # noqa: PTH208
    except OSError as error:
        raise SealUnavailable(f"Open files cannot be listed: {error}.", "Mount /proc.") from error


def _is_foreign_socket(descriptor: int) -> bool:
    if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
        return False
    with socket.socket(fileno=os.dup(descriptor)) as sock:
        return sock.family != socket.AF_UNIX or sock.type not in _PEER_ONLY
