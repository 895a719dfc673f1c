"""System calls: their numbers per architecture, from syscalls.txt, and those without a function.

The table ends with the last call that was judged here. Source: arch/x86/entry/syscalls/
syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux 6.10, compared by a test with the C
headers where these are installed. The only module of the library that calls the kernel by ctypes.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from dataclasses import dataclass
from errno import ENOSYS
from pathlib import Path

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
_NUMBERS = {name: numbers for calls in _CALLS.values() for name, *numbers in calls}


def group(name: str) -> tuple[str, ...]:
    """The calls of the groups that begin with a name, as in "refused"; KeyError for none."""
    found = [call for each, calls in _CALLS.items() if each.startswith(name) for call, *_ in calls]
    if not found:
        raise KeyError(name)
    return tuple(found)


def number(name: str, arch: Architecture) -> int | None:
    """The call's number on `arch`, None where it has none; KeyError where the table has none."""
    found = _NUMBERS[name][0 if arch is X86_64 else 1]
    return None if found == "-" else int(found)


def names() -> tuple[str, ...]:
    """Every name in the table, sorted."""
    return tuple(sorted(_NUMBERS))


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
