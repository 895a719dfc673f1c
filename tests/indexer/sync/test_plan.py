"""What a run has to do is decided from plain values alone."""

from dataclasses import replace

import pytest

from indexer.files.walk import SeenFile, Walk
from indexer.records import Choices, FileRow
from indexer.sync.plan import Plan, plan, rebuild_reasons
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


def test_what_is_done_again_without_a_change_is_said_with_the_reason():
    stored = {source: row(source, extractor="text/0") for source in "ab"} | {"c": row("c")}
    seen = Walk([SeenFile(source, 5, 7) for source in "abc"])
    todo = plan(seen, stored, {}, KNOWN)
    assert len(todo.update) == 2
    assert todo.reasons == ("This release reads these in another way: text. Files: 2.",)
    assert plan(seen, dict.fromkeys("abc", row("a")), {}, KNOWN).reasons == ()


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
