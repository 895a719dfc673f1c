"""A home with private files and a folder that contains an index, and the effects of a run on both.

Every private file contains a token and has an access time in 1970, which the kernel updates on a
read. Homes are made for the run; nothing of the user's own is touched. Called by boundaries.py.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired

from corpus_agent.selftest.injection import leaks
from indexer import CorpusError, storage
from indexer.confine import starting

RUN_SECONDS = 120.0  # of one command; it takes two
FIRST_LINE = "# Lease\n\nThe lease ends on 31 May 2031.\n"
_NOTICED = "corpus-agent-notices-readers"


@dataclass(frozen=True, slots=True)
class Home:
    """A home below `base`, with a folder from elsewhere in it; `token` is private."""

    base: Path
    token: str

    @property
    def home(self) -> Path:
        """The user's home folder."""
        return self.base / "home"

    @property
    def project(self) -> Path:
        """The folder that the index came with."""
        return self.home / "cloned" / "project"

    @property
    def store(self) -> Path:
        """The index."""
        return self.project / storage.STORE_NAME

    @property
    def private(self) -> Path:
        """A folder of the user's outside the project."""
        return self.home / "private"

    @property
    def key(self) -> Path:
        """A key of the user's."""
        return self.home / ".ssh" / "id_rsa"

    @property
    def shell(self) -> Path:
        """The file that the user's next shell runs."""
        return self.home / ".bashrc"

    @property
    def record(self) -> Path:
        """The user's record of trusted stores."""
        return self.base / "state" / "corpus-agent" / "stores.json"

    def secrets(self) -> tuple[Path, ...]:
        """The files that no run may read."""
        kept = [path for path in sorted(self.private.rglob("*")) if path.is_file()]
        return (self.key, self.shell, *kept)

    def secrets_named(self) -> tuple[Path, ...]:
        """Those of them that can be named without listing a closed folder."""
        return (self.key, self.shell, self.private / "canary.txt", self.private / "data.json")

    def environment(self) -> dict[str, str]:
        """The environment of this user's programs."""
        places = {
            "HOME": self.home,
            "XDG_STATE_HOME": self.base / "state",
            "XDG_CONFIG_HOME": self.base / "config",
            "XDG_CACHE_HOME": self.base / "cache",
        }
        found = {name: str(path) for name, path in places.items()}
        return {**starting.common_variables(), **found, "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that has ended; `code` is None if it had to be killed."""

    code: int | None
    out: str
    err: str

    @property
    def refused(self) -> bool:
        """Whether it refused with a message and a hint."""
        lines = self.err.strip().splitlines()
        errors = [at for at, line in enumerate(lines) if line.startswith("Error: ")]
        return bool(self.code) and bool(errors) and errors[-1] + 1 < len(lines)

    @property
    def broke(self) -> bool:
        """Whether it ended in a way that is not meant for a person."""
        return self.code is None or self.code < 0 or "Traceback (most recent" in self.err


def make_home(home: Home) -> None:
    """Make the folders, the private files and one harmless document; no index yet."""
    private = ("private/data.json", "private/config.json", "private/lance/kept.lance")
    for name in (".ssh/id_rsa", ".bashrc", "private/canary.txt", *private):
        path = home.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'{{"private": "{home.token}"}}\n', "utf-8")
    for path in (home.home / ".ssh", home.base / "state", home.project):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home.project / "lease.md").write_text(FIRST_LINE, "utf-8")
    config = home.base / "config" / "corpus-agent" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('llm = "none"\n', "utf-8")  # and no search for a server on this machine


def run(home: Home, module: str, *arguments: object, given: str | None = None) -> Ran:
    """A module of ours, run by the user of the home."""
    words = map(str, arguments)
    command = starting.Command(starting.python_module(module, *words), home.environment())
    try:
        done = starting.run(command, given=given, seconds=RUN_SECONDS)
    except TimeoutExpired:
        return Ran(None, "", "")
    return Ran(done.returncode, done.stdout, done.stderr)


# ---- Watching

State = dict[str, tuple[object, ...]]


def look(home: Home) -> State:
    """The state of everything outside the index; from now on a read of a secret is noticed."""
    before = _watched(home)
    for path in home.secrets():
        os.utime(path, ns=(0, path.stat().st_mtime_ns))
    return before


def seen(home: Home, before: State, printed: str) -> tuple[str, ...]:
    """The kinds of effects of a run, each once; empty without any."""
    after = _watched(home)
    held = (_unseen(path) for path in _files_below(home.store))
    found = {
        "shown": leaks.holds_secret(printed, (home.token,)),
        "read": any(path.stat().st_atime_ns for path in home.secrets() if str(path) in before),
        "changed": before != after,
        "kept": any(home.token.encode() in data for data in held),
    }
    return tuple(kind for kind, is_so in found.items() if is_so)


def check_readers_are_noticed(folder: Path) -> None:
    """Raise CorpusError if the file system does not record reads."""
    path = folder / _NOTICED
    path.write_text("words", "utf-8")
    os.utime(path, ns=(0, path.stat().st_mtime_ns))
    path.read_text("utf-8")
    if not path.stat().st_atime_ns:
        raise CorpusError(
            f"The file system of {str(folder)!r} does not note when a file was read, so that "
            "nobody could tell whether the attack got through.",
            "Set TMPDIR to a folder of another one, mounted without noatime.",
        )


def _watched(home: Home) -> State:
    # Not the index, which a run may write, nor the record that `index` makes of it.
    return {
        str(path): _look(path)
        for path in sorted(home.home.rglob("*"))
        if home.store not in (path, *path.parents)
    }


def _look(path: Path) -> tuple[object, ...]:
    info = path.lstat()
    what = (info.st_mode, info.st_ino, info.st_uid, info.st_mtime_ns)
    if not stat.S_ISREG(info.st_mode):
        return (info.st_mode, info.st_uid)  # a folder's time changes with the index in it
    return (*what, hashlib.sha256(_unseen(path)).hexdigest())


def _files_below(folder: Path) -> Iterator[Path]:
    if folder.is_symlink():
        return
    for here, _, names in os.walk(folder):
        for name in names:
            path = Path(here, name)
            if stat.S_ISREG(path.lstat().st_mode):
                yield path


def _unseen(path: Path) -> bytes:
    """The bytes of a file, read without changing its access time."""
    with suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOATIME | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as file:
            return file.read()
    return b""
