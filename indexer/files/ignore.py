"""Reads ignore files and decides which paths they exclude.

Ignore files are untrusted: only regular files of bounded size are read, and any pattern matches in
time linear in the path, since pathspec parses the patterns and RE2 matches them. Called by `walk`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import re2
from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from indexer.errors import CorpusError
from indexer.files.opening import READ_ONLY

IGNORE_FILES = (".gitignore", ".corpusignore")
MAX_IGNORE_BYTES = 2**20  # of one file
MAX_IGNORE_LINES = 10_000  # of one file
MAX_PATTERN_CHARS = 4_096  # of one line: PATH_MAX, which no path is longer than
_DIRECTORY = "ps_d"  # the group in which pathspec's patterns catch the `/` behind a folder
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR)


@dataclass(frozen=True, slots=True)
class Rule:
    """A line of an ignore file: whether it excludes what it matches, and where it stands.

    `place` is the ignore file's name and the line's number, as in ".gitignore:3".
    """

    excludes: bool
    place: str
    text: str
    pattern: Any = field(repr=False)  # what re2 compiles to, which has no type


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one folder, in order; each excludes or includes."""

    rules: tuple[Rule, ...]

    def deciding(self, path: str) -> Rule | None:
        """The rule for `path`, relative to the folder and ending in `/` for a folder.

        None if none matches. As in git, the last one decides; one that matches a folder above the
        path yields to one that matches the path itself.
        """
        above: Rule | None = None
        text = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        for rule in reversed(self.rules):
            match = rule.pattern.search(text)
            if match is None:
                continue
            if _DIRECTORY not in rule.pattern.groupindex or match.group(_DIRECTORY) is None:
                return rule
            above = above or rule
        return above


def rules_in(folder: int, shown: str) -> Rules | None:
    """The rules of the ignore files in the open `folder`; None if there are none.

    `shown` is the folder's path for messages. Raises CorpusError for an ignore file that cannot be
    read or parsed: ignoring it would index files that the user excluded.
    """
    lines = [
        (f"{shown}/{name}", number, line)
        for name in IGNORE_FILES
        for number, line in enumerate(_lines(folder, name, f"{shown}/{name}"), start=1)
    ]
    rules = tuple(_compiled(lines))
    return Rules(rules) if rules else None


def _lines(folder: int, name: str, shown: str) -> list[str]:
    try:
        descriptor = os.open(name, READ_ONLY, dir_fd=folder)
    except OSError as error:
        if error.errno in _NO_FILE:
            return []
        link = error.errno == errno.ELOOP
        raise _unusable(shown, "it is a link" if link else str(error.strerror)) from None
    try:
        info = os.fstat(descriptor)
        if stat.S_ISDIR(info.st_mode):
            return []
        if not stat.S_ISREG(info.st_mode):
            raise _unusable(shown, "it is not a regular file")
        data = _read(descriptor)
    except OSError as error:
        raise _unusable(shown, str(error.strerror)) from None
    finally:
        os.close(descriptor)
    if len(data) > MAX_IGNORE_BYTES:
        raise _unusable(shown, f"it has more than {MAX_IGNORE_BYTES:,} bytes")
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n")  # as git: no other character ends a line
    if len(lines) > MAX_IGNORE_LINES:
        raise _unusable(shown, f"it has {len(lines):,} lines, more than {MAX_IGNORE_LINES:,}")
    return lines


def _read(descriptor: int) -> bytes:
    """The bytes of a file, at most one more than the limit for ignore files."""
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read(MAX_IGNORE_BYTES + 1)


def _compiled(lines: Iterable[tuple[str, int, str]]) -> Iterator[Rule]:
    options = re2.Options()
    options.log_errors = False
    for shown, number, line in lines:
        if len(line) > MAX_PATTERN_CHARS and not line.startswith("#"):
            raise _unusable(shown, f"line {number} has more than {MAX_PATTERN_CHARS:,} characters")
        try:
            pattern = GitIgnoreSpecPattern(line)
        except GitIgnorePatternError:
            continue  # as in git, where such a line matches nothing
        if pattern.include is None or pattern.regex is None:  # a comment, or nothing
            continue
        try:
            compiled = re2.compile(pattern.regex.pattern, options)
        except re2.error:
            raise _unusable(shown, f"line {number} is no pattern") from None
        yield Rule(pattern.include, f"{Path(shown).name}:{number}", line, compiled)


def _unusable(shown: str, why: str) -> CorpusError:
    return CorpusError(
        f"The ignore file {shown!r} cannot be used: {why}.",
        "Without it, files that you excluded would be indexed. Mend or remove it.",
    )
