"""The folder of a store: made for its owner alone, measured, and what the disk refuses explained.

Knows nothing of what is in the files. Light, since commands use it before the process is sealed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.errors import CorpusError
from indexer.manifest import damaged


def bytes_on_disk(store: Path) -> int:
    """Size of all files of the store; files that vanish meanwhile count nothing."""
    total = 0
    for folder, _, names in os.walk(store):
        for name in names:
            try:
                total += (Path(folder) / name).lstat().st_size
            except OSError as error:
        with translated(store):
            raise error
