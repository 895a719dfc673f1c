"""Where extensions come from, and which are refused before any of their code runs."""

import os
import subprocess
import sys

import pytest

from tests.support.places import REPOSITORY

pytestmark = pytest.mark.slow

CODE = """
import json, site, sys
from pathlib import Path
folder = sys.argv[1]
site.getsitepackages = lambda: [folder]
site.ENABLE_USER_SITE = False
from indexer.confine import extensions
from indexer.extract import extensions as readers, versions
if len(sys.argv) > 2:
    readers.use_extractors(sys.argv[2])
found = [[e.kind, e.name, e.package, e.version, e.refused] for e in readers.all_extensions()]
used = {name: each for name, each in versions().items() if name.startswith("x-")}
print(json.dumps([found, used, [m for m in sys.modules if m.startswith("strange")]]))
"""


def package(folder, name, version, group, entries):
    described = folder / f"{name}-{version}.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
    (described / "entry_points.txt").write_text(f"[corpus_agent.{group}]\n{entries}\n")


def listed(folder, *preferred, **variables):
    import json

    command = [sys.executable, "-c", CODE, str(folder), *preferred]
    given = {**os.environ, "PYTHONPATH": str(REPOSITORY), **variables}
    done = subprocess.run(command, capture_output=True, text=True, env=given, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_is_installed_is_listed_with_the_reason_why_some_is_not_used(tmp_path):
    package(
        tmp_path, "strange_one", "1.0+local", "extractors", ".wx = strange:read\n.md = strange:x"
    )
    package(tmp_path, "Strange.Two", "2", "extractors", "wx = strange:read\n.wy = strange:read")
    package(tmp_path, "strange_three", "3", "embedders", "words = strange:Words")
    package(tmp_path, "strange_four", "4", "embedders", "words = strange:Words")
    package(tmp_path, "strange_five", "beta", "backends", "lists = strange:Lists")
    package(tmp_path, "strange_six", "1", "others", "lists = strange:Lists")
    found, used, imported = listed(tmp_path)
    assert imported == []  # it is listed from what the packages say, not by their code
    refused = {(kind, name, pack): why for kind, name, pack, _, why in found}
    assert refused == {
        ("backends", "lists", "strange-five"): "its package's version is none",
        ("embedders", "words", "strange-four"): "two packages name it",
        ("embedders", "words", "strange-three"): "two packages name it",
        ("extractors", ".md", "strange-one"): (
            'this program reads .md itself; to prefer it: extractors = "strange-one"'
        ),
        ("extractors", ".wx", "strange-one"): "",
        ("extractors", ".wy", "strange-two"): "",
        ("extractors", "wx", "strange-two"): "its name is none",
    }
    assert used == {"x-strange-one": "1.0.local", "x-strange-two": "2"}
    found, _, _ = listed(tmp_path, "strange-one")
    assert [why for _, name, _, _, why in found if name == ".md"] == [""]


def test_only_folders_of_installed_packages_bring_extensions(tmp_path):
    installed, here = tmp_path / "installed", tmp_path / "here"
    installed.mkdir()
    package(here, "strange_one", "1", "extractors", ".wx = strange:read")
    for variables in ({}, {"PYTHONPATH": f"{here}{os.pathsep}{REPOSITORY}"}):
        command = [sys.executable, "-c", CODE, str(installed)]
        given = {**os.environ, "PYTHONPATH": str(REPOSITORY), **variables}
        done = subprocess.run(command, capture_output=True, text=True, env=given, cwd=here)
        assert done.stdout == "[[], {}, []]\n", done.stderr
    assert listed(here)[0]  # the control: there it is one


FAULTS = """
import sys
from indexer.confine.extensions import Extension
from indexer.errors import CorpusError
for place in sys.argv[1:]:
    try:
        made = Extension("embedders", "words", "strange-one", "1.0", place).make()
    except CorpusError as error:
        print(error.message)
    else:
        print(made)
"""


def test_whatever_a_package_raises_is_told_in_one_line_with_its_name(tmp_path):
    for name, code in (
        ("sound", "Words = dict"),
        ("needs", "import no_such_module"),
        ("old", "raise RuntimeError('no GPU,\\nno words')"),
        ("leaving", "import sys; sys.exit(3)"),
        ("broken", "def Words(): raise KeyError('x')"),
        ("empty", "assert False"),
    ):
        (tmp_path / f"strange_{name}.py").write_text(code)
    places = [f"strange_{name}:Words" for name in ("sound", "needs", "old", "leaving", "broken")]
    given = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{REPOSITORY}"}
    command = [sys.executable, "-c", FAULTS, *places, "strange_empty:Words"]
    done = subprocess.run(command, capture_output=True, text=True, env=given)
    said = "The extension 'words' of strange-one 1.0 cannot be loaded: "
    assert done.stdout.splitlines() == [
        "{}",  # the control
        f"{said}No module named 'no_such_module'.",
        f"{said}RuntimeError: no GPU, no words.",
        f"{said}SystemExit: 3.",
        f"{said}KeyError: 'x'.",
        f"{said}AssertionError.",
    ], done.stderr
