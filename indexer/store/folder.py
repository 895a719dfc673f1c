"""The folder of a store: its key, its one writer, disk use, temporary files, and errors.

Imports nothing heavy: commands use it before the process is sealed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from io import FileIO
from pathlib import Path

from indexer.errors import CorpusError, DamagedStore, NoIndex, StoreLocked, UsageError
from indexer.files.opening import READ_ONLY, lock_briefly
from indexer.files.paths import INDEX_MARKER

MARKER_NAME = INDEX_MARKER
TABLES = "lance"
LOCK_NAME = "writer.lock"
TEMP = "tmp"  # the seal points TMPDIR at it
MAX_MARKER_BYTES = 4_096
SUM_BYTES = 32
_LAST = 2**64 - 1  # LanceDB names versions by what is left to it, so that the newest sorts first
MAKE_ONE = "Make one: corpus-agent index FOLDER"
MEND = "Mend it: corpus-agent index"  # a run takes what is sound from its caches
_ASKING_SECONDS = 0.1  # in which whoever only asks has let go of a lock
# What a writer says of itself: its command in 40 characters that make no link.
_WRITER = re.compile(r"(?a)process \d{1,9} \([\w -]{0,40}\) since \d\d? \w{3,9} \d{4}, \d\d:\d\d")
_LOCK_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def key_of(store: Path) -> bytes:
    """The key of a store's sums, from the random id in its marker; b"" for a folder without one.

    An archive or a pull may bring files into a store. Who made these does not know the id, so that
    a manifest, a kept text or a note among them is none of ours.
    """
    try:
        with opened(store / MARKER_NAME) as file:
            return hashlib.sha256(file.read(MAX_MARKER_BYTES)).digest()
    except OSError:
        return b""


def opened(path: Path) -> FileIO:
    """A file of a store, open to be read: no link is followed, no FIFO waited for."""
    return FileIO(path, opener=lambda name, _: os.open(name, READ_ONLY))


def keyed_sum(key: bytes, data: bytes | memoryview, name: str = "") -> bytes:
    """The sum of data by a key, SUM_BYTES long (BLAKE2b, RFC 7693).

    With the `name` of an entry it is of that entry alone: a hard link under another name has none.
    """
    salted = hashlib.sha256(name.encode()).digest()[: hashlib.blake2b.SALT_SIZE]
    return hashlib.blake2b(data, key=key, salt=salted, digest_size=SUM_BYTES).digest()


def files_below(folder: Path) -> frozenset[Path]:
    """All files in a folder and in the folders below it."""
    return frozenset(Path(below) / name for below, _, names in os.walk(folder) for name in names)


def version_files(store: Path, table: str = "*") -> list[Path]:
    """The files of all versions of a table, or of both, newest first."""
    return sorted((store / TABLES).glob(f"{table}.lance/_versions/*.manifest"))


def version_file(store: Path, table: str, version: int) -> Path:
    """The file of one version of a table."""
    return store / TABLES / f"{table}.lance/_versions/{_LAST - version:020}.manifest"


def write_new(
    path: Path | str, data: bytes, *, folder: int | None = None, durable: bool = True
) -> None:
    """Write a new file, in the place of what a killed process left; `folder` is an open one."""
    with suppress(FileNotFoundError):
        os.unlink(path, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600, dir_fd=folder), "wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())


def flush(*paths: Path) -> None:
    """Sync files, and the names in folders, so that they survive a power failure."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def temp_within(store: Path) -> Iterator[None]:
    """LanceDB's temporary files, which hold vectors, go into a folder of the store, and it goes."""
    from tempfile import TemporaryDirectory  # with what other commands have no use for

    temp, before = store.resolve() / TEMP, os.environ.get("TMPDIR")
    temp.mkdir(mode=0o700, exist_ok=True)
    for left in temp.glob("lance*"):  # of a writer that was killed
        if left.is_dir() and not left.is_symlink():  # to open a pipe would wait
            for own in left.glob(".tmp??????"):  # as LanceDB calls its own
                shutil.rmtree(own, ignore_errors=True)
            with suppress(OSError):  # what somebody else put there stays
                left.rmdir()
    with TemporaryDirectory(prefix="lance-", dir=temp, ignore_cleanup_errors=True) as folder:
        os.environ["TMPDIR"] = folder
        try:
            yield
        finally:
            os.environ.pop("TMPDIR")
            os.environ |= {} if before is None else {"TMPDIR": before}


_SPACE = "Free some space and run the same command again."
_PERMIT = "Change its permissions, or choose another place: --store DIR"
_PLACE = "Choose another place: --store DIR"
_TOLD = (  # a sign of an error of the disk, what a person is told then, and what to do
    ("No space left", "The disk of {} is full. What was indexed before is kept.", _SPACE),
    ("ermission denied", "This user may not write in {}.", _PERMIT),
    ("not permitted", "This user may not write in {}.", _PERMIT),
    ("Read-only file system", "{} is on a read-only file system.", _PLACE),
)


@contextmanager
def translated(store: Path) -> Iterator[None]:
    """Translate errors of LanceDB and of the disk into CorpusErrors."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        text = " ".join(str(error).split())
        for sign, what, hint in _TOLD:
            if sign in text:
                raise CorpusError(what.format(repr(str(store))), hint) from error
        said = error.strerror if isinstance(error, OSError) else None
        raise damaged(store, said or "its tables cannot be read") from error


# ---- The writer


@contextmanager
def writer_lock(store: Path) -> Iterator[None]:
    """Hold the store's writer lock; raises StoreLocked naming the process that has it."""
    descriptor = os.open(store / LOCK_NAME, os.O_RDWR | os.O_CREAT | _LOCK_FLAGS, 0o600)
    try:
        try:
            lock_briefly(descriptor, LOCK_EX, "The index", _ASKING_SECONDS)
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
        since = datetime.now().astimezone().strftime("%-d %B %Y, %H:%M")
        typed = (Path(sys.argv[0]).name, *sys.argv[1:])
        command = " ".join(word for word in typed if re.fullmatch(r"(?a)[\w-]+", word))[:40]
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} ({command}) since {since}".encode(), 0)
        yield
        os.ftruncate(descriptor, 0)  # a command may name a document that it forgot
    finally:
        os.close(descriptor)


def writer_of(store: Path) -> str | None:
    """The process that writes to the store now; None where none does, or none can be asked for."""
    try:
        descriptor = os.open(store / LOCK_NAME, os.O_RDONLY | _LOCK_FLAGS)
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
    """What the process that holds the lock has written of itself, if a writer of ours writes so."""
    said = os.pread(descriptor, 4_096, 0).decode("ascii", "replace")
    return said if _WRITER.fullmatch(said) else "another process"


# ---- Errors


def damaged(store: Path, detail: str) -> DamagedStore:
    """The error for a store that exists and cannot be opened."""
    return DamagedStore(f"The index in {str(store)!r} is damaged ({detail}).", MEND)


def unreadable(store: Path) -> NoIndex:
    """The error for a store of another user."""
    message = f"The index in {str(store)!r} may not be read by this user."
    return NoIndex(message, "Run as its owner.")


def no_index(store: Path) -> NoIndex:
    """The error for a folder without an index, also where the first run over it goes on."""
    writer = writer_of(store)
    if writer is None:
        return NoIndex(f"There is no index in {str(store)!r}.", MAKE_ONE)
    return NoIndex(
        f"There is no index in {str(store)!r} yet: it is being made by {writer}, "
        "and nothing of it is committed.",
        "Try again when that has finished.",
    )
