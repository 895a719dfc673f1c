"""Ignore files belong to whoever made the folder: bounded, plain, and matched in linear time."""

import os
import time
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from indexer.errors import CorpusError
from indexer.files.ignore import (
    MAX_IGNORE_BYTES,
    MAX_IGNORE_LINES,
    MAX_PATTERN_CHARS,
    deciding,
    rules_in,
)
from indexer.files.walk import walk

PATTERNS = [
    ["*.txt", "!keep.txt"],
    ["/a/b/", "a/**/c"],
    ["**/deep", "build/", "!build/keep"],
    ["[!a-c]?x", r"\#x", r"trailing\ ", "*.p[yo]"],
    ["*", "!*/", "!*.md"],
    ["foo/**", "!foo/bar"],
    ["# comment", "", "   ", "é*.md"],
]
PATHS = [
    *("a.txt", "keep.txt", "a/b/", "a/b", "a/x/y/c", "a/c", "deep", "x/deep", "x/deep/", "build/"),
    *("build/keep", "dxx", "axx", "#x", "trailing ", "m.py", "m.pyc", "foo/", "foo/bar", "x.md"),
    *("x/y.md", "été.md", "bad\udcff.txt", "new\nline.txt"),
]


# By git check-ignore: pathspec's verdicts are of files, and git enters these folders.
OF_FOLDERS = {
    "*": dict.fromkeys(("a/b/", "x/deep/", "build/", "foo/"), False),
    "foo/**": {"foo/": None},
}


def rules(folder: Path, text: str | bytes):
    (folder / ".gitignore").write_bytes(text.encode() if isinstance(text, str) else text)
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return rules_in(opened, str(folder))
    finally:
        os.close(opened)


def test_the_verdicts_are_those_of_pathspec(tmp_path):
    for patterns in PATTERNS:
        ours = rules(tmp_path, "\n".join(patterns))
        theirs = GitIgnoreSpec.from_lines(patterns, backend="simple")
        for path in PATHS:
            rule = deciding(ours, path)
            known = OF_FOLDERS.get(patterns[0], {})
            wanted = known[path] if path in known else theirs.check_file(path).include
            assert (rule and rule.excludes) == wanted, (patterns, path)


def test_a_pattern_without_end_ends(tmp_path):
    evil = ["*a" * 60 + "b", "**/" * 40 + "*a" * 40 + "b", "[a-z]*" * 300 + "!"]
    ours = rules(tmp_path, "\n".join(evil))
    started = time.process_time()
    assert deciding(ours, "a" * 250) is None
    assert deciding(ours, "/".join(["a" * 250] * 15)) is None
    assert time.process_time() - started < 10  # the control does not end: 2**40 ways


def test_an_ignore_file_that_is_no_file_stops_the_walk_and_hangs_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    path = tmp_path / ".corpusignore"
    ways = [lambda: os.mkfifo(path)]
    ways += [lambda to=to: path.symlink_to(to) for to in ("a.txt", "none", "/dev/zero")]
    for make in ways:
        make()
        with pytest.raises(CorpusError, match=r"cannot be used: it is (a link|not a)"):
            walk(tmp_path)
        path.unlink()


def test_limits_hold_at_the_limit_and_past_it(tmp_path):
    for at, past, why in (
        (b"x" * 4_000 + b"\n", b"#" * (MAX_IGNORE_BYTES + 1), "1,048,576 bytes"),
        (b"x\n" * MAX_IGNORE_LINES, b"x\n" * (MAX_IGNORE_LINES + 1), "10,001 lines"),
        (b"x" * MAX_PATTERN_CHARS, b"x" * (MAX_PATTERN_CHARS + 1), "line 1 has more than 4,096"),
    ):
        assert rules(tmp_path, at)
        with pytest.raises(CorpusError, match=why):
            rules(tmp_path, past)
