"""Few fragments, few versions, few rows that no index covers: what keeps a store fast and small.

Called by the writer, under its lock. LanceDB's `optimize`, called once, adds rows to the indices;
called until nothing changes, it rewrites a whole table to merge a few rows. This module decides
from counts alone when either is worth its cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from indexer.store.folder import TABLES, version_file, version_files

if TYPE_CHECKING:
    from lancedb.table import Table

# Every search reads the rows that the full-text index does not cover yet: 100 cost 5 ms, 1,000 45.
# To cover them costs .5 s of a processor where there are 12,000 rows, 2 s where there are 100,000.
MAX_UNINDEXED_ROWS = 1_000
MAX_UNINDEXED_SHARE = 0.05
FEW_UNINDEXED_ROWS, FEW_UNINDEXED_SHARE = 100, 0.002  # of a finished run; the larger counts
MAX_DELETED_SHARE = 0.2
# A search fetches rows from every fragment that holds some of the best: 8 ms where 60,000 rows are
# in one fragment, 14 ms where they are in 30. Small ones beside a large one cost less.
MAX_FRAGMENTS = 32
FEW_FRAGMENTS = 8
MAX_LOOSE_SHARE = 0.05  # of the rows, outside large fragments
SLACK_ROWS = 10_000  # of a table, for each fragment and version more that is worth leaving
QUICK_ROWS = 50_000  # merged in a second or two
MAX_ROUNDS = 4  # two do the work, and one more shows that nothing is left to do

AGES = timedelta(days=36_500)  # no version is as old


@dataclass(frozen=True, slots=True)
class State:
    """Counts of a table: rows, those deleted and still on the disk, fragments, rows outside large
    fragments, rows that an index does not cover yet.
    """

    rows: int
    deleted: int = 0
    fragments: int = 1
    loose: int = 0
    unindexed: int = 0


def state_of(table: Table) -> State:
    """The counts of the newest version of a table."""
    stats = table.stats()
    rows, parts = stats["num_rows"], stats["fragment_stats"]
    fragments, lengths = parts["num_fragments"], parts["lengths"]
    large = max(1, fragments - parts["num_small_fragments"])  # from 100,000 rows on
    waiting = [index.num_unindexed_rows or 0 for index in table.list_indices()]
    return State(
        rows,
        deleted=round(lengths["mean"] * fragments - rows),
        fragments=fragments,
        loose=max(0, rows - large * lengths["max"]),
        unindexed=max(waiting, default=0),
    )


def plan_tidying(state: State, *, finished: bool) -> Literal["nothing", "cover", "merge"]:
    """The maintenance that is due: none, index the remaining rows, or merge the table as well.

    Until a run is `finished` the threshold is higher: indexing a few rows after each batch would
    take most of its time on a large table.
    """
    scattered = finished and state.fragments > FEW_FRAGMENTS
    if (
        state.fragments > slack(MAX_FRAGMENTS, state.rows)
        or state.deleted > MAX_DELETED_SHARE * state.rows
        or (scattered and state.loose > MAX_LOOSE_SHARE * state.rows)
    ):
        return "merge"
    enough = min if finished else max
    if state.unindexed > enough(MAX_UNINDEXED_ROWS, MAX_UNINDEXED_SHARE * state.rows):
        return "merge" if state.rows < QUICK_ROWS else "cover"
    return "cover" if finished and state.unindexed > few_unindexed(state.rows) else "nothing"


def few_unindexed(rows: int) -> int:
    """How many rows of a table a finished run may leave outside of an index."""
    return int(max(FEW_UNINDEXED_ROWS, FEW_UNINDEXED_SHARE * rows))


def slack(least: int, rows: int) -> int:
    """The number of fragments or versions allowed in a table; `least` for a small one."""
    return least + rows // SLACK_ROWS


def merge(table: Table) -> None:
    """Put all rows into few fragments and into the indices."""
    for _ in range(MAX_ROUNDS):
        before = table.version
        table.optimize()
        if table.version == before:
            return


def drop_versions(store: Path, table: Table, kept: Iterable[int]) -> None:
    """Delete all versions but the newest and those in `kept`, and the files that belong to none.

    For a merged table: another one the same call would merge. LanceDB drops versions by age alone,
    so these go first, and it drops what no version names.
    """
    own = {version_file(store, table.name, number) for number in (*kept, table.version)}
    for path in version_files(store, table.name):
        if path not in own:
            path.unlink()
    # Only a second writer would ask for them; they may name documents that were forgotten.
    for path in (store / TABLES).glob(f"{table.name}.lance/_transactions/*"):
        path.unlink()
    table.optimize(cleanup_older_than=AGES, delete_unverified=True)
