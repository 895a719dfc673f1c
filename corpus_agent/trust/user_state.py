"""Earlier decisions of the user, kept only in the user's own state folder.

Small JSON files, one per subject, outside of every folder that a sealed process may write, so that
neither a folder of documents nor code that took over a run can change them. Called only before the
seal; does not interpret the files.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import stat
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from corpus_agent.settings import of_user
from indexer import CorpusError, lock_briefly

MAX_STATE_BYTES = 1_000_000
_KEY = "receipts.json"
KEY_BYTES = 32
_NO_LINK = os.O_NOFOLLOW | os.O_CLOEXEC
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class NoUserState(CorpusError):
    """There is no state folder of this user that can be read or written."""


def state_folder() -> Path:
    """The folder of this user's decisions; need not exist."""
    folder = of_user("XDG_STATE_HOME", ".local/state")
    if folder is None:
        raise NoUserState(
            "This user has no state folder.", "Set XDG_STATE_HOME or HOME to an absolute path."
        )
    return folder


def load(name: str) -> dict[str, Any]:
    """The content of the state file `name`; empty if there is none yet."""
    try:
        folder = _open_folder()
        try:
            return _read(folder, name)
        finally:
            os.close(folder)
    except FileNotFoundError:
        return {}
    except OSError:
        raise _unusable(state_folder() / name) from None


def update(name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Replace the content of `name` by the result of `change`, atomically, under a lock."""
    try:
        state_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = _open_folder()
        try:
            # Excludes other processes that change state; released when this one ends.
            lock_briefly(folder, fcntl.LOCK_EX, f"The state folder {str(state_folder())!r}")
            try:
                before = _read(folder, name)
            except FileNotFoundError:
                before = {}
            after = change(before)
            if after != before:
                _write(folder, name, after)
        finally:
            os.close(folder)
    except OSError:
        raise _unusable(state_folder() / name) from None


def receipt_key(*, make: bool) -> bytes | None:
    """The key that receipts are signed with; None where there is none, nor can be made one."""
    try:
        if make and not load(_KEY):
            update(_KEY, lambda known: known or {"key": secrets.token_hex(KEY_BYTES)})
        key = bytes.fromhex(load(_KEY)["key"])
        return key if len(key) == KEY_BYTES else None
    except (NoUserState, KeyError, TypeError, ValueError):
        return None


def fits(content: dict[str, Any]) -> bool:
    """Whether a state file may hold this content."""
    return len(_encoded(content)) <= MAX_STATE_BYTES


def _encoded(content: dict[str, Any]) -> bytes:
    # A path may hold bytes that are no text, which Python keeps as lone surrogates.
    return json.dumps(content, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _open_folder() -> int:
    """A descriptor of the state folder, which must be this user's and writable by no other."""
    descriptor = os.open(state_folder(), os.O_RDONLY | os.O_DIRECTORY | _NO_LINK)
    with ExitStack() as failing:
        failing.callback(os.close, descriptor)
        _check_ours(descriptor, state_folder())
        failing.pop_all()
    return descriptor


def _check_ours(descriptor: int, path: Path) -> os.stat_result:
    info = os.fstat(descriptor)
    if info.st_uid != os.geteuid():
        raise NoUserState(
            f"{str(path)!r} belongs to user {info.st_uid}, not to this one ({os.geteuid()}).",
            "Set XDG_STATE_HOME to a folder of your own.",
        )
    if info.st_mode & _OTHERS_WRITE:
        raise NoUserState(
            f"{str(path)!r} may be written by others.", f"Run: chmod go-w {str(path)!r}"
        )
    return info


def _read(folder: int, name: str) -> dict[str, Any]:
    path = state_folder() / name
    # O_NONBLOCK: a FIFO in the place of the file must not block.
    descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _NO_LINK, dir_fd=folder)
    try:
        info = _check_ours(descriptor, path)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_STATE_BYTES:
            raise NoUserState(f"{str(path)!r} is no state file of corpus-agent.", "Remove it.")
        content = json.loads(os.pread(descriptor, MAX_STATE_BYTES, 0))
    except (ValueError, RecursionError):
        raise NoUserState(f"{str(path)!r} is damaged.", "Remove it.") from None
    finally:
        os.close(descriptor)
    if not isinstance(content, dict):
        raise NoUserState(f"{str(path)!r} is damaged.", "Remove it.")
    return content


def _write(folder: int, name: str, content: dict[str, Any]) -> None:
    """Replace the file; removes temporary files of killed processes, since the lock is held."""
    data = _encoded(content)
    if len(data) > MAX_STATE_BYTES:
        raise NoUserState(
            f"{str(state_folder() / name)!r} would have {len(data):,} bytes, "
            f"at most {MAX_STATE_BYTES:,} are read."
        )
    unfinished = re.compile(rf"{re.escape(name)}\.[0-9a-f]{{16}}\.new")
    for left in filter(unfinished.fullmatch, os.listdir(folder)):
        os.unlink(left, dir_fd=folder)
    fresh = f"{name}.{secrets.token_hex(8)}.new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
    descriptor = os.open(fresh, flags, 0o600, dir_fd=folder)
    with ExitStack() as failing:
        failing.callback(os.unlink, fresh, dir_fd=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        failing.pop_all()
    os.fsync(folder)  # later steps rely on the file's existence after a power failure


def _unusable(path: Path) -> NoUserState:
    return NoUserState(
        f"The state file {str(path)!r} cannot be used.",
        "Set XDG_STATE_HOME to a folder that this user may write.",
    )
