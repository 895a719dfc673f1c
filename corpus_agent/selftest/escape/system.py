"""Ways to files outside of the corpus, and to other processes: their memory, limits, terminals."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import socket
import struct
import termios
from errno import EACCES, EIO, EMFILE, ENODATA, ENOENT, ENOSPC, ENOSYS, EOPNOTSUPP, EPERM, EROFS
from pathlib import Path

from corpus_agent.selftest.escape.probe import (
    MESSAGE,
    Surroundings,
    also,
    by_number,
    of_a_parser,
    probe,
)
from indexer.confine import starting
from indexer.parsers.limits import ocr_policy

_NO_IPC = (ENOSYS, ENOSPC, EMFILE, ENOENT)  # a kernel without these channels, or no /dev/shm
_NO_ATTRIBUTES = (EOPNOTSUPP, ENODATA, ENOSYS)  # a file system without attributes of users
_ATTRIBUTE, _IN_OPEN = "user.corpus-agent", 0x20
# sys/ipc.h: a number that two processes could agree on, make it for this user, remove it again.
_KEY, _CREATE, _REMOVE = 0x5EA1, 0o1600, 0


# ---- Files


also(
    "read-outside",
    "read a file outside",
    lambda around, _: around.secret.read_bytes(),
    expected=(EACCES,),
)
also(
    "read-link",
    "read it by a link in the corpus",
    lambda around, _: (Path(around.root) / "link.txt").read_bytes(),
    expected=(EACCES,),
)
also(
    "read-proc",
    "read another process's environment variables, keys perhaps",
    lambda _, __: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
    expected=(EACCES,),
)


def set_attribute(around: Surroundings) -> None:
    """Set an attribute of the secret, as a browser records the origin of a file."""
    with contextlib.suppress(OSError):  # the control reports a file system without attributes
        os.setxattr(around.secret, _ATTRIBUTE, MESSAGE)


also(
    "attribute",
    "read an attribute of a file outside",
    lambda around, _: os.getxattr(around.secret, _ATTRIBUTE),
    prepare=set_attribute,
    lacking=_NO_ATTRIBUTES,
)
also(
    "attribute-names",
    "list the attributes of a file outside",
    lambda around, _: os.listxattr(around.secret),
    lacking=_NO_ATTRIBUTES,
)


@probe("watch", lacking=(ENOSYS, EMFILE, ENOSPC))
def watch_outside(around: Surroundings, _: object) -> None:
    """Be told the names of files that others open outside."""
    descriptor = by_number("inotify_init1", os.O_NONBLOCK)
    by_number("inotify_add_watch", descriptor, os.fsencode(around.outside), _IN_OPEN)
    around.secret.read_bytes()
    os.read(descriptor, 4096)
    os.close(descriptor)


also(
    "write-outside",
    "make a file outside",
    lambda around, _: (Path(around.outside) / "new.txt").write_bytes(MESSAGE),
    expected=(EACCES,),
)
also(
    "write-corpus",
    "make a file in the corpus",
    lambda around, _: (Path(around.root) / "new.txt").write_bytes(MESSAGE),
    expected=(EACCES,),
)
also("truncate", "empty a file outside", lambda around, _: os.truncate(around.secret, 0))


def read_document(around: Surroundings, _: object) -> None:
    """Read a document of the corpus by its path."""
    (Path(around.root) / "document.txt").read_bytes()


def write_store(around: Surroundings, _: object) -> None:
    """Write a file in the store."""
    (Path(around.store) / "new.txt").write_bytes(MESSAGE)


# ---- Processes

_CHILD = (
    "import socket, sys\n"
    "try:\n"
    "    socket.create_connection((sys.argv[1], int(sys.argv[2]))).sendall(b'probe')\n"
    "except OSError as error:\n"
    "    sys.exit(error.errno)"
)


@probe("child", listener="tcp4")
def child(around: Surroundings, _: object) -> None:
    """Connect from a child process."""
    command = starting.Command(starting.python(_CHILD, around.address, str(around.port)))
    status = starting.run(command).returncode
    if status:
        raise OSError(status, os.strerror(status))


@probe("program", expected=(EACCES,))
def program(_: Surroundings, __: object) -> None:
    """Start a shell."""
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


@probe("stolen", prepare=start_neighbour, listener="tcp4", lacking=(EPERM, ENOSYS), connected=True)
def steal(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Take a connection from another process."""
    process, descriptor = neighbour
    stolen = by_number("pidfd_getfd", os.pidfd_open(process), descriptor, 0)
    os.write(stolen, MESSAGE)


@probe("memory", prepare=start_neighbour, lacking=(EPERM, ENOSYS))
def read_memory(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Read the memory of another process."""
    # The neighbour is a copy of this process: what is here is there at the same address.
    buffer = ctypes.create_string_buffer(8)
    vector = struct.pack("=QQ", ctypes.addressof(buffer), 8)
    by_number("process_vm_readv", neighbour[0], vector, 1, vector, 1, 0)


@probe("limits", prepare=start_neighbour)
def lower_limit(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Lower the limits of another process."""
    resource.prlimit(neighbour[0], resource.RLIMIT_NOFILE, (64, 64))


also(
    "priority",
    "lower its priority",
    lambda _, neighbour: os.setpriority(os.PRIO_PROCESS, neighbour[0], 19),
    prepare=start_neighbour,
)
also(
    "cores",
    "choose its cores",
    lambda _, neighbour: os.sched_setaffinity(neighbour[0], os.sched_getaffinity(neighbour[0])),
    prepare=start_neighbour,
)
also(
    "schedule",
    "choose how it is scheduled",
    lambda _, neighbour: os.sched_setscheduler(neighbour[0], os.SCHED_BATCH, os.sched_param(0)),
    prepare=start_neighbour,
)
also(
    "signal",
    "send it a signal",
    lambda _, neighbour: os.kill(neighbour[0], 0),
    prepare=start_neighbour,
    since_abi=6,
)
also("signal-group", "send a signal to a group of processes", lambda _, __: os.killpg(0, 0))


@probe("signal-descriptor", prepare=start_neighbour)
def signal_by_descriptor(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Have a descriptor send it a signal."""
    one, other = os.pipe()
    fcntl.fcntl(one, fcntl.F_SETOWN, neighbour[0])
    os.close(one)
    os.close(other)


also(
    "shm",
    "make System V shared memory",
    lambda _, __: by_number("shmctl", by_number("shmget", _KEY, 4096, _CREATE), _REMOVE, 0),
    lacking=_NO_IPC,
)
also(
    "sem",
    "make System V semaphores",
    lambda _, __: by_number("semctl", by_number("semget", _KEY, 1, _CREATE), 0, _REMOVE, 0),
    lacking=_NO_IPC,
)
also(
    "msg",
    "make a System V message queue",
    lambda _, __: by_number("msgctl", by_number("msgget", _KEY, _CREATE), _REMOVE, 0),
    lacking=_NO_IPC,
)


@probe("mq", lacking=_NO_IPC)
def named_queue(_: Surroundings, __: object) -> None:
    """Make a POSIX message queue."""
    name = b"corpus-agent-%d" % os.getpid()
    os.close(by_number("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, 0))
    by_number("mq_unlink", name)


@probe("shm-name", expected=(EACCES, EROFS), lacking=_NO_IPC)
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


@probe("terminal", prepare=own_terminal, lacking=(EIO,))
def type_into(_: Surroundings, terminal: int) -> None:
    """Type into the terminal, as if by the user; the shell would read it next."""
    fcntl.ioctl(terminal, termios.TIOCSTI, b"x")


# ---- From the processes that read documents


def start_process(_: Surroundings, __: object) -> None:
    """Go on in a second process."""
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def signal_parent(_: Surroundings, __: object) -> None:
    """Reach the process that started this one by a signal, which need not arrive."""
    os.kill(os.getppid() or 1, 0)


of_a_parser(
    "parser-read", "read a document that it was not handed", read_document, expected=(EACCES,)
)
of_a_parser("parser-write", "write to the store", write_store, expected=(EACCES,))
of_a_parser("parser-process", "start a process", start_process)
of_a_parser("parser-signal", "send its parent a signal", signal_parent)
of_a_parser(
    "parser-limits",
    "lower the limits of another process from a parser's",
    lower_limit,
    prepare=start_neighbour,
)
of_a_parser(
    "recogniser-write",
    "write to the store from the process that recognises text",
    write_store,
    expected=(EACCES,),
    confined=ocr_policy,
)
of_a_parser("recogniser-process", "start a process from there", start_process, confined=ocr_policy)
