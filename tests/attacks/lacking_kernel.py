"""A kernel that refuses a call of the seal's own: for a process that seals itself afterwards."""

from indexer.confine import Allow, Calls, kernel, syscalls


def lack(call: str, answer: int) -> None:
    """Go on as on a kernel that answers with this errno to a call."""
    others = tuple(Allow(name) for name in syscalls.NUMBERS if name != call)
    syscalls.prctl(38, 1)  # PR_SET_NO_NEW_PRIVS
    kernel._restrict_syscalls(Calls(others, (call,), errno=answer), syscalls.architecture())
