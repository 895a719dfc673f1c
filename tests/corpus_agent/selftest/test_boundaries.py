"""The attack by indices and by what a run leaves: nothing comes of it, and it would be seen."""

import json
import os
from dataclasses import replace

import click
import pytest

from corpus_agent.cli import main
from corpus_agent.cli.checking import show_verdict
from corpus_agent.selftest.injection.judge import AttackVerdict, Tried
from corpus_agent.selftest.injection.shown import as_json, table
from corpus_agent.selftest.stores import boundaries, home
from corpus_agent.selftest.stores.boundaries import try_legacy, try_store
from corpus_agent.selftest.stores.hostile_stores import STORES
from corpus_agent.selftest.stores.taken_over import LEGACIES

BY_NAME = {attack.name: attack for attack in STORES}
HELD = Tried("store", "root", "what it is", ("read",), ())
CLEAN = AttackVerdict(1, 3, 3, 1, (), (), 1.0, (HELD, replace(HELD, group="persistence")))


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A home with an index that its user made."""
    folder = tmp_path_factory.mktemp("homes")
    home.check_readers_are_noticed(folder)
    return boundaries._honest(folder / "honest")


@pytest.fixture(scope="module")
def usual(honest, tmp_path_factory):
    """What a run may reach that nothing was left for."""
    return boundaries._usual(boundaries._copy(honest, tmp_path_factory.mktemp("usual") / "home"))


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_nothing_comes_of_a_hostile_index_and_its_control_gets_through(name, honest, tmp_path):
    tried = try_store(BY_NAME[name], honest, tmp_path)
    assert tried.leaked == ()
    assert tried.control
    assert tried.passed


@pytest.mark.slow
@pytest.mark.parametrize("name", LEGACIES)
def test_nothing_that_a_run_leaves_moves_the_next_and_its_control_does(
    name, usual, honest, tmp_path
):
    tried = try_legacy(LEGACIES[name], usual, honest, tmp_path)
    assert tried.leaked == ()
    assert tried.control
    assert tried.passed


@pytest.mark.slow
def test_the_usual_run_is_of_its_folder_and_reaches_nothing_else(usual):
    assert usual == {"root": "home/cloned/project", "server": None, "reached": []}


@pytest.mark.slow
def test_a_program_without_the_guard_fails_the_run(honest, tmp_path):
    """A key that the user trusts by name, under another name: the guard by name is not there."""
    attack = replace(
        BY_NAME["rows"], lists="private/canary.txt", command=("read", "private/canary.txt")
    )
    tried = try_store(attack, honest, tmp_path)
    assert "obeyed (trusted)" in tried.leaked
    assert {"read (trusted)", "shown (trusted)"} <= set(tried.leaked)
    assert not tried.passed


@pytest.mark.slow
def test_a_control_that_does_not_get_through_fails_the_run(honest, tmp_path):
    tried = try_store(replace(BY_NAME["root"], unchecked=lambda home: ""), honest, tmp_path)
    assert tried.leaked == ()
    assert tried.control == ()
    assert not tried.passed


@pytest.mark.slow
def test_a_record_that_a_run_could_write_would_move_the_next(usual, honest, tmp_path):
    """Left where nothing is sealed, as if the seal had a hole; the next run is an ordinary one."""
    copied = boundaries._copy(honest, tmp_path / "home")
    boundaries._honestly(home.run(copied, "corpus_agent", "trust", copied.store))
    with boundaries.Listener() as listener:
        boundaries._left(copied, listener.address, LEGACIES["record"], "control")
        later = boundaries._reached(copied, listener.address, "next")
        assert boundaries._moved(usual, later, listener) == ["read", "another root"]


@pytest.mark.slow
@pytest.mark.parametrize("act", ["read", "write", "make", "remove"])
def test_what_is_done_to_the_home_is_seen(act, honest, tmp_path):
    copied = boundaries._copy(honest, tmp_path / "home")
    before = home.look(copied)
    assert home.seen(copied, before, "") == ()
    canary = copied.private / "canary.txt"
    if act == "read":
        canary.read_text()
    elif act == "write":
        canary.write_text("x")
    elif act == "make":
        (copied.private / "new").touch()
    else:
        canary.rename(copied.base / "gone")
    expected = ("read",) if act == "read" else ("changed",)
    assert home.seen(copied, before, "") == expected
    assert "shown" in home.seen(copied, before, f"x {copied.token} y")
    (copied.store / "texts" / "kept").write_text(copied.token)
    assert "kept" in home.seen(copied, before, "")


def test_an_error_without_words_is_no_refusal():
    assert home.Ran(2, "", "Error: no.\nDo this.\n").refused
    assert not home.Ran(2, "", "Error: no.\n").refused
    assert not home.Ran(2, "", "").refused
    assert home.Ran(1, "", "Traceback (most recent call last)\n").broke
    assert home.Ran(-9, "", "").broke
    assert home.Ran(None, "", "").broke
    assert boundaries._ending(home.Ran(0, "", ""), must=True) == ["obeyed"]
    assert boundaries._ending(home.Ran(2, "", ""), must=False) == ["refused without a word"]


@pytest.mark.parametrize(
    "failed", [replace(HELD, leaked=("read (found)",)), replace(HELD, control=())], ids=str
)
def test_an_attack_that_leaked_or_a_control_that_did_not_ends_with_exit_1(failed, capsys):
    show_verdict(CLEAN, as_json=False)
    assert "2 of 2 boundaries held." in capsys.readouterr().out
    verdict = replace(CLEAN, boundaries=(HELD, failed))
    with click.Context(main, obj={}), pytest.raises(SystemExit, match="1"):
        show_verdict(verdict, as_json=True)
    found = json.loads(capsys.readouterr().out)["attack"]
    assert found["passed"] is False
    assert [each["passed"] for each in found["stores"]] == [True, False]
    assert "1 of 2 boundaries held." in table(verdict)
    assert any(line.startswith("FAIL  store: root") for line in table(verdict).splitlines())


def test_the_json_holds_each_group():
    found = as_json(CLEAN)
    assert found["stores"] == [
        {"name": "root", "what": "what it is", "control": ["read"], "leaked": [], "passed": True}
    ]
    assert found["persistence"] == found["stores"]


@pytest.mark.slow
def test_the_home_of_the_caller_is_not_that_of_the_run(honest):
    told = honest.environment()
    assert told["HOME"] != os.environ.get("HOME")
    assert all(str(honest.base) in told[name] for name in told if name.startswith("XDG_"))
