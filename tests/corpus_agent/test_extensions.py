"""A package from outside, installed by a test and used by the real program within its walls."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import TESTS

PLUGINS = TESTS / "plugins"
pytestmark = pytest.mark.slow

LOG = "LOGBOOK\ntitle: Voyage of the Hesper\n" + "".join(
    f"{line[::-1]}\n"
    for line in (
        "The harbour master of Grimvik demanded forty barrels of tar on the ninth of May.",
        "The anchor was lost off Skagen in a gale, and a new one was bought for eleven crowns.",
    )
)
LONG = "The price of tar at Grimvik is told here at length, " * 6 + "and ends at last."


@pytest.fixture(scope="session")
def python(tmp_path_factory):
    """The interpreter of a copy of this environment in which the packages are installed."""
    home = tmp_path_factory.mktemp("installed") / "env"
    try:  # links cost no bytes, and need one file system
        subprocess.run(["cp", "-al", sys.prefix, home], check=True, capture_output=True)
    except subprocess.CalledProcessError:
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run(["cp", "-a", sys.prefix, home], check=True, capture_output=True)
    packages = Path(home, *Path(os.__file__).parent.parts[-2:], "site-packages")
    source = shutil.copytree(PLUGINS / "extractor", home.parent / "own")  # a build writes beside it
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    pip += ["--no-build-isolation", "--disable-pip-version-check", "--target", packages, source]
    done = subprocess.run(pip, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return home / "bin" / "python"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    docs = tmp_path_factory.mktemp("voyage") / "docs"
    docs.mkdir()
    (docs / "voyage.logbook").write_text(LOG)
    (docs / "tar.md").write_text("# Tar\n\nThe price of tar at Grimvik is nine crowns.\n")
    (docs / "prices.txt").write_text(LONG)
    (docs / "wages.csv").write_text("name,wage\nOle,12\nBent,14\n")
    return docs.parent


@pytest.fixture
def run(python, folder):
    """Runs the command in the folder; its JSON, or what it said where it must fail."""

    def command(*arguments, code=0, **variables):
        given = {**os.environ, **variables}
        done = subprocess.run(
            [python, "-m", "corpus_agent", *arguments],
            cwd=folder, env=given, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout) if code == 0 else done.stderr

    return command


def readers(listed):
    return {row["source"]: (row["status"], row["extractor"]) for row in listed["files"]}


def test_packages_from_outside_are_used_by_index_and_ask_within_the_walls(python, run):
    made = run("index", "docs", "--json")["index"]
    assert (made["added"], made["failed"]) == (4, [])
    listed = readers(run("files", "--json"))
    assert listed["voyage.logbook"] == ("indexed", "x-example-logbook/1.2")
    assert listed["wages.csv"] == ("indexed", "csv/3")  # ours is not taken over

    # Named wherever a person looks, with the one that is refused.
    extensions = run("status", "--json")["extensions"]
    refused = {each["name"]: each["refused"] for each in extensions}
    assert refused.keys() == {".logbook", ".csv"}
    assert not refused[".logbook"]
    assert 'extractors = "example-logbook"' in refused[".csv"]
    checks = {each["name"]: each for each in run("doctor", "--json")["doctor"]["checks"]}
    assert checks["extensions"]["state"] == "warn"
    assert ".csv (example-logbook 1.2) is NOT used" in checks["extensions"]["found"]

    # The reader's code ran where ours does: nothing to reach, and outside of it everything.
    text = "\n".join(run("read", "voyage.logbook", "--json")["lines"])
    assert "harbour master of Grimvik demanded forty barrels" in text
    assert "attempts: no socket, not read, not wrote" in text
    outside = subprocess.run(
        [python, "-c", "import example_logbook; print(example_logbook._attempts())"],
        capture_output=True, text=True, cwd="/",
    )  # fmt: skip
    assert "reached the network" in outside.stdout or "connected" in outside.stdout
    assert ", read, wrote" in outside.stdout

    for backend in ("lance", "memory"):
        found = run(
            "search", "the harbour master demanded forty barrels", "--backend", backend, "--json"
        )
        assert found["results"][0]["source"] == "voyage.logbook", backend
        assert found["seal"] == "enforced"
    asked = run("ask", "What did the harbour master of Grimvik demand?", "--backend",
                "memory", "--llm", "none", "--json")  # fmt: skip
    assert asked["seal"] == "enforced"
    assert "voyage.logbook" in {each["source"] for each in asked["passages"]}


@pytest.mark.nightly
def test_a_setting_lets_a_package_read_what_this_program_reads(run):
    ours, theirs = {}, {"CORPUS_AGENT_EXTRACTORS": "example-logbook"}
    run("index", "docs", "--json", **ours)
    run("index", "docs", "--json", **theirs)
    listed = readers(run("files", "--json"))
    assert listed["wages.csv"] == ("failed", "x-example-logbook/1.2")  # it is no log
    run("index", "docs", "--json", **ours)
    assert readers(run("files", "--json"))["wages.csv"] == ("indexed", "csv/3")
    unknown = run("index", "docs", code=2, CORPUS_AGENT_EXTRACTORS="nobody")
    assert "'nobody', which brings none" in unknown


def test_a_backend_that_is_none_is_refused(run):
    run("index", "docs", "--json")
    assert "There is no backend 'nothing'" in run("search", "tar", "--backend", "nothing", code=2)
