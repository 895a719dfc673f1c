"""A model server of our own: `llama-server` on a Unix socket, confined, ended with this process.

Started before the seal, like the broker, which then leads to its socket. It reads the model file
and its own libraries, writes one folder of the store and makes Unix sockets only: no IP socket of
either side exists. Does not download, and does not choose a model.
"""

from __future__ import annotations

import http.client
import os
import select
import shutil
import signal
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus_agent.seal.broker import Broker, UnixAddress, leave_everything_but
from indexer.confine import (
    NO_SOCKETS,
    FileRule,
    Policy,
    confine,
    die_with_parent,
    one_peer,
    restrict_syscalls,
    system_files,
)
from indexer.errors import CorpusError, SealUnavailable, UsageError

PROGRAM = "llama-server"
MAX_SOCKET_PATH_BYTES = 107  # unix(7): sun_path, less its terminating zero
_POLL_SECONDS = 0.1
_HEALTH_SECONDS = 5.0
_STARTED = b"started"
_MAX_ERROR_BYTES = 4096


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """A running server: where it listens, what it prints, and the channel that keeps it alive."""

    address: UnixAddress
    log: Path
    channel: socket.socket
    keeper: int

    @property
    def has_ended(self) -> bool:
        """Whether the server has ended by itself; its log may say why."""
        try:
            return not self.channel.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False

    def stop(self) -> None:
        """End the server and wait for the process that watches it."""
        self.channel.close()
        os.waitpid(self.keeper, 0)
        Path(self.address.path).unlink(missing_ok=True)


def find_program() -> Path:
    """The llama-server on PATH. Raises UsageError where there is none."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise UsageError(
            f"--llm gguf: needs {PROGRAM!r}, and there is none on PATH.",
            "Install llama.cpp, or start a model server and give its address.",
        )
    return Path(found)


def server_policy(
    program: Path, model: Path, folder: Path, *, gpu: bool = False, also: Sequence[FileRule] = ()
) -> Policy:
    """What the server may do: read its program and `model`, write `folder`, serve Unix sockets."""
    home = program.resolve().parent
    files = (
        FileRule(home, "execute", required=True, reason="the server and the libraries beside it"),
        FileRule(home.parent / "lib", "execute", reason="the server's libraries"),
        FileRule(model.resolve(), required=True, reason="the weights"),
        FileRule(folder.resolve(), "write", required=True, reason="its socket and its log"),
        *system_files(gpu=gpu),
        *also,
    )
    return Policy(calls=one_peer(socket.AF_UNIX, serve=True, gpu=gpu), files=files)


def start_llama_server(
    program: Path,
    model: Path,
    folder: Path,
    *,
    arguments: Sequence[str] = (),
    gpu: bool = False,
    also: Sequence[FileRule] = (),
) -> LlamaServer:
    """A server for `model`, confined and started; whether it answers, `wait_until_ready` says.

    `folder`, the store's temp folder, holds its socket and its log and is made if need be.
    Raises UsageError where the socket's path would be too long, SealUnavailable where the server
    cannot be confined, CorpusError where it cannot be started.
    """
    path = folder / f"llama-{os.getpid()}.sock"
    if len(os.fsencode(path)) > MAX_SOCKET_PATH_BYTES:
        raise UsageError(
            f"{str(path)!r} has more than {MAX_SOCKET_PATH_BYTES} bytes, too many for a socket.",
            "Use a store with a shorter path.",
        )
    folder.mkdir(mode=0o700, exist_ok=True)
    path.unlink(missing_ok=True)
    log = folder / "llama-server.log"
    policy = server_policy(program, model, folder, gpu=gpu, also=also)
    command = [str(program), "-m", str(model.resolve()), "--host", str(path), *arguments]
    parent = os.getpid()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    keeper = os.fork()
    if keeper == 0:
        ours.close()
        _keep(theirs, parent, policy, command, log)
    theirs.close()
    answer = ours.recv(_MAX_ERROR_BYTES)
    if answer != _STARTED:
        ours.close()
        os.waitpid(keeper, 0)
        kind, _, message = answer.decode().partition(":")
        raise (SealUnavailable if kind == "seal" else CorpusError)(message or f"{program}: ended.")
    return LlamaServer(UnixAddress(str(path)), log, ours, keeper)


def wait_until_ready(server: LlamaServer, broker: Broker, seconds: float) -> None:
    """Return once the server has loaded its model.

    Raises CorpusError where it ends before, or takes more than `seconds`.
    """
    deadline = time.monotonic() + seconds
    while not _is_ready(broker):
        if server.has_ended:
            raise CorpusError(f"{PROGRAM} ended before it was ready.", f"See {str(server.log)!r}.")
        if time.monotonic() > deadline:
            raise CorpusError(
                f"{PROGRAM} did not become ready within {seconds:.0f} s.",
                f"See {str(server.log)!r}.",
            )
        time.sleep(_POLL_SECONDS)


def _is_ready(broker: Broker) -> bool:
    try:
        sock = broker.connect()
    except OSError:
        return False
    connection = http.client.HTTPConnection("localhost")
    connection.sock = sock
    sock.settimeout(_HEALTH_SECONDS)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _keep(
    channel: socket.socket, parent: int, policy: Policy, command: list[str], log: Path
) -> None:
    """Start the server and end with the parent or the server, taking it along; never returns.

    The server dies with this process, not with the parent: a sealed parent's domain sends no
    signals out, not even this one.
    """
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        die_with_parent(parent)
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        ready, failed = os.pipe()
        keeper = os.getpid()
        if (server := os.fork()) == 0:
            _become_server(keeper, failed, policy, command, output)
        os.close(failed)
        error = os.read(ready, _MAX_ERROR_BYTES)
        channel.send(error or _STARTED)
        if not error:
            leave_everything_but(channel)
            watched = select.poll()
            watched.register(channel, select.POLLIN)
            watched.register(os.pidfd_open(server), select.POLLIN)
            restrict_syscalls(NO_SOCKETS)
            watched.poll()
    finally:
        os._exit(0)


def _become_server(
    keeper: int, failed: int, policy: Policy, command: list[str], output: int
) -> None:
    """Confine this process and replace it by the server; `failed` is told why if that fails."""
    try:
        die_with_parent(keeper)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        folder = str(Path(command[4]).parent)
        homes = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
        confine(policy)
        environment = {**os.environ, **dict.fromkeys(homes, folder)}
        os.execve(command[0], command, environment)  # noqa: S606
    except SealUnavailable as error:
        os.write(failed, f"seal:{error}".encode()[:_MAX_ERROR_BYTES])
    except OSError as error:
        os.write(failed, f"start:{command[0]}: {error.strerror}.".encode()[:_MAX_ERROR_BYTES])
    finally:
        os._exit(1)
