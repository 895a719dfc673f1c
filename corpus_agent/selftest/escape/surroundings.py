"""Where a probe runs, and system calls by their number."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path

from indexer.confine import native_number

MESSAGE = b"probe"
libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a probe runs: the folder of corpus, store and outside, and the listener's address."""

    folder: str
    address: str = ""
    port: int = 0

    @property
    def inet(self) -> tuple[str, int]:
        """The listener's address for a call of the socket module."""
        return self.address, self.port

    def at(self, place: str) -> Path:
        """A file or folder, as in "outside/secret.txt"."""
        return Path(self.folder) / place

    @property
    def secret(self) -> Path:
        """A file that lies outside the corpus and the store."""
        return self.at("outside/secret.txt")


def checked(result: int) -> int:
    """The result of a C function, or its errno as an OSError."""
    if result < 0:
        raise failed(ctypes.get_errno())
    return result


def failed(number: int) -> OSError:
    """An errno as the OSError of a failed attempt."""
    return OSError(number, os.strerror(number))


def by_number(syscall: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char]) -> int:
    """The result of a system call; ints are widened, or half a register would be garbage."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return checked(libc.syscall(native_number(syscall), *passed))
