"""An index that came with a folder, or that code of a taken-over run has changed, gains nothing.

Each attack is tried on an index that was found and on one that was trusted before it was changed.
The controls: what is trusted is used, and a program that believes a store is caught at everything.
"""
# ruff: noqa: E501 - an attack a line, as a table

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from corpus_agent.cli import main
from indexer.store.tables import CHARS_COLUMN, FULL_TEXT_COLUMN
from tests.attacks.stores import (
    COMMANDS,
    DOCUMENT,
    ROWS,
    SCRIPTS,
    START,
    STORE,
    Scene,
    findings,
    look,
    make_home,
    notices_readers,
    scene_in,
    signed,
)
from tests.support.forked import Server, server
from tests.support.places import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

NOT_OURS = "corpus-agent trust "  # the command that the hint of a refusal names
OSC = "\x1b]0;owned\x07\x1b[2J\x9b31m"
STRANGER = 4321  # a user who is not this one
HUGE = 10**30
Alter = Callable[[Scene], object]


# ---- How an index is changed


def _place(scene: Scene, name: str) -> Path:
    """The path `name` in the store, free; a `*` in it is the first that is there."""
    path = sorted(scene.store.glob(name))[0] if "*" in name else scene.store / name
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    return path


def link(name: str, target: str) -> Alter:
    """A link in the place of `name`; `target` is relative to the victim's home, or absolute."""
    return lambda scene: _place(scene, name).symlink_to(scene.home / target)


def hard_link(name: str, target: str) -> Alter:
    """A second name for a file of the victim's, in the place of `name`."""
    return lambda scene: _place(scene, name).hardlink_to(scene.home / target)


def pipe(name: str) -> Alter:
    """A pipe with no writer in the place of `name`."""
    return lambda scene: os.mkfifo(_place(scene, name))


def file(name: str, content: str | bytes = "words\n", size: int = 0) -> Alter:
    """A file of this content in the place of `name`, or of `size` bytes that take no space."""

    def alter(scene: Scene) -> None:
        path = _place(scene, name)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        if size:
            os.truncate(path, size)

    return alter


def fields(**changes: object) -> Alter:
    """Other values of the manifest; `a__b` is the field b within a, Scene -> value is called."""

    def alter(scene: Scene) -> None:
        content: dict[str, Any] = json.loads((scene.store / "manifest.json").read_text())
        content = {key: value for key, value in content.items() if key != "contents"}
        for name, value in changes.items():
            *above, last = name.split("__")
            here = content
            for part in above:
                here = here[part]
            here[last] = value(scene) if callable(value) else value
        (scene.store / "manifest.json").write_text(signed(scene.store, content))

    return alter


def settings(content: str) -> Alter:
    """A config.toml in the store; HOME and PORT stand for the victim's home and the listener."""

    def alter(scene: Scene) -> None:
        text = content.replace("HOME", str(scene.home)).replace("PORT", str(scene.listener.port))
        (scene.store / "config.toml").write_text(text)

    return alter


def owned(name: str) -> Alter:
    """A stranger owns `name` in the store, with all that is below."""

    def alter(scene: Scene) -> None:
        for path in (scene.store / name, *(scene.store / name).rglob("*")):
            os.chown(path, STRANGER, STRANGER, follow_symlinks=False)

    return alter


def unpacked(*alterations: Alter) -> Alter:
    """The folder, changed first, as `tar -x` unpacks it."""

    def alter(scene: Scene) -> None:
        for alteration in alterations:
            alteration(scene)
        archive, at = scene.base / "archive.tar", scene.project.parent
        subprocess.run(["tar", "-cf", archive, "-C", at, scene.project.name], check=True)
        shutil.rmtree(scene.project)
        subprocess.run(["tar", "-xf", archive, "-C", at], check=True)
        archive.unlink()

    return alter


def another_store(scene: Scene) -> Path:
    """An honest index of the victim's, of private documents, elsewhere in the home."""
    other = scene.home / "documents" / STORE
    shutil.copytree(scene.store, other, symlinks=True)
    scene.private += [path for path in other.rglob("*") if path.is_file()]
    return other


def another_stores(name: str) -> Alter:
    """A link to `name` in another index of the victim's, in the place of our own."""

    def alter(scene: Scene) -> None:
        other = another_store(scene)
        _place(scene, name).symlink_to(other / name)

    return alter


def is_a_link(scene: Scene) -> None:
    """The store is a link to another index of the victim's."""
    other = another_store(scene)
    shutil.rmtree(scene.store)
    scene.store.symlink_to(other)


def is_a_pipe(scene: Scene) -> None:
    shutil.rmtree(scene.store)
    os.mkfifo(scene.store)


def borrowed_tables(scene: Scene) -> None:
    """The tables are shallow copies: no link, but their data is in another index of the victim's."""
    import lancedb

    other = another_store(scene)
    shutil.rmtree(scene.store / "lance")
    database = lancedb.connect(str(scene.store / "lance"))
    numbers = {}
    for name in ("chunks", "files"):
        made = database.clone_table(name, f"{other}/lance/{name}.lance", is_shallow=True)
        numbers[f"{name}_version"] = made.version
    fields(**numbers)(scene)


def garbage(pattern: str) -> Alter:
    """Noise in the place of what is in every file of this name."""
    return lambda scene: [p.write_bytes(b"\xff\xfe\0" * 99) for p in scene.store.glob(pattern)]


_SEALED = """
import contextlib, os, sys
from pathlib import Path
from corpus_agent.seal import policy, seal
root, store, home, port = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
seal(policy(root, store))
with contextlib.suppress(OSError):
    """


def taken_over(code: str) -> Alter:
    """What a line of code does that took over a sealed run of the index; the kernel may refuse it."""

    def alter(scene: Scene) -> None:
        places = [scene.project, scene.store, scene.home, scene.listener.port]
        command = [sys.executable, "-P", "-c", _SEALED + code, *map(str, places)]
        env = {**os.environ, "HOME": str(scene.home), "PYTHONPATH": str(REPOSITORY), **START}
        done = subprocess.run(command, env=env, cwd=scene.base, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return alter


def ignore_file(*rules: str) -> Alter:
    """An ignore file of these lines, beside a document of a long name."""

    def alter(scene: Scene) -> None:
        (scene.project / ("a" * 60)).write_text("words")
        (scene.project / ("a/" * 60)).mkdir(parents=True)
        (scene.project / ".gitignore").write_text("\n".join(rules))

    return alter


@dataclass(frozen=True, slots=True)
class Case:
    """One attack, and the commands that the victim runs.

    `once_trusted` is what must become of it where this user had trusted the index before it was
    changed; "" where that cannot be. `of_folder` changes the documents of an honest index instead.
    """

    name: str
    alter: Alter
    commands: tuple[str, ...]
    once_trusted: str = "harmless"
    root: Callable[[Scene], Path] = lambda scene: scene.project  # by the victim's record
    of_folder: bool = False


KEYS = ("read .ssh/id_rsa", "Corpus")
CASES = [
    # links, pipes, other names of other files
    Case(".gitignore leads to .bashrc", link(".gitignore", ".bashrc"), ("index",), "refused"),
    Case(".gitignore is .bashrc itself", hard_link(".gitignore", ".bashrc"), ("index",)),
    Case(".gitignore is a pipe", pipe(".gitignore"), ("index",)),
    Case("manifest.json leads to a file", link("manifest.json", "documents/settings.toml"), ("status", "search"), "refused"),
    Case("manifest.json is a pipe", pipe("manifest.json"), ("status", "index"), "refused"),
    Case("manifest.json is a private file itself", hard_link("manifest.json", "documents/salary.md"), ("status",)),
    Case("manifest.new leads to .bashrc", link("manifest.new", ".bashrc"), ("Corpus",), "refused"),
    Case("config.toml leads to a file", link("config.toml", "documents/settings.toml"), ("status", "ask"), "refused"),
    Case("config.toml is a private file itself", hard_link("config.toml", "documents/settings.toml"), ("status",)),
    Case("config.toml leads to /dev/zero", link("config.toml", "/dev/zero"), ("status",), "refused"),
    Case("config.toml is a pipe", pipe("config.toml"), ("status",)),
    Case("writer.lock leads to .bashrc", link("writer.lock", ".bashrc"), ("Corpus",), "refused"),
    Case("writer.lock is .bashrc itself", hard_link("writer.lock", ".bashrc"), ("index", "forget")),
    Case("receipts.jsonl leads to .bashrc", link("receipts.jsonl", ".bashrc"), ("ask", "Corpus"), "refused"),
    Case("receipts.jsonl is .bashrc itself", hard_link("receipts.jsonl", ".bashrc"), ("ask", "chat")),
    Case("receipts.jsonl is a pipe", pipe("receipts.jsonl"), ("ask",)),
    Case("lance leads to other tables", another_stores("lance"), ("Corpus",), "refused"),
    Case("a file of a table leads to a file", link("lance/chunks.lance/data/*.lance", "documents/lance/kept.lance"), ("Corpus", "search"), "refused"),
    Case("the tables borrow their data elsewhere", borrowed_tables, ("Corpus", "search")),
    Case("texts leads to a folder", link("texts", "documents"), ("Corpus",), "refused"),
    Case("tmp leads to a folder", link("tmp", "documents"), ("index --force", "Corpus"), "refused"),
    Case("the log of a llama-server leads to .bashrc", link("tmp/llama-server.log", ".bashrc"), ("ask auto",), "refused"),
    Case("the store is a link", is_a_link, ("forget", "ask"), ""),
    Case("the store is a pipe", is_a_pipe, ("index", "status"), ""),
    Case("an archive with a link and a pipe", unpacked(link("manifest.new", ".bashrc"), pipe("config.toml")), ("status", "index"), ""),
    # owners
    Case("everything is a stranger's", owned("."), ("status", "ask"), "refused"),
    Case("the manifest is a stranger's", owned("manifest.json"), ("files",), "refused"),
    Case("everybody may write it", lambda scene: scene.store.chmod(0o777), ("status",)),
    Case("everybody may write the manifest", lambda scene: (scene.store / "manifest.json").chmod(0o666), ("status",)),
    # roots
    Case("root: above", fields(root="../.."), KEYS),
    Case("root: the home, absolute", fields(root=lambda s: str(s.home)), KEYS),
    Case("root: a link inside", fields(root=lambda s: (s.project / "l").symlink_to(s.home) or "l"), KEYS),
    Case("root: everything", fields(root="/"), ("status", "files")),
    Case("root: the store itself", fields(root=STORE), ("status", "index")),
    Case("root: with NUL", fields(root="notes\0/../.."), ("status", "ask")),
    Case("root: with escape sequences", fields(root=f"notes{OSC}"), ("status", "ask", "index")),
    Case("root: 100,000 characters", fields(root="a/" * 50_000), ("status", "doctor")),
    Case("root: a list", fields(root=["..", ".."]), ("status", "index")),
    Case("root: a lone surrogate", fields(root="\ud800"), ("status", "files")),
    Case("root: for index to read", fields(root="../../documents"), ("index", "index --force")),
    Case("rows for keys below the recorded root", fields(root="../.."), ("read .ssh/id_rsa", "read .bashrc"), root=lambda scene: scene.home),
    # settings
    Case("settings: a server of the attacker's", settings('llm = "http://127.0.0.1:PORT"\n'), ("ask auto", "Librarian"), "refused"),
    Case("settings: an embedding model elsewhere", settings('model = "HOME/documents/model"\n'), ("search",), "refused"),
    Case("settings: llama-server and weights", settings('llm = "gguf:HOME/.bashrc"\n'), ("ask auto",), "refused"),
    Case("settings: a key in escape sequences", settings('"\\u001b]0;owned\\u0007" = 1\n'), ("status",), "refused"),
    Case("settings: nested lists", settings("max_file_bytes = " + "[" * 100_000 + "]" * 100_000), ("status",), "refused"),
    Case("settings: one gibibyte", file("config.toml", size=2**30), ("status",), "refused"),
    Case("settings: without an end", settings("llm_seconds = inf\n"), ("status",), "refused"),
    # types and sizes
    Case("manifest: escape sequences in updated", fields(updated=OSC), ("status", "Corpus")),
    Case("manifest: escape sequences in the model", fields(fingerprint__model=OSC), ("status", "search")),
    Case("manifest: version is huge", fields(version=HUGE), ("index --force", "ask")),
    Case("manifest: version of a table is negative", fields(chunks_version=-1), ("search",)),
    Case("manifest: version of a table is a fraction", fields(files_version=1.5), ("files",)),
    Case("manifest: chunks is text", fields(chunks="many"), ("status", "search")),
    Case("manifest: coverage counts text", fields(coverage__indexed=OSC), ("status", "ask")),
    Case("manifest: dimension is huge", fields(fingerprint__dimension=HUGE), ("search", "index")),
    Case("manifest: a field of another name", fields(script="touch it-ran"), ("status",)),
    Case("manifest: an earlier schema and a root elsewhere", fields(schema=1, root="../../documents"), ("index",)),
    Case("manifest: nested lists", file("manifest.json", "[" * 200_000 + "]" * 200_000), ("status", "index")),
    Case("manifest: a number of 100,000 digits", file("manifest.json", '{"schema": ' + "9" * 100_000 + "}"), ("status",)),
    Case("manifest: one gibibyte", file("manifest.json", size=2**30), ("status",)),
    Case("manifest: not UTF-8", file("manifest.json", b'{"schema": 2, "root": "\xff"}'), ("status",)),
    Case("tables: versions of noise", garbage("lance/*/_versions/*.manifest"), ("search", "doctor", "index")),
    Case("tables: data of noise", garbage("lance/*/data/*"), ("search", "files")),
    Case("texts of noise", garbage("texts/*/*"), ("read", "index --force")),
    Case("a lock that names a command", file("writer.lock", json.dumps({"pid": 1, "command": OSC, "since": OSC})), ("index",)),
    Case("a store in the store", lambda s: shutil.copytree(s.store, s.store / STORE, ignore=lambda *_: [STORE]), ("index", "status")),
    Case("a name of nobody's", file("Makefile", "all:\n\ttouch it-ran\n"), ("status",), "refused"),
    # what a sealed run leaves that was taken over
    Case("taken over: a server of the attacker's", taken_over("(store / 'config.toml').write_text(f'llm = \"http://127.0.0.1:{port}\"')"), ("ask auto", "Librarian"), "refused"),
    Case("taken over: a model elsewhere", taken_over("(store / 'config.toml').write_text(f'model = \"{home}/documents/model\"')"), ("ask",), "refused"),
    Case("taken over: settings that are a pipe", taken_over("os.mkfifo(store / 'config.toml')"), ("status",)),
    Case("taken over: .gitignore", taken_over("(store / '.gitignore').unlink(); (store / '.gitignore').symlink_to(home / '.bashrc')"), ("index",)),
    Case("taken over: files that run elsewhere", taken_over("(store / '.envrc').write_text('touch it-ran')"), ("index --force",), "refused"),
    # the folder itself, where the index is honest
    Case("ignore file: a pipe", lambda s: os.mkfifo(s.project / ".gitignore"), ("index",), of_folder=True),
    Case("ignore file: a link to /dev/zero", lambda s: (s.project / ".corpusignore").symlink_to("/dev/zero"), ("index",), of_folder=True),
    Case("ignore file: a device", lambda s: os.mknod(s.project / ".gitignore", stat.S_IFCHR | 0o666, os.makedev(1, 5)), ("index",), of_folder=True),
    Case("ignore file: a link to a private file", lambda s: (s.project / ".gitignore").symlink_to(s.home / "documents/salary.md"), ("index", "Corpus"), of_folder=True),
    Case("ignore file: a pattern without an end", ignore_file("*a" * 20 + "b"), ("index",), of_folder=True),
    Case("ignore file: a path without an end", ignore_file("**/a/" * 24 + "c"), ("index",), of_folder=True),
    Case("ignore file: one line of 60 MB", ignore_file("?" * 60_000_000), ("index",), of_folder=True),
]  # fmt: skip
SHARES = [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in (1, 2, 3))]  # of each four cases


# ---- Homes, made once


@pytest.fixture(scope="module")
def forks() -> Iterator[Server]:
    """A process that forks for each command, in the victim's surroundings."""
    with server({**os.environ, **START}) as forks:
        yield forks


@pytest.fixture(scope="module")
def home(forks: Server) -> Iterator[Path]:
    """A home with an index whose tables claim that private files are documents."""
    if os.geteuid() != 0:
        pytest.skip("only root gives a file to somebody else")
    with scene_in(forks) as scene:
        if not notices_readers(scene.base.parent):
            pytest.skip("the file system of the temporary folder does not note who reads")
        make_home(scene)
        made = scene.run("index")
        assert made.code == 0, made.err
        _plant_rows(scene)
        yield scene.base


def _plant_rows(scene: Scene) -> None:
    import lancedb

    database = lancedb.connect(str(scene.store / "lance"))
    numbers = {}
    for name in ("files", "chunks"):
        table = database.open_table(name)
        rows = table.search().where(f"source = '{DOCUMENT}'").to_list()
        table.add([_planted(row, source, name) for source in ROWS for row in rows])
        numbers[f"{name}_version"] = table.version
    fields(**numbers)(scene)


def _planted(row: dict[str, object], source: str, table: str) -> dict[str, object]:
    kept = {key: value for key, value in row.items() if not key.startswith("_")}
    if table == "chunks":
        text = "The private text is of the lease."
        here = {FULL_TEXT_COLUMN: text, CHARS_COLUMN: len(text)}
        kept |= {"id": f"{source}:0", **({"text": text} if "text" in row else here)}
    return {**kept, "source": source}


@pytest.fixture
def scene(home: Path, forks: Server) -> Iterator[Scene]:
    """A home whose folder came with an index that somebody else has made."""
    with scene_in(forks, home) as scene:
        yield scene


def _tried(case: Case, how: str, home: Path, forks: Server) -> list[str]:
    """What went wrong in a trial: of an index that was found, trusted, or is only named."""
    with scene_in(forks, home) as scene:
        if "named" in how or "manifest.json" in case.name:
            scene.options = ("--store", str(scene.store))
        if how == "trusted":
            scene.trust(case.root(scene))
        case.alter(scene)
        if how == "named":
            scene.options = (*scene.options, "--trust-store")
        looked = look(scene)
        refused = how == "found" or case.once_trusted == "refused"
        found = findings(scene, looked, [scene.run(n) for n in case.commands], refused=refused)
        return [f"{case.name}, {how}: {finding}" for finding in found]


# ---- The attacks


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("how", ["found", "trusted", "named"])
def test_a_hostile_store_gains_nothing(how, share, home, forks):
    """One that was found is refused; so is one that the environment names; one that turned hostile
    once it was trusted at least does nothing."""
    tried = {
        "found": lambda case: not case.of_folder,
        "trusted": lambda case: case.once_trusted,
        "named": lambda case: case.once_trusted != "harmless" or "root" in case.name,
    }
    cases = [case for case in CASES if tried[how](case)][share::4]
    assert [found for case in cases for found in _tried(case, how, home, forks)] == []


# A program that does what a store says: it writes its files, reads what it names, asks its server.
BELIEVES = """
import json, socket, sys, tomllib
from pathlib import Path
store, root = Path(sys.argv[1]), Path(sys.argv[2])
for name in (".gitignore", "writer.lock", "receipts.jsonl", "manifest.new"):
    with (store / name).open("a") as file:
        file.write("ours")
root = root / json.loads((store / "manifest.json").read_text())["root"]
for name in sys.argv[3:]:
    print((root / name).read_text() if (root / name).is_file() else "")
said = tomllib.loads((store / "config.toml").read_text()) if (store / "config.toml").exists() else {}
if "llm" in said:
    socket.create_connection(("127.0.0.1", int(said["llm"].rpartition(":")[2]))).close()
"""


def test_a_program_that_believes_a_store_is_caught_at_what_each_attack_is_for(home, forks):
    caught = {
        ".gitignore leads to .bashrc": "changed", "writer.lock is .bashrc itself": "changed",
        "receipts.jsonl leads to .bashrc": "changed", "manifest.new leads to .bashrc": "changed",
        "config.toml leads to a file": "opened", "root: above": "shown",
        "root: the home, absolute": "shown", "settings: a server of the attacker's": "sent",
        "taken over: a server of the attacker's": "sent",
    }  # fmt: skip
    missed = []
    for case in (case for case in CASES if case.name in caught):
        with scene_in(forks, home) as scene:
            case.alter(scene)
            looked = look(scene)
            ran = scene.code(BELIEVES, scene.store, scene.project, *ROWS)
            kinds = [each.split(":")[0] for each in findings(scene, looked, [ran], refused=False)]
            missed += [] if caught[case.name] in kinds else [(case.name, ran)]
    assert missed == []


# ---- Every command, every way to name it


def test_no_command_uses_a_store_that_this_user_did_not_make(scene):
    names = [n for n in (*COMMANDS, *SCRIPTS) if n[:5] != "read "]
    names = [n for n in names if n in SCRIPTS or COMMANDS[n][0] in main.commands]
    looked = look(scene)
    runs = [scene.run(name) for name in names]
    assert findings(scene, looked, runs, refused=True) == []
    assert {ran.command: ran.code for ran in runs if ran.code != 2} == {"doctor": 1}
    # Of `doctor` the findings are its output.
    assert [ran for ran in runs if NOT_OURS not in ran.err + ran.out] == []


def test_what_is_trusted_is_used_by_the_control_of_these_tests(scene):
    scene.trust()
    assert "31 May 2031" in scene.run("read").out
    assert scene.run("Corpus").out


def test_of_several_each_is_trusted_by_itself_and_opens_its_own_folder_alone(scene):
    second = scene.home / "cloned" / "second"
    shutil.copytree(scene.project, second, symlinks=True)
    scene.options = ("-s", str(scene.store), "-s", str(second / STORE))
    for trusts in (False, True):
        if trusts:
            scene.trust()
        looked = look(scene)
        ran = scene.run("search")
        assert findings(scene, looked, [ran], refused=True) == []
        assert (ran.code, NOT_OURS in ran.err) == (2, True), ran
    assert scene.type_in("trust", second / STORE, "--root", second).code == 0
    used = scene.type_in(*scene.options, "files", "--json", name="files")
    assert used.code == 0, used
    names = [one["name"] for one in json.loads(used.out)["stores"]]
    for folder in (scene.project, second):  # and then turns hostile
        fields(root="../..")(replace(scene, store=folder / STORE))
    looked = look(scene)
    sources = [f"{name}:{source}" for name in names for source in ROWS]
    runs = [scene.type_in(*scene.options, "read", source, name="read") for source in sources]
    assert findings(scene, looked, runs, refused=True) == []
    for name in names:  # the control
        read = scene.type_in(*scene.options, "read", f"{name}:{DOCUMENT}", name="read")
        assert "31 May 2031" in read.out, read


# ---- The victim's own decisions


def test_no_folder_brings_the_state_or_the_settings_of_its_user_along(scene):
    scene.trust()
    for below in ("state", ".local/state"):
        shutil.copytree(scene.state, scene.project / below / "corpus-agent")
    for place in (scene.project, scene.project / ".config"):
        (place / "corpus-agent").mkdir(parents=True)
        said = f'llm = "http://127.0.0.1:{scene.listener.port}"\n'
        (place / "corpus-agent" / "config.toml").write_text(said)
    kept = {"XDG_STATE_HOME": str(scene.state.parent)}
    for variables in ({"XDG_CONFIG_HOME": "."}, {"XDG_CONFIG_HOME": "./x/.."}, {"HOME": "."}):
        scene.env = kept | variables
        looked = look(scene)
        assert findings(scene, looked, [scene.run("ask auto")], refused=False) == []
    shutil.rmtree(scene.state)
    for variables in ({"XDG_STATE_HOME": "state"}, {"XDG_STATE_HOME": "./state"}, {"HOME": "."}):
        scene.env = variables
        looked = look(scene)
        assert findings(scene, looked, [scene.run("status")], refused=True) == []


def test_trust_reads_and_shows_nothing_of_elsewhere_and_permits_nothing_unless_told(home, forks):
    for case in (case for case in CASES if case.name.startswith("root: ")):
        with scene_in(forks, home) as scene:
            case.alter(scene)
            looked = look(scene)
            ran = scene.type_in("trust", scene.store, "--dry-run")
            assert findings(scene, looked, [ran], refused=False) == [], case.name
            assert scene.run("status").code == 2
