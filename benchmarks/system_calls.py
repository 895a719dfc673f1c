"""Write docs/system-calls.md: what the policy answers to each system call, by kind of process.

    python benchmarks/system_calls.py

The page is read through before it is committed: tests/indexer/confine/test_policy_mutation.py holds
the kernel to what it says, and knows nothing of the policy's tables.
"""

from __future__ import annotations

import socket
from collections import defaultdict
from pathlib import Path

from indexer.confine.calls import NO_SOCKETS, one_peer, parser_calls, program_calls, sealed_calls
from indexer.confine.rules import Calls
from indexer.confine.syscalls import names

PAGE = Path(__file__).parent.parent / "docs" / "system-calls.md"
PROCESSES: dict[str, Calls] = {
    "program": NO_SOCKETS,
    "watch": sealed_calls(watching=True),
    "web": sealed_calls(serving=True),
    "parser": parser_calls(1),
    "broker": one_peer(socket.AF_INET),
    "llama-server": one_peer(socket.AF_UNIX, serve=True),
    "ripgrep": program_calls(1),
}
INTRODUCTION = """# System calls

Written by `python benchmarks/system_calls.py`; `tests/indexer/confine/test_policy_mutation.py` asks
the kernel about each call in each kind of process.

`yes`: goes through. `when`: with certain arguments, which `indexer/confine/calls.py` lists with the
reasons; EPERM otherwise. `EPERM`: refused. `–`: does not exist there (ENOSYS), as every call that
is not named here and every one that a kernel learns after Linux 6.10.

"""


def verdict(calls: Calls, name: str) -> str:
    """What the policy answers to a call, in one word."""
    found = [allow for allow in calls.allowed if allow.syscall == name]
    if found:
        return "when" if all(allow.when for allow in found) else "yes"
    return "EPERM" if any(denial.syscall == name for denial in calls.denied) else "–"


def page() -> str:
    """The page: calls with the same answers share a row."""
    rows: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names():
        rows[tuple(verdict(calls, name) for calls in PROCESSES.values())].append(f"`{name}`")
    rows.pop(("–",) * len(PROCESSES), None)
    cells = [("calls", *PROCESSES), ("---",) * (len(PROCESSES) + 1)]
    cells += sorted(((", ".join(calls), *words) for words, calls in rows.items()), key=len_of)
    return INTRODUCTION + "".join(f"| {' | '.join(row)} |\n" for row in cells)


def len_of(row: tuple[str, ...]) -> int:
    """The longest rows first."""
    return -len(row[0])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
