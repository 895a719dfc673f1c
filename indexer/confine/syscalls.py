"""System calls: their numbers, those that a process may make, and those made without a function.

Which are permitted are values, which compile to the program that seccomp runs; both are pure. It is
built here rather than by libseccomp, which is absent from small images and whose output is no value
that a test can read: the tests run the program in an interpreter, for both architectures.

The table, syscalls.txt, ends with the last call that was judged here. Source: syscall_64.tbl and
include/uapi/asm-generic/unistd.h of Linux 6.10, compared by a test with the C headers where these
are installed. The only module of the library that calls the kernel by ctypes.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from errno import ENOSYS, EPERM
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from indexer.errors import SealUnavailable

HINT = "Nothing was read. Use --unsealed to run without protection."


@dataclass(frozen=True, slots=True)
class Architecture:
    """A machine as `uname -m` names it, with the kernel's number for its native system calls.

    Source of `audit`: AUDIT_ARCH_* in include/uapi/linux/audit.h.
    """

    machine: str
    audit: int


X86_64 = Architecture("x86_64", 0xC000003E)
AARCH64 = Architecture("aarch64", 0xC00000B7)
ARCHITECTURES = {arch.machine: arch for arch in (X86_64, AARCH64)}

# mseal, Linux 6.10. Whatever the kernel learns later has not been judged here, and does not exist
# for a confined process. The x32 calls of an x86_64 kernel have bit 30 set and fall above it too.
LAST_JUDGED = 462


def grouped(table: str) -> dict[str, list[str]]:
    """The lines of a table that lies beside this module, by the group that each is in."""
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_name(table).read_text("ascii").splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


_CALLS = {name: [*map(str.split, lines)] for name, lines in grouped("syscalls.txt").items()}
NUMBERS = {name: numbers for calls in _CALLS.values() for name, *numbers in calls}


def group(name: str) -> tuple[str, ...]:
    """The calls of the groups that begin with a name, as in "refused"; KeyError for none."""
    found = [call for each, calls in _CALLS.items() if each.startswith(name) for call, *_ in calls]
    if not found:
        raise KeyError(name)
    return tuple(found)


def number(name: str, arch: Architecture) -> int | None:
    """The call's number on `arch`, None where it has none; KeyError where the table has none."""
    found = NUMBERS[name][0 if arch is X86_64 else 1]
    return None if found == "-" else int(found)


def architecture() -> Architecture:
    """The architecture of this machine; raises SealUnavailable if it is not in the table."""
    if sys.platform != "linux":
        raise SealUnavailable(f"The seal needs Linux, and this is {sys.platform}.", HINT)
    arch = ARCHITECTURES.get(os.uname().machine)
    # A 32-bit Python on a 64-bit kernel reports the kernel's machine and calls by other numbers.
    if arch is None or struct.calcsize("P") != 8 or sys.byteorder != "little":
        found = f"{os.uname().machine}, {8 * struct.calcsize('P')} bits, {sys.byteorder}-endian"
        known = " and ".join(ARCHITECTURES)
        raise SealUnavailable(f"The seal knows {known} (64 bits), and this is {found}.", HINT)
    return arch


def native_number(syscall: str) -> int:
    """The number of a system call on this machine; raises OSError (ENOSYS) if it has none."""
    found = number(syscall, architecture())
    if found is None:
        raise OSError(ENOSYS, os.strerror(ENOSYS), syscall)
    return found


# ---- Making them

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class Program(ctypes.Structure):
    """struct sock_fprog: how many instructions, and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def call(syscall: int | None, *arguments: object) -> int:
    """The result of a system call; raises OSError. The kernel may write to a bytearray."""
    if _libc is None or syscall is None:
        raise OSError(ENOSYS, os.strerror(ENOSYS))
    _libc.syscall.restype = ctypes.c_long
    result: int = _libc.syscall(*map(_passed, (syscall, *arguments)))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def _passed(argument: object) -> object:
    if isinstance(argument, int):
        return ctypes.c_long(argument)
    if isinstance(argument, bytearray):
        return (ctypes.c_char * len(argument)).from_buffer(argument)
    return ctypes.byref(argument) if isinstance(argument, Program) else argument


def prctl(option: int, *values: int) -> int:
    """The result of prctl; raises OSError."""
    return call(number("prctl", architecture()), option, *(*values, 0, 0, 0, 0)[:4])


# ---- Those that a process may make


@dataclass(frozen=True, slots=True)
class Arg:
    """A condition on one argument of a system call: `(argument & mask) == value`, or not.

    Looks at the low 32 bits, which is all that the kernel takes of an int; with `wide`, at all 64
    bits, and then value is 0 and there is no mask (for pointers: "is null").
    """

    argument: int
    value: int = 0
    negate: bool = False
    mask: int = 0xFFFFFFFF
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Allow:
    """A system call that is permitted if every test holds; always, without tests.

    Several for one call are alternatives. If none holds, the call fails with EPERM.
    """

    syscall: str
    when: tuple[Arg, ...] = ()


@dataclass(frozen=True, slots=True)
class Calls:
    """The system calls of a process: permitted ones, and those `denied`, which fail with `errno`.

    All others fail with ENOSYS, so that libraries fall back to older calls. `peer` is the one
    socket family that can be created, None for none.
    """

    allowed: tuple[Allow, ...]
    denied: tuple[str, ...] = ()
    peer: int | None = None
    errno: int = EPERM


# ---- The program that the kernel runs at each call

# linux/bpf_common.h, linux/filter.h
LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
JUMP_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
JUMP_ABOVE = 0x25  # BPF_JMP | BPF_JGT | BPF_K
RETURN = 0x06  # BPF_RET | BPF_K
_MOST_SKIPPED = 255  # a jump's distance is one byte

# linux/seccomp.h
ALLOW = 0x7FFF0000
FAIL_WITH = 0x00050000  # SECCOMP_RET_ERRNO; the low 16 bits are the errno
KILL_PROCESS = 0x80000000

# struct seccomp_data: int nr; u32 arch; u64 instruction_pointer; u64 args[6]
NR, ARCH, ARGS = 0, 4, 16
WORD = 4  # both architectures are little-endian: the low word of an argument comes first


class Instruction(NamedTuple):
    """One step of classic BPF: jumps count the instructions to skip."""

    code: int
    jump_true: int
    jump_false: int
    k: int


def seccomp_program(calls: Calls, arch: Architecture) -> tuple[Instruction, ...]:
    """The filter for `arch`: allowed calls go through, all others fail.

    A call made by another architecture's convention (int 0x80 on x86_64) kills the process: its
    numbers mean other calls, and a program whose exit() merely fails would never end. A call with
    a number above LAST_JUDGED, x32 included, does not exist (ENOSYS).

    Calls with conditions come first, then runs of numbers with one answer each, in order. Of the
    latter the kernel keeps a map of those that always go through, and runs no program for them.
    """
    program = [
        Instruction(LOAD, 0, 0, ARCH),
        Instruction(JUMP_EQUAL, 1, 0, arch.audit),
        Instruction(RETURN, 0, 0, KILL_PROCESS),
        Instruction(LOAD, 0, 0, NR),
    ]
    answers = dict.fromkeys(range(LAST_JUDGED + 1), FAIL_WITH | ENOSYS)
    for name in calls.denied:
        if (nr := number(name, arch)) is not None:
            answers[nr] = FAIL_WITH | calls.errno
    for nr, alternatives in _by_number(calls.allowed, arch):
        if any(not allow.when for allow in alternatives):
            answers[nr] = ALLOW
        else:
            program += _conditional(nr, alternatives)
            answers[nr] = FAIL_WITH | EPERM
    for answer, run in groupby(sorted(answers), key=answers.__getitem__):
        *_, last = run
        program += [Instruction(JUMP_ABOVE, 1, 0, last), Instruction(RETURN, 0, 0, answer)]
    return (*program, Instruction(RETURN, 0, 0, FAIL_WITH | ENOSYS))


def packed(program: Iterable[Instruction]) -> bytes:
    """The program as an array of struct sock_filter."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _by_number(
    allowed: Iterable[Allow], arch: Architecture
) -> Iterable[tuple[int, tuple[Allow, ...]]]:
    """Each call that `arch` has, with its alternatives."""
    found: dict[int, tuple[Allow, ...]] = {}
    for allow in allowed:
        if (nr := number(allow.syscall, arch)) is not None:
            found[nr] = (*found.get(nr, ()), allow)
    return found.items()


def _conditional(nr: int, alternatives: Iterable[Allow]) -> list[Instruction]:
    """Steps that return for the call `nr` and fall through, with the number loaded, for others."""
    body: list[Instruction] = []
    for allow in alternatives:
        steps = [Instruction(RETURN, 0, 0, ALLOW)]
        for test in reversed(allow.when):
            steps = _test(test, skip=len(steps)) + steps
        body += steps
    body.append(Instruction(RETURN, 0, 0, FAIL_WITH | EPERM))
    assert len(body) <= _MOST_SKIPPED, f"too many conditions for call {nr}"
    return [Instruction(JUMP_EQUAL, 0, len(body), nr), *body]


def _test(test: Arg, skip: int) -> list[Instruction]:
    """Steps that fall through where the test holds, else skip `skip` more instructions."""
    low = ARGS + 2 * WORD * test.argument
    steps = [Instruction(LOAD, 0, 0, low)]
    if test.wide:
        if test.value or test.negate:
            raise ValueError("a wide test can only ask for 'is null'")
        return [
            *steps,
            Instruction(JUMP_EQUAL, 0, skip + 2, 0),
            Instruction(LOAD, 0, 0, low + WORD),
            Instruction(JUMP_EQUAL, 0, skip, 0),
        ]
    if test.mask != 0xFFFFFFFF:
        steps.append(Instruction(AND, 0, 0, test.mask))
    if test.negate:
        return [*steps, Instruction(JUMP_EQUAL, skip, 0, test.value)]
    return [*steps, Instruction(JUMP_EQUAL, 0, skip, test.value)]
