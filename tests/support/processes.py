"""Which processes there are, and whether something comes true in time."""

import os
import time
from collections.abc import Callable
from pathlib import Path

SOON = 20.0  # seconds; what is waited for takes well below one


def until(what: Callable[[], object], seconds: float = SOON, every: float = 0.02) -> object:
    end = time.monotonic() + seconds
    while not (true := what()) and time.monotonic() < end:
        time.sleep(every)
    return true


def patience(seconds: float) -> float:
    """So many seconds of a quiet machine; longer where processes wait for a processor."""
    return seconds * (1 + os.getloadavg()[0] / (os.cpu_count() or 1))


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(number) for task in tasks for number in task.read_text().split()]


def started_with(argument: str) -> list[int]:
    """The processes that have this argument, as the path of a test's own file, on their line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if argument.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue  # it has ended meanwhile
    return found


def gone(pid: int) -> bool:
    return bool(until(lambda: not runs(pid), 30))
