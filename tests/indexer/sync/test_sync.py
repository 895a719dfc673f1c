"""The store and sync over real LanceDB, with an encoder that needs no weights."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from indexer.errors import DamagedStore, IncompatibleStore, NoIndex, StoreLocked
from indexer.files.walk import SeenFile, Walk, walk
from indexer.records import FileRow, Query
from indexer.store.lock import writer_lock
from indexer.store.manifest import (
    MANIFEST_NAME,
    find_store,
    passed_over,
    read_manifest,
    root_of,
)
from indexer.store.snapshot import Snapshot
from indexer.sync.display import RunDisplay
from indexer.sync.plan import Plan, plan, rebuild_reasons
from indexer.sync.run import Run, fingerprint_of, until_next_commit
from tests.support.fakes import ToyEncoder
from tests.support.other_user import as_nobody
from tests.support.places import REPOSITORY
from tests.support.toy_index import CHUNKER, ENCODER, found, planned, rows, sync, writer


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


@pytest.mark.slow
def test_a_first_run_adds_all_and_a_second_changes_nothing(root, store):
    first = sync(root, store)
    assert (first.added, first.embedded, first.version) == (3, 3, 1)
    assert [(row.source, row.reason) for row in first.problems] == [("photo.png", "binary")]
    second = sync(root, store)
    assert (second.added, second.embedded, second.unchanged, second.version) == (0, 0, 3, 1)


@pytest.mark.slow
def test_every_row_knows_its_file_its_place_and_a_unit_vector(root, store):
    sync(root, store)
    for row in Snapshot(store).chunk_rows().to_pylist():
        assert row["id"] == f"{row['source']}:{row['ordinal']}"
        assert np.linalg.norm(row["vector"]) == pytest.approx(1.0, abs=1e-3)  # of 16 bits
        assert row["text"] in (root / row["source"]).read_text()
        assert row["file_sha256"] == Snapshot(store).file(row["source"]).sha256


@pytest.mark.slow
def test_an_edit_replaces_the_old_text_and_a_deletion_removes_it(root, store):
    sync(root, store)
    (root / "a.md").write_text("Rye bread instead.\n")
    (root / "sub/b.txt").unlink()
    outcome = sync(root, store)
    assert (outcome.updated, outcome.removed, outcome.embedded) == (1, 1, 1)
    assert found(store, "sourdough") == set()
    assert found(store, "rye") == {"a.md"}
    assert Snapshot(store).file("sub/b.txt") is None


@pytest.mark.slow
def test_quotation_marks_in_a_name_neither_break_nor_widen_a_filter(root, store):
    sync(root, store)
    odd = 'it\'s "odd".txt'
    (root / odd).write_text("Now other words.\n")
    sync(root, store)
    assert found(store, "apostrophes") == set()
    assert found(store, "words") == {odd}
    assert len(rows(store)) == 3


@pytest.mark.slow
def test_a_new_time_without_new_bytes_embeds_nothing(root, store):
    sync(root, store)
    os.utime(root / "a.md", ns=(1, 1))
    outcome = sync(root, store)
    assert (outcome.embedded, outcome.unchanged) == (0, 3)
    assert Snapshot(store).file("a.md").mtime_ns == 1


@pytest.mark.slow
def test_new_bytes_under_the_old_size_and_time_are_found_by_verify(root, store):
    os.utime(root / "a.md", ns=(1, 1))
    sync(root, store)
    (root / "a.md").write_text("# Bread\n\nSourdough rises boldly.\n")
    os.utime(root / "a.md", ns=(1, 1))
    assert sync(root, store).updated == 0  # the control: size and time alone say nothing
    assert sync(root, store, verify=True).updated == 1


@pytest.mark.slow
def test_a_second_edit_within_one_tick_of_the_clock_is_found(root, store):
    sync(root, store)
    stat = (root / "a.md").stat()
    (root / "a.md").write_text("# Bread\n\nSourdough rises boldly.\n")
    os.utime(root / "a.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert sync(root, store).updated == 1


@pytest.mark.slow
def test_a_file_that_becomes_unreadable_loses_its_rows_and_keeps_a_status(root, store):
    sync(root, store)
    (root / "a.md").write_bytes(b"")
    outcome = sync(root, store)
    assert found(store, "sourdough") == set()
    assert Snapshot(store).file("a.md").reason == "no_bytes"
    assert "a.md" in {row.source for row in outcome.problems}


@pytest.mark.slow
def test_no_committed_version_ever_shows_half_a_change(root, store):
    sync(root, store)
    before = rows(store)
    with writer(store, root) as open_writer:
        open_writer.replace([], removed=["a.md"])
        assert rows(store) == before  # deleted, not committed: readers see nothing of it
    assert rows(store) == before
    sync(root, store)
    assert rows(store) == before


@pytest.mark.slow
def test_a_reader_keeps_its_version_while_a_writer_goes_on(root, store):
    sync(root, store)
    reader = Snapshot(store)
    (root / "a.md").write_text("Rye bread instead.\n")
    sync(root, store)
    assert {hit.chunk.source for hit in reader.by_text(Query("sourdough", 5))} == {"a.md"}
    assert found(store, "sourdough") == set()


@pytest.mark.slow
@pytest.mark.parametrize("by_token", [True, False], ids=["a token", "Ctrl-C"])
def test_a_run_that_is_stopped_keeps_what_it_did_and_the_next_one_finishes(
    root, store, tmp_path, by_token
):
    for number in range(30):
        (root / f"n{number:02}.txt").write_text(f"Note number {number}. " * 60)

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


@pytest.mark.slow
def test_commits_take_a_thirtieth_of_a_run_however_long_they_take():
    """A commit of a million rows takes many seconds: the index of words grows with each."""
    assert until_next_commit(15.0, 0.1) == until_next_commit(15.0, 0.5) == 15.0
    for took in (0.5, 2.0, 30.0):
        assert took / until_next_commit(15.0, took) == pytest.approx(1 / 30)


def test_a_write_that_was_stopped_within_is_forgotten(root, store):
    sync(root, store)
    before = rows(store)
    with writer(store, root) as open_writer:
        open_writer.replace([], removed=["a.md"])
        open_writer._torn = True  # as after Ctrl-C between two changes of the tables
        open_writer.commit(ignored=0, complete=False)
    assert rows(store) == before
    assert not read_manifest(store).complete
    assert sync(root, store).unchanged == 3


@pytest.mark.slow
def test_the_full_text_index_covers_every_row_after_each_run(root, store):
    for number in range(3):
        (root / f"more{number}.txt").write_text(f"Word{number} is new.\n")
        sync(root, store)
        assert Snapshot(store).text_index_rows() == (read_manifest(store).chunks, 0)
        assert found(store, f"word{number}") == {f"more{number}.txt"}


@pytest.mark.slow
def test_nothing_in_a_query_is_syntax(root, store):
    sync(root, store)
    snapshot = Snapshot(store)
    for query in ("'\"(:*", "AND OR NOT", "a'b", "100% _x", "(unclosed", "\\"):
        assert snapshot.by_text(Query(query, 5)) == [], query  # nor an operator that matches all
        found = [hit.chunk.source for hit in snapshot.by_text(Query(f"{query} boiler", 5))]
        assert found == ["sub/b.txt"], query


@pytest.mark.slow
def test_a_second_writer_is_refused_with_the_name_of_the_first(root, store):
    sync(root, store)
    with writer_lock(store), pytest.raises(StoreLocked, match=f"process {os.getpid()} .* since"):
        sync(root, store)
    assert StoreLocked.exit_code == 5


@pytest.mark.slow
def test_the_lock_of_a_dead_process_is_free(root, store):
    sync(root, store)
    code = "import os, sys; from pathlib import Path; from indexer.store.lock import writer_lock\n"
    code += "lock = writer_lock(Path(sys.argv[1])); lock.__enter__(); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, store], check=False, cwd=REPOSITORY)
    (root / "a.md").write_text("After the crash.\n")
    assert sync(root, store).updated == 1


@pytest.mark.slow
def test_another_model_makes_the_index_anew_and_the_old_one_serves_until_then(root, store):
    sync(root, store)
    other = ToyEncoder(dimension=32)
    with writer(store, root, other) as open_writer:
        assert open_writer.rebuilding
        assert found(store, "sourdough") == {"a.md"}
    outcome = sync(root, store, other)
    assert outcome.rebuilt
    assert (outcome.added, outcome.embedded) == (3, 3)
    assert len(Snapshot(store).chunk_rows()["vector"][0]) == 32


@pytest.mark.slow
def test_no_store_a_foreign_store_and_a_damaged_one_are_told_apart(root, store, tmp_path):
    with pytest.raises(NoIndex, match="There is no index"):
        read_manifest(tmp_path / "nowhere")
    sync(root, store)
    path = store / MANIFEST_NAME
    good = path.read_text()
    path.write_text(json.dumps({**json.loads(good), "schema": 99}))
    with pytest.raises(IncompatibleStore, match="schema 99"):
        Snapshot(store)
    path.write_text("{")
    with pytest.raises(DamagedStore, match="is damaged"):
        Snapshot(store)
    path.write_text(good)
    for file in (store / "lance/chunks.lance/_versions").iterdir():
        file.write_bytes(b"garbage")
    with pytest.raises(DamagedStore, match="is damaged"):
        Snapshot(store)


@pytest.mark.slow
def test_a_store_is_found_from_any_folder_below_and_moves_with_its_corpus(root, tmp_path):
    store = tmp_path / ".corpus-agent"
    sync(root, store)
    assert find_store(root / "sub") == store
    assert find_store(Path("/")) is None
    assert passed_over(root / "sub") == []
    (root / "sub/.corpus-agent").mkdir()  # of a run that was killed before it committed anything
    assert passed_over(root / "sub") == [root / "sub/.corpus-agent"]
    assert find_store(root / "sub") == store
    assert read_manifest(store).root == "docs"
    moved = tmp_path / "moved"
    moved.mkdir()
    store.rename(moved / ".corpus-agent")
    root.rename(moved / "docs")
    assert root_of(moved / ".corpus-agent", read_manifest(moved / ".corpus-agent")).is_dir()


# -- the plan, which is pure


def row(source: str, **changes: object) -> FileRow:
    known = {"bytes": 5, "mtime_ns": 7, "sha256": "old", "extractor": "text/2"} | changes
    return FileRow(source, known.pop("status", "indexed"), **known)


KNOWN = fingerprint_of(ENCODER, CHUNKER).extractors


@pytest.mark.parametrize(
    ("seen", "stored", "sha256", "group"),
    [
        (SeenFile("a", 5, 7), None, None, "add"),
        (SeenFile("a", 5, 7), row("a"), None, "keep"),
        (SeenFile("a", 6, 7), row("a"), "new", "update"),
        (SeenFile("a", 5, 8), row("a"), "old", "touch"),
        (SeenFile("a", 5, 7), row("a"), "new", "update"),
        (SeenFile("a", 5, 7), row("a", extractor="text/0"), None, "update"),
        (SeenFile("a", 5, 7, "symlink"), None, None, "record"),
        (SeenFile("a", 5, 7, "symlink"), row("a"), None, "record"),
        (SeenFile("a", 5, 7, "x"), row("a", status="skipped", reason="x"), None, "keep"),
        (
            SeenFile("a", 5, 7),
            row("a", status="failed", extractor=f"pdf/{KNOWN['pdf']}"),
            None,
            "keep",
        ),
    ],
)
def test_each_file_gets_what_it_needs_and_no_more(seen, stored, sha256, group):
    files = {"a": stored} if stored else {}
    todo = plan(Walk([seen]), files, {"a": sha256} if sha256 else {}, KNOWN)
    assert replace(todo, reasons=()) == Plan(**{group: (seen,)})


def test_a_file_that_is_gone_is_removed_and_force_spares_what_cannot_be_read():
    assert plan(Walk([]), {"a": row("a")}, {}, KNOWN).remove == ("a",)
    problem = SeenFile("a", 5, 7, "symlink")
    stored = {"a": row("a", status="skipped", reason="symlink")}
    assert plan(Walk([problem]), stored, {}, KNOWN, force=True).keep == (problem,)


def test_what_is_done_again_without_a_change_is_said_with_the_reason():
    stored = {source: row(source, extractor="text/0") for source in "ab"} | {"c": row("c")}
    seen = Walk([SeenFile(source, 5, 7) for source in "abc"])
    todo = plan(seen, stored, {}, KNOWN)
    assert len(todo.update) == 2
    assert todo.reasons == (
        f"The reader text/0 is now text/{KNOWN['text']}; files that it read are read again: 2.",
    )
    assert plan(seen, dict.fromkeys("abc", row("a")), {}, KNOWN).reasons == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"weights_sha256": "f" * 64}, ["every passage of all documents (7) is embedded"]),
        ({"document_prefix": "passage: "}, ["every passage of all documents (7) is embedded"]),
        ({"chunker": "other/2"}, ["Passages are cut in another way"]),
        ({"normaliser": "other/2"}, ["Text is normalised in another way"]),
        ({"query_prefix": "query: "}, []),
        ({"extractors": {}}, []),
    ],
)
def test_a_change_of_the_fingerprint_says_what_it_makes_necessary(changes, said):
    before = fingerprint_of(ENCODER, CHUNKER)
    reasons = rebuild_reasons(before, replace(before, **changes), 7)
    assert len(reasons) == len(said)
    assert all(part in reason for part, reason in zip(said, reasons, strict=True))


@pytest.mark.slow
def test_a_rebuild_leaves_alone_what_no_model_had_a_part_in(root, store):
    (root / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    sync(root, store)
    before = Snapshot(store).files_named(["broken.pdf", "photo.png"])
    with writer(store, root, ToyEncoder(dimension=32)) as open_writer:
        todo, _ = planned(root, open_writer)
    assert {seen.source for seen in todo.keep} == before.keys() == {"broken.pdf", "photo.png"}
    assert sync(root, store, ToyEncoder(dimension=32)).added == 3
    assert Snapshot(store).files_named(before) == before


@pytest.mark.slow
def test_without_pruning_documents_that_are_gone_stay(root, store):
    sync(root, store)
    (root / "sub/b.txt").unlink()
    outcome = sync(root, store, prune=False)
    assert (outcome.removed, outcome.spared) == (0, 1)
    assert found(store, "boiler") == {"sub/b.txt"}
    assert sync(root, store).removed == 1
    assert found(store, "boiler") == set()


@pytest.mark.slow
def test_a_file_that_may_no_longer_be_read_keeps_its_text_and_is_marked(open_folder):
    docs, store = open_folder / "docs", open_folder / "store"
    docs.mkdir()
    (docs / "a.txt").write_text("The boiler.\n")
    sync(docs, store)
    (docs / "a.txt").chmod(0)  # neither size nor time changes

    def group() -> dict[str, str]:
        seen = walk(docs).files
        stored = {"a.txt": row("a.txt", bytes=seen[0].bytes, mtime_ns=seen[0].mtime_ns)}
        todo = plan(Walk(seen), stored, {}, KNOWN)
        assert not todo.record
        return {seen.source: str(seen.problem) for seen in todo.lost}

    assert as_nobody(group) == {"a.txt": "permission"}
    (docs / "a.txt").chmod(0o644)
    assert as_nobody(group) == {}
