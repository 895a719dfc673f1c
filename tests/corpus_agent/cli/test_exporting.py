"""Answers that a command writes to a file: new files alone, opened before the seal."""

import pytest

from corpus_agent.cli.printing import opened_new
from indexer import UsageError


def test_a_file_that_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "a.md").write_text("mine")
    (tmp_path / "link.md").symlink_to(tmp_path / "new.md")
    (tmp_path / "folder.md").mkdir()
    for name in ("a.md", "link.md", "folder.md", "nowhere/a.md"):
        with pytest.raises(UsageError, match=r"is not overwritten|cannot be written"):
            opened_new(tmp_path / name)
    assert (tmp_path / "a.md").read_text() == "mine"
    assert not (tmp_path / "new.md").exists()


@pytest.mark.slow
def test_an_answer_is_written_beside_the_documents_and_never_over_a_file(cli, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "lease.md").write_text("The rent is due on the first day of every month.\n")
    assert cli("index", docs).returncode == 0
    asked = ("ask", "On which day of the month is the rent due?", "--llm", "none")
    done = cli(*asked, "--receipt", "r.json", "--export", "a.md")
    assert done.returncode == 0, done.stderr
    assert "among your documents" not in done.stderr  # the control: beside them
    text = (tmp_path / "a.md").read_text()
    assert "The rent is due on the first day of every month." in text
    assert cli("check", "r.json").returncode == 0
    assert cli("check", "r.json", "--format", "md").returncode == 2
    missing = cli("check", "gone.md")
    assert (missing.returncode, missing.stderr.splitlines()[1][:5]) == (2, "Try: ")
    assert cli("check", "r.json", "--llm", "none").returncode == 2
    refused = cli(*asked, "--export", "a.md")
    assert (refused.returncode, "is not overwritten" in refused.stderr) == (2, True)
    assert "among your documents" in cli(*asked, "--export", docs / "b.md").stderr
