"""Read access to one committed version of one store, or of several that are searched as one.

Of several, a source begins with the prefix of its store, as in `notes:lease.md`; row ids of
different stores are told apart by their highest bits. What is asked for by name goes to the one
store that is named.
"""

from __future__ import annotations

import hashlib
import os
import re
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.records import Chunk, Coverage, FileRow, Hit, OpenStore, Query
from indexer.store.document_names import Names
from indexer.store.filters import Term, parse_filter, selector
from indexer.store.lance import ROW_ID, connect, quoted
from indexer.store.manifest import check_contents, hold, root_of
from indexer.store.ranking import LANCE, Pool, Ranked, backend_of, kept, rows_of, vectors_of
from indexer.store.tables import (
    CHUNK_COLUMNS,
    FILE_COLUMNS,
    WORDS,
    chunk_of,
    few_unindexed,
    file_row,
)
from indexer.store.vectors import KEY_COLUMN

if TYPE_CHECKING:
    import pyarrow as pa

KEPT_FILES = 20_000  # rows of an index with no more files are kept in memory: 8 MB
NAME_WORDS = 8  # of a name that is looked for
SIMILAR_NAMES = 500  # compared with the name of a document that is not there: 11 ms
SIMILAR = 3  # names that are proposed for one that is not there
MAX_NAME = 300  # characters of a name that are compared
WORD_START = 4  # letters; the rest may be misspelt
SAMPLES = 5  # passages that are looked at again
STORE_BITS = np.uint64(56)  # of a row id: LanceDB numbers rows below, stores stand above
_OWN = np.uint64(2**56 - 1)  # the bits of a row id within its store
_Named = TypeVar("_Named", FileRow, Chunk)
MOST_NAMES = 50_000  # documents, whose names take .5 s to be read
USES = 20  # passages with a short form, by which it is told from a word
_IS_DOCUMENT = "status IN ('indexed', 'unreachable')"


@dataclass(frozen=True, slots=True)
class Inspection:
    """How many passages there are, and are in the index of words, and how many may be without it.

    `samples` are the same from run to run: chunks with their vectors, float32 (dimension,).
    """

    chunks: int
    words_covered: int
    words_waiting: int
    few_waiting: int
    samples: list[tuple[Chunk, NDArray[np.float32]]]


class Snapshot:
    """One committed version of one store, read-only; any number may be open.

    The version stays on the disk until the snapshot is closed or collected, or its process ends.
    """

    def __init__(
        self,
        store: Path,
        root: Path | None = None,
        *,
        backend: str = LANCE,
        prefix: str = "",
        number: int = 0,
    ) -> None:
        """`root` overrides the manifest's, which is part of the store and not trusted.

        `backend` names what finds passages: see ranking.py. Of several stores this is the one of
        that `number`, whose sources begin with `prefix`.
        """
        self.store, self.backend, self.prefix = store, backend, prefix
        self._bits = np.uint64(number) << STORE_BITS
        # One version never changes, and a filter is asked for again and again.
        self._listed: dict[frozenset[str], str] = {}
        self._root = root
        self.manifest, held = hold(store)
        self.close = weakref.finalize(self, os.close, held)
        self.check()
        database = connect(store)
        self._chunks = database.open_table("chunks")
        self._chunks.checkout(self.manifest.chunks_version)
        self._files = database.open_table("files")
        self._files.checkout(self.manifest.files_version)
        self._ranking = backend_of(backend, self._chunks)

    def check(self) -> None:
        """Raise DamagedStore if a file of this version is not what was written."""
        check_contents(self.store, self.manifest)

    @property
    def root(self) -> Path:
        """The absolute corpus root; need not exist."""
        return self._root or root_of(self.store, self.manifest)

    def own(self, sources: Collection[str]) -> list[str]:
        """Those of the sources that name this store, as they are called in it."""
        start = len(self.prefix)
        return [source[start:] for source in sources if source.startswith(self.prefix)]

    # ---- Passages

    def nearest(self, vector: NDArray[np.float32], query: Query) -> Ranked:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        return self._ranked(query, lambda where: self._ranking.nearest(vector, query.limit, where))

    def worded(self, query: Query, *, every_word: bool = False) -> Ranked:
        """The rows that share words with the query; the score is BM25, best first.

        The text is matched as words: nothing in it is query syntax. With `every_word` only rows
        that hold all of them.
        """
        return self._ranked(
            query,
            lambda where: self._ranking.worded(
                query.text, query.limit, where, every_word=every_word
            ),
        )

    def _ranked(self, query: Query, rank: Callable[[str], Ranked]) -> Ranked:
        """A ranking under the condition that a row is of a document that the query may look at."""
        own = None if query.among is None else frozenset(self.own(query.among))
        if not self.manifest.chunks or (self.prefix and own is not None and not own):
            return Ranked.none()  # without chunks there is no index of words either
        found = rank("" if own is None else kept(self._listed, own, self._listing))
        return Ranked(found.ids | self._bits, found.scores)

    def _listing(self, sources: frozenset[str]) -> str:
        """The condition that a source is one of these, by the shorter list of the two."""
        rest = self.documents - sources
        if not rest:
            return ""
        if len(rest) < len(sources):
            return f"source NOT IN ({', '.join(map(quoted, sorted(rest)))})"
        return f"source IN ({', '.join(map(quoted, sorted(sources))) or quoted('')})"

    def pool(self, ids: NDArray[np.uint64]) -> Pool:
        """What those of the rows that are of this store are fused by."""
        own = ids[(ids & ~_OWN) == self._bits]
        if not len(own):
            return Pool.joined([])
        found = self._ranking.pool(own & _OWN)
        return replace(found, ids=own, sources=[self.prefix + source for source in found.sources])

    def hits(self, ranked: Ranked) -> list[Hit]:
        """Those of a ranking's rows that are of this store, in its order, with its scores."""
        at = np.flatnonzero((ranked.ids & ~_OWN) == self._bits)
        if not len(at):
            return []
        columns = [*CHUNK_COLUMNS, "file_sha256", KEY_COLUMN]
        found, places = rows_of(self._chunks, ranked.ids[at] & _OWN, columns)
        rows = found.to_pylist()
        return [
            Hit(
                self._named(chunk_of(rows[place])), score, 0.0, 0.0, rows[place]["file_sha256"],
                key=rows[place][KEY_COLUMN],
            )
            for place, score in zip(places.tolist(), ranked.scores[at].tolist(), strict=True)
        ]  # fmt: skip

    def _named(self, named: _Named) -> _Named:
        return replace(named, source=self.prefix + named.source) if self.prefix else named

    # ---- Files

    @cached_property
    def sources(self) -> list[str]:
        """The sources of all files in this store, in order."""
        return sorted(self._file_rows("", ["source"])["source"].to_pylist())

    @cached_property
    def documents(self) -> frozenset[str]:
        """The sources of all documents in this store."""
        return frozenset(self._file_rows(_IS_DOCUMENT, ["source"])["source"].to_pylist())

    def files_named(self, sources: Collection[str]) -> dict[str, FileRow]:
        """The rows of the given files, by source; unknown sources are omitted."""
        own = self.own(sources)
        if not own:
            return {}
        if self._kept_files is not None:
            rows, places = self._kept_files
            known = [places[source] for source in own if source in places]
            found = [row for place in known for row in rows.slice(place, 1).to_pylist()]
        else:
            found = self._file_rows(f"source IN ({', '.join(map(quoted, own))})").to_pylist()
        return {self.prefix + row["source"]: self._named(file_row(row)) for row in found}

    @cached_property
    def _kept_files(self) -> tuple[pa.Table, dict[str, int]] | None:
        """All file rows with the place of each source, None if they are too many to be kept."""
        if self._files.count_rows() > KEPT_FILES:
            return None
        rows = self._file_rows("")
        return rows, {source: place for place, source in enumerate(rows["source"].to_pylist())}

    def files(self) -> list[FileRow]:
        """The rows of all files, by source."""
        rows = (self._named(file_row(row)) for row in self._file_rows("").to_pylist())
        return sorted(rows, key=lambda row: row.source)

    def selects(self, path: str) -> Callable[[str], bool]:
        """Whether a path, which may name this store or another, selects a source of this one."""
        if self.prefix and path.startswith(self.prefix):
            path = path[len(self.prefix) :]
        return selector(path)

    def matching(self, terms: Sequence[Term]) -> Iterator[str]:
        """The sources in this store of the files that fulfil all terms, none of which is a path."""
        columns = {"source", "status", *(term.column for term in terms)}
        for values in self._file_rows("", [*columns]).to_pylist():
            row = FileRow(**values)
            if all(term.matches(row) for term in terms):
                yield row.source

    def similar(self, source: str, *, folders: bool = True) -> list[str]:
        """Up to three documents with names similar to `source`, most similar first.

        With `folders` those too, as "contracts/", where it has no ending of a file; without, the
        first documents of the folder that it is.
        """
        source = source.removeprefix(self.prefix)
        begins = [
            word[:WORD_START] for word in re.findall(r"[^\W_]{3,}", source.casefold())[:NAME_WORDS]
        ]
        alike = (
            name
            for name in sorted(self.documents)
            if any(begin in name.casefold() for begin in begins)
        )
        names = [*islice(alike, SIMILAR_NAMES)]
        inside = [name for name in names if name.startswith(f"{source.rstrip('/')}/")]
        if folders and not PurePosixPath(source).suffix:
            above = (folder for name in names for folder in PurePosixPath(name).parents[:-1])
            names += dict.fromkeys(f"{folder}/" for folder in above)
        if folders or not inside:
            inside = get_close_matches(source[:MAX_NAME], names, n=SIMILAR, cutoff=0.5)
        return [self.prefix + name for name in inside[:SIMILAR]]

    def _file_rows(self, where: str, columns: list[str] | None = None) -> pa.Table:
        """Columns of the file rows that fulfil a condition in SQL; of all with ""."""
        return self._files.rows(columns or FILE_COLUMNS, where)

    # ---- For checks

    def inspect(self) -> Inspection:
        """What a check of the index looks at; samples are drawn by a hash of their ids."""
        chunks = self.manifest.chunks
        rows = self._chunks.rows(["id", ROW_ID])
        lots = (hashlib.sha256(key.encode()).digest() for key in rows["id"].to_pylist())
        drawn = nsmallest(SAMPLES, zip(lots, rows[ROW_ID].to_pylist(), strict=True))
        samples = []
        if drawn:
            ids = np.array([row for _, row in drawn], np.uint64)
            found, _ = rows_of(self._chunks, ids, [*CHUNK_COLUMNS, "vector"])
            samples = [*zip(map(chunk_of, found.to_pylist()), vectors_of(found), strict=True)]
        return Inspection(chunks, *self.text_index_rows(), few_unindexed(chunks), samples)

    def text_index_rows(self) -> tuple[int, int]:
        """Numbers of chunk rows inside and outside the full-text index."""
        indices = self._chunks.indices()
        found = ((i.num_indexed_rows, i.num_unindexed_rows) for i in indices if i.name == WORDS)
        return next(found, (0, self.manifest.chunks))


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
