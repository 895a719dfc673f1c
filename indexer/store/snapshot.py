"""Read access to one committed version of one index."""

from __future__ import annotations

import hashlib
import os
import re
import weakref
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.records import Chunk, FileRow, Hit, Query
from indexer.store.backends import LANCE, ranking_by
from indexer.store.filters import Term
from indexer.store.folder import translated
from indexer.store.integrity import check_contents
from indexer.store.lance import ROW_ID
from indexer.store.manifest import hold, root_of
from indexer.store.ranking import Pool, Ranked, kept, rows_of, vectors_of
from indexer.store.rows import (
    CHUNK_COLUMNS,
    FILE_COLUMNS,
    chunk_of,
    connect,
    file_row,
    quoted,
)
from indexer.store.tables import WORDS, few_unindexed
from indexer.store.vectors import KEY_COLUMN

if TYPE_CHECKING:
    import pyarrow as pa

KEPT_FILES = 20_000  # rows of an index with no more files are kept in memory: 8 MB
NAME_WORDS = 8  # of a name that is looked for
SIMILAR_NAMES = 500  # compared with the name of a document that is not there: 11 ms
MAX_NAME = 300  # characters of a name that are compared
WORD_START = 4  # letters; the rest may be misspelt
SAMPLES = 5  # passages that are looked at again
_SELECTED = [*CHUNK_COLUMNS, "file_sha256", KEY_COLUMN]
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
    """One committed version of an index, read-only; any number may be open.

    The version stays on the disk until the snapshot is closed or collected, or its process ends.
    """

    def __init__(self, store: Path, root: Path | None = None, *, backend: str = LANCE) -> None:
        """`root` overrides the manifest's, which is part of the store and not trusted.

        `backend` names what finds passages: see backends.py.
        """
        self.store = store
        self.backend = backend
        # One version never changes, and a filter is asked for again and again.
        self._listed: dict[frozenset[str], str] = {}
        self._root = root
        self.manifest, held = hold(store)
        self.close = weakref.finalize(self, os.close, held)
        self.check()
        with translated(store):
            database = connect(store)
            self._chunks = database.open_table("chunks")
            self._chunks.checkout(self.manifest.chunks_version)
            self._files = database.open_table("files")
            self._files.checkout(self.manifest.files_version)
        self._ranking = ranking_by(backend, self._chunks)

    def check(self) -> None:
        """Raise DamagedStore if a file of this version is not what was written."""
        check_contents(self.store, self.manifest)

    @property
    def root(self) -> Path:
        """The absolute corpus root; need not exist."""
        return self._root or root_of(self.store, self.manifest)

    # ---- Passages

    def nearest(self, vector: NDArray[np.float32], query: Query) -> Ranked:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        if not self.manifest.chunks:
            return Ranked.none()
        with translated(self.store):
            return self._ranking.nearest(vector, query.limit, self._condition(query))

    def worded(self, query: Query, *, every_word: bool = False) -> Ranked:
        """The rows that share words with the query; the score is BM25, best first.

        The text is matched as words: nothing in it is query syntax. With `every_word` only rows
        that hold all of them.
        """
        if not self.manifest.chunks:  # then there is no full-text index either
            return Ranked.none()
        with translated(self.store):
            where = self._condition(query)
            return self._ranking.worded(query.text, query.limit, where, every_word=every_word)

    def _condition(self, query: Query) -> str:
        """The condition that a passage is of a document that the query may look at; "": of all."""
        return "" if query.among is None else kept(self._listed, query.among, self._listing)

    def _listing(self, sources: frozenset[str]) -> str:
        """The condition that a source is one of these, by the shorter list of the two."""
        rest = self.documents - sources
        if not rest:
            return ""
        if len(rest) < len(sources):
            return f"source NOT IN ({', '.join(map(quoted, sorted(rest)))})"
        return f"source IN ({', '.join(map(quoted, sorted(sources))) or quoted('')})"

    def pool(self, ids: NDArray[np.uint64]) -> Pool:
        """What rows are fused by."""
        with translated(self.store):
            return self._ranking.pool(ids)

    def hits(self, ranked: Ranked) -> list[Hit]:
        """The rows of a ranking as hits, in its order; their score is that of the ranking."""
        if not len(ranked.ids):
            return []
        with translated(self.store):
            found, places = rows_of(self._chunks, ranked.ids, _SELECTED)
        rows = found.to_pylist()
        scored = zip(places.tolist(), ranked.scores.tolist(), strict=True)
        return [
            Hit(chunk_of(row := rows[at]), score, 0.0, 0.0, row["file_sha256"], key=row[KEY_COLUMN])
            for at, score in scored
        ]

    # ---- Files

    @cached_property
    def sources(self) -> list[str]:
        """The sources of all files, in order."""
        return sorted(self._file_rows("", ["source"])["source"].to_pylist())

    @cached_property
    def documents(self) -> frozenset[str]:
        """The sources of all documents of this version."""
        return frozenset(self._file_rows(_IS_DOCUMENT, ["source"])["source"].to_pylist())

    def files_named(self, sources: Collection[str]) -> dict[str, FileRow]:
        """The rows of the given files, by source; unknown sources are omitted."""
        if not sources:
            return {}
        if self._kept_files is not None:
            rows, places = self._kept_files
            known = [places[source] for source in sources if source in places]
            found = [row for place in known for row in rows.slice(place, 1).to_pylist()]
        else:
            found = self._file_rows(f"source IN ({', '.join(map(quoted, sources))})").to_pylist()
        return {row["source"]: file_row(row) for row in found}

    @cached_property
    def _kept_files(self) -> tuple[pa.Table, dict[str, int]] | None:
        """All file rows with the place of each source, None if they are too many to be kept."""
        with translated(self.store):
            if self._files.count_rows() > KEPT_FILES:
                return None
        rows = self._file_rows("")
        return rows, {source: place for place, source in enumerate(rows["source"].to_pylist())}

    def files(self) -> list[FileRow]:
        """The rows of all files, by source."""
        return sorted(map(file_row, self._file_rows("").to_pylist()), key=lambda row: row.source)

    def matching(self, terms: Sequence[Term]) -> Iterator[str]:
        """The sources of the files that fulfil all terms, of which none is of a path."""
        columns = {"source", "status", *(term.column for term in terms)}
        for values in self._file_rows("", [*columns]).to_pylist():
            row = FileRow(**values)
            if all(term.matches(row) for term in terms):
                yield row.source

    def similar(self, source: str, *, folders: bool = True) -> list[str]:
        """Up to three indexed sources with names similar to `source`, most similar first.

        With `folders` those too, as "contracts/", where it has no ending of a file; without, the
        first documents of the folder that it is.
        """
        words = re.findall(r"[^\W_]{3,}", source.casefold())[:NAME_WORDS]
        begins = [word[:WORD_START] for word in words]
        alike = (name for name in sorted(self.documents) if _holds_any(name.casefold(), begins))
        names = [*islice(alike, SIMILAR_NAMES)]
        if not folders:
            inside = [name for name in names if name.startswith(f"{source.rstrip('/')}/")]
            if inside:
                return inside[:3]
        elif not PurePosixPath(source).suffix:
            above = (folder for name in names for folder in PurePosixPath(name).parents[:-1])
            names += dict.fromkeys(f"{folder}/" for folder in above)
        return get_close_matches(source[:MAX_NAME], names, n=3, cutoff=0.5)

    def _file_rows(self, where: str, columns: list[str] | None = None) -> pa.Table:
        """Columns of the file rows that fulfil a condition in SQL; of all with ""."""
        with translated(self.store):
            return self._files.rows(columns or FILE_COLUMNS, where)

    # ---- For checks

    def inspect(self) -> Inspection:
        """What a check of the index looks at; samples are drawn by a hash of their ids."""
        chunks = self.manifest.chunks
        with translated(self.store):
            rows = self._chunks.rows(["id", ROW_ID])
            lots = (hashlib.sha256(key.encode()).digest() for key in rows["id"].to_pylist())
            drawn = nsmallest(SAMPLES, zip(lots, rows[ROW_ID].to_pylist(), strict=True))
            ids = np.array([row for _, row in drawn], np.uint64)
            samples = []
            if drawn:
                found, _ = rows_of(self._chunks, ids, [*CHUNK_COLUMNS, "vector"])
                samples = [*zip(map(chunk_of, found.to_pylist()), vectors_of(found), strict=True)]
        return Inspection(chunks, *self.text_index_rows(), few_unindexed(chunks), samples)

    def text_index_rows(self) -> tuple[int, int]:
        """Numbers of chunk rows inside and outside the full-text index."""
        with translated(self.store):
            indices = self._chunks.indices()
        found = ((i.num_indexed_rows, i.num_unindexed_rows) for i in indices if i.name == WORDS)
        return next(found, (0, self.manifest.chunks))


def _holds_any(text: str, parts: Sequence[str]) -> bool:
    return any(part in text for part in parts)
