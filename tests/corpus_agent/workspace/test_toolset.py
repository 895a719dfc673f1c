"""The tools as a model meets them, and who may not hold them."""

import json
import os
import re
import subprocess
import sys

import pytest

from corpus_agent.tools.toolbox import SPECS
from corpus_agent.workspace import ErrorText, FileTools, Workspace
from tests.support.places import REPOSITORY, SNAPSHOTS

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.txt").write_text("needle\n")
    (tmp_path / "a.png").write_bytes(PNG)
    return FileTools(Workspace(tmp_path), confirm=lambda _: True)


@pytest.fixture
def tools(files):
    return {tool.name: tool for tool in files.tools()}


NAMES = ["read", "glob", "grep", "edit", "write"]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_model_is_told_of_a_tool_is_as_written_down(tools, name):
    spec = tools[name].spec
    schema = json.dumps(dict(spec.schema), indent=2)
    text = f"{name}\n\n{spec.description}\n\n{schema}\n"
    path = SNAPSHOTS / f"workspace_{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def test_the_corpus_agent_holds_none_of_the_file_tools(tools):
    """That none of its modules imports them is a contract in pyproject.toml."""
    assert not SPECS.keys() & set(tools)


@pytest.mark.slow
def test_the_example_runs_offline_and_changes_the_letter(sample_store):
    run = subprocess.run(
        [sys.executable, REPOSITORY / "examples/parent_agent.py", sample_store],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert 'glob {"pattern": "*.txt"}' in run.stdout
    assert re.search(r"\n +(?:answered|likely) +<<doc \w+>> home/lease\.md:32 <</doc ", run.stdout)
    assert "with two months' notice in writing." in run.stdout


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (("read", {"path": "no.txt"}), "not_found"),
        (("read", {"path": "../a"}), "outside_root"),
        (("read", {"path": "sub"}), "is_folder"),
        (("read", {"path": "a.bin"}), "binary_file"),
        (("read", {"path": "a.txt", "offset": 9}), "beyond_end"),
        (("read", {"path": 7}), "bad_argument"),
        (("edit", {"path": "a.txt", "old_string": "x", "new_string": "y"}), "not_read_yet"),
        (("edit", {"path": "a.txt", "old_string": "x", "new_string": "x"}), "unchanged"),
        (("grep", {"pattern": "("}), "bad_argument"),
        (("glob", {"pattern": "*", "path": "a.txt"}), "not_a_folder"),
    ],
    ids=str,
)
def test_an_error_says_its_reason_to_a_program_too(tmp_path, call, code):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("needle")
    (tmp_path / "a.bin").write_bytes(b"one\0\x01\x02")
    tools = {tool.name: tool for tool in FileTools(Workspace(tmp_path)).tools()}
    name, arguments = call
    result = tools[name].call(arguments)
    assert isinstance(result, ErrorText) and result.startswith("Error: ")
    assert result.code == code
    assert not isinstance(tools["read"].call({"path": "a.txt"}), ErrorText)


@pytest.mark.slow
def test_every_code_of_an_error_is_in_the_documentation():
    used = {"refused", "error"}
    for path in [*REPOSITORY.glob("corpus_agent/**/*.py"), *REPOSITORY.glob("indexer/**/*.py")]:
        used |= set(re.findall(r'\bcode(?:: str)? ?= ?"([a-z_]+)"', path.read_text("utf-8")))
    documented = (REPOSITORY / "docs/workspace.md").read_text("utf-8")
    table = documented.partition("## Errors")[2].partition("\n## ")[0]
    assert used == set(re.findall(r"`([a-z_]+)`", table.partition("|---|---|")[2]))
