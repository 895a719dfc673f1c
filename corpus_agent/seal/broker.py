"""The one way to a model: a child that connects to one address and hands the descriptor over.

Forked before the seal, with the address fixed in its memory; a request carries no address. The
child can open stream sockets of one family and nothing else, has no files, and ends with its
parent. It never sees what is said over a connection.

Does not stop: anything that is sent to the model server over that connection.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import threading
from dataclasses import dataclass
from errno import EPERM

from indexer.confine import Limits, Policy, confine, die_with_parent, one_peer
from indexer.errors import SealUnavailable, UsageError

CONNECT_SECONDS = 10.0
_MAX_REQUEST_BYTES = 64
_MAX_ERROR_BYTES = 4096
_OPEN_FILES = 16
_CONNECT = b"connect"
_READY = b"ready"
_IPV6_LOOPBACK = bytes(15) + b"\1"
_STATUS = struct.Struct("=i")  # errno, 0 when a descriptor comes with it


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """An IP address in numbers, never a name: names are resolved before, and checked."""

    ip: str
    port: int

    @property
    def is_local(self) -> bool:
        """Whether nothing sent there leaves the machine: 127.0.0.0/8 or ::1."""
        family = _family(self)
        packed = socket.inet_pton(family, self.ip)
        return packed[0] == 127 if family == socket.AF_INET else packed == _IPV6_LOOPBACK

    @property
    def base_url(self) -> str:
        """The URL whose host and port lead to this address, and alone do."""
        return f"http://[{self.ip}]:{self.port}" if ":" in self.ip else f"http://{self}"

    def __str__(self) -> str:
        return f"{self.ip}:{self.port}"


@dataclass(frozen=True, slots=True)
class UnixAddress:
    """A socket in the file system."""

    path: str

    @property
    def is_local(self) -> bool:
        """Always: a Unix socket reaches no further than this machine."""
        return True

    @property
    def base_url(self) -> str:
        """The URL that leads to this address; its host only fills the Host header."""
        return "http://localhost:80"

    def __str__(self) -> str:
        return f"unix:{self.path}"


Address = TcpAddress | UnixAddress


class Broker:
    """Hands out connections to one address; safe to use from several threads."""

    def __init__(self, address: Address, channel: socket.socket, pid: int) -> None:
        self.address = address
        self.pid = pid
        self._channel = channel
        self._lock = threading.Lock()

    def fileno(self) -> int:
        """The descriptor that leads to the child."""
        return self._channel.fileno()

    def connect(self) -> socket.socket:
        """A new connection to the address, blocking until it stands.

        Raises OSError as connect() itself would, ConnectionError where the child is gone.
        """
        with self._lock:
            self._channel.send(_CONNECT)
            reply, descriptors, _, _ = socket.recv_fds(
                self._channel, _STATUS.size, 1, socket.MSG_CMSG_CLOEXEC
            )
        if len(reply) != _STATUS.size:
            raise ConnectionError(f"The broker for {self.address} has ended.")
        (error,) = _STATUS.unpack(reply)
        if error or not descriptors:
            raise OSError(error, f"{os.strerror(error)}: {self.address}")
        return socket.socket(fileno=descriptors[0])

    def close(self) -> None:
        """End the child and wait until it has ended."""
        self._channel.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def start_broker(address: Address, *, allow_remote: bool = False) -> Broker:
    """A broker for `address`, running and confined.

    Call it before the seal and before anything starts threads. Raises UsageError for an address
    that is not this machine's own unless `allow_remote`, SealUnavailable where the child cannot
    be confined.
    """
    if not (allow_remote or address.is_local):
        raise UsageError(
            f"{address} is not this machine.",
            "Use a model server on 127.0.0.1, or --allow-remote-llm.",
        )
    parent = os.getpid()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        _child(theirs, address, parent)
    theirs.close()
    answer = ours.recv(_MAX_ERROR_BYTES)
    if answer != _READY:
        ours.close()
        os.waitpid(pid, 0)
        raise SealUnavailable(answer.decode() or "The broker ended before it was confined.")
    return Broker(address, ours, pid)


def _child(channel: socket.socket, address: Address, parent: int) -> None:
    """Serve until the parent is gone; never returns, whatever happens."""
    status = 1
    try:
        # A session of its own: Ctrl-C at the terminal is for the parent, which ends this one.
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        die_with_parent(parent)
        leave_everything_but(channel)
        try:
            confine(_policy(address))
        except SealUnavailable as error:
            channel.send(str(error).encode()[:_MAX_ERROR_BYTES])
            return
        channel.send(_READY)
        _serve(channel, address)
        status = 0
    finally:
        os._exit(status)


def leave_everything_but(channel: socket.socket) -> None:
    """Close all inherited descriptors; the standard streams lead to /dev/null."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    kept = channel.fileno()
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))


def _policy(address: Address) -> Policy:
    limits = Limits(file_bytes=0, open_files=_OPEN_FILES)
    ports = (address.port,) if isinstance(address, TcpAddress) else ()
    return Policy(calls=one_peer(_family(address)), connect_ports=ports, limits=limits)


def _family(address: Address) -> socket.AddressFamily:
    if isinstance(address, UnixAddress):
        return socket.AF_UNIX
    return socket.AF_INET6 if ":" in address.ip else socket.AF_INET


def _serve(channel: socket.socket, address: Address) -> None:
    while request := channel.recv(_MAX_REQUEST_BYTES):
        if request != _CONNECT:
            channel.send(_STATUS.pack(EPERM))
            continue
        try:
            connection = _connected(address)
        except OSError as error:
            channel.send(_STATUS.pack(error.errno or EPERM))
            continue
        with connection:
            socket.send_fds(channel, [_STATUS.pack(0)], [connection.fileno()])


def _connected(address: Address) -> socket.socket:
    sock = socket.socket(_family(address), socket.SOCK_STREAM)
    try:
        sock.settimeout(CONNECT_SECONDS)
        sock.connect(
            address.path if isinstance(address, UnixAddress) else (address.ip, address.port)
        )
        sock.setblocking(True)
    except OSError:
        sock.close()
        raise
    return sock
