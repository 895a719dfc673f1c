"""Makes paths from the user absolute; raises clear errors for broken environments."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path, PurePosixPath

from indexer.errors import UsageError

NOT_THERE = "is not there"
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def expanded(path: Path) -> Path:
    """As `from_here`, with `~` expanded; raises UsageError if the home folder is unknown."""
    try:
        return from_here(path.expanduser())
    except RuntimeError:
        raise UsageError(
            f"{str(path)!r} names the home folder of a user who is not known here.",
            "Write the path in full.",
        ) from None


def from_here(path: Path) -> Path:
    """The absolute path of `path`; the working folder is used only for relative paths."""
    return path if path.is_absolute() else working_folder() / path


def working_folder() -> Path:
    """The working folder; raises UsageError if it was removed."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(
            f"The working folder is not there any more ({error.strerror}).",
            "Go to a folder that exists: cd ~",
        ) from None


def may_be_named(path: str) -> bool:
    """Whether a document may have this path: text without a null, which no file system stores."""
    try:
        return b"\0" not in path.encode()
    except UnicodeEncodeError:  # bytes that are no text, as a shell passes them on
        return False


def leads_below(source: str) -> bool:
    """Whether a source, as an index names it, stays below the folder of its documents."""
    return "\0" not in source and not any(part in ("", ".", "..") for part in source.split("/"))


def absence(folder: Path) -> str | None:
    """What is wrong with the place of a folder, None where there is one.

    NOT_THERE, or that it cannot be looked at: Path.is_dir raises where a folder above it is closed
    to this user, and where a disk does not answer.
    """
    try:
        return None if stat.S_ISDIR(folder.stat().st_mode) else NOT_THERE
    except OSError as error:
        return NOT_THERE if error.errno in _GONE else f"cannot be looked at ({error.strerror})"


def is_folder(path: Path) -> bool:
    """Whether a folder is there that this user can look at."""
    return absence(path) is None


def is_there(folder: Path) -> bool:
    """Whether a folder of documents can be looked at; an empty one may be a disk not mounted."""
    try:
        return any(folder.iterdir())
    except PermissionError:
        return True
    except OSError:
        return False


def resolved(path: Path) -> Path:
    """The absolute path with links resolved, as far as they can be.

    Unlike Path.resolve, which raises RuntimeError for a link loop in some versions of Python.
    """
    return Path(os.path.realpath(from_here(path)))


def file_stem(source: str) -> str:
    """The name of a document's file without its ending, and without the name of its store."""
    return PurePosixPath(re.sub(r"\A[\w-]+:(?=\S)", "", source)).stem
