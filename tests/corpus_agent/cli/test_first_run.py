"""A second terminal while the first run over a folder goes on."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from corpus_agent.api import Corpus
from indexer.errors import NoIndex
from indexer.store.folder import writer_of
from indexer.store.manifest import MANIFEST_NAME, STORE_NAME
from tests.support.command import Cli

DOCUMENTS = 300  # more than are committed by the time that the lock is seen


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # All stores that are known are these tests' own, not those of all tests before.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "docs").mkdir()
    for number in range(DOCUMENTS):
        (tmp_path / f"docs/{number}.md").write_text(f"# Lease {number}\n\nNo pets.\n")
    return tmp_path / "docs"


@pytest.fixture
def running(docs: Path) -> Iterator[int]:
    """The process of the first run over `docs`, stopped while nothing is committed."""
    run = subprocess.Popen(
        [sys.executable, "-P", "-m", "corpus_agent", "index", "docs"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=docs.parent,
        start_new_session=True,
    )
    store = docs / STORE_NAME
    try:
        while writer_of(store) in (None, "another process"):
            assert run.poll() is None
            time.sleep(0.01)
        os.killpg(run.pid, signal.SIGSTOP)
        assert not (store / MANIFEST_NAME).exists()
        yield run.pid
    finally:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()


@pytest.mark.slow
def test_that_the_first_run_goes_on_is_said_by_every_door(cli: Cli, docs, running):
    said = re.compile(
        rf"There is no index in '{docs}/.corpus-agent' yet: it is being made by process {running} "
        r"\(.* index docs\) since 20..-..-..T..:..:..\+00:00, and nothing of it is committed\.\W+"
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
