"""The files of a version with their sizes and sums, as its manifest lists them.

Apart from integrity.py, which compares them: only the writer reads LanceDB's lists of files.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from indexer.store.folder import TABLES
from indexer.store.integrity import sums_of
from indexer.store.lance_files import parts_of
from indexer.store.manifest import damaged


def contents_of(
    store: Path, chunks_version: int, files_version: int, known: Mapping[str, str]
) -> dict[str, str]:
    """The files of two table versions, each with its size and its sums.

    LanceDB never writes to a file twice, so those in `known` are not read again.
    """
    tables = store / TABLES
    try:
        parts = parts_of(tables / "chunks.lance", chunks_version)
        parts |= parts_of(tables / "files.lance", files_version)
        names = sorted(str(path.relative_to(store)) for path in parts)
        return {name: known.get(name) or sums_of(store / name) for name in names}
    except (OSError, IndexError, KeyError, ValueError, struct.error) as error:
        raise damaged(store, f"its tables cannot be listed: {error}") from None
