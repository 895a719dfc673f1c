"""Answers that a command writes to a file: new files alone, opened before the seal."""

from pathlib import Path

import pytest

from corpus_agent.cli.exporting import opened_export, opened_new, write_text
from indexer import UsageError
from tests.support.pdfs import pdf_of


def test_a_file_that_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "a.md").write_text("mine")
    (tmp_path / "link.md").symlink_to(tmp_path / "new.md")
    (tmp_path / "folder.md").mkdir()
    for name in ("a.md", "link.md", "folder.md", "nowhere/a.md"):
        with pytest.raises(UsageError, match=r"is not overwritten|cannot be written"):
            opened_export(tmp_path / name)
    assert (tmp_path / "a.md").read_text() == "mine"
    assert not (tmp_path / "new.md").exists()


def test_a_new_file_is_for_its_owner_alone(tmp_path):
    write_text(opened_new(tmp_path / "a.md"), "words")
    assert (tmp_path / "a.md").read_text() == "words"
    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_an_answer_is_written_with_its_page_and_checked_again(cli, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "lease.pdf").write_bytes(
        pdf_of("Lease", "The rent is due on the first day of every month.", "Signed")
    )
    assert cli("index", docs).returncode == 0
    asked = "On which day of the month is the rent due?"
    done = cli("ask", asked, "--llm", "none", "--receipt", "r.json", "--export", "a.html")
    assert done.returncode == 0, done.stderr
    assert "lies in" not in done.stderr  # the control: beside the documents, not among them
    text = (tmp_path / "a.html").read_text()
    assert "The rent is due on the first day of every month." in text
    assert text.count("<img ") == text.count("data:image/png;base64,") == 1
    assert "<rect " in text
    assert cli("verify", "r.json", "--export", "v.html").returncode == 0
    assert "<rect " in Path(tmp_path / "v.html").read_text()
    refused = cli("ask", asked, "--llm", "none", "--export", "a.html")
    assert refused.returncode == 2
    assert "is not overwritten" in refused.stderr
