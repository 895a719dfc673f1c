"""Versions of several stores that are searched as one, or of one alone.

Of several, a source begins with the prefix of its store, as in `notes:lease.md`; row ids of
different stores are told apart by their highest bits. What is asked for by name goes to the one
store that is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexer.records import Coverage, FileRow, Hit, OpenStore, Query
from indexer.store.document_names import Names
from indexer.store.filters import parse_filter
from indexer.store.ranking import LANCE, Pool, Ranked
from indexer.store.snapshot import SIMILAR, STORE_BITS, Snapshot

MOST_NAMES = 50_000  # documents, whose names take .5 s to be read
USES = 20  # passages with a short form, by which it is told from a word


class Snapshots:
    """Versions of stores by the prefix of their sources, "" for one alone; at most 256."""

    def __init__(
        self, stores: Mapping[str, tuple[Path, Path | None]], *, backend: str = LANCE
    ) -> None:
        """The newest committed versions of stores, each a folder and a root: see Snapshot."""
        assert stores
        assert "" not in stores or len(stores) == 1, "one store alone has no name"
        self.parts = {
            prefix: Snapshot(store, root, backend=backend, prefix=prefix, number=number)
            for number, (prefix, (store, root)) in enumerate(stores.items())
        }

    def check(self) -> None:
        """Raise DamagedStore if a file of a version is not what was written."""
        for part in self.parts.values():
            part.check()

    def close(self) -> None:
        """Release the versions that are held."""
        for part in self.parts.values():
            part.close()

    @property
    def version(self) -> int:
        """The number of the version; of several stores the sum, which grows with each."""
        return sum(part.manifest.version for part in self.parts.values())

    def coverage(self) -> Coverage:
        """How many files have each status."""
        every = [part.manifest.coverage for part in self.parts.values()]
        names = [each.name for each in fields(Coverage)]
        return Coverage(**{name: sum(getattr(one, name) for one in every) for name in names})

    @property
    def unread(self) -> float:
        """The share of the passages in languages that the packaged model does not read."""
        every = [part.manifest for part in self.parts.values()]
        passages = sum(one.chunks for one in every)
        return sum(one.unread * one.chunks for one in every) / passages if passages else 0.0

    @cached_property
    def languages(self) -> Mapping[str, int]:
        """How many passages are in each language."""
        found: Counter[str] = Counter()
        for part in self.parts.values():
            found.update(part.manifest.languages)
        return found

    @property
    def stores(self) -> tuple[OpenStore, ...]:
        """The stores that sources are named after; none where it is one alone."""
        return tuple(
            OpenStore(prefix[:-1], part.store, part.manifest.version)
            for prefix, part in self.parts.items()
            if prefix
        )

    # ---- Files

    @cached_property
    def _names(self) -> Names:
        """The names of all documents; of none, where they are too many to be looked through."""
        sources = [p + source for p, part in self.parts.items() for source in part.documents]
        return Names(sources if len(sources) <= MOST_NAMES else ())

    def named(self, query: Query) -> dict[str, float]:
        """The documents that a query names, of those it may look at, and how likely each is meant.

        A short form is a name unless the passages that have it as a word are of other documents.
        What several words shorten, as in J&J, is none.
        """
        found = self._names.find(query.text)
        named = set().union(*found.full.values())
        for form, own in found.short.items():
            says = self.worded(replace(query, text=form, limit=USES), every_word=True)
            uses = self.pool(says).sources if " " not in form else ()
            if 2 * sum(source in own for source in uses) >= len(uses):
                named |= own
        among = named if query.among is None else named & query.among
        return self._names.nearness(among, query.text)

    def place(self, source: str) -> Snapshot | None:
        """The store that a source names; None if it is none."""
        return next((p for prefix, p in self.parts.items() if source.startswith(prefix)), None)

    def files_named(self, sources: Collection[str]) -> dict[str, FileRow]:
        """The rows of the given files, by source; unknown sources are omitted."""
        found: dict[str, FileRow] = {}
        for part in self.parts.values():
            found |= part.files_named(sources)
        return found

    def files(self, paths: Sequence[str] = (), not_paths: Sequence[str] = ()) -> list[FileRow]:
        """The file rows by source: all, or those that paths select, without some.

        A path is the beginning of a source, or a glob as of an ignore file (`*.pdf`,
        `tax/**/2024-*`): of one store where it names that, else of each.
        """
        if paths or not_paths:
            chosen = [
                part.prefix + source
                for part in self.parts.values()
                for source in self._selected(part, part.sources, paths or [""], not_paths)
            ]
            rows = [*self.files_named(chosen).values()]
        else:
            rows = [row for part in self.parts.values() for row in part.files()]
        return sorted(rows, key=lambda row: row.source)

    def _selected(
        self, part: Snapshot, sources: Collection[str], of: Sequence[str], but: Sequence[str] = ()
    ) -> Iterator[str]:
        """Those sources of a store that one of the paths selects, and none of the others."""
        wanted, left_out = (
            [part.selects(path) for path in paths if self.place(path) in (part, None)]
            for paths in (of, but)
        )
        for source in sources:
            if any(one(source) for one in wanted) and not any(one(source) for one in left_out):
                yield source

    def selects(self, path: str) -> bool:
        """Whether a path selects any document."""
        return any(any(self._selected(p, p.documents, [path])) for p in self.parts.values())

    def similar(self, source: str, *, folders: bool = True) -> list[str]:
        """Up to three indexed sources with names similar to `source`, most similar first.

        Of several stores that of the one that it names, else the most similar of each in turn.
        """
        named = self.place(source)
        asked = self.parts.values() if named is None else [named]
        each = [part.similar(source, folders=folders) for part in asked]
        turns = (names[turn : turn + 1] for turn in range(SIMILAR) for names in each)
        return [name for names in turns for name in names][:SIMILAR]

    def filtered(self, where: str) -> frozenset[str]:
        """The sources of the files that a filter selects; raises UsageError where it is none."""
        terms = parse_filter(where)
        plain = [term for term in terms if term.key != "path"]
        found = []
        for part in self.parts.values():
            sources = [*part.matching(plain)]
            for term in terms:
                if term.key == "path":
                    paths = [str(value) for value in term.values]
                    is_not = term.comparison == "!="
                    of, but = ([""], paths) if is_not else (paths, ())
                    sources = [*self._selected(part, sources, of, but)]
            found += [part.prefix + source for source in sources]
        return frozenset(found)

    # ---- Passages

    def nearest(self, vector: NDArray[np.float32], query: Query) -> Ranked:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        return Ranked.merged([p.nearest(vector, query) for p in self.parts.values()], query.limit)

    def worded(self, query: Query, *, every_word: bool = False) -> Ranked:
        """The rows that share words with the query; the score is BM25, best first.

        Of several stores each weighs words by its own rows.
        """
        found = [part.worded(query, every_word=every_word) for part in self.parts.values()]
        return Ranked.merged(found, query.limit)

    def pool(self, *rankings: Ranked) -> Pool:
        """What the rows of the rankings are fused by, each once, store by store."""
        every = (key for ranked in rankings for key in ranked.ids.tolist())
        ids = np.array(list(dict.fromkeys(every)), np.uint64)
        return Pool.joined([part.pool(ids) for part in self.parts.values()])

    def hits(self, ranked: Ranked) -> list[Hit]:
        """The rows of a ranking as hits, in its order; their score is that of the ranking."""
        stores = (ranked.ids >> STORE_BITS).tolist()
        each = [iter(part.hits(ranked)) for part in self.parts.values()]
        return [next(each[number]) for number in stores]
