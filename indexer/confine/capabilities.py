"""Drops root's capabilities beyond reading and writing files, and verifies that they are gone."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from errno import EINVAL

from indexer.confine.syscalls import Architecture, call, number, prctl
from indexer.errors import SealUnavailable

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
