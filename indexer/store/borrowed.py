"""Checks that all data of a store's tables is in the store.

A version of a Lance table may name other folders in which its data lies ("base paths"; that is how
a shallow copy of a table works). There is no link on disk then, and without the seal opening the
table reads those folders. This program makes no such table, so one that names a folder is refused.
"""

from __future__ import annotations

import struct
from pathlib import Path

from indexer.errors import BorrowedData
from indexer.extract.protobuf import fields
from indexer.store.folder import TABLES
from indexer.store.lance_files import BASE_PATHS, version_message
from indexer.store.manifest import damaged, rebuild_hint

# Of all messages of a store: a version has a field for each fragment of its table, and few hundred
# fragments, since the tables are compacted.
MAX_FIELDS = 2_000_000


def check_own_data(store: Path) -> None:
    """Raise DamagedStore if a version of a table cannot be read, BorrowedData if its data is
    elsewhere.
    """
    left = MAX_FIELDS
    for path in sorted((store / TABLES).glob("*.lance/_versions/*.manifest")):
        name = str(path.relative_to(store))
        try:
            for field, _ in fields(version_message(path)):
                left -= 1
                if field == BASE_PATHS:
                    raise BorrowedData(
                        f"The index in {str(store)!r} is damaged ({name!r} keeps its data "
                        "elsewhere).",
                        rebuild_hint(store),
                    )
                if left < 0:
                    raise damaged(store, f"{name!r} has more fields than its tables could need")
        except FileNotFoundError:  # dropped by a writer meanwhile
            continue
        except (OSError, IndexError, ValueError, struct.error):
            raise damaged(store, f"{name!r} is no version of a table") from None
