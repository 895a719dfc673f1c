"""A developer: shells, locales, where options stand, exit codes."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from corpus_agent.cli import main
from tests.support.command import Cli


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
