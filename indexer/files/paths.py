"""Paths that the user names, made absolute with clear errors; names that are no documents."""

from __future__ import annotations

import errno
import fnmatch
import os
import re
import stat
import unicodedata
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from indexer.errors import UsageError

NOT_THERE = "is not there"
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def expanded(path: Path) -> Path:
    """As `from_here`, with `~` expanded; raises UsageError if the home folder is unknown."""
    try:
        return from_here(path.expanduser())
    except RuntimeError:
        raise UsageError(
            f"{str(path)!r} names the home folder of a user who is not known here.",
            "Write the path in full.",
        ) from None


def from_here(path: Path) -> Path:
    """The absolute path of `path`; the working folder is used only for relative paths."""
    return path if path.is_absolute() else working_folder() / path


def working_folder() -> Path:
    """The working folder; raises UsageError if it was removed."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(
            f"The working folder is not there any more ({error.strerror}).",
            "Go to a folder that exists: cd ~",
        ) from None


def may_be_named(path: str) -> bool:
    """Whether a document may have this path: text without a null, which no file system stores."""
    try:
        return b"\0" not in path.encode()
    except UnicodeEncodeError:  # bytes that are no text, as a shell passes them on
        return False


def leads_below(source: str) -> bool:
    """Whether a source, as an index names it, stays below the folder of its documents."""
    return "\0" not in source and not any(part in ("", ".", "..") for part in source.split("/"))


def absence(folder: Path) -> str | None:
    """What is wrong with the place of a folder, None where there is one.

    NOT_THERE, or that it cannot be looked at: Path.is_dir raises where a folder above it is closed
    to this user, and where a disk does not answer.
    """
    try:
        return None if stat.S_ISDIR(folder.stat().st_mode) else NOT_THERE
    except OSError as error:
        return NOT_THERE if error.errno in _GONE else f"cannot be looked at ({error.strerror})"


def is_folder(path: Path) -> bool:
    """Whether a folder is there that this user can look at."""
    return absence(path) is None


def is_there(folder: Path) -> bool:
    """Whether a folder of documents can be looked at; an empty one may be a disk not mounted."""
    try:
        return any(folder.iterdir())
    except PermissionError:
        return True
    except OSError:
        return False


def resolved(path: Path) -> Path:
    """The absolute path with links resolved, as far as they can be: Path raises for a loop."""
    return Path(os.path.realpath(from_here(path)))


def file_stem(source: str) -> str:
    """The name of a document's file without its ending, and without the name of its store."""
    return PurePosixPath(re.sub(r"\A[\w-]+:(?=\S)", "", source)).stem


# --- Names that never belong to a document: litter, machine state, key material -----------------

# Folders that hold other people's code or machine state. Names in lower case.
DENIED_FOLDERS = frozenset(
    {"node_modules", "__pycache__", "venv", "site-packages", "bower_components"}
    | {"$recycle.bin", "system volume information", "lost+found", "__macosx"}
)
# Editors', browsers' and systems' litter: never documents, passed over like dot-files.
LITTER = (
    *("~$*", "*~", "*.swp", "*.swo", "*.tmp", "*.part", "*.crdownload", "*.pyc"),
    *("Thumbs.db", "desktop.ini"),
)
# Names that mean key material and nothing else: listed as skipped and never opened. Other names of
# keys are other things too (a presentation, a certificate): their bytes decide, in a parser.
SECRETS = (
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"),
    *("*.p12", "*.pfx", "*.kdbx", "*.jks", "*.keystore", "*.ppk"),
)


def _any_of(globs: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, globs)))


INDEX_FOLDER = ".corpus-agent"  # in the folder of its documents, unless it is named otherwise
INDEX_MARKER = "corpus-agent.store"  # the file that makes a folder an index
_LITTER, _SECRETS = _any_of(LITTER), _any_of(SECRETS)


def source_of(relative: str) -> str:
    r"""The name of a document: its path relative to the root, NFC, with `/` between the parts.

    Bytes that are no UTF-8 are written as \\xNN, so that any name can be shown, stored and typed.
    """
    text = os.fsencode(relative).decode("utf-8", errors="backslashreplace")
    return unicodedata.normalize("NFC", text.replace(os.sep, "/"))


def never_a_document(name: str, *, is_folder: bool) -> bool:
    """Whether a name excludes a path and everything below it from any corpus."""
    if name.startswith("."):
        return True
    if is_folder:
        return name.lower() in DENIED_FOLDERS
    return bool(_LITTER.match(name))


def is_closed(parts: Sequence[str]) -> bool:
    """Whether a path, given by its parts, is never listed as a document."""
    *folders, name = parts
    return (
        any(never_a_document(folder, is_folder=True) for folder in folders)
        or never_a_document(name, is_folder=False)
        or is_key(name)
    )


def is_key(name: str) -> bool:
    """Whether a file name, in any case, indicates key material."""
    return bool(_SECRETS.match(name.lower()))
