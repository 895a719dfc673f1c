"""What others ask of a store's folder: who made it, what it may hold, what it has committed.

The given folder may hold the user's documents, or be an attacker's store. So a store is made only
in a new or empty folder, is recognised by its marker, and all is opened relative to the folder's
descriptor, through no link. Others use it as `indexer.storage`; it loads no LanceDB.

What it does not stop: another process of the same user that changes the folder meanwhile.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shlex
import stat
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import CorpusError, UntrustedStore, UsageError
from indexer.files.opening import READ_ONLY, lock_briefly
from indexer.files.paths import may_be_named, resolved
from indexer.store.folder import MAKE_ONE as MAKE_ONE
from indexer.store.folder import (
    MARKER_NAME,
    TABLES,
    TEMP,
    files_below,
    translated,
    unreadable,
    version_files,
    write_new,
)
from indexer.store.folder import no_index as no_index
from indexer.store.folder import writer_of as writer_of
from indexer.store.manifest import EVERY_BYTE as EVERY_BYTE
from indexer.store.manifest import MANIFEST_NAME as MANIFEST_NAME
from indexer.store.manifest import READING_BYTES, check_contents, hold
from indexer.store.manifest import STORE_NAME as STORE_NAME
from indexer.store.manifest import Manifest as Manifest
from indexer.store.manifest import read_manifest as read_manifest
from indexer.store.manifest import root_of as root_of

MAX_DEPTH = 8  # folders within each other; LanceDB's are five deep
LOOKS = 5  # at a file that a writer may be replacing
MAX_SMALL_BYTES = 1_000_000  # of a file that is read before the seal
_FIRST_LINE = "corpus-agent store"
_MARKER = re.compile(rf"{_FIRST_LINE}\nid = ([0-9a-f]{{32}})\n".encode())
_IGNORE, _IGNORE_ALL = ".gitignore", b"*\n"
_NO_LINK = os.O_NOFOLLOW | os.O_CLOEXEC
UNFINISHED_MARKER = f"{MARKER_NAME}.new"
# What may lie at the top of a store, so that no folder of documents is taken for one; what lies in
# its folders is the program's own, except in `saved`. Of earlier releases: vectors, recognised.
FOLDERS = re.compile("lance|vectors|texts|recognised|probes|saved|tmp")
FILES = re.compile(
    rf"{re.escape(MARKER_NAME)}(\.new)?|\.gitignore|config\.toml|writer\.lock"
    r"|manifest\.json|draft\.json|manifest\.new|manifest\.[0-9]{16,20}\.json|receipts(\.1)?\.jsonl"
    r"|\.DS_Store|Thumbs\.db|desktop\.ini|\.directory"  # file managers' own, never touched
)


@dataclass(frozen=True, slots=True)
class Identity:
    """Identifies a store independently of its path: the marker's id, device and inode."""

    id: str
    device: int
    inode: int


def named_store(path: Path) -> Path:
    """The store meant by `path`: `path` itself, or the store inside it."""
    within = path / STORE_NAME
    return within if not is_store(path) and is_store(within) else path


def is_store(folder: Path) -> bool:
    """Whether the folder looks like a store, of any owner."""
    return any(os.path.lexists(folder / name) for name in (MARKER_NAME, MANIFEST_NAME))


def find_store(start: Path) -> Path | None:
    """The nearest store at or above `start`, as git finds `.git`; None if there is none."""
    for folder in (start, *start.parents):
        candidate = folder / STORE_NAME
        with suppress(OSError):  # another user's, into which this one may not look: none of ours
            if (candidate / MANIFEST_NAME).is_file():
                return candidate
    return None


def check_apart(store: Path, root: Path) -> None:
    """Raise UsageError if documents and store overlap, or LanceDB could not open the path."""
    store, root = resolved(store), resolved(root)
    controls = any(unicodedata.category(char) == "Cc" for char in str(store))
    if controls or not may_be_named(str(store)):
        what = "holds a line end or a control character, or is not valid UTF-8"
        raise UsageError(
            f"The path of the index {str(store)!r} {what}: its tables cannot be there.",
            "Rename that folder, or put the index elsewhere: corpus-agent --store DIR index FOLDER",
        )
    if root == store or root.is_relative_to(store):
        where = "is the folder of the documents" if root == store else "holds the documents"
        hint = f"corpus-agent --store {str(root / STORE_NAME)!r} index {str(root)!r}"
        message = f"{str(store)!r} {where}, so it cannot be their index."
        raise UsageError(message, f"Name a folder of its own: {hint}")


def identity_of(store: Path) -> Identity:
    """The identity of a store that this user owns, with allowed content and no link."""
    with _opened(store) as folder:
        names = _names(folder)
        if not names:
            raise no_index(store)
        if MARKER_NAME not in names:
            within = store / STORE_NAME
            raise UsageError(
                f"{str(store)!r} is a folder with files in it, and no index of corpus-agent.",
                f"Name a new folder: corpus-agent --store {shlex.quote(str(within))} …",
            )
        _check_tree(store, folder)
        match = _MARKER.fullmatch(_read(store, folder, MARKER_NAME) or b"")
        if match is None:
            raise UsageError(
                f"{str(store / MARKER_NAME)!r} is damaged, so it does not say whose index this is.",
                f"If you know it for yours, remove {str(store)!r} and run: corpus-agent index",
            )
        return _identity_with(folder, match[1].decode())


def make_store(store: Path, announce: Callable[[Identity], object] = lambda _: None) -> Identity:
    """The identity of the store, made here if the folder does not exist, or is empty.

    Readable by its owner only, and ignored by git. `announce` is called with the identity of a new
    store before its marker is written: if this process is killed in between, the announced folder
    is empty, and the next process makes a store in it. Raises as `identity_of` for a folder with
    other content, CorpusError if the folder cannot be made.
    """
    with translated(store), suppress(FileExistsError):  # a file, which is seen when it is opened
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _opened(store) as folder, translated(store):
        # Of two processes that make it at once, the other one finds it made.
        lock_briefly(folder, fcntl.LOCK_EX, f"The index folder {str(store)!r}")
        if _is_new(folder):
            os.fchmod(folder, 0o700)
            fresh = _identity_with(folder, secrets.token_hex(16))
            announce(fresh)
            marker = f"{_FIRST_LINE}\nid = {fresh.id}\n"
            write_new(UNFINISHED_MARKER, marker.encode(), folder=folder)
            _keep_out_of_repositories(store, folder)
            os.rename(UNFINISHED_MARKER, MARKER_NAME, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
        elif MARKER_NAME in _names(folder):
            _keep_out_of_repositories(store, folder)
    return identity_of(store)


def may_be_made(store: Path) -> bool:
    """Whether a store can be created: nothing is there, or an interrupted creation."""
    if not os.path.lexists(store):
        return True
    with _opened(store) as folder:
        return _is_new(folder)


def read_small(store: Path, name: str) -> bytes | None:
    """The bytes of a small regular file in the store; None if it does not exist."""
    with _opened(store) as folder:
        return _read(store, folder, name)


def checked_manifest(store: Path, whole_bytes: int = READING_BYTES) -> Manifest:
    """The committed manifest, whose files are what was written; raises as both do."""
    manifest, held = hold(store)
    with held:
        check_contents(store, manifest, whole_bytes)
    return manifest


def recorded(store: Path, what: str) -> str:
    """A part of an index's fingerprint; "" where there is none, or it cannot be read."""
    try:
        return str(getattr(read_manifest(store).fingerprint, what))
    except CorpusError:  # whoever opens it says what is wrong with it
        return ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of a store: all of it, and its tables; versions of the index."""

    bytes: int
    tables: int
    versions: int


def usage(store: Path) -> Usage:
    """Disk use of a store; files that disappear meanwhile are not counted."""
    sizes = {}
    for path in files_below(store):
        with suppress(FileNotFoundError):
            sizes[path] = path.lstat().st_size
    tables = sum(size for path, size in sizes.items() if path.is_relative_to(store / TABLES))
    return Usage(sum(sizes.values()), tables, len(version_files(store, "chunks")))


def untrusted(store: Path, why: str, hint: str = "") -> UntrustedStore:
    """The error for a store without a record that this user made it here."""
    return UntrustedStore(
        f"This index was not made by you here: {str(store)!r} ({why}).",
        hint or f"Look at it and run: corpus-agent trust {shlex.quote(str(store))}",
    )


# ---- Looking


@contextmanager
def _opened(store: Path) -> Iterator[int]:
    """A descriptor of the store's folder, owned by this user; its files are opened through it."""
    try:
        folder = os.open(store, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK)
    except OSError as error:
        raise _cannot_open(store, error) from None
    try:
        info = os.fstat(folder)
        _check_owner(store, info)
        if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and _names(folder):
            raise UsageError(
                f"The index folder {str(store)!r} may be written by other users.",
                f"If all that is in it is yours: chmod go-w {shlex.quote(str(store))}",
            )
        yield folder
    finally:
        os.close(folder)


def _names(folder: int) -> set[str]:
    return set(os.listdir(folder))


def _check_owner(path: Path, info: os.stat_result) -> None:
    if info.st_uid != os.geteuid():
        raise UsageError(
            f"{str(path)!r} belongs to user {info.st_uid}, not to this one ({os.geteuid()}).",
            "Run as its owner, or make an index of your own: corpus-agent --store DIR index FOLDER",
        )


def _check_tree(store: Path, folder: int) -> None:
    """Raise UsageError for a link or device at any depth, another owner and a foreign name.

    Kept texts, which are as many as documents and are never opened through a link, are left out.
    """
    for path, folders, files, at in os.fwalk(".", dir_fd=folder):
        within = path[2:]
        for name in (*folders, *files):
            shown = f"{within}/{name}" if within else name
            try:
                info = os.stat(name, dir_fd=at, follow_symlinks=False)
            except FileNotFoundError:  # dropped by a writer meanwhile
                continue
            is_folder = stat.S_ISDIR(info.st_mode)
            is_servers = within == TEMP and not stat.S_ISLNK(info.st_mode)  # a socket
            if not (is_folder or stat.S_ISREG(info.st_mode) or is_servers):
                raise _foreign(store, shown)
            if not within:
                _check_owner(store / name, info)
                # Who reads or writes it would read or write that file too.
                if info.st_nlink > 1 and not is_folder and _is_elsewhere(folder, name):
                    raise _foreign(store, name, "has another name elsewhere")
            ours = within or (FOLDERS if is_folder else FILES).fullmatch(name)
            if within.count("/") > MAX_DEPTH or not ours:
                raise _foreign(store, shown, "corpus-agent did not make")
        if within == "texts":
            folders.clear()


def _is_elsewhere(folder: int, name: str) -> bool:
    """Whether a file has another name, and is no manifest that is being replaced.

    Such a manifest has two names here, one of which may come and go between two looks.
    """
    named = name.partition(".")[0] + "."
    for _ in range(LOOKS if named == "manifest." else 0):
        manifests = [each for each in _names(folder) if each.startswith(named)]
        try:
            info = os.stat(name, dir_fd=folder, follow_symlinks=False)
            found = [os.stat(each, dir_fd=folder, follow_symlinks=False) for each in manifests]
        except FileNotFoundError:
            continue
        if info.st_nlink <= [each.st_ino for each in found].count(info.st_ino):
            return False
    return True


def _read(store: Path, folder: int, name: str) -> bytes | None:
    try:
        file = os.open(name, READ_ONLY, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError:
        raise _foreign(store, name) from None
    try:
        info = os.fstat(file)
        _check_owner(store / name, info)
        if not stat.S_ISREG(info.st_mode):
            raise _foreign(store, name)
        if info.st_size > MAX_SMALL_BYTES:
            raise _foreign(store, name, f"has {info.st_size:,} bytes, over {MAX_SMALL_BYTES:,}")
        return os.pread(file, MAX_SMALL_BYTES, 0)
    finally:
        os.close(file)


def _identity_with(folder: int, ident: str) -> Identity:
    info = os.fstat(folder)
    return Identity(ident, info.st_dev, info.st_ino)


def _cannot_open(store: Path, error: OSError) -> CorpusError:
    """The error for a place that cannot be opened as a folder."""
    if error.errno == errno.ENOENT:
        return no_index(store)
    if error.errno in (errno.EACCES, errno.EPERM):
        return unreadable(store)
    what = "is a file" if error.errno == errno.ENOTDIR else f"cannot be opened ({error.strerror})"
    what = "is a link" if store.is_symlink() else what
    return UsageError(
        f"{str(store)!r} {what}.", "Name a folder itself, or another place: --store DIR"
    )


def _foreign(store: Path, path: str, what: str = "is a link or no regular file") -> UsageError:
    """The error for what this program does not put into a store."""
    return UsageError(
        f"The index folder {str(store)!r} holds {path!r}, which {what}.",
        "Move it away, or name another folder: --store DIR",
    )


# ---- Making


def _is_new(folder: int) -> bool:
    """Whether the folder is empty, or holds an interrupted creation only."""
    names = _names(folder)
    return not names or (UNFINISHED_MARKER in names and names <= {_IGNORE, UNFINISHED_MARKER})


def _keep_out_of_repositories(store: Path, folder: int) -> None:
    """Restore the store's `.gitignore` if it was changed."""
    if _read(store, folder, _IGNORE) != _IGNORE_ALL:
        write_new(_IGNORE, _IGNORE_ALL, folder=folder)
