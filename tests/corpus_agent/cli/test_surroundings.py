"""Where a command stands, what is around it, how it is typed: a clear line where that cannot be."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpus_agent.api import Corpus
from corpus_agent.cli import main
from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer.errors import NoIndex
from indexer.store.folder import writer_lock
from indexer.store.manifest import STORE_NAME
from tests.support.command import Cli
from tests.support.toy_index import indexed, own


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return indexed(tmp_path, {"a.md": "Sourdough rises slowly.\n"}) / "store"


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


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose index this process writes, and has committed nothing of."""
    # All stores that are known are these tests' own, not those of all tests before.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/1.md").write_text("# Lease\n\nNo pets.\n")
    with writer_lock(own(tmp_path / "docs" / STORE_NAME, tmp_path / "docs")):
        yield tmp_path / "docs"


@pytest.mark.slow
def test_that_the_first_run_goes_on_is_said_by_every_door(cli: Cli, docs):
    said = re.compile(
        rf"There is no index in '{docs}/.corpus-agent' yet: "
        rf"it is being made by process {os.getpid()} "
        r"\(.*\) since \d+ \w+ 20.., ..:.., and nothing of it is committed\.\W+"
        r"Try again when that has finished\."
    )
    asked = ("status", "files", "mcp", "web", "forget 1.md", "ask pets")
    for command in (*asked, "search pets", "table rent", f"-s {docs} files"):
        done = cli(*command.split(), cwd=docs)
        assert done.returncode == 1 and said.search(done.stderr), (command, done.stderr)
    for place in (docs.parent, docs):  # where it was typed, and among the documents
        problem = json.loads(cli("files", "--json", cwd=place).stdout)["error"]
        assert said.search(f"{problem['message']} {problem['hint']}")
    with pytest.raises(NoIndex, match=said), Corpus.open(docs / STORE_NAME) as corpus:
        corpus.status()
    assert "it is being made by process" in cli("stores").stdout
    assert cli("index", "docs").returncode == 5  # a second writer
    assert "is left out: There is no index" in cli("--all-stores", "files").stderr


SAID = {
    "en": ("The rent is due on the first day of each month, and the deposit is two rents.", False),
    "de": ("Die Miete ist am ersten Tag jedes Monats fällig, die Kaution sind zwei Mieten.", True),
}


def test_what_the_named_model_does_not_read_is_said_before_the_first_run(tmp_path, capsys):
    for name, (text, said) in SAID.items():
        root = tmp_path / name
        root.mkdir()
        (root / "lease.md").write_text(f"{text}\n" * 9)
        settings = Settings(model=Path("minilm"), root=root)
        session.encoder_to_index(settings, root / ".corpus-agent")
        assert bool(capsys.readouterr().err) is said, name
