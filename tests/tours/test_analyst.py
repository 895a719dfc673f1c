"""An analyst: filters, quotations that a script finds, a report to hand on, a disk that is gone."""

import json
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.support.command import Cli

REPORT = (
    "# Report\n\nRevenue rose to 41.5 million euros in 2024.\n\n"
    "The margin was 12 % (see [the table](https://intern.example/t?a=1)).\n"
)


@pytest.mark.nightly
@pytest.mark.slow
def test_answers_are_filtered_found_again_and_handed_on(cli: Cli, tmp_path: Path):
    docs = tmp_path / "docs"
    (docs / "2024").mkdir(parents=True)
    (docs / "2024/report.md").write_text(REPORT)
    (docs / "2024/memo.txt").write_text("Memo: the revenue plan is secret until May.\n")
    (docs / "notes.md").write_text("Lunch is at noon.\n")
    (docs / ".corpusignore").write_text("drafts/\n")
    (docs / "drafts").mkdir()
    (docs / "drafts/x.md").write_text("Revenue fell.\n")
    assert cli("index", "docs", "--ocr", "off").returncode == 0

    asked = ("ask", "What was the margin?", "--llm", "none")
    answer = json.loads(cli(*asked, "--path", "./docs/2024", "--json").stdout)
    quoted = answer["citations"][0]
    raw = unquote(quoted["raw"]) if quoted["raw_encoded"] else quoted["raw"]
    assert raw in (docs / quoted["source"]).read_text()
    assert "https://" not in quoted["quote"]
    assert (answer["coverage"]["indexed"], answer["coverage"]["kept_out"]) == (2, 0)

    names = ("--path", "docs/2024", "--not-path", "*.txt", "--path", str(docs / "notes.md"))
    found = json.loads(cli("search", "revenue", *names, "--json").stdout)["results"]
    assert {hit["source"] for hit in found} == {"2024/report.md", "notes.md"}
    scores = [hit["score"] for hit in found]
    assert scores == sorted(scores, reverse=True)
    wrong = cli("search", "revenue", "--path", "docs/2023")
    assert (wrong.returncode, "No document of the index is at" in wrong.stderr) == (1, True)

    report = cli(*asked, "--format", "md", "--export", "report.html")
    assert report.stdout.startswith("# What was the margin?\n")
    assert "https[:]//" in report.stdout
    assert "<!doctype html>" in (tmp_path / "report.html").read_text()
    both = cli(*asked, "--format", "md", "--json")
    assert (both.returncode, "contradict each other" in both.stderr) == (2, True)

    docs.rename(tmp_path / "unplugged")
    gone = cli(*asked)
    assert gone.returncode == 1
    assert "is not there, and its index lies in it: moved, or not mounted" in gone.stderr
    assert "do not say" not in gone.stdout + gone.stderr
