"""The file names allowed in a store: those that this program and LanceDB create. Pure.

`ownership` refuses a store with any other file, so that no foreign file is ever deleted.
"""

from __future__ import annotations

import re

from indexer.files.names import INDEX_MARKER

MARKER_NAME = INDEX_MARKER
UNFINISHED_MARKER = f"{MARKER_NAME}.new"

_FOLDERS = re.compile("lance|vectors|texts|recognised|probes|saved|staging|tmp")
_FILES = re.compile(
    rf"{re.escape(MARKER_NAME)}(\.new)?|\.gitignore|config\.toml|writer\.lock"
    r"|manifest\.json|draft\.json|manifest\.new|manifest\.[0-9]{16,20}\.json|receipts(\.1)?\.jsonl"
    r"|\.DS_Store|Thumbs\.db|desktop\.ini|\.directory"  # file managers' own, never touched
)
_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_TABLE = r"lance/(chunks|files)\.lance"
_PARTS = rf"data|_versions|_transactions|_deletions|_indices/{_UUID}"
_SHARD = r"staging/[0-9a-f]{32}(\.[0-9a-f]{16}\.new)?"
_FOLDERS_BELOW = re.compile(
    rf"{_TABLE}(/({_PARTS}|_indices|_refs(/(tags|branches))?))?"
    rf"|texts/[0-9a-f]{{1,2}}|recognised/[0-9a-f]{{2}}|{_SHARD}"
)
_FILES_BELOW = re.compile(
    rf"{_TABLE}/(data/[0-9a-f-]{{36,}}\.lance"
    rf"|_versions/([0-9]+\.manifest(-{_UUID})?|latest_version_hint\.json)"
    rf"|_transactions/[0-9]+-{_UUID}\.txn"
    r"|_deletions/[0-9]+-[0-9]+-[0-9]+\.(arrow|bin)"
    rf"|_indices/{_UUID}/[a-z0-9_.]+\.(lance|idx|json)"
    r"|_refs/tags/held-[0-9]+\.json)"
    r"(#[0-9]+)?"  # one that LanceDB had not finished when its process was killed,
    rf"|{_TABLE}/({_PARTS})/\.tmp[A-Za-z0-9]{{6}}"  # also before it had its name
    r"|vectors/[0-9a-f]{16}\.(vec|new)"
    r"|texts/[0-9a-f]{1,2}/[0-9a-f]{64}\.[0-9a-f]{16}(\.[0-9]+-[0-9]+\.new)?"
    r"|recognised/[0-9a-f]{2}/[0-9a-f]{64}\.pages"
    r"|probes/[0-9a-f]{64}(\.[0-9]+)?\.npy"
    rf"|{_SHARD}/(order|documents|vectors(\.f2)?|texts)"
)


def may_lie_in_store(name: str, *, is_folder: bool) -> bool:
    """Whether a name is allowed at the top of a store."""
    return bool((_FOLDERS if is_folder else _FILES).fullmatch(name))


def may_lie_below(path: str, *, is_folder: bool) -> bool:
    """Whether a path below the top, relative to the store, is allowed.

    Any name is allowed in `tmp` (libraries choose it) and `saved` (users do); nothing there is
    deleted by name.
    """
    allowed = _FOLDERS_BELOW if is_folder else _FILES_BELOW
    return path.startswith(("tmp/", "saved/")) or bool(allowed.fullmatch(path))
