"""A home with something to lose, a folder in it that ships an index, and who watches over both.

    Program ── made once ──> a home with an honest index ── copied ──> Scene ── altered by a case
    Scene + a command ──> what was shown, opened, changed, run, sent ──> findings

Every file that must stay private holds CANARY, and its access time lies in 1970: the kernel moves
it when somebody reads. The watch itself reads without a trace. Nothing is imitated: homes, indices
and programs are real, and each command runs in a process of its own.
"""

from __future__ import annotations

import compileall
import contextlib
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

import pytest

from tests.support.forked import MODULES, Server
from tests.support.places import REPOSITORY

BEFORE = "854f263"  # the commit whose stores decided for themselves
CANARY = "canary-7d31f0"
STORE = ".corpus-agent"
DOCUMENT = "notes/lease.md"
QUESTION = "When does the lease end?"
NOT_OURS = "not made by you here"

MAX_MEMORY = 4 * 2**30  # bytes of addresses: a file without an end must not take the machine
SECONDS = 60.0  # of a command on a busy machine; one second on a quiet one
HANGS_AFTER = 4.0  # of one that is expected to wait for ever

MODEL_FILES = ("config.json", "tokenizer.json", "model.safetensors")

Kind = Literal[
    "shown",  # private text on stdout or stderr
    "opened",  # a private file was read
    "kept",  # private text was put into the index
    "changed",  # something outside of the index changed, came or went
    "ran",  # code of the folder was run
    "sent",  # something connected to the attacker's listener
    "control",  # what a terminal acts on, on stdout or stderr
    "hung",  # no end, or memory without an end
    "crashed",  # a traceback, or a signal
    "obeyed",  # it should have been refused, and was done
    "mute",  # refused without a message and a hint
]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that went wrong, and where."""

    kind: Kind
    detail: str


@dataclass(frozen=True, slots=True)
class Program:
    """A version of this program: the folder that holds its packages."""

    name: str
    packages: Path
    modules: Sequence[str] = MODULES  # that its commands import

    @property
    def cli(self) -> list[str]:
        """How its command begins."""
        # -P: what lies in the working folder is another matter, and another test's.
        return [sys.executable, "-P", "-m", "corpus_agent"]


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

    program: Program
    base: Path
    env: dict[str, str] = field(default_factory=dict)
    store: Path = Path()
    listener: Listener | None = None
    forks: Server | None = None  # of this program, whose start is not what is attacked
    named: bool = False  # the commands name the store, instead of finding it
    options: tuple[str, ...] = ()  # before the command
    private: list[Path] = field(default_factory=list)  # more files that nobody may read

    def __post_init__(self) -> None:
        self.store = self.project / STORE

    @property
    def home(self) -> Path:
        """The victim's home folder."""
        return self.base / "home"

    @property
    def project(self) -> Path:
        """The folder that came from elsewhere."""
        return self.home / "cloned" / "project"

    @property
    def elsewhere(self) -> Path:
        """A folder outside of the home."""
        return self.base / "elsewhere"

    @property
    def state(self) -> Path:
        """Where the victim's decisions are kept."""
        return self.home / ".local" / "state" / "corpus-agent"

    @property
    def mark(self) -> Path:
        """What code of the attacker makes, were it to run."""
        return self.base / "it-ran"

    def canaries(self) -> list[Path]:
        """The private files."""
        return [
            self.home / ".ssh" / "id_rsa",
            self.home / ".bashrc",
            self.home / ".netrc",
            self.home / "documents" / "salary.md",
            self.home / "documents" / "settings.toml",
            self.home / "documents" / "data.json",
            self.home / "documents" / "lance" / "kept.lance",
            *(self.home / "documents" / "model" / name for name in MODEL_FILES),
            self.elsewhere / "secret.md",
            *self.private,
        ]


def program_before(folder: Path) -> Program:
    """The program of the commit BEFORE, put into `folder` from the repository's history."""
    archive = folder / "tree.tar"
    command = ["git", "-C", str(REPOSITORY), "archive", "-o", str(archive), BEFORE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no git here")
    if done.returncode:
        pytest.skip(f"the history here does not hold {BEFORE}")
    (folder / "tree").mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", folder / "tree"], check=True)
    # It was installed without re2, which its matcher of ignore files would now take up by itself.
    (folder / "tree" / "re2.py").write_text("raise ModuleNotFoundError('not a dependency then')\n")
    # Nobody who runs it leaves compiled modules behind, so each run would compile all of them.
    compileall.compile_dir(folder / "tree", quiet=1)
    return Program(BEFORE, folder / "tree", ("corpus_agent.cli", "corpus_agent.session"))


# ---- The honest part


def make_home(base: Path) -> None:
    """A home with private files, and a folder of harmless documents in it."""
    scene = Scene(Program("", Path()), base)
    for path in scene.canaries():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The private text is {CANARY} {path.name}.\n")
    private = scene.home / "documents"
    (private / "settings.toml").write_text(f'{CANARY} = "private"\n')
    (private / "data.json").write_text(json.dumps({CANARY: "private"}))
    (private / "model" / "config.json").write_text(json.dumps({"model_type": CANARY}))
    (scene.home / ".ssh").chmod(0o700)
    (scene.home / ".ssh" / "id_rsa").chmod(0o600)
    (scene.home / ".local" / "state").mkdir(parents=True, mode=0o700)
    notes = scene.project / "notes"
    notes.mkdir(parents=True)
    (notes / "lease.md").write_text("# Lease\n\nThe lease ends on 31 May 2031.\n")
    (notes / "dog.md").write_text("# Dog\n\nThe tenant may keep one dog.\n")
    question = f'[[questions]]\nquestion = "{QUESTION}"\nsources = ["{DOCUMENT}"]\n'
    (scene.project / "questions.toml").write_text(question + 'answer = "31 May 2031"\n')
    (scene.elsewhere / "empty").mkdir(parents=True)


def copy_home(made: Path, base: Path) -> None:
    """The same home once more, links and times included."""
    shutil.copytree(made, base, symlinks=True)


# ---- What the victim runs

RECEIPT = {
    "receipt": 1,
    "citations": [
        {
            "n": 1,
            "source": DOCUMENT,
            "quote": "The lease ends on 31 May 2031.",
            "line_start": 3,
            "line_end": 3,
            "file_sha256": None,
        }
    ],
}

# What a person's script does; every step is tried, whatever became of the one before.
FROM_PYTHON = """
import contextlib, sys
from corpus_agent import Corpus
from indexer.errors import CorpusError
store, sources = sys.argv[1], sys.argv[2:]
codes = []
def step(work):
    try:
        print(work())
    except CorpusError as error:
        print(f"Error: {error.message}\\n{error.hint}", file=sys.stderr)
        codes.append(error.exit_code)
try:
    corpus = Corpus.open(store)
except CorpusError as error:
    print(f"Error: {error.message}\\n{error.hint}", file=sys.stderr)
    raise SystemExit(error.exit_code)
with corpus:
    step(corpus.status)
    step(lambda: corpus.search("lease private text"))
    for source in sources:
        step(lambda source=source: corpus.read(source))
    step(lambda: corpus.ask("When does the lease end?"))
    step(corpus.index)
    step(lambda: corpus.index(force=True))
raise SystemExit(codes[0] if codes else 0)
"""
BY_LIBRARIAN = """
import sys
from corpus_agent.librarian import Librarian
from indexer.errors import CorpusError
try:
    with Librarian(sys.argv[1], llm="none") as librarian:
        print(librarian.ask("When does the lease end?").as_object())
except CorpusError as error:
    print(f"Error: {error.message}\\n{error.hint}", file=sys.stderr)
    raise SystemExit(error.exit_code)
"""
ROWS = (".ssh/id_rsa", "documents/salary.md", "../elsewhere/secret.md", ".bashrc")

COMMANDS: dict[str, tuple[str, ...]] = {
    "index": ("index",),
    "index .": ("index", "."),
    "index --force": ("index", "--force"),
    "index --dry-run": ("index", "--dry-run"),
    "ask": ("ask", "--llm", "none", QUESTION),
    "ask auto": ("ask", QUESTION),
    "search": ("search", "lease private text"),
    "read": ("read", DOCUMENT),
    "files": ("files",),
    "status": ("status",),
    "status --json": ("status", "--json"),
    "doctor": ("doctor", "--llm", "none"),
    "forget": ("forget", DOCUMENT),
    "cleanup": ("cleanup",),
    "verify": ("verify", "receipt.json"),
    "eval": ("eval", "questions.toml"),
    "chat": ("chat", "--llm", "none"),
    "mcp": ("mcp", "--llm", "none"),
    "watch": ("watch",),
    **{f"read {source}": ("read", source) for source in ROWS},
}
SERVERS = ("mcp", "watch")  # they answer while they run
SCRIPTS = {"Corpus": FROM_PYTHON, "Librarian": BY_LIBRARIAN}
MCP_CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("corpus_status", {}),
    ("corpus_table", {"fields": "lease", "where": "path:a type=md"}),
    ("vectordb_search", {"query": "lease private text"}),
    *(("vectordb_read", {"source": source}) for source in (DOCUMENT, *ROWS)),
)


def run(scene: Scene, name: str, seconds: float = SECONDS) -> Ran:
    """The command called `name`, run by the victim in the folder."""
    if name in SCRIPTS:
        return run_code(scene, SCRIPTS[name], scene.store, *ROWS, name=name, seconds=seconds)
    words = [*(("--store", str(scene.store)) if scene.named else ()), *scene.options]
    words += COMMANDS[name]
    if name == "verify":
        (scene.base / "receipt.json").write_text(json.dumps(RECEIPT))
        words[-1] = str(scene.base / "receipt.json")
    typed = f"{QUESTION}\n/quit\n".encode() if name == "chat" else b""
    if name == "mcp":
        typed = b"".join(json.dumps(message).encode() + b"\n" for message in _mcp_messages())
    return _run(scene, name, words, typed, seconds)


def type_in(scene: Scene, *arguments: object, name: str = "") -> Ran:
    """What the victim types, word for word; `name` is that of the command."""
    return _run(scene, name, [*map(str, arguments)])


def run_code(
    scene: Scene, code: str, *arguments: object, name: str = "code", seconds: float = SECONDS
) -> Ran:
    """A piece of Python that finds the program's packages."""
    return _run(scene, name, [*map(str, arguments)], seconds=seconds, code=code)


def _run(
    scene: Scene,
    name: str,
    words: Sequence[str],
    typed: bytes = b"",
    seconds: float = SECONDS,
    code: str | None = None,
) -> Ran:
    """A command, or a piece of Python: forked where its start is not what is attacked."""
    if scene.forks is None or name in SERVERS:
        start = scene.program.cli if code is None else [sys.executable, "-P", "-c", code]
        return _ended(name, _started(scene, [*start, *words]), typed, seconds)
    done = scene.forks.run(
        words, scene.project, environment(scene), typed,
        seconds=seconds, memory=MAX_MEMORY, code=code,
    )  # fmt: skip
    out, err = (text.decode(errors="replace") for text in (done.out, done.err))
    return Ran(name, done.code, out, err)


# What is decided when Python starts.
START = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def environment(scene: Scene) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(scene.home),
        "PYTHONPATH": str(scene.program.packages),
        **START,
        **scene.env,
    }


def _started(scene: Scene, command: Sequence[str]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        command,
        cwd=scene.project,
        env=environment(scene),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    resource.prlimit(process.pid, resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    return process


def _ended(name: str, process: subprocess.Popen[bytes], typed: bytes, seconds: float) -> Ran:
    """The process when it has ended; a server is given its time to answer, a watch its stop."""
    out, err = _Pipe(process.stdout), _Pipe(process.stderr)
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(typed)
        process.stdin.flush()
    ends = time.monotonic() + seconds
    if name == "mcp":
        last = b'"id":%d' % len(MCP_CALLS)
        _wait_for(process, ends, lambda: last in out.text.replace(b" ", b""))
    if name == "watch":
        _wait_for(process, ends, lambda: b"Watching" in err.text)
        process.send_signal(signal.SIGTERM)
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    try:
        code = process.wait(max(0.0, ends - time.monotonic()))
    except subprocess.TimeoutExpired:
        code = None
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # also what a command has left behind
    process.wait()
    return Ran(name, code, out.whole(), err.whole())


class _Pipe:
    """What comes out of a process, read as it comes."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.text = b""
        self._pipe = pipe
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while piece := self._pipe.read1(65_536):
            self.text += piece

    def whole(self) -> str:
        """All of it, once nobody writes any more."""
        self._thread.join()
        self._pipe.close()
        return self.text.decode(errors="replace")


def _wait_for(process: subprocess.Popen[bytes], ends: float, done: Callable[[], bool]) -> None:
    while not done() and process.poll() is None and time.monotonic() < ends:
        time.sleep(0.02)


def _mcp_messages() -> Iterator[dict[str, Any]]:
    about = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    yield {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
    yield {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}
    for number, (tool, arguments) in enumerate(MCP_CALLS, start=1):
        params = {"name": tool, "arguments": arguments}
        yield {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


# ---- Who watches


class Listener:
    """A server of the attacker's on loopback that counts who comes."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.heard = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                guest, _ = self._socket.accept()
                self.heard += 1
                guest.close()

    def close(self) -> None:
        """Listen no more."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


State = dict[str, tuple[object, ...]]


def watched(scene: Scene) -> State:
    """What everything outside of the index is: content, inode, mode, owner, times and links."""
    mine = (scene.store, scene.home / ".local" / "state", scene.base / "receipt.json")
    return {str(path): _look(path) for path in _below(scene.base) if not _within(path, mine)}


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        for name in (*folders, *files):
            yield Path(here, name)


def _within(path: Path, folders: Sequence[Path]) -> bool:
    return any(path == folder or folder in path.parents for folder in folders)


def _look(path: Path) -> tuple[object, ...]:
    info = path.lstat()
    what = (info.st_mode, info.st_ino, info.st_uid, info.st_gid, info.st_mtime_ns)
    if stat.S_ISLNK(info.st_mode):
        return (*what, str(path.readlink()))
    if stat.S_ISREG(info.st_mode):
        return (*what, info.st_nlink, hashlib.sha256(unseen(path)).hexdigest())
    return what


def unseen(path: Path) -> bytes:
    """The bytes of a file of this user, read so that its access time stays."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOATIME | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(20_000_000)


def look(scene: Scene) -> State:
    """What everything is before a run; from here on a reader of private files is noticed."""
    before = watched(scene)
    forget_readers(scene)
    return before


def shown(found: Sequence[Finding]) -> str:
    """Findings as a failing test prints them."""
    return "\n".join(f"{finding.kind}: {finding.detail.strip()}" for finding in found)


def forget_readers(scene: Scene) -> None:
    """Put the access times of the private files back to 1970."""
    for path in scene.canaries():
        if path.exists():
            os.utime(path, ns=(0, path.stat().st_mtime_ns))


def notices_readers(folder: Path) -> bool:
    """Whether the file system of `folder` notes that a file was read, and not that we looked."""
    path = folder / "read-me"
    path.write_text("words")
    os.utime(path, ns=(0, path.stat().st_mtime_ns))
    unseen(path)
    before = path.stat().st_atime_ns
    path.read_text()
    return before == 0 and path.stat().st_atime_ns != 0


def findings(scene: Scene, before: State, runs: Sequence[Ran], *, refused: bool) -> list[Finding]:
    """What went wrong in some runs; with `refused` each should have said no."""
    found = [finding for ran in runs for finding in _of_output(ran)]
    after = watched(scene)
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            found.append(Finding("changed", path))
    found += [Finding("opened", str(path)) for path in scene.canaries() if _was_read(path)]
    if any(CANARY.encode() in data for data in _held(scene.store)):
        found.append(Finding("kept", str(scene.store)))
    if scene.mark.exists():
        found.append(Finding("ran", str(scene.mark)))
    if scene.listener is not None and scene.listener.heard:
        found.append(Finding("sent", f"{scene.listener.heard} connections"))
    if refused:
        found += [
            Finding("obeyed", f"{ran.command}: {ran.out[-300:]}") for ran in runs if ran.code == 0
        ]
    return found


def _was_read(path: Path) -> bool:
    try:
        return path.lstat().st_atime_ns != 0
    except FileNotFoundError:
        return False  # which is a change


# Controls but line end and tab; bidi and zero-width characters.
_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def _of_output(ran: Ran) -> Iterator[Finding]:
    said = ran.out + ran.err
    if CANARY in said:
        at = said.index(CANARY)
        yield Finding("shown", said[max(0, at - 80) : at + 80])
    if acts := _ACTS.search(said):
        yield Finding("control", repr(said[max(0, acts.start() - 40) : acts.end() + 40]))
    if ran.code is None or "MemoryError" in said:
        yield Finding("hung", f"{ran.command}: {said[-200:]}")
    elif ran.code < 0 or "Traceback (most recent call last)" in said:
        yield Finding("crashed", f"{ran.code}: {ran.err[-600:]}")
    elif ran.code and ran.command not in ("doctor", "verify"):
        lines = ran.err.strip().splitlines()
        errors = [at for at, line in enumerate(lines) if line.startswith("Error: ")]
        if not errors or not any(lines[at + 1 : at + 2] for at in errors):
            yield Finding("mute", f"{ran.code}: {ran.out[-200:]} {ran.err[-300:]}")


def _held(store: Path) -> Iterator[bytes]:
    """The bytes of each file that is in the index itself, and not behind a link."""
    if store.is_symlink() or not store.is_dir():
        return
    for path in _below(store):
        info = path.lstat()
        if stat.S_ISREG(info.st_mode) and info.st_nlink == 1 and info.st_blocks < 40_000:
            yield unseen(path)


Alter = Callable[[Scene], None]
