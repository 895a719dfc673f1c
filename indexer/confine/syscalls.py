"""Numbers of all system calls up to the last one judged, per architecture, from syscalls.txt.

Source: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux 6.10.
tests/indexer/confine/test_confine.py compares them with the C headers where these are installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


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

_TABLE = [
    line.split()
    for line in Path(__file__).with_suffix(".txt").read_text("ascii").splitlines()
    if not line.startswith("#")
]
_NUMBERS = {name: numbers for name, *numbers in _TABLE}


def number(name: str, arch: Architecture) -> int | None:
    """The call's number on `arch`, None where `arch` has no such call.

    Raises KeyError for a name that is not in the table: a policy cannot misspell a call.
    """
    found = _NUMBERS[name][0 if arch is X86_64 else 1]
    return None if found == "-" else int(found)


def names() -> tuple[str, ...]:
    """Every name in the table, sorted."""
    return tuple(sorted(_NUMBERS))
