"""Paths that a person types, made absolute, with one clear error where the surroundings are odd."""

from __future__ import annotations

import os
from pathlib import Path

from indexer.errors import UsageError


def expanded(path: Path) -> Path:
    """As `from_here`, with `~` for a home folder; raises UsageError for that of nobody we know."""
    try:
        return from_here(path.expanduser())
    except RuntimeError:
        raise UsageError(
            f"{str(path)!r} names the home folder of a user who is not known here.",
            "Write the path in full.",
        ) from None


def from_here(path: Path) -> Path:
    """The absolute path that `path` means; one that is absolute depends on no working folder."""
    return path if path.is_absolute() else working_folder() / path


def working_folder() -> Path:
    """Where this process stands; raises UsageError where that folder was removed."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(
            f"The working folder is not there any more ({error.strerror}).",
            "Go to a folder that exists: cd ~",
        ) from None


def resolved(path: Path) -> Path:
    """The absolute path without links; one that leads to itself, or to nothing, is left there.

    Path.resolve raises a RuntimeError for the first in some versions of Python.
    """
    return Path(os.path.realpath(from_here(path)))
