"""The errors for a folder that is no store of this user, or a damaged one, with what to do next."""

from __future__ import annotations

import errno
import shlex
from pathlib import Path

from indexer.errors import CorpusError, DamagedStore, NoIndex, UntrustedStore, UsageError
from indexer.store.lock import writer_of

MAKE_ONE = "Make one: corpus-agent index FOLDER"
MEND = "Mend it: corpus-agent index"  # a run takes what is sound from its caches


def damaged(store: Path, detail: str) -> DamagedStore:
    """The error for a store that exists and cannot be opened."""
    return DamagedStore(f"The index in {str(store)!r} is damaged ({detail}).", MEND)


def cannot_open(store: Path, error: OSError) -> CorpusError:
    """The error for a place that cannot be opened as a folder."""
    if store.is_symlink():
        return UsageError(f"{str(store)!r} is a link.", "Name the folder itself: --store DIR")
    if error.errno == errno.ENOENT:
        return no_index(store)
    if error.errno == errno.ENOTDIR:
        return UsageError(f"{str(store)!r} is a file.", "Choose another place: --store DIR")
    if error.errno in (errno.EACCES, errno.EPERM):
        return unreadable(store)
    message = f"{str(store)!r} cannot be opened ({error.strerror})."
    return CorpusError(message, "Choose another place: --store DIR")


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


def untrusted(store: Path, why: str, hint: str = "") -> UntrustedStore:
    """The error for a store without a record that this user made it here."""
    return UntrustedStore(
        f"This index was not made by you here: {str(store)!r} ({why}).",
        hint or f"Look at it and run: corpus-agent trust {shlex.quote(str(store))}",
    )


def foreign_name(store: Path, path: str) -> UsageError:
    """The error for a file in a store whose name the program does not write."""
    return UsageError(
        f"The index folder {str(store)!r} holds {path!r}, which corpus-agent did not make.",
        "Move it away, or name another folder: --store DIR",
    )


def no_regular_file(store: Path, path: str) -> UsageError:
    """The error for a link or a device in a store."""
    return UsageError(
        f"The index folder {str(store)!r} holds {path!r}, which is a link or no regular file.",
        "corpus-agent makes none. Remove it, or name another folder: --store DIR",
    )
