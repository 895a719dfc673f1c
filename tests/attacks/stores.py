"""A home with something to lose, a folder in it that ships an index, and who watches over both.

Every file that must stay private holds CANARY, and its access time lies in 1970: the kernel moves
it when somebody reads. The watch itself reads without a trace. Nothing is imitated: homes, indices
and programs are real, and each command runs in a process of its own.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from indexer.store.manifest import SCHEMA, sum_of
from tests.support.forked import Server
from tests.support.places import REPOSITORY
from tests.support.raw_server import RawServer

CANARY = "canary-7d31f0"
STORE = ".corpus-agent"
DOCUMENT = "notes/lease.md"
QUESTION = "When does the lease end?"
ROWS = (".ssh/id_rsa", "documents/salary.md", "../elsewhere/secret.md", ".bashrc")
MAX_MEMORY = 4 * 2**30  # bytes of addresses: a file without an end must not take the machine
SECONDS = 60.0  # of a command on a busy machine; one second on a quiet one
START = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}  # what is decided when Python starts

# What a person's script does; every step is tried, whatever became of the one before.
_CORPUS = """
import sys
from corpus_agent import Corpus
from indexer.errors import CorpusError
codes = []
def step(work):
    try:
        print(work())
    except CorpusError as error:
        print(f"Error: {error.message}\\n{error.hint}", file=sys.stderr)
        codes.append(error.exit_code)
def corpus():
    with Corpus.open(sys.argv[1]) as corpus:
        step(corpus.status)
        step(lambda: corpus.search("lease private text"))
        for source in sys.argv[2:]:
            step(lambda source=source: corpus.read(source))
        step(lambda: corpus.ask("When does the lease end?"))
        step(corpus.index)
        step(lambda: corpus.index(force=True))
"""
_LIBRARIAN = """
def librarian():
    from corpus_agent.librarian import Librarian
    with Librarian(sys.argv[1], llm="none") as librarian:
        print(librarian.ask("When does the lease end?").as_object())
"""
_END = "raise SystemExit(codes[0] if codes else 0)\n"
SCRIPTS = {
    "Corpus": f"{_CORPUS}step(corpus)\n{_END}",
    "Librarian": f"{_CORPUS}{_LIBRARIAN}step(librarian)\n{_END}",
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "index": ("index",),
    "index --force": ("index", "--force"),
    "index --dry-run": ("index", "--dry-run"),
    "index --watch": ("index", "--watch"),
    "ask": ("ask", "--llm", "none", QUESTION),
    "ask auto": ("ask", QUESTION),
    "search": ("search", "lease private text"),
    "read": ("read", DOCUMENT),
    "files": ("files",),
    "status": ("status",),
    "doctor": ("doctor", "--llm", "none"),
    "forget": ("forget", DOCUMENT),
    "eval": ("eval", "questions.toml"),
    "chat": ("chat", "--llm", "none"),
    "mcp": ("mcp", "--llm", "none"),
    "web": ("web", "--llm", "none"),
    "table": ("table", "end of term"),
    **{f"read {source}": ("read", source) for source in ROWS},
}


@dataclass(frozen=True, slots=True)
class Ran:
    """A process that has ended; `code` is None where it had to be ended."""

    command: str
    code: int | None
    out: str
    err: str


@dataclass(slots=True)
class Scene:
    """A home below `base`, and the folder in it that the victim stands in."""

    base: Path
    forks: Server
    listener: RawServer
    env: dict[str, str] = field(default_factory=dict)
    store: Path = Path()
    options: tuple[str, ...] = ()  # before the command
    private: list[Path] = field(default_factory=list)  # more files that nobody may read

    def __post_init__(self) -> None:
        self.store = self.project / STORE

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def project(self) -> Path:
        return self.home / "cloned" / "project"

    @property
    def elsewhere(self) -> Path:
        return self.base / "elsewhere"

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "corpus-agent"

    def canaries(self) -> list[Path]:
        documents = ("salary.md", "settings.toml", "lance/kept.lance", "model/config.json")
        inner = (".ssh/id_rsa", ".bashrc", *(f"documents/{name}" for name in documents))
        own = [self.home / name for name in inner]
        return [*own, self.elsewhere / "secret.md", *self.private]

    def run(self, name: str) -> Ran:
        if name in SCRIPTS:
            return self.code(SCRIPTS[name], self.store, *ROWS, name=name)
        typed = f"{QUESTION}\n/quit\n".encode() if name == "chat" else b""
        return self._run(name, [*self.options, *COMMANDS[name]], typed)

    def type_in(self, *arguments: object, name: str = "") -> Ran:
        return self._run(name, arguments)

    def code(self, code: str, *arguments: object, name: str = "code") -> Ran:
        return self._run(name, arguments, code=code)

    def _run(
        self, name: str, words: Sequence[object], typed: bytes = b"", code: str | None = None
    ) -> Ran:
        path = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": str(REPOSITORY)}
        environment = {**path, "HOME": str(self.home), **START, **self.env}
        done = self.forks.run(
            [*map(str, words)], self.project, environment, typed,
            seconds=SECONDS, memory=MAX_MEMORY, code=code,
        )  # fmt: skip
        out, err = (text.decode(errors="replace") for text in (done.out, done.err))
        return Ran(name, done.code, out, err)

    def trust(self, root: Path | None = None) -> None:
        done = self.type_in("trust", self.store, "--root", root or self.project)
        assert done.code == 0, done.err


def make_home(scene: Scene) -> None:
    for path in scene.canaries():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The private text is {CANARY} {path.name}.\n")
    (scene.home / "documents/settings.toml").write_text(f'{CANARY} = "private"\n')
    (scene.home / "documents/model/config.json").write_text(json.dumps({"model_type": CANARY}))
    (scene.home / ".ssh").chmod(0o700)
    (scene.home / ".local" / "state").mkdir(parents=True, mode=0o700)
    notes = scene.project / "notes"
    notes.mkdir(parents=True)
    (notes / "lease.md").write_text("# Lease\n\nThe lease ends on 31 May 2031.\n")
    (notes / "dog.md").write_text("# Dog\n\nThe tenant may keep one dog.\n")
    question = f'[[questions]]\nquestion = "{QUESTION}"\nsources = ["{DOCUMENT}"]\n'
    (scene.project / "questions.toml").write_text(question + 'answer = "31 May 2031"\n')


@contextlib.contextmanager
def scene_in(forks: Server, home: Path | None = None) -> Iterator[Scene]:
    """A scene in a folder of a short name: the path of a Unix socket in a store has 107 bytes.

    With `home` that one once more, links and times included.
    """
    with tempfile.TemporaryDirectory(prefix="h-") as made, listening() as listener:
        base = Path(made, "base")
        if home is not None:
            shutil.copytree(home, base, symlinks=True)
        yield Scene(base, forks, listener)


def signed(store: Path, content: Mapping[str, object]) -> str:
    """The text of a manifest that says this, with the sum that the store's key makes.

    One of another schema is left without.
    """
    bare = {key: value for key, value in content.items() if key != "check"}
    if bare.get("schema") != SCHEMA:
        return json.dumps(bare, indent=1)
    return json.dumps({**bare, "check": sum_of(store, bare)}, indent=1)


def listening() -> RawServer:
    """A server of the attacker's on loopback that counts who comes."""
    return RawServer((), reads=False)


def connect(listener: str) -> None:
    host, _, port = listener.partition(":")
    socket.create_connection((host, int(port)), 30).close()


State = dict[str, tuple[object, ...]]


def look(scene: Scene) -> State:
    """What everything is before a run; from here on a reader of private files is noticed."""
    before = _watched(scene)
    for path in scene.canaries():
        if path.exists():
            os.utime(path, ns=(0, path.stat().st_mtime_ns))
    return before


def _watched(scene: Scene) -> State:
    """What everything outside of the index is: content, inode, mode, owner, times and links."""
    mine = (scene.store, scene.home / ".local" / "state")
    return {
        str(path): looked_at(path)
        for path in scene.base.rglob("*")
        if not any(path == folder or folder in path.parents for folder in mine)
    }


def looked_at(path: Path) -> tuple[object, ...]:
    info = path.lstat()
    what = (info.st_mode, info.st_ino, info.st_uid, info.st_gid, info.st_mtime_ns)
    if stat.S_ISLNK(info.st_mode):
        return (*what, str(path.readlink()))
    if stat.S_ISREG(info.st_mode):
        return (*what, info.st_nlink, hashlib.sha256(_unseen(path)).hexdigest())
    return what


def _unseen(path: Path) -> bytes:
    """The bytes of a file of this user, read so that its access time stays."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOATIME | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(20_000_000)


def notices_readers(folder: Path) -> bool:
    """Whether the file system of `folder` notes that a file was read, and not that we looked."""
    path = folder / "read-me"
    path.write_text("words")
    os.utime(path, ns=(0, path.stat().st_mtime_ns))
    _unseen(path)
    before = path.stat().st_atime_ns
    path.read_text()
    return before == 0 and path.stat().st_atime_ns != 0


def findings(scene: Scene, before: State, runs: Sequence[Ran], *, refused: bool) -> list[str]:
    """What went wrong in some runs, each with its kind; with `refused` each should have said no."""
    found = [finding for ran in runs for finding in _of_output(ran)]
    after = _watched(scene)
    changed = before.keys() | after.keys()
    found += [f"changed: {path}" for path in changed if before.get(path) != after.get(path)]
    found += [f"opened: {path}" for path in scene.canaries() if _was_read(path)]
    if any(CANARY.encode() in data for data in _held(scene.store)):
        found.append(f"kept: {scene.store}")
    if scene.listener.heard:
        found.append(f"sent: {scene.listener.heard} connections")
    if refused:
        found += [f"obeyed: {ran.command}: {ran.out[-300:]}" for ran in runs if ran.code == 0]
    return found


def _was_read(path: Path) -> bool:
    try:
        return path.lstat().st_atime_ns != 0
    except FileNotFoundError:
        return False  # which is a change


# Controls but line end and tab; bidi and zero-width characters.
_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def _of_output(ran: Ran) -> Iterator[str]:
    said = ran.out + ran.err
    if CANARY in said:
        yield f"shown: {said[max(0, said.index(CANARY) - 80) :][:160]}"
    if acts := _ACTS.search(said):
        yield f"control: {said[max(0, acts.start() - 40) : acts.end() + 40]!r}"
    if ran.code is None or "MemoryError" in said:
        yield f"hung: {ran.command}: {said[-200:]}"
    elif ran.code < 0 or "Traceback (most recent call last)" in said:
        yield f"crashed: {ran.code}: {ran.err[-600:]}"
    elif ran.code and ran.command != "doctor" and "Error: " not in ran.err:
        yield f"mute: {ran.code}: {ran.out[-200:]} {ran.err[-300:]}"


def _held(store: Path) -> Iterator[bytes]:
    if store.is_symlink() or not store.is_dir():
        return
    for path in store.rglob("*"):
        info = path.lstat()
        if stat.S_ISREG(info.st_mode) and info.st_nlink == 1 and info.st_blocks < 40_000:
            yield _unseen(path)
