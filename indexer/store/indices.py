"""Which indices the chunk table has: decided from row counts alone, then made.

Below `Scale.exact_rows` every vector is compared with the query. Above it an IVF index is used:
partitions are scanned with four bits a dimension (RaBitQ: Gao et al. 2024), and the best candidates
are rescored with the full vectors, so every score is exact. The number of partitions is in the
index's name. Called by the writer, under its lock.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.store.exact import MAX_BYTES
from indexer.store.rows import FULL_TEXT_COLUMN

if TYPE_CHECKING:
    from lancedb.table import Table

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

    exact_rows: int
    partition_rows: int = 1_000

    @classmethod
    def of(cls, dimension: int) -> Scale:
        """That of vectors of this dimension: an index from where a process keeps them no more."""
        return cls(MAX_BYTES // (4 * dimension))

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


def trained_partitions(existing: Collection[str]) -> int:
    """How many partitions the vector index has, 0 where there is none."""
    return max(
        (int(found[1]) for name in existing if (found := _VECTORS.fullmatch(name))), default=0
    )


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
