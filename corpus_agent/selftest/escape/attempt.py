"""An attempt to get out: where it runs, and what several of them do. Acts as the attacker."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexer.confine import native_number

MESSAGE = b"probe"
WAIT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a probe runs: folders it may use, one it may not, and the listener's address."""

    root: str
    store: str
    outside: str
    address: str = ""
    port: int = 0

    @property
    def inet(self) -> tuple[str, int]:
        """The listener's address for a call of the socket module."""
        return self.address, self.port

    @property
    def secret(self) -> Path:
        """A file that lies outside the corpus and the store."""
        return Path(self.outside) / "secret.txt"


# `prepare` runs before the seal; its result is passed to `attempt`, which runs after it.
Attempt = Callable[[Surroundings, Any], object]
Prepare = Callable[[Surroundings], Any]

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> int:
    """The result of a C function, or its errno as an OSError."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def by_number(syscall: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char]) -> int:
    """The result of a system call; ints are widened, or half a register would be garbage."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return checked(libc.syscall(native_number(syscall), *passed))
