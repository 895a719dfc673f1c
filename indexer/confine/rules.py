"""The language in which calls.py says what system calls a process may make; values and no more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from errno import EPERM


@dataclass(frozen=True, slots=True)
class Arg:
    """A condition on one argument of a system call: `(argument & mask) == value`, or not.

    Looks at the low 32 bits, which is all that the kernel takes of an int; with `wide`, at all 64
    bits, and then value is 0 and there is no mask (for pointers: "is null").
    """

    argument: int
    value: int = 0
    negate: bool = False
    mask: int = 0xFFFFFFFF
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Allow:
    """A system call that goes through where every test holds; no tests: always.

    Several for one call are alternatives. Where none holds, the call fails with EPERM.
    """

    syscall: str
    when: tuple[Arg, ...] = ()


@dataclass(frozen=True, slots=True)
class Denial:
    """A system call that fails with `errno`."""

    syscall: str
    errno: int = EPERM


@dataclass(frozen=True, slots=True)
class Calls:
    """The system calls of a process: those allowed, and those that fail otherwise than unknown.

    What is in neither does not exist (ENOSYS): so libraries fall back on what was there before.
    `peer` is the one family of sockets that can be made, None for none.
    """

    allowed: tuple[Allow, ...]
    denied: tuple[Denial, ...] = ()
    peer: int | None = None


def everything_but(denied: Iterable[Denial], names: Iterable[str]) -> Calls:
    """All calls of `names` but `denied`: what a kernel is like that lacks something."""
    lacking = tuple(denied)
    absent = {denial.syscall for denial in lacking}
    return Calls(tuple(Allow(name) for name in names if name not in absent), lacking)
