"""Kernel confinement: policies as data, and the step that applies them.

A policy is a value (`policy`), whose calls compile to a program (`syscalls`): both are pure.
`kernel` applies it and verifies that it is in force.

Does not stop: what a process does with descriptors that it already holds, metadata (names, sizes
and times of any file can be read; the times of files that may be opened can be changed), signals
to other processes before Landlock ABI 6, timing, and faults of the kernel itself.
"""

from indexer.confine.kernel import Confinement as Confinement
from indexer.confine.kernel import check_alone as check_alone
from indexer.confine.kernel import check_files as check_files
from indexer.confine.kernel import check_kernel as check_kernel
from indexer.confine.kernel import check_sockets as check_sockets
from indexer.confine.kernel import confine as confine
from indexer.confine.kernel import die_with_parent as die_with_parent
from indexer.confine.kernel import opened_without_links as opened_without_links
from indexer.confine.kernel import restrict_syscalls as restrict_syscalls
from indexer.confine.policy import NO_SOCKETS as NO_SOCKETS
from indexer.confine.policy import FileRule as FileRule
from indexer.confine.policy import Limits as Limits
from indexer.confine.policy import Policy as Policy
from indexer.confine.policy import interpreter_files as interpreter_files
from indexer.confine.policy import one_peer as one_peer
from indexer.confine.policy import parser_calls as parser_calls
from indexer.confine.policy import program_calls as program_calls
from indexer.confine.policy import sealed_calls as sealed_calls
from indexer.confine.policy import system_files as system_files
from indexer.confine.policy import tesseract_files as tesseract_files
from indexer.confine.syscalls import Allow as Allow
from indexer.confine.syscalls import Arg as Arg
from indexer.confine.syscalls import Calls as Calls
from indexer.confine.syscalls import native_number as native_number
