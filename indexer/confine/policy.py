"""What a confined process may no longer do, as values: system calls, files, ports, limits.

Decides nothing about any one program: corpus_agent.seal and the extraction workers put policies
together from these. A `Policy()` with nothing said forbids everything that can be forbidden.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from errno import ENOSYS, EPERM
from pathlib import Path
from typing import Literal

Access = Literal["read", "execute", "list", "write", "device"]


@dataclass(frozen=True, slots=True)
class Arg:
    """A condition on one argument of a system call: `(argument & mask) == value`, or not.

    Looks at the low 32 bits, which is all that the kernel takes of an int; with `wide`, at all 64
    bits, and then value is 0 and there is no mask (for pointers: "is not null").
    """

    argument: int
    value: int = 0
    negate: bool = False
    mask: int = 0xFFFFFFFF
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Denial:
    """A system call that fails with `errno` where every test holds; no tests: always."""

    syscall: str
    errno: int = EPERM
    when: tuple[Arg, ...] = ()


@dataclass(frozen=True, slots=True)
class FileRule:
    """What may be done at `path` and beneath.

    `read` opens files and lists folders, `execute` is read plus starting programs, `list` lists
    folders only, `write` is read plus everything that changes content, `device` is reading,
    writing and ioctl of device nodes. A rule that is not `required` is left out where there is no
    such path: that allows less, never more. `reason` is for the reader of the policy.
    """

    path: Path
    access: Access = "read"
    required: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for one process, None for none; `core` dumps are always off.

    `file_bytes` bounds each file that the process writes.
    """

    address_space_bytes: int | None = None
    cpu_seconds: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None


# linux/socket.h. MSG_FASTOPEN connects and sends in one call; masked because the argument is a set.
MSG_FASTOPEN = 0x20000000
SOCKET_TYPE_MASK = 0xF  # the rest of `type` is SOCK_NONBLOCK and SOCK_CLOEXEC
IPPROTO_IP = 0
IPPROTO_IPV6 = 41
O_TRUNC = 0o1000
O_ACCMODE = 0o3
TIOCSTI = 0x5412
TIOCLINUX = 0x541C
# NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET; a new user namespace brings capabilities.
CLONE_NEW = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
CLONE_THREAD = 0x00010000


def _always(*syscalls: str, errno: int = EPERM) -> tuple[Denial, ...]:
    return tuple(Denial(syscall, errno) for syscall in syscalls)


# A datagram socket from socketpair() may still send to any named Unix datagram socket (the system
# log, for one), by an address inside sendmsg's structure, which no filter can read. So: streams.
_PAIRS = (
    Denial("socketpair", when=(Arg(0, socket.AF_UNIX, negate=True),)),
    Denial("socketpair", when=(Arg(1, socket.SOCK_STREAM, negate=True, mask=SOCKET_TYPE_MASK),)),
)

# Sends that name their receiver, and options below TCP (source routes, multicast, raw headers).
_SENDS = (
    Denial("sendto", when=(Arg(4, negate=True, wide=True),)),
    Denial("sendto", when=(Arg(3, MSG_FASTOPEN, mask=MSG_FASTOPEN),)),
    Denial("sendmsg", when=(Arg(2, MSG_FASTOPEN, mask=MSG_FASTOPEN),)),
    Denial("sendmmsg", when=(Arg(3, MSG_FASTOPEN, mask=MSG_FASTOPEN),)),
    Denial("setsockopt", when=(Arg(1, IPPROTO_IP),)),
    Denial("setsockopt", when=(Arg(1, IPPROTO_IPV6),)),
)

# io_uring does all of the above without making the calls. Its users fall back on EPERM.
_URING = _always("io_uring_setup", "io_uring_enter", "io_uring_register")

# Memory and descriptors of other processes: of the broker, which may connect, for one.
_OTHER_PROCESSES = _always(
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "process_madvise"
)

# Keys, and the channels between processes that are no files and so escape the file rules.
_CHANNELS = _always(
    "add_key", "request_key", "keyctl",
    "shmget", "shmat", "semget", "msgget", "msgsnd", "msgrcv", "mq_open", "mq_unlink",
)  # fmt: skip

_KERNEL = _always(
    "bpf", "userfaultfd", "perf_event_open", "lookup_dcookie", "fanotify_init",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
    "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog",
    "iopl", "ioperm", "modify_ldt", "vhangup",
    "settimeofday", "clock_settime", "sethostname", "setdomainname",
)  # fmt: skip

# clone3 takes its flags in memory, where no filter sees them; ENOSYS makes every C library fall
# back to clone, whose flags are an argument.
_NAMESPACES = (
    *_always(
        "mount", "umount2", "pivot_root", "chroot", "unshare", "setns",
        "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    ),
    *(Denial("clone", when=(Arg(0, flag, mask=flag),)) for flag in CLONE_NEW),
    Denial("clone3", ENOSYS),
)  # fmt: skip

# What Landlock has no rule for (owners, modes by path, attributes), or has only from ABI 3 on
# (truncation, also by opening with O_TRUNC and no right to write). openat2 hides its flags.
_FILES = (
    *_always(
        "chmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat",
        "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
        "mknod", "mknodat", "open_by_handle_at", "truncate",
    ),
    *(
        Denial(call, when=(Arg(argument, O_TRUNC | mode, mask=O_TRUNC | O_ACCMODE),))
        for call, argument in (("open", 1), ("openat", 2))
        for mode in (0, O_ACCMODE)
    ),
    Denial("openat2", ENOSYS),
)  # fmt: skip

# Typing into the terminal that the process was started from, as if the user had: the shell there
# is not confined.
_TERMINAL = tuple(Denial("ioctl", when=(Arg(1, command),)) for command in (TIOCSTI, TIOCLINUX))

_EVERYONE = (
    *_PAIRS, *_SENDS, *_URING, *_OTHER_PROCESSES, *_CHANNELS, *_KERNEL, *_NAMESPACES, *_FILES,
    *_TERMINAL,
)  # fmt: skip

_SERVING = ("bind", "listen", "accept", "accept4")

NO_SOCKETS: tuple[Denial, ...] = (*_always("socket", "connect", *_SERVING), *_EVERYONE)
"""No new socket of any family but a Unix stream pair, and no way to use an old one elsewhere."""

NO_PROCESSES: tuple[Denial, ...] = (
    *_always("fork", "vfork", "execve", "execveat"),
    Denial("clone", when=(Arg(0, mask=CLONE_THREAD),)),
)
"""No child process and no other program in this one's place; threads can be started."""


def one_peer(family: int, *, serve: bool = False) -> tuple[Denial, ...]:
    """Denials for a process that opens stream sockets of `family` and no others, and connects.

    With `serve` it listens instead, and connects to nothing. Which address a process connects to,
    no filter can see: that is for Landlock's port rule and for the process's own code.
    """
    return (
        Denial("socket", when=(Arg(0, family, negate=True),)),
        Denial("socket", when=(Arg(1, socket.SOCK_STREAM, negate=True, mask=SOCKET_TYPE_MASK),)),
        *_always(*(("connect",) if serve else _SERVING)),
        *_EVERYONE,
    )


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything that a process is confined to.

    `connect_ports` are the TCP ports that Landlock lets it connect to (from ABI 4 on); the system
    calls that this takes must not be among the denied.
    """

    denied: tuple[Denial, ...] = NO_SOCKETS
    files: tuple[FileRule, ...] = ()
    connect_ports: tuple[int, ...] = ()
    limits: Limits = Limits()
