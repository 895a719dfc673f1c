"""System calls by number, for those without a Python function.

The only module of the program that calls the kernel through ctypes.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from errno import ENOSYS

from indexer.confine.syscalls import ARCHITECTURES, Architecture, number
from indexer.errors import SealUnavailable

HINT = "Nothing was read. Use --unsealed to run without protection."

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class Program(ctypes.Structure):
    """struct sock_fprog: how many instructions, and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def architecture() -> Architecture:
    """The architecture of this machine; raises SealUnavailable if it is not in the tables."""
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


def call(syscall: int | None, *arguments: object) -> int:
    """The result of a system call; raises OSError. Integers are passed as C longs."""
    if _libc is None or syscall is None:
        raise OSError(ENOSYS, os.strerror(ENOSYS))
    _libc.syscall.restype = ctypes.c_long
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in (syscall, *arguments)]
    result: int = _libc.syscall(*passed)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def prctl(option: int, *values: int) -> int:
    """The result of prctl; raises OSError."""
    return call(number("prctl", architecture()), option, *(*values, 0, 0, 0, 0)[:4])


def writable(size: int) -> ctypes.Array[ctypes.c_char]:
    """Memory of that many bytes, all zero, for the kernel to write to."""
    return ctypes.create_string_buffer(size)


def address(program: Program) -> object:
    """The program as an argument of `call`."""
    return ctypes.byref(program)
