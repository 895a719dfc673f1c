"""An index that came with a folder, or that code of a taken-over run has changed, gains nothing.

hostile_stores.py makes the homes and watches, hostile_cases.py holds the attacks. Each is tried on
an index that was found, on one that was trusted before it was changed, and, as the control, on the
commit before the defence, where most get through.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from indexer.store.rows import CHARS_COLUMN, FULL_TEXT_COLUMN
from tests.support.forged import signed
from tests.support.forked import Server
from tests.support.hostile_cases import (
    CASES,
    FOUND,
    IGNORE_FILES,
    PERSISTENCE,
    STRANGER,
    Case,
    fields,
)
from tests.support.hostile_stores import (
    BEFORE,
    CANARY,
    COMMANDS,
    DOCUMENT,
    HANGS_AFTER,
    NOT_OURS,
    REPOSITORY,
    ROWS,
    SCRIPTS,
    SECONDS,
    START,
    STORE,
    Finding,
    Listener,
    Program,
    Ran,
    Scene,
    copy_home,
    findings,
    look,
    make_home,
    notices_readers,
    program_before,
    run,
    run_code,
    shown,
    type_in,
)

TRUSTED = "CORPUS_AGENT_TRUSTED_STORES"
Stage = Callable[[Path, Path], Scene]
NEEDS_ROOT = "only root gives a file to somebody else"

pytestmark = pytest.mark.timeout(600)


# ---- Homes and programs, made once


@dataclass(frozen=True, slots=True)
class Homes:
    """Homes that a program has made an index in; `rows` has tables that name private files."""

    program: Program
    honest: Path
    rows: Path


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Homes:
    """This program and its homes."""
    return _homes(Program("today", REPOSITORY), tmp_path_factory.mktemp("today"))


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Homes:
    """The program before the defence, from the repository's history, and its homes."""
    folder = tmp_path_factory.mktemp("before")
    return _homes(program_before(folder), folder)


def _homes(program: Program, folder: Path) -> Homes:
    if not notices_readers(folder):
        pytest.skip("the file system of the temporary folder does not note who reads")
    homes = Homes(program, folder / "honest", folder / "rows")
    make_home(homes.honest)
    made = run(Scene(program, homes.honest), "index")
    assert made.code == 0, made.err
    copy_home(homes.honest, homes.rows)
    _plant_rows(Scene(program, homes.rows).store)
    return homes


def _plant_rows(store: Path) -> None:
    """Have the tables of an index claim that private files are documents."""
    import lancedb

    database = lancedb.connect(str(store / "lance"))
    content = json.loads((store / "manifest.json").read_text())
    for name in ("files", "chunks"):
        table = database.open_table(name)
        rows = table.search().where(f"source = '{DOCUMENT}'").to_list()
        table.add([_planted(row, source, name) for source in ROWS for row in rows])
        content[f"{name}_version"] = table.version
    (store / "manifest.json").write_text(signed(store, content))


def _planted(row: Mapping[str, object], source: str, table: str) -> dict[str, object]:
    kept = {key: value for key, value in row.items() if not key.startswith("_")}
    if table == "chunks":
        text = "The private text is of the lease."
        here = {FULL_TEXT_COLUMN: text, CHARS_COLUMN: len(text)}
        kept |= {"id": f"{source}:0", **({"text": text} if "text" in row else here)}
    return {**kept, "source": source}


# ---- Trials, which run beside each other


@dataclass(frozen=True, slots=True)
class Trial:
    """A case, and how the victim came to the index: found, trusted, named, or long ago."""

    case: Case
    how: str

    @property
    def refused(self) -> bool:
        """Whether every command must say no; else it is enough that nothing happens."""
        if self.how == "found":
            return True
        if self.how == BEFORE:
            return self.case not in IGNORE_FILES
        return self.case.once_trusted == "refused"


class _Forks(threading.local):
    """A process for each thread that has a program imported, in the victim's surroundings."""

    def __init__(self, program: Program, started: list[Server]) -> None:
        self.server = Server({**os.environ, **START}, program.packages, program.modules)
        started.append(self.server)


@contextlib.contextmanager
def _forks(program: Program) -> Iterator[_Forks]:
    started: list[Server] = []
    try:
        yield _Forks(program, started)
    finally:
        for server in started:
            server.close()


def _tried(trial: Trial, homes: Homes, base: Path, forks: _Forks) -> list[Finding]:
    """What went wrong in a trial."""
    case = trial.case
    copy_home(homes.rows if case.rows else homes.honest, base)
    scene = Scene(homes.program, base, named=case.named, listener=Listener())
    scene.forks = None if case.anew else forks.server
    try:
        root = case.root(scene) if case.root else scene.project
        if trial.how == "trusted" and (case in PERSISTENCE or "Corpus" in case.commands):
            _trust(scene, root)
        elif trial.how == "trusted":  # by the variable, which costs no run; Corpus knows none
            scene.env[TRUSTED] = f"{scene.store}={root}"
        case.alter(scene)
        if trial.how == "named":
            scene.env[TRUSTED] = str(scene.store)
        looked = look(scene)
        control = trial.how == BEFORE
        commands = case.control or case.commands if control else case.commands
        seconds = HANGS_AFTER if control and case.got_through == "hung" else SECONDS
        runs = []
        for name in commands:
            runs.append(run(scene, name, seconds))
            if control and _holds(scene, looked, runs, case):
                break
        return findings(scene, looked, runs, refused=trial.refused)
    finally:
        scene.listener.close()
        shutil.rmtree(base, ignore_errors=True)


def _holds(
    scene: Scene, looked: dict[str, tuple[object, ...]], runs: list[Ran], case: Case
) -> bool:
    """Whether a control has shown what it is there to show."""
    found = findings(scene, looked, runs, refused=case not in IGNORE_FILES)
    return case.got_through in {finding.kind for finding in found}


def _trust(scene: Scene, root: Path) -> None:
    """What a person types who has looked at an index."""
    done = type_in(scene, "trust", scene.store, "--root", root)
    assert done.code == 0, done.err


Outcomes = Mapping[Trial, Future[list[Finding]]]


def _begun(request: pytest.FixtureRequest, homes: Homes) -> Iterator[Outcomes]:
    """The trials of the tests that were chosen, begun side by side; many of them only wait.

    In a folder of a short name: the path of a Unix socket in a store has at most 107 bytes.
    """
    lived = homes.program.name == BEFORE
    chosen = [
        item.callspec.params["trial"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        if "trial" in item.callspec.params and item.module is request.module
    ]
    trials = [trial for trial in chosen if (trial.how == BEFORE) == lived]
    with (
        _forks(homes.program) as forks,
        tempfile.TemporaryDirectory(prefix="h-") as folder,
        ThreadPoolExecutor(2 + (os.cpu_count() or 1)) as pool,
    ):
        yield {
            trial: pool.submit(_tried, trial, homes, Path(folder, f"{number}"), forks)
            for number, trial in enumerate(trials)
        }


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, today: Homes) -> Iterator[Outcomes]:
    """What became of each attack on this program."""
    yield from _begun(request, today)


@pytest.fixture(scope="module")
def outcomes_before(request: pytest.FixtureRequest, before: Homes) -> Iterator[Outcomes]:
    """What became of each attack on the program before the defence."""
    yield from _begun(request, before)


def _params(cases: list[Case], how: str) -> list[object]:
    stranger = pytest.mark.skipif(os.geteuid() != 0, reason=NEEDS_ROOT)
    return [
        pytest.param(Trial(case, how), id=case.name, marks=[stranger] if case.needs_root else [])
        for case in cases
    ]


# ---- The attacks


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("trial", _params(FOUND, "found"))
def test_a_hostile_store_that_was_found_is_refused(trial, outcomes):
    assert shown(outcomes[trial].result()) == ""


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("trial", _params([c for c in CASES if c.once_trusted], "trusted"))
def test_a_store_that_turned_hostile_once_it_was_trusted_gains_nothing(trial, outcomes):
    assert shown(outcomes[trial].result()) == ""


NAMED = [case for case in FOUND if case.once_trusted != "harmless" or "root" in case.name]


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("trial", _params(NAMED, "named"))
def test_a_hostile_store_that_the_environment_names_gains_nothing(trial, outcomes):
    assert shown(outcomes[trial].result()) == ""


@pytest.mark.sampled(8)
@pytest.mark.slow
@pytest.mark.parametrize("trial", _params([c for c in CASES if c.got_through], BEFORE))
def test_the_control_an_attack_got_through_before(trial, outcomes_before):
    found = outcomes_before[trial].result()
    assert trial.case.got_through in {finding.kind for finding in found}, found


# ---- Every command, every call


@pytest.fixture(scope="module")
def stage(today: Homes) -> Iterator[Stage]:
    """Makes scenes one after the other, whose commands are forked from one process."""
    with _forks(today.program) as forks:

        def made(home: Path, base: Path) -> Scene:
            copy_home(home, base)
            return Scene(today.program, base, forks=forks.server)

        yield made


@pytest.fixture
def scene(today: Homes, stage: Stage, tmp_path: Path) -> Scene:
    """A home whose folder came with an index that somebody else has made."""
    return stage(today.honest, tmp_path / "base")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in (*COMMANDS, *SCRIPTS) if name[:5] != "read "])
def test_no_command_uses_a_store_that_this_user_did_not_make(name, scene):
    looked = look(scene)
    ran = run(scene, name)
    assert shown(findings(scene, looked, [ran], refused=True)) == ""
    said = ran.out if name == "doctor" else ran.err  # whose findings are its output
    assert ran.code == (1 if name == "doctor" else 2), ran
    assert NOT_OURS in said
    assert "corpus-agent trust " in said


@pytest.mark.slow
@pytest.mark.parametrize("how", ["option", "variable", "parent", "folder"])
def test_nor_is_it_used_where_it_is_named(how, scene):
    if how == "variable":
        scene.env["CORPUS_AGENT_STORE"] = str(scene.store)
    elif how == "parent":
        scene.options = ("--store", str(scene.project))  # whose .corpus-agent is meant
    elif how == "folder":
        scene.options = ("--store", STORE)
    else:
        scene.named = True
    ran = run(scene, "ask")
    assert ran.code == 2, ran
    assert NOT_OURS in ran.err


@pytest.mark.slow
def test_of_several_each_is_trusted_by_itself_and_opens_its_own_folder_alone(
    today, stage, tmp_path
):
    scene = stage(today.rows, tmp_path / "base")  # both name private files as documents
    second = scene.home / "cloned" / "second"
    shutil.copytree(scene.project, second, symlinks=True)
    scene.options = ("-s", str(scene.store), "-s", str(second / STORE))
    for trusted in (None, scene.store):
        if trusted is not None:
            _trust(scene, scene.project)
        looked = look(scene)
        ran = run(scene, "search")
        assert shown(findings(scene, looked, [ran], refused=True)) == ""
        assert (ran.code, NOT_OURS in ran.err) == (2, True), ran
    assert type_in(scene, "trust", second / STORE, "--root", second).code == 0
    used = type_in(scene, *scene.options, "files", "--json", name="files")
    assert used.code == 0, used
    names = [one["name"] for one in json.loads(used.out)["stores"]]
    for folder in (scene.project, second):  # and then turns hostile
        fields(root="../..")(replace(scene, store=folder / STORE))
    looked = look(scene)
    runs = [
        type_in(scene, *scene.options, "read", f"{name}:{source}", name="read")
        for name in names
        for source in ROWS
    ]
    assert shown(findings(scene, looked, runs, refused=False)) == ""
    assert all(ran.code for ran in runs), runs
    for name in names:  # the control
        document = type_in(scene, *scene.options, "read", f"{name}:{DOCUMENT}", name="read")
        assert "31 May 2031" in document.out, document


@pytest.mark.slow
def test_what_is_trusted_is_used_by_the_control_of_these_tests(scene):
    assert run(scene, "search").code == 2
    _trust(scene, scene.project)
    assert "31 May 2031" in run(scene, "search").out
    assert run(scene, "Corpus").out


@pytest.mark.slow
@pytest.mark.parametrize("value", ["", ":", "/nowhere:", "=", ":=:", "=/", "*", "/nowhere=/", "."])
def test_a_variable_that_names_nothing_trusts_nothing(value, scene):
    scene.env[TRUSTED] = value
    looked = look(scene)
    ran = run(scene, "search")
    assert shown(findings(scene, looked, [ran], refused=True)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["read .ssh/id_rsa", "read .bashrc", "mcp", "Corpus"])
def test_a_key_is_not_read_though_the_user_named_that_root(name, today, stage, tmp_path):
    scene = stage(today.rows, tmp_path / "base")
    fields(root="../..")(scene)
    scene.env[TRUSTED] = f"{scene.store}={scene.home}"
    look(scene)
    ran = run(scene, name)
    assert CANARY not in ran.out.replace(f"{CANARY} salary.md", "")
    assert (scene.home / ".ssh" / "id_rsa").stat().st_atime_ns == 0
    assert (scene.home / ".bashrc").stat().st_atime_ns == 0


# ---- Another store in the place of one that was trusted


@pytest.mark.slow
def test_another_store_in_the_same_place_and_inode_is_another_store(scene, today):
    _mark(scene.store, "e" * 32)  # a home that was copied has the markers of its origin
    _trust(scene, scene.project)
    inode = scene.store.stat().st_ino
    for entry in scene.store.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(
        today.rows / scene.store.relative_to(scene.base), scene.store, dirs_exist_ok=True
    )
    assert scene.store.stat().st_ino == inode
    ran = run(scene, "search")
    assert ran.code == 2, ran
    assert NOT_OURS in ran.err
    _mark(scene.store, "f" * 32)
    assert run(scene, "search").code == 2


@pytest.mark.slow
def test_a_copy_with_the_same_marker_is_another_store(scene, today):
    _trust(scene, scene.project)
    scene.store.rename(scene.store.with_name("old"))
    shutil.copytree(scene.store.with_name("old"), scene.store)
    ran = run(scene, "search")
    assert ran.code == 2, ran
    assert NOT_OURS in ran.err


def _mark(store: Path, ident: str) -> None:
    """Another id, with the manifest that goes with it."""
    (store / "corpus-agent.store").write_text(f"corpus-agent store\nid = {ident}\n")
    manifest = store / "manifest.json"
    manifest.write_text(signed(store, json.loads(manifest.read_text())))


@pytest.mark.slow
def test_a_store_above_that_was_trusted_does_not_trust_the_one_that_is_nearer(scene):
    inner = scene.project / "notes" / STORE
    shutil.copytree(scene.store, inner)
    _trust(scene, scene.project)
    scene.options = ("--store", str(inner))
    ran = run(scene, "search")
    assert ran.code == 2, ran
    assert NOT_OURS in ran.err


# ---- The state folder


def _file(scene: Scene) -> Path:
    return scene.state / "stores.json"


def _state_is_a_link(scene: Scene) -> None:
    scene.state.rename(scene.elsewhere / "state")
    scene.state.symlink_to(scene.elsewhere / "state")


def _file_is_a_link(scene: Scene) -> None:
    _file(scene).rename(scene.elsewhere / "stores.json")
    _file(scene).symlink_to(scene.elsewhere / "stores.json")


def _file_is_a_pipe(scene: Scene) -> None:
    _file(scene).unlink()
    os.mkfifo(_file(scene))


STATES: dict[str, Callable[[Scene], object]] = {
    "the folder is a link": _state_is_a_link,
    "the file is a link": _file_is_a_link,
    "the file is a pipe": _file_is_a_pipe,
    "everybody may write the folder": lambda scene: scene.state.chmod(0o777),
    "everybody may write the file": lambda scene: _file(scene).chmod(0o666),
    "the folder is a stranger's": lambda scene: os.chown(scene.state, STRANGER, STRANGER),
    "the file is a stranger's": lambda scene: os.chown(_file(scene), STRANGER, STRANGER),
    "the file is noise": lambda scene: _file(scene).write_bytes(b"\xff\x00\x1b]0;a\x07"),
    "the file is a list": lambda scene: _file(scene).write_text("[]"),
    "the file is nested": lambda scene: _file(scene).write_text("[" * 200_000),
    "the file holds numbers": lambda scene: _file(scene).write_text('{"stores": 5, "a": [1]}'),
    "the file is empty": lambda scene: _file(scene).write_text(""),
    "the file is a gibibyte": lambda scene: os.truncate(_file(scene), 2**30),
    "the file is gone": lambda scene: _file(scene).unlink(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STATES)
def test_where_the_state_of_the_user_cannot_be_believed_nothing_is_trusted(name, scene):
    if "stranger" in name and os.geteuid() != 0:
        pytest.skip(NEEDS_ROOT)
    _trust(scene, scene.project)
    assert run(scene, "status").code == 0
    STATES[name](scene)
    looked = look(scene)
    ran = run(scene, "status")
    assert shown(findings(scene, looked, [ran], refused=True)) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "variables",
    [
        {"XDG_STATE_HOME": "state"},
        {"XDG_STATE_HOME": "./state"},
        {"HOME": "."},
        {"HOME": "", "XDG_STATE_HOME": "state"},
    ],
    ids=str,
)
def test_no_folder_brings_the_state_of_its_user_along(variables, scene):
    _trust(scene, scene.project)
    shutil.copytree(scene.state, scene.project / "state" / "corpus-agent")
    shutil.copytree(scene.state, scene.project / ".local" / "state" / "corpus-agent")
    shutil.rmtree(scene.state)
    scene.env |= variables
    looked = look(scene)
    ran = run(scene, "status")
    assert shown(findings(scene, looked, [ran], refused=True)) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "variables", [{"XDG_CONFIG_HOME": "."}, {"XDG_CONFIG_HOME": "./x/.."}, {"HOME": "."}], ids=str
)
def test_no_folder_brings_the_settings_of_its_user_along(variables, scene):
    _trust(scene, scene.project)
    scene.listener = Listener()
    for place in (scene.project, scene.project / ".config"):
        (place / "corpus-agent").mkdir(parents=True)
        said = f'llm = "http://127.0.0.1:{scene.listener.port}"\n'
        (place / "corpus-agent" / "config.toml").write_text(said)
    scene.env |= {"XDG_STATE_HOME": str(scene.state.parent), **variables}
    looked = look(scene)
    ran = run(scene, "ask auto")
    scene.listener.close()
    assert shown(findings(scene, looked, [ran], refused=False)) == ""


# What index makes at these places, the next run would take for a decision of the user.
DECISIONS = (".local", ".local/state", ".local/state/corpus-agent", ".config/corpus-agent")


@pytest.mark.slow
@pytest.mark.parametrize("place", DECISIONS)
def test_no_store_is_made_where_decisions_of_the_user_are_kept(place, scene):
    shutil.rmtree(scene.store)
    shutil.rmtree(scene.home / ".local")
    ran = type_in(scene, "--store", scene.home / place, "index", scene.project)
    assert ran.code not in (0, None), ran
    assert "Error: " in ran.err
    assert not list((scene.home / place).rglob("manifest.json"))
    assert not list((scene.home / place).rglob("config.toml"))


def _sealed_attempt(scene: Scene, *, sealed: bool) -> str:
    """What becomes of code that writes the user's record from within a run."""
    code = """
import sys
from pathlib import Path
from corpus_agent.seal import policy, seal
root, store, state = map(Path, sys.argv[1:4])
if sys.argv[4] == "True":
    seal(policy(root, store))
try:
    with (state / "stores.json").open("a") as file:
        file.write(" ")
    print("written")
except OSError as error:
    print(type(error).__name__)
"""
    places = (scene.project, scene.store, scene.state, sealed)
    return run_code(scene, code, *places).out.strip()


@pytest.mark.slow
def test_a_sealed_run_does_not_write_what_its_user_decided(scene):
    _trust(scene, scene.project)
    assert _sealed_attempt(scene, sealed=False) == "written"
    assert _sealed_attempt(scene, sealed=True) == "PermissionError"


# ---- What trust prints


@pytest.mark.slow
def test_trust_shows_what_it_would_permit_and_permits_nothing_unless_told(scene):
    (scene.store / "config.toml").write_text("llm_seconds = 30\n")
    ran = type_in(scene, "trust", scene.store, "--dry-run")
    assert ran.code == 0, ran
    for said in (str(scene.project), "llm_seconds"):
        assert said in ran.out
    assert run(scene, "status").code == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name.startswith("root: ")], ids=lambda case: case.name
)
def test_trust_itself_reads_and_shows_nothing_of_elsewhere(case, today, stage, tmp_path):
    scene = stage(today.rows, tmp_path / "base")
    case.alter(scene)
    looked = look(scene)
    ran = type_in(scene, "trust", scene.store, "--dry-run")
    assert shown(findings(scene, looked, [ran], refused=False)) == ""
