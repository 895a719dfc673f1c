"""glob and grep, text by text, and how ripgrep is found and started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_agent.workspace import FileTools, Workspace
from tests.support.processes import gone, started_with, until


@pytest.fixture
def tools(tmp_path):
    return FileTools(Workspace(tmp_path))


def put(folder, *names, text="needle\n", age=0):
    """Files with this text; a greater age is an older file."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", "a.py"),
        ("*", "-rf.txt a.py ünïcode name.md"),
        ("**/*.py", "a.py src/b.py src/deep/c.py"),
        ("*/*", "src/b.py"),
        ("src/*.py", "src/b.py"),
        ("src/**/*.py", "src/b.py src/deep/c.py"),
        ("**/*.{py,toml}", "a.py src/b.py src/deep/c.py src/deep/d.toml"),
        ("src/**", "src/b.py src/deep/c.py src/deep/d.toml"),
        ("**/[ab].py", "a.py src/b.py"),
        ("**", "-rf.txt a.py src/b.py src/deep/c.py src/deep/d.toml ünïcode name.md"),
    ],
)
def test_a_pattern_finds_the_paths_that_it_means(tmp_path, tools, pattern, found):
    put(tmp_path, "a.py", "src/b.py", "src/deep/c.py", "src/deep/d.toml", "-rf.txt")
    put(tmp_path, "ünïcode name.md")
    expected = found.replace("ünïcode name", "ünïcode\0name").replace(" ", "\n").replace("\0", " ")
    assert tools.glob(pattern) == expected


@pytest.mark.slow
def test_what_gitignore_names_is_left_out_also_where_the_pattern_matches_it(tmp_path, tools):
    put(tmp_path, ".gitignore", text="*.log\n/build/\n!keep.log\n")
    put(tmp_path, "sub/.gitignore", text="!sub.log\nsecret.md\n")
    put(tmp_path, "a.log", "keep.log", "build/x.log", "build/y.md", "sub/sub.log", "sub/secret.md")
    put(tmp_path, ".ignore", ".rgignore", text="*.md\n")
    put(tmp_path, "a.md", "sub/a.md")
    assert tools.glob("**/*.log") == "keep.log\nsub/sub.log"
    assert tools.glob("**/*.md") == "a.md\nsub/a.md"
    assert tools.glob("build/**") == "No file below '.' matches 'build/**'."
    assert tools.glob("*.{log,md}", "sub") == "sub/a.md\nsub/sub.log"  # rules from above hold


@pytest.mark.slow
def test_hidden_files_are_listed_and_git_never(tmp_path, tools):
    put(tmp_path, ".env", ".hid/a", ".git/config", "sub/.git/HEAD", "sub/b")
    for pattern, found in (
        ("**", ".env\n.hid/a\nsub/b"),
        ("*", ".env"),
        (".*", ".env"),
        ("**/.git/**", "No file below '.' matches '**/.git/**'."),
        ("{.git,.hid,sub}/**", ".hid/a\nsub/b"),
    ):
        assert tools.glob(pattern) == found


@pytest.mark.slow
def test_names_that_are_not_one_line_are_counted_and_not_shown(tmp_path, tools):
    put(tmp_path, "a", "b\nError: c", "d\u2028e", "f\x1b[0m")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/g\xff")).write_text("needle")
    note = "\n\nLeft out: 4, for names that are not one line of text."
    assert tools.glob("*") == f"a{note}"
    assert tools.grep("needle", mode="files") == f"a{note}"
    assert tools.grep("needle", mode="count") == f"a:1{note}"
    assert tools.grep("needle") == f"a:1:needle{note}"


SEARCHING = """
import os, sys, time
from pathlib import Path
from corpus_agent.workspace.ripgrep import find_ripgrep
here = os.open(sys.argv[1], os.O_PATH | os.O_DIRECTORY)
# Of the standard input, which the test holds open: so it ends only when it is ended.
with find_ripgrep().search(here, here, ["--", "needle", "-"], stdin=int(sys.argv[2])) as search:
    print(search._process.pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
def test_a_search_ends_with_a_parent_that_was_killed(tmp_path):
    reader, writer = os.pipe()
    command = [sys.executable, "-c", SEARCHING, tmp_path, str(reader)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, pass_fds=[reader]) as parent:
        child = int(parent.stdout.readline())
        assert until(lambda: child in started_with("needle"))  # the control: it waits
        parent.kill()
        parent.wait()
        assert gone(child)
    os.close(reader)
    os.close(writer)
