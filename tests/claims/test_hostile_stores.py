"""An index that came with a folder, or that code of a taken-over run has changed, gains nothing.

Each attack of hostile_stores.toml is tried on an index that was found and on one that was trusted
before it was changed. The controls: what is trusted is used, and a program that believes a store is
caught at everything.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
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
from tests.support.forked import Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

NOT_OURS = "corpus-agent trust "  # the command that the hint of a refusal names
STRANGER = 4321  # a user who is not this one
ATTACKS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("hostile_stores.toml").read_text("utf-8")
)
SHARES = [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in (1, 2, 3))]  # of each four


def _filled(scene: Scene, value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("HOME", str(scene.home)).replace("PORT", str(scene.listener.port))
    if isinstance(value, dict) and "json" in value:
        return json.loads(value["json"])
    if isinstance(value, dict) and "times" in value:
        repeated = (value.get(part, "") * value["times"] for part in ("of", "then"))
        return "".join((value.get("first", ""), *repeated, value.get("last", "")))
    return value


def _place(scene: Scene, name: str) -> Path:
    """The path `name` in the store, free; a `*` in it is the first that is there."""
    path = sorted(scene.store.glob(name))[0] if "*" in name else scene.store / name
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    return path


def _manifest(scene: Scene, changes: Mapping[str, Any]) -> None:
    def merged(content: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
        for name, value in changes.items():
            within = isinstance(content.get(name), dict)
            content[name] = merged(content[name], value) if within else _filled(scene, value)
        return content

    content = json.loads((scene.store / "manifest.json").read_text())
    content["contents"] = {}
    text = signed(scene.store, merged(content, changes))
    (scene.store / "manifest.json").write_text(text)


def _own(scene: Scene, name: str) -> None:
    for path in (scene.store / name, *(scene.store / name).rglob("*")):
        os.chown(path, STRANGER, STRANGER, follow_symlinks=False)


def _unpack(scene: Scene) -> None:
    archive, at = scene.base / "archive.tar", scene.project.parent
    subprocess.run(["tar", "-cf", archive, "-C", at, scene.project.name], check=True)
    shutil.rmtree(scene.project)
    subprocess.run(["tar", "-xf", archive, "-C", at], check=True)
    archive.unlink()


def _another_store(scene: Scene) -> Path:
    """An honest index of the victim's, of private documents, elsewhere in the home."""
    other = scene.home / "documents" / STORE
    shutil.copytree(scene.store, other, symlinks=True)
    scene.private += [path for path in other.rglob("*") if path.is_file()]
    return other


def _link_elsewhere(scene: Scene, name: str) -> None:
    other = _another_store(scene)
    _place(scene, name).symlink_to(other / name)


def _borrow(scene: Scene) -> None:
    """The tables are shallow copies, without a link: their data is in another index."""
    import lancedb

    other = _another_store(scene)
    shutil.rmtree(scene.store / "lance")
    database = lancedb.connect(str(scene.store / "lance"))
    numbers = {}
    for name in ("chunks", "files"):
        made = database.clone_table(name, f"{other}/lance/{name}.lance", is_shallow=True)
        numbers[f"{name}_version"] = made.version
    _manifest(scene, numbers)


_SEALED = """
import contextlib, os, sys
from pathlib import Path
from corpus_agent.seal import policy, seal
root, store, home, port = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
seal(policy(root, store))
with contextlib.suppress(OSError):
    """


def _taken_over(scene: Scene, code: str) -> None:
    """What a line of code does that took over a sealed run; the kernel may refuse it."""
    places = [scene.project, scene.store, scene.home, scene.listener.port]
    command = [sys.executable, "-P", "-c", _SEALED + code, *map(str, places)]
    env = {**os.environ, "HOME": str(scene.home), **START}
    done = subprocess.run(command, env=env, cwd=scene.base, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _large(scene: Scene, name: str) -> None:
    """One gibibyte that takes no space."""
    _place(scene, name).touch()
    os.truncate(scene.store / name, 2**30)


def _ignore(scene: Scene, rule: Any) -> None:
    """An ignore file of one line, beside documents of long names."""
    (scene.project / ("a" * 60)).write_text("words")
    (scene.project / ("a/" * 60)).mkdir(parents=True)
    (scene.project / ".gitignore").write_text(_filled(scene, rule))


ACTIONS: dict[str, Any] = {
    "link": lambda scene, name, to: _place(scene, name).symlink_to(scene.home / to),
    "hard_link": lambda scene, name, to: _place(scene, name).hardlink_to(scene.home / to),
    "link_elsewhere": _link_elsewhere,
    "pipe": lambda scene, name: os.mkfifo(_place(scene, name)),
    "zero_device": lambda scene, name: os.mknod(
        _place(scene, name), stat.S_IFCHR | 0o666, os.makedev(1, 5)
    ),
    "file": lambda scene, name, text: _place(scene, name).write_text(f"{_filled(scene, text)}\n"),
    "bytes": lambda scene, name, text: _place(scene, name).write_bytes(text.encode("latin-1")),
    "large": _large,
    "noise": lambda scene, name: [p.write_bytes(b"\xff\0" * 99) for p in scene.store.glob(name)],
    "own": _own,
    "mode": lambda scene, name, mode: (scene.store / name).chmod(mode),
    "manifest": _manifest,
    "borrow": _borrow,
    "unpack": _unpack,
    "taken_over": _taken_over,
    "ignore": _ignore,
    "copy_within": lambda scene: shutil.copytree(
        scene.store, scene.store / STORE, ignore=lambda *_: [STORE]
    ),
}  # fmt: skip


def change(scene: Scene, attack: Mapping[str, Any]) -> None:
    for action, *given in attack["do"]:
        ACTIONS[action](scene, *given)


@pytest.fixture(scope="module")
def forks() -> Iterator[Server]:
    """A process that forks for each command, in the victim's surroundings."""
    with Server({**os.environ, **START}) as forks:
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
    _manifest(scene, numbers)


def _planted(row: dict[str, object], source: str, table: str) -> dict[str, object]:
    kept = {key: value for key, value in row.items() if not key.startswith("_")}
    if table == "chunks":
        text = "The private text is of the lease."
        kept |= {"id": f"{source}:0", FULL_TEXT_COLUMN: text, CHARS_COLUMN: len(text)}
    return {**kept, "source": source}


@pytest.fixture
def scene(home: Path, forks: Server) -> Iterator[Scene]:
    """A home whose folder came with an index that somebody else has made."""
    with scene_in(forks, home) as scene:
        yield scene


def _tried(name: str, how: str, home: Path, forks: Server) -> list[str]:
    """What went wrong in a trial: of an index that was found, trusted, or is only named."""
    attack = ATTACKS[name]
    with scene_in(forks, home) as scene:
        if "named" in how or "manifest.json" in name:
            scene.options = ("--store", str(scene.store))
        if how == "trusted":
            scene.trust(scene.home if attack.get("home") else None)
        change(scene, attack)
        if how == "named":
            scene.options = (*scene.options, "--trust-store")
        refused = how == "found" or attack.get("trusted") == "refused"
        looked = look(scene)
        runs = [scene.run(command) for command in attack["run"].split(", ")]
        found = findings(scene, looked, runs, refused=refused)
        return [f"{name}, {how}: {finding}" for finding in found]


TRIED = {
    "found": lambda name, attack: not attack.get("folder"),
    "trusted": lambda name, attack: attack.get("trusted") != "",
    "named": lambda name, attack: "trusted" in attack or "root" in name,
}


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("how", TRIED)
def test_a_hostile_store_gains_nothing(how, share, home, forks):
    """One that was found is refused; so is one that the environment names; one that turned hostile
    once it was trusted at least does nothing."""
    names = [name for name, attack in ATTACKS.items() if TRIED[how](name, attack)][share::4]
    assert [found for name in names for found in _tried(name, how, home, forks)] == []


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
config = store / "config.toml"
said = tomllib.loads(config.read_text()) if config.exists() else {}
if "llm" in said:
    socket.create_connection(("127.0.0.1", int(said["llm"].rpartition(":")[2]))).close()
"""
CAUGHT = {
    ".gitignore leads to .bashrc": "changed", "writer.lock is .bashrc itself": "changed",
    "receipts.jsonl leads to .bashrc": "changed", "manifest.new leads to .bashrc": "changed",
    "config.toml leads to a file": "opened", "root: above": "shown",
    "root: the home, absolute": "shown", "settings: a server of the attacker's": "sent",
    "taken over: a server of the attacker's": "sent",
}  # fmt: skip


def test_a_program_that_believes_a_store_is_caught_at_what_each_attack_is_for(home, forks):
    missed = []
    for name, kind in CAUGHT.items():
        with scene_in(forks, home) as scene:
            change(scene, ATTACKS[name])
            looked = look(scene)
            ran = scene.code(BELIEVES, scene.store, scene.project, *ROWS)
            kinds = [each.split(":")[0] for each in findings(scene, looked, [ran], refused=False)]
            missed += [] if kind in kinds else [(name, ran)]
    assert missed == []


def test_no_command_uses_a_store_that_this_user_did_not_make(scene):
    names = [n for n in (*COMMANDS, *SCRIPTS) if n[:5] != "read "]
    names = [n for n in names if n in SCRIPTS or COMMANDS[n][0] in main.commands]
    looked = look(scene)
    runs = [scene.run(name) for name in names]
    assert findings(scene, looked, runs, refused=True) == []
    assert {ran.command: ran.code for ran in runs if ran.code != 2} == {"doctor": 1}
    # Of `doctor` the findings are its output.
    assert [ran for ran in runs if NOT_OURS not in ran.err + ran.out] == []
    scene.trust()  # the control
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
        _manifest(replace(scene, store=folder / STORE), {"root": "../.."})
    looked = look(scene)
    sources = [f"{name}:{source}" for name in names for source in ROWS]
    runs = [scene.type_in(*scene.options, "read", source, name="read") for source in sources]
    assert findings(scene, looked, runs, refused=True) == []
    for name in names:  # the control
        read = scene.type_in(*scene.options, "read", f"{name}:{DOCUMENT}", name="read")
        assert "31 May 2031" in read.out, read


def test_no_folder_brings_the_state_or_the_settings_of_its_user_along(scene):
    scene.trust()
    for below in ("state", ".local/state"):
        shutil.copytree(scene.state, scene.project / below / "corpus-agent")
    for place in (scene.project, scene.project / ".config"):
        (place / "corpus-agent").mkdir(parents=True)
        said = f'llm = "http://127.0.0.1:{scene.listener.port}"\n'
        (place / "corpus-agent" / "config.toml").write_text(said)
    kept = {"XDG_STATE_HOME": str(scene.state.parent)}
    settings = ({"XDG_CONFIG_HOME": "."}, {"XDG_CONFIG_HOME": "./x/.."}, {"HOME": "."})
    state = ({"XDG_STATE_HOME": "state"}, {"XDG_STATE_HOME": "./state"}, {"HOME": "."})
    for command, variables in (
        *(("ask auto", kept | each) for each in settings),
        *(("status", each) for each in state),
    ):
        if command == "status":
            shutil.rmtree(scene.state, ignore_errors=True)
        scene.env = variables
        looked = look(scene)
        assert findings(scene, looked, [scene.run(command)], refused=command == "status") == []


def test_trust_reads_and_shows_nothing_of_elsewhere_and_permits_nothing_unless_told(home, forks):
    for name in (name for name in ATTACKS if name.startswith("root: ")):
        with scene_in(forks, home) as scene:
            change(scene, ATTACKS[name])
            looked = look(scene)
            ran = scene.type_in("trust", scene.store, "--dry-run")
            assert findings(scene, looked, [ran], refused=False) == [], name
            assert scene.run("status").code == 2
