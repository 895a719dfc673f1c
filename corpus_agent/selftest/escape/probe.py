"""A way out of the process: what runs before the seal, what is tried after it, what stops it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from errno import EPERM
from pathlib import Path
from typing import Any, Literal

from indexer.confine import Policy, native_number
from indexer.parsers.limits import worker_policy

MESSAGE = b"probe"
WAIT_SECONDS = 10

Kind = Literal["tcp4", "tcp6", "udp4", "stream", "datagram", "abstract"]


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


# `prepare` runs before the seal; its result is passed to `attempt`, which runs after it. A failed
# attempt raises OSError.
Attempt = Callable[[Surroundings, Any], object]
Prepare = Callable[[Surroundings], Any]


@dataclass(frozen=True, slots=True)
class Probe:
    """One way out.

    `expected` are the errnos that the seal may answer with, `lacking` those with which a system may
    refuse the attempt without a seal: too old, too strict, or not root. `connected`: `prepare`
    opens the connection, so that only data sent over it counts. `confined` is the policy of a
    process that is confined further inside the seal. `serves`: `prepare` makes a socket that
    listens, and the seal leaves it. `since_abi` is the first Landlock ABI with which the seal
    closes it. `directly` replaces `attempt` in the control where that goes through something
    outside the seal.
    """

    name: str
    what: str
    attempt: Attempt
    expected: tuple[int, ...] = (EPERM,)
    lacking: tuple[int, ...] = ()
    listener: Kind | None = None
    prepare: Prepare = lambda _: None
    connected: bool = False
    threads: bool = False
    confined: Callable[[], Policy] | None = None
    serves: bool = False
    since_abi: int = 1
    directly: Attempt | None = None


PROBES: dict[str, Probe] = {}


def also(name: str, what: str, attempt: Attempt, **more: Any) -> None:  # noqa: ANN401 - fields
    """Add a probe; `more` are fields of Probe."""
    PROBES[name] = Probe(name, what, attempt, **more)


def probe(name: str, **more: Any) -> Callable[[Attempt], Attempt]:  # noqa: ANN401 - as `also`
    """Add the decorated attempt as a probe, described by its own docstring."""

    def add(attempt: Attempt) -> Attempt:
        what = (attempt.__doc__ or "").splitlines()[0].rstrip(".")
        also(name, what[:1].lower() + what[1:], attempt, **more)
        return attempt

    return add


def of_a_parser(name: str, what: str, attempt: Attempt, **more: Any) -> None:  # noqa: ANN401
    """Add a probe that is made from a parser's process."""
    also(name, what, attempt, **{"confined": worker_policy, **more})


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
