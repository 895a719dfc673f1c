"""Which names never belong to a document: litter, machine state, key material. Pure.

Called by whoever lists files: the walk of a folder, its watch, the reader of archives.
"""

from __future__ import annotations

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
    ]
)
# Key material: listed as skipped, so that nobody wonders, and never opened.
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
    ]
)


def never_a_document(name: str, *, is_folder: bool) -> bool:
    """Whether a name alone says that nothing at or below it belongs to a corpus."""
    if name.startswith("."):
        return True
    if is_folder:
        return name.lower() in DENIED_FOLDERS
    return bool(LITTER.match_file(name))
