"""The memory of one conversation: the windows that were returned, and the states of files seen."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

MAX_WHOLE_BYTES = 16 * 2**20  # read whole: can be edited, and compared by content
_BLOCK_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class FileState:
    """A file at one moment: equal `state` means equal content; `data` is None if too large."""

    state: str
    size: int
    data: bytes | None


def snapshot(descriptor: int) -> FileState:
    """The snapshot of an open file, read whole up to MAX_WHOLE_BYTES; does not close it."""
    info = os.fstat(descriptor)
    if info.st_size <= MAX_WHOLE_BYTES:
        os.lseek(descriptor, 0, os.SEEK_SET)
        data = read_up_to(descriptor, MAX_WHOLE_BYTES + 1)
        if len(data) <= MAX_WHOLE_BYTES:
            return FileState(hashlib.sha256(data).hexdigest(), len(data), data)
        info = os.fstat(descriptor)
    times = f"{info.st_mtime_ns}:{info.st_ctime_ns}"
    return FileState(f"{info.st_dev}:{info.st_ino}:{info.st_size}:{times}", info.st_size, None)


def read_up_to(descriptor: int, size: int) -> bytes:
    """The next `size` bytes, fewer at the end of the file."""
    parts: list[bytes] = []
    while size and (part := os.read(descriptor, min(size, _BLOCK_BYTES))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Ledger:
    """What one conversation was given and has seen."""

    def __init__(self) -> None:
        self._given: set[tuple[Path, int, int, str]] = set()
        self._seen: dict[Path, str] = {}

    def holds(self, path: Path, offset: int, limit: int, state: str) -> bool:
        """Whether this window of the file in this state was returned before."""
        return (path, offset, limit, state) in self._given

    def give(self, path: Path, offset: int, limit: int, state: str) -> None:
        """Record that a window is returned, and the file seen with it."""
        self._given.add((path, offset, limit, state))
        self.see(path, state)

    def see(self, path: Path, state: str) -> None:
        """Record the state in which the conversation has seen the file."""
        self._seen[path] = state

    def seen(self, path: Path) -> str | None:
        """The state in which the file was last seen, None if never."""
        return self._seen.get(path)

    def forget_windows(self) -> None:
        """Record that the windows left the context; the seen states stay."""
        self._given.clear()
