"""Versions of several stores that are searched as one, or of one alone.

Of several, a source begins with the prefix of its store, as in `notes:lease.md`; row ids of
different stores are told apart by their highest bits. What is asked for by name goes to the one
store that is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.records import Chunk, Coverage, FileRow, Hit, OpenStore, Query
from indexer.store.document_names import Names
from indexer.store.filters import parse_filter, selector
from indexer.store.ranking import Pool, Ranked
from indexer.store.snapshot import Snapshot

_Named = TypeVar("_Named", FileRow, Chunk)

STORE_BITS = np.uint64(56)  # of a row id: LanceDB numbers rows below, stores stand above
OWN = np.uint64(2**56 - 1)  # the bits of a row id within its store
MOST_NAMES = 50_000  # documents, whose names take .5 s to be read
USES = 20  # passages with a short form, by which it is told from a word
SIMILAR = 3  # names that are proposed for one that is not there


class Snapshots:
    """Versions of stores by the prefix of their sources, "" for one alone; at most 256."""

    def __init__(self, parts: Mapping[str, Snapshot]) -> None:
        assert parts
        assert "" not in parts or len(parts) == 1, "one store alone has no name"
        self.parts = dict(parts)

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

    @property
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

    def place(self, source: str) -> tuple[str, str] | None:
        """The prefix of the store that a source names, and the source in it; None if it is none."""
        found = (prefix for prefix in self.parts if source.startswith(prefix))
        return next(((prefix, source[len(prefix) :]) for prefix in found), None)

    def file(self, source: str) -> FileRow | None:
        """The row of one file, None if no walk found it."""
        return self.files_named([source]).get(source)

    def files_named(self, sources: Collection[str]) -> dict[str, FileRow]:
        """The rows of the given files, by source; unknown sources are omitted."""
        found: dict[str, FileRow] = {}
        for prefix, own in self._by_store(sources).items():
            for row in self.parts[prefix].files_named(own).values():
                found[prefix + row.source] = _prefixed(prefix, row)
        return found

    def files(self, paths: Sequence[str] = (), not_paths: Sequence[str] = ()) -> list[FileRow]:
        """The file rows by source: all, or those that paths select, without some.

        A path is the beginning of a source, or a glob as of an ignore file (`*.pdf`,
        `tax/**/2024-*`): of one store where it names that, else of each.
        """
        rows: list[FileRow] = []
        if not (paths or not_paths):
            for prefix, part in self.parts.items():
                rows += [_prefixed(prefix, row) for row in part.files()]
        else:
            wanted = [self._selector(path) for path in paths or [""]]
            left_out = [self._selector(path) for path in not_paths]
            chosen = [
                prefix + source
                for prefix, part in self.parts.items()
                for source in part.sources
                if any(one(prefix, source) for one in wanted)
                and not any(one(prefix, source) for one in left_out)
            ]
            rows += self.files_named(chosen).values()
        return sorted(rows, key=lambda row: row.source)

    def _selector(self, path: str) -> Callable[[str, str], bool]:
        """Whether a path selects a source, given the prefix of its store and its name there."""
        named = self.place(path)
        selects = selector(path if named is None else named[1])
        return lambda prefix, source: (named is None or named[0] == prefix) and selects(source)

    def selects(self, path: str) -> bool:
        """Whether a path selects any document."""
        one = self._selector(path)
        return any(
            one(prefix, name) for prefix, part in self.parts.items() for name in part.documents
        )

    def similar(self, source: str, *, folders: bool = True) -> list[str]:
        """Up to three indexed sources with names similar to `source`, most similar first.

        Of several stores that of the one that it names, else the most similar of each in turn.
        """
        prefix, own = self.place(source) or ("", source)
        asked = {prefix: self.parts[prefix]} if prefix in self.parts else self.parts
        each = [
            [prefix + name for name in part.similar(own, folders=folders)]
            for prefix, part in asked.items()
        ]
        turns = (names[turn : turn + 1] for turn in range(SIMILAR) for names in each)
        return [name for names in turns for name in names][:SIMILAR]

    def filtered(self, where: str) -> frozenset[str]:
        """The sources of the files that a filter selects; raises UsageError where it is none."""
        terms = parse_filter(where)
        plain = [term for term in terms if term.key != "path"]
        of_paths = [
            ([self._selector(str(value)) for value in term.values], term.comparison != "!=")
            for term in terms
            if term.key == "path"
        ]
        return frozenset(
            prefix + source
            for prefix, part in self.parts.items()
            for source in part.matching(plain)
            if all(any(one(prefix, source) for one in ones) is be for ones, be in of_paths)
        )

    def _by_store(self, sources: Iterable[str]) -> dict[str, list[str]]:
        """The sources by the prefix of their store, without it; those of none are left out."""
        found: dict[str, list[str]] = {}
        for source in sources:
            if (place := self.place(source)) is not None:
                found.setdefault(place[0], []).append(place[1])
        return found

    # ---- Passages

    def nearest(self, vector: NDArray[np.float32], query: Query) -> Ranked:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        return self._best(query, lambda part, own: part.nearest(vector, own))

    def worded(self, query: Query, *, every_word: bool = False) -> Ranked:
        """The rows that share words with the query; the score is BM25, best first.

        Of several stores each weighs words by its own rows.
        """
        return self._best(query, lambda part, own: part.worded(own, every_word=every_word))

    def _best(self, query: Query, found_in: Callable[[Snapshot, Query], Ranked]) -> Ranked:
        """The best rows of the stores that a query asks; of equal ones those of the first store."""
        found = []
        for bits, prefix in self._numbered():
            own = self._own_query(prefix, query)
            if own is not None:
                ranked = found_in(self.parts[prefix], own)
                found.append(Ranked(ranked.ids | bits, ranked.scores))
        if len(found) == 1:
            return found[0]
        ids = np.concatenate([Ranked.none().ids, *(each.ids for each in found)])
        scores = np.concatenate([Ranked.none().scores, *(each.scores for each in found)])
        best = np.argsort(-scores, kind="stable")[: query.limit]
        return Ranked(ids[best], scores[best])

    def _own_query(self, prefix: str, query: Query) -> Query | None:
        """What one store is asked; None where the query leaves it out."""
        if not prefix or query.among is None:
            return query
        own = frozenset(self._by_store(query.among).get(prefix, ()))
        return replace(query, among=own) if own else None

    def pool(self, *rankings: Ranked) -> Pool:
        """What the rows of the rankings are fused by, each once, store by store."""
        every = (key for ranked in rankings for key in ranked.ids.tolist())
        ids = np.array(list(dict.fromkeys(every)), np.uint64)
        pools = []
        for bits, prefix, at in self._stores_of(ids):
            own = self.parts[prefix].pool(ids[at] & OWN)
            sources = [prefix + source for source in own.sources]
            pools.append(replace(own, ids=own.ids | bits, sources=sources))
        return Pool.joined(pools)

    def hits(self, ranked: Ranked) -> list[Hit]:
        """The rows of a ranking as hits, in its order; their score is that of the ranking."""
        found: dict[int, Hit] = {}
        for _, prefix, at in self._stores_of(ranked.ids):
            own = self.parts[prefix].hits(Ranked(ranked.ids[at] & OWN, ranked.scores[at]))
            named = (replace(hit, chunk=_prefixed(prefix, hit.chunk)) for hit in own)
            found.update(zip(at.tolist(), named, strict=True))
        return [found[place] for place in range(len(ranked.ids))]

    def _numbered(self) -> Iterator[tuple[np.uint64, str]]:
        """The bits of each store's row ids, and its prefix."""
        for number, prefix in enumerate(self.parts):
            yield np.uint64(number) << STORE_BITS, prefix

    def _stores_of(
        self, ids: NDArray[np.uint64]
    ) -> Iterator[tuple[np.uint64, str, NDArray[np.intp]]]:
        """For each store that has some of the rows: its bits, its prefix and the rows' places."""
        for bits, prefix in self._numbered():
            at = np.flatnonzero(ids & ~OWN == bits)
            if len(at):
                yield bits, prefix, at


def _prefixed(prefix: str, named: _Named) -> _Named:
    """A row or a chunk with its source as it is named among several stores."""
    return replace(named, source=prefix + named.source) if prefix else named
