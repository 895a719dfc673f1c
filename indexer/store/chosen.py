"""Which passages are of chosen documents: of a version all row ids and documents in memory.

12 bytes a passage, read when a search is confined for the first time. A condition in SQL that names
thousands of documents is planned anew for each search; here a search without one is looked through.
Called by the ranking.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.store.exact import ROW_ID, Ranked

if TYPE_CHECKING:
    from lancedb.table import Table

MAX_PASSAGES = 2_000_000  # kept in memory: 24 MB
SPARE = 1.5  # times as many rows as should hold those that are asked for


@dataclass(frozen=True)
class Chosen:
    """The ids of the chosen rows, ascending, and their share of all."""

    ids: NDArray[np.uint64]
    share: float

    def of(self, found: Ranked) -> Ranked:
        """Those of a ranking that are chosen."""
        if not len(self.ids):
            return Ranked.none()
        at = np.minimum(np.searchsorted(self.ids, found.ids), len(self.ids) - 1)
        kept = self.ids[at] == found.ids
        return Ranked(found.ids[kept], found.scores[kept])

    def depth(self, limit: int) -> int:
        """Of how many rows of a ranking `limit` should be chosen ones."""
        return math.ceil(SPARE * limit / max(self.share, 1e-9))


class Passages:
    """The row ids of a version and the document of each."""

    def __init__(self, table: Table) -> None:
        rows = table.search().select(["source"]).with_row_id(True).to_arrow()
        names = rows["source"].combine_chunks().dictionary_encode()
        ids = rows[ROW_ID].to_numpy()
        order = np.argsort(ids)
        self._ids: NDArray[np.uint64] = ids[order]
        self._documents: NDArray[np.int32] = names.indices.to_numpy()[order]
        self._names: list[str] = names.dictionary.to_pylist()

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self._names)}

    def of(self, sources: frozenset[str]) -> Chosen:
        """The passages of these documents."""
        wanted = np.zeros(len(self._names), bool)
        wanted[[self._places[name] for name in sources if name in self._places]] = True
        ids = self._ids[wanted[self._documents]]
        return Chosen(ids, len(ids) / max(1, len(self._ids)))
