"""Attempts to reach other processes: their connections, memory, limits, terminals, by signals too.

A failed attempt raises OSError. probes.py lists them; nothing else calls them.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import socket
import struct
import termios
from pathlib import Path

from corpus_agent.selftest.escape.attempt import MESSAGE, Surroundings, by_number
from indexer.confine import starting

# sys/ipc.h: a number that two processes could agree on, make it for this user, remove it again.
_KEY, _CREATE, _REMOVE = 0x5EA1, 0o1600, 0

_CHILD = (
    "import socket, sys\n"
    "try:\n"
    "    socket.create_connection((sys.argv[1], int(sys.argv[2]))).sendall(b'probe')\n"
    "except OSError as error:\n"
    "    sys.exit(error.errno)"
)


def child(around: Surroundings, _: object) -> None:
    """Connect from a Python started for it."""
    command = starting.Command(starting.python(_CHILD, around.address, str(around.port)))
    status = starting.run(command).returncode
    if status:
        raise OSError(status, os.strerror(status))


def program(_: Surroundings, __: object) -> None:
    """Start a program that is not the interpreter."""
    shell = starting.find_program("sh") or "/bin/sh"
    starting.run(starting.Command((str(shell), "-c", "exit 0")))


def start_neighbour(around: Surroundings) -> tuple[int, int]:
    """The id of an unsealed process that holds a connection, and its descriptor there."""
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


def steal(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Copy the neighbour's connection into this process and write to it."""
    process, descriptor = neighbour
    stolen = by_number("pidfd_getfd", os.pidfd_open(process), descriptor, 0)
    os.write(stolen, MESSAGE)


def read_memory(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Read eight bytes of the neighbour."""
    # The neighbour is a copy of this process: what is here is there at the same address.
    buffer = ctypes.create_string_buffer(8)
    vector = struct.pack("=QQ", ctypes.addressof(buffer), 8)
    by_number("process_vm_readv", neighbour[0], vector, 1, vector, 1, 0)


def lower_limit(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Lower the neighbour's limit of open files."""
    resource.prlimit(neighbour[0], resource.RLIMIT_NOFILE, (64, 64))


def lower_priority(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Lower the neighbour's priority."""
    os.setpriority(os.PRIO_PROCESS, neighbour[0], 19)


def choose_cores(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Bind the neighbour to the cores that it has already."""
    os.sched_setaffinity(neighbour[0], os.sched_getaffinity(neighbour[0]))


def choose_schedule(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Give the neighbour the idle scheduling policy."""
    os.sched_setscheduler(neighbour[0], os.SCHED_BATCH, os.sched_param(0))


def signal_one(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Reach the neighbour by a signal, which need not arrive."""
    os.kill(neighbour[0], 0)


def signal_group(_: Surroundings, __: object) -> None:
    """Reach the group of processes that this one is in, its parent's, by a signal."""
    os.killpg(0, 0)


def signal_by_descriptor(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Have the kernel signal the neighbour when there is something to read."""
    one, other = os.pipe()
    fcntl.fcntl(one, fcntl.F_SETOWN, neighbour[0])
    os.close(one)
    os.close(other)


def signal_parent(_: Surroundings, __: object) -> None:
    """Reach the process that started this one by a signal, which need not arrive."""
    os.kill(os.getppid() or 1, 0)


def shared_memory(_: Surroundings, __: object) -> None:
    """Make memory that another process can attach by its number."""
    by_number("shmctl", by_number("shmget", _KEY, 4096, _CREATE), _REMOVE, 0)


def semaphores(_: Surroundings, __: object) -> None:
    """Make a semaphore that another process can look at by its number."""
    by_number("semctl", by_number("semget", _KEY, 1, _CREATE), 0, _REMOVE, 0)


def message_queue(_: Surroundings, __: object) -> None:
    """Make a queue that another process can read by its number."""
    by_number("msgctl", by_number("msgget", _KEY, _CREATE), _REMOVE, 0)


def named_queue(around: Surroundings, _: object) -> None:
    """Make a queue that another process can open by its name."""
    name = b"corpus-agent-%d" % os.getpid()
    os.close(by_number("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, 0))
    by_number("mq_unlink", name)


def named_memory(_: Surroundings, __: object) -> None:
    """Make memory that another process can open by its name, as shm_open does."""
    path = Path("/dev/shm") / f"corpus-agent-{os.getpid()}"  # noqa: S108 - played, not used
    path.write_bytes(MESSAGE)
    path.unlink()


def parents_environment(_: Surroundings, __: object) -> None:
    """Read the environment variables, keys perhaps, of the process that started this one."""
    Path(f"/proc/{os.getppid()}/environ").read_bytes()


def start_process(_: Surroundings, __: object) -> None:
    """Go on in a second process."""
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def own_terminal(_: Surroundings) -> int:
    """A terminal of the probe's own, as its controlling terminal."""
    _master, terminal = os.openpty()
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    return terminal


def type_into(_: Surroundings, terminal: int) -> None:
    """Type a character as if by the user; the shell would read it next."""
    fcntl.ioctl(terminal, termios.TIOCSTI, b"x")
