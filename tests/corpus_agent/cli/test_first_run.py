"""A second terminal while the first run over a folder goes on."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_agent.api import Corpus
from indexer.errors import NoIndex
from indexer.store.folder import writer_lock
from indexer.store.manifest import STORE_NAME
from tests.support.command import Cli
from tests.support.toy_index import own


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
        r"\(.*\) since 20..-..-..T..:..:..\+00:00, and nothing of it is committed\.\W+"
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
