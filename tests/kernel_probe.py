"""What the kernel still lets this process do: tried, not read from a policy.

`look` is called from inside each kind of process by benchmarks/kernel_probes.py. Only what leaves
nothing behind is tried; what gets through is named.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import socket
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from indexer.confine import native_number

FAMILIES, TYPES = range(47), (1, 2, 3, 4, 5, 6, 10)
_ATTRIBUTE = "user.corpus-agent-probe"
_ANSWERS = (errno.ENODATA, errno.ENOTSUP)
_KEY, _CREATE, _REMOVE = 0x5EA2, 0o1600, 0

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Places:
    """Files to try, by what they are, and a process that is none of ours."""

    corpus: str
    store: str
    elsewhere: str
    home: str
    neighbour: int


def look(places: Places) -> dict[str, str]:
    """For each kind of thing, what of it can be had, in words; "none" where nothing can."""
    files = {name: path for name, path in asdict(places).items() if isinstance(path, str)}
    files["/etc/passwd"] = "/etc/passwd"
    return {
        "new sockets": _sockets(lambda family, kind: socket.socket(family, kind).close()),
        "socket pairs": _sockets(_pair),
        "files read": _through({name: lambda p=path: _read(p) for name, path in files.items()}),
        "files written": _through(
            {name: lambda p=path: _append(p) for name, path in files.items()}
        ),
        "starts": _through({"processes": _fork, "programs": _execute}),
        "other processes": _through(_others(places.neighbour)),
        "shared by name": _through(
            {
                "memory": lambda: _ipc("shm", 4096, _CREATE),
                "semaphores": lambda: _ipc("sem", 1, _CREATE),
                "queues": lambda: _ipc("msg", _CREATE),
                "POSIX queues": _named_queue,
                "/dev/shm": lambda: _made("/dev/shm/corpus-agent-probe"),
            }
        ),
        "attributes read": _through(
            {f"of {name}": lambda p=path: _attributes(p) for name, path in files.items()}
        ),
        "attributes written": _through(
            {f"of {name}": lambda p=path: _attribute(p) for name, path in files.items()}
        ),
        "told what is opened": _through({"inotify": _watched, "fanotify": _watched_whole}),
        "io_uring": _through({"rings": lambda: os.close(_call("io_uring_setup", 4, bytes(120)))}),
    }


def look_at_signal(places: Places, into: Path) -> None:
    """Have SIGUSR1 write what `look` finds, from whatever process this has become by then."""
    signal.signal(signal.SIGUSR1, lambda *_: into.write_text(json.dumps(look(places))))


def _through(attempts: dict[str, Callable[[], object]]) -> str:
    return ", ".join(name for name, attempt in attempts.items() if _works(attempt)) or "none"


def _works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _sockets(make: Callable[[int, int], None]) -> str:
    made = [
        (family, kind)
        for family in FAMILIES
        for kind in TYPES
        if _works(lambda f=family, k=kind: make(f, k))
    ]
    names = {(socket.AF_UNIX, socket.SOCK_STREAM): "Unix stream"}
    return ", ".join(names.get(pair, f"{pair[0]}/{pair[1]}") for pair in made) or "none"


def _pair(family: int, kind: int) -> None:
    for half in socket.socketpair(family, kind):
        half.close()


def _read(path: str) -> None:
    Path(path).read_bytes()


def _append(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_APPEND))


def _attributes(path: str) -> None:
    # A file without such an attribute, or a file system without any, says so: it was asked.
    os.listxattr(path)
    try:
        os.getxattr(path, _ATTRIBUTE)
    except OSError as error:
        if error.errno not in _ANSWERS:
            raise


def _attribute(path: str) -> None:
    # Removing what is not there changes nothing, and asks for the same right as setting it does.
    try:
        os.removexattr(path, _ATTRIBUTE)
    except OSError as error:
        if error.errno not in _ANSWERS:
            raise
        if error.errno == errno.ENOTSUP:
            return
    os.setxattr(path, _ATTRIBUTE, b"x")
    os.removexattr(path, _ATTRIBUTE)


def _watched() -> None:
    os.close(_call("inotify_init1", os.O_CLOEXEC))


def _watched_whole() -> None:
    # FAN_REPORT_FID, which a user may ask for too; FAN_CLOEXEC.
    os.close(_call("fanotify_init", 0x200 | 1, os.O_RDONLY))


def _made(path: str) -> None:
    Path(path).write_bytes(b"")
    Path(path).unlink()


def _fork() -> None:
    # A child that becomes a program which is not there: where none may be started, the kernel says
    # so before it looks for one. No library does anything in such a child, as LanceDB would.
    try:
        os.posix_spawn("/does/not/exist", ["-"], {})
    except FileNotFoundError:
        return


def _execute() -> None:
    # The file is not there: a kernel that lets programs be started looks for it and says so.
    _call("execve", b"/does/not/exist\0", 0, 0, gets=(2,))


def _call(name: str, *arguments: int | bytes, gets: tuple[int, ...] = ()) -> int:
    """The result of a system call; an errno of `gets` is as good as a success."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = _libc.syscall(native_number(name), *passed)
    if result < 0 and ctypes.get_errno() not in gets:
        raise OSError(ctypes.get_errno(), name)
    return result


def _ipc(kind: str, *arguments: int) -> None:
    made = _call(f"{kind}get", _KEY, *arguments)
    _call(f"{kind}ctl", made, *((0, _REMOVE, 0) if kind == "sem" else (_REMOVE, 0)))


def _named_queue() -> None:
    name = b"corpus-agent-probe\0"
    os.close(_call("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, 0))
    _call("mq_unlink", name)


def _others(pid: int) -> dict[str, Callable[[], object]]:
    vector = (ctypes.c_uint64 * 2)()
    return {
        "limits": lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (256, 256)),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, pid, 5),
        "group's priority": lambda: os.setpriority(os.PRIO_PGRP, os.getpgid(pid), 6),
        "cores": lambda: os.sched_setaffinity(pid, os.sched_getaffinity(pid)),
        "schedule": lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
        "disk priority": lambda: _call("ioprio_set", 1, pid, 2 << 13 | 7),
        "signals": lambda: os.kill(pid, 0),
        "signals to groups": lambda: os.killpg(os.getpgid(pid), 0),
        "descriptors": lambda: _take_descriptor(pid),
        "memory": lambda: _call("process_vm_readv", pid, bytes(vector), 0, bytes(vector), 0, 0),
        "tracing": lambda: _call("ptrace", 0x4206, pid, 0, 0) and _call("ptrace", 17, pid, 0, 0),
        "environment": lambda: Path(f"/proc/{pid}/environ").read_bytes(),
    }


def _take_descriptor(pid: int) -> None:
    process = os.pidfd_open(pid)
    with contextlib.closing(os.fdopen(process)):
        os.close(_call("pidfd_getfd", process, 0, 0))
