"""Files that programs execute or follow without being asked: which, and why a person must confirm.

A change to one makes a shell, an editor, git or a build machine run code later, without a request.
guarded.toml is the list. Files that run only when a person types a command (a Makefile, a script,
a source file, executable or not) are not on it: changing those is an agent's work.
"""

from __future__ import annotations

import functools
import os
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from corpus_agent.text.sanitize import visible


@dataclass(frozen=True, slots=True)
class Guard:
    """Patterns of paths, and why a person is asked; guarded.toml says how a pattern matches."""

    why: str
    patterns: tuple[str, ...]


@functools.cache
def guards() -> tuple[Guard, ...]:
    """The list of guarded.toml."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["guard"]
    return tuple(Guard(row["why"], tuple(row["patterns"].split())) for row in rows)


# Files of other version control may be confirmed; those of git are changed by git only.
GIT = ".git"
_GITS = (GIT, "git~1")  # its short name on Windows disks


def why_asked(root: Path, parts: Sequence[str]) -> str:
    """Why a person must confirm a write to the path below `root`; "" if none must."""
    names = [folded(name) for name in (*root.parts, *parts)]  # the root may lie in such a folder
    for guard in guards():
        if any(_fits(pattern, names) for pattern in guard.patterns):
            return guard.why
    if _makes_repository(root, parts):
        return "with it the folder is a git repository, whose settings and hooks git runs"
    return ""


def belongs_to_git(path: Path) -> bool:
    """Whether a path is `.git` or lies below one."""
    return any(folded(part) in _GITS for part in path.parts)


def folded(name: str) -> str:
    """A name as the most lenient file system compares it."""
    plain = unicodedata.normalize("NFKC", visible(unicodedata.normalize("NFKC", name)))
    return unicodedata.normalize("NFKC", plain.casefold()).partition(":")[0].rstrip(". ") or name


def _fits(pattern: str, names: Sequence[str]) -> bool:
    wanted = pattern.rstrip("/").split("/")
    ends = range(len(wanted), len(names)) if pattern.endswith("/") else (len(names),)
    # Also the folder's name itself: a file or link in its place.
    return any(
        len(wanted) <= end and all(map(fnmatchcase, names[end - len(wanted) : end], wanted))
        for end in (*ends, len(names))
    )


def _makes_repository(root: Path, parts: Sequence[str]) -> bool:
    """Whether the path would make a folder a git repository (git's setup.c), which git uses."""
    here = root
    for part in parts:
        there = {name for name in _OF_REPOSITORY if os.path.lexists(here / name)}
        there |= {name for name in _OF_REPOSITORY if folded(name) == folded(part)}
        if "HEAD" in there and ("commondir" in there or {"objects", "refs"} <= there):
            return True
        here = here / part
    return False


_OF_REPOSITORY = ("HEAD", "objects", "refs", "commondir")
