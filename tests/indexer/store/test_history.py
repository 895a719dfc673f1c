"""Former versions: which are kept, what they hold, what changed, and back to one of them."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from corpus_agent import render
from indexer.errors import CorpusError, DamagedStore, Refused, UsageError
from indexer.index import Index
from indexer.records import Chunk, FileRow, Query
from indexer.store.history import changes, difference, history, passage_changes, roll_back
from indexer.store.keeping import MAX_KEPT, Keep, kept_versions
from indexer.store.manifest import hold, read_manifest
from indexer.store.snapshot import Snapshot
from indexer.store.versions import not_kept, version_at, versions
from indexer.store.writer import Writer
from indexer.sync.folder import sync_folder
from tests.support.checks import check_same, check_store
from tests.support.forged import signed
from tests.support.places import REPOSITORY
from tests.support.toy_index import ENCODER, copied, found, rows, sync

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
KILLS = 20


def made(*days_ago: float) -> list[tuple[int, datetime]]:
    """Versions from 1 on, committed so many days before NOW; the last one is current."""
    return [(number, NOW - timedelta(days=days)) for number, days in enumerate(days_ago, start=1)]


@pytest.mark.parametrize(
    ("text", "keep"),
    [("0", Keep()), ("12", Keep(versions=12)), ("30d", Keep(days=30)), (" 7d ", Keep(days=7))],
)
def test_what_is_kept_is_written_in_days_or_versions(text, keep):
    assert Keep.parse(text) == keep
    assert Keep.parse(str(keep)) == keep


@pytest.mark.parametrize("text", ["", "-1", "d", "30 days", "101", "9999d", "1.5", "٣", "3d\n4"])
def test_what_is_not_written_so_is_wrong_usage(text):
    with pytest.raises(UsageError, match="does not say which former versions"):
        Keep.parse(text)


def test_so_many_versions_are_kept_or_none():
    every = made(9, 8, 7, 6, 0)
    assert kept_versions(every, Keep(versions=2), NOW) == {3, 4}
    assert kept_versions(every, Keep(versions=9), NOW) == {1, 2, 3, 4}
    assert kept_versions(every, Keep(), NOW) == set()
    assert kept_versions(every[-1:], Keep(versions=2), NOW) == set()


def test_of_days_what_was_current_at_the_end_of_one_is_kept_and_all_of_the_last():
    # 1 was replaced before the time began; 2 was current when it began; 4 for an hour of a day.
    every = made(40, 35, 10, 5.4, 5.35, 0.3, 0.2, 0.1)
    assert kept_versions(every, Keep(days=30), NOW) == {2, 3, 5, 6, 7}
    assert kept_versions(every, Keep(days=7), NOW) == {3, 5, 6, 7}


def test_no_more_are_kept_than_an_index_may_have():
    every = made(*(number / 1_000 for number in range(MAX_KEPT + 50, 0, -1)))
    kept = kept_versions(every, Keep(days=30), NOW)
    assert kept == {number for number, _ in every[-MAX_KEPT - 1 : -1]}


def notes_in(folder: Path) -> Path:
    folder.mkdir()
    for number in range(4):
        (folder / f"n{number}.txt").write_text(f"Note {number} about the boiler.\n")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return notes_in(tmp_path / "docs")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made")
    root, store = notes_in(made / "docs"), made / "store"
    sync(root, store, keep=Keep(versions=5))
    (root / "n0.txt").write_text("Note 0 about the oven.\n")
    (root / "new.txt").write_text("A walrus.\n")
    sync(root, store)
    (root / "n1.txt").rename(root / "moved.txt")
    (root / "n2.txt").unlink()
    sync(root, store)
    return made


@pytest.fixture
def edited(made_once: Path, root: Path) -> Path:
    """Three versions: an edit and an addition in the second, a move and a removal in the third."""
    shutil.rmtree(root)
    return copied(made_once, root.parent)


def numbers(store: Path) -> list[int]:
    return [manifest.version for manifest in versions(store)]


def cleaned(store: Path) -> None:
    manifest = read_manifest(store)
    with Writer(store, manifest.fingerprint, manifest.root) as writer:
        writer.cleanup()


@pytest.mark.slow
def test_without_being_told_no_former_version_is_kept(root, store):
    sync(root, store)
    (root / "n0.txt").write_text("Changed.\n")
    sync(root, store)
    assert numbers(store) == [2]
    with pytest.raises(CorpusError, match="Version 1 is not kept; kept is: 2") as raised:
        Snapshot(store, version=1)
    assert "--keep 30d" in raised.value.hint


@pytest.mark.parametrize(
    ("damage", "gone"), [("tables", 2), ("manifest", 2), ("tables of an index without", 0)]
)
def test_a_run_that_mends_an_index_says_how_many_versions_go(edited, root, damage, gone):
    if not gone:  # the control
        sync(root, edited, keep=Keep())
    assert len(numbers(edited)) == gone + 1
    if damage == "manifest":
        (edited / "manifest.json").write_text("{")
    else:
        named = (name for name in read_manifest(edited).contents if "chunks.lance/data/" in name)
        (edited / next(named)).unlink()
    outcome = sync_folder(edited, root, ENCODER)
    assert "is damaged" in outcome.repaired
    said = f"Former versions that were kept are gone: {gone}."
    assert (said in outcome.repaired) is bool(gone)
    assert len(numbers(edited)) == 1


def test_of_many_versions_that_are_kept_the_number_is_said(edited):
    one = read_manifest(edited)
    many = [dataclasses.replace(one, version=number) for number in (1, *range(3, 13))]
    assert str(not_kept("Version 2", many)).startswith(
        "Version 2 is not kept; 11 from 1 to 12 are."
    )


@pytest.mark.slow
def test_versions_that_are_kept_outlive_cleanups_and_those_between_go(edited, root):
    before = rows(edited)
    cleaned(edited)
    assert numbers(edited) == [1, 2, 4]  # 4 has the rows of 3
    assert found_at(edited, 1, "oven") == set()
    assert found_at(edited, 2, "oven") == {"n0.txt"}
    assert rows(edited) == before
    tables = edited / "lance" / "chunks.lance"
    named = {manifest.chunks_version for manifest in versions(edited)}
    assert len([*(tables / "_versions").glob("*.manifest")]) == len(named)
    assert len([*(tables / "_transactions").iterdir()]) <= len(named)
    sync(root, edited, keep=Keep())
    assert numbers(edited) == [5]
    assert len([*(tables / "_versions").glob("*.manifest")]) == 1


def found_at(store: Path, version: int, word: str) -> set[str]:
    snapshot = Snapshot(store, version=version)
    return {hit.chunk.source for hit in snapshot.by_text(Query(word, 10))}


def test_a_version_is_named_by_its_number_or_a_day(edited):
    today = datetime.now().astimezone().date()
    assert version_at(edited, "2") == 2
    assert version_at(edited, today.isoformat()) == 3
    assert version_at(edited, "2999-01-01") == version_at(edited, "9999-12-31") == 3
    with pytest.raises(CorpusError, match=r"on 2001-01-01 is not kept; kept are: 1, 2, 3"):
        version_at(edited, "2001-01-01")
    with pytest.raises(CorpusError, match=r"on 0001-01-01 is not kept"):
        version_at(edited, "0001-01-01")  # no moment of it lies in the calendar of every zone
    for wrong in ("yesterday", "2026-13-01", "1.0", "-1", ""):
        with pytest.raises(UsageError, match="neither the number of a version nor a day"):
            version_at(edited, wrong)


def test_a_former_version_is_read_and_searched_as_it_was_and_no_file_is_opened(edited, root):
    past = Index.open(edited, ENCODER, root=root, at="1")
    now = Index.open(edited, ENCODER, root=root)
    for path in root.iterdir():
        path.unlink()
    assert past.read("n0.txt").lines[0].text == "Note 0 about the boiler."
    (hit,) = past.search(Query("n2 boiler", 1))
    assert (hit.stale, hit.unreachable) == (False, False)
    assert past.as_of.startswith("As of version 1, 20")
    assert past.latest() is past
    with pytest.raises(Refused, match=r"no longer exists|is empty"):  # the control
        now.read("n0.txt")
    assert now.as_of is None


def test_a_text_that_is_not_kept_any_more_is_said_to_be_gone(edited, root):
    for path in (edited / "texts").rglob("*.*"):
        path.unlink()
    past = Index.open(edited, root=root, at="1")
    with pytest.raises(Refused, match="as of version 1 is not kept any more"):
        past.read("n0.txt")


@pytest.mark.slow
def test_a_reader_of_a_former_version_holds_it(edited, root):
    past = Snapshot(edited, version=1)
    sync(root, edited, keep=Keep())
    cleaned(edited)
    assert 1 not in numbers(edited)
    assert {hit.chunk.source for hit in past.by_text(Query("boiler", 9))} == {
        f"n{number}.txt" for number in range(4)
    }


def test_history_counts_what_changed_in_each_version(edited):
    kept = history(edited)
    assert kept.keep == "5"
    assert kept.former_bytes > 0
    assert [(each.number, each.documents, each.current) for each in kept.versions] == [
        (3, 4, True),
        (2, 5, False),
        (1, 4, False),
    ]
    assert [each.changes for each in kept.versions] == [
        {"added": 0, "changed": 0, "moved": 1, "removed": 1},
        {"added": 1, "changed": 1, "moved": 0, "removed": 0},
        None,
    ]


def test_two_versions_are_compared_by_document_and_passage(edited):
    change = difference(edited, 1, 3)
    assert change.unchanged == 1
    assert [(one.kind, one.source, one.was) for one in change.documents] == [
        ("moved", "moved.txt", "n1.txt"),
        ("changed", "n0.txt", None),
        ("removed", "n2.txt", None),
        ("added", "new.txt", None),
    ]
    (passage,) = change.documents[1].passages
    assert (passage.before.text, passage.after.text) == (
        "Note 0 about the boiler.",
        "Note 0 about the oven.",
    )
    back = difference(edited, 3, 1)
    assert {one.kind for one in back.documents} == {"moved", "changed", "removed", "added"}
    assert difference(edited, 2, 2).documents == ()


def chunks(*texts: str) -> list[Chunk]:
    return [Chunk("a", number, text, "", number, number) for number, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ("abc", "abc", []),
        ("abc", "axc", ["changed"]),
        ("abc", "ac", ["removed"]),
        ("ac", "abc", ["added"]),
        ("abc", "axyc", ["changed", "added"]),
        ("", "ab", ["added", "added"]),
    ],
)
def test_passages_are_compared_in_order(before, after, kinds):
    assert [change.kind for change in passage_changes(chunks(*before), chunks(*after))] == kinds


def test_two_documents_of_the_same_bytes_move_once():
    def document(source: str) -> FileRow:
        return FileRow(source, "indexed", sha256="x", chunks=1)

    before = {"a": document("a")}
    after = {"b": document("b"), "c": document("c")}
    assert [(one.kind, one.was) for one in changes(before, after)] == [
        ("moved", "a"),
        ("added", None),
    ]


@pytest.mark.slow
def test_a_folder_that_holds_copies_moves_whole_in_the_run_and_in_the_history(root, store):
    for name in ("a", "b", "c"):
        (root / "x").mkdir(exist_ok=True)
        (root / "x" / f"{name}.txt").write_text("The same.\n")
    sync(root, store, keep=Keep(versions=5))
    (root / "x/c.txt").unlink()
    (root / "x").rename(root / "y")
    done = sync(root, store)
    assert (done.moved, done.removed, done.added) == (2, 3, 2)
    newest = history(store).versions[0]
    assert newest.changes == {"added": 0, "changed": 0, "moved": 2, "removed": 1}
    assert [(one.kind, one.source, one.was) for one in difference(store, 1, 2).documents] == [
        ("removed", "x/c.txt", None),
        ("moved", "y/a.txt", "x/a.txt"),
        ("moved", "y/b.txt", "x/b.txt"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "damage", "kept"),
    [
        (None, "manifest.json", "5"),
        (None, "every manifest", "0"),
        (Keep(versions=7), "manifest.json", "7"),
        (Keep(versions=7), "every manifest", "7"),
        (None, "tables", "5"),
        (None, "nothing", "5"),
    ],
)
def test_what_is_kept_from_now_on_outlives_the_mending_of_a_store(root, store, asked, damage, kept):
    for text in ("One.", "Two."):
        (root / "a.txt").write_text(text)
        sync(root, store, keep=Keep(versions=5))
    every = {"manifest.json": "manifest.json", "every manifest": "manifest*.json"}
    for path in store.glob(every.get(damage, "no file")):
        path.write_text("{")
    if damage == "tables":
        for path in (store / "lance").rglob("*.manifest"):
            path.write_bytes(b"")
    done = sync_folder(store, root, ENCODER, keep=asked)
    assert bool(done.repaired) == (damage != "nothing")
    assert read_manifest(store).keep == kept


@pytest.mark.slow
def test_a_rollback_makes_a_version_current_and_the_next_run_goes_on_from_the_folder(
    edited, root, tmp_path
):
    first, last = chunk_texts(edited, 1), rows(edited)
    assert [each.same_as for each in history(edited).versions] == [None] * 3
    done = roll_back(edited, 1)
    assert [(each.number, each.same_as) for each in history(edited).versions][:2] == [
        (4, 1),
        (3, None),
    ]
    assert "current  as version 1 was" in list(render.history_lines(history(edited)))[1]
    assert (done.before, done.target, done.version) == (3, 1, 4)
    assert chunk_texts(edited, 4) == first
    check_store(edited)
    assert numbers(edited) == [1, 2, 3, 4]
    outcome = sync(root, edited)
    assert outcome.embedded == 0  # all of it was embedded before
    assert rows(edited) == last
    sync(root, tmp_path / "fresh")
    check_same(edited, tmp_path / "fresh")


def chunk_texts(store: Path, version: int) -> set[tuple[str, str]]:
    table = Snapshot(store, version=version).chunk_rows().to_pylist()
    return {(row["source"], row["text"]) for row in table}


def test_what_is_current_or_not_kept_is_not_rolled_back_to(edited):
    with pytest.raises(CorpusError, match="Version 3 is the current one"):
        roll_back(edited, 3)
    with pytest.raises(CorpusError, match="Version 7 is not kept; kept are: 1, 2, 3"):
        roll_back(edited, 7)
    assert numbers(edited) == [1, 2, 3]


@pytest.mark.slow
def test_a_version_of_another_model_can_be_rolled_back_to(edited, root):
    class Wider(type(ENCODER)):
        @property
        def name(self) -> str:
            return "another"

    before = rows(edited)
    sync(root, edited, Wider())
    assert read_manifest(edited).fingerprint.model == "another"
    roll_back(edited, 3)
    assert read_manifest(edited).fingerprint.model == ENCODER.name
    assert rows(edited) == before


# Rolls back and forth until it is killed; two versions of different words are there.
ROLLING = """
import sys
from pathlib import Path
from indexer.store.history import roll_back
store = Path(sys.argv[1])
print("ready", flush=True)
while True:
    for number in (1, 2):
        roll_back(store, number)
        print("done", flush=True)
"""


@pytest.mark.slow
def test_killed_at_random_moments_a_rollback_is_done_or_was_never_begun(tmp_path):
    random = Random(int(os.environ.get("CRASH_SEED", "1")))
    root, store = tmp_path / "docs", tmp_path / "store"
    root.mkdir()
    for number in range(30):
        (root / f"n{number:02}.txt").write_text(f"Note {number} about the boiler.\n")
    sync(root, store, keep=Keep(versions=100))
    for path in root.iterdir():
        path.write_text(f"Something about the oven of {path.name}.\n")
    sync(root, store)
    wanted = {"boiler": chunk_texts(store, 1), "oven": chunk_texts(store, 2)}
    rolled, seen = 0, set()
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", ROLLING, store], cwd=REPOSITORY, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout.readline() == b"ready\n"
            for _ in range(random.choice((0, 1, 1, 2))):  # a slow machine too has done some
                rolled += process.stdout.readline() == b"done\n"
            time.sleep(random.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
            rolled += process.stdout.read().count(b"done")
        manifest, held = hold(store)
        os.close(held)
        word = "boiler" if found(store, "boiler") else "oven"
        assert chunk_texts(store, manifest.version) == wanted[word]
        assert {1, 2} <= {*numbers(store)}
        seen.add(word)
        if manifest.version > 80:  # so that the first two stay among those that are kept
            break
    print(f"{rolled} rollbacks beside {KILLS} kills")
    assert seen == {"boiler", "oven"}  # the control: there was something to be killed
    check_store(store)
    assert sync(root, store).interrupted is False
    assert found(store, "boiler") == set()


@pytest.mark.slow
def test_an_index_that_is_made_anew_still_keeps_what_it_was_told_to(edited, root):
    path = edited / "manifest.json"
    old = json.loads(path.read_text()) | {"schema": 4}
    path.write_text(json.dumps(old))
    sync(root, edited)
    assert read_manifest(edited).keep == "5"
    (root / "n0.txt").write_text("Again.\n")
    sync(root, edited)
    assert numbers(edited) == [1, 2]


def test_a_manifest_that_says_nonsense_of_what_is_kept_is_damaged(edited):
    path = edited / "manifest.json"
    content = json.loads(path.read_text()) | {"keep": "for ever"}
    path.write_text(signed(edited, content))
    with pytest.raises(DamagedStore, match="keep is no number of versions or days"):
        versions(edited)


def test_a_version_compared_with_itself_is_said_to_be_one(edited):
    lines = list(render.diff_lines(difference(edited, 2, 2)))
    assert lines == ["Both are version 2: nothing changed. Others: corpus-agent history"]
    assert next(render.diff_lines(difference(edited, 1, 2))).startswith("From version 1 to 2:")


@pytest.mark.slow
def test_who_keeps_versions_is_not_advised_to_keep_them(root, store):
    for keep, advised in ((Keep(), True), (Keep(days=30), False)):
        shutil.rmtree(store, ignore_errors=True)
        sync(root, store, keep=keep)
        for at in ("99", "2020-01-01"):
            with pytest.raises(CorpusError, match="is not kept") as raised:
                version_at(store, at)
            assert ("--keep" in raised.value.hint) is advised, (keep, at)


@pytest.mark.slow
@pytest.mark.parametrize("blank", [" ", ""])
def test_what_changed_in_a_long_passage_is_shown(root, store, blank):
    led, behind = blank.join(["word"] * 25), blank.join(["more"] * 25)
    for rent in (500, 550):
        (root / "long.txt").write_text(f"{led} The rent is {rent} euros. {behind}\n")
        sync(root, store, keep=Keep(versions=5))
    lines = list(render.diff_lines(difference(store, 1, 2)))
    shown = [line for line in lines if line.startswith(("  -", "  +"))]
    assert ["The rent is 500" in shown[0], "The rent is 550" in shown[1]] == [True, True]
    assert all("“…" in line and len(line) < 200 for line in shown)


@pytest.mark.slow
def test_a_change_near_the_beginning_is_shown_from_there(root, store):
    for rent in (500, 550):
        (root / "long.txt").write_text(f"The rent is {rent} euros. {'more ' * 60}\n")
        sync(root, store, keep=Keep(versions=5))
    shown = [line for line in render.diff_lines(difference(store, 1, 2)) if line[2] in "+-"]
    assert "“The rent is 500 " in shown[0] and "“The rent is 550 " in shown[1]
