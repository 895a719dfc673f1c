"""Attempts to leave a sealed process: by network, files and other processes.

probes.toml says which are made, and from where. A failed attempt raises OSError.
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
from socket import AF_INET, AF_INET6, AF_UNIX, SOCK_DGRAM, SOCK_STREAM

from corpus_agent.seal.address import TcpAddress
from corpus_agent.seal.broker import Broker, start_broker
from corpus_agent.seal.frames import Cause, Kind, Reply, failure_in
from corpus_agent.seal.gate import Gate
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


WAIT_SECONDS = 10
_FASTOPEN = 0x20000000  # MSG_FASTOPEN
_RTM_GETLINK, _NLM_F_REQUEST_DUMP = 18, 0x301
_DNS = struct.pack("!6H", 0x1234, 0x0100, 1, 0, 0, 0) + b"\x05probe\x07invalid\0\0\x01\0\x01"
_DATAGRAMS = {"plain": MESSAGE, "a name": _DNS}

Pair = tuple[socket.socket, socket.socket]


def connect(around: Surroundings, _: object) -> None:
    """Connect by TCP."""
    inet = AF_INET6 if ":" in around.address else AF_INET
    with socket.socket(inet if around.port else AF_UNIX, SOCK_STREAM) as sock:
        sock.connect(around.inet if around.port else around.address)
        sock.sendall(MESSAGE)


def send_datagram(around: Surroundings, _: object, message: str) -> None:
    """Send a datagram."""
    with socket.socket(AF_INET, SOCK_DGRAM) as sock:
        sock.sendto(_DATAGRAMS[message], around.inet)


def raw(_: Surroundings, __: object) -> None:
    """Open a socket that could send any IP packet."""
    socket.socket(AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


def netlink(_: Surroundings, __: object) -> None:
    """Ask the kernel for its network devices."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as sock:
        sock.settimeout(WAIT_SECONDS)
        sock.send(struct.pack("=IHHII16x", 32, _RTM_GETLINK, _NLM_F_REQUEST_DUMP, 1, 0))
        sock.recv(65536)


def datagram_from_a_pair(around: Surroundings, _: object) -> None:
    """Send from a socket pair to a named Unix socket."""
    one, other = socket.socketpair(AF_UNIX, SOCK_DGRAM)
    with one, other:
        one.sendmsg([MESSAGE], [], 0, around.address)


def io_uring(_: Surroundings, __: object) -> None:
    """Set up io_uring, through which the kernel takes requests without system calls."""
    parameters = ctypes.create_string_buffer(120)  # struct io_uring_params
    os.close(by_number("io_uring_setup", 4, parameters))


def _sockaddr(around: Surroundings) -> bytes:
    inet = struct.pack("!H4s8x", around.port, socket.inet_aton(around.address))
    return struct.pack("=H", AF_INET) + inet


def libc_connect(around: Surroundings, _: object) -> None:
    """Call socket and connect of the C library, as a native library would."""
    descriptor = checked(libc.socket(AF_INET, SOCK_STREAM, 0))
    checked(libc.connect(descriptor, _sockaddr(around), 16))


def connect_by_number(around: Surroundings, _: object) -> None:
    """Call socket and connect by number, as injected code would."""
    descriptor = by_number("socket", AF_INET, SOCK_STREAM, 0)
    by_number("connect", descriptor, _sockaddr(around), 16)


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
            connect(around, None)
        except OSError as error:
            waiting.error = error

    waiting = Waiting(threading.Event(), threading.Thread(target=work))
    waiting.thread.start()
    return waiting


def release(_: Surroundings, waiting: Waiting) -> None:
    """Connect from a thread that was there before the seal."""
    waiting.go.set()
    waiting.thread.join()
    if waiting.error:
        raise waiting.error


def socket_on_its_way(_: Surroundings, kind: str) -> Pair:
    """An unconnected socket that lies in a pair's queue, where no seal can find and close it."""
    one, other = socket.socketpair()
    with socket.socket(AF_INET, getattr(socket, kind)) as sock:
        socket.send_fds(one, [b"-"], [sock.fileno()])
    return one, other


_RECEIVED: dict[str, Callable[[socket.socket, tuple[str, int]], object]] = {
    "connect": lambda sock, inet: sock.connect(inet),
    "fastopen": lambda sock, inet: sock.sendmsg([MESSAGE], [], _FASTOPEN, inet),
    "sendto": lambda sock, inet: sock.sendto(MESSAGE, inet),
}


def use_received(around: Surroundings, pair: Pair, how: str) -> None:
    """Use a socket that came from another process."""
    with socket.socket(fileno=socket.recv_fds(pair[1], 1, 1)[1][0]) as sock:
        _RECEIVED[how](sock, around.inet)


def start_listening(_: Surroundings) -> socket.socket:
    """The one socket of a process that serves."""
    return socket.create_server(("127.0.0.1", 0))


def turn_listener(around: Surroundings, served: socket.socket) -> None:
    """Connect the socket that it serves to somewhere else."""
    served.shutdown(socket.SHUT_RDWR)
    served.connect(around.inet)
    served.sendall(MESSAGE)


def listen_again(_: Surroundings, __: object) -> None:
    """Listen at another port from there."""
    socket.create_server(("127.0.0.1", 0)).close()


def inherit_connection(around: Surroundings) -> int:
    """A connection as a careless parent passes it on: not marked close-on-exec."""
    descriptor = socket.create_connection(around.inet).detach()
    os.set_inheritable(descriptor, True)
    return descriptor


def write_inherited(_: Surroundings, descriptor: int) -> None:
    """Write to a connection that the parent left open."""
    os.write(descriptor, MESSAGE)


_CHILD = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2]))).sendall(b'probe')
except OSError as error:
    sys.exit(error.errno)
"""


def connect_in_child(around: Surroundings, _: object) -> None:
    """Connect from a child process."""
    command = starting.Command(starting.python(_CHILD, around.address, str(around.port)))
    if status := starting.run(command).returncode:
        raise failed(status)


# ---- Through the relay


def _chat(content: object = "probe", model: str = "m") -> bytes:
    return json.dumps({"model": model, "messages": [{"role": "user", "content": content}]}).encode()


_REFUSED = b"POST /api/push HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nprobe"
_WRITTEN = {"request": _REFUSED, "path": struct.pack("=IBBI", 7, 1, 99, 0)}
_BODIES = {
    "second": _chat() + _REFUSED,
    "picture": _chat([{"type": "image_url", "image_url": {"url": "http://192.0.2.1/?probe"}}]),
    "model": _chat(model="m:cloud"),
}


def start_relay(around: Surroundings) -> Broker:
    """A relay for the listener, as a command starts it."""
    address = TcpAddress(around.address, around.port)
    return start_broker(Gate(address, frozenset(["m"]), frozenset([os.geteuid()])))


def send_refused(around: Surroundings, _: object) -> None:
    """Send to the listener what the relay refuses; it arrives."""
    with socket.create_connection(around.inet, WAIT_SECONDS) as sock:
        sock.sendall(_REFUSED)


def write_to_relay(_: Surroundings, relay: Broker, written: str) -> None:
    """Write bytes of its own into the relay's pipe."""
    os.write(relay.pipe, _WRITTEN[written])
    _ask(relay, b"{}")


def ask_relay(_: Surroundings, relay: Broker, body: str) -> None:
    """Have the relay send a body."""
    _ask(relay, _BODIES[body])


def _ask(relay: Broker, body: bytes) -> None:
    frames: queue.SimpleQueue[Reply] = queue.SimpleQueue()
    relay.ask("POST", "/v1/chat/completions", body, frames.put)
    reply = frames.get(timeout=WAIT_SECONDS)
    cause = failure_in(reply.payload).cause if reply.kind is Kind.FAILED else None
    if cause in (Cause.REFUSED, Cause.GONE):
        raise failed(EPERM if cause is Cause.REFUSED else EPIPE)


def write_to_held(around: Surroundings, prepared: object) -> None:
    """The same in a process that holds a connection, as one without a relay would."""
    with socket.create_connection(around.inet, WAIT_SECONDS):
        write_to_sockets(around, prepared)


def write_to_sockets(_: Surroundings, __: object) -> None:
    """Write to every network socket that the process holds."""
    found = 0
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with contextlib.suppress(OSError):  # the descriptor of the listing is gone by now
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as sock:
                if sock.family != AF_UNIX:
                    sock.sendall(MESSAGE)
                    found += 1
    if not found:
        raise failed(ENOTSOCK)


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
