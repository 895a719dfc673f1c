"""Applies a policy to this process for good: capabilities, limits, Landlock, seccomp.

Every step either takes effect or raises SealUnavailable; nothing is skipped.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from errno import EACCES, EINVAL, ELOOP, ENOENT, ENOSYS, ENOTDIR, EOPNOTSUPP, EPERM
from pathlib import Path

from indexer.confine.policy import Access, FileRule, Policy
from indexer.confine.syscalls import (
    HINT,
    Architecture,
    Calls,
    Program,
    architecture,
    call,
    number,
    packed,
    prctl,
    seccomp_program,
)
from indexer.errors import SealUnavailable

# linux/prctl.h, linux/seccomp.h, linux/landlock.h
_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_FILTER_FLAG_TSYNC = 1
_LANDLOCK_CREATE_RULESET_VERSION = 1


@dataclass(frozen=True, slots=True)
class Confinement:
    """The confinement in force; `not_covered` describes what this kernel cannot enforce."""

    landlock_abi: int
    not_covered: tuple[str, ...]


def confine(policy: Policy) -> Confinement:
    """Confine this process and all its future children to `policy`, irreversibly.

    Raises SealUnavailable if the kernel cannot, if other threads are running (Landlock would not
    apply to them), and if verification fails. `not_covered` is not empty below Landlock ABI 6.
    """
    arch, abi = check_kernel()
    check_alone()
    _no_new_privileges()
    drop_capabilities(arch)
    _set_limits(policy.limits.table())
    _restrict_files(policy, arch, abi)
    _restrict_syscalls(policy.calls, arch)
    check_sockets(policy.calls.peer)
    check_files(whole_disk=policy.whole_disk)
    return Confinement(abi, not_covered(abi))


def check_alone() -> None:
    """Raise SealUnavailable if other threads are running."""
    try:
        threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    except OSError as error:
        raise SealUnavailable(
            f"The threads of this process cannot be counted: {error}.", "Mount /proc."
        ) from error
    if threads > 1:
        raise SealUnavailable(
            f"{threads} threads run in this process, and file rules reach only the calling one.",
            "Seal before any library that starts threads is imported.",
        )


def restrict_syscalls(calls: Calls) -> None:
    """Restrict all threads of this process to these calls; without file rules."""
    _no_new_privileges()
    _restrict_syscalls(calls, architecture())
    check_sockets(calls.peer)


def check_kernel() -> tuple[Architecture, int]:
    """The architecture and the Landlock ABI of this kernel; raises SealUnavailable without them."""
    arch = architecture()
    create = number("landlock_create_ruleset", arch)
    try:
        abi = call(create, None, 0, _LANDLOCK_CREATE_RULESET_VERSION)
    except OSError as error:
        raise SealUnavailable(_landlock_missing(error), HINT) from error
    return arch, abi


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the thread that forked it ends.

    `parent` is the process that forked; if it has ended already, this process exits. From ABI 6 on,
    the signal does not arrive if the parent was confined after the fork (its domain cannot signal
    out), so callers also watch for the end of a pipe.
    """
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _no_new_privileges() -> None:
    try:
        prctl(_PR_SET_NO_NEW_PRIVS, 1)
    except OSError as error:
        raise SealUnavailable(f"no_new_privs cannot be set: {error.strerror}.") from error


def _set_limits(table: Iterable[tuple[int, int]]) -> None:
    """Lower the process's limits; one that is lower already stays."""
    for which, wanted in table:
        _, hard = resource.getrlimit(which)
        lowest = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(which, (lowest, lowest))


def _restrict_syscalls(calls: Calls, arch: Architecture) -> None:
    program = seccomp_program(calls, arch)
    fprog = Program(len(program), packed(program))
    seccomp = number("seccomp", arch)
    try:
        straggler = call(seccomp, _SECCOMP_SET_MODE_FILTER, _SECCOMP_FILTER_FLAG_TSYNC, fprog)
    except OSError as error:
        message = f"This kernel ({os.uname().release}) sets no seccomp filter: {error.strerror}."
        raise SealUnavailable(message, HINT) from error
    if straggler:
        raise SealUnavailable(f"Thread {straggler} has a seccomp filter of its own.", HINT)


# ---- Whether it is in force: some kernels, emulated ones among them, accept a filter in vain

_FAMILIES = (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK)


def check_sockets(peer: int | None = None) -> None:
    """Raise SealUnavailable if a socket of any family but `peer` can be made."""
    for family in _FAMILIES:
        if family != peer:
            _must_fail(f"opens {family.name} sockets", EPERM, _socket, family, socket.SOCK_STREAM)
    if peer is not None:
        _must_fail("opens datagram sockets", EPERM, _socket, peer, socket.SOCK_DGRAM)


def check_files(*, whole_disk: bool = False) -> None:
    """Raise SealUnavailable if the file rules are not in force."""
    if whole_disk:
        _must_fail("writes to /dev/zero", EACCES, _open, "/dev/zero", os.O_WRONLY)
    else:
        _must_fail("lists '/'", EACCES, _open, "/", os.O_RDONLY | os.O_DIRECTORY)


def _socket(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def _open(path: str, flags: int) -> None:
    os.close(os.open(path, flags | os.O_CLOEXEC))


def _must_fail(what: str, expected: int, attempt: Callable[..., None], *arguments: object) -> None:
    try:
        attempt(*arguments)
    except OSError as error:
        if error.errno == expected:
            return
        raise SealUnavailable(f"It {what}? {error} instead of a refusal.") from error
    raise SealUnavailable(f"The kernel took the rules of the seal and still {what}.")


# ---- Which files may be used
#
# Landlock denies all rights that it handles and that no rule allows, so all that the kernel knows
# are handled. Source of all numbers: include/uapi/linux/landlock.h, Linux 6.15 (ABI 7).

EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
REMOVE_DIR = 1 << 4
REMOVE_FILE = 1 << 5
MAKE_DIR = 1 << 7
MAKE_REG = 1 << 8
MAKE_SOCK = 1 << 9  # of no use to a process that may not bind
REFER = 1 << 13
TRUNCATE = 1 << 14
IOCTL_DEV = 1 << 15

_FS_RIGHTS = ((1, (1 << 13) - 1), (2, REFER), (3, TRUNCATE), (5, IOCTL_DEV))
_RIGHTS_OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

BIND_TCP = 1 << 0
CONNECT_TCP = 1 << 1
_NET_ABI = 4

SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0
SCOPE_SIGNAL = 1 << 1
_SCOPE_ABI = 6

RULE_PATH_BENEATH = 1
RULE_NET_PORT = 2

_READ = READ_FILE | READ_DIR
_WRITE = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | REFER | TRUNCATE
_RIGHTS: dict[Access, int] = {
    "list": READ_DIR,
    "read": _READ,
    "execute": _READ | EXECUTE,
    "write": _READ | _WRITE,
    "device": _READ | WRITE_FILE | IOCTL_DEV,
}

# What an older kernel leaves open although a rule would close it, by the ABI that brought it.
# Truncation (ABI 3) is not here: the system call table denies it on every kernel.
_SINCE = (
    (4, "which TCP port the broker may connect to"),
    (5, "ioctl on device nodes that may be opened"),
    (6, "signals to other processes of the same user"),
)


def handled_fs(abi: int) -> int:
    """All rights on files that a kernel of this ABI can take away."""
    return sum(rights for since, rights in _FS_RIGHTS if abi >= since)


def rights(access: Access, abi: int, *, folder: bool) -> int:
    """The rights of a rule, without those that this ABI or a single file does not know."""
    wanted = _RIGHTS[access] & handled_fs(abi)
    return wanted if folder else wanted & _RIGHTS_OF_A_FILE


def ruleset(abi: int) -> bytes:
    """The struct landlock_ruleset_attr, as long as the ABI knows it: everything is handled."""
    attr = struct.pack("=Q", handled_fs(abi))
    if abi >= _NET_ABI:
        attr += struct.pack("=Q", BIND_TCP | CONNECT_TCP)
    if abi >= _SCOPE_ABI:
        attr += struct.pack("=Q", SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL)
    return attr


def not_covered(abi: int) -> tuple[str, ...]:
    """What this kernel's Landlock cannot take away, in words; empty from ABI 6 on."""
    return tuple(f"{what} (Landlock ABI {since})" for since, what in _SINCE if abi < since)


def _restrict_files(policy: Policy, arch: Architecture, abi: int) -> None:
    handled = ruleset(abi)
    try:
        rules = call(number("landlock_create_ruleset", arch), handled, len(handled), 0)
    except OSError as error:
        raise SealUnavailable(_landlock_missing(error), HINT) from error
    add = number("landlock_add_rule", arch)
    try:
        for rule in policy.files:
            _add_file_rule(add, rules, rule, abi)
        for port in policy.connect_ports if abi >= _NET_ABI else ():
            # struct landlock_net_port_attr
            call(add, rules, RULE_NET_PORT, struct.pack("=QQ", CONNECT_TCP, port), 0)
        call(number("landlock_restrict_self", arch), rules, 0)
    except OSError as error:
        raise SealUnavailable(f"Landlock refused a rule: {error}.", HINT) from error
    finally:
        os.close(rules)


def _opened(path: Path) -> int:
    return os.open(path, os.O_PATH | os.O_CLOEXEC)


def opened_without_links(path: Path) -> int:
    """A descriptor (O_PATH) of an absolute path, opened name by name; OSError for a link in it."""
    here = _opened(Path("/"))
    for name in path.parts[1:]:
        try:
            below = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
        finally:
            os.close(here)
        if stat.S_ISLNK(os.fstat(below).st_mode):
            os.close(below)
            raise OSError(ELOOP, os.strerror(ELOOP), str(path))
        here = below
    return here


def _add_file_rule(add: int | None, rules: int, rule: FileRule, abi: int) -> None:
    try:
        opened = opened_without_links if rule.no_links else _opened
        descriptor = opened(rule.path)
    except OSError as error:
        # What is not there needs no permission: leaving it out allows less.
        if not rule.required and error.errno in {ENOENT, ENOTDIR}:
            return
        raise SealUnavailable(
            f"A file rule needs {str(rule.path)!r}: {error.strerror}.", "Nothing was read."
        ) from error
    try:
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        allowed = rights(rule.access, abi, folder=folder)
        if allowed:  # "list" on what is no folder allows nothing, which needs no rule
            # struct landlock_path_beneath_attr, which the kernel declares packed
            call(add, rules, RULE_PATH_BENEATH, struct.pack("=Qi", allowed, descriptor), 0)
    finally:
        os.close(descriptor)


def _landlock_missing(error: OSError) -> str:
    kernel = os.uname().release
    if error.errno == ENOSYS:
        return f"Landlock is not in this kernel ({kernel}); it came with Linux 5.13."
    if error.errno == EOPNOTSUPP:
        return f"Landlock is in this kernel ({kernel}) but off: add it to lsm= at boot."
    return f"Landlock cannot be used here (kernel {kernel}): {error.strerror}."


# ---- Root's rights beyond reading and writing files

# linux/capability.h, linux/prctl.h
_VERSION_3 = 0x20080522
_PR_CAPBSET_READ, _PR_CAPBSET_DROP = 23, 24
_PR_CAP_AMBIENT, _AMBIENT_IS_SET, _AMBIENT_CLEAR_ALL = 47, 1, 4
_SETPCAP, SYS_ADMIN = 1 << 8, 1 << 21
# CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER: root reads its users' documents and writes a store.
# All others go: with CAP_NET_ADMIN any socket, a pair's too, configures the network by ioctl.
KEPT = 0b1111


def held(arch: Architecture) -> tuple[int, int, int]:
    """Effective, permitted and inheritable ones; raises SealUnavailable."""
    header, data = struct.pack("=Ii", _VERSION_3, 0), bytearray(24)
    try:
        call(number("capget", arch), header, data)
    except OSError as error:
        raise SealUnavailable(f"Capabilities cannot be dropped: {error.strerror}.") from error
    words = struct.unpack("=6I", data)
    effective, permitted, inheritable = (words[at] | words[at + 3] << 32 for at in range(3))
    return effective, permitted, inheritable


def drop_capabilities(arch: Architecture, *, kept: int = KEPT) -> None:
    """Drop all capabilities but `kept`; raises SealUnavailable if others are left."""
    try:
        effective, permitted, inheritable = held(arch)
        # Where the bounding set cannot be lowered, no_new_privs alone keeps programs from it.
        bounded = bool(effective & _SETPCAP)
        if bounded:
            for bit in [bit for bit in _bounding() if not kept >> bit & 1]:
                prctl(_PR_CAPBSET_DROP, bit)
        if effective | permitted | inheritable:
            prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL)
            left = struct.pack("=6I", effective & kept, permitted & kept, 0, 0, 0, 0)
            call(number("capset", arch), struct.pack("=Ii", _VERSION_3, 0), left)
        others = _others(arch, kept, bounded=bounded)
    except OSError as error:
        raise SealUnavailable(f"Capabilities cannot be dropped: {error.strerror}.") from error
    if others:
        raise SealUnavailable(f"Capabilities were dropped and are still there: {others:#x}.")


def _others(arch: Architecture, kept: int, *, bounded: bool) -> int:
    """The bits that are in any set and should be in none."""
    effective, permitted, inheritable = held(arch)
    ambient = sum(  # nothing is in the ambient set that is not permitted
        1 << bit
        for bit in range(permitted.bit_length())
        if permitted >> bit & 1 and prctl(_PR_CAP_AMBIENT, _AMBIENT_IS_SET, bit)
    )
    bounding = sum(1 << bit for bit in _bounding()) if bounded else 0
    return (effective | permitted | bounding) & ~kept | inheritable | ambient


def _bounding() -> Iterator[int]:
    """The capabilities that a program could still be given; raises OSError."""
    for bit in range(64):
        try:
            if prctl(_PR_CAPBSET_READ, bit):
                yield bit
        except OSError as error:
            if error.errno == EINVAL:  # the kernel knows no more
                return
            raise
