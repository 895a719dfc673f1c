"""The attempts of the self-test: to reach the network, files outside, and other processes.

probes.toml says which are made, what each is and from where. One that fails raises OSError.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import socket
import stat
import struct
import termios
import threading
from collections.abc import Callable
from errno import ENOTSOCK
from pathlib import Path
from socket import AF_INET, AF_INET6, AF_UNIX, SOCK_DGRAM, SOCK_RAW, SOCK_STREAM
from typing import TYPE_CHECKING, Any

from corpus_agent.seal.address import Gate, TcpAddress
from corpus_agent.seal.broker import Broker, start_broker
from indexer.confine import native_number, starting

if TYPE_CHECKING:
    from corpus_agent.selftest.trial import Surroundings

MESSAGE = b"probe"
WAIT_SECONDS = 10
libc = ctypes.CDLL(None, use_errno=True)

Pair = tuple[socket.socket, socket.socket]


def _checked(result: int) -> int:
    """The result of a C function, or its errno as an OSError."""
    if result < 0:
        raise _failed(ctypes.get_errno())
    return result


def _failed(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _by_number(syscall: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char]) -> int:
    """The result of a system call; ints are widened, or half a register would be garbage."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(libc.syscall(native_number(syscall), *passed))


# ---- To the network

_FASTOPEN = 0x20000000  # MSG_FASTOPEN
_RTM_GETLINK, _NLM_F_REQUEST_DUMP = 18, 0x301
_DNS = struct.pack("!6H", 0x1234, 0x0100, 1, 0, 0, 0) + b"\x05probe\x07invalid\0\0\x01\0\x01"
_DATAGRAMS = {"plain": MESSAGE, "a name": _DNS}


def _connect(around: Surroundings, _: object) -> None:
    inet = AF_INET6 if ":" in around.address else AF_INET
    with socket.socket(inet if around.port else AF_UNIX, SOCK_STREAM) as sock:
        sock.connect(around.inet if around.port else around.address)
        sock.sendall(MESSAGE)


def _send_datagram(around: Surroundings, _: object, message: str) -> None:
    with socket.socket(AF_INET, SOCK_DGRAM) as sock:
        sock.sendto(_DATAGRAMS[message], around.inet)


def _netlink(_: Surroundings, __: object) -> None:
    with socket.socket(socket.AF_NETLINK, SOCK_RAW, 0) as sock:
        sock.settimeout(WAIT_SECONDS)
        sock.send(struct.pack("=IHHII16x", 32, _RTM_GETLINK, _NLM_F_REQUEST_DUMP, 1, 0))
        sock.recv(65536)


def _datagram_from_a_pair(around: Surroundings, _: object) -> None:
    one, other = socket.socketpair(AF_UNIX, SOCK_DGRAM)
    with one, other:
        one.sendmsg([MESSAGE], [], 0, around.address)


def _sockaddr(around: Surroundings) -> bytes:
    inet = struct.pack("!H4s8x", around.port, socket.inet_aton(around.address))
    return struct.pack("=H", AF_INET) + inet


def _libc_connect(around: Surroundings, _: object) -> None:
    descriptor = _checked(libc.socket(AF_INET, SOCK_STREAM, 0))
    _checked(libc.connect(descriptor, _sockaddr(around), 16))


def _connect_by_number(around: Surroundings, _: object) -> None:
    descriptor = _by_number("socket", AF_INET, SOCK_STREAM, 0)
    _by_number("connect", descriptor, _sockaddr(around), 16)


def _start_thread(around: Surroundings) -> Callable[[], None]:
    """A thread that waits; what is called releases it, to connect, and raises what it met."""
    go, met = threading.Event(), list[OSError]()

    def work() -> None:
        go.wait()
        try:
            _connect(around, None)
        except OSError as error:
            met.append(error)

    thread = threading.Thread(target=work)
    thread.start()

    def release() -> None:
        go.set()
        thread.join()
        if met:
            raise met[0]

    return release


def _socket_on_its_way(_: Surroundings, kind: str) -> Pair:
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


def _use_received(around: Surroundings, pair: Pair, how: str) -> None:
    with socket.socket(fileno=socket.recv_fds(pair[1], 1, 1)[1][0]) as sock:
        _RECEIVED[how](sock, around.inet)


def _turn_listener(around: Surroundings, served: socket.socket) -> None:
    served.shutdown(socket.SHUT_RDWR)
    served.connect(around.inet)
    served.sendall(MESSAGE)


def _inherit_connection(around: Surroundings) -> int:
    """A connection as a careless parent passes it on: not marked close-on-exec."""
    descriptor = socket.create_connection(around.inet).detach()
    os.set_inheritable(descriptor, True)
    return descriptor


_CHILD = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2]))).sendall(b'probe')
except OSError as error:
    sys.exit(error.errno)
"""


def _connect_in_child(around: Surroundings, _: object) -> None:
    command = starting.Command(starting.python(_CHILD, around.address, str(around.port)))
    if status := starting.run(command).returncode:
        raise _failed(status)


# ---- Through the sockets of a process with a relay


def _start_relay(around: Surroundings) -> Broker:
    """A relay for the listener, as a command starts it; what it may be told, tests/ try."""
    return start_broker(Gate(TcpAddress(*around.inet), frozenset(["m"]), frozenset([os.geteuid()])))


def _write_to_held(around: Surroundings, prepared: object) -> None:
    """Write to each internet socket of a process that holds one, as one without a relay would."""
    with socket.create_connection(around.inet, WAIT_SECONDS):
        _write_to_sockets(around, prepared)


def _write_to_sockets(_: Surroundings, __: object) -> None:
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
        raise _failed(ENOTSOCK)


# ---- To files outside

_ATTRIBUTE, _IN_OPEN = "user.corpus-agent", 0x20


def _set_attribute(around: Surroundings) -> None:
    """Set an attribute of the secret, as a browser records the origin of a file."""
    with contextlib.suppress(OSError):  # the control reports a file system without attributes
        os.setxattr(around.secret, _ATTRIBUTE, MESSAGE)


def _watch_outside(around: Surroundings, _: object) -> None:
    descriptor = _by_number("inotify_init1", os.O_NONBLOCK)
    _by_number("inotify_add_watch", descriptor, os.fsencode(around.at("outside")), _IN_OPEN)
    around.secret.read_bytes()
    os.read(descriptor, 4096)
    os.close(descriptor)


# ---- To other processes

# sys/ipc.h: a number that two processes could agree on, make it for this user, remove it again.
_KEY, _CREATE, _REMOVE = 0x5EA1, 0o1600, 0

Neighbour = tuple[int, int]  # the id of an unsealed process, and a connection's descriptor there


def _start_shell(_: Surroundings, __: object) -> None:
    shell = starting.find_program("sh") or "/bin/sh"
    starting.run(starting.Command((str(shell), "-c", "exit 0")))


def _start_neighbour(around: Surroundings) -> Neighbour:
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


def _steal(_: Surroundings, neighbour: Neighbour) -> None:
    process, descriptor = neighbour
    stolen = _by_number("pidfd_getfd", os.pidfd_open(process), descriptor, 0)
    os.write(stolen, MESSAGE)


def _read_memory(_: Surroundings, neighbour: Neighbour) -> None:
    # The neighbour is a copy of this process: what is here is there at the same address.
    buffer = ctypes.create_string_buffer(8)
    vector = struct.pack("=QQ", ctypes.addressof(buffer), 8)
    _by_number("process_vm_readv", neighbour[0], vector, 1, vector, 1, 0)


_DISTURBED: dict[str, Callable[[int], object]] = {
    "limits": lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, 64)),
    "priority": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19),
    "cores": lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid)),
    "schedule": lambda pid: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
    "signal": lambda pid: os.kill(pid, 0),
}


def _signal_by_descriptor(_: Surroundings, neighbour: Neighbour) -> None:
    one, other = os.pipe()
    fcntl.fcntl(one, fcntl.F_SETOWN, neighbour[0])
    os.close(one)
    os.close(other)


def _system_v(_: Surroundings, __: object, kind: str, *size: int) -> None:
    made = _by_number(f"{kind}get", _KEY, *size, _CREATE)
    _by_number(f"{kind}ctl", made, *([0] if kind == "sem" else []), _REMOVE, 0)


def _named_queue(_: Surroundings, __: object) -> None:
    name = b"corpus-agent-%d" % os.getpid()
    os.close(_by_number("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, 0))
    _by_number("mq_unlink", name)


def _named_memory(_: Surroundings, __: object) -> None:
    path = Path("/dev/shm") / f"corpus-agent-{os.getpid()}"  # noqa: S108 - played, not used
    path.write_bytes(MESSAGE)
    path.unlink()


def _own_terminal(_: Surroundings) -> int:
    """A terminal of the probe's own, as its controlling terminal."""
    _master, terminal = os.openpty()
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    return terminal


def _start_process(_: Surroundings, __: object) -> None:
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


_SHORT: dict[str, Callable[..., object]] = {  # the attempts and preparations of one call
    "disturb": lambda _, neighbour, how: _DISTURBED[how](neighbour[0]),
    "empty": lambda around, _: os.truncate(around.secret, 0),
    # 120 bytes: struct io_uring_params
    "io_uring": lambda _, __: os.close(
        _by_number("io_uring_setup", 4, ctypes.create_string_buffer(120))
    ),
    "list_attributes": lambda around, _: os.listxattr(around.secret),
    "listen": lambda _: socket.create_server(("127.0.0.1", 0)),
    "listen_again": lambda _, __: socket.create_server(("127.0.0.1", 0)).close(),
    "raw": lambda _, __: socket.socket(AF_INET, SOCK_RAW, socket.IPPROTO_ICMP).close(),
    "read": lambda around, _, place: around.at(place).read_bytes(),
    "read_attribute": lambda around, _: os.getxattr(around.secret, _ATTRIBUTE),
    "read_environment": lambda _, __: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
    "release": lambda _, release: release(),
    "signal_group": lambda _, __: os.killpg(0, 0),
    "signal_parent": lambda _, __: os.kill(os.getppid() or 1, 0),
    "type_into": lambda _, terminal: fcntl.ioctl(terminal, termios.TIOCSTI, b"x"),
    "write": lambda around, _, place: around.at(place).write_bytes(MESSAGE),
    "write_inherited": lambda _, descriptor: os.write(descriptor, MESSAGE),
}


def named(name: str) -> Callable[..., Any]:
    """The attempt or the preparation that probes.toml names: a function of this module."""
    found: Callable[..., Any] = _SHORT.get(name) or globals()[f"_{name}"]
    return found
