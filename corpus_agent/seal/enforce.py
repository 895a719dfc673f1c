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
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from errno import EBADF
from pathlib import Path
from typing import Literal

from indexer import SealUnavailable
from indexer.confine import (
    FileRule,
    Policy,
    check_alone,
    check_files,
    check_kernel,
    check_sockets,
    confine,
    interpreter_files,
    opened_without_links,
    sealed_calls,
    starting,
    system_files,
    tesseract_files,
)
from indexer.confine.policy import Access
from indexer.confine.walls import enter as namespaces

SealState = Literal["enforced", "off"]

_FIRST_INHERITED = 3  # after standard input, output and error
TEMP_FOLDER = "tmp"  # inside the store
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


@dataclass(frozen=True, slots=True)
class SealPolicy:
    """The kernel policy, the folder for temporary files, and the socket that is served.

    `temp` is None if nothing may be written at all; then a library that tries gets an error.
    `listener` is the descriptor of the one listening socket that the process keeps, None for none.
    """

    confinement: Policy
    temp: Path | None
    listener: int | None = None


def policy(
    root: Path | None,
    store: Path | None,
    *,
    read: Sequence[Path] = (),
    several: Sequence[Path] = (),
    gpu: bool = False,
    listener: int | None = None,
) -> SealPolicy:
    """A policy that permits reading `root` and `read`, and writing `store` only.

    No socket, of any family. All paths but the store's temp folder must exist when it is applied.
    With `listener`, a socket that listens already, its connections are accepted; nothing else
    listens or connects.
    A store that this user cannot write is read only, and without one nothing is written. The
    folders of `several` stores and of their documents are read only: what the text of one makes a
    run do reaches no other.
    Raises SealUnavailable for a root of "/", which would permit everything.
    """
    # A checked path is not resolved again: a link that replaced it would be followed.
    rules = [FileRule(path.resolve(), required=True) for path in read]
    checked = [*several, *([root] if root is not None else [])]
    rules += [FileRule(folder.absolute(), required=True, no_links=True) for folder in checked]
    writable = store is not None and os.access(store, os.W_OK)
    if store is not None:
        access: Access = "write" if writable else "read"
        rules.append(FileRule(store.absolute(), access, required=True, no_links=True))
    for rule in rules:
        if rule.path == Path("/"):
            raise SealUnavailable(
                "Nothing lies outside of '/', so that no file rule could hold.",
                "Index a folder instead.",
            )
    packages = [Path(starting.packages(), name) for name in ("corpus_agent", "indexer")]
    system = (*system_files(gpu=gpu), *tesseract_files())
    files = (*rules, *interpreter_files(*packages), *system)
    temp = store.absolute() / TEMP_FOLDER if store is not None and writable else None
    calls = sealed_calls(gpu=gpu, serving=listener is not None)
    return SealPolicy(Policy(calls=calls, files=files), temp, listener)


def seal(chosen: SealPolicy) -> Sealed:
    """Irrevocably close this process and verify that it is closed.

    Creates the temp folder, sets TMPDIR to it, closes descriptors that the process inherited, and
    denies everything that `chosen` does not allow. Raises SealUnavailable, naming what is missing,
    if the kernel cannot do it or the check fails; the process must then end.
    """
    if chosen.temp is not None:
        _use_temp_folder(chosen.temp)
    # joblib, which sentence-transformers imports, tries to open a semaphore in /dev/shm and warns.
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"
    if chosen.listener is not None:
        _check_listener(chosen.listener)
    _close_inherited(chosen.listener)
    check_kernel()
    check_alone()  # the next steps affect only this thread and stay, even if the seal fails
    walls = namespaces(tuple(rule.path for rule in chosen.confinement.files))
    confinement = confine(chosen.confinement)
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
