"""Where a command stands, what is around it, how it is typed: a clear line where that cannot be."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpus_agent.cli import main
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


def test_wrong_usage_has_one_exit_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("x")
    for words in (
        ["search", ""], ["search", "?!"], ["search", "x", "-k", "-1"], ["search", "x", "-k", "0"],
        ["search"], ["files", "--status", "no"], ["index", "nosuch"], ["index", "a.md"],
        ["ask", "x", "--json", "--format", "md"], ["mcp", "--print-config", "emacs"], ["nosuch"],
        ["completion", "tcsh"], ["search", "x", "--where", "size>3"], ["history"], ["compare", "a"],
    ):  # fmt: skip
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 2, (words, done.output)
    done = CliRunner().invoke(main, ["search", "x"])
    assert (done.exit_code, "Make one: corpus-agent index" in done.output) == (1, True)


@pytest.mark.slow
def test_an_index_is_said_to_answer_questions_only_if_it_holds_a_document(cli: Cli, tmp_path: Path):
    for name, content in (("empty", None), ("unread", b"\0\1\2"), ("read", b"Lunch is at noon.\n")):
        (tmp_path / name).mkdir()
        if content is not None:
            (tmp_path / name / "a.txt").write_bytes(content)
        made = cli("index", name)
        assert ("Ask with" in made.stdout) is (name == "read"), (name, made)


@pytest.mark.slow
def test_a_server_that_was_typed_and_does_not_answer_is_an_error(cli: Cli, sample_store: Path):
    typed = cli("-s", sample_store, "ask", "When is the rent due?", "--llm", "http://127.0.0.1:9")
    assert (typed.returncode, typed.stdout) == (1, "")
    set_ = cli("-s", sample_store, "ask", "When is the rent due?",
               env={"CORPUS_AGENT_LLM": "http://127.0.0.1:9"})  # fmt: skip
    assert set_.returncode == 0
    assert "No model server answers at 127.0.0.1:9." in set_.stdout  # one's own address, as it is
