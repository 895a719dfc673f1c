"""Our own program destroys nothing: no file in an index that is not ours, no folder of documents.

Files of others are put at every level of an index, and folders of documents are named as one; then
everything is done with them that can be done. The control does the same with the commit before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import foreign_files
from tests.support.foreign_files import DOCUMENTS, LIKE_OURS, NAMES, WORDS, hurt, state_of
from tests.support.forked import Server, server
from tests.support.hostile_stores import (
    COMMANDS,
    REPOSITORY,
    START,
    Program,
    Ran,
    Scene,
    program_before,
    run,
    type_in,
)

pytestmark = pytest.mark.timeout(600)

Fates = dict[str, dict[str, object]]


def _fates(program: Program, folder: Path, *names: str) -> Fates:
    """What becomes of each foreign file in this version of the program."""
    script = [sys.executable, "-P", foreign_files.__file__, folder, *names]
    env = {**os.environ, "PYTHONPATH": str(program.packages), "HOME": str(folder)}
    done = subprocess.run(script, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def today() -> Program:
    """This program."""
    return Program("today", REPOSITORY)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program that still destroyed."""
    return program_before(tmp_path_factory.mktemp("before"))


@pytest.fixture(scope="module")
def fates(today: Program, tmp_path_factory: pytest.TempPathFactory) -> Fates:
    """What becomes of each foreign file today."""
    return _fates(today, tmp_path_factory.mktemp("fates"), *NAMES, *LIKE_OURS)


# ---- In an index


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, *LIKE_OURS])
def test_a_foreign_file_in_an_index_stays_as_it_is(name, fates):
    assert fates[name]["lost"] is None, fates[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if "/" not in name])
def test_an_index_with_a_foreign_file_beside_ours_is_refused_and_says_which(name, fates):
    assert fates[name]["done"] == []
    errors = fates[name]["errors"]
    assert all(name in error for error in errors.values()), errors


@pytest.mark.slow
def test_an_index_of_ours_alone_is_used(tmp_path, today):
    """The control of all that is refused above."""
    name = "tmp/left-by-a-library"
    script = [sys.executable, "-P", foreign_files.__file__, tmp_path / "base", name]
    env = {**os.environ, "PYTHONPATH": str(today.packages), "HOME": str(tmp_path)}
    done = subprocess.run(script, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    fate = json.loads(done.stdout)[name]
    assert fate["lost"] is None
    assert fate["errors"] == {}


# One at each level where the program before destroyed.
DESTROYED = (
    *("manifest.backup.json", "vectors/notes.md", "texts/notes.md", "texts/ab/notes.md"),
    "tmp/lance/notes.md",
)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_control_files_were_destroyed_at_these_levels_before(before, tmp_path):
    fates = _fates(before, tmp_path, *DESTROYED)
    assert [name for name in DESTROYED if fates[name]["lost"]] == list(DESTROYED)


# ---- A folder of documents that is named as an index


def _everything(folder: Path) -> None:
    """Documents whose names are those of an index."""
    for name in ("lance", "vectors", "texts/ab", "tmp/lance"):
        (folder / name).mkdir(parents=True)
        (folder / name / "chapter.md").write_text(WORDS)
    (folder / ".gitignore").write_text("build/\n")
    (folder / "manifest.json").write_text('{"name": "proj", "version": "1"}')
    (folder / "writer.lock").write_text("held by a person\n")
    (folder / "config.toml").write_text("max_file_bytes = 1\n")
    (folder / "receipts.jsonl").write_text("{}\n")


def _one_note(folder: Path) -> None:
    (folder / "note.md").write_text(WORDS)


def _ignore_file(folder: Path) -> None:
    (folder / ".gitignore").write_text("build/\n")


def _empty_folders(folder: Path) -> None:
    (folder / "lance").mkdir()
    (folder / "texts").mkdir()


def _manifest_alike(folder: Path) -> None:
    """A manifest that has every key of one of ours, among documents."""
    keys = {"schema": 2, "version": 1, "root": ".", "fingerprint": {}, "coverage": {}}
    (folder / "manifest.json").write_text(json.dumps(keys))
    (folder / "note.md").write_text(WORDS)


def _older_manifest_alike(folder: Path) -> None:
    keys = {"schema": 1, "version": 1, "root": "."}
    (folder / "manifest.json").write_text(json.dumps(keys))
    _everything_but_the_manifest(folder)


def _everything_but_the_manifest(folder: Path) -> None:
    kept = (folder / "manifest.json").read_text()
    _everything(folder)
    (folder / "manifest.json").write_text(kept)


def _marker_alike(folder: Path) -> None:
    (folder / "corpus-agent.store").write_text("a list of shops\n")
    (folder / "note.md").write_text(WORDS)


FOLDERS: dict[str, Callable[[Path], None]] = {
    "all names of an index": _everything,
    "one note": _one_note,
    "an ignore file": _ignore_file,
    "empty folders": _empty_folders,
    "a manifest like ours": _manifest_alike,
    "a manifest like an older one": _older_manifest_alike,
    "a marker of another kind": _marker_alike,
}

# Whole command lines, since it is the folder that is named; DOCS stands for it.
LINES: dict[str, tuple[str, ...]] = {
    **{f"-s DOCS {name}": ("--store", "DOCS", *words) for name, words in COMMANDS.items()},
    "-s DOCS index DOCS": ("--store", "DOCS", "index", "DOCS"),
    "-s DOCS index --force": ("--store", "DOCS", "index", "--force", "DOCS"),
    "-s DOCS index ELSEWHERE": ("--store", "DOCS", "index", "ELSEWHERE"),
    "-s DOCS/. index": ("--store", "DOCS/.", "index", "ELSEWHERE"),
    "trust DOCS": ("trust", "DOCS", "--root", "ELSEWHERE"),
    "--trust-store": ("--store", "DOCS", "--trust-store", "index", "ELSEWHERE"),
}
ONE_FOLDER = "all names of an index"
MAKES = ("-s DOCS index DOCS", "-s DOCS index ELSEWHERE", "-s DOCS cleanup", "trust DOCS")
CASES = [(ONE_FOLDER, line) for line in LINES if "read " not in line] + [
    (folder, line) for folder in FOLDERS if folder != ONE_FOLDER for line in MAKES
]


@pytest.fixture(scope="module")
def surroundings(today: Program) -> Iterator[Server]:
    """A process that forks for each command, in the victim's surroundings."""
    with server({**os.environ, **START}) as forks:
        yield forks


@pytest.fixture
def scene(today: Program, surroundings: Server, tmp_path: Path) -> Scene:
    """A home with a folder of documents elsewhere, and a harmless one to index."""
    return _scene(today, tmp_path / "base", surroundings)


def _scene(program: Program, base: Path, forks: Server | None = None) -> Scene:
    scene = Scene(program, base, forks=forks)
    scene.project.mkdir(parents=True)
    for name, text in DOCUMENTS.items():
        (scene.project / name).write_text(text)
    (scene.home / "papers").mkdir()
    return scene


def _line(scene: Scene, line: str) -> list[str]:
    places = {"DOCS": str(scene.home / "papers"), "ELSEWHERE": str(scene.project)}
    places["DOCS/."] = places["DOCS"] + "/."
    return [places.get(word, word) for word in LINES[line]]


def _typed(scene: Scene, line: str) -> Ran:
    return type_in(scene, *_line(scene, line), name=line.rpartition(" ")[2])


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "line"), CASES)
def test_documents_named_as_an_index_stay_as_they_are(folder, line, scene):
    papers = scene.home / "papers"
    FOLDERS[folder](papers)
    looked = state_of(papers)
    ran = _typed(scene, line)
    assert hurt(looked, state_of(papers)) == []
    assert ran.code not in (0, None) or "doctor" in line, ran
    assert f"Remove '{papers}'" not in ran.out + ran.err
    assert "Traceback" not in ran.err
    assert not list(scene.project.glob(".*")), "the documents to be indexed are as they were"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["variable", "Corpus", "Librarian"])
def test_nor_where_something_else_names_them(how, scene):
    papers = scene.home / "papers"
    _everything(papers)
    looked = state_of(papers)
    if how == "variable":
        scene.env["CORPUS_AGENT_STORE"] = str(papers)
        ran = run(scene, "index .")
    else:
        scene.store = papers
        ran = run(scene, how)
    assert hurt(looked, state_of(papers)) == []
    assert ran.code not in (0, None), ran
    assert "Traceback" not in ran.err


@pytest.mark.slow
def test_the_folder_of_the_documents_is_not_their_own_index(scene):
    looked = state_of(scene.project)
    for store, root in ((".", "."), (scene.project, scene.project), (".", "lease.md"), ("..", ".")):
        ran = type_in(scene, "--store", store, "index", root)
        assert ran.code not in (0, None), ran
        assert hurt(looked, state_of(scene.project)) == []


@pytest.mark.slow
def test_no_index_is_made_around_its_documents(scene):
    """Not even in a new folder, where the documents are still to come."""
    inner = scene.home / "new" / "documents"
    inner.mkdir(parents=True)
    ran = type_in(scene, "--store", scene.home / "new", "index", inner)
    assert ran.code == 2, ran
    assert list((scene.home / "new").iterdir()) == [inner]
    assert list(inner.iterdir()) == []


@pytest.mark.slow
def test_a_folder_whose_own_index_lies_in_it_means_that_index(scene):
    made = type_in(scene, "index")
    assert made.code == 0, made
    looked = state_of(scene.project)
    ran = type_in(scene, "--store", scene.project, "status")
    assert ran.code == 0, ran
    assert [name for name in hurt(looked, state_of(scene.project)) if ".corpus" not in name] == []


@pytest.mark.slow
def test_an_index_is_made_in_a_new_folder_and_in_an_empty_one(scene):
    """The control of all refusals above."""
    for place in ("new", "empty"):
        (scene.home / "empty").mkdir(exist_ok=True)
        ran = type_in(scene, "--store", scene.home / place, "index", scene.project)
        assert ran.code == 0, ran
    assert sorted(path.name for path in scene.project.iterdir()) == sorted(DOCUMENTS)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["-s DOCS index DOCS", "-s DOCS index ELSEWHERE"])
def test_the_control_documents_were_overwritten_and_deleted_before(line, before, tmp_path):
    scene = _scene(before, tmp_path / "base")
    papers = scene.home / "papers"
    _everything(papers)
    (papers / "manifest.json").unlink()  # with it, the advice was to remove the folder
    looked = state_of(papers)
    ran = _typed(scene, line)
    lost = [Path(name).relative_to(papers) for name in hurt(looked, state_of(papers))]
    assert Path(".gitignore") in lost, ran
    assert Path("writer.lock") in lost, ran
