"""The value types of which a policy consists: permitted system calls and files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from errno import EPERM
from pathlib import Path
from typing import Literal

Access = Literal["read", "execute", "list", "write", "device"]


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


@dataclass(frozen=True, slots=True)
class FileRule:
    """What may be done at `path` and beneath.

    `read` opens files and lists folders, `execute` is read plus starting programs, `list` lists
    folders only, `write` is read plus everything that changes content, `device` is reading,
    writing and ioctl of device nodes. A rule that is not `required` is left out where there is no
    such path: that allows less, never more. `reason` is for the reader of the policy. With
    `no_links` nothing on the way to `path` may be a link: what was judged before is what is opened.
    """

    path: Path
    access: Access = "read"
    required: bool = False
    reason: str = ""
    no_links: bool = False


def everything_but(denied: Iterable[Denial], names: Iterable[str]) -> Calls:
    """All calls of `names` but `denied`: emulates a kernel that lacks those."""
    lacking = tuple(denied)
    absent = {denial.syscall for denial in lacking}
    return Calls(tuple(Allow(name) for name in names if name not in absent), lacking)
