"""Reads ignore files and decides which paths they exclude.

Ignore files are untrusted: only regular files of bounded size are read, and any pattern matches in
time bounded by the lengths of path and pattern: folder by folder, where the standard library's
patterns of names do not go back.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import CorpusError
from indexer.files.opening import READ_ONLY

IGNORE_FILES = (".gitignore", ".corpusignore")
MAX_IGNORE_BYTES = 2**20  # of one file
MAX_IGNORE_LINES = 10_000  # of one file
MAX_PATTERN_CHARS = 4_096  # of one line: PATH_MAX, which no path is longer than
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR)


@dataclass(frozen=True, slots=True)
class Rule:
    """A line of an ignore file: whether it excludes what it matches, and where it stands.

    `place` is the ignore file's name and the line's number, as in ".gitignore:3". `names` are the
    patterns of the folders on the way and of the last name; None stands for any number of folders.
    """

    excludes: bool
    place: str
    text: str
    names: tuple[re.Pattern[str] | None, ...]
    of_folders: bool

    def matched(self, parts: Sequence[str], is_folder: bool) -> int:
        """How many parts of a path it matches, as a folder above or as the path; 0 for none."""
        last = len(parts) - (self.of_folders and not is_folder)
        return next((n for n in range(last, 0, -1) if self._matches(parts[:n])), 0)

    def _matches(self, parts: Sequence[str]) -> bool:
        """Whether the names are those of a path; what any folders stand for grows as needed."""
        at = place = begun = 0
        any_folders = -1
        while place < len(parts):
            pattern = self.names[at] if at < len(self.names) else _NOTHING
            if pattern is None:
                any_folders, begun = at, place
                at += 1
            elif pattern.match(parts[place]):
                at, place = at + 1, place + 1
            elif any_folders < 0:
                return False
            else:
                begun += 1
                at, place = any_folders + 1, begun
        return all(name is None for name in self.names[at:])


def deciding(rules: Sequence[Rule], path: str) -> Rule | None:
    """The rule of a folder for `path`, relative to it and ending in `/` for a folder, or None.

    As in git, the last one that matches decides; one that matches a folder above the path yields to
    one that matches the path itself.
    """
    above: Rule | None = None
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    parts, is_folder = text.removesuffix("/").split("/"), text.endswith("/")
    for rule in reversed(rules):
        matched = rule.matched(parts, is_folder)
        if matched == len(parts) and not is_folder:
            return rule
        above = above or (rule if matched else None)
    return above


def rules_in(folder: int, shown: str) -> tuple[Rule, ...]:
    """The rules of the ignore files in the open `folder`, in order; `shown` is its path.

    Raises CorpusError for one that cannot be read: files that the user excluded would be indexed.
    """
    lines = (
        (f"{shown}/{name}", number, line)
        for name in IGNORE_FILES
        for number, line in enumerate(_lines(folder, name, f"{shown}/{name}"), start=1)
    )
    return tuple(compiled(lines))


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
        data = os.pread(descriptor, MAX_IGNORE_BYTES + 1, 0)
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


def compiled(lines: Iterable[tuple[str, int, str]]) -> Iterator[Rule]:
    """The rules of lines, each given with the file that it stands in and its number."""
    for shown, number, line in lines:
        if len(line) > MAX_PATTERN_CHARS and not line.startswith("#"):
            raise _unusable(shown, f"line {number} has more than {MAX_PATTERN_CHARS:,} characters")
        text = _BLANKS.sub("", line)
        excludes = not text.startswith("!")
        text = text.removeprefix("!")
        if not text.strip("/") or line.startswith("#"):
            continue
        names = _names(text.removesuffix("/"))
        yield Rule(excludes, f"{Path(shown).name}:{number}", line, names, text.endswith("/"))


_BLANKS = re.compile(r"(?:(?<![\\ \t])|(?<=\\[ \t]))[ \t]+\Z")  # at the end, not escaped
_ESCAPED = re.compile(r"\\(.)|\[\^", re.DOTALL)
_ANY, _NOTHING = re.compile(""), re.compile(r"(?!)")


def _names(text: str) -> tuple[re.Pattern[str] | None, ...]:
    """The patterns of a path's names, as gitignore(5) has them."""
    parts = text.removeprefix("/").split("/")
    names = [None if part == "**" else re.compile(_translated(part)) for part in parts]
    if "/" not in text:  # in any folder
        names.insert(0, None)
    if names[-1] is None:  # all that is in a folder
        names.append(_ANY)
    return tuple(names)


def _translated(part: str) -> str:
    r"""The regular expression of a name, in which `\` is before a sign that is meant as such."""

    def plain(match: re.Match[str]) -> str:
        if match[1] is None:
            return "[!"
        return f"[{match[1]}]" if match[1] in "*?[" else match[1]

    return fnmatch.translate(_ESCAPED.sub(plain, part))


def _unusable(shown: str, why: str) -> CorpusError:
    return CorpusError(
        f"The ignore file {shown!r} cannot be used: {why}.",
        "Without it, files that you excluded would be indexed. Mend or remove it.",
    )
