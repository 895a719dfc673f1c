"""Where a command stands and what is around it: one clear line where that cannot be."""

import json
import shutil
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


@pytest.mark.nightly
@pytest.mark.slow
def test_an_index_made_elsewhere_is_found_from_within_its_documents(cli: Cli, tmp_path):
    notes, elsewhere = tmp_path / "notes/deep", tmp_path / "elsewhere"
    notes.mkdir(parents=True)
    elsewhere.mkdir()
    (notes / "bread.md").write_text("# Bread\n\nThe dough rests for 45 minutes.\n")
    made = cli("index", tmp_path / "notes", cwd=elsewhere)
    store = tmp_path / "notes/.corpus-agent"
    assert "Ask with: corpus-agent -s notes ask" in made.stdout
    again = cli("index", tmp_path / "notes", cwd=elsewhere).stdout
    assert "Ask with" not in again  # said once
    assert f"The index of {tmp_path}/notes is in {store}." in cli("index", cwd=notes).stdout

    named = {"CORPUS_AGENT_STORE": str(store)}
    question = ("ask", "How long does the dough rest?", "--llm", "none")
    for how in ({"cwd": notes}, {"cwd": tmp_path}, {"cwd": elsewhere, "env": named}):
        found = cli(*question, "--no-log", **how)
        assert "deep/bread.md:3" in found.stdout, found.stderr
    assert not (store / "receipts.jsonl").exists()
    assert cli(*question, cwd=notes).returncode == 0
    assert (store / "receipts.jsonl").exists()  # the control
    assert "deep/bread.md" in cli("files", cwd=tmp_path).stdout  # the only one below

    shutil.move(store, tmp_path / "moved")
    store.mkdir()
    assert "There is no index here" in cli("status", cwd=notes).stderr
