"""One writer at a time: an operating system lock that dies with its process.

Readers never take it.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from indexer.errors import StoreLocked

LOCK_NAME = "writer.lock"


@contextmanager
def writer_lock(store: Path) -> Iterator[None]:
    """Hold the store's writer lock; raises StoreLocked naming the process that has it."""
    descriptor = os.open(store / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreLocked(
                f"The index in {str(store)!r} is being written by {_holder(descriptor)}.",
                "Wait until it has finished, or stop it; searching goes on meanwhile.",
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(_myself()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _myself() -> dict[str, object]:
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return {"pid": os.getpid(), "command": command, "since": since}


def _holder(descriptor: int) -> str:
    """The process that holds the lock, in words; it may be writing its name this moment."""
    try:
        held = json.loads(os.pread(descriptor, 4_096, 0))
        return f"process {held['pid']} ({held['command']}) since {held['since']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
