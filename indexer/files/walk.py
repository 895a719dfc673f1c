"""Which files belong to a corpus.

Decides by name, kind and size; never reads a file. Called by sync.

What it does not stop: hard links to files elsewhere (they are files of this folder), and a mount
inside the root.
"""

from __future__ import annotations

import os
import re
import stat
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from indexer.errors import CorpusError, UsageError
from indexer.files.ignore import Rules, rules_in
from indexer.files.names import is_key, never_a_document, source_of
from indexer.files.opening import MAX_FILE_BYTES


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file below the root; `problem` is the reason code if it cannot be a document, else None."""

    source: str
    bytes: int = 0
    mtime_ns: int = 0
    problem: str | None = None
    detail: str | None = None


@dataclass(slots=True)
class Walk:
    """The files of a folder sorted by source, and the number excluded by rules.

    `started_ns` is when the walk began, in nanoseconds since 1970.
    """

    files: list[SeenFile] = field(default_factory=list)
    ignored: int = 0
    started_ns: int = 0


def check_root(root: Path) -> Path:
    """The resolved root; raises CorpusError if it is not a folder that can be listed."""
    try:
        resolved = root.resolve(strict=True)
        with os.scandir(resolved):
            return resolved
    except (FileNotFoundError, RuntimeError):  # the second: a link that leads to itself
        raise CorpusError(f"There is no folder {str(root)!r}.", "Check the path.") from None
    except NotADirectoryError:
        raise UsageError(
            f"{str(root)!r} is a file; a corpus is a folder.",
            f"Index its folder: corpus-agent index {str(root.parent)!r}",
        ) from None
    except PermissionError:
        raise CorpusError(
            f"The folder {str(root)!r} may not be read by this user.",
            "Change its permissions, or run as its owner.",
        ) from None


def walk(root: Path, max_bytes: int = MAX_FILE_BYTES) -> Walk:
    """Every file below `root` that no rule excludes, sorted by source."""
    result = Walk(started_ns=time.time_ns())
    _descend(root, "", (), result, max_bytes)
    result.files.sort(key=lambda seen: seen.source)
    result.files = list(_without_collisions(result.files))
    return result


_Rules = tuple[tuple[str, Rules], ...]


def _descend(root: Path, below: str, rules: _Rules, result: Walk, max_bytes: int) -> None:
    folder = root / below
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        source = source_of(below) + "/"
        result.files.append(SeenFile(source, problem=_reason(error), detail="folder not readable"))
        return
    rules += _rules_of(folder, below)
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if _passed_over(entry.name, path, is_folder, rules):
            result.ignored += 1
        elif is_folder:
            _descend(root, path, rules, result, max_bytes)
        else:
            result.files.append(_look_at(entry, path, max_bytes))


def _rules_of(folder: Path, below: str) -> _Rules:
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ()  # gone meanwhile: nothing in it can be opened either
    try:
        rules = rules_in(opened, str(folder))
    finally:
        os.close(opened)
    return ((below, rules),) if rules is not None else ()


def ignore_line(root: Path, source: str) -> str:
    """The line for an ignore file in `root` that excludes exactly the document `source`.

    Special characters are escaped (gitignore(5), PATTERN FORMAT). The line uses the names on disk,
    since rules are matched against those and a source is NFC. Line breaks are not escaped.
    """
    names: list[str] = []
    for part in source.split("/"):
        names.append(_name_on_disk(root.joinpath(*names), part))
    line = re.sub(r"([\\*?\[])", r"\\\1", "/" + "/".join(names))
    # A byte that is no UTF-8 cannot be written there: any sign in its place.
    line = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\ufffd", "?")
    return line[:-1] + "\\ " if line.endswith(" ") else line


def _name_on_disk(folder: Path, part: str) -> str:
    """The entry of `folder` that is shown as `part`; `part` itself if there is none."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names, not paths
    except OSError:
        return part
    same = (name for name in names if source_of(name) == part)
    return part if part in names else next(same, part)


def _passed_over(name: str, path: str, is_folder: bool, rules: _Rules) -> bool:
    if never_a_document(name, is_folder=is_folder):
        return True
    # As in git: the ignore file nearest to the path that says anything about it decides.
    for base, found in reversed(rules):
        relative = path[len(base) + 1 :] if base else path
        verdict = found.verdict(relative + "/" if is_folder else relative)
        if verdict is not None:
            return verdict
    return False


def _look_at(entry: os.DirEntry[str], path: str, max_bytes: int) -> SeenFile:
    source = source_of(path)
    if _is_escaped(entry.path, path, source):
        return SeenFile(source, problem="name", detail="another file is called so in full")
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError as error:
        return SeenFile(source, problem=_reason(error))
    seen = SeenFile(source, info.st_size, info.st_mtime_ns)
    if stat.S_ISLNK(info.st_mode):
        return SeenFile(source, problem="symlink", detail="links are not followed")
    if not stat.S_ISREG(info.st_mode):
        return SeenFile(source, problem="special", detail="not a regular file")
    if is_key(entry.name):
        return SeenFile(source, seen.bytes, seen.mtime_ns, "secret", "looks like key material")
    if info.st_size > max_bytes:
        detail = f"{info.st_size:,} bytes > {max_bytes:,}"
        return SeenFile(source, seen.bytes, seen.mtime_ns, "too_large", detail)
    if not os.access(entry.path, os.R_OK):  # changes neither size nor time
        return SeenFile(source, seen.bytes, seen.mtime_ns, "permission")
    return seen


def _without_collisions(files: list[SeenFile]) -> Iterator[SeenFile]:
    """The files with distinct sources: of names equal in NFC, all but the first are problems."""
    taken: set[str] = set()
    for seen in files:
        source, copy = seen.source, 1
        while source in taken:
            copy += 1
            source = f"{seen.source} (same name {copy})"
        taken.add(source)
        if source == seen.source:
            yield seen
        else:
            detail = f"another file is called {seen.source!r} in Unicode form NFC"
            yield SeenFile(source, seen.bytes, seen.mtime_ns, "name", detail)


def _is_escaped(whole: str, path: str, source: str) -> bool:
    """Whether a name is shown escaped and another file has just that name."""
    if path.isascii() or unicodedata.normalize("NFC", path) == source:
        return False
    root = whole.removesuffix(path)
    return os.path.lexists(root + source)


def _reason(error: OSError) -> str:
    return "permission" if isinstance(error, PermissionError) else "unreadable"
