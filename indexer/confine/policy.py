"""The permissions of a confined process as values: system calls, files, ports, limits.

calls.py lists the system calls; corpus_agent.seal and the parsers build the policies. An empty
`Policy()` permits nothing.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass

from indexer.confine.calls import NO_SOCKETS
from indexer.confine.rules import Calls, FileRule


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for one process, None for none; `core` dumps are always off."""

    address_space_bytes: int | None = None
    cpu_seconds: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None


def limit_table(limits: Limits) -> tuple[tuple[int, int], ...]:
    """Each limit that is set, by its number, with its bound."""
    table = (
        # 1 byte, not 0: only 1 also stops a dump that goes into a pipe, as core(5) says.
        (resource.RLIMIT_CORE, 1),
        (resource.RLIMIT_AS, limits.address_space_bytes),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
    )
    return tuple((which, bound) for which, bound in table if bound is not None)


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything that a process is confined to.

    `connect_ports` are the TCP ports that Landlock lets it connect to (from ABI 4 on), and is of
    use only with calls that connect. `whole_disk` says that the file rules let '/' be read.
    """

    calls: Calls = NO_SOCKETS
    files: tuple[FileRule, ...] = ()
    connect_ports: tuple[int, ...] = ()
    limits: Limits = Limits()
    whole_disk: bool = False
