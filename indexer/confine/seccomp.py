"""System calls that are permitted, as values, and the seccomp program that they compile to; pure.

No input or output, no policy. kernel.py installs the program; the tests run it in an interpreter of
their own, for both architectures.

It is built here rather than by libseccomp: that library is absent from small images and out of the
loader's sight on some systems, and its output is not a value that a test can read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from errno import ENOSYS, EPERM
from itertools import groupby
from typing import NamedTuple

from indexer.confine.syscalls import LAST_JUDGED, Architecture, number


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
class Denial:
    """A system call that fails with `errno`."""

    syscall: str
    errno: int = EPERM


@dataclass(frozen=True, slots=True)
class Calls:
    """The system calls of a process: permitted ones and those failing otherwise than with ENOSYS.

    All others fail with ENOSYS, so that libraries fall back to older calls. `peer` is the one
    socket family that can be created, None for none.
    """

    allowed: tuple[Allow, ...]
    denied: tuple[Denial, ...] = ()
    peer: int | None = None


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
    for denial in calls.denied:
        if (nr := number(denial.syscall, arch)) is not None:
            answers[nr] = FAIL_WITH | denial.errno
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
