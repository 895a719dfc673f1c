"""Which indices a table has, and when its rows are merged: decided from counts alone, then done.

Below `Scale.exact_rows` every vector is compared with the query. Above it an IVF index is used:
partitions are scanned with four bits a dimension (RaBitQ: Gao et al. 2024), and the best candidates
are rescored with the full vectors, so every score is exact. The number of partitions is in the
index's name. LanceDB's `optimize`, called once, adds rows to the indices; called until nothing
changes, it rewrites a whole table to merge a few rows. Called by the writer, under its lock.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from indexer.store.folder import TABLES, version_file, version_files
from indexer.store.rows import FULL_TEXT_COLUMN

if TYPE_CHECKING:
    from lancedb.table import Table

# ---- Indices

WORDS = f"{FULL_TEXT_COLUMN}_idx"
SOURCES = "source_idx"
VECTORS = "vector_{}"  # by the number of partitions that its training made
_VECTORS = re.compile(r"vector_(\d+)")

MAX_PARTITIONS = 2_048  # each trained on 256 vectors: 800 MB of 384 dimensions
BITS = 4  # of a dimension; with one, 3% of the ten best were lost among 64 dimensions
OUTGROWN = 4  # times as many partitions as were trained: train anew


@dataclass(frozen=True, slots=True)
class Scale:
    """The number of rows from which a vector index is used, and rows per partition."""

    exact_rows: int = 50_000
    partition_rows: int = 1_000

    def partitions(self, rows: int) -> int:
        """How many partitions an index over `rows` is trained with."""
        return min(max(1, rows // self.partition_rows), MAX_PARTITIONS)


@dataclass(frozen=True, slots=True)
class Changes:
    """Names of indices to drop, and then those to make."""

    drop: tuple[str, ...] = ()
    make: tuple[str, ...] = ()


def plan_indices(rows: int, existing: Collection[str], scale: Scale) -> Changes:
    """The changes for a table of `rows` rows with the indices `existing`.

    The full-text index exists from the first row on. Source and vector indices are made from
    `exact_rows` rows on and dropped below half of that.
    """
    trained = trained_partitions(existing)
    is_large = rows >= (scale.exact_rows // 2 if trained else scale.exact_rows)
    wanted = {WORDS} if rows else set()
    if is_large:
        fits = trained and scale.partitions(rows) < OUTGROWN * trained
        wanted |= {SOURCES, VECTORS.format(trained if fits else scale.partitions(rows))}
    ours = {name for name in existing if name in (WORDS, SOURCES) or _VECTORS.fullmatch(name)}
    drop = ours - wanted if rows else set[str]()
    return Changes(tuple(sorted(drop)), tuple(sorted(wanted - ours)))


def trained_partitions(existing: Iterable[str]) -> int:
    """How many partitions the vector index has, 0 where there is none."""
    found = (_VECTORS.fullmatch(name) for name in existing)
    return max((int(one[1]) for one in found if one), default=0)


def change(table: Table, changes: Changes) -> None:
    """Drop and make indices; each is a version of the table."""
    from lancedb.index import FTS, BTree, IvfRq

    for name in changes.drop:
        table.drop_index(name)
    for name in changes.make:
        if name == WORDS:
            # icu: words of scripts without spaces, and identifiers such as foo_bar, stay whole.
            words = FTS(base_tokenizer="icu", stem=True, remove_stop_words=True, ascii_folding=True)
            table.create_index(FULL_TEXT_COLUMN, config=words, name=name)
        elif name == SOURCES:
            table.create_index("source", config=BTree(), name=name)
        else:
            parted = IvfRq(
                distance_type="cosine", num_bits=BITS, num_partitions=trained_partitions([name])
            )
            table.create_index("vector", config=parted, name=name)


# ---- Merging

# Every search reads the rows that the full-text index does not cover yet: 100 cost 5 ms, 1,000 45.
# To cover them costs .5 s of a processor where there are 12,000 rows, 2 s where there are 100,000.
MAX_UNINDEXED_ROWS, UNINDEXED_SHARE = 1_000, 0.05
FEW_UNINDEXED_ROWS, FEW_UNINDEXED_SHARE = 100, 0.002  # of a finished run
MAX_DELETED_SHARE = 0.2
# A search fetches rows from every fragment that holds some of the best: 8 ms where 60,000 rows are
# in one fragment, 14 ms where they are in 30.
MAX_FRAGMENTS = 32
FEW_FRAGMENTS = 8  # of a finished run
SLACK_ROWS = 10_000  # of a table, for each fragment and version more that is worth leaving
MAX_ROUNDS = 4  # two do the work, and one more shows that nothing is left to do
AGES = timedelta(days=36_500)  # no version is as old


@dataclass(frozen=True, slots=True)
class State:
    """Counts of a table: rows, those deleted and still on the disk, fragments, rows in no index."""

    rows: int
    deleted: int = 0
    fragments: int = 1
    unindexed: int = 0


def state_of(table: Table) -> State:
    """The counts of the newest version of a table."""
    stats = table.stats()
    rows, parts = stats["num_rows"], stats["fragment_stats"]
    fragments = parts["num_fragments"]
    deleted = round(parts["lengths"]["mean"] * fragments - rows)
    waiting = [index.num_unindexed_rows or 0 for index in table.list_indices()]
    return State(rows, deleted, fragments, max(waiting, default=0))


def plan_tidying(state: State, *, finished: bool) -> Literal["nothing", "cover", "merge"]:
    """The maintenance that is due: none, index the remaining rows, or merge the table as well.

    Until a run is `finished` the thresholds are higher: indexing a few rows after each batch would
    take most of its time on a large table.
    """
    fragments = FEW_FRAGMENTS if finished else MAX_FRAGMENTS
    few, many = few_unindexed(state.rows), max(MAX_UNINDEXED_ROWS, UNINDEXED_SHARE * state.rows)
    scattered = state.fragments > slack(fragments, state.rows)
    if scattered or state.deleted > MAX_DELETED_SHARE * state.rows:
        return "merge"
    return "cover" if state.unindexed > (few if finished else many) else "nothing"


def few_unindexed(rows: int) -> int:
    """How many rows of a table a finished run may leave outside of an index."""
    few = max(FEW_UNINDEXED_ROWS, FEW_UNINDEXED_SHARE * rows)
    return int(min(few, MAX_UNINDEXED_ROWS, UNINDEXED_SHARE * rows))


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
