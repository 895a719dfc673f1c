"""Attempts to get out: each is one way by which code inside the process could reach beyond it.

Acts as the attacker, so it may use what no other module may: ctypes and raw system calls. A failed
attempt raises OSError. probes.py lists them; nothing else calls them.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import queue
import resource
import socket
import stat
import struct
import termios
import threading
from collections.abc import Callable
from dataclasses import dataclass
from errno import ENOTSOCK, EPERM, EPIPE
from pathlib import Path
from typing import Any

from corpus_agent.seal.address import TcpAddress
from corpus_agent.seal.broker import Broker, start_broker
from corpus_agent.seal.frames import Cause, Kind, Reply, failure_in
from corpus_agent.seal.gate import Gate
from indexer.confine import native_number, starting

MESSAGE = b"probe"
MSG_FASTOPEN = 0x20000000
RTM_GETLINK, NLM_F_REQUEST_DUMP = 18, 0x301
DNS_QUERY = struct.pack("!6H", 0x1234, 0x0100, 1, 0, 0, 0) + b"\x05probe\x07invalid\0\0\x01\0\x01"
_ATTRIBUTE, _IN_OPEN = "user.corpus-agent", 0x20
WAIT_SECONDS = 10
# sys/ipc.h: a number that two processes could agree on, make it for this user, remove it again.
_KEY, _CREATE, _REMOVE = 0x5EA1, 0o1600, 0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a probe runs: folders it may use, one it may not, and the listener's address."""

    root: str
    store: str
    outside: str
    address: str = ""
    port: int = 0

    @property
    def inet(self) -> tuple[str, int]:
        """The listener's address for a call of the socket module."""
        return self.address, self.port

    @property
    def secret(self) -> Path:
        """A file that lies outside the corpus and the store."""
        return Path(self.outside) / "secret.txt"


# `prepare` runs before the seal; its result is passed to `attempt`, which runs after it.
Attempt = Callable[[Surroundings, Any], object]
Prepare = Callable[[Surroundings], Any]


def connect_and_send(family: int, kind: int) -> Attempt:
    """An attempt that connects a new socket to the listener and sends."""

    def attempt(around: Surroundings, _: object) -> None:
        with socket.socket(family, kind) as sock:
            address = around.inet if around.port else around.address
            sock.connect(address)
            sock.sendall(MESSAGE)

    return attempt


def send_datagram(message: bytes) -> Attempt:
    """An attempt that sends one datagram to the listener by UDP."""

    def attempt(around: Surroundings, _: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(message, around.inet)

    return attempt


def raw(_: Surroundings, __: object) -> None:
    """Open a socket that could send any IP packet."""
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


def netlink(_: Surroundings, __: object) -> None:
    """List the network devices by asking the kernel."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as sock:
        sock.settimeout(WAIT_SECONDS)
        sock.send(struct.pack("=IHHII16x", 32, RTM_GETLINK, NLM_F_REQUEST_DUMP, 1, 0))
        sock.recv(65536)


def datagram_from_a_pair(around: Surroundings, _: object) -> None:
    """Send from one half of a socket pair to the listener instead of the other half."""
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, other:
        one.sendmsg([MESSAGE], [], 0, around.address)


_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    """The result of a C function, or its errno as an OSError."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _by_number(syscall: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char]) -> int:
    """The result of a system call; ints are widened, or half a register would be garbage."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(_libc.syscall(native_number(syscall), *passed))


def _sockaddr(around: Surroundings) -> bytes:
    return struct.pack("=H", socket.AF_INET) + struct.pack(
        "!H4s8x", around.port, socket.inet_aton(around.address)
    )


def libc_connect(around: Surroundings, _: object) -> None:
    """Connect as a native library would, through the C library."""
    descriptor = _checked(_libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0))
    _checked(_libc.connect(descriptor, _sockaddr(around), 16))


def system_calls(around: Surroundings, _: object) -> None:
    """Connect as injected code would, without the C library's own functions."""
    descriptor = _by_number("socket", socket.AF_INET, socket.SOCK_STREAM, 0)
    _by_number("connect", descriptor, _sockaddr(around), 16)


def io_uring(_: Surroundings, __: object) -> None:
    """Set up the queues through which the kernel takes requests without system calls."""
    parameters = ctypes.create_string_buffer(120)  # struct io_uring_params
    os.close(_by_number("io_uring_setup", 4, parameters))


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


@dataclass(slots=True)
class Waiting:
    """A thread that was started before the seal, and its outcome."""

    go: threading.Event
    thread: threading.Thread
    error: OSError | None = None


def start_thread(around: Surroundings) -> Waiting:
    """A thread that waits, and connects when it is released."""

    def work() -> None:
        waiting.go.wait()
        try:
            connect_and_send(socket.AF_INET, socket.SOCK_STREAM)(around, None)
        except OSError as error:
            waiting.error = error

    waiting = Waiting(threading.Event(), threading.Thread(target=work))
    waiting.thread.start()
    return waiting


def in_the_thread(_: Surroundings, waiting: Waiting) -> None:
    """Release the waiting thread."""
    waiting.go.set()
    waiting.thread.join()
    if waiting.error:
        raise waiting.error


def on_its_way(kind: int) -> Prepare:
    """An unconnected socket that lies in a pair's queue, where no seal can find and close it."""

    def prepare(_: Surroundings) -> tuple[socket.socket, socket.socket]:
        one, other = socket.socketpair()
        with socket.socket(socket.AF_INET, kind) as sock:
            socket.send_fds(one, [b"-"], [sock.fileno()])
        return one, other

    return prepare


def _received(pair: tuple[socket.socket, socket.socket]) -> socket.socket:
    return socket.socket(fileno=socket.recv_fds(pair[1], 1, 1)[1][0])


def connect_received(around: Surroundings, pair: tuple[socket.socket, socket.socket]) -> None:
    """Connect a socket that was made outside the seal."""
    with _received(pair) as sock:
        sock.connect(around.inet)


def fast_open(around: Surroundings, pair: tuple[socket.socket, socket.socket]) -> None:
    """Connect and send at once, by a flag of sendmsg whose address no filter can read."""
    with _received(pair) as sock:
        sock.sendmsg([MESSAGE], [], MSG_FASTOPEN, around.inet)


def send_to_received(around: Surroundings, pair: tuple[socket.socket, socket.socket]) -> None:
    """Send a datagram from a socket that was made outside the seal."""
    with _received(pair) as sock:
        sock.sendto(MESSAGE, around.inet)


def inherit_connection(around: Surroundings) -> int:
    """A connection as a careless parent passes it on: not marked close-on-exec."""
    descriptor = socket.create_connection(around.inet).detach()
    os.set_inheritable(descriptor, True)
    return descriptor


def write_inherited(_: Surroundings, descriptor: int) -> None:
    """Write to the inherited connection."""
    os.write(descriptor, MESSAGE)


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
    stolen = _by_number("pidfd_getfd", os.pidfd_open(process), descriptor, 0)
    os.write(stolen, MESSAGE)


def read_memory(_: Surroundings, neighbour: tuple[int, int]) -> None:
    """Read eight bytes of the neighbour."""
    # The neighbour is a copy of this process: what is here is there at the same address.
    buffer = ctypes.create_string_buffer(8)
    vector = struct.pack("=QQ", ctypes.addressof(buffer), 8)
    _by_number("process_vm_readv", neighbour[0], vector, 1, vector, 1, 0)


# ---- Through the relay: what code that took over this process could write into its pipe

_REFUSED = b"POST /api/push HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nprobe"
_CHAT = {"model": "m", "messages": [{"role": "user", "content": "probe"}]}
_PICTURE = {"type": "image_url", "image_url": {"url": "http://192.0.2.1/?probe"}}
CHATS: dict[str, bytes] = {
    "body": json.dumps(_CHAT).encode() + _REFUSED,
    "picture": json.dumps(
        {**_CHAT, "messages": [{"role": "user", "content": [_PICTURE]}]}
    ).encode(),
    "model": json.dumps({**_CHAT, "model": "m:cloud"}).encode(),
}


def start_relay(around: Surroundings) -> Broker:
    """A relay for the listener, as a command starts it."""
    address = TcpAddress(around.address, around.port)
    return start_broker(Gate(address, frozenset(["m"]), frozenset([os.geteuid()])))


def send_directly(around: Surroundings, _: object) -> None:
    """Send to the listener what the relay refuses; it arrives."""
    with socket.create_connection(around.inet, WAIT_SECONDS) as sock:
        sock.sendall(_REFUSED)


def write_to_relay(data: bytes) -> Attempt:
    """An attempt that writes bytes into the relay's pipe; EPIPE if that ends the relay."""

    def attempt(_: Surroundings, relay: Broker) -> None:
        os.write(relay.pipe, data)
        _ask(relay, b"{}")

    return attempt


def ask_relay(body: bytes) -> Attempt:
    """An attempt that has the relay send a body; EPERM if it refuses."""

    def attempt(_: Surroundings, relay: Broker) -> None:
        _ask(relay, body)

    return attempt


def _ask(relay: Broker, body: bytes) -> None:
    frames: queue.SimpleQueue[Reply] = queue.SimpleQueue()
    relay.ask("POST", "/v1/chat/completions", body, frames.put)
    reply = frames.get(timeout=WAIT_SECONDS)
    cause = failure_in(reply.payload).cause if reply.kind is Kind.FAILED else None
    found = {Cause.REFUSED: EPERM, Cause.GONE: EPIPE}.get(cause) if cause else None
    if found is not None:
        raise OSError(found, os.strerror(found))


def use_network_sockets(_: Surroundings, __: object) -> None:
    """Write to every open network socket; ENOTSOCK if there is none."""
    found = 0
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with contextlib.suppress(OSError):  # the descriptor of the listing is gone by now
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as sock:
                if sock.family != socket.AF_UNIX:
                    sock.sendall(MESSAGE)
                    found += 1
    if not found:
        raise OSError(ENOTSOCK, os.strerror(ENOTSOCK))


def use_held_connection(around: Surroundings, prepared: object) -> None:
    """The same in a process that holds a connection, as one without a relay would."""
    with socket.create_connection(around.inet, WAIT_SECONDS):
        use_network_sockets(around, prepared)


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
    _by_number("shmctl", _by_number("shmget", _KEY, 4096, _CREATE), _REMOVE, 0)


def semaphores(_: Surroundings, __: object) -> None:
    """Make a semaphore that another process can look at by its number."""
    _by_number("semctl", _by_number("semget", _KEY, 1, _CREATE), 0, _REMOVE, 0)


def message_queue(_: Surroundings, __: object) -> None:
    """Make a queue that another process can read by its number."""
    _by_number("msgctl", _by_number("msgget", _KEY, _CREATE), _REMOVE, 0)


def named_queue(around: Surroundings, _: object) -> None:
    """Make a queue that another process can open by its name."""
    name = b"corpus-agent-%d" % os.getpid()
    os.close(_by_number("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, 0))
    _by_number("mq_unlink", name)


def named_memory(_: Surroundings, __: object) -> None:
    """Make memory that another process can open by its name, as shm_open does."""
    path = Path("/dev/shm") / f"corpus-agent-{os.getpid()}"  # noqa: S108 - played, not used
    path.write_bytes(MESSAGE)
    path.unlink()


def parents_environment(_: Surroundings, __: object) -> None:
    """Read the environment variables, keys perhaps, of the process that started this one."""
    Path(f"/proc/{os.getppid()}/environ").read_bytes()


def read_outside(around: Surroundings, _: object) -> None:
    """Read the secret."""
    around.secret.read_bytes()


def through_a_link(around: Surroundings, _: object) -> None:
    """Read the secret through a link inside the corpus."""
    (Path(around.root) / "link.txt").read_bytes()


def set_attribute(around: Surroundings) -> None:
    """Set an attribute of the secret, as a browser records the origin of a file."""
    with contextlib.suppress(
        OSError
    ):  # a file system without attributes: the control then reports it
        os.setxattr(around.secret, _ATTRIBUTE, MESSAGE)


def read_attribute(around: Surroundings, _: object) -> None:
    """Read an attribute of the secret, by its path."""
    os.getxattr(around.secret, _ATTRIBUTE)


def list_attributes(around: Surroundings, _: object) -> None:
    """List the attributes of the secret, by its path."""
    os.listxattr(around.secret)


def watch_outside(around: Surroundings, _: object) -> None:
    """Have the kernel name the file that is opened in a folder that may not be listed."""
    descriptor = _by_number("inotify_init1", os.O_NONBLOCK)
    _by_number("inotify_add_watch", descriptor, os.fsencode(around.outside), _IN_OPEN)
    around.secret.read_bytes()
    os.read(descriptor, 4096)
    os.close(descriptor)


def write_outside(around: Surroundings, _: object) -> None:
    """Write a file where other programs may find it."""
    (Path(around.outside) / "new.txt").write_bytes(MESSAGE)


def write_root(around: Surroundings, _: object) -> None:
    """Write a file among the documents."""
    (Path(around.root) / "new.txt").write_bytes(MESSAGE)


def read_document(around: Surroundings, _: object) -> None:
    """Read a document of the corpus by its path."""
    (Path(around.root) / "document.txt").read_bytes()


def write_store(around: Surroundings, _: object) -> None:
    """Write a file in the store."""
    (Path(around.store) / "new.txt").write_bytes(MESSAGE)


def start_process(_: Surroundings, __: object) -> None:
    """Go on in a second process."""
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def truncate(around: Surroundings, _: object) -> None:
    """Destroy the secret."""
    os.truncate(around.secret, 0)


def own_terminal(_: Surroundings) -> int:
    """A terminal of the probe's own, as its controlling terminal."""
    _master, terminal = os.openpty()
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    return terminal


def type_into(_: Surroundings, terminal: int) -> None:
    """Type a character as if by the user; the shell would read it next."""
    fcntl.ioctl(terminal, termios.TIOCSTI, b"x")
