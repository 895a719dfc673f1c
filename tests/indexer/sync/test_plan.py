"""What a run has to do is decided from plain values alone."""

import hashlib
from dataclasses import replace

import pytest

from indexer.files.walk import SeenFile, Walk
from indexer.records import Choices, FileRow
from indexer.sync.plan import (
    CLOCK_TICK_NS,
    Plan,
    barrier,
    changed_hashes,
    moves,
    plan,
    rebuild_reasons,
    with_moved,
)
from indexer.sync.run import fingerprint_of
from tests.support.toy_index import CHUNKER, ENCODER


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
    assert plan(Walk([problem]), stored, {}, KNOWN, Choices(force=True)).keep == (problem,)


def test_what_may_have_changed_is_hashed_and_nothing_else(tmp_path):
    walked = 9 * CLOCK_TICK_NS
    settled, fresh = walked - CLOCK_TICK_NS, walked - CLOCK_TICK_NS + 1
    rows, seen = {}, []
    for name, (was, now) in {
        "same": (settled, settled),
        "touched": (settled, settled - 1),
        "within a tick of the walk": (fresh, fresh),
        "new": (None, settled),
        "never hashed": (settled, settled - 1),
        "a link": (settled, settled - 1),
        "gone since": (settled, settled - 1),
    }.items():
        (tmp_path / name).write_text(name)
        seen.append(SeenFile(name, len(name), now, "symlink" if name == "a link" else None))
        if was is not None:
            rows[name] = row(name, bytes=len(name), mtime_ns=was)
    rows["never hashed"] = replace(rows["never hashed"], sha256=None)
    (tmp_path / "gone since").unlink()
    looked_at = {"touched", "within a tick of the walk"}
    found = changed_hashes(tmp_path, Walk(seen), rows, walked_ns=walked)
    assert found == {name: hashlib.sha256(name.encode()).hexdigest() for name in looked_at}
    every = changed_hashes(tmp_path, Walk(seen), rows, walked_ns=walked, verify=True)
    assert every.keys() == looked_at | {"same"}


def test_a_document_under_another_name_is_moved_once(tmp_path):
    (tmp_path / "now").write_text("words")
    (tmp_path / "link").symlink_to("now")
    sha256 = hashlib.sha256(b"words").hexdigest()
    stored = {name: row(name, sha256=sha256) for name in ("was", "was too")}
    stored["no document"] = row("no document", status="skipped", reason="size", sha256=sha256)
    added = (SeenFile("link", 5, 7, "symlink"), SeenFile("longer", 6, 7), SeenFile("now", 5, 7))
    todo = Plan(add=added, remove=("no document", "was", "was too", "unknown"))
    assert with_moved(todo, tmp_path, stored).moved == (("was", "now"),)
    two = [row(name, sha256=sha256) for name in "ba"]
    assert moves(stored.values(), two) == {"a": "no document", "b": "was"}


def test_what_cannot_be_looked_at_stays_and_is_lost_once():
    barred = {"": "mount", "far/": "permission"}
    assert [barrier(source, barred) for source in ("a", "far/a", "far/b/a")] == ["mount"] * 3
    assert barrier("far/b/a", {"far/": "permission"}) == "permission"
    assert barrier("near/a", {"far/": "permission"}) is None is barrier("a", {})
    stored = {
        "far/a": row("far/a"),
        "far/b": row("far/b", status="unreachable", reason="permission"),
        "far/c": row("far/c", status="skipped", reason="size"),
        "near": row("near"),
    }
    walk = Walk([SeenFile("far", problem="permission")])
    todo = plan(walk, stored, {}, KNOWN)
    there = {source: SeenFile(source, 5, 7, "permission") for source in ("far/a", "far/b")}
    assert todo.unreachable == tuple(there.values())
    assert (todo.lost, todo.remove) == ((there["far/a"],), ("near",))
    assert not todo.changes_nothing
    assert plan(walk, stored, {}, KNOWN, Choices(prune_unreachable=True)).unreachable == ()


def test_a_plan_names_its_work_in_order_and_whether_there_is_any():
    a, b = SeenFile("a"), SeenFile("b")
    assert Plan(add=(b,), update=(a,), keep=(a,)).work == (a, b)
    assert Plan(keep=(a,), unreachable=(b,)).changes_nothing
    for group in ("add", "update", "record", "touch", "remove", "lost"):
        assert not Plan(**{group: (a,)}).changes_nothing, group


def test_what_is_done_again_without_a_change_is_said_with_the_reason():
    stored = {source: row(source, extractor="text/0") for source in "ab"} | {"c": row("c")}
    seen = Walk([SeenFile(source, 5, 7) for source in "abc"])
    todo = plan(seen, stored, {}, KNOWN)
    assert len(todo.update) == 2
    assert todo.reasons == ("This release reads these in another way: text. Files: 2.",)
    assert plan(seen, dict.fromkeys("abc", row("a")), {}, KNOWN).reasons == ()


@pytest.mark.parametrize(
    ("new", "source", "extractor", "anew"),
    [
        ("org", "a.org", "text", True),  # told by its suffix
        ("org", "a.txt", "text", False),
        ("eml", "a.txt", "text", True),  # by how it begins
        ("rtf", "a.txt", "text", True),  # by its first bytes
        ("rtf", "a.pdf", "pdf", False),  # which another format has marked already
        ("org", "a.mbox", "mbox", True),  # that may be in an attachment
    ],
)
def test_a_format_that_is_new_reads_the_files_again_that_another_one_read(
    new, source, extractor, anew
):
    stored = {source: row(source, extractor=f"{extractor}/{KNOWN[extractor]}")}
    before = {name: version for name, version in KNOWN.items() if name != new}
    todo = plan(Walk([SeenFile(source, 5, 7)]), stored, {}, before)
    assert [seen.source for seen in todo.update] == [source] * anew


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"weights_sha256": "f" * 64}, ["every passage of all documents (7) is embedded"]),
        ({"document_prefix": "passage: "}, ["every passage of all documents (7) is embedded"]),
        ({"chunker": "other/2"}, ["Passages are cut in another way"]),
        ({"normaliser": "other/2"}, ["Passages are cut in another way"]),
        ({"query_prefix": "query: "}, []),
        ({"extractors": {}}, []),
    ],
)
def test_a_change_of_the_fingerprint_says_what_it_makes_necessary(changes, said):
    before = fingerprint_of(ENCODER, CHUNKER)
    reasons = rebuild_reasons(before, replace(before, **changes), 7)
    assert len(reasons) == len(said)
    assert all(part in reason for part, reason in zip(said, reasons, strict=True))
