"""What a confined process may do: which system calls each kind may make and why, files, limits.

The calls are those that the program and its libraries were seen to make; further ones are listed
because another C library, kernel or processor uses them for the same purpose.
docs/system-calls.md is the table by call and process. corpus_agent.seal and the parsers build the
policies.
"""

from __future__ import annotations

import resource
import socket
from dataclasses import dataclass
from errno import EPERM
from pathlib import Path
from typing import Literal

from indexer.confine.seccomp import Allow, Arg, Calls, Denial

# -- numbers of the conditions, as in the kernel's headers

MSG_FASTOPEN = 0x20000000  # connects and sends in one call
SOCKET_TYPE_MASK = 0xF  # the rest of `type` is SOCK_NONBLOCK and SOCK_CLOEXEC
O_TRUNC, O_ACCMODE = 0o1000, 0o3
CLONE_THREAD = 0x00010000
CLONE_PARENT, CLONE_PTRACE = 0x00008000, 0x00002000  # a child that is another's
# NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET; a new user namespace brings capabilities.
CLONE_NEW = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
_NOT_OWN = sum(CLONE_NEW) | CLONE_PARENT | CLONE_PTRACE

# What is asked of terminals, pipes and descriptors. Not TIOCSTI and TIOCLINUX, which type into the
# terminal as if the user had; not TIOCSPGRP and TIOCSCTTY, which take it away; nothing of SIOC*,
# which asks and sets the network by any socket, a pair's too; no FIOSETOWN, which sends signals.
IOCTLS = {
    "TCGETS": 0x5401, "TCSETS": 0x5402, "TCSETSW": 0x5403, "TCSETSF": 0x5404,
    "TCGETS2": 0x802C542A, "TCSETS2": 0x402C542B, "TCSETSW2": 0x402C542C, "TCSETSF2": 0x402C542D,
    "TCSBRK": 0x5409, "TCFLSH": 0x540B, "TIOCGPGRP": 0x540F, "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B, "FIONBIO": 0x5421, "FIONCLEX": 0x5450, "FIOCLEX": 0x5451,
}  # fmt: skip
_IOCTL_TYPE, _TERMINALS, _SOCKETS = 0xFF00, 0x5400, 0x8900

# Not F_SETOWN and its kin, which have the kernel send signals to another process, nor leases.
FCNTLS = {
    "F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4,
    "F_GETLK": 5, "F_SETLK": 6, "F_SETLKW": 7,
    "F_OFD_GETLK": 36, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38,
    "F_DUPFD_QUERY": 1027, "F_DUPFD_CLOEXEC": 1030, "F_SETPIPE_SZ": 1031, "F_GETPIPE_SZ": 1032,
    "F_ADD_SEALS": 1033, "F_GET_SEALS": 1034,
}  # fmt: skip

# About this process and thread alone. Not PR_SET_PTRACER, which lets another read this one,
# PR_SCHED_CORE, which names others, PR_SET_MM nor PR_SET_SECCOMP.
PRCTLS = {
    "PR_SET_PDEATHSIG": 1, "PR_GET_PDEATHSIG": 2, "PR_GET_DUMPABLE": 3, "PR_SET_NAME": 15,
    "PR_GET_NAME": 16, "PR_GET_SECCOMP": 21, "PR_CAPBSET_READ": 23, "PR_CAPBSET_DROP": 24,
    "PR_SET_TIMERSLACK": 29, "PR_SET_NO_NEW_PRIVS": 38, "PR_GET_NO_NEW_PRIVS": 39,
    "PR_SET_THP_DISABLE": 41, "PR_GET_THP_DISABLE": 42, "PR_CAP_AMBIENT": 47,
    "PR_SVE_SET_VL": 50, "PR_SVE_GET_VL": 51,  # vectors of aarch64
    "PR_SET_VMA": 0x53564D41,  # C libraries name the memory that they map
}  # fmt: skip


def _all(*syscalls: str) -> tuple[Allow, ...]:
    return tuple(Allow(syscall) for syscall in syscalls)


def _one_of(syscall: str, argument: int, values: dict[str, int]) -> tuple[Allow, ...]:
    return tuple(Allow(syscall, (Arg(argument, value),)) for value in values.values())


# -- what every process needs: a C library, Python, threads

# brk to mincore: allocators. mlock*: weights that shall not be swapped, where the user allows it.
# *mempolicy, mbind: machines with memory at several places. pkey_*, mseal, map_shadow_stack:
# newer C libraries protect their own memory.
_MEMORY = _all(
    "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "msync", "mincore", "membarrier",
    "mlock", "mlock2", "munlock", "mlockall", "munlockall",
    "get_mempolicy", "set_mempolicy", "set_mempolicy_home_node", "mbind",
    "pkey_alloc", "pkey_free", "pkey_mprotect", "mseal", "map_shadow_stack",
)  # fmt: skip

# The same question has several names: stat is newfstatat or statx elsewhere, access is faccessat2.
# What opens, Landlock judges. openat2 hides its flags in memory, and so does not exist.
_READING = _all(
    "read", "readv", "pread64", "preadv", "preadv2", "lseek", "close", "close_range",
    "stat", "lstat", "fstat", "newfstatat", "statx", "statfs", "fstatfs",
    "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "getdents", "getdents64", "getcwd", "dup", "dup2", "dup3", "fadvise64", "readahead",
)  # fmt: skip

# Opening with O_TRUNC and no right to write empties a file where Landlock has no rule for that.
_OPENING = tuple(
    Allow(call, (Arg(argument, value, mask=mask),))
    for call, argument in (("open", 1), ("openat", 2))
    for value, mask in ((0, O_TRUNC), (1, O_ACCMODE), (2, O_ACCMODE))
)

_WRITING = _all("write", "writev", "pwrite64", "pwritev", "pwritev2")

_DESCRIPTORS = _one_of("fcntl", 1, FCNTLS)

_TERMINAL = _one_of("ioctl", 1, IOCTLS)

_WAITING = _all(
    "poll", "ppoll", "select", "pselect6", "restart_syscall", "pause",
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2",
    "eventfd", "eventfd2", "signalfd", "signalfd4", "pipe", "pipe2",
    "futex", "futex_waitv", "futex_wake", "futex_wait", "futex_requeue", "sched_yield",
)  # fmt: skip

_TIME = _all(
    "clock_gettime", "clock_getres", "clock_nanosleep", "gettimeofday", "time", "times",
    "nanosleep", "getitimer", "setitimer", "alarm",
    "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete",
    "timerfd_create", "timerfd_settime", "timerfd_gettime",
)  # fmt: skip

# clone takes its flags as an argument. clone3 has them in memory, where no filter sees them, and
# does not exist: every C library falls back to clone.
_THREAD = (Allow("clone", (Arg(0, CLONE_THREAD, mask=CLONE_THREAD | _NOT_OWN),)),)

# By number 0 only, which means the caller: a child inherits the filter, in which the process's own
# number would be its parent's. Asking for the cores of another process reveals nothing.
_ITSELF = (
    *_all(
        "exit", "exit_group", "arch_prctl", "set_tid_address", "set_robust_list", "rseq",
        "gettid", "getpid", "getppid", "getpgid", "getpgrp", "getsid",
        "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups",
        "uname", "sysinfo", "getcpu", "getrusage", "getrlimit", "setrlimit", "getrandom",
        "getpriority", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
        "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval", "capget",
        "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend",
        "rt_sigtimedwait", "sigaltstack", "umask",
    ),
    *_one_of("prctl", 0, PRCTLS),
    Allow("prlimit64", (Arg(0),)),
    Allow("sched_setaffinity", (Arg(0),)),
    Allow("setpriority", (Arg(0), Arg(1))),
)  # fmt: skip

# On sockets that were handed in. None that names its receiver; options of sockets and of TCP, and
# none below it (source routes, multicast, raw headers).
_TALKING = (
    *_all(
        "recvfrom", "recvmsg", "recvmmsg", "getsockopt", "getsockname", "getpeername", "shutdown"
    ),
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
    *_MEMORY, *_READING, *_OPENING, *_WRITING, *_DESCRIPTORS, *_TERMINAL, *_WAITING, *_TIME,
    *_ITSELF, *_TALKING, *_PAIRS,
)  # fmt: skip

# -- what only some need

# Times are changed by descriptor alone: of files that may be opened, not of any that has a name.
_CHANGING_FILES = (
    Allow("utimensat", (Arg(1, wide=True),)),
    *_all(
        "creat", "ftruncate", "fallocate", "fsync", "fdatasync", "sync_file_range", "flock",
        "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat",
        "link", "linkat", "symlink", "symlinkat", "chdir", "fchdir",
        "copy_file_range", "sendfile", "splice", "memfd_create",
    ),
)  # fmt: skip

# Landlock does not restrict inotify, which reports names of files opened anywhere. So only for a
# process that keeps an index up to date.
_WATCHING = _all("inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch")

# Connections of a listening socket that was handed in; without one there is nothing to accept. Not
# accept: Python asks for flags, which this one alone takes.
_SERVING = _all("accept4")

# One process by its number, or a thread; not -1, which is all processes, nor a group. Landlock
# restricts which processes from ABI 6 on.
_SIGNALS = (
    Allow("kill", (Arg(0, negate=True), Arg(0, mask=0x80000000))),
    *_all("tgkill", "tkill"),
)

_PROCESSES = (
    Allow("clone", (Arg(0, mask=_NOT_OWN),)),
    *_all(
        "fork", "vfork", "execve", "execveat", "wait4", "waitid", "pidfd_open", "setsid", "setpgid"
    ),
)

# A child confines itself further: each parser does.
_CONFINING = _all(
    "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "capset"
)

# -- what fails with EPERM: it is there and is refused

_REFUSED = (
    # Every socket but pairs.
    "socket", "connect", "bind", "listen", "accept", "accept4",
    # io_uring does all of the above without making the calls. Its users fall back on EPERM.
    "io_uring_setup", "io_uring_enter", "io_uring_register",
    # Memory and descriptors of other processes, when they run, what they may use, signals to them.
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "pidfd_send_signal",
    "process_madvise", "process_mrelease", "kcmp", "move_pages", "migrate_pages",
    "get_robust_list", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    "sched_setparam", "sched_setscheduler", "sched_setattr", "sched_getattr", "ioprio_set",
    # Keys, and the channels between processes that are no files and so escape the file rules.
    "add_key", "request_key", "keyctl",
    "shmget", "shmat", "shmdt", "shmctl", "semget", "semop", "semtimedop", "semctl",
    "msgget", "msgsnd", "msgrcv", "msgctl",
    "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
    # The kernel and the machine.
    "bpf", "userfaultfd", "perf_event_open", "lookup_dcookie", "fanotify_init", "fanotify_mark",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
    "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog",
    "iopl", "ioperm", "modify_ldt", "vhangup", "personality", "sync", "syncfs",
    "settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "sethostname", "setdomainname",
    # Namespaces and mounts.
    "mount", "umount2", "pivot_root", "chroot", "unshare", "setns",
    "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    # Who one is.
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups",
    "setfsuid", "setfsgid",
    # What Landlock has no rule for: owners, modes, times, attributes, truncation before ABI 3.
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat",
    "utime", "utimes", "futimesat",
    "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
    # The content of attributes of any file by its path. No library reads those of an open one.
    "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr",
    "mknod", "mknodat", "open_by_handle_at", "name_to_handle_at", "truncate",
)  # fmt: skip

_PROGRAM = (*_BASE, *_CHANGING_FILES, *_SIGNALS, *_PROCESSES, *_CONFINING)
_KNOWN = (*_PROGRAM, *_WATCHING)


def _calls(allowed: tuple[Allow, ...], peer: int | None = None) -> Calls:
    """These calls; EPERM for the refused and for all that another kind of process may make."""
    names = {allow.syscall for allow in allowed}
    others = dict.fromkeys((*_REFUSED, *(allow.syscall for allow in _KNOWN)))
    return Calls(allowed, tuple(Denial(name, EPERM) for name in others if name not in names), peer)


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


def sealed_calls(*, gpu: bool = False, watching: bool = False, serving: bool = False) -> Calls:
    """No new socket but a Unix stream pair, and no way to redirect an existing one.

    With `gpu` also the calls of GPU drivers; with `watching` also inotify; with `serving` the
    connections of a listening socket that was made before are accepted.
    """
    more = (*(_WATCHING if watching else ()), *(_SERVING if serving else ()))
    return _calls((*_PROGRAM, *more, *(_DEVICES if gpu else ())))


NO_SOCKETS = sealed_calls()
"""The program's own calls, where there is no GPU and nothing is watched."""


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
    cpu_seconds: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None

    def table(self) -> tuple[tuple[int, int], ...]:
        """Each limit that is set, by its number, with its bound."""
        table = (
            # 1 byte, not 0: only 1 also stops a dump that goes into a pipe, as core(5) says.
            (resource.RLIMIT_CORE, 1),
            (resource.RLIMIT_AS, self.address_space_bytes),
            (resource.RLIMIT_CPU, self.cpu_seconds),
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
