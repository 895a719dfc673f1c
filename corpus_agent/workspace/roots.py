"""The paths that a parent's tools may touch, and the only way to open one.

Resolves a path, checks that it lies below a root, and opens it so that a concurrent replacement
cannot lead elsewhere. Does not test existence: opening does.

Reading follows links that stay inside; writing follows none. What it does not stop: hard links
(they are files of this folder), mounts inside a root, and a folder that is moved out of its root
while a tool holds it open.
"""

from __future__ import annotations

import errno
import functools
import os
import stat
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from corpus_agent.text.sanitize import visible
from indexer import CorpusError, Refused

MAX_PATH_BYTES = 4_096  # linux/limits.h, PATH_MAX
MAX_NAMED = 200  # characters of a path in a message

_SAFE = os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_PATH | os.O_DIRECTORY | _SAFE
# O_NONBLOCK: opening a pipe in the place of a file must not block.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | _SAFE


@dataclass(frozen=True, slots=True)
class Root:
    """A folder below which paths may be read or written: real, as given, by identity."""

    path: Path
    given: Path
    identity: tuple[int, int]
    writable: bool


@dataclass(frozen=True, slots=True)
class WorkspacePath:
    """A root and the names below it, none of them `..`; `shown` is relative to the main root."""

    root: Root
    parts: tuple[str, ...]
    shown: str

    @property
    def path(self) -> Path:
        """The real path."""
        return self.root.path.joinpath(*self.parts)


class Workspace:
    """The folders that a parent's tools may read, and those that they may write."""

    def __init__(
        self,
        root: str | Path,
        readable: Sequence[str | Path] = (),
        writable: Sequence[str | Path] = (),
    ) -> None:
        """`root` may be read and written, and relative paths start there."""
        self._main = _root(root, writable=True)
        others = [_root(path, writable=False) for path in readable]
        others += [_root(path, writable=True) for path in writable]
        # The deepest first; of two names for one folder, the one that may be written.
        order = [self._main, *others]
        order.sort(key=lambda root: (-len(root.path.parts), not root.writable))
        self._roots = tuple(order)

    @property
    def root(self) -> Path:
        """The real path of the main root."""
        return self._main.path

    def for_reading(self, path: str) -> WorkspacePath:
        """The place of `path`, links followed."""
        return self._place(path, self._absolute(path))

    def for_writing(self, path: str) -> WorkspacePath:
        """The place of `path`, without links."""
        absolute = self._absolute(path)
        place = self._place(path, absolute)
        if not place.root.writable:
            raise Refused(
                f"{named(path)} may be read and not written.", self._writable(), code="read_only"
            )
        if belongs_to_git(place.path):
            raise Refused(
                f"{named(path)} belongs to git.",
                "Change it with git, not with a tool.",
                code="belongs_to_git",
            )
        if self._as_real(os.path.normpath(absolute)) != place.path:
            raise Refused(
                f"{named(path)} leads over a symbolic link to {named(place.shown)}.",
                "Links are not written through: use that path.",
                code="is_link",
            )
        return place

    def _absolute(self, path: str) -> str:
        if not path:
            raise Refused(
                "The path is empty.", 'Give one, as in "notes/todo.md".', code="bad_argument"
            )
        if "\0" in path or not is_text(path):
            raise Refused(
                f"{named(path)} is not a path.",
                "It holds a character that no path has.",
                code="bad_argument",
            )
        size = len(os.fsencode(path))
        if size > MAX_PATH_BYTES:
            raise Refused(
                f"The path has {size:,} bytes, more than {MAX_PATH_BYTES:,}.", code="bad_argument"
            )
        # POSIX gives two leading slashes a meaning of their own; here they have none.
        return "/" + os.path.join(self._main.path, path).lstrip("/")  # noqa: PTH118

    def _place(self, path: str, absolute: str) -> WorkspacePath:
        try:
            real = Path(os.path.realpath(absolute))
        except RecursionError:
            raise Refused(
                f"{named(path)} leads over too many symbolic links.", code="is_link"
            ) from None
        except OSError:  # a link that was removed meanwhile
            message = f"{named(path)} changed while it was looked at."
            raise Refused(message, "Try once more.", code="stale_read") from None
        for root in self._roots:
            if real.is_relative_to(root.path):
                parts = real.relative_to(root.path).parts
                return WorkspacePath(root, parts, self._shown(real))
        raise Refused(
            f"{named(path)} is outside of the workspace.", self._readable(), code="outside_root"
        )

    def _shown(self, real: Path) -> str:
        inside = real.is_relative_to(self._main.path)
        return str(real.relative_to(self._main.path)) if inside else str(real)

    def _as_real(self, plain: str) -> Path:
        """A path in the spelling of a root as the path from the real root."""
        path = Path(plain)
        for root in self._roots:
            if path.is_relative_to(root.given):
                return root.path / path.relative_to(root.given)
        return path

    def _readable(self) -> str:
        return f"Use a path below {_listed(self._roots)}."

    def _writable(self) -> str:
        return f"Write below {_listed(root for root in self._roots if root.writable)}."


def _root(path: str | Path, *, writable: bool) -> Root:
    given = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    try:
        real = given.resolve(strict=True)
        info = real.stat()
    except OSError:
        message = f"{str(path)!r} cannot be a folder of the workspace."
        raise CorpusError(message, "Name one that is there.") from None
    if not stat.S_ISDIR(info.st_mode):
        raise CorpusError(f"{str(path)!r} is no folder.", "A workspace consists of folders.")
    return Root(real, given, (info.st_dev, info.st_ino), writable)


def _listed(roots: Iterable[Root]) -> str:
    return " or ".join(named(str(root.path)) for root in roots)


def is_text(value: str) -> bool:
    """Whether `value` can be encoded: half a surrogate pair cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def named(path: str) -> str:
    """`path` for a message: quoted, on one line, and bounded."""
    return repr(path if len(path) <= MAX_NAMED else f"{path[:MAX_NAMED]}…")


def open_place(place: WorkspacePath) -> int:
    """A descriptor for reading a regular file or a folder; the caller closes it."""
    return _regular(_open(place.root, place.parts, _READ), place)


def open_in(folder: int, place: WorkspacePath) -> int:
    """The same, in a folder that is open already, and only if the file may be written too."""
    return _regular(os.open(place.parts[-1], _READ | os.O_RDWR, dir_fd=folder), place)


def _regular(opened: int, place: WorkspacePath) -> int:
    mode = os.fstat(opened).st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return opened
    os.close(opened)
    raise Refused(
        f"{named(place.shown)} is a pipe, a socket or a device, and no file.", code="not_a_file"
    )


def is_folder(descriptor: int) -> bool:
    """Whether the open file is a folder."""
    return stat.S_ISDIR(os.fstat(descriptor).st_mode)


def folder_refused(shown: str) -> Refused:
    """The refusal of a folder where a file is expected."""
    return Refused(f"{named(shown)} is a folder.", "Use glob to list its files.", code="is_folder")


def open_root(root: Root) -> int:
    """A descriptor of the folder."""
    return _open(root, (), _FOLDER)


def open_parent(place: WorkspacePath, *, make: bool = False) -> int:
    """A descriptor of the folder that holds `place`; with `make`, missing folders are created."""
    return _open(place.root, place.parts[:-1], os.O_RDONLY | os.O_DIRECTORY | _SAFE, make=make)


def _open(root: Root, parts: Sequence[str], last: int, *, make: bool = False) -> int:
    """Opens name by name, the last with the flags `last`, so that no link is followed anywhere."""
    here = os.open(root.path, _FOLDER if parts else last)
    with ExitStack() as failing:
        failing.callback(lambda: os.close(here))
        info = os.fstat(here)
        if (info.st_dev, info.st_ino) != root.identity:
            raise Refused(
                f"The folder {named(str(root.path))} was replaced by another one.",
                code="stale_read",
            )
        for count, part in enumerate(parts, start=1):
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=here)
            below = os.open(part, last if count == len(parts) else _FOLDER, dir_fd=here)
            os.close(here)
            here = below
        failing.pop_all()
    return here


@contextmanager
def explained(shown: str) -> Iterator[None]:
    """Turns an OSError for a path into Refused, with what to do next."""
    name = named(shown)
    try:
        yield
    except FileNotFoundError:
        raise Refused(f"There is no {name}.", "Use glob to find it.", code="not_found") from None
    except IsADirectoryError:
        raise folder_refused(shown) from None
    except PermissionError:
        raise Refused(
            f"{name}: this user has no permission.", "Use another path.", code="no_permission"
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            message = f"{name} leads through a file, or over a link that leads nowhere."
            raise Refused(message, "Use glob to find it.", code="not_found") from None
        raise Refused(f"{name} cannot be opened.", "Use another path.", code="unreadable") from None


# ---- What a person is asked about: files that programs execute or follow without being asked. A
# shell, an editor, git or a build machine runs code of them later. What runs only when a person
# types a command (a Makefile, a script, a source file) is not among them: that is an agent's work.


@dataclass(frozen=True, slots=True)
class Guard:
    """Patterns of paths, and why a person is asked; guarded.toml says how a pattern matches."""

    why: str
    patterns: tuple[str, ...]


@functools.cache
def guards() -> tuple[Guard, ...]:
    """The list of guarded.toml."""
    rows = tomllib.loads(Path(__file__).with_name("guarded.toml").read_text("utf-8"))["guard"]
    return tuple(Guard(row["why"], tuple(row["patterns"].split())) for row in rows)


# Files of other version control may be confirmed; those of git are changed by git only.
GIT = ".git"
_GITS = (GIT, "git~1")  # its short name on Windows disks


def why_asked(root: Path, parts: Sequence[str]) -> str:
    """Why a person must confirm a write to the path below `root`; "" if none must."""
    names = [folded(name) for name in (*root.parts, *parts)]  # the root may lie in such a folder
    for guard in guards():
        if any(_fits(pattern, names) for pattern in guard.patterns):
            return guard.why
    if _makes_repository(root, parts):
        return "with it the folder is a git repository, whose settings and hooks git runs"
    return ""


def belongs_to_git(path: Path) -> bool:
    """Whether a path is `.git` or lies below one."""
    return any(folded(part) in _GITS for part in path.parts)


def folded(name: str) -> str:
    """A name as the most lenient file system compares it."""
    plain = unicodedata.normalize("NFKC", visible(unicodedata.normalize("NFKC", name)))
    return unicodedata.normalize("NFKC", plain.casefold()).partition(":")[0].rstrip(". ") or name


def _fits(pattern: str, names: Sequence[str]) -> bool:
    wanted = pattern.rstrip("/").split("/")
    ends = range(len(wanted), len(names)) if pattern.endswith("/") else (len(names),)
    # Also the folder's name itself: a file or link in its place.
    return any(
        len(wanted) <= end and all(map(fnmatchcase, names[end - len(wanted) : end], wanted))
        for end in (*ends, len(names))
    )


def _makes_repository(root: Path, parts: Sequence[str]) -> bool:
    """Whether the path would make a folder a git repository (git's setup.c), which git uses."""
    here = root
    for part in parts:
        there = {name for name in _OF_REPOSITORY if os.path.lexists(here / name)}
        there |= {name for name in _OF_REPOSITORY if folded(name) == folded(part)}
        if "HEAD" in there and ("commondir" in there or {"objects", "refs"} <= there):
            return True
        here = here / part
    return False


_OF_REPOSITORY = ("HEAD", "objects", "refs", "commondir")
