"""Read access to committed versions of stores, one alone or several that are searched as one.

Of several, a source begins with the prefix of its store, as in `notes:lease.md`; row ids of
different stores are told apart by their highest bits.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import chain, islice
from math import log1p
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.records import Chunk, Coverage, FileRow, Hit, OpenStore, Query
from indexer.store.document_names import Names
from indexer.store.filters import Term, parse_filter, selector
from indexer.store.lance import ROW_ID, SCORE, open_table, quoted, with_sources
from indexer.store.manifest import check_contents, hold, root_of
from indexer.store.ranking import Candidate, Ranking, Vectors, best, vectors_of
from indexer.store.tables import CHUNK_COLUMNS, FILE_COLUMNS, FULL_TEXT_COLUMN, KEY_COLUMN, chunk_of

SAMPLES = 5  # passages that a check looks at again
# More rows by words than are asked for: LanceDB hands out equal scores in any order, and the first
# of them are to be the same each time.
TIED = 64
STORE_BITS = 56  # of a row's key: LanceDB numbers rows below, stores stand above
_IS_DOCUMENT = "status IN ('indexed', 'unreachable')"
MOST_NAMES = 50_000  # documents, whose names take .5 s to be read
USES = 20  # passages with a short form, by which it is told from a word
SIMILAR = 3  # names that are proposed for one that is not there
SIMILAR_NAMES = 500  # compared with it: 11 ms
NAME_WORDS, WORD_START = 8, 4  # of it that are looked for: words, and letters of each
MAX_NAME = 300  # characters of it that are compared
_Named = TypeVar("_Named", FileRow, Chunk)


class Snapshot:
    """One committed version of one store, read-only; any number may be open.

    The version stays on the disk until the snapshot is closed or collected, or its process ends.
    """

    def __init__(
        self, store: Path, root: Path | None = None, *, prefix: str = "", number: int = 0
    ) -> None:
        """`root` overrides the manifest's, which is part of the store and not trusted.

        Of several stores this is the one of that `number`, whose sources begin with `prefix`.
        """
        self.store, self.prefix = store, prefix
        self._first = number << STORE_BITS  # of the keys of this store's rows
        self.manifest, held = hold(store)
        self.close = weakref.finalize(self, held.close)
        check_contents(store, self.manifest)
        self.root = root or root_of(store, self.manifest)  # it need not exist
        self._chunks = open_table(store, "chunks", self.manifest.chunks_version)
        self._files = open_table(store, "files", self.manifest.files_version)
        self._vectors = Vectors(self._chunks)

    def own(self, sources: Iterable[str]) -> list[str]:
        """Those of the sources that name this store, as they are called in it."""
        start = len(self.prefix)
        return [source[start:] for source in sources if source.startswith(self.prefix)]

    def _named(self, named: _Named) -> _Named:
        return replace(named, source=self.prefix + named.source) if self.prefix else named

    # ---- Passages

    def ranked(
        self, query: Query, vector: NDArray[np.float32] | None = None, *, every_word: bool = False
    ) -> Ranking:
        """The rows of documents that the query may look at, best first; see Snapshots."""
        own = None if query.among is None else frozenset(self.own(query.among))
        if not self.manifest.chunks or (own is not None and not own):
            return {}  # without chunks there is no index of words either
        where = "" if own is None else _condition(own, self._sources)
        if vector is not None:
            ranking = self._vectors.nearest(vector, query.limit, own, where)
        else:
            most = query.limit + TIED
            found = self._chunks.worded(
                query.text, FULL_TEXT_COLUMN, most, where, every_word=every_word
            )
            ranking = best(found[ROW_ID].to_numpy(), found[SCORE].to_numpy(), query.limit)
        return {self._first + row: score for row, score in ranking.items()}

    def _rows(self, keys: Iterable[int]) -> list[int]:
        """The numbers, as LanceDB has them, of those rows that are of this store."""
        return [key - self._first for key in keys if 0 <= key - self._first < 1 << STORE_BITS]

    def pool(self, keys: Iterable[int]) -> list[Candidate]:
        """What those of the rows that are of this store are fused by."""
        rows = self._rows(keys)
        return [
            one._replace(id=self._first + one.id, source=self.prefix + one.source)
            for one in (self._vectors.candidates(rows) if rows else ())
        ]

    def hits(self, ranking: Ranking) -> dict[int, Hit]:
        """Those of a ranking's rows that are of this store, in its order, with its scores."""
        rows = self._rows(ranking)
        columns = [*CHUNK_COLUMNS, KEY_COLUMN]
        found = self._chunks.take(rows, columns).to_pylist() if rows else []
        by_key = {self._first + one[ROW_ID]: one for one in found}
        return {
            key: Hit(self._named(chunk_of(one)), ranking[key], 0.0, 0.0, key=one[KEY_COLUMN])
            for key in ranking
            if (one := by_key.get(key))
        }

    # ---- Files

    @cached_property
    def _sources(self) -> frozenset[str]:
        """The names of all documents in this store."""
        return frozenset(self._files.rows(["source"], _IS_DOCUMENT)["source"].to_pylist())

    @cached_property
    def documents(self) -> frozenset[str]:
        """The sources of all documents."""
        return frozenset(map(self.prefix.__add__, self._sources)) if self.prefix else self._sources

    def rows(self, where: str = "") -> Iterator[FileRow]:
        """The file rows that fulfil a condition in SQL."""
        rows = self._files.rows(FILE_COLUMNS, where).to_pylist()
        return (self._named(FileRow(**row)) for row in rows)

    def samples(self) -> list[tuple[Chunk, NDArray[np.float32]]]:
        """Some chunks, the same each time, with their vectors, float32 (dimension,)."""
        ids = np.sort(self._chunks.rows([ROW_ID])[ROW_ID].to_numpy())
        some = ids[:: max(1, len(ids) // SAMPLES)][:SAMPLES].tolist()
        if not some:
            return []
        found = self._chunks.take(some, [*CHUNK_COLUMNS, "vector"])
        return [*zip(map(chunk_of, found.to_pylist()), vectors_of(found), strict=True)]


@lru_cache(4)  # a filter is asked for again and again
def _condition(sources: frozenset[str], documents: frozenset[str]) -> str:
    """The condition that a source is one of these of all documents, by the shorter list."""
    rest = documents - sources
    if len(rest) < len(sources):
        return f"source NOT IN ({', '.join(map(quoted, sorted(rest)))})" if rest else ""
    return f"source IN ({', '.join(map(quoted, sorted(sources)))})"


class Snapshots:
    """Versions of stores by the prefix of their sources, "" for one alone; at most 256."""

    def __init__(self, stores: Mapping[str, tuple[Path, Path | None]]) -> None:
        """The newest committed versions of stores, each a folder and a root: see Snapshot."""
        assert 0 < len(stores) <= 256, "the number of a store is eight bits of a row id"
        assert "" not in stores or len(stores) == 1, "one store alone has no name"
        self.parts = {
            prefix: Snapshot(store, root, prefix=prefix, number=number)
            for number, (prefix, (store, root)) in enumerate(stores.items())
        }
        self.bounds: frozenset[str] | None = None  # the documents that there are; None: all
        # One version never changes, and an answer asks for the same rows many times.
        self._rows: dict[str, FileRow] = {}

    def is_here(self, source: str) -> bool:
        """Whether a file is not out of bounds."""
        return self.bounds is None or source in self.bounds

    def check(self) -> None:
        """Raise DamagedStore if a file of a version is not what was written."""
        for part in self.parts.values():
            check_contents(part.store, part.manifest)

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
        if self.bounds is not None:
            return Coverage.of(self.files())
        every = [part.manifest.coverage for part in self.parts.values()]
        names = [each.name for each in fields(Coverage)]
        return Coverage(**{name: sum(getattr(one, name) for one in every) for name in names})

    @property
    def languages(self) -> frozenset[str]:
        """The codes of the languages that passages are in."""
        return frozenset(chain.from_iterable(p.manifest.languages for p in self.parts.values()))

    @property
    def stores(self) -> tuple[OpenStore, ...]:
        """The stores that sources are named after; none where it is one alone."""
        return tuple(
            OpenStore(prefix[:-1], part.store, part.manifest.version)
            for prefix, part in self.parts.items()
            if prefix
        )

    # ---- Files

    def split(self, source: str) -> tuple[Snapshot | None, str]:
        """The store that a source names, None if it is none, and its name there."""
        part = next((p for prefix, p in self.parts.items() if source.startswith(prefix)), None)
        return part, source if part is None else source.removeprefix(part.prefix)

    @cached_property
    def documents(self) -> frozenset[str]:
        """The sources of all documents."""
        return frozenset().union(*(part.documents for part in self.parts.values()))

    def files_named(self, sources: Collection[str]) -> dict[str, FileRow]:
        """The rows of the given files and of others asked for before, by source."""
        missing = [source for source in sources if source not in self._rows]
        for part in self.parts.values():
            for where in with_sources(part.own(missing)):
                self._rows |= {row.source: row for row in part.rows(where)}
        return self._rows

    def files(
        self, paths: Sequence[str] = (), not_paths: Sequence[str] = (), where: str = ""
    ) -> list[FileRow]:
        """The file rows by source: all, or those that paths select, without some, and a filter.

        A path is the beginning of a source, or a glob as of an ignore file (`*.pdf`,
        `tax/**/2024-*`): of one store where it names that, else of each. Raises UsageError for a
        filter that is none.
        """
        given = ("=", paths), ("!=", not_paths)
        terms = [Term("path", comparison, tuple(some)) for comparison, some in given if some]
        holds = [*map(self._holding, (*parse_filter(where), *terms))]
        rows = chain.from_iterable(part.rows() for part in self.parts.values())
        chosen = (row for row in rows if self.is_here(row.source) and all(h(row) for h in holds))
        found = {row.source: row for row in sorted(chosen, key=lambda row: row.source)}
        self._rows |= found
        return [*found.values()]

    def _selecting(self, path: str) -> Callable[[str], bool]:
        """Whether a path selects a source."""
        named, pattern = self.split(path)
        matches = selector(pattern)

        def selects(source: str) -> bool:
            part, name = self.split(source)
            return named in (None, part) and matches(name)

        return selects

    def selects(self, path: str) -> bool:
        """Whether a path selects any document."""
        return any(map(self._selecting(path), self.documents))

    def _holding(self, term: Term) -> Callable[[FileRow], bool]:
        """Whether a term holds for a file, of which it compares a property or the path."""
        if term.key != "path":
            return term.matches
        paths = [self._selecting(str(value)) for value in term.values]
        return lambda row: any(one(row.source) for one in paths) != (term.comparison == "!=")

    def similar(self, source: str) -> list[str]:
        """Up to three documents below a folder of that name, else similar documents or folders."""
        named, name = self.split(source)
        words = re.findall(r"[^\W_]{3,}", name)[:NAME_WORDS]
        begins = [word.casefold()[:WORD_START] for word in words]
        every = sorted(filter(self.is_here, (self if named is None else named).documents))
        if source.endswith("/"):
            every = sorted({f"{name.rpartition('/')[0]}/" for name in every if "/" in name})
        alike = (name for name in every if any(begin in name.casefold() for begin in begins))
        names = [*islice(alike, SIMILAR_NAMES)]
        inside = [name for name in names if name.startswith(f"{source.rstrip('/')}/")]
        return inside[:SIMILAR] or get_close_matches(source[:MAX_NAME], names, SIMILAR, 0.5)

    @cached_property
    def _names(self) -> Names:
        """The names of all documents; of none, where they are too many to be looked through."""
        return Names(self.documents if len(self.documents) <= MOST_NAMES else ())

    def amendments(self, source: str) -> list[str]:
        """The documents that are named as changes of another, of those it may look at."""
        return [*filter(self.is_here, self._names.amendments(source))]

    def named(self, query: Query) -> dict[str, float]:
        """The documents that a query names, of those it may look at, and how likely each is meant.

        A short form is a name unless the passages that have it as a word are of other documents.
        What several words shorten, as in J&J, is none.
        """
        named, short = self._names.find(query.text)
        for form, own in short.items():
            says = self.ranked(replace(query, text=form, limit=USES), every_word=True)
            uses = self.pool(says) if " " not in form else ()
            if 2 * sum(use.source in own for use in uses) >= len(uses):
                named |= own
        return self._names.nearness(
            named if query.among is None else named & query.among, query.text
        )

    # ---- Passages

    def ranked(
        self, query: Query, vector: NDArray[np.float32] | None = None, *, every_word: bool = False
    ) -> Ranking:
        """The rows nearest to a unit vector, by their cosine, or that share words with the query.

        Those by words have a score of BM25, or hold `every_word`: nothing in the text is syntax. Of
        several stores each weighs words by its own rows, a rare one by the logarithm of their
        number: it is brought to that of all.
        """
        sizes = [part.manifest.chunks for part in self.parts.values()]
        rows = list[tuple[int, float]]()
        for part, size in zip(self.parts.values(), sizes, strict=True):
            found = part.ranked(query, vector, every_word=every_word)
            scale = log1p(sum(sizes)) / log1p(size) if found and vector is None else 1.0
            rows += ((row, score * scale) for row, score in found.items())
        return dict(sorted(rows, key=lambda row: -row[1])[: query.limit])  # ties: store by store

    def pool(self, *rankings: Iterable[int]) -> list[Candidate]:
        """What the rows of the rankings are fused by, each once, store by store."""
        keys = dict.fromkeys(chain.from_iterable(rankings))
        return [one for part in self.parts.values() for one in part.pool(keys)]

    def hits(self, ranking: Ranking) -> list[Hit]:
        """The rows of a ranking as hits, in its order; their score is that of the ranking."""
        found: dict[int, Hit] = {}
        for part in self.parts.values():
            found |= part.hits(ranking)
        return [found[key] for key in ranking]
