"""The store and sync over real LanceDB, with an encoder that needs no weights."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from indexer.chunk import Chunker
from indexer.errors import NoIndex, StoreLocked
from indexer.files.walk import walk
from indexer.records import FileRow, Query
from indexer.store.folder import version_files, writer_lock
from indexer.store.manifest import read_manifest, root_of
from indexer.store.snapshot import Snapshot, Snapshots
from indexer.store.storage import find_store
from indexer.sync import RunDisplay
from indexer.sync.plan import plan
from indexer.sync.run import Run, until_next_commit
from tests.support.fakes import ToyEncoder
from tests.support.places import REPOSITORY
from tests.support.rows import by_text, check_store, chunk_rows
from tests.support.toy_index import CHUNKER, ENCODER, found, planned, rows, sync, writer

pytestmark = pytest.mark.slow


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("# Bread\n\nSourdough rises slowly.\n")
    (folder / "sub/b.txt").write_text("The boiler pressure is 1.4 bar.\n")
    (folder / 'it\'s "odd".txt').write_text("Apostrophes break filters.\n")
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n0000")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def the_row(store: Path, source: str) -> FileRow:
    return Snapshots({"": (store, None)}).files_named([source])[source]


def test_a_run_does_what_changed_and_no_more(root, store):
    first = sync(root, store)
    assert (first.added, first.embedded, first.version) == (3, 3, 1)
    assert [(row.source, row.reason) for row in first.problems] == [("photo.png", "binary")]
    second = sync(root, store)
    assert (second.added, second.embedded, second.unchanged, second.version) == (0, 0, 3, 1)
    for row in chunk_rows(Snapshot(store)).to_pylist():
        assert row["id"] == f"{row['source']}:{row['ordinal']}"
        assert np.linalg.norm(row["vector"]) == pytest.approx(1.0, abs=1e-3)  # of 16 bits
        assert row["text"] in (root / row["source"]).read_text()
        assert row["file_sha256"] == the_row(store, row["source"]).sha256

    os.utime(root / "a.md", ns=(1, 1))
    touched = sync(root, store)
    assert (touched.embedded, touched.unchanged) == (0, 3)
    assert the_row(store, "a.md").mtime_ns == 1

    odd = 'it\'s "odd".txt'  # neither breaks nor widens a filter
    (root / odd).write_text("Now other words.\n")
    sync(root, store)
    assert (found(store, "apostrophes"), found(store, "words")) == (set(), {odd})
    assert len(rows(store)) == 3

    (root / "a.md").write_bytes(b"")
    assert "a.md" in {row.source for row in sync(root, store).problems}
    assert found(store, "sourdough") == set()
    assert the_row(store, "a.md").reason == "no_bytes"

    (root / "sub/b.txt").unlink()
    assert (sync(root, store).removed, found(store, "boiler")) == (1, set())


def test_new_bytes_under_the_old_size_and_time_are_found_by_verify_or_within_a_tick(root, store):
    def edited(word: str, time: int) -> None:
        (root / "a.md").write_text(f"# Bread\n\nSourdough rises {word}.\n")
        os.utime(root / "a.md", ns=(time, time))

    sync(root, store)
    edited("boldly", (root / "a.md").stat().st_mtime_ns)
    assert sync(root, store).updated == 1  # the walk before was within the tick of the clock
    edited("boldly", 1)
    sync(root, store)
    edited("meekly", 1)
    assert sync(root, store).updated == 0  # the control: size and time alone say nothing
    assert sync(root, store, verify=True).updated == 1


def test_no_committed_version_ever_shows_half_a_change(root, store):
    sync(root, store)
    before = rows(store)
    with writer(store, root) as open_writer:
        open_writer.replace([], removed=["a.md"])
        open_writer._write()
        assert rows(store) == before  # deleted, not committed: readers see nothing of it
    assert (rows(store), read_manifest(store).complete) == (before, True)
    assert len(version_files(store, "chunks")) > 1  # as a writer that was killed leaves it
    assert sync(root, store).unchanged == 3
    assert len(version_files(store, "chunks")) == 1


def stop_once(table):
    """Its next rows are added, and it is stopped before it says so, as by Ctrl-C."""

    def stopped(*given):
        del table.add
        table.add(*given)
        raise KeyboardInterrupt

    table.add = stopped


def test_what_ctrl_c_stops_within_a_write_is_written_once(root, store):
    for name in ("_rows", "_chunks", "_rows"):
        (root / "a.md").write_text(f"Rye{name} instead of wheat.\n")
        with writer(store, root) as open_writer:
            stop_once(getattr(open_writer, name))
            todo, _ = planned(root, open_writer)
            with pytest.raises(KeyboardInterrupt):
                Run(root, open_writer, ENCODER, CHUNKER).apply(todo, 0)
            open_writer.commit(ignored=0, complete=False)
        check_store(store)
        assert found(store, f"rye{name}") == {"a.md"}


@pytest.mark.parametrize("by_token", [True, False], ids=["a token", "Ctrl-C"])
def test_a_run_that_is_stopped_keeps_what_it_did_and_the_next_one_finishes(
    root, store, tmp_path, by_token
):
    for number in range(30):
        (root / f"n{number:02}.txt").write_text(f"Note number {number}. " * 250)

    stop = Event()

    class StopsMidway(RunDisplay):
        def advance(self, done):
            if done.files == 20:
                stop.set()
                if not by_token:
                    raise KeyboardInterrupt

    with writer(store, root) as open_writer:
        seen = walk(root)
        todo = plan(seen, {}, {}, {})
        should_stop = stop.is_set if by_token else lambda: False
        run = Run(
            root, open_writer, ENCODER, CHUNKER, display=StopsMidway(), should_stop=should_stop
        )
        outcome = run.apply(todo, 0)
    assert outcome.interrupted
    assert not read_manifest(store).complete
    assert outcome.embedded > 0
    finished = sync(root, store)
    assert finished.added < len(todo.add)
    sync(root, tmp_path / "fresh")
    assert rows(store) == rows(tmp_path / "fresh")


def test_commits_that_take_long_are_seldom_and_a_kill_costs_half_a_minute_at_most():
    """A commit of a million rows takes many seconds: the index of words grows with each."""
    assert until_next_commit(15.0, 0.1) == until_next_commit(15.0, 0.5) == 15.0
    assert 15.0 < until_next_commit(15.0, 0.8) < until_next_commit(15.0, 30.0) == 30.0


def test_nothing_in_a_query_is_syntax(root, store):
    sync(root, store)
    snapshot = Snapshot(store)
    for query in ("'\"(:*", "AND OR NOT", "a'b", "100% _x", "(unclosed", "\\"):
        assert by_text(snapshot, Query(query, 5)) == [], query  # nor an operator that matches all
        found = [hit.chunk.source for hit in by_text(snapshot, Query(f"{query} boiler", 5))]
        assert found == ["sub/b.txt"], query


def test_a_second_writer_is_refused_with_the_name_of_the_first_unless_that_died(root, store):
    sync(root, store)
    with writer_lock(store), pytest.raises(StoreLocked, match=f"process {os.getpid()} .* since"):
        sync(root, store)
    assert StoreLocked.exit_code == 5
    code = "import os, sys; from pathlib import Path\n"
    code += "from indexer.store.folder import writer_lock\n"
    code += "lock = writer_lock(Path(sys.argv[1])); lock.__enter__(); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, store], check=False, cwd=REPOSITORY)
    (root / "a.md").write_text("After the crash.\n")
    assert sync(root, store).updated == 1


def test_another_model_makes_the_index_anew_and_the_old_one_serves_until_then(root, store):
    sync(root, store)
    other = ToyEncoder(dimension=32)
    with writer(store, root, other) as open_writer:
        assert open_writer.rebuilding
        assert found(store, "sourdough") == {"a.md"}
    outcome = sync(root, store, other)
    assert outcome.rebuilt
    assert (outcome.added, outcome.embedded) == (3, 3)
    assert len(chunk_rows(Snapshot(store))["vector"][0]) == 32


def test_a_store_is_found_from_any_folder_below_and_moves_with_its_corpus(root, tmp_path):
    store = tmp_path / ".corpus-agent"
    sync(root, store)
    assert find_store(root / "sub") == store
    assert find_store(Path("/")) is None
    with pytest.raises(NoIndex, match="There is no index"):
        read_manifest(tmp_path / "nowhere")
    (root / "sub/.corpus-agent").mkdir()  # of a run that was killed before it committed anything
    assert find_store(root / "sub") == store
    assert read_manifest(store).root == "docs"
    moved = tmp_path / "moved"
    moved.mkdir()
    store.rename(moved / ".corpus-agent")
    root.rename(moved / "docs")
    store = moved / ".corpus-agent"
    assert root_of(store, read_manifest(store)).is_dir()


def test_a_rebuild_leaves_alone_what_no_model_had_a_part_in(root, store):
    (root / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    sync(root, store)
    before = Snapshots({"": (store, None)}).files_named(["broken.pdf", "photo.png"])
    with writer(store, root, ToyEncoder(dimension=32)) as open_writer:
        todo, _ = planned(root, open_writer)
    assert {seen.source for seen in todo.keep} == before.keys() == {"broken.pdf", "photo.png"}
    assert sync(root, store, ToyEncoder(dimension=32)).added == 3
    assert Snapshots({"": (store, None)}).files_named(before) == before


# ---- What is in the index, or was on its way into it, is not embedded again


def test_bytes_that_were_indexed_cost_no_model_time_and_another_model_takes_none(tmp_path):
    root, store = tmp_path / "docs", tmp_path / "store"
    (root / "trips").mkdir(parents=True)
    (root / "trips/japan.txt").write_text("The house in Matsumoto has a blue door.\n")
    (root / "bread.md").write_text("# Bread\n\nSourdough rises slowly.\n")
    sync(root, store)
    changes = {
        "a renamed folder": lambda: (root / "trips").rename(root / "journeys"),
        "a moved file": lambda: (root / "journeys/japan.txt").rename(root / "japan.txt"),
        "a duplicate": lambda: (root / "b.md").write_bytes((root / "bread.md").read_bytes()),
        "a touched file": lambda: os.utime(root / "bread.md", ns=(1, 1)),
    }
    failing = []
    for name, change in changes.items():
        change()
        embedded = sync(root, store).embedded
        sync(root, tmp_path / name)
        if embedded or rows(store) != rows(tmp_path / name):
            failing.append((name, embedded))
    assert failing == []
    outcome = sync(root, store, ToyEncoder(dimension=32))
    assert (outcome.embedded, outcome.reused) == (2, 1)  # the duplicate is embedded once


def test_what_is_made_anew_goes_on_from_where_it_was_stopped(tmp_path):
    root, store = tmp_path / "docs", tmp_path / "store"
    root.mkdir()
    for number in range(6):
        words = (" ".join(f"boiler w{number}x{n}y{k}" for k in range(40)) for n in range(40))
        (root / f"{number}.txt").write_text("\n\n".join(words))
    chunks = sync(root, store).chunks
    other = ToyEncoder(dimension=32)
    asked = count(1)  # between documents, and once for each batch of texts
    with writer(store, root, other) as open_writer:
        todo, seen = planned(root, open_writer)
        chunker = Chunker(other)
        run = Run(root, open_writer, other, chunker, should_stop=lambda: next(asked) > 8)
        assert run.apply(todo, seen.ignored).interrupted
    assert found(store, "boiler")  # what was committed is as it was
    outcome = sync(root, store, other)
    assert (outcome.rebuilt, 0 < outcome.embedded < chunks) == (True, True)
    sync(root, tmp_path / "fresh", other)
    assert rows(store) == rows(tmp_path / "fresh")
    assert not (store / "draft.json").exists()
