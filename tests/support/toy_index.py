"""Indices made and read with an encoder that needs no weights."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from corpus_agent.trust.stores import StorePlace, absolute, record
from indexer.chunk import Chunker
from indexer.files.walk import walk
from indexer.records import Choices, Query
from indexer.store.manifest import root_for
from indexer.store.snapshot import Snapshot
from indexer.store.storage import make_store
from indexer.store.tables import Scale
from indexer.store.writer import Writer
from indexer.sync.plan import make_plan
from indexer.sync.run import COMMIT_SECONDS, Outcome, Run, fingerprint_of
from tests.support.fakes import ToyEncoder
from tests.support.rows import by_text, chunk_rows

ENCODER = ToyEncoder()
CHUNKER = Chunker(ENCODER)
LARGE = Scale(exact_rows=400, partition_rows=4)  # by it the tests' larger folders are large


def writer(
    store: Path, root: Path, encoder: ToyEncoder = ENCODER, scale: Scale | None = None
) -> Writer:
    own(store, root)
    today = fingerprint_of(encoder, Chunker(encoder))
    return Writer(store, today, root_for(store, root), *([scale] if scale else []))


def sync(
    root: Path,
    store: Path,
    encoder: ToyEncoder = ENCODER,
    commit_seconds: float = COMMIT_SECONDS,
    scale: Scale | None = None,
    **options: bool,
) -> Outcome:
    with writer(store, root, encoder, scale) as open_writer:
        todo, seen = planned(root, open_writer, **options)
        reuse = not options.get("force", False)
        run = Run(root, open_writer, encoder, Chunker(encoder), reuse, commit_seconds)
        return run.apply(todo, seen.ignored, seen.started_ns)


def sync_large(root: Path, store: Path) -> Outcome:
    """One commit, however long it takes on a busy machine: partitions are counted."""
    return sync(root, store, commit_seconds=3_600.0, scale=LARGE)


def planned(root: Path, open_writer: Writer, **options: bool):
    seen = walk(root)
    today, choices = open_writer._fingerprint, Choices(**options)
    return make_plan(root, seen, open_writer.files, open_writer.manifest, today, choices), seen


def rows(store: Path) -> set[tuple[object, ...]]:
    """All chunk rows, vectors included, without what a fresh index would number otherwise."""
    return {
        (*(value for key, value in row.items() if key != "vector"), tuple(row["vector"]))
        for row in chunk_rows(Snapshot(store)).to_pylist()
    }


def found(store: Path, word: str) -> set[str]:
    return {hit.chunk.source for hit in by_text(Snapshot(store), Query(word, 10))}


def laid(folder: Path, texts: Mapping[str, str | bytes]) -> Path:
    """A folder with these files."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def indexed(made: Path, texts: Mapping[str, str | bytes], store: str = "store") -> Path:
    """A folder with these documents in made/docs, and their store."""
    sync(laid(made / "docs", texts), made / store)
    return made


def own(store: Path, root: Path) -> Path:
    record(StorePlace(absolute(store), root.resolve()), make_store(store))
    return store


def copied(made: Path, to: Path, store: str = "store") -> Path:
    """The store of `made`, copied with its documents in made/docs; it is recorded.

    Times stay, so that no document is stale. To index a document costs a process.
    """
    shutil.copytree(made, to, symlinks=True, dirs_exist_ok=True)
    return own(to / store, to / "docs")
