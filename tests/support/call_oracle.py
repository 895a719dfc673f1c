"""Asks the kernel what a filter does with a call, for any call and without making it.

A second filter tells the parent of each probe that the first let through, and the parent answers in
the kernel's place: so exit and reboot can be asked for as safely as read. Probes carry a number in
their sixth argument, which no call of ours looks at; everything else of the process is left alone.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Sequence

from indexer.confine import kernel, raw
from indexer.confine.bpf import ALLOW, ARGS, JUMP_EQUAL, LOAD, RETURN, Instruction, packed
from indexer.confine.rules import Calls
from indexer.confine.syscalls import number

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
    arch = raw.architecture()
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
    arch = raw.architecture()
    raw.prctl(38, 1)  # PR_SET_NO_NEW_PRIVS
    filter_ = raw.address(raw.Program(len(NOTIFIED), packed(NOTIFIED)))
    listener = raw.call(number("seccomp", arch), 1, NEW_LISTENER, filter_)
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
