"""Each example runs as its first lines say, offline, and shows what it promises."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import REPOSITORY, SAMPLE, TESTS
from tests.support.sealed_child import run

pytestmark = pytest.mark.slow
LEASE = "How many months' notice does the tenant have to give?"


def example(name, *arguments, **options) -> str:
    command = [sys.executable, REPOSITORY / "examples" / name, *map(str, arguments)]
    environment = {**os.environ, "CORPUS_AGENT_LLM": "none"}
    # As for most people, the record lies below the home folder, which every client passes on.
    record = Path(environment["HOME"], ".local/state")
    if not record.is_symlink():
        record.parent.mkdir(exist_ok=True)
        record.symlink_to(environment["XDG_STATE_HOME"])
    del environment["XDG_STATE_HOME"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_tested():
    scripts = {path.name for path in (REPOSITORY / "examples").glob("*.py")}
    tested = "".join(path.read_text() for path in TESTS.rglob("test_*.py"))
    named = {name for name in scripts if f'"{name}"' in tested or f"examples/{name}" in tested}
    assert scripts - named == set()


def test_a_parent_that_obeys_sends_mail_unless_a_librarian_reads_for_it(sample_store):
    shown = example("librarian.py", sample_store, SAMPLE / "clippings/burr-weekly-grinders.md")
    assert "The parent reads the file itself: 1 e-mail sent." in shown  # the control
    assert "The parent has a librarian read for it: 0 e-mail sent." in shown
    assert "send[_]email" in shown
    assert "clippings/burr-weekly-grinders.md" in shown


def test_a_session_over_mcp(sample_store):
    shown = example("mcp_session.py", sample_store, LEASE)
    assert "tools: vectordb_search, vectordb_read, ask_corpus, " in shown
    assert "documents: bike/varda-c7-manual.pdf" in shown
    assert "two months' notice" in shown
    assert "home/lease.md" in shown


MODEL = """\
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

model = TestModel()
"""
SHOW = """
print([tool.name for tool in files.tools()], files.read("src/app.py", offset=120, limit=1))
"""


def test_the_code_for_agents_in_readme_and_workspace_runs(cli, tmp_path):
    pages = [(REPOSITORY / name).read_text("utf-8") for name in ("README.md", "docs/workspace.md")]
    blocks = [
        block for page in pages for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    ]
    assert len(blocks) == 3
    (tmp_path / "project/src").mkdir(parents=True)
    (tmp_path / "project/src/app.py").write_text("".join(f"line {n}\n" for n in range(1, 200)))
    shutil.copytree(SAMPLE / "home", tmp_path / "docs")
    assert cli("index", "docs").returncode == 0
    corpus, readme, files = blocks
    code = corpus + MODEL + readme.replace('Agent("…"', 'Agent("test"') + files + SHOW
    done = run(code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search("^(answered|likely) .*The rent is £985", done.stdout, re.DOTALL)  # `Corpus`
    assert "data to report" in done.stdout  # the librarian of the README
    assert "['read', 'glob', 'grep', 'edit', 'write'] " in done.stdout
    assert "   120\tline 120" in done.stdout
