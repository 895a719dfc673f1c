"""Opens untrusted paths: no link is followed, no open blocks.

The only place that opens documents (`open_beneath`), files named by the user, and locks that other
processes may hold. Does not decide what belongs to a corpus.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from indexer.errors import Refused, StoreLocked, UsageError
from indexer.files.paths import is_closed, is_there, leads_below, source_of

if TYPE_CHECKING:
    from indexer.records import FileRow

MAX_FILE_BYTES = 128 * 2**20
# A file of this name and no link; O_NONBLOCK: a FIFO in its place must not hang the opener.
READ_ONLY = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
BRIEFLY_SECONDS = 10.0
_MAX_TIME_NS = 2**63 - 1  # the year 2262: what a table holds; file systems go beyond


def time_of(info: os.stat_result) -> int:
    """When a file was last written to, in nanoseconds since 1970, as far as 64 bits can say it."""
    return max(-_MAX_TIME_NS, min(info.st_mtime_ns, _MAX_TIME_NS))


def open_beneath(root: Path, source: str) -> int:
    """A read-only file descriptor of the document `source`; the caller closes it.

    Opened component by component from the root, so that no symbolic link is followed and no
    concurrent change leads outside. Raises Refused for a source that leaves the root, is not a
    regular file, or has a name that the walk excludes, even if an index contains it; OSError from
    the system.
    """
    parts = source.split("/")
    if not leads_below(source):
        raise Refused(
            f"{source!r} is not a path below the corpus root.",
            "Use other documents.",
            code="outside_root",
        )
    if is_closed(parts):
        raise Refused(
            f"{source!r} is a key or a hidden file, and is never read.",
            "Use other documents.",
            code="not_indexed",
        )
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = _open_part(here, part, os.O_DIRECTORY)
            os.close(here)
            here = below
        # O_NONBLOCK: a FIFO that took the place of the file must not hang the opener.
        opened = _open_part(here, parts[-1], os.O_NONBLOCK)
    finally:
        os.close(here)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise Refused(f"{source!r} is no longer a regular file.", code="not_a_file")
    return opened


def _open_part(folder: int, part: str, flags: int) -> int:
    flags |= os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(part, flags, dir_fd=folder)
    except FileNotFoundError:
        # A source is NFC and UTF-8; the name on disk may be in another form (files copied from
        # macOS), or in another encoding (from old archives).
        name = _other_form(folder, part)
        if name is None:
            raise
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Refused(
                f"{part!r} is now a symbolic link or no folder.", code="is_link"
            ) from None
        raise


_listed: dict[tuple[int, int, int], dict[str, str]] = {}  # of the folder that was listed last


def _other_form(folder: int, part: str) -> str | None:
    """The name in a folder that is shown as `part` and is another one as it is.

    A listing is kept as long as its folder is unchanged: listed anew for each file of a folder of
    4,000, it costs 2 ms a file. What it lacks is looked for once more, since a clock has ticks.
    """
    info = os.fstat(folder)
    key = info.st_dev, info.st_ino, info.st_mtime_ns
    found = _listed.get(key, {}).get(part)
    if found is None:
        forms = ((source_of(name), name) for name in os.listdir(folder))
        others = {form: name for form, name in forms if form != name}
        _listed.clear()
        _listed[key] = others
        found = others.get(part)
    return found


def hash_beneath(root: Path, source: str) -> str:
    """SHA-256 of the bytes of a document, in hex; raises as `open_beneath` does."""
    with os.fdopen(open_beneath(root, source), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_regular(path: Path, max_bytes: int) -> bytes:
    """The bytes of a regular file named by the user; raises UsageError for other kinds, OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise UsageError(f"{str(path)!r} is no regular file.", "Name a file.")
        if info.st_size > max_bytes:
            raise UsageError(f"{str(path)!r} has more than {max_bytes:,} bytes.", "Name another.")
        return os.pread(descriptor, max_bytes, 0)
    finally:
        os.close(descriptor)


def lock_briefly(descriptor: int, how: int, what: str, seconds: float = BRIEFLY_SECONDS) -> None:
    """Take a lock; raises StoreLocked if it stays held, which any process may do to a file."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise StoreLocked(
                    f"{what} is kept locked by another process.",
                    "Find and end it (lsof, fuser), or restart.",
                ) from None
            time.sleep(0.01)


FileState = Literal["same", "changed", "unreachable"]


def compared(root: Path, row: FileRow) -> FileState:
    """Whether the file was changed or removed after it was indexed, or cannot be looked at."""
    gone: FileState = "unreachable" if row.status == "unreachable" else "changed"
    try:
        descriptor = open_beneath(root, row.source)
        try:
            info = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        same = info.st_size == row.bytes and (
            time_of(info) == row.mtime_ns or hash_beneath(root, row.source) == row.sha256
        )
        return "same" if same else "changed"
    except (FileNotFoundError, Refused):
        return gone if is_there(root) else "unreachable"
    except OSError:
        return "unreachable"
