"""The folder of a store: disk use, temporary files, disk errors as CorpusErrors.

Does not look into files. Imports nothing heavy: commands use it before the process is sealed.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import CorpusError
from indexer.store.manifest import damaged

TABLES = "lance"
VECTORS = "vectors"  # of earlier releases, which kept them beside the tables
TEMP = "tmp"  # the seal points TMPDIR at it
# Of a message of LanceDB; the second is cut off with all that follows.
_OF_A_LIBRARY = re.compile(
    r"(?:lance error|LanceError\(\w{1,40}\)|Generic N/A error|Wrapped error"
    r"|Encountered internal error\. Please file a bug report at https://[^\s,]{1,200}[.,]"
    r"):? "
)
_IN_ITS_SOURCE = re.compile(r", /[^ ,]{1,500}\.rs:[0-9].*")
_OF_A_WRITER = re.compile(r"lance-[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of a store: all of it, and its tables; versions of the index."""

    bytes: int
    tables: int
    versions: int


def usage(store: Path) -> Usage:
    """Disk use of a store; files that disappear meanwhile are not counted."""
    sizes = {path: size for path in files_below(store) if (size := _size(path)) is not None}

    def below(folder: str) -> int:
        return sum(size for path, size in sizes.items() if path.is_relative_to(store / folder))

    versions = sum(path.match("chunks.lance/_versions/*.manifest") for path in sizes)
    return Usage(sum(sizes.values()), below(TABLES), versions)


def _size(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return None


def files_below(folder: Path) -> frozenset[Path]:
    """All files in a folder and in the folders below it."""
    return frozenset(Path(below) / name for below, _, names in os.walk(folder) for name in names)


def write_all(file: int, data: bytes) -> None:
    """Write all of the data to an open file, in as many parts as the system takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def flush(paths: Collection[Path]) -> None:
    """Sync files and their folders, so that they survive a power failure."""
    for path in (*paths, *{path.parent for path in paths}):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def temp_within(store: Path) -> Iterator[None]:
    """Direct LanceDB's temporary files, which contain vectors, into the store; for its writer.

    They are in a folder of their own that is removed afterwards, as are the folders of killed
    writers, recognised by name: the lock excludes another writer.
    """
    temp = store / TEMP
    temp.mkdir(mode=0o700, exist_ok=True)
    for left in temp.iterdir():
        if _OF_A_WRITER.fullmatch(left.name):
            shutil.rmtree(left, ignore_errors=True)
    folder = temp / f"lance-{secrets.token_hex(8)}"
    folder.mkdir(mode=0o700)
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(folder.resolve())
    try:
        yield
    finally:
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def translated(store: Path) -> Iterator[None]:
    """Translate errors of LanceDB and of the disk into CorpusErrors."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        text = " ".join(str(error).split())
        if "No space left" in text or "os error 28" in text:
            raise CorpusError(
                f"The disk of {str(store)!r} is full. What was indexed before is kept.",
                "Free some space and run the same command again.",
            ) from error
        if isinstance(error, PermissionError) or "ermission denied" in text:
            raise _no_permission(store) from error
        if "Read-only file system" in text:
            raise CorpusError(
                f"{str(store)!r} is on a read-only file system.",
                "Choose another place: --store DIR",
            ) from error
        raise damaged(store, _plain(text)[:300]) from error


def _plain(text: str) -> str:
    """What LanceDB says, without its own kinds of errors and the place in its source."""
    return _OF_A_LIBRARY.sub("", _IN_ITS_SOURCE.sub("", text))


def _no_permission(store: Path) -> CorpusError:
    return CorpusError(
        f"This user may not write in {str(store)!r}.",
        "Change its permissions, or choose another place: --store DIR",
    )
