"""Paths and globs as conditions on rows, compared with what they mean."""

import pytest
from pathspec import GitIgnoreSpec

from indexer import UsageError
from indexer.store.filters import condition
from indexer.store.snapshot import Snapshot
from tests.support.toy_index import sync

SOURCES = [
    "a.md",
    "b.txt",
    "notes/a.md",
    "notes/deep/c d.md",
    "notes/deep/it's.txt",
    "notes2/2024-01.md",
    "notes2/2025-[x].md",
    "!loud.md",
    "sub/ä_%.md",
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    base = tmp_path_factory.mktemp("selection")
    for source in SOURCES:
        (base / "root" / source).parent.mkdir(parents=True, exist_ok=True)
        (base / "root" / source).write_text(f"boiler {source}\n")
    sync(base / "root", base / "store")
    return Snapshot(base / "store")


def chosen(snapshot, paths, not_paths=()):
    where = condition(paths, not_paths)
    rows = snapshot._files.search()
    found = (rows.where(where) if where else rows).select(["source"]).to_list()
    return {row["source"] for row in found}


GLOBS = ["*.md", "notes/*.md", "notes/**", "**/c*", "20??-*", "notes*/**/*.txt", "*[d-i].*", "*_%*"]


@pytest.mark.parametrize("glob", GLOBS)
def test_a_glob_selects_what_the_same_line_of_an_ignore_file_names(snapshot, glob):
    named = {source for source in SOURCES if GitIgnoreSpec.from_lines([glob]).match_file(source)}
    assert chosen(snapshot, [glob]) == named
    assert named not in (set(), set(SOURCES))  # the control: it tells some from others
    assert chosen(snapshot, [], [glob]) == set(SOURCES) - named


@pytest.mark.parametrize("start", ["notes", "notes/", "notes/deep/it's", "sub/ä_%", "!l"])
def test_a_plain_path_selects_what_begins_so_and_no_sign_of_it_is_a_pattern(snapshot, start):
    assert chosen(snapshot, [start]) == {s for s in SOURCES if s.startswith(start)} != set()


@pytest.mark.parametrize("glob", ["*' OR '1'='1", "**)|(.*", "*(?P<x>", "*" * 4_000])
def test_no_pattern_leaves_the_condition(snapshot, glob):
    everything = glob.count("*") == len(glob)  # the control: many stars are one
    assert chosen(snapshot, [glob]) == (set(SOURCES) if everything else set())


@pytest.mark.parametrize(
    "glob", ["*[", "*[!", "[z-a]*", "[[:alpha:]]*", "[a-[b]]*", "[&&a]*", "[a-z--x]*", "\\*"]
)
def test_a_class_that_not_everybody_reads_alike_is_no_pattern(glob):
    with pytest.raises(UsageError, match="is not a pattern of paths"):
        condition([glob])
