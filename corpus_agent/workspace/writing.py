"""The tools that change files: `edit` what was read, `write` what a person confirmed.

A file is replaced as a whole: a new one is written beside it, flushed to the disk and renamed over
it, so it is always the old or the new one, and no link is written through. Owner and mode are kept;
extended attributes and other hard links are not.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from corpus_agent.text.sanitize import one_line
from corpus_agent.workspace.reading import MAX_WHOLE_BYTES, Ledger, Snapshot, is_binary, snapshot
from corpus_agent.workspace.roots import (
    Workspace,
    WorkspacePath,
    explained,
    folder_refused,
    is_text,
    named,
    open_in,
    open_parent,
    why_asked,
)
from indexer import Refused

_CRLF = "\r\n"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed change: `content` for the real `path`, over a file or as a new one."""

    path: Path
    content: str
    replaces: bool
    why: str = ""

    def __str__(self) -> str:
        """The question for a person, on one line."""
        done = f"{'change' if self.replaces else 'make'} {named(one_line(str(self.path)))}"
        return f"{done}: {self.why}" if self.why else done


Confirm = Callable[[Proposal], bool]
"""Asks a person; nothing is written unless it returns True."""
# One file at a time in this process: two harmless ones together can make a repository.
_PLACING = threading.Lock()


def edit(
    workspace: Workspace,
    ledger: Ledger,
    confirm: Confirm | None,
    path: str,
    old: str,
    new: str,
    replace_all: bool,
) -> str:
    """What was replaced, and where; raises Refused, also without a needed confirmation."""
    _check_text("old_string", old)
    _check_text("new_string", new)
    check_strings(old, new)
    place = workspace.for_writing(path)
    why = _why_asked(place)
    with explained(place.shown), _folder(place) as folder:
        before, info = _look(folder, place)
        data = _editable(place, before, ledger)
    result = replaced(data, old, new, everywhere=replace_all)
    if why:
        content = result.data.decode("utf-8", "replace")
        _ask(confirm, Proposal(place.path, content, replaces=True, why=why), place)
    with explained(place.shown), _folder(place) as folder:
        _put(folder, place, result.data, info, why)
    ledger.see(place.path, hashlib.sha256(result.data).hexdigest())
    if result.count == 1:
        return f"Edited {named(place.shown)}: 1 replacement, at line {result.line}."
    first = f"the first at line {result.line}"
    return f"Edited {named(place.shown)}: {result.count} replacements, {first}."


def write(workspace: Workspace, ledger: Ledger, confirm: Confirm, path: str, content: str) -> str:
    """What was written; raises Refused, also if `confirm` denies."""
    _check_text("content", content)
    place = workspace.for_writing(path)
    data = content.encode()
    with explained(place.shown):
        asked = _state(place)
    why = _why_asked(place)
    _ask(confirm, Proposal(place.path, content, replaces=asked is not None, why=why), place)
    with explained(place.shown), _folder(place, make=True) as folder:
        try:
            before, info = _look(folder, place)
        except FileNotFoundError:
            before, info = None, None
        if asked != (before.state if before else None):
            raise _changed(place)
        _put(folder, place, data, info, why)
    ledger.see(place.path, hashlib.sha256(data).hexdigest())
    how = "a new file" if info is None else "in place of what it held"
    return f"Wrote {len(data):,} bytes to {named(place.shown)}, {how}."


def _why_asked(place: WorkspacePath) -> str:
    return why_asked(place.root.path, place.parts)


def _ask(confirm: Confirm | None, proposal: Proposal, place: WorkspacePath) -> None:
    """Returns if a person confirms; raises Refused otherwise, also without `confirm`."""
    name = named(place.shown)
    if confirm is None:
        raise Refused(
            f"{name} is not changed unless a person allows it, and nobody can be asked: "
            f"{proposal.why}.",
            "Say what should be in it, so that a person can do it.",
            code="not_allowed",
        )
    if not confirm(proposal):
        raise Refused(
            f"Writing {name} was not allowed.", "Ask what to do instead.", code="not_allowed"
        )


def _check_text(name: str, value: str) -> None:
    if not is_text(value):
        raise Refused(
            f"{name} holds half of a surrogate pair.",
            "Give text that UTF-8 can carry.",
            code="bad_argument",
        )


@contextmanager
def _folder(place: WorkspacePath, *, make: bool = False) -> Iterator[int]:
    """The open folder of a place."""
    if not place.parts:
        raise folder_refused(place.shown)
    folder = open_parent(place, make=make)
    try:
        yield folder
    finally:
        os.close(folder)


def _look(folder: int, place: WorkspacePath) -> tuple[Snapshot, os.stat_result]:
    """The current file and its status."""
    descriptor = open_in(folder, place)
    try:
        return snapshot(descriptor), os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _state(place: WorkspacePath) -> str | None:
    """The state of the file, None without one."""
    try:
        with _folder(place) as folder:
            return _look(folder, place)[0].state
    except FileNotFoundError:
        return None


def _editable(place: WorkspacePath, before: Snapshot, ledger: Ledger) -> bytes:
    """The bytes to edit; refuses binaries, and files that were not read, or changed since."""
    name = named(place.shown)
    if before.data is None:
        message = f"{name} has {before.size:,} bytes; files are edited up to {MAX_WHOLE_BYTES:,}."
        raise Refused(message, code="too_large")
    if is_binary(before.data):
        hint = "Only text can be edited, and UTF-16 is not."
        raise Refused(f"{name} is binary.", hint, code="binary_file")
    seen = ledger.seen(place.path)
    if seen is None:
        raise Refused(
            f"{name} was not read in this session.",
            "Read it before you edit it.",
            code="not_read_yet",
        )
    if seen != before.state:
        raise Refused(
            f"{name} has changed since it was read (stale read).",
            "Read it again.",
            code="stale_read",
        )
    return before.data


def _put(
    folder: int, place: WorkspacePath, data: bytes, old: os.stat_result | None, asked_why: str
) -> None:
    """Replace the content of the file atomically; raises Refused if it changed."""
    name = place.parts[-1]
    temporary = f".corpus-agent-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    mode = 0o666 if old is None else 0o600  # a new file's mode follows the umask
    descriptor = os.open(temporary, flags, mode, dir_fd=folder)
    with ExitStack() as failing:
        failing.callback(os.unlink, temporary, dir_fd=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                _keep_owner_and_mode(file.fileno(), place, old)
            os.fsync(file.fileno())
        with _PLACING:
            if _identity(folder, name) != _identity_of(old) or _why_asked(place) != asked_why:
                raise _changed(place)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            failing.pop_all()
    os.fsync(folder)


def _keep_owner_and_mode(descriptor: int, place: WorkspacePath, old: os.stat_result) -> None:
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError:
            raise Refused(
                f"{named(place.shown)} belongs to another user, who would lose it.",
                "Ask its owner to change it.",
                code="no_permission",
            ) from None
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _identity(folder: int, name: str) -> tuple[int, ...] | None:
    try:
        return _identity_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _identity_of(info: os.stat_result | None) -> tuple[int, ...] | None:
    if info is None:
        return None
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


def _changed(place: WorkspacePath) -> Refused:
    return Refused(
        f"{named(place.shown)} was changed by another program just now.",
        "Read it again.",
        code="stale_read",
    )


# ---- Exact replacement in bytes, whose line ends a model writes as a line feed


@dataclass(frozen=True, slots=True)
class Replaced:
    """The new bytes, the number of replacements, and the line of the first, 1-based."""

    data: bytes
    count: int
    line: int


def check_strings(old: str, new: str) -> None:
    """Raises Refused for an empty or identical string, whatever the file holds."""
    if not old:
        raise Refused(
            "old_string is empty.",
            "Give the exact text to replace; to make a new file, use write.",
            code="bad_argument",
        )
    if old.replace(_CRLF, "\n") == new.replace(_CRLF, "\n"):
        raise Refused(
            "old_string and new_string are identical.", "Nothing would change.", code="unchanged"
        )


def replaced(data: bytes, old: str, new: str, *, everywhere: bool) -> Replaced:
    """`data` with `old` replaced by `new`: the only match, or with `everywhere` each one.

    Both strings take the line ends of the file; where it has several kinds, a line feed alone. All
    other bytes stay, those that are not UTF-8 too.
    """
    check_strings(old, new)
    text = data.decode("utf-8", "surrogateescape")
    ending = _CRLF if 0 < text.count("\n") == text.count(_CRLF) else "\n"
    old, new = (part.replace(_CRLF, "\n").replace("\n", ending) for part in (old, new))
    first = text.find(old)
    if first < 0:
        hint = "Read the file again and copy the text exactly, white space included."
        raise Refused("old_string was not found.", hint, code="no_match")
    count = text.count(old)
    if not everywhere and text.find(old, first + 1) >= 0:
        raise Refused(
            f"old_string was found {max(2, count)} times.",
            "Give more of the lines around it, or set replace_all.",
            code="several_matches",
        )
    if not new.isascii() and any("\udc80" <= char <= "\udcff" for char in text):
        raise Refused(
            "This file is not UTF-8.", "Only ASCII text can be written into it.", code="encoding"
        )
    done = text.replace(old, new).encode("utf-8", "surrogateescape")
    return Replaced(done, count, text.count("\n", 0, first) + 1)
