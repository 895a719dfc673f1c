"""Where extensions come from, and which are refused before any of their code runs."""

import json
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
from indexer.extract import registry as readers, versions
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


def listed(installed, here, *preferred, **variables):
    command = [sys.executable, "-c", CODE, str(installed), *preferred]
    given = {**os.environ, "PYTHONPATH": str(REPOSITORY), **variables}
    done = subprocess.run(command, capture_output=True, text=True, env=given, cwd=here)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_only_folders_of_installed_packages_bring_extensions(tmp_path):
    installed, here = tmp_path / "installed", tmp_path / "here"
    installed.mkdir()
    package(here, "strange_one", "1", "extractors", ".wx = strange:read")
    for variables in ({}, {"PYTHONPATH": f"{here}{os.pathsep}{REPOSITORY}"}):
        assert listed(installed, here, **variables) == [[], {}, []]
    assert listed(here, here)[0]  # the control: there it is one
