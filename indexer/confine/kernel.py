"""Applies a policy to this process for good: capabilities, limits, Landlock, seccomp.

The only module that talks to the kernel by number. Decides nothing: what is denied is policy.py,
how it is written down for the kernel bpf.py and landlock.py. Every step either took effect or
raises SealUnavailable; there is no way through with less.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import stat
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from errno import ENOENT, ENOSYS, ENOTDIR, EOPNOTSUPP

from indexer.confine import landlock
from indexer.confine.bpf import packed, seccomp_program
from indexer.confine.policy import Denial, FileRule, Limits, Policy
from indexer.confine.syscalls import ARCHITECTURES, Architecture, number
from indexer.errors import SealUnavailable

# linux/prctl.h, linux/seccomp.h, linux/landlock.h, linux/capability.h
_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_FILTER_FLAG_TSYNC = 1
_LANDLOCK_CREATE_RULESET_VERSION = 1
_CAPABILITY_VERSION_3 = 0x20080522
# CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER: root reads its users' documents and writes a store.
# All others go: with CAP_NET_ADMIN any socket, a pair's too, configures the network by ioctl.
_KEPT_CAPABILITIES = 0b1111

_HINT = "Nothing was read. Use --unsealed to run without protection."


@dataclass(frozen=True, slots=True)
class Confinement:
    """What holds from now on; `not_covered` says in words what this kernel cannot enforce."""

    landlock_abi: int
    not_covered: tuple[str, ...]


def confine(policy: Policy) -> Confinement:
    """Confine this process, and all that it will start, to `policy`; there is no way back.

    Raises SealUnavailable where the kernel cannot, and where other threads run already: Landlock
    would leave them free. `not_covered` is not empty below Landlock ABI 6.
    """
    arch, abi = check_kernel()
    threads = _threads()
    if threads > 1:
        raise SealUnavailable(
            f"{threads} threads run in this process, and file rules reach only the calling one.",
            "Seal before any library that starts threads is imported.",
        )
    _no_new_privileges()
    _drop_capabilities(arch)
    _set_limits(policy.limits)
    _restrict_files(policy, arch, abi)
    _restrict_syscalls(policy.denied, arch)
    return Confinement(abi, landlock.not_covered(abi))


def restrict_syscalls(denied: Iterable[Denial]) -> None:
    """Deny system calls to all threads of this process, running ones included; no file rules."""
    arch = _architecture()
    _no_new_privileges()
    _restrict_syscalls(denied, arch)


def check_kernel() -> tuple[Architecture, int]:
    """The architecture and the Landlock ABI of this kernel.

    Raises SealUnavailable, and says what is missing: Linux, a known architecture, or Landlock.
    Seccomp can only be found missing by setting a filter.
    """
    arch = _architecture()
    create = number("landlock_create_ruleset", arch)
    try:
        abi = _syscall(create, None, 0, _LANDLOCK_CREATE_RULESET_VERSION)
    except OSError as error:
        raise SealUnavailable(_landlock_missing(error), _HINT) from error
    return arch, abi


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the thread that forked it ends.

    `parent` is the process that forked; if it is gone already, this process ends here. From ABI 6
    on a parent that was confined after the fork may not even do this (its domain sends no signals
    out), so watch for the end of a pipe as well.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def native_number(syscall: str) -> int:
    """The number of a system call on this machine. Raises OSError (ENOSYS) where it has none."""
    found = number(syscall, _architecture())
    if found is None:
        raise OSError(ENOSYS, os.strerror(ENOSYS), syscall)
    return found


def _architecture() -> Architecture:
    if sys.platform != "linux":
        raise SealUnavailable(f"The seal needs Linux, and this is {sys.platform}.", _HINT)
    arch = ARCHITECTURES.get(os.uname().machine)
    # A 32-bit Python on a 64-bit kernel reports the kernel's machine and calls by other numbers.
    if arch is None or struct.calcsize("P") != 8 or sys.byteorder != "little":
        found = f"{os.uname().machine}, {8 * struct.calcsize('P')} bits, {sys.byteorder}-endian"
        known = " and ".join(ARCHITECTURES)
        raise SealUnavailable(f"The seal knows {known} (64 bits), and this is {found}.", _HINT)
    return arch


def _landlock_missing(error: OSError) -> str:
    kernel = os.uname().release
    if error.errno == ENOSYS:
        return f"Landlock is not in this kernel ({kernel}); it came with Linux 5.13."
    if error.errno == EOPNOTSUPP:
        return f"Landlock is in this kernel ({kernel}) but off: add it to lsm= at boot."
    return f"Landlock cannot be used here (kernel {kernel}): {error.strerror}."


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208
    except OSError as error:
        raise SealUnavailable(
            f"The threads of this process cannot be counted: {error}.", "Mount /proc."
        ) from error


def _no_new_privileges() -> None:
    try:
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    except OSError as error:
        raise SealUnavailable(f"no_new_privs cannot be set: {error.strerror}.") from error


def _drop_capabilities(arch: Architecture) -> None:
    """Give up what root could do beyond reading and writing files; nothing for other users."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    data = ctypes.create_string_buffer(24)
    try:
        _syscall(number("capget", arch), header, data)
        effective, permitted, _, high_effective, high_permitted, _ = struct.unpack("=6I", data.raw)
        if not (effective | permitted | high_effective | high_permitted):
            return
        kept = (effective & _KEPT_CAPABILITIES, permitted & _KEPT_CAPABILITIES, 0, 0, 0, 0)
        _syscall(number("capset", arch), header, struct.pack("=6I", *kept))
    except OSError as error:
        raise SealUnavailable(f"Capabilities cannot be dropped: {error.strerror}.") from error


def _set_limits(limits: Limits) -> None:
    """Lower the process's limits; one that is lower already stays."""
    for which, wanted in (
        # 1 byte, not 0: only 1 also stops a dump that goes into a pipe, as core(5) says.
        (resource.RLIMIT_CORE, 1),
        (resource.RLIMIT_AS, limits.address_space_bytes),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
    ):
        _, hard = resource.getrlimit(which)
        if wanted is not None:
            lowest = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(which, (lowest, lowest))


def _restrict_files(policy: Policy, arch: Architecture, abi: int) -> None:
    attr = landlock.ruleset(abi)
    try:
        ruleset = _syscall(number("landlock_create_ruleset", arch), attr, len(attr), 0)
    except OSError as error:
        raise SealUnavailable(_landlock_missing(error), _HINT) from error
    add = number("landlock_add_rule", arch)
    try:
        for rule in policy.files:
            _add_file_rule(add, ruleset, rule, abi)
        for port in landlock.port_rules(policy.connect_ports, abi):
            _syscall(add, ruleset, landlock.RULE_NET_PORT, port, 0)
        _syscall(number("landlock_restrict_self", arch), ruleset, 0)
    except OSError as error:
        raise SealUnavailable(f"Landlock refused a rule: {error}.", _HINT) from error
    finally:
        os.close(ruleset)


def _add_file_rule(add: int | None, ruleset: int, rule: FileRule, abi: int) -> None:
    try:
        descriptor = os.open(rule.path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        # What is not there needs no permission: leaving it out allows less.
        if not rule.required and error.errno in {ENOENT, ENOTDIR}:
            return
        raise SealUnavailable(
            f"A file rule needs {str(rule.path)!r}: {error.strerror}.", "Nothing was read."
        ) from error
    try:
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        allowed = landlock.rights(rule.access, abi, folder=folder)
        if allowed:  # "list" on what is no folder allows nothing, which needs no rule
            packed_rule = landlock.path_rule(allowed, descriptor)
            _syscall(add, ruleset, landlock.RULE_PATH_BENEATH, packed_rule, 0)
    finally:
        os.close(descriptor)


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _restrict_syscalls(denied: Iterable[Denial], arch: Architecture) -> None:
    program = seccomp_program(denied, arch)
    fprog = _Program(len(program), packed(program))
    call = number("seccomp", arch)
    try:
        straggler = _syscall(
            call, _SECCOMP_SET_MODE_FILTER, _SECCOMP_FILTER_FLAG_TSYNC, ctypes.byref(fprog)
        )
    except OSError as error:
        message = f"This kernel ({os.uname().release}) sets no seccomp filter: {error.strerror}."
        raise SealUnavailable(message, _HINT) from error
    if straggler:
        raise SealUnavailable(f"Thread {straggler} has a seccomp filter of its own.", _HINT)


_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _syscall(call: int | None, *arguments: object) -> int:
    """The result of a system call; raises OSError. Integers are passed as C longs."""
    if _libc is None or call is None:
        raise OSError(ENOSYS, os.strerror(ENOSYS))
    _libc.syscall.restype = ctypes.c_long
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in (call, *arguments)]
    result: int = _libc.syscall(*passed)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def _prctl(option: int, value: int) -> None:
    machine = _architecture()
    _syscall(number("prctl", machine), option, value, 0, 0, 0)
