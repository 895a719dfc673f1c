"""The kernel is asked about every call.

Run as a program (`python -m tests.indexer.confine.test_kernel_answers`) it asks and prints JSON: of
each table of calls, with each bit of the arguments turned round where they matter, where the kernel
answers otherwise than docs/system-calls.md and the conditions below say. test_confine.py takes the
tables and the page from here, for the machine that this one is not.
"""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from indexer.confine import kernel, one_peer, parser_calls, program_calls, sealed_calls, syscalls
from indexer.confine.syscalls import (
    ALLOW,
    ARGS,
    JUMP_EQUAL,
    LOAD,
    NUMBERS,
    RETURN,
    Architecture,
    Calls,
    Instruction,
    number,
    packed,
)
from tests.support.places import REPOSITORY

pytestmark = pytest.mark.slow


def test_the_kernel_answers_every_call_as_the_documents_say():
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert {kind: found["wrong"] for kind, found in answers.items() if found["wrong"]} == {}
    assert len(answers) == 8
    assert all(found["probes"] > 5000 for found in answers.values())


# ---- The kernel's answer to any call, without making it
#
# A second filter tells the parent of each probe that the first let through, and the parent answers
# in the kernel's place: so exit and reboot can be asked for as safely as read. Probes carry a
# number in their sixth argument, which no call of ours looks at.

PROBE = 0x5EA15EA1
THROUGH = 133  # EHWPOISON: what the parent answers in the kernel's place; no filter of ours does
USER_NOTIFICATION = 0x7FC00000
NEW_LISTENER = 1 << 3
RECEIVE, ANSWER = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_RECV, _SEND
NOTIFIED = (
    Instruction(LOAD, 0, 0, ARGS + 5 * 8),
    Instruction(JUMP_EQUAL, 0, 1, PROBE),
    Instruction(RETURN, 0, 0, USER_NOTIFICATION),
    Instruction(RETURN, 0, 0, ALLOW),
)
WAIT_SECONDS = 20

Probe = tuple[str, tuple[int, ...]]  # a call and its arguments, five at most

_syscall = ctypes.CDLL(None, use_errno=True).syscall
_syscall.argtypes = [ctypes.c_long] + [ctypes.c_ulong] * 6
_syscall.restype = ctypes.c_long


def answers(calls: Calls, probes: Sequence[Probe]) -> list[int]:
    """What the kernel says to each probe under `calls`: an errno, THROUGH where it goes through.

    0 is for probes that were not reached, because the process could not live with the filter.
    """
    arch = syscalls.architecture()
    asked = [(number(name, arch), *(*values, 0, 0, 0, 0, 0)[:5]) for name, values in probes]
    shared = mmap.mmap(-1, 8 * (len(probes) + 1))
    found = (ctypes.c_int64 * (len(probes) + 1)).from_buffer(shared)
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        _ask(theirs, calls, asked, found)
    with ours, theirs:
        _, (listener, *_), _, _ = socket.recv_fds(ours, 1, 1)
    _answer(listener, pid, found)
    os.close(listener)
    return list(found[:-1])


def _ask(
    channel: socket.socket, calls: Calls, asked: Sequence[tuple[int, ...]], found: ctypes.Array
) -> None:
    """The child: every probe's answer, then a one at the end; ends by being killed."""
    arch = syscalls.architecture()
    syscalls.prctl(38, 1)  # PR_SET_NO_NEW_PRIVS
    filter_ = syscalls.Program(len(NOTIFIED), packed(NOTIFIED))
    listener = syscalls.call(number("seccomp", arch), 1, NEW_LISTENER, filter_)
    socket.send_fds(channel, [b"-"], [listener])
    os.close(listener)
    kernel._restrict_syscalls(calls, arch)
    for at, (nr, *values) in enumerate(asked):
        _syscall(nr, *values, PROBE)
        found[at] = ctypes.get_errno()
    found[len(asked)] = 1
    while True:
        pass


def _answer(listener: int, pid: int, found: ctypes.Array) -> None:
    """Answer in the kernel's place until the child is done, and end it."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    deadline = time.monotonic() + WAIT_SECONDS
    buffer = bytearray(80)
    while not found[len(found) - 1] and time.monotonic() < deadline:
        events = poll.poll(1)
        if events and events[0][1] & select.POLLIN:
            buffer[:] = bytes(80)
            fcntl.ioctl(listener, RECEIVE, buffer)
            (notification,) = struct.unpack_from("=Q", buffer)
            fcntl.ioctl(listener, ANSWER, struct.pack("=QqiI", notification, 0, -THROUGH, 0))
        elif events:
            break  # the child has ended
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


GARBAGE = 0xDEADBEEF << 32  # upper half of a register, which the kernel ignores in an int
POINTER = 0x7FFF_0000_1234
PID = 77  # of the process itself, where it is part of a filter

O_TRUNC = 0x200
NEW = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
PARENT, PTRACE, THREAD = 0x8000, 0x2000, 0x10000
FASTOPEN = 0x20000000

FCNTLS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1027, 1030, 1031, 1032, 1033, 1034)
PRCTLS = (1, 2, 3, 15, 16, 21, 23, 24, 29, 38, 39, 41, 42, 47, 50, 51, 0x53564D41)
IOCTLS = (
    0x5401, 0x5402, 0x5403, 0x5404, 0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D,
    0x5409, 0x540B, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451,
)  # fmt: skip
# SETOWN GETOWN SETSIG SETOWN_EX SETLEASE NOTIFY
BAD_FCNTLS = (8, 9, 10, 15, 1024, 1026)
# SET_DUMPABLE SET_SECCOMP SET_MM SCHED_CORE SET_PTRACER
BAD_PRCTLS = (4, 22, 35, 62, 0x59616D61)
# STI LINUX SCTTY SPGRP SIOCGIFCONF SIOCSIFADDR FIOSETOWN FIOASYNC, and of GPUs: NVIDIA UVM KFD DRM
BAD_IOCTLS = (0x5412, 0x541C, 0x540E, 0x5410, 0x8912, 0x8916, 0x8901, 0x5452)
GPU_IOCTLS = (0xC048462A, 0x30000001, 0x4B01, 0xC0406400, 0xD400, 0x0900)


def _low(value: int) -> int:
    return value & 0xFFFFFFFF


def _open(flags: int) -> bool:
    return not (flags & O_TRUNC and flags & 3 in (0, 3))


def _clone(kind: str, flags: int) -> bool:
    if flags & (sum(NEW) | PARENT | PTRACE):
        return False
    return _own(kind) or bool(flags & THREAD)


def _ioctl(kind: str, command: int) -> bool:
    if kind.endswith("+gpu") and command & 0xFF00 not in (0x5400, 0x8900):
        return True
    return command in IOCTLS


SPEC: dict[str, Callable[[str, int, int, int, int, int], bool]] = {
    "open": lambda kind, a, b, c, d, e: _open(b),
    "openat": lambda kind, a, b, c, d, e: _open(c),
    "fcntl": lambda kind, a, b, c, d, e: _low(b) in FCNTLS,
    "prctl": lambda kind, a, b, c, d, e: _low(a) in PRCTLS,
    "ioctl": lambda kind, a, b, c, d, e: _ioctl(kind, _low(b)),
    "prlimit64": lambda kind, a, b, c, d, e: _low(a) == 0,
    "sched_setaffinity": lambda kind, a, b, c, d, e: _low(a) == 0,
    "setpriority": lambda kind, a, b, c, d, e: _low(a) == 0 == _low(b),
    "utimensat": lambda kind, a, b, c, d, e: b == 0,
    "sendto": lambda kind, a, b, c, d, e: e == 0 and not d & FASTOPEN,
    "sendmsg": lambda kind, a, b, c, d, e: not c & FASTOPEN,
    "sendmmsg": lambda kind, a, b, c, d, e: not d & FASTOPEN,
    "setsockopt": lambda kind, a, b, c, d, e: _low(b) in (1, 6),
    "socketpair": lambda kind, a, b, c, d, e: _low(a) == 1 and b & 0xF == 1,
    "clone": lambda kind, a, b, c, d, e: _clone(kind.removesuffix("+gpu"), a),
    "kill": lambda kind, a, b, c, d, e: _kill(kind, _low(a)),
    "tgkill": lambda kind, a, b, c, d, e: _own(kind) or _low(a) == PID,
    "socket": lambda kind, a, b, c, d, e: _low(a) == _family(kind) and b & 0xF == 1,
}  # fmt: skip


def _own(kind: str) -> bool:
    """Whether it is the program itself, which starts others."""
    return kind.removesuffix("+gpu") in ("program", "web")


def _kill(kind: str, pid: int) -> bool:
    return 0 < pid < 1 << 31 if _own(kind) else pid == PID


def _family(kind: str) -> int:
    return {"broker": 2, "llama-server": 1, "llama-server+gpu": 1}[kind]


def tried(name: str) -> Iterator[tuple[int, ...]]:
    """Arguments to try for a conditional call, good and bad, and with each bit turned round."""
    for values in starts(name):
        yield values
        for at, value in enumerate(values):
            for bit in range(33):
                yield (*values[:at], value ^ 1 << bit, *values[at + 1 :])


def starts(name: str) -> tuple[tuple[int, ...], ...]:
    """Arguments to try for a conditional call, good and bad."""
    flags = tuple(mode | extra for mode in range(4) for extra in (0, O_TRUNC, 0x80000, 0x80241))
    found: dict[str, tuple[tuple[int, ...], ...]] = {
        "open": tuple((POINTER, flag, 0, 0, 0) for flag in flags),
        "openat": tuple((3, POINTER, flag, 0, 0) for flag in flags),
        "fcntl": tuple((3, command, 5, 0, 0) for command in (*FCNTLS, *BAD_FCNTLS)),
        "prctl": tuple((option, 1, 0, 0, 0) for option in (*PRCTLS, *BAD_PRCTLS)),
        "ioctl": tuple((3, c, POINTER, 0, 0) for c in (*IOCTLS, *BAD_IOCTLS, *GPU_IOCTLS)),
        "prlimit64": ((0, 7, POINTER, 0, 0), (PID, 7, POINTER, 0, 0), (GARBAGE, 7, 0, POINTER, 0)),
        "sched_setaffinity": ((0, 8, POINTER, 0, 0), (PID, 8, POINTER, 0, 0)),
        "setpriority": ((0, 0, 5, 0, 0), (1, 0, 5, 0, 0), (0, PID, 5, 0, 0)),
        "utimensat": ((3, 0, 0, 0, 0), (3, POINTER, 0, 0, 0), (3, 1 << 32, 0, 0, 0)),
        "sendto": tuple((3, POINTER, 5, *rest) for rest in (
            (0, 0), (0x4000, POINTER), (0, 1 << 32), (FASTOPEN, 0),
        )),
        "sendmsg": ((3, POINTER, 0x4000, 0, 0), (3, POINTER, FASTOPEN, 0, 0)),
        "sendmmsg": ((3, POINTER, 1, 0x4000, 0), (3, POINTER, 1, FASTOPEN, 0)),
        "setsockopt": ((3, 1, 9, POINTER, 4), (3, 6, 1, POINTER, 4), (3, 41, 57, POINTER, 4)),
        "socketpair": tuple((*pair, 0, POINTER, 0) for pair in (
            (1, 1), (1, 2), (1, 0x80801), (2, 1),
        )),
        "clone": tuple((f, 0, 0, 0, 0) for f in (17, 0x3D0F00, 0x4111, *(n | 17 for n in NEW))),
        "kill": ((PID, 9, 0, 0, 0), (0, 9, 0, 0, 0), (0xFFFFFFFF, 9, 0, 0, 0), (78, 9, 0, 0, 0)),
        "tgkill": ((PID, PID, 6, 0, 0), (78, 78, 6, 0, 0)),
        "socket": tuple((family, kind, 0, 0, 0) for family in (1, 2, 10, 16) for kind in (1, 2, 3)),
    }  # fmt: skip
    return found[name]


TABLES: dict[str, Calls] = {
    "program": sealed_calls(),
    "web": sealed_calls(serving=True),
    "parser": parser_calls(PID),
    "broker": one_peer(socket.AF_INET),
    "llama-server": one_peer(socket.AF_UNIX, serve=True),
    "ripgrep": program_calls(PID),
    "program+gpu": sealed_calls(gpu=True),
    "llama-server+gpu": one_peer(socket.AF_UNIX, serve=True, gpu=True),
}
WORDS = {"yes": THROUGH, "EPERM": errno.EPERM, "–": errno.ENOSYS}


def written() -> dict[str, dict[str, str]]:
    """docs/system-calls.md: for each kind of process a word for each call."""
    page = (REPOSITORY / "docs" / "system-calls.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("|")]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    (_, *heads), _, *rows = cells
    found: dict[str, dict[str, str]] = {head: dict.fromkeys(NUMBERS, "–") for head in heads}
    for calls, *words in rows:
        for head, word in zip(heads, words, strict=True):
            found[head] |= dict.fromkeys(calls.replace("`", "").split(", "), word)
    return found


def wrong(
    kind: str, words: dict[str, str], arch: Architecture, ask: Callable[..., list[int]] = answers
) -> dict[str, Any]:
    """How much was asked of one table, and the answers that are not as they are written down."""
    here = [name for name in NUMBERS if number(name, arch) is not None]
    asked = [
        (name, values)
        for name in here
        for values in (tried(name) if name in SPEC else [(0, 0, 0, 0, 0)])
    ]
    found = []
    for (name, values), answer in zip(asked, ask(TABLES[kind], asked), strict=True):
        is_so = WORDS.get(words[name]) or (THROUGH if SPEC[name](kind, *values) else errno.EPERM)
        found += [] if answer == is_so else [f"{name} {values}: {answer}"]
    return {"probes": len(asked), "wrong": found[:50]}


if __name__ == "__main__":
    page, here = written(), syscalls.architecture()
    answered = {kind: wrong(kind, page[kind.removesuffix("+gpu")], here) for kind in TABLES}
    print(json.dumps(answered))
