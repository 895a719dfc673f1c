"""One writer at a time: an operating system lock, released when its process ends.

Readers never wait for it, and where there is no index yet they ask who has it.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from indexer.errors import StoreLocked, UsageError

LOCK_NAME = "writer.lock"
MAX_SHOWN = 200  # characters of a command
LOOKS = 10  # a hundredth of a second apart: `writer_of` holds the lock for less


@contextmanager
def writer_lock(store: Path) -> Iterator[None]:
    """Hold the store's writer lock; raises StoreLocked naming the process that has it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(store / LOCK_NAME, flags, 0o600)
    try:
        if not _is_taken(descriptor):
            raise StoreLocked(
                f"The index in {str(store)!r} is being written by {_holder(descriptor)}.",
                "Wait until it has finished, or stop it; searching goes on meanwhile.",
            )
        if os.fstat(descriptor).st_nlink > 1:  # the same file elsewhere would be emptied
            raise UsageError(
                f"{str(store / LOCK_NAME)!r} has another name elsewhere; corpus-agent makes none.",
                "Remove it and run the same command again.",
            )
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(_myself()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _is_taken(descriptor: int) -> bool:
    """Take the lock, and look again where it may have been held to ask who has it."""
    for _ in range(LOOKS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(0.01)
    return False


def writer_of(store: Path) -> str | None:
    """The process that writes to the store now; None where none does, or none can be asked for."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(store / LOCK_NAME, flags)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(descriptor)
    except OSError:  # a disk that has no locks has no writer either
        return None
    finally:
        os.close(descriptor)
    return None


def _myself() -> dict[str, object]:
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return {"pid": os.getpid(), "command": command, "since": since}


def _holder(descriptor: int) -> str:
    """Description of the process that holds the lock, as far as it has been written."""
    try:
        held = json.loads(os.pread(descriptor, 4_096, 0))
        pid, command, since = (_shown(held[key]) for key in ("pid", "command", "since"))
        return f"process {pid} ({command}) since {since}"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "another process"


def _shown(value: object) -> str:
    return "".join(char if char.isprintable() else "?" for char in str(value)[:MAX_SHOWN])
