"""The value types in which calls.py lists permitted system calls."""

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
    """A system call that is permitted if every test holds; always, without tests.

    Several for one call are alternatives. If none holds, the call fails with EPERM.
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
    """The system calls of a process: permitted ones and those failing otherwise than with ENOSYS.

    All others fail with ENOSYS, so that libraries fall back to older calls. `peer` is the one
    socket family that can be created, None for none.
    """

    allowed: tuple[Allow, ...]
    denied: tuple[Denial, ...] = ()
    peer: int | None = None


def everything_but(denied: Iterable[Denial], names: Iterable[str]) -> Calls:
    """All calls of `names` but `denied`: emulates a kernel that lacks those."""
    lacking = tuple(denied)
    absent = {denial.syscall for denial in lacking}
    return Calls(tuple(Allow(name) for name in names if name not in absent), lacking)
