"""The commands about all documents, as they are typed, and those that are gone."""

import json

import pytest
from click.testing import CliRunner

from corpus_agent.cli import main


@pytest.fixture
def edited(cli, tmp_path):
    """The index of a small folder, made by the command."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "lease.md").write_text(
        "---\ndate: 2024-03-12\ntags: [home]\n---\nThe lease ends on 31 December 2025.\n"
    )
    (docs / "rent.txt").write_text("The rent is 550 euros.\n")
    assert cli("index", "docs").returncode == 0
    return docs


def told(cli, *arguments):
    done = cli(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("words", [("history",), ("diff", "1"), ("rollback", "1", "--json")])
def test_a_command_that_is_gone_says_so(words):
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, f"{words[0]} is gone: " in done.stderr) == (2, True)
    assert CliRunner().invoke(main, ["histori"]).exit_code == 2  # the control


@pytest.mark.slow
def test_filters_lists_and_timelines(cli, edited):
    found = told(cli, "search", "ends", "--where", "tag:home date>=2024")
    assert {hit["source"] for hit in found["results"]} == {"lease.md"}
    assert "1 of 2 documents is looked at" in found["notices"][0]
    assert told(cli, "files", "--where", "type=txt")["files"][0]["source"] == "rent.txt"
    listed = told(cli, "list", "expiry = 2025")
    assert listed["counts"] == {
        "yes": 1,
        "no": 0,
        "unclear": 0,
        "silent": 1,
        "unknown": 0,
        "unreadable": 0,
    }
    dates = [each["date"] for each in told(cli, "timeline")["statements"]]
    assert dates == ["2025-12-31"]  # the date in the front matter is the document's, no event
    wrong = cli("search", "rent", "--where", "type=md size>3")
    assert (wrong.returncode, "character 9: 'size' is no property" in wrong.stderr) == (2, True)
    assert cli("search", "rent", "--where", "type=docx").returncode == 1
