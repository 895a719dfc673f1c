"""Few fragments, few versions: what keeps tables fast and the disk bounded.

Called by the writer, under its lock. LanceDB has one call for all of it, which rewrites a whole
table to merge a few rows into it; so what is decided here is when that is worth it.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lancedb.table import Table

# Every search reads the rows that the full-text index does not cover yet: 1,000 cost 25 ms.
MAX_UNINDEXED_ROWS = 1_000
MAX_UNINDEXED_SHARE = 0.05
MAX_DELETED_SHARE = 0.2
MAX_FRAGMENTS = 32  # each a file or two that every search opens
MAX_ROUNDS = 4  # two do the work, and one more shows that nothing is left to do

# LanceDB drops versions by age, and looks at the clock itself: a little later than we do.
MARGIN = timedelta(seconds=1)


def is_due(table: Table) -> bool:
    """Whether so much has changed in a table that merging is worth rewriting it."""
    stats = table.stats()
    fragments = stats["fragment_stats"]["num_fragments"]
    rows = stats["num_rows"]
    unindexed = sum(
        table.index_stats(index.name).num_unindexed_rows for index in table.list_indices()
    )
    return bool(
        fragments > MAX_FRAGMENTS
        or deleted_rows(table) > MAX_DELETED_SHARE * rows
        or unindexed > min(MAX_UNINDEXED_ROWS, MAX_UNINDEXED_SHARE * rows)
    )


def deleted_rows(table: Table) -> int:
    """How many rows are marked as deleted, and still in a file."""
    stats = table.stats()
    files = stats["fragment_stats"]
    with_deleted: float = files["lengths"]["mean"] * files["num_fragments"]
    return round(with_deleted) - int(stats["num_rows"])


def merge(table: Table) -> None:
    """Put all rows into few fragments and into the full-text index."""
    for _ in range(MAX_ROUNDS):
        before = table.version
        table.optimize()
        if table.version == before:
            return


def drop_versions(table: Table, kept: Collection[int]) -> None:
    """Delete the versions older than all of `kept`, and the files that belong to none.

    For a merged table: in another one, the same call would merge.
    """
    for name in table.tags.list():
        table.tags.delete(name)  # left by a run that was killed right here
    age = timedelta(milliseconds=1)  # the newest is never dropped
    made = {version["version"]: version["timestamp"] for version in table.list_versions()}
    if kept := made.keys() & set(kept) - {table.version}:
        oldest = min(made[version].astimezone() for version in kept)
        age = datetime.now().astimezone() - oldest + MARGIN
    # A version with a tag stops LanceDB from dropping any. By its age none of these is meant, but
    # a clock may be set, and a machine be suspended, between one look at it and the next.
    for version in kept:
        table.tags.create(f"held-{version}", version)
    try:
        table.optimize(cleanup_older_than=age, delete_unverified=True)
    except (RuntimeError, ValueError) as error:
        if "tagged version" not in str(error):
            raise
    finally:
        for version in kept:
            table.tags.delete(f"held-{version}")
