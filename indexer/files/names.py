"""Which names never belong to a document: litter, machine state, key material. Pure.

Called by the walk, the watch and the reader of archives.
"""

from __future__ import annotations

from collections.abc import Sequence

from pathspec import GitIgnoreSpec

# Folders that hold other people's code or machine state. Names in lower case.
DENIED_FOLDERS = frozenset(
    {"node_modules", "__pycache__", "venv", "site-packages", "bower_components"}
    | {"$recycle.bin", "system volume information", "lost+found", "__macosx"}
)
# Editors', browsers' and systems' litter: never documents, passed over like dot-files.
LITTER = GitIgnoreSpec.from_lines(
    [
        "~$*",
        "*~",
        "*.swp",
        "*.swo",
        "*.tmp",
        "*.part",
        "*.crdownload",
        "*.pyc",
        "Thumbs.db",
        "desktop.ini",
    ],
    backend="simple",  # names that are no UTF-8 too
)
# Key material: listed as skipped and never opened.
SECRETS = GitIgnoreSpec.from_lines(
    [
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "*.pem",
        "*.key",
        "*.p12",
        "*.pfx",
        "*.kdbx",
        "*.jks",
        "*.keystore",
        "*.ppk",
        "*.asc.key",
    ],
    backend="simple",
)


def never_a_document(name: str, *, is_folder: bool) -> bool:
    """Whether a name excludes a path and everything below it from any corpus."""
    if name.startswith("."):
        return True
    if is_folder:
        return name.lower() in DENIED_FOLDERS
    return bool(LITTER.match_file(name))


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
    return bool(SECRETS.match_file(name.lower()))
