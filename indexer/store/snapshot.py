"""Read access to one committed version of an index."""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.records import Chunk, FileRow, Hit, Query
from indexer.store.backends import LANCE, Finder, maker_of
from indexer.store.exact import MAX_BYTES, Pool, Ranked
from indexer.store.filters import Term
from indexer.store.folder import translated
from indexer.store.indices import VECTORS, WORDS, trained_partitions
from indexer.store.integrity import check_contents
from indexer.store.manifest import hold, root_of
from indexer.store.ranking import Ranking, kept, rows_of
from indexer.store.rows import (
    CHUNK_COLUMNS,
    FULL_TEXT_COLUMN,
    chunk_of,
    connect,
    file_row,
    quoted,
    with_texts,
)
from indexer.store.selection import condition
from indexer.store.vectors import KEY_COLUMN

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import Table

BATCH_ROWS = 4_096
LISTED_SOURCES = 500  # in one condition: a longer list of literals is slow to plan
KEPT_FILES = 20_000  # rows of an index with no more files are kept in memory: 8 MB
NAME_WORDS = 8  # of a name that is looked for
SIMILAR_NAMES = 500  # compared with the name of a document that is not there: 11 ms
MAX_NAME = 300  # characters of a name that are compared
WORD_START = 4  # letters; the rest may be misspelt


class Snapshot:
    """One committed version of an index, read-only; any number may be open.

    The version stays on the disk until the snapshot is closed or collected, or its process ends.
    """

    def __init__(
        self,
        store: Path,
        root: Path | None = None,
        *,
        exact_bytes: int = MAX_BYTES,
        backend: str = LANCE,
    ) -> None:
        """`root` overrides the manifest's, which is part of the store and not trusted.

        Vectors without an index are kept in memory from the second search on if they are at most
        `exact_bytes`. `backend`: see backends.py.
        """
        self.store = store
        self.backend = backend
        self._make_backend = maker_of(backend)
        self._filling = threading.Lock()
        self._found_by: Finder | None = None
        # One version never changes, and a filter is asked for again and again.
        self._listed: dict[frozenset[str], str] = {}
        self._root = root
        self.manifest, held = hold(store)
        self.close = weakref.finalize(self, os.close, held)
        check_contents(store, self.manifest)
        with translated(store):
            database = connect(store)
            self._chunks = database.open_table("chunks")
            self._chunks.checkout(self.manifest.chunks_version)
            self._files = database.open_table("files")
            self._files.checkout(self.manifest.files_version)
        few = 4 * self.manifest.fingerprint.dimension * self.manifest.chunks <= exact_bytes
        self._ranking = Ranking(self._chunks, partial(_partitions, self._chunks), few=few)

    def check(self) -> None:
        """Raise DamagedStore if a file of this version was changed since it was opened."""
        check_contents(self.store, self.manifest)

    @property
    def root(self) -> Path:
        """The absolute corpus root; need not exist."""
        return self._root or root_of(self.store, self.manifest)

    def by_vector(self, vector: NDArray[np.float32], query: Query) -> list[Hit]:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        return self.hits(self.nearest(vector, query))

    def by_text(self, query: Query, *, every_word: bool = False) -> list[Hit]:
        """The rows that share words with the query; the score is BM25, best first."""
        return self.hits(self.worded(query, every_word=every_word))

    def nearest(self, vector: NDArray[np.float32], query: Query) -> Ranked:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        if not self.manifest.chunks:
            return Ranked.none()
        if (finder := self._finder()) is not None:
            return finder.nearest(vector, query.limit, self._ids_for(query))
        with translated(self.store):
            return self._ranking.nearest(vector, query.limit, self._condition(query))

    def worded(self, query: Query, *, every_word: bool = False) -> Ranked:
        """The rows that share words with the query; the score is BM25, best first.

        The text is matched as words: nothing in it is query syntax. With `every_word` only rows
        that hold all of them.
        """
        if not self.manifest.chunks:  # then there is no full-text index either
            return Ranked.none()
        if (finder := self._finder()) is not None:
            among = self._ids_for(query)
            return finder.worded(query.text, query.limit, among, every_word=every_word)
        with translated(self.store):
            where = self._condition(query)
            return self._ranking.worded(query.text, query.limit, where, every_word=every_word)

    def _finder(self) -> Finder | None:
        """The backend with the rows of this version, filled by the first search; None: LanceDB."""
        if self._make_backend is None:
            return None
        with self._filling:
            if self._found_by is None:
                with translated(self.store):
                    made = self._make_backend()
                    self._found_by = Finder(self.backend, made, self._chunks, FULL_TEXT_COLUMN)
        return self._found_by

    def _ids_for(self, query: Query) -> NDArray[np.uint64] | None:
        """The ids of the rows that a query may look at; None: of all."""
        with translated(self.store):
            return self._ranking.among(self._condition(query))

    def matching(self, terms: Sequence[Term]) -> Iterator[str]:
        """The sources of the files that fulfil all terms, of which none is of a path."""
        rows = self._rows_with(sorted({name for term in terms for name in term.columns}))
        return (row.source for row in rows if all(term.matches(row) for term in terms))

    def sources_at(self, paths: Sequence[str]) -> frozenset[str]:
        """The sources of the files that paths select, as of a Query."""
        return self._named(condition(paths))

    def _named(self, where: str) -> frozenset[str]:
        """The sources of the files that fulfil a condition in SQL."""
        with translated(self.store):
            rows = self._files.search().where(where).select(["source"]).to_arrow()
        return frozenset(rows["source"].to_pylist())

    def _rows_with(self, columns: list[str]) -> Iterator[FileRow]:
        """All file rows with these columns alone, beside source and status."""
        listed = list(dict.fromkeys(["source", "status", *columns]))
        with translated(self.store):
            rows = self._files.search().select(listed).to_arrow()
        for values in zip(*(rows[name].to_pylist() for name in listed), strict=True):
            yield FileRow(**dict(zip(listed, values, strict=True)))

    def _condition(self, query: Query) -> str:
        """The condition that a passage is of a document that the query may look at; "": of all."""
        among = ""
        if query.among is not None:
            among = kept(self._listed, query.among, self._listing)
        parts = (condition(query.paths, query.not_paths), among)
        return " AND ".join(part for part in parts if part)

    def _listing(self, sources: frozenset[str]) -> str:
        """The condition that a source is one of these, by the shorter list of the two."""
        rest = self.documents - sources
        if not rest:
            return ""
        if len(rest) < len(sources):
            return f"source NOT IN ({', '.join(map(quoted, sorted(rest)))})"
        return f"source IN ({', '.join(map(quoted, sorted(sources))) or quoted('')})"

    @cached_property
    def documents(self) -> frozenset[str]:
        """The sources of all documents of this version."""
        return self._named("status IN ('indexed', 'unreachable')")

    def pool(self, *rankings: Ranked) -> Pool:
        """What the rows of the rankings are fused by, each once, in the order of their first."""
        every = (key for ranked in rankings for key in ranked.ids.tolist())
        ids = np.array(list(dict.fromkeys(every)), np.uint64)
        if not len(ids):
            return Pool.joined([])
        with translated(self.store):
            return self._ranking.pool(ids)

    def hits(self, ranked: Ranked) -> list[Hit]:
        """The rows of a ranking as hits, in its order; their score is that of the ranking."""
        if not len(ranked.ids):
            return []
        with translated(self.store):
            rows = rows_of(self._chunks, ranked.ids, _SELECTED).to_pylist()
        return [
            Hit(chunk_of(row), score, 0.0, 0.0, row["file_sha256"], key=row[KEY_COLUMN])
            for row, score in zip(rows, ranked.scores.tolist(), strict=True)
        ]

    def file(self, source: str) -> FileRow | None:
        """The row of one file, None if the walk never found it."""
        return self.files_named([source]).get(source)

    def files_named(self, sources: Collection[str]) -> dict[str, FileRow]:
        """The rows of the given files, by source; unknown sources are omitted."""
        if not sources:
            return {}
        if self._kept_files is not None:
            rows, places = self._kept_files
            known = [places[source] for source in sources if source in places]
            found = rows.take(known).to_pylist() if known else []
            return {row["source"]: file_row(row) for row in found}
        listed = ", ".join(map(quoted, sources))
        with translated(self.store):
            rows = self._files.search().where(f"source IN ({listed})").to_list()
        return {row["source"]: file_row(row) for row in rows}

    @cached_property
    def _kept_files(self) -> tuple[pa.Table, dict[str, int]] | None:
        """All file rows with the place of each source, None if they are too many to be kept."""
        with translated(self.store):
            if self._files.count_rows() > KEPT_FILES:
                return None
            rows = self._files.to_arrow()
        places = enumerate(rows["source"].to_pylist())
        return rows, {source: place for place, source in places}

    def selects(self, path: str) -> bool:
        """Whether a path, as of a Query, selects any document of the index."""
        where = f"status IN ('indexed', 'unreachable') AND {condition([path])}"
        with translated(self.store):
            return bool(self._files.search().where(where).select(["source"]).limit(1).to_list())

    def similar(self, source: str, *, folders: bool = True) -> list[str]:
        """Up to three indexed sources with names similar to `source`, most similar first.

        With `folders` those too, as "contracts/", where it has no ending of a file; without, the
        first documents of the folder that it is.
        """
        names = self.sources_like(source, SIMILAR_NAMES)
        if not folders:
            inside = [name for name in names if name.startswith(f"{source.rstrip('/')}/")]
            if inside:
                return sorted(inside)[:3]
        elif not PurePosixPath(source).suffix:
            above = (folder for name in names for folder in PurePosixPath(name).parents[:-1])
            names += dict.fromkeys(f"{folder}/" for folder in above)
        return get_close_matches(source[:MAX_NAME], names, n=3, cutoff=0.5)

    def sources_like(self, name: str, limit: int) -> list[str]:
        """Up to `limit` indexed sources that share the beginning of a word with `name`."""
        words = dict.fromkeys(re.findall(r"[^\W_]{3,}", name.casefold())[:NAME_WORDS])
        if not words:
            return []
        any_of = " OR ".join(
            f"contains(lower(source), {quoted(word[:WORD_START])})" for word in words
        )
        with translated(self.store):
            query = self._files.search().where(
                f"status IN ('indexed', 'unreachable') AND ({any_of})"
            )
            rows = query.select(["source"]).limit(limit).to_list()
        return [row["source"] for row in rows]

    def files(self, paths: Sequence[str] = (), not_paths: Sequence[str] = ()) -> list[FileRow]:
        """The file rows by source; all, or those that paths select, as of a Query."""
        where = condition(paths, not_paths)
        with translated(self.store):
            found = (
                self._files.search().where(where).to_arrow() if where else self._files.to_arrow()
            )
            rows = found.to_pylist()
        return sorted((file_row(row) for row in rows), key=lambda row: row.source)

    def main_languages(self) -> dict[str, str]:
        """The language of most passages of each document; "" where they tell none."""
        with translated(self.store):
            rows = self._chunks.search().select(["source", "language"]).to_arrow()
        counted = rows.group_by(["source", "language"]).aggregate([([], "count_all")])
        found: dict[str, tuple[int, str]] = {}
        for row in counted.to_pylist():
            most = (row["count_all"], row["language"] or "")
            found[row["source"]] = max(most, found.get(row["source"], most))
        return {source: language for source, (_, language) in found.items()}

    def passages(self, sources: Collection[str]) -> dict[str, list[Chunk]]:
        """The passages of the given documents in order, by source."""
        found: dict[str, list[Chunk]] = {source: [] for source in sources}
        listed = list(found)
        for start in range(0, len(listed), LISTED_SOURCES):
            some = ", ".join(map(quoted, listed[start : start + LISTED_SOURCES]))
            with translated(self.store):
                rows = self._chunks.search().where(f"source IN ({some})").select([*CHUNK_COLUMNS])
                for row in rows.to_list():
                    found[row["source"]].append(chunk_of(row))
        for chunks in found.values():
            chunks.sort(key=lambda chunk: chunk.ordinal)
        return found

    def chunk_rows(self) -> pa.Table:
        """All chunk rows with all columns and their texts, for checks and comparisons."""
        with translated(self.store):
            return with_texts(self._chunks.to_arrow())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All chunk rows in batches: key, chunk and vector, for checks of a large index."""
        with translated(self.store):
            rows = self._chunks.search().select(["id", *CHUNK_COLUMNS, "vector"])
            yield from rows.to_batches(BATCH_ROWS)

    def text_index_rows(self) -> tuple[int, int]:
        """Numbers of chunk rows inside and outside the full-text index."""
        return self._covered(WORDS)

    def vector_index(self) -> tuple[int, int, int]:
        """Partitions of the vector index, and numbers of rows inside and outside it.

        (0, 0, all rows) if there is none and every vector is compared with the query.
        """
        with translated(self.store):
            partitions = _partitions(self._chunks)
        return partitions, *self._covered(VECTORS.format(partitions))

    def _covered(self, name: str) -> tuple[int, int]:
        with translated(self.store):
            indices = {index.name: index for index in self._chunks.list_indices()}
        if name not in indices:
            return 0, self.manifest.chunks
        return indices[name].num_indexed_rows, indices[name].num_unindexed_rows


def _partitions(table: Table) -> int:
    """The partitions of the index of vectors, 0 without one."""
    return trained_partitions([index.name for index in table.list_indices()])


_SELECTED = [*CHUNK_COLUMNS, "file_sha256", KEY_COLUMN]
