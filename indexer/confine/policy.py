"""What a confined process may do: which system calls each kind may make and why, files, limits.

The calls, in syscalls.txt, and their requests, in requests.txt, are those that the program and its
libraries were seen to make; further ones are there because another C library, kernel or processor
uses them for the same purpose. docs/system-calls.md is the table by call and process.
"""

from __future__ import annotations

import resource
import site
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from indexer.confine.starting import find_program, user_site
from indexer.confine.syscalls import Allow, Arg, Calls, group, grouped

# -- numbers of the conditions, as in the kernel's headers

MSG_FASTOPEN = 0x20000000  # connects and sends in one call
SOCKET_TYPE_MASK = 0xF  # the rest of `type` is SOCK_NONBLOCK and SOCK_CLOEXEC
O_TRUNC, O_ACCMODE = 0o1000, 0o3
CLONE_THREAD = 0x00010000
CLONE_PARENT, CLONE_PTRACE = 0x00008000, 0x00002000  # a child that is another's
# NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET; a new user namespace brings capabilities.
CLONE_NEW = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
_NOT_OWN = sum(CLONE_NEW) | CLONE_PARENT | CLONE_PTRACE

_IOCTL_TYPE, _TERMINALS, _SOCKETS = 0xFF00, 0x5400, 0x8900
_REQUESTS = grouped("requests.txt")


def _all(*syscalls: str) -> tuple[Allow, ...]:
    return tuple(Allow(syscall) for syscall in syscalls)


def _groups(*names: str) -> tuple[Allow, ...]:
    return _all(*(syscall for name in names for syscall in group(name)))


def _requests(syscall: str, argument: int) -> tuple[Allow, ...]:
    numbers = (int(line.split()[1], 0) for line in _REQUESTS[syscall])
    return tuple(Allow(syscall, (Arg(argument, number),)) for number in numbers)


# -- what every process needs: a C library, Python, threads

# Opening with O_TRUNC and no right to write empties a file where Landlock has no rule for that.
_OPENING = tuple(
    Allow(call, (Arg(argument, value, mask=mask),))
    for call, argument in (("open", 1), ("openat", 2))
    for value, mask in ((0, O_TRUNC), (1, O_ACCMODE), (2, O_ACCMODE))
)

# Its flags are an argument: a thread of its own process, in no new namespace.
_THREAD = (Allow("clone", (Arg(0, CLONE_THREAD, mask=CLONE_THREAD | _NOT_OWN),)),)

# By number 0 only, which means the caller: a child inherits the filter, in which the process's own
# number would be its parent's. Asking for the cores of another process reveals nothing.
_ITSELF = (
    *_requests("prctl", 0),
    Allow("prlimit64", (Arg(0),)),
    Allow("sched_setaffinity", (Arg(0),)),
    Allow("setpriority", (Arg(0), Arg(1))),
)

# Options of sockets and of TCP, and none below it (source routes, multicast, raw headers).
_TALKING = (
    Allow("sendto", (Arg(4, wide=True), Arg(3, mask=MSG_FASTOPEN))),
    Allow("sendmsg", (Arg(2, mask=MSG_FASTOPEN),)),
    Allow("sendmmsg", (Arg(3, mask=MSG_FASTOPEN),)),
    Allow("setsockopt", (Arg(1, socket.SOL_SOCKET),)),
    Allow("setsockopt", (Arg(1, socket.IPPROTO_TCP),)),
)

# A datagram socket from socketpair() may still send to any named Unix datagram socket (the system
# log, for one), by an address inside sendmsg's structure, which no filter can read. So: streams.
_PAIRS = (
    Allow(
        "socketpair",
        (Arg(0, socket.AF_UNIX), Arg(1, socket.SOCK_STREAM, mask=SOCKET_TYPE_MASK)),
    ),
)

_BASE = (
    *_groups("memory", "reading", "writing", "waiting", "time", "itself", "talking"),
    *_OPENING, *_requests("fcntl", 1), *_requests("ioctl", 1), *_ITSELF, *_TALKING, *_PAIRS,
)  # fmt: skip

# -- what only some need

# Times are changed by descriptor alone: of files that may be opened, not of any that has a name.
_CHANGING_FILES = (Allow("utimensat", (Arg(1, wide=True),)), *_groups("changing files"))

# Connections of a listening socket that was handed in; without one there is nothing to accept. Not
# accept: Python asks for flags, which this one alone takes.
_SERVING = _all("accept4")

# One process by its number; not -1, which is all processes, nor a group.
_SIGNALS = (
    Allow("kill", (Arg(0, negate=True), Arg(0, mask=0x80000000))),
    *_groups("threads' signals"),
)

_PROCESSES = (Allow("clone", (Arg(0, mask=_NOT_OWN),)), *_groups("processes", "confining"))

# What fails with EPERM: it is there and is refused.
_REFUSED = (*group("sockets"), *group("refused"))

_PROGRAM = (*_BASE, *_CHANGING_FILES, *_SIGNALS, *_PROCESSES)


def _calls(allowed: tuple[Allow, ...], peer: int | None = None) -> Calls:
    """These calls; EPERM for the refused and for all that another kind of process may make."""
    names = {allow.syscall for allow in allowed}
    others = dict.fromkeys((*_REFUSED, *(allow.syscall for allow in _PROGRAM)))
    return Calls(allowed, tuple(name for name in others if name not in names), peer)


def _own_signals(pid: int) -> tuple[Allow, ...]:
    """Signals for a process without children: only to itself, as abort() and raise() send them."""
    return tuple(Allow(call, (Arg(0, pid),)) for call in ("kill", "tgkill"))


# A GPU is driven by ioctl, each by commands of its own: all but those of terminals and sockets.
_DEVICES = (
    Allow(
        "ioctl",
        (
            Arg(1, _TERMINALS, negate=True, mask=_IOCTL_TYPE),
            Arg(1, _SOCKETS, negate=True, mask=_IOCTL_TYPE),
        ),
    ),
)


def sealed_calls(*, gpu: bool = False, serving: bool = False) -> Calls:
    """No new socket but a Unix stream pair, and no way to redirect an existing one.

    With `gpu` also the calls of GPU drivers; with `serving` the connections of a listening socket
    that was made before are accepted.
    """
    return _calls((*_PROGRAM, *(_SERVING if serving else ()), *(_DEVICES if gpu else ())))


NO_SOCKETS = sealed_calls()
"""The program's own calls, where there is no GPU."""


def parser_calls(pid: int) -> Calls:
    """Reading, computing and answering: no process, no program, no change of a file."""
    return _calls((*_BASE, *_THREAD, *_own_signals(pid)))


def program_calls(pid: int) -> Calls:
    """Those of a parser, and becoming another program in the same process: ripgrep."""
    return _calls((*_BASE, *_THREAD, *_own_signals(pid), *_all("execve", "chdir", "fchdir")))


def one_peer(family: int, *, serve: bool = False, gpu: bool = False) -> Calls:
    """Those of a process that opens stream sockets of `family` and no others.

    It connects them, or with `serve` it becomes a server, which listens and never connects. A
    filter cannot see the address: Landlock's port rule and the process's own code restrict that.
    """
    stream = (Arg(0, family), Arg(1, socket.SOCK_STREAM, mask=SOCKET_TYPE_MASK))
    opened = (*_BASE, *_THREAD, Allow("socket", stream))
    if not serve:
        return _calls((*opened, *_all("connect")), family)
    serving = _all("bind", "listen", "accept", "accept4", "execve")
    return _calls((*opened, *serving, *_CHANGING_FILES, *(_DEVICES if gpu else ())), family)


# -- the rest of a policy

Access = Literal["read", "execute", "list", "write", "device"]


@dataclass(frozen=True, slots=True)
class FileRule:
    """What may be done at `path` and beneath.

    `read` opens files and lists folders, `execute` is read plus starting programs, `list` lists
    folders only, `write` is read plus everything that changes content, `device` is reading,
    writing and ioctl of device nodes. A rule that is not `required` is left out where there is no
    such path: that allows less, never more. `reason` is for the reader of the policy. With
    `no_links` nothing on the way to `path` may be a link: what was judged before is what is opened.
    """

    path: Path
    access: Access = "read"
    required: bool = False
    reason: str = ""
    no_links: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for one process, None for none; `core` dumps are always off."""

    address_space_bytes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None

    def table(self) -> tuple[tuple[int, int], ...]:
        """Each limit that is set, by its number, with its bound."""
        table = (
            # 1 byte, not 0: only 1 also stops a dump that goes into a pipe, as core(5) says.
            (resource.RLIMIT_CORE, 1),
            (resource.RLIMIT_AS, self.address_space_bytes),
            (resource.RLIMIT_FSIZE, self.file_bytes),
            (resource.RLIMIT_NOFILE, self.open_files),
        )
        return tuple((which, bound) for which, bound in table if bound is not None)


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything that a process is confined to; without anything given, no file and no socket.

    `connect_ports` are the TCP ports that Landlock lets it connect to (from ABI 4 on), and is of
    use only with calls that connect. `whole_disk` says that the file rules let '/' be read.
    """

    calls: Calls = NO_SOCKETS
    files: tuple[FileRule, ...] = ()
    connect_ports: tuple[int, ...] = ()
    limits: Limits = Limits()
    whole_disk: bool = False


# -- files: those outside corpus and store that a confined Python needs

_FILES = grouped("files.txt")


def _rules(group: str) -> Iterator[FileRule]:
    for line in _FILES[group]:
        path, access, why = line.split(maxsplit=2)
        yield FileRule(Path(path), cast(Access, access), reason=why)


def system_files(*, gpu: bool = False) -> tuple[FileRule, ...]:
    """Rules for libraries, clocks and processor facts; with `gpu` the device nodes of a GPU too."""
    rules = [*_rules("system")]
    if gpu:
        rules += _rules("gpu")
        nodes = sorted(Path("/dev").glob("nvidia*"))
        rules += [FileRule(node, "device", reason="NVIDIA GPUs") for node in nodes]
    return tuple(rules)


def tesseract_files() -> tuple[FileRule, ...]:
    """Rules for starting Tesseract, which then confines itself further; none if there is none."""
    if (program := find_program("tesseract")) is None:
        return ()
    why = "recognises text in scripts that rapidocr lacks"
    return (FileRule(program.resolve(), "execute", reason=why), *_rules("tesseract"))


def interpreter_files(*packages: Path) -> tuple[FileRule, ...]:
    """Rules for this Python: its program, standard library, installed packages, and `packages`.

    `packages` are folders of the program's own modules, which lie outside the installation in a
    source checkout; their parent may then be listed, or a child process could not import them.
    """
    program = "the interpreter, for child processes too"
    rules = [
        FileRule(Path(path).resolve(), "execute", reason=program)
        for path in dict.fromkeys((sys.executable, getattr(sys, "_base_executable", "")))
        if path
    ]
    prefixes = tuple(dict.fromkeys((Path(sys.prefix), Path(sys.base_prefix))))
    rules += [FileRule(prefix / "pyvenv.cfg", reason=program) for prefix in prefixes]
    libraries = [prefix / name for prefix in prefixes for name in ("lib", "lib64")]
    libraries += [Path(path) for path in site.getsitepackages()]
    if (folder := user_site()) is not None:
        libraries.append(Path(folder))
    rules += [
        FileRule(path, "execute", reason="the standard library and installed packages")
        for path in dict.fromkeys(libraries)
    ]
    for package in packages:
        rules.append(FileRule(package, reason="the program itself"))
        if not any(package.is_relative_to(library) for library in libraries):
            rules.append(FileRule(package.parent, "list", reason="to find the program itself"))
    return tuple(rules)
