"""A file as it is now against the row that it had when it was indexed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from indexer.errors import Refused
from indexer.files.opening import hash_beneath, open_beneath, time_of
from indexer.files.paths import is_there
from indexer.records import FileRow


def compared(root: Path, row: FileRow) -> Literal["same", "changed", "unreachable"]:
    """Whether the file was changed or removed after it was indexed, or cannot be looked at.

    As for `index`: equal size and time mean unchanged, else the hash decides.
    """
    gone: Literal["changed", "unreachable"]
    gone = "unreachable" if row.status == "unreachable" else "changed"
    try:
        descriptor = open_beneath(root, row.source)
        try:
            info = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        same = info.st_size == row.bytes and (
            time_of(info) == row.mtime_ns or hash_beneath(root, row.source) == row.sha256
        )
        return "same" if same else "changed"
    except (FileNotFoundError, Refused):
        return gone if is_there(root) else "unreachable"
    except OSError:
        return "unreachable"
