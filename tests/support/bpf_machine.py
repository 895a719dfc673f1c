"""Runs a seccomp program as the kernel would: classic BPF, as far as it is used."""

import struct
from collections.abc import Sequence

from indexer.confine import bpf
from indexer.confine.syscalls import Architecture, number


def verdict(program: Sequence[bpf.Instruction], data: bytes) -> int:
    """What the program returns for a struct seccomp_data; falls off the end: IndexError."""
    accumulator = at = 0
    while True:
        code, jump_true, jump_false, k = program[at]
        at += 1
        if code == bpf.LOAD:
            (accumulator,) = struct.unpack_from("=I", data, k)
        elif code == bpf.AND:
            accumulator &= k
        elif code == bpf.JUMP_EQUAL:
            at += jump_true if accumulator == k else jump_false
        elif code == bpf.JUMP_ABOVE:
            at += jump_true if accumulator > k else jump_false
        elif code == bpf.RETURN:
            return k
        else:
            raise ValueError(f"unknown instruction {code:#x}")


def call(
    program: Sequence[bpf.Instruction], arch: Architecture, name: str | int, *arguments: int
) -> int | str | None:
    """The errno that a system call fails with, "killed", or None where it goes through."""
    nr = name if isinstance(name, int) else number(name, arch)
    assert nr is not None, f"{arch.machine} has no {name}"
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    returned = verdict(program, struct.pack("=IIQ6Q", nr, arch.audit, 0, *padded))
    if returned == bpf.ALLOW:
        return None
    if returned == bpf.KILL_PROCESS:
        return "killed"
    assert returned & 0xFFFF0000 == bpf.FAIL_WITH
    return returned & 0xFFFF
