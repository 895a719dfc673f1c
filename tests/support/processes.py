"""Which processes there are, and whether something comes true in time."""

import ctypes
import os
import struct
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


def give_up_the_superusers_right() -> None:
    """From here on permissions stop this process, also as root; thread by thread, so it is early.

    Another user could not start Python where it is installed below a folder that only root enters.
    """
    libc = ctypes.CDLL(None)
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))  # linux/capability.h
    held = ctypes.create_string_buffer(24)
    assert not libc.capget(header, held)
    sets = list(struct.unpack("=6I", held.raw[:24]))
    mask = ~(1 << 1 | 1 << 2) & 0xFFFFFFFF  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    sets[:3] = [value & mask for value in sets[:3]]
    assert not libc.capset(header, struct.pack("=6I", *sets))
