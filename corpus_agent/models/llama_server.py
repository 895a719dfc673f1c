"""A `llama-server` on a Unix socket, confined, which ends with this process.

Started before the seal, like the broker, which then connects to its socket. The server reads the
model file and its own libraries, writes one new folder and serves Unix sockets: it can neither
create an IP socket nor connect to anything. Does not download or choose a model.
"""

from __future__ import annotations

import contextlib
import fcntl
import http.client
import os
import re
import secrets
import select
import shutil
import signal
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from corpus_agent.seal.address import UnixAddress
from corpus_agent.seal.broker import Broker
from corpus_agent.seal.frames import reader_of, write_all
from corpus_agent.seal.relay import leave_everything_but
from indexer import CorpusError, SealUnavailable, UsageError, lock_briefly
from indexer.confine import (
    NO_SOCKETS,
    FileRule,
    Policy,
    confine,
    die_with_parent,
    one_peer,
    opened_without_links,
    restrict_syscalls,
    starting,
    system_files,
)

PROGRAM = "llama-server"
LOG_NAME = "llama-server.log"
SOCKET_NAME = "llama.sock"
_POLL_SECONDS = 0.1
_HEALTH_SECONDS = 5.0
_STARTED = b"started"
_MAX_ERROR_BYTES = 4096
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OTHERS_WRITE = 0o022
_LEFT_BEHIND = re.compile(r"llama-[0-9a-f]{16}")  # as `start_llama_server` names them

# The environment variables that the server inherits: language, library paths, GPU, and window size.
# None names a file to write, an address, a key or a library to load.
_VARIABLES = (
    "LANG", "LC_ALL", "LC_CTYPE", "TZ",
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
    "HSA_OVERRIDE_GFX_VERSION", "GGML_VK_VISIBLE_DEVICES", "OMP_NUM_THREADS",
    "LLAMA_ARG_CTX_SIZE", "LLAMA_ARG_N_GPU_LAYERS", "LLAMA_ARG_THREADS", "LLAMA_ARG_FLASH_ATTN",
    "LLAMA_ARG_N_PARALLEL", "LLAMA_ARG_CACHE_TYPE_K", "LLAMA_ARG_CACHE_TYPE_V",
)  # fmt: skip
_LIBRARIES = "LD_LIBRARY_PATH"
_HOMES = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """A running server: closing `orders` ends it, and `news` is closed when it ends."""

    address: UnixAddress
    log: Path
    orders: int
    news: int
    keeper: int

    @property
    def has_ended(self) -> bool:
        """Whether the server has ended by itself; its log may have the reason."""
        watched = select.poll()
        watched.register(self.news, select.POLLIN)
        return bool(watched.poll(0))

    def stop(self) -> None:
        """End the server and wait for its keeper process."""
        os.close(self.orders)
        os.waitpid(self.keeper, 0)
        os.close(self.news)


def find_program() -> Path:
    """The llama-server on PATH. Raises UsageError if there is none."""
    found = starting.find_program(PROGRAM)
    if found is None:
        raise UsageError(
            f"--llm gguf: needs {PROGRAM!r}, and there is none on PATH, where relative folders and "
            "the working folder do not count.",
            "Install llama.cpp, or start a model server and give its address.",
        )
    return found


def server_policy(program: Path, model: Path, folder: int, *, gpu: bool = False) -> Policy:
    """The server's policy: read its program and `model`; write and serve in `folder`, open."""
    home = program.resolve().parent
    files = (
        FileRule(home, "execute", required=True, reason="the server and the libraries beside it"),
        FileRule(home.parent / "lib", "execute", reason="the server's libraries"),
        FileRule(model.resolve(), required=True, reason="the weights"),
        FileRule(_path_of(folder), "write", required=True, reason="its socket and its files"),
        *system_files(gpu=gpu),
    )
    return Policy(calls=one_peer(socket.AF_UNIX, serve=True, gpu=gpu), files=files)


def server_environment(environment: Mapping[str, str], folder: int) -> dict[str, str]:
    """The server's environment: the listed variables, with the open `folder` as its home."""
    variables = {name: environment[name] for name in _VARIABLES if name in environment}
    places = environment.get(_LIBRARIES, "").split(os.pathsep)
    if whole := os.pathsep.join(place for place in places if Path(place).is_absolute()):
        variables[_LIBRARIES] = whole
    return variables | dict.fromkeys(_HOMES, str(_path_of(folder)))


def start_llama_server(
    program: Path, model: Path, folder: Path, *, gpu: bool = False
) -> LlamaServer:
    """A server for `model`, confined and started, in a new folder below `folder`."""
    place = folder / f"llama-{secrets.token_hex(8)}"
    fresh, output = _fresh_folder(place)
    try:
        policy = server_policy(program, model, fresh, gpu=gpu)
        host = str(_path_of(fresh) / SOCKET_NAME)
        command = [str(program), "-m", str(model.resolve()), "--host", host]
        orders, news, keeper = _kept(policy, command, fresh, output)
    finally:
        os.close(fresh)
        os.close(output)
    return LlamaServer(
        UnixAddress(str(place / SOCKET_NAME)), place / LOG_NAME, orders, news, keeper
    )


def _kept(policy: Policy, command: list[str], folder: int, output: int) -> tuple[int, int, int]:
    """The two pipes to a new keeper and its process id, once the server is started."""
    parent = os.getpid()
    end_of_orders, orders = os.pipe()
    news, end_of_news = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        _keep((end_of_orders, end_of_news), parent, policy, command, folder, output)
    os.close(end_of_orders)
    os.close(end_of_news)
    answer = reader_of(news)(len(_STARTED))
    if answer != _STARTED:
        answer += reader_of(news)(_MAX_ERROR_BYTES)
        os.close(orders)
        os.close(news)
        os.waitpid(keeper, 0)
        kind, _, message = answer.decode().partition(":")
        raise (SealUnavailable if kind == "seal" else CorpusError)(
            message or f"{command[0]}: ended."
        )
    return orders, news, keeper


# ---- Its folder


def _path_of(folder: int) -> Path:
    """A path to an open folder, valid only in a process that has it open."""
    return Path(f"/proc/self/fd/{folder}")


def _fresh_folder(place: Path) -> tuple[int, int]:
    """Descriptors of a new, empty folder, and of the log in it.

    No link is followed, and nothing that exists is opened. The folder is locked for as long as any
    process has it open.
    """
    held, folder = list[int](), place.parent
    try:
        held.append(opened_without_links(folder.parent))
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder.name, 0o700, dir_fd=held[0])
        held.append(temp := os.open(folder.name, _FOLDER, dir_fd=held[0]))
        _check_ours(temp, folder)
        # Otherwise a new folder would look like one left behind.
        lock_briefly(temp, fcntl.LOCK_EX, "The store's temp folder")
        _remove_left_behind(temp)
        os.mkdir(place.name, 0o700, dir_fd=temp)
        fresh = os.open(place.name, _FOLDER, dir_fd=temp)
        fcntl.flock(fresh, fcntl.LOCK_SH)
        return fresh, os.open(LOG_NAME, _NEW_FILE, 0o600, dir_fd=fresh)
    except OSError as error:
        raise CorpusError(
            f"The server's folder {str(place)!r} cannot be made: {error.strerror}.",
            f"{str(folder)!r} must be a folder that you may write, not a link.",
        ) from None
    finally:
        for descriptor in held:
            os.close(descriptor)


def _check_ours(descriptor: int, path: Path) -> None:
    info = os.fstat(descriptor)
    if info.st_uid != os.geteuid() or info.st_mode & _OTHERS_WRITE:
        raise CorpusError(
            f"{str(path)!r} belongs to another user, or may be written by others.",
            f"Remove it, or run: chmod go-w {str(path)!r}",
        )


def _remove_left_behind(temp: int) -> None:
    """Remove the folders of ended servers: those that no process has locked."""
    for name in filter(_LEFT_BEHIND.fullmatch, os.listdir(temp)):
        with contextlib.suppress(OSError):  # no folder, so not made by this program; or in use
            old = os.open(name, _FOLDER, dir_fd=temp)
            try:
                fcntl.flock(old, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # A folder that cannot be removed only takes space.
                shutil.rmtree(name, ignore_errors=True, dir_fd=temp)
            finally:
                os.close(old)


# ---- Its processes


def wait_until_ready(server: LlamaServer, broker: Broker, seconds: float) -> None:
    """Return once the server has loaded its model."""
    deadline = time.monotonic() + seconds
    while broker.status_of("/health", _HEALTH_SECONDS) != http.client.OK:
        if server.has_ended:
            raise CorpusError(f"{PROGRAM} ended before it was ready.", f"See {str(server.log)!r}.")
        if time.monotonic() > deadline:
            raise CorpusError(
                f"{PROGRAM} did not become ready within {seconds:.0f} s.",
                f"See {str(server.log)!r}.",
            )
        time.sleep(_POLL_SECONDS)


def _keep(
    pipes: tuple[int, int],
    parent: int,
    policy: Policy,
    command: list[str],
    folder: int,
    output: int,
) -> None:
    """Start the server, and end it and this process with the parent; never returns.

    The server dies with this process, not with the parent: a sealed parent cannot send signals out
    of its domain, not even the parent-death signal.
    """
    orders, news = pipes
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        die_with_parent(parent)
        ready, failed = os.pipe()
        keeper = os.getpid()
        if (server := os.fork()) == 0:
            _become_server(keeper, failed, policy, command, folder, output)
        os.close(failed)
        error = reader_of(ready)(_MAX_ERROR_BYTES)
        write_all(news, error or _STARTED)
        if not error:
            leave_everything_but(orders, news, folder)
            watched = select.poll()
            watched.register(orders, select.POLLIN)
            watched.register(os.pidfd_open(server), select.POLLIN)
            restrict_syscalls(NO_SOCKETS)
            watched.poll()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(SOCKET_NAME, dir_fd=folder)
    finally:
        os._exit(0)


def _become_server(
    keeper: int, failed: int, policy: Policy, command: list[str], folder: int, output: int
) -> None:
    """Confine this process and replace it by the server; errors are written to `failed`."""
    try:
        die_with_parent(keeper)
        leave_everything_but(failed, folder, output)
        os.dup2(output, 1)
        os.dup2(output, 2)
        # Neither the user's folder nor one that a sealed process writes: llama.cpp loads
        # libraries from its working folder.
        os.chdir(starting.FOLDER)
        variables = server_environment(os.environ, folder)
        os.set_inheritable(folder, True)
        confine(policy)
        starting.become(starting.Command(tuple(command), variables))
    except SealUnavailable as error:
        os.write(failed, f"seal:{error}".encode()[:_MAX_ERROR_BYTES])
    except OSError as error:
        os.write(failed, f"start:{command[0]}: {error.strerror}.".encode()[:_MAX_ERROR_BYTES])
    finally:
        os._exit(1)
