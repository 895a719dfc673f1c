"""Our own program destroys nothing: no file in an index that is not ours, no folder of documents.

Files of others are put at every level of an index, and folders of documents are named as one; then
everything is done with them that can be done.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from corpus_agent import Corpus
from corpus_agent.cli import main
from corpus_agent.service.session import forget
from corpus_agent.settings import Settings
from corpus_agent.startup import for_reading
from indexer.errors import CorpusError
from tests.attacks.stores import COMMANDS, looked_at
from tests.support.command import Cli
from tests.support.fakes import ToyEncoder

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
_PARTS = ("", "_transactions/", "data/", "_versions/", "_indices/mine/", "_deletions/")
WITHIN = (
    *("lance/notes.md", "lance/x.lance/data.bin", "lance/chunks.lance.bak/notes.md"),
    *(f"lance/chunks.lance/{part}notes.md" for part in _PARTS),  # one that is lost by day
    *("texts/notes.md", "texts/ab/notes.md", "texts/mine/notes.md"),
    *("tmp/notes.md", "tmp/lance/notes.md", "tmp/mine/notes.md", "receipts.1.jsonl"),
)
SHARES = [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in (1, 2, 3))]  # of each four names


class Toy(Corpus):
    """A corpus with an encoder that needs no weights."""

    dimension = 64

    def _loaded_encoder(self) -> ToyEncoder:
        return ToyEncoder(self.dimension)

    _indexing_encoder = _loaded_encoder


class OtherModel(Toy):
    dimension = 32


WORKS: dict[str, Callable[[Path, Path], object]] = {  # all that a program can do with an index
    "index": lambda store, root: used(store, lambda corpus: corpus.index(root)),
    "force": lambda store, root: used(store, lambda corpus: corpus.index(root, force=True)),
    "read": lambda store, _: used(store, lambda corpus: corpus.read("lease.md")),
    "ask": lambda store, _: used(store, lambda corpus: corpus.ask("When does the lease end?")),
    "forget": lambda store, _: forget(
        for_reading(Settings(store=store), seal_off=True).settings, "dog.md"
    ),
    "another model": lambda store, root: used(
        store, lambda corpus: corpus.index(root), kind=OtherModel
    ),
}


def used(store: Path, work: Callable[[Corpus], object], kind: type[Toy] = Toy) -> object:
    with kind.open(store) as corpus:
        return work(corpus)


def fate(base: Path, name: str) -> tuple[str, list[str], list[str]]:
    """What lost a foreign file of this name, what went on, and what the refusals said."""
    root, store = base / "documents", base / "documents" / ".corpus-agent"
    root.mkdir(parents=True)
    for document, text in DOCUMENTS.items():
        (root / document).write_text(text)
    WORKS["index"](store, root)
    (root / "old.md").unlink()
    foreign = store / name
    foreign.parent.mkdir(parents=True, exist_ok=True)
    foreign.write_text(WORDS)
    before = looked_at(foreign)
    lost, done, errors = "", [], []
    for work, do in WORKS.items():
        try:
            do(store, root)
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


# The files of a folder whose names are those of an index; an empty text is a folder.
FOLDERS: dict[str, dict[str, str]] = {
    "all names of an index": {
        "lance/chapter.md": WORDS, "texts/ab/chapter.md": WORDS, "tmp/lance/chapter.md": WORDS,
        ".gitignore": "build/\n", "manifest.json": '{"name": "proj", "version": "1"}',
        "writer.lock": "held by a person\n", "config.toml": "max_file_bytes = 1\n",
        "receipts.jsonl": "{}\n",
    },
    "one note": {"note.md": WORDS},
    "empty folders": {"lance": "", "texts": ""},
    "a manifest like ours": {
        "manifest.json": '{"schema": 2, "version": 1, "root": ".", "fingerprint": {}, '
        '"coverage": {}}',
        "note.md": WORDS,
    },
    "a marker of another kind": {"corpus-agent.store": "shops\n"},
}  # fmt: skip
# Whole command lines, since it is the folder that is named.
MAKES = [
    ("--store", "papers", "index", "papers"),
    ("--store", "papers/.", "index", "elsewhere"),
    ("--store", "papers", "--trust-store", "index", "--force", "elsewhere"),
    ("trust", "papers", "--root", "elsewhere"),
]
LINES = [("--store", "papers", *words) for words in COMMANDS.values() if words[0] in main.commands]


def state(folder: Path) -> dict[Path, object]:
    return {path: looked_at(path) for path in folder.rglob("*")}


@pytest.mark.parametrize("folder", FOLDERS)
def test_documents_named_as_an_index_stay_as_they_are(folder, cli: Cli, tmp_path):
    for name in ("papers", "elsewhere", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "elsewhere/dog.md").write_text(DOCUMENTS["dog.md"])
    for name, text in FOLDERS[folder].items():
        path = tmp_path / "papers" / name
        (path.parent if text else path).mkdir(parents=True, exist_ok=True)
        if text:
            path.write_text(text)
    before = state(tmp_path)
    for line in [*MAKES, *LINES] if len(FOLDERS[folder]) > 2 else MAKES:
        done = cli(*line)
        assert done.returncode or "doctor" in line, (line, done)
        assert "Traceback" not in done.stderr
    assert state(tmp_path) == before
    for place in ("new", "empty"):  # the control
        assert cli("--store", place, "index", "elsewhere").returncode == 0
