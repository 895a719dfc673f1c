"""Which files belong to a corpus.

Decides by name, kind and size; never reads a file.

What it does not stop: hard links to files elsewhere (they are files of this folder), and a mount
inside the root.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from indexer.errors import CorpusError, UsageError
from indexer.files.ignore import Rule, deciding, rules_in
from indexer.files.opening import MAX_FILE_BYTES, time_of
from indexer.files.paths import INDEX_FOLDER, INDEX_MARKER, is_key, never_a_document, source_of

# Reasons for which a file or a folder could not be looked at, which says nothing of what is in it.
UNREACHED = ("permission", "unreadable")
CLOCK_TICK_NS = 2_000_000_000  # of FAT, the coarsest; that of Linux's own file systems is 10 ms


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file below the root; `problem` is the reason code if it cannot be a document, else None."""

    source: str
    bytes: int = 0
    mtime_ns: int = 0
    problem: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Excluded:
    """A file, or a folder with all that is in it (as in "build/"), that a rule keeps out.

    `place` is where the line `rule` of an ignore file stands, as in "notes/.gitignore:3"; "" for a
    name that is none of a document, such as a dot-file's, and for an index, which `rule` says.
    """

    source: str
    place: str = ""
    rule: str = ""


@dataclass(slots=True)
class Walk:
    """The files of a folder sorted by source, and what rules keep out of them.

    `started_ns` is when the walk began, in nanoseconds since 1970. `mounts` are the folders on
    another device than the one above them, as in "disk/", and "" for the root itself.
    """

    files: list[SeenFile] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    started_ns: int = 0
    mounts: list[str] = field(default_factory=list)

    @property
    def ignored(self) -> int:
        """How many files and folders rules keep out."""
        return len(self.excluded)

    @property
    def kept_out(self) -> list[Excluded]:
        """What lines of ignore files keep out."""
        return [entry for entry in self.excluded if entry.place]

    def out_of_reach(self, mounts: Iterable[str] = ()) -> dict[str, str]:
        """The folders that could not be looked into, as in "disk/", each with a reason code.

        Those that cannot be listed or entered, links in the place of folders, and of `mounts`,
        where other devices were before, those where none is now.
        """
        found = {
            _folder(seen.source): seen.problem
            for seen in self.files
            if seen.problem in (*UNREACHED, "symlink")
        }
        return found | dict.fromkeys({*mounts} - {*self.mounts}, "unmounted")


def _folder(source: str) -> str:
    """A source as the prefix of what lies below it; the root is listed as "/"."""
    return "" if source == "/" else f"{source.removesuffix('/')}/"


def check_root(root: Path) -> Path:
    """The resolved root; raises CorpusError if it is not a folder that can be listed."""
    try:
        resolved = root.resolve(strict=True)
        with os.scandir(resolved):
            return resolved
    except (FileNotFoundError, RuntimeError):  # the second: a link that leads to itself
        raise UsageError(
            f"There is no folder {str(root)!r}.", "Name one that is: corpus-agent index FOLDER"
        ) from None
    except NotADirectoryError:
        raise UsageError(
            f"{str(root)!r} is a file, not a folder.",
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
    _descend(root, "", (), result, max_bytes, _device(root.parent))
    result.files.sort(key=lambda seen: seen.source)
    result.files = list(_without_collisions(result.files))
    return result


def excluded(root: Path) -> list[Excluded]:
    """What rules keep out of the corpus of a folder now, by source."""
    return sorted(walk(root).excluded, key=lambda entry: entry.source)


OF_AN_INDEX = "an index of corpus-agent"
_Rules = tuple[tuple[str, tuple[Rule, ...]], ...]  # of each folder on the way


def _descend(
    root: Path, below: str, rules: _Rules, result: Walk, max_bytes: int, above: int | None
) -> None:
    """Look at a folder that lies in one on the device `above`."""
    folder = root / below
    try:
        # A folder that can be listed and not entered has files of which nothing can be known.
        device = os.stat(f"{folder}/.").st_dev  # noqa: PTH116 - Path drops the dot
        # Those first that are called as they are shown: so `open_beneath` prefers them.
        key = lambda entry: (source_of(entry.name) != entry.name, entry.name)  # noqa: E731
        entries = sorted(os.scandir(folder), key=key)
    except OSError as error:
        source = source_of(below) + "/"
        result.files.append(SeenFile(source, problem=_reason(error), detail="folder not readable"))
        return
    if device != above:
        result.mounts.append(source_of(below) + "/" * bool(below))
    rules += _rules_of(folder, below)
    if below and _is_index(entries, below, rules):
        result.excluded.append(Excluded(f"{source_of(below)}/", rule=OF_AN_INDEX))
        return
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        is_folder = _is_folder(entry)
        if is_folder and path == INDEX_FOLDER:
            continue  # its own index is none of what is counted
        excluded = _excluded(entry.name, path, is_folder, rules)
        if excluded is not None:
            result.excluded.append(excluded)
        elif is_folder:
            _descend(root, path, rules, result, max_bytes, device)
        else:
            result.files.append(_look_at(entry, path, max_bytes))


def _is_index(entries: Iterable[os.DirEntry[str]], below: str, rules: _Rules) -> bool:
    """Whether this is an index under a name of its own, whose ignore file keeps all of it out."""
    if not any(entry.name == INDEX_MARKER for entry in entries):
        return False
    kept_out = _excluded(INDEX_MARKER, f"{below}/{INDEX_MARKER}", False, rules)
    return kept_out is not None and kept_out.rule == "*"


def _device(folder: Path) -> int | None:
    try:
        return folder.stat().st_dev
    except OSError:
        return None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:  # of a file system that does not tell without a look, which then fails
        return False


def _rules_of(folder: Path, below: str) -> _Rules:
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ()  # gone meanwhile: nothing in it can be opened either
    try:
        rules = rules_in(opened, str(folder))
    finally:
        os.close(opened)
    return ((below, rules),) if rules else ()


def ignore_line(root: Path, source: str) -> str:
    """The line for an ignore file in `root` that excludes exactly the document `source`.

    It has the names on disk, against which rules are matched: a source is NFC.
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


def _excluded(name: str, path: str, is_folder: bool, rules: _Rules) -> Excluded | None:
    """What keeps an entry out of the corpus, None if nothing does."""
    source = source_of(path) + "/" * is_folder
    if never_a_document(name, is_folder=is_folder):
        return Excluded(source)
    # As in git: the ignore file nearest to the path that says anything about it decides.
    for base, found in reversed(rules):
        relative = path[len(base) + 1 :] if base else path
        rule = deciding(found, relative + "/" if is_folder else relative)
        if rule is not None:
            place = f"{source_of(base)}/{rule.place}" if base else rule.place
            return Excluded(source, place, rule.text) if rule.excludes else None
    return None


def _look_at(entry: os.DirEntry[str], path: str, max_bytes: int) -> SeenFile:
    source = source_of(path)
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError as error:
        return SeenFile(source, problem=_reason(error))
    seen = SeenFile(source, info.st_size, time_of(info))
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
    """The files with distinct sources: of those shown alike, all but the first are problems."""
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
            detail = f"another file is shown as {seen.source!r}"
            yield SeenFile(source, seen.bytes, seen.mtime_ns, "name", detail)


def _reason(error: OSError) -> str:
    return "permission" if isinstance(error, PermissionError) else "unreadable"
