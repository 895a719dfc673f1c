"""Whose store this is: by the user's record, and never by the store's own word."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_agent.settings import Settings
from corpus_agent.startup import for_indexing
from corpus_agent.trust import user_state
from corpus_agent.trust.stores import STATE, StorePlace, place_of, record
from corpus_agent.trust.user_state import NoUserState
from indexer.errors import CorpusError, UntrustedStore, UsageError
from indexer.store.folder import MARKER_NAME
from indexer.store.manifest import MANIFEST_NAME
from indexer.store.storage import Identity, make_store
from tests.attacks.stores import signed
from tests.support.command import Cli
from tests.support.places import REPOSITORY
from tests.support.toy_index import copied, indexed, own


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a store, made once."""
    texts = {"a.md": "Sourdough rises slowly.\n"}
    return indexed(tmp_path_factory.mktemp("made"), texts, ".corpus-agent")


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    """The store of a project, recorded as `index` records it."""
    return copied(made, tmp_path / "project", ".corpus-agent")


def say(store: Path, **fields: object) -> None:
    """Have the manifest say something else, as whoever may write the store can."""
    path = store / MANIFEST_NAME
    path.write_text(signed(store, {**json.loads(path.read_text()), **fields}))


def test_what_this_user_made_here_is_known_with_its_folder(store):
    place = place_of(store, Settings())
    assert (place.store, place.root) == (store, store.parent / "docs")


def test_the_manifest_moves_no_boundary(store):
    for root in ("..", "../..", "/", "/etc", "docs/..", "", "."):
        say(store, root=root)
        assert place_of(store, Settings()).root == store.parent / "docs", root


def test_a_copy_a_move_and_another_home_are_not_made_here(store, tmp_path, monkeypatch):
    shutil.copytree(store.parent, tmp_path / "copy")
    with pytest.raises(UntrustedStore, match=r"not made by you here.*corpus-agent trust"):
        place_of(tmp_path / "copy/.corpus-agent", Settings())
    store.parent.rename(tmp_path / "moved")
    with pytest.raises(UntrustedStore, match=r"not made by you here.*you made it at .*project"):
        place_of(tmp_path / "moved/.corpus-agent", Settings())
    (tmp_path / "moved").rename(store.parent)
    place_of(store, Settings())  # back in its place
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with pytest.raises(UntrustedStore, match="there is no record that you did"):
        place_of(store, Settings())


def test_another_store_in_the_same_place_is_not_the_one_that_was_made(store, tmp_path):
    shutil.copytree(store, tmp_path / "copy")
    store.rename(tmp_path / "away")
    shutil.copytree(tmp_path / "copy", store)
    with pytest.raises(UntrustedStore, match="another one is in the place"):
        place_of(store, Settings())
    shutil.rmtree(store)
    (tmp_path / "away").rename(store)
    place_of(store, Settings())  # the control
    (tmp_path / "copy").rename(tmp_path / "theirs")
    (tmp_path / "theirs" / MARKER_NAME).write_text(f"corpus-agent store\nid = {32 * 'a'}\n")
    inode = store.stat().st_ino
    shutil.rmtree(store)
    for attempt in range(200):  # until the file system gives the number of the folder again
        store.mkdir(mode=0o700)
        if store.stat().st_ino == inode:
            break
        store.rename(tmp_path / f"spent{attempt}")
    shutil.copytree(tmp_path / "theirs", store, dirs_exist_ok=True)
    store.chmod(0o700)
    with pytest.raises(UntrustedStore, match="another one is in the place"):
        place_of(store, Settings())


def test_a_root_that_became_a_link_is_not_followed(store, tmp_path):
    (tmp_path / "secrets").mkdir()
    (store.parent / "docs").rename(store.parent / "old")
    (store.parent / "docs").symlink_to(tmp_path / "secrets")
    with pytest.raises(UsageError, match="is a link now"):
        place_of(store, Settings())


def test_what_is_trusted_without_a_record_names_no_folder_elsewhere(store, tmp_path):
    shutil.copytree(store.parent, tmp_path / "copy")
    copy = tmp_path / "copy/.corpus-agent"
    assert place_of(copy, Settings(trust_store=True)).root == tmp_path / "copy/docs"
    (tmp_path / "copy/out").symlink_to("/etc")
    for root in ("..", "../..", "/", "/etc", "out", "docs/../.."):
        say(copy, root=root)
        with pytest.raises(UsageError, match=r"which is not in.*--root"):
            place_of(copy, Settings(trust_store=True))


def test_a_record_that_makes_no_sense_permits_nothing(store, tmp_path, monkeypatch):
    state = tmp_path / "state/corpus-agent"
    state.mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    one = json.dumps({"stores": {str(store): 1}})
    for content in ("", "[]", "null", '{"stores": []}', one, "{" * 5000, "\x00"):
        (state / STATE).write_text(content)
        with pytest.raises(UntrustedStore, match="not made by you here"):
            place_of(store, Settings())


@pytest.mark.parametrize("kind", ["link", "fifo", "writable", "folder link", "other owner"])
def test_a_record_that_others_could_have_written_is_none(store, tmp_path, monkeypatch, kind):
    state = tmp_path / "state/corpus-agent"
    state.mkdir(parents=True, mode=0o700)
    good = user_state.state_folder() / STATE
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = state / STATE
    shutil.copy(good, path)
    place_of(store, Settings())  # the control
    if kind in ("link", "fifo"):
        path.unlink()
        path.symlink_to(good) if kind == "link" else os.mkfifo(path)
    elif kind == "writable":
        state.chmod(0o777)
    elif kind == "folder link":
        state.rename(tmp_path / "elsewhere")
        state.symlink_to(tmp_path / "elsewhere")
    elif os.getuid() == 0:
        os.chown(path, 65534, -1)
    else:
        pytest.skip("only the superuser can give a file away")
    with pytest.raises(UntrustedStore, match="not made by you here"):
        place_of(store, Settings())
    with pytest.raises(NoUserState, match="state"):
        user_state.update(STATE, lambda content: {**content, "x": 1})


def test_what_is_recorded_at_once_is_all_there(tmp_path):
    """Eight processes record a store each: none loses what another one wrote."""
    forked = multiprocessing.get_context("fork")
    together = forked.Barrier(8, timeout=60)

    def one(number: int) -> None:
        (tmp_path / f"docs{number}").mkdir()
        together.wait()
        own(tmp_path / f"store{number}", tmp_path / f"docs{number}")

    children = [forked.Process(target=one, args=(number,)) for number in range(8)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    for number in range(8):
        assert place_of(tmp_path / f"store{number}", Settings()).root.name == f"docs{number}"


@pytest.mark.slow
def test_trust_says_what_it_permits_and_one_command_is_enough(cli: Cli, store, tmp_path):
    clone = tmp_path / "clone"
    shutil.copytree(store.parent, clone)
    (clone / ".corpus-agent/config.toml").write_text("llm_seconds = 70\n")
    looked = cli("trust", "--dry-run", ".", cwd=clone)
    assert looked.returncode == 0, looked.stderr
    for said in (f"{clone}/docs", "documents 1", "llm_seconds = 70", f"owner {os.getuid()}"):
        assert said in looked.stdout
    assert "Nothing was changed" in looked.stdout
    assert cli("files", cwd=clone).returncode == 2
    content = json.loads(cli("trust", ".corpus-agent", "--json", cwd=clone).stdout)["trust"]
    assert (content["recorded"], content["root"]) == (True, f"{clone}/docs")
    assert "a.md" in cli("files", cwd=clone).stdout
    again = json.loads(cli("trust", "--dry-run", "--json", ".", cwd=clone).stdout)["trust"]
    assert again["recorded"] and again["already"]


# Forks a child for each moment at which something on the disk is about to change, which kills
# itself there; then another one makes the store. Says for each what was left and what came of it.
KILLING = """
import json, os, signal, sys
from pathlib import Path
from corpus_agent.startup import for_indexing
from corpus_agent.settings import Settings
from corpus_agent.trust.stores import place_of

CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.chmod"}

def changes(event, arguments):
    if event == "open":
        return bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    return event in CHANGES

def making(folder, kill_at):
    seen = 0
    def look(event, arguments):
        nonlocal seen
        if changes(event, arguments):
            seen += 1
            if seen == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
    if kill_at:
        sys.addaudithook(look)
    settings = Settings(store=folder / "store")
    for_indexing(settings, folder / "docs", seal_off=True)
    os._exit(0 if place_of(folder / "store", settings).root == folder / "docs" else 1)

def child(folder, kill_at):
    pid = os.fork()
    if pid == 0:
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        making(folder, kill_at)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

found = []
for kill_at in range(1, 200):
    folder = Path(sys.argv[1]) / str(kill_at)
    (folder / "docs").mkdir(parents=True)
    ended = child(folder, kill_at)
    left = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.name != "docs")
    found.append([ended, left, child(folder, 0)])
    if ended == 0:
        break
    found[-1].append(sorted(os.listdir(folder / "state/corpus-agent")))
print(json.dumps(found))
"""


@pytest.mark.slow
def test_killed_at_any_moment_a_store_is_made_by_the_next_index(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLING, tmp_path],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    *killed, whole = json.loads(done.stdout)
    assert whole[0] == 0  # no moment is left
    assert {ended for ended, *_ in killed} == {-9}
    assert len({tuple(left) for _, left, *_ in killed}) >= 5
    for _, left, again, state in killed:
        assert again == 0, left
        assert state == ["stores.json"], left  # and what was begun has gone
    # Before anything of a store is there, the record is.
    begun = [left for _, left, *_ in killed if any("corpus-agent.store" in name for name in left)]
    assert begun and all("state/corpus-agent/stores.json" in left for left in begun)


def test_a_store_that_was_not_announced_would_stay_a_strangers(tmp_path):
    """The control: made before it is recorded, as it was, and killed in between."""
    (tmp_path / "docs").mkdir()
    make_store(tmp_path / "store")
    with pytest.raises(UntrustedStore, match="there is no record that you did"):
        for_indexing(Settings(store=tmp_path / "store"), tmp_path / "docs", seal_off=True)


def test_a_record_of_a_folder_that_is_still_empty_trusts_nobody_elses_store(tmp_path):
    """Who fills the folder between the record and the marker does not know the id."""
    (tmp_path / "docs").mkdir()

    def announce(identity: Identity) -> None:
        record(StorePlace(tmp_path / "store", tmp_path / "docs"), identity)
        raise InterruptedError("right here")

    with pytest.raises(CorpusError):
        make_store(tmp_path / "store", announce)
    (tmp_path / "store/corpus-agent.store").write_text(f"corpus-agent store\nid = {32 * 'a'}\n")
    with pytest.raises(UntrustedStore, match="another one is in the place"):
        for_indexing(Settings(store=tmp_path / "store"), tmp_path / "docs", seal_off=True)
