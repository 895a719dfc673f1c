"""Which names never belong to a document: litter, machine state, key material. Pure."""

from __future__ import annotations

import fnmatch
import os
import re
import unicodedata
from collections.abc import Sequence

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
