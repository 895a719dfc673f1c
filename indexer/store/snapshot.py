"""Read access to one committed version of one store."""

from __future__ import annotations

import hashlib
import os
import re
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from indexer.records import Chunk, FileRow, Hit, Query
from indexer.store.filters import Term, selector
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
