"""Where a probe runs; its attempts to reach files outside and other processes.

probes.toml says which are made, and from where. A failed attempt raises OSError.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import socket
import struct
import termios
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from indexer.confine import native_number, starting

MESSAGE = b"probe"
libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a probe runs: the folder of corpus, store and outside, and the listener's address."""

    folder: str
    address: str = ""
    port: int = 0

    @property
    def inet(self) -> tuple[str, int]:
        """The listener's address for a call of the socket module."""
        return self.address, self.port

    def at(self, place: str) -> Path:
        """A file or folder, as in "outside/secret.txt"."""
        return Path(self.folder) / place

    @property
    def secret(self) -> Path:
        """A file that lies outside the corpus and the store."""
        return self.at("outside/secret.txt")


def checked(result: int) -> int:
    """The result of a C function, or its errno as an OSError."""
    if result < 0:
        raise failed(ctypes.get_errno())
    return result


def failed(number: int) -> OSError:
    """An errno as the OSError of a failed attempt."""
    return OSError(number, os.strerror(number))


def by_number(syscall: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char]) -> int:
    """The result of a system call; ints are widened, or half a register would be garbage."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return checked(libc.syscall(native_number(syscall), *passed))


_ATTRIBUTE, _IN_OPEN = "user.corpus-agent", 0x20
# sys/ipc.h: a number that two processes could agree on, make it for this user, remove it again.
_KEY, _CREATE, _REMOVE = 0x5EA1, 0o1600, 0

Neighbour = tuple[int, int]  # the id of an unsealed process, and a connection's descriptor there


def read(around: Surroundings, _: object, place: str) -> None:
    """Read a file."""
    around.at(place).read_bytes()


def write(around: Surroundings, _: object, place: str) -> None:
    """Make a file."""
    around.at(place).write_bytes(MESSAGE)


def read_environment(_: Surroundings, __: object) -> None:
    """Read another process's environment variables, keys perhaps."""
    Path(f"/proc/{os.getppid()}/environ").read_bytes()


def set_attribute(around: Surroundings) -> None:
    """Set an attribute of the secret, as a browser records the origin of a file."""
    with contextlib.suppress(OSError):  # the control reports a file system without attributes
        os.setxattr(around.secret, _ATTRIBUTE, MESSAGE)


_OUTSIDE: dict[str, Callable[[Path], object]] = {
    "attribute": lambda path: os.getxattr(path, _ATTRIBUTE),
    "attributes": os.listxattr,
    "empty": lambda path: os.truncate(path, 0),
}


def use_secret(around: Surroundings, _: object, how: str) -> None:
    """Use a file outside by its path."""
    _OUTSIDE[how](around.secret)


def watch_outside(around: Surroundings, _: object) -> None:
    """Be told the names of files that others open outside."""
    descriptor = by_number("inotify_init1", os.O_NONBLOCK)
    by_number("inotify_add_watch", descriptor, os.fsencode(around.at("outside")), _IN_OPEN)
    around.secret.read_bytes()
    os.read(descriptor, 4096)
    os.close(descriptor)


# ---- To other processes


def start_shell(_: Surroundings, __: object) -> None:
    """Start a shell."""
    shell = starting.find_program("sh") or "/bin/sh"
    starting.run(starting.Command((str(shell), "-c", "exit 0")))


def start_neighbour(around: Surroundings) -> Neighbour:
    """An unsealed process that holds a connection."""
    connection = socket.create_connection(around.inet) if around.port else socket.socket()
    ours, theirs = socket.socketpair()
    process = os.fork()
    if process == 0:
        ours.close()
        theirs.send(b".")
        theirs.recv(1)  # returns when the probe has ended
        os._exit(0)
    ours.recv(1)
    ours.detach()
    number = connection.fileno()
    connection.close()
    return process, number


def steal(_: Surroundings, neighbour: Neighbour) -> None:
    """Take a connection from another process."""
    process, descriptor = neighbour
    stolen = by_number("pidfd_getfd", os.pidfd_open(process), descriptor, 0)
    os.write(stolen, MESSAGE)


def read_memory(_: Surroundings, neighbour: Neighbour) -> None:
    """Read the memory of another process."""
    # The neighbour is a copy of this process: what is here is there at the same address.
    buffer = ctypes.create_string_buffer(8)
    vector = struct.pack("=QQ", ctypes.addressof(buffer), 8)
    by_number("process_vm_readv", neighbour[0], vector, 1, vector, 1, 0)


_DISTURBED: dict[str, Callable[[int], object]] = {
    "limits": lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, 64)),
    "priority": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19),
    "cores": lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid)),
    "schedule": lambda pid: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
    "signal": lambda pid: os.kill(pid, 0),
}


def disturb(_: Surroundings, neighbour: Neighbour, how: str) -> None:
    """Act on another process by its number."""
    _DISTURBED[how](neighbour[0])


def signal_group(_: Surroundings, __: object) -> None:
    """Send a signal to a group of processes."""
    os.killpg(0, 0)


def signal_by_descriptor(_: Surroundings, neighbour: Neighbour) -> None:
    """Have a descriptor send it a signal."""
    one, other = os.pipe()
    fcntl.fcntl(one, fcntl.F_SETOWN, neighbour[0])
    os.close(one)
    os.close(other)


def system_v(_: Surroundings, __: object, kind: str, *size: int) -> None:
    """Make something of System V that two processes share, and remove it."""
    made = by_number(f"{kind}get", _KEY, *size, _CREATE)
    by_number(f"{kind}ctl", made, *([0] if kind == "sem" else []), _REMOVE, 0)


def named_queue(_: Surroundings, __: object) -> None:
    """Make a POSIX message queue."""
    name = b"corpus-agent-%d" % os.getpid()
    os.close(by_number("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, 0))
    by_number("mq_unlink", name)


def named_memory(_: Surroundings, __: object) -> None:
    """Make named shared memory."""
    path = Path("/dev/shm") / f"corpus-agent-{os.getpid()}"  # noqa: S108 - played, not used
    path.write_bytes(MESSAGE)
    path.unlink()


def own_terminal(_: Surroundings) -> int:
    """A terminal of the probe's own, as its controlling terminal."""
    _master, terminal = os.openpty()
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    return terminal


def type_into(_: Surroundings, terminal: int) -> None:
    """Type into the terminal, as if by the user; the shell would read it next."""
    fcntl.ioctl(terminal, termios.TIOCSTI, b"x")


def start_process(_: Surroundings, __: object) -> None:
    """Go on in a second process."""
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def signal_parent(_: Surroundings, __: object) -> None:
    """Send its parent a signal."""
    os.kill(os.getppid() or 1, 0)
