"""One writer at a time: an operating system lock, released when its process ends.

Readers never wait for it, and where there is no index yet they ask who has it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path

from indexer.errors import StoreLocked, UsageError
from indexer.files.opening import lock_briefly

LOCK_NAME = "writer.lock"
MAX_SHOWN = 200  # characters of a command
_SECONDS = 0.1  # in which whoever only asks has let go
_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def writer_lock(store: Path) -> Iterator[None]:
    """Hold the store's writer lock; raises StoreLocked naming the process that has it."""
    descriptor = os.open(store / LOCK_NAME, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
    try:
        try:
            lock_briefly(descriptor, LOCK_EX, "The index", _SECONDS)
        except StoreLocked:
            raise StoreLocked(
                f"The index in {str(store)!r} is being written by {_holder(descriptor)}.",
                "Wait until it has finished, or stop it; searching goes on meanwhile.",
            ) from None
        if os.fstat(descriptor).st_nlink > 1:  # the same file elsewhere would be emptied
            raise UsageError(
                f"{str(store / LOCK_NAME)!r} has another name elsewhere; corpus-agent makes none.",
                "Remove it and run the same command again.",
            )
        command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
        since = datetime.now(UTC).isoformat(timespec="seconds")
        myself = {"pid": os.getpid(), "command": command, "since": since}
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(myself).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def writer_of(store: Path) -> str | None:
    """The process that writes to the store now; None where none does, or none can be asked for."""
    try:
        descriptor = os.open(store / LOCK_NAME, os.O_RDONLY | _FLAGS)
    except OSError:
        return None
    try:
        flock(descriptor, LOCK_SH | LOCK_NB)
    except BlockingIOError:
        return _holder(descriptor)
    except OSError:  # a disk that has no locks has no writer either
        return None
    finally:
        os.close(descriptor)
    return None


def _holder(descriptor: int) -> str:
    """Description of the process that holds the lock, as far as it has been written."""
    try:
        held = json.loads(os.pread(descriptor, 4_096, 0))
        pid, command, since = (str(held[key])[:MAX_SHOWN] for key in ("pid", "command", "since"))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "another process"
    said = f"process {pid} ({command}) since {since}"
    return "".join(char if char.isprintable() else "?" for char in said)
