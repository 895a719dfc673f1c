"""From a table of denials to the seccomp program that the kernel runs at every system call; pure.

Does no input or output and knows no policy. kernel.py installs what comes out; the tests run it
in an interpreter of their own, for both architectures.

The program is built here rather than by libseccomp: that library is absent from small images and
out of the loader's sight on some systems, and its output is not a value that a test can read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from errno import ENOSYS
from typing import NamedTuple

from indexer.confine.policy import Arg, Denial
from indexer.confine.syscalls import LAST_JUDGED, Architecture, number

# linux/bpf_common.h, linux/filter.h
LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
JUMP_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
JUMP_ABOVE = 0x25  # BPF_JMP | BPF_JGT | BPF_K
RETURN = 0x06  # BPF_RET | BPF_K

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


def seccomp_program(denials: Iterable[Denial], arch: Architecture) -> tuple[Instruction, ...]:
    """The filter for `arch`: each denial's errno where its tests hold, else the call goes through.

    A call made by another architecture's convention (int 0x80 on x86_64) kills the process: its
    numbers mean other calls, and a program whose exit() merely fails would never end. A call with
    a number above LAST_JUDGED, x32 included, does not exist (ENOSYS).
    """
    program = [
        Instruction(LOAD, 0, 0, ARCH),
        Instruction(JUMP_EQUAL, 1, 0, arch.audit),
        Instruction(RETURN, 0, 0, KILL_PROCESS),
        Instruction(LOAD, 0, 0, NR),
        Instruction(JUMP_ABOVE, 0, 1, LAST_JUDGED),
        Instruction(RETURN, 0, 0, FAIL_WITH | ENOSYS),
    ]
    for denial in denials:
        nr = number(denial.syscall, arch)
        if nr is not None:
            program += _denial(nr, denial)
    return (*program, Instruction(RETURN, 0, 0, ALLOW))


def packed(program: Iterable[Instruction]) -> bytes:
    """The program as an array of struct sock_filter."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _denial(nr: int, denial: Denial) -> list[Instruction]:
    """Steps that fall through to the next denial, with the call's number loaded, or return."""
    fail = Instruction(RETURN, 0, 0, FAIL_WITH | denial.errno)
    if not denial.when:
        return [Instruction(JUMP_EQUAL, 0, 1, nr), fail]
    body: list[Instruction] = [fail]
    for test in reversed(denial.when):
        body = _test(test, skip=len(body)) + body
    # The tests overwrite the accumulator; whoever comes next finds the number in it again.
    body.append(Instruction(LOAD, 0, 0, NR))
    return [Instruction(JUMP_EQUAL, 0, len(body), nr), *body]


def _test(test: Arg, skip: int) -> list[Instruction]:
    """Steps that fall through where the test holds, else skip `skip` more instructions."""
    low = ARGS + 2 * WORD * test.argument
    steps = [Instruction(LOAD, 0, 0, low)]
    if test.wide:
        if test.value or not test.negate:
            raise ValueError("a wide test can only ask for 'is not null'")
        return [
            *steps,
            Instruction(JUMP_EQUAL, 0, 2, 0),
            Instruction(LOAD, 0, 0, low + WORD),
            Instruction(JUMP_EQUAL, skip, 0, 0),
        ]
    if test.mask != 0xFFFFFFFF:
        steps.append(Instruction(AND, 0, 0, test.mask))
    if test.negate:
        return [*steps, Instruction(JUMP_EQUAL, skip, 0, test.value)]
    return [*steps, Instruction(JUMP_EQUAL, 0, skip, test.value)]
