"""Kernel confinement as data: what a process may still do, and the step that makes it so.

A policy is a value (policy), turning it into a seccomp program (bpf) and Landlock rules (landlock)
is pure, applying it is short (kernel). Used by the extraction workers and by corpus_agent.seal.

Does not stop: what a process does with descriptors that it already holds, metadata (names, sizes
and times of any file can be read; mode and times of files that may be opened can be changed),
signals to other processes before Landlock ABI 6, timing, and faults of the kernel itself.
"""

from indexer.confine.kernel import (
    Confinement,
    check_kernel,
    confine,
    die_with_parent,
    native_number,
    restrict_syscalls,
)
from indexer.confine.policy import (
    NO_PROCESSES,
    NO_SOCKETS,
    Arg,
    Denial,
    FileRule,
    Limits,
    Policy,
    one_peer,
)
from indexer.confine.system import GPU_DEVICES, interpreter_files, system_files

__all__ = [
    "GPU_DEVICES",
    "NO_PROCESSES",
    "NO_SOCKETS",
    "Arg",
    "Confinement",
    "Denial",
    "FileRule",
    "Limits",
    "Policy",
    "check_kernel",
    "confine",
    "die_with_parent",
    "interpreter_files",
    "native_number",
    "one_peer",
    "restrict_syscalls",
    "system_files",
]
