"""Which versions of an index stay on the disk: what a reader holds, and nothing else for long."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.errors import DamagedStore, IncompatibleStore
from indexer.store.folder import version_files
from indexer.store.manifest import read_manifest
from indexer.store.snapshot import Snapshot
from indexer.store.writer import Writer
from indexer.sync.folder import sync_folder
from tests.support.places import REPOSITORY
from tests.support.toy_index import ENCODER, found, rows, sync

pytestmark = pytest.mark.slow

# A reader in a process of its own: opens the index, then searches once for each line that it reads.
READER = """
import sys
from pathlib import Path
from indexer.records import Query
from indexer.store.snapshot import Snapshot
from tests.support.rows import by_text, chunk_rows
snapshot = Snapshot(Path(sys.argv[1]))
print(snapshot.manifest.version, flush=True)
for line in sys.stdin:
    hits = by_text(snapshot, Query(line.strip(), 5))
    print(len(hits), len(snapshot.files()), len(chunk_rows(snapshot)), flush=True)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(20):
        (folder / f"n{number:02}.txt").write_text(f"Note {number} about the boiler.\n")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def reader(root: Path, store: Path):
    sync(root, store)
    with subprocess.Popen(
        [sys.executable, "-c", READER, store],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "1\n"
        yield process
        process.kill()


def ask(reader: subprocess.Popen, word: str) -> list[int]:
    reader.stdin.write(f"{word}\n")
    reader.stdin.flush()
    return [int(number) for number in reader.stdout.readline().split()]


def replace_all(root: Path, store: Path, text: str) -> None:
    for path in root.iterdir():
        path.write_text(f"{text} {path.name}\n")
    sync(root, store)


def cleaned(store: Path) -> None:
    manifest = read_manifest(store)
    with Writer(store, manifest.fingerprint, manifest.root) as open_writer:
        open_writer.commit(ignored=0, complete=True, anew=True)


def test_the_version_of_a_reader_survives_commits_and_cleanups(root, store, reader):
    for number in range(4):
        replace_all(root, store, f"Oven {number}")
        cleaned(store)
    assert ask(reader, "boiler") == [5, 20, 20]
    assert ask(reader, "oven") == [0, 20, 20]
    assert found(store, "boiler") == set()


@pytest.mark.nightly
def test_readers_beside_a_writer_see_whole_documents_of_one_version():
    command = [sys.executable, "benchmarks/readers.py", "--readers", "3", "--commits", "6"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert "failed readers: 0" in done.stdout, done.stdout + done.stderr
    looks = int(done.stdout.split(" looks while writing")[0].split()[-1])
    assert looks > 12  # the control: there was something to see


def test_versions_do_not_gather_without_end(root, store, monkeypatch):
    monkeypatch.setattr("indexer.store.writer.MAX_VERSIONS", 12)
    sync(root, store)
    for number in range(12):  # each commit makes versions of the table of files alone
        os.utime(root / "n00.txt", ns=(number + 1, number + 1))
        sync(root, store)
    assert len(version_files(store)) <= 12 + 4


def test_a_killed_writer_leaves_no_garbage_after_the_next_run(root, store):
    sync(root, store)
    cleaned(store)
    manifest = read_manifest(store)
    with Writer(store, manifest.fingerprint, manifest.root) as open_writer:
        open_writer.replace([], removed=[f"n{number:02}.txt" for number in range(10)])
        open_writer._write()  # as far as a killed writer may come
    assert len(version_files(store, "chunks")) > 1
    (root / "n00.txt").write_text("Changed.\n")
    sync(root, store)
    assert len(version_files(store, "chunks")) == 1
    assert len(rows(store)) == 20


def test_an_index_of_another_release_is_refused_and_an_earlier_one_made_anew(root, store):
    sync(root, store)
    path = store / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema": 99}))
    for attempt in (lambda: Snapshot(store), lambda: sync_folder(store, root, ENCODER)):
        with pytest.raises(IncompatibleStore, match="schema 99"):
            attempt()
    path.write_text(json.dumps({"schema": 1, "something": "old"}))
    with pytest.raises(DamagedStore, match=r"earlier release.* corpus-agent index"):
        Snapshot(store)
    outcome = sync_folder(store, root, ENCODER)
    assert (outcome.added, outcome.embedded) == (20, 20)
    assert "earlier release" in outcome.repaired
    assert len(found(store, "boiler")) == 10
