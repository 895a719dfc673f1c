"""Which versions of an index stay on the disk: what a reader holds, and nothing else for long."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from indexer.errors import IncompatibleStore
from indexer.records import Query
from indexer.store.folder import version_files
from indexer.store.manifest import read_manifest
from indexer.store.snapshot import Snapshot
from indexer.store.writer import Writer
from indexer.sync.folder import sync_folder
from tests.support.places import REPOSITORY
from tests.support.rows import by_text, chunk_rows
from tests.support.toy_index import ENCODER, found, sync

pytestmark = pytest.mark.slow


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


def cleaned(store: Path) -> None:
    manifest = read_manifest(store)
    with Writer(store, manifest.fingerprint, manifest.root) as open_writer:
        open_writer.commit(ignored=0, complete=True, anew=True)


def test_the_version_of_a_reader_survives_commits_and_cleanups(root, store):
    sync(root, store)
    with closing(Snapshot(store)) as reader:
        for number in range(4):
            for path in root.iterdir():
                path.write_text(f"Oven {number} {path.name}\n")
            sync(root, store)
            cleaned(store)
        hits = [len(by_text(reader, Query(word, 5))) for word in ("boiler", "oven")]
        assert (hits, len([*reader.rows()]), len(chunk_rows(reader))) == ([5, 0], 20, 20)
        assert len(version_files(store, "chunks")) == 2
    assert found(store, "boiler") == set()
    cleaned(store)
    assert len(version_files(store, "chunks")) == 1  # the control: nobody reads it any more


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


def test_a_run_that_commits_several_times_leaves_one_version(root, store):
    for number in range(20, 400):
        (root / f"n{number}.txt").write_text(f"Note {number} about the boiler.\n")
    sync(root, store, commit_seconds=0)
    assert read_manifest(store).version > 1  # the control: there were versions to leave
    assert len(version_files(store, "chunks")) == 1


def test_an_index_of_another_release_is_refused_and_an_earlier_one_made_anew(root, store):
    sync(root, store)
    path = store / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema": 99}))
    with pytest.raises(IncompatibleStore, match="schema 99"):
        sync_folder(store, root, ENCODER)
    path.write_text(json.dumps({"schema": 1, "something": "old"}))
    outcome = sync_folder(store, root, ENCODER)
    assert (outcome.added, outcome.embedded) == (20, 20)
    assert "earlier release" in outcome.repaired
    assert len(found(store, "boiler")) == 10
