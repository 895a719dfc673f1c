"""Our own program destroys nothing: no file in an index that is not ours, no folder of documents.

Files of others are put at every level of an index, and folders of documents are named as one; then
everything is done with them that can be done.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corpus_agent import Corpus
from corpus_agent.cli import main
from corpus_agent.service.session import forget
from corpus_agent.settings import Settings
from corpus_agent.startup import for_reading
from indexer.errors import CorpusError
from tests.support.fakes import ToyEncoder
from tests.support.forked import Server, server
from tests.support.hostile_stores import COMMANDS, START, Scene, looked_at

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

WORDS = "Words of somebody else, who has no other copy.\n"
DOCUMENTS = {
    "lease.md": "# Lease\n\nThe lease ends on 31 May 2031.\n",
    "dog.md": "# Dog\n\nThe tenant may keep one dog.\n",
    "old.md": "# Old\n\nThis one will be gone.\n",
}
BESIDE = (
    *("notes.md", "notes.new", "manifest.backup.json", "manifest.new.json", "receipts.2.jsonl"),
    *("writer.lock.old", "config.toml.bak", "corpus-agent.store.bak", ".git/HEAD"),
    *("x.lance/data.bin", "lance.old/notes.md", "backup/notes.md"),
)
_PARTS = ("", "data/", "_versions/", "_transactions/", "_indices/mine/", "_deletions/")
WITHIN = (
    *("lance/notes.md", "lance/x.lance/data.bin", "lance/chunks.lance.bak/notes.md"),
    *(f"lance/chunks.lance/{part}notes.md" for part in _PARTS),
    *("texts/notes.md", "texts/ab/notes.md", "texts/mine/notes.md"),
    *("tmp/notes.md", "tmp/lance/notes.md", "tmp/mine/notes.md", "receipts.1.jsonl"),
)
SHARES = [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in (1, 2, 3))]  # of each four names


class Toy(Corpus):
    """A corpus with an encoder that needs no weights."""

    dimension = 64

    def _loaded_encoder(self) -> ToyEncoder:
        return ToyEncoder(self.dimension)


class OtherModel(Toy):
    dimension = 32


def everything(store: Path, root: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """All that a program can do with an index."""

    def with_corpus(kind: type[Toy], work: Callable[[Corpus], object]) -> Callable[[], object]:
        def run() -> object:
            with kind.open(store) as corpus:
                return work(corpus)

        return run

    def settings() -> Settings:
        return for_reading(Settings(store=store), seal_off=True).settings

    yield "index", with_corpus(Toy, lambda corpus: corpus.index(root))
    yield "force", with_corpus(Toy, lambda corpus: corpus.index(root, force=True))
    yield "read", with_corpus(Toy, lambda corpus: corpus.read("lease.md"))
    yield "ask", with_corpus(Toy, lambda corpus: corpus.ask("When does the lease end?"))
    yield "forget", lambda: forget(settings(), "dog.md")
    yield "another model", with_corpus(OtherModel, lambda corpus: corpus.index(root))


def fate(base: Path, name: str) -> tuple[str, list[str], list[str]]:
    """What lost a foreign file of this name, what went on, and what the refusals said."""
    root, store = base / "documents", base / "documents" / ".corpus-agent"
    root.mkdir(parents=True)
    for document, text in DOCUMENTS.items():
        (root / document).write_text(text)
    works = list(everything(store, root))
    works[0][1]()
    (root / "old.md").unlink()
    foreign = store / name
    foreign.parent.mkdir(parents=True, exist_ok=True)
    foreign.write_text(WORDS)
    before = looked_at(foreign)
    lost, done, errors = "", [], []
    for work, do in works:
        try:
            do()
            done.append(work)
        except CorpusError as error:
            errors.append(str(error))
        if not lost and (not foreign.exists() or looked_at(foreign) != before):
            lost = work
    return lost, done, errors


@pytest.mark.parametrize("share", SHARES)
def test_a_foreign_file_in_an_index_stays_as_it_is(share, tmp_path):
    """One beside what is ours stops everything, and each refusal names it."""
    for number, name in enumerate((*BESIDE, *WITHIN)[share::4]):
        lost, done, errors = fate(tmp_path / str(number), name)
        assert lost == "", name
        if name in BESIDE:
            assert done == []
            assert all(name.partition("/")[0] in error for error in errors), errors


def test_an_index_of_ours_alone_is_used(tmp_path):
    """The control of all that is refused above."""
    lost, done, errors = fate(tmp_path / "base", "tmp/left-by-a-library")
    assert (lost, len(done), errors) == ("", 6, [])


# ---- A folder of documents that is named as an index


def _everything(folder: Path) -> None:
    """Documents whose names are those of an index."""
    for name in ("lance", "texts/ab", "tmp/lance"):
        (folder / name).mkdir(parents=True)
        (folder / name / "chapter.md").write_text(WORDS)
    (folder / ".gitignore").write_text("build/\n")
    (folder / "manifest.json").write_text('{"name": "proj", "version": "1"}')
    (folder / "writer.lock").write_text("held by a person\n")
    (folder / "config.toml").write_text("max_file_bytes = 1\n")
    (folder / "receipts.jsonl").write_text("{}\n")


def _manifest_alike(folder: Path) -> None:
    """A manifest that has every key of one of ours, among documents."""
    keys = {"schema": 2, "version": 1, "root": ".", "fingerprint": {}, "coverage": {}}
    (folder / "manifest.json").write_text(json.dumps(keys))
    (folder / "note.md").write_text(WORDS)


FOLDERS: dict[str, Callable[[Path], object]] = {
    "all names of an index": _everything,
    "one note": lambda folder: (folder / "note.md").write_text(WORDS),
    "an ignore file": lambda folder: (folder / ".gitignore").write_text("build/\n"),
    "empty folders": lambda folder: [(folder / name).mkdir() for name in ("lance", "texts")],
    "a manifest like ours": _manifest_alike,
    "a marker of another kind": lambda f: (f / "corpus-agent.store").write_text("shops\n"),
}
# Whole command lines, since it is the folder that is named; DOCS stands for it.
MAKES = [
    ("--store", "DOCS", "index", "DOCS"),
    ("--store", "DOCS", "index", "ELSEWHERE"),
    ("trust", "DOCS", "--root", "ELSEWHERE"),
]
LINES = [
    *MAKES,
    *(("--store", "DOCS", *words) for words in COMMANDS.values() if words[0] in main.commands),
    ("--store", "DOCS", "index", "--force", "DOCS"),
    ("--store", "DOCS/.", "index", "ELSEWHERE"),
    ("--store", "DOCS", "--trust-store", "index", "ELSEWHERE"),
]


@pytest.fixture(scope="module")
def surroundings() -> Iterator[Server]:
    """A process that forks for each command, in the victim's surroundings."""
    with server({**os.environ, **START}) as forks:
        yield forks


@pytest.fixture
def scene(surroundings: Server, tmp_path: Path) -> Scene:
    """A home with a folder of papers, and harmless documents elsewhere."""
    scene = Scene(tmp_path / "base", surroundings)
    scene.project.mkdir(parents=True)
    for name, text in DOCUMENTS.items():
        (scene.project / name).write_text(text)
    (scene.home / "papers").mkdir()
    return scene


@contextlib.contextmanager
def unhurt(folder: Path, but: str = "/no such name/") -> Iterator[None]:
    """Fails where anything below is gone, changed or new."""

    def state() -> dict[Path, object]:
        return {path: looked_at(path) for path in folder.rglob("*") if but not in str(path)}

    before = state()
    yield
    assert state() == before


def refused(scene: Scene, *line: object) -> None:
    """Fails unless a command ends with an error that a person can read."""
    places = {"DOCS": scene.home / "papers", "ELSEWHERE": scene.project}
    words = [str(places.get(word, word)) for word in line]
    words = [word.replace("DOCS/", f"{places['DOCS']}/") for word in words]
    ran = scene.type_in(*words)
    assert ran.code not in (0, None) or "doctor" in line, ran
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("folder", FOLDERS)
def test_documents_named_as_an_index_stay_as_they_are(folder, scene):
    papers = scene.home / "papers"
    FOLDERS[folder](papers)
    with unhurt(scene.home, but="/.local"):
        for line in LINES if FOLDERS[folder] is _everything else MAKES:
            refused(scene, *line)
        scene.store = papers
        for script in ("Corpus", "Librarian"):
            assert scene.run(script).code not in (0, None)
        scene.env["CORPUS_AGENT_STORE"] = str(papers)
        refused(scene, "index", ".")


def test_an_index_is_made_in_a_new_folder_and_in_an_empty_one(scene):
    """The control of all refusals above."""
    (scene.home / "empty").mkdir()
    with unhurt(scene.project):
        for place in ("new", "empty"):
            ran = scene.type_in("--store", scene.home / place, "index", scene.project)
            assert ran.code == 0, ran
