"""Kernel confinement: policies as data, and the step that applies them.

A policy is a value (policy, calls); compiling it to a seccomp program (bpf) and Landlock rules
(landlock) is pure; kernel applies it, and bite verifies that it is in force. Used by the parser
processes and by corpus_agent.seal.

Does not stop: what a process does with descriptors that it already holds, metadata (names, sizes
and times of any file can be read; the times of files that may be opened can be changed), signals
to other processes before Landlock ABI 6, timing, and faults of the kernel itself.
"""

from indexer.confine.bite import check_files, check_sockets
from indexer.confine.calls import (
    NO_SOCKETS,
    one_peer,
    parser_calls,
    program_calls,
    sealed_calls,
)
from indexer.confine.kernel import (
    Confinement,
    check_alone,
    check_kernel,
    confine,
    die_with_parent,
    opened_without_links,
    restrict_syscalls,
)
from indexer.confine.policy import Limits, Policy
from indexer.confine.raw import native_number
from indexer.confine.rules import Allow, Arg, Calls, Denial, FileRule
from indexer.confine.system import (
    GPU_DEVICES,
    interpreter_files,
    system_files,
    tesseract_files,
)

__all__ = [
    "GPU_DEVICES",
    "NO_SOCKETS",
    "Allow",
    "Arg",
    "Calls",
    "Confinement",
    "Denial",
    "FileRule",
    "Limits",
    "Policy",
    "check_alone",
    "check_files",
    "check_kernel",
    "check_sockets",
    "confine",
    "die_with_parent",
    "interpreter_files",
    "native_number",
    "one_peer",
    "opened_without_links",
    "parser_calls",
    "program_calls",
    "restrict_syscalls",
    "sealed_calls",
    "system_files",
    "tesseract_files",
]
