"""Fills an index with files that are not ours, does all that can be done, says what is lost.

Run as a program, by this version and by older ones alike: `python foreign_files.py FOLDER NAME …`
prints an object with what became of each name. `hurt` tells two states of files apart.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

State = dict[str, tuple[object, ...]]

WORDS = "Words of somebody else, who has no other copy.\n"
DOCUMENTS = {
    "lease.md": "# Lease\n\nThe lease ends on 31 May 2031.\n",
    "dog.md": "# Dog\n\nThe tenant may keep one dog.\n",
    "old.md": "# Old\n\nThis one will be gone.\n",
}

_TABLES = ("chunks", "files")
_PARTS = ("", "data/", "_versions/", "_transactions/", "_indices/", "_deletions/")
NAMES = (
    # beside what lies in an index
    *("notes.md", "notes.new", "manifest.backup.json", "manifest.123.json", "manifest.new.json"),
    *("receipts.2.jsonl", "writer.lock.old", "config.toml.bak", "corpus-agent.store.bak"),
    *("x.lance/data.bin", "lance.old/notes.md", ".git/HEAD", "backup/notes.md"),
    # in its tables
    *("lance/notes.md", "lance/x.lance/data.bin", "lance/chunks.lance.bak/notes.md"),
    *(f"lance/{table}.lance/{part}notes.md" for table in _TABLES for part in _PARTS),
    *("lance/chunks.lance/_indices/mine/notes.md", "lance/chunks.lance/data/mine/notes.md"),
    # in the folders of what may be lost
    *("vectors/notes.md", "vectors/notes.vec", "vectors/mine/notes.md"),
    *("texts/notes.md", "texts/ab/notes.md", "texts/mine/notes.md"),
    *("tmp/notes.md", "tmp/lance/notes.md", "tmp/mine/notes.md"),
)
# Names such as we give: what is in the file tells whose it is. A file in `vectors` or `texts` that
# has just such a name, of sixteen and more random digits, is taken for ours.
LIKE_OURS = ("manifest.1760000000000000000.json", "receipts.1.jsonl")


def state_of(folder: Path) -> State:
    """Every file and folder below: kind, inode, mode, time of change and content."""
    return {str(path): _one(path) for path in sorted(folder.rglob("*"))}


def _one(path: Path) -> tuple[object, ...]:
    info = path.lstat()
    if path.is_symlink() or not path.is_file():
        return (info.st_mode, info.st_ino)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return (info.st_mode, info.st_ino, info.st_mtime_ns, digest)


def hurt(before: State, after: State) -> list[str]:
    """What is gone, changed or new."""
    names = sorted(before.keys() | after.keys())
    return [name for name in names if before.get(name) != after.get(name)]


def make_documents(folder: Path) -> None:
    """A small corpus."""
    folder.mkdir(parents=True)
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)


def _found(today: str, before: str) -> Any:
    """The module of this program, or the one of a program from before it had rooms."""
    try:
        return importlib.import_module(today)
    except ModuleNotFoundError:
        return importlib.import_module(before)


def everything(store: Path, root: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """All that a program can do with an index; the encoder is a small true one."""
    from corpus_agent import Corpus
    from corpus_agent.settings import Settings

    cleanup = _found("corpus_agent.service.upkeep", "corpus_agent.cleaning").cleanup
    forget = _found("corpus_agent.service.upkeep", "corpus_agent.forgetting").forget
    startup = _found("corpus_agent.startup", "corpus_agent.launch")
    for_reading = getattr(startup, "for_reading", None) or startup.to_read
    ToyEncoder = _found("tests.support.fakes", "tests.fakes").ToyEncoder  # noqa: N806 - a class

    class Toy(Corpus):
        dimension = 64

        def _loaded_encoder(self) -> Any:
            return ToyEncoder(self.dimension)

    class OtherModel(Toy):
        dimension = 32

    def with_corpus(kind: type[Toy], work: Callable[[Corpus], Any]) -> Callable[[], Any]:
        def run() -> Any:
            with kind.open(store) as corpus:
                return work(corpus)

        return run

    def settings() -> Settings:
        launch = for_reading(Settings(store=store), seal_off=True)
        return getattr(launch, "settings", Settings(store=store))

    yield "index", with_corpus(Toy, lambda corpus: corpus.index(root))
    yield "force", with_corpus(Toy, lambda corpus: corpus.index(root, force=True))
    yield "search", with_corpus(Toy, lambda corpus: corpus.search("lease"))
    yield "read", with_corpus(Toy, lambda corpus: corpus.read("lease.md"))
    yield "ask", with_corpus(Toy, lambda corpus: corpus.ask("When does the lease end?"))
    yield "status", with_corpus(Toy, lambda corpus: corpus.status())
    yield "forget", lambda: forget(settings(), "dog.md")
    yield "cleanup", lambda: cleanup(settings())
    yield "another model", with_corpus(OtherModel, lambda corpus: corpus.index(root))
    yield "cleanup again", lambda: cleanup(settings())


def attempt(base: Path, name: str) -> dict[str, Any]:
    """What becomes of a foreign file of this name: lost, and how many works went on or refused."""
    from indexer.errors import CorpusError

    root, store = base / "documents", base / "documents" / ".corpus-agent"
    make_documents(root)
    works = list(everything(store, root))
    works[0][1]()
    (root / "old.md").unlink()
    foreign = store / name
    foreign.parent.mkdir(parents=True, exist_ok=True)
    foreign.write_text(WORDS)
    before = _one(foreign)
    done: list[str] = []
    errors: dict[str, str] = {}
    lost = None
    for work, do in works:
        try:
            do()
            done.append(work)
        except CorpusError as error:
            errors[work] = str(error)
        if lost is None and (not foreign.exists() or _one(foreign) != before):
            lost = work
    return {"lost": lost, "done": done, "errors": errors}


if __name__ == "__main__":
    places = {name: Path(sys.argv[1], str(at)) for at, name in enumerate(sys.argv[2:])}
    print(json.dumps({name: attempt(place, name) for name, place in places.items()}))
