"""The attack by indices and by what a run leaves: nothing comes of it, and it would be seen."""

import json
from dataclasses import replace

import click
import pytest

from corpus_agent.cli import main
from corpus_agent.cli.checking import show_verdict
from corpus_agent.selftest.injection.judge import AttackVerdict, Tried
from corpus_agent.selftest.stores import boundaries, home
from corpus_agent.selftest.stores.boundaries import try_legacy, try_store
from corpus_agent.selftest.stores.hostile_stores import STORES
from corpus_agent.selftest.stores.taken_over import LEGACIES

BY_NAME = {attack.name: attack for attack in STORES}
SAMPLE = ("manifest-link", "marker")  # what is tried in every run, a store and a legacy
HELD = Tried("store", "root", "what it is", ("read",), ())
CLEAN = AttackVerdict(1, 3, 3, 1, (), (), 1.0, (HELD, replace(HELD, group="persistence")))


def sampled(names):
    """The names, of which all but the sample are the long tail."""
    return [
        pytest.param(name, marks=() if name in SAMPLE else pytest.mark.nightly) for name in names
    ]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A home with an index that its user made."""
    folder = tmp_path_factory.mktemp("homes")
    home.check_readers_are_noticed(folder)
    return boundaries._honest(folder / "honest")


@pytest.fixture(scope="module")
def usual(honest, tmp_path_factory):
    """What a run may reach that nothing was left for."""
    found = boundaries._usual(boundaries._copy(honest, tmp_path_factory.mktemp("usual") / "home"))
    assert found == {"root": "home/cloned/project", "server": None, "reached": []}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(BY_NAME))
def test_nothing_comes_of_a_hostile_index_and_its_control_gets_through(name, honest, tmp_path):
    tried = try_store(BY_NAME[name], honest, tmp_path)
    assert (tried.leaked, bool(tried.control), tried.passed) == ((), True, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(LEGACIES))
def test_nothing_that_a_run_leaves_moves_the_next_and_its_control_does(
    name, usual, honest, tmp_path
):
    tried = try_legacy(LEGACIES[name], usual, honest, tmp_path)
    assert (tried.leaked, bool(tried.control), tried.passed) == ((), True, True)


@pytest.mark.slow
@pytest.mark.nightly
def test_a_program_without_the_guard_fails_the_run(honest, tmp_path):
    """A key that the user trusts by name, under another name: the guard by name is not there."""
    attack = replace(
        BY_NAME["rows"], lists="private/canary.txt", command=("read", "private/canary.txt")
    )
    tried = try_store(attack, honest, tmp_path)
    assert {"obeyed (trusted)", "read (trusted)", "shown (trusted)"} <= set(tried.leaked)
    assert not tried.passed


@pytest.mark.slow
@pytest.mark.nightly
def test_a_control_that_does_not_get_through_fails_the_run(honest, tmp_path):
    tried = try_store(replace(BY_NAME["root"], unchecked=lambda home: ""), honest, tmp_path)
    assert (tried.leaked, tried.control, tried.passed) == ((), (), False)


def test_an_attack_that_leaked_or_a_control_that_did_not_ends_with_exit_1(capsys):
    show_verdict(CLEAN, as_json=False)
    capsys.readouterr()
    for failed in (replace(HELD, leaked=("read (found)",)), replace(HELD, control=())):
        verdict = replace(CLEAN, boundaries=(HELD, failed))
        with click.Context(main, obj={}), pytest.raises(SystemExit, match="1"):
            show_verdict(verdict, as_json=True)
        found = json.loads(capsys.readouterr().out)["attack"]
        assert found["passed"] is False
        assert [each["passed"] for each in found["stores"]] == [True, False]
