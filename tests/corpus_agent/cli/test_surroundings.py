"""Where a command stands and what is around it: one clear line where that cannot be."""

import json
from pathlib import Path

import pytest

from tests.support.command import Cli
from tests.support.toy_index import sync


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("Sourdough rises slowly.\n")
    sync(tmp_path / "docs", tmp_path / "store")
    return tmp_path / "store"


@pytest.mark.parametrize(
    "words",
    ["search --json", "search x --nosuch --json", "nosuch --json", "--nosuch search x --json"],
)
def test_wrong_usage_is_an_object_too_where_objects_are_asked_for(cli: Cli, words):
    done = cli(*words.split())
    problem = json.loads(done.stdout)["error"]
    assert (done.returncode, problem["exit_code"]) == (2, 2)
    assert problem["message"] and f"Error: {problem['message']}" in done.stderr
    plain = cli(*words.removesuffix("--json").split())  # the control
    assert (plain.returncode, plain.stdout) == (2, "")


@pytest.mark.slow
def test_a_configuration_in_an_index_is_refused_and_one_among_documents_obeyed(cli: Cli, store):
    """Code that took over one run could write the first; the other was typed, and no run writes."""
    docs = store.parent / "docs"
    for folder in (store, docs):
        (folder / "config.toml").write_text("llm_seconds = 30\n")
    for how in (["--config", store / "config.toml"], ["--config", "store/config.toml"]):
        done = cli("--store", store, *how, "files")
        assert (done.returncode, "holds this user's configuration" in done.stderr) == (2, True)
    variable = {"CORPUS_AGENT_CONFIG": str(store / "config.toml")}
    assert cli("--store", store, "index", env=variable).returncode == 2
    (store.parent / "link.toml").symlink_to(store / "config.toml")
    assert cli("--store", store, "--config", "link.toml", "files").returncode == 2
    assert cli("--store", store, "--config", docs / "config.toml", "files").returncode == 0
    assert cli("--store", store, "--config", "/dev/null", "files").returncode == 0
