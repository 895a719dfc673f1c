"""Read access to one committed version of an index."""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexer.records import Chunk, FileRow, Hit, Query
from indexer.store.folder import translated
from indexer.store.indices import VECTORS, WORDS, trained_partitions
from indexer.store.integrity import check_contents
from indexer.store.manifest import hold, root_of
from indexer.store.rows import (
    CHUNK_COLUMNS,
    FULL_TEXT_COLUMN,
    KEY_COLUMN,
    connect,
    file_row,
    quoted,
)
from indexer.store.selection import condition

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 4_096
# Of an index of vectors: partitions that are looked through, and how many times as many rows as
# are asked for are compared by the vectors themselves.
PARTITIONS = 256
REFINED = 2
NAME_WORDS = 8  # of a name that is looked for
SIMILAR_NAMES = 500  # compared with the name of a document that is not there: 11 ms
MAX_NAME = 300  # characters of a name that are compared
WORD_START = 4  # letters; the rest may be misspelt


class Snapshot:
    """One committed version of an index, read-only; any number may be open.

    The version stays on the disk until the snapshot is closed or collected, or its process ends.
    """

    def __init__(self, store: Path, root: Path | None = None) -> None:
        """`root` overrides the manifest's, which is part of the store and not trusted."""
        self.store = store
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

    def check(self) -> None:
        """Raise DamagedStore if a file of this version was changed since it was opened."""
        check_contents(self.store, self.manifest)

    @property
    def root(self) -> Path:
        """The absolute corpus root; need not exist."""
        return self._root or root_of(self.store, self.manifest)

    def by_vector(self, vector: NDArray[np.float32], query: Query) -> list[Hit]:
        """The rows nearest to a unit vector; the score is the cosine, best first."""
        if not self.manifest.chunks:
            return []
        where = condition(query.paths, query.not_paths)
        with translated(self.store):
            search = self._chunks.search(vector, vector_column_name="vector")
            search = search.distance_type("cosine").limit(query.limit)
            # No effect without an index. With a condition all partitions are searched (0): the
            # nearest ones may have none of its rows.
            search = search.minimum_nprobes(PARTITIONS).maximum_nprobes(0 if where else PARTITIONS)
            search = search.refine_factor(REFINED)
            found = _filtered(search, where).select([*_SELECTED, "_distance"]).to_arrow()
            return _found(found, 1.0 - found["_distance"].to_numpy())

    def by_text(self, query: Query, *, every_word: bool = False) -> list[Hit]:
        """The rows that share words with the query; the score is BM25, best first.

        The text is matched as words: nothing in it is query syntax. With `every_word` only rows
        that hold all of them.
        """
        from lancedb.query import FullTextOperator, MatchQuery

        if not self.manifest.chunks:  # then there is no full-text index either
            return []
        with translated(self.store):
            together = FullTextOperator.AND if every_word else FullTextOperator.OR
            words = MatchQuery(query.text, FULL_TEXT_COLUMN, operator=together)
            search = self._chunks.search(words, query_type="fts").limit(query.limit)
            where = condition(query.paths, query.not_paths)
            found = _filtered(search, where).select([*_SELECTED, "_score"]).to_arrow()
            return _found(found, found["_score"].to_numpy())

    def file(self, source: str) -> FileRow | None:
        """The row of one file, None if the walk never found it."""
        return self.files_named([source]).get(source)

    def files_named(self, sources: Collection[str]) -> dict[str, FileRow]:
        """The rows of the given files, by source; unknown sources are omitted."""
        if not sources:
            return {}
        listed = ", ".join(map(quoted, sources))
        with translated(self.store):
            rows = self._files.search().where(f"source IN ({listed})").to_list()
        return {row["source"]: file_row(row) for row in rows}

    def selects(self, path: str) -> bool:
        """Whether a path, as of a Query, selects any document of the index."""
        where = f"status IN ('indexed', 'unreachable') AND {condition([path])}"
        with translated(self.store):
            return bool(self._files.search().where(where).select(["source"]).limit(1).to_list())

    def similar(self, source: str) -> list[str]:
        """Up to three indexed sources with names similar to `source`, most similar first."""
        names = self.sources_like(source, SIMILAR_NAMES)
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

    def chunk_rows(self) -> pa.Table:
        """All chunk rows with all columns, for checks and comparisons."""
        with translated(self.store):
            return self._chunks.to_arrow()

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
            names = [index.name for index in self._chunks.list_indices()]
        partitions = trained_partitions(names)
        return partitions, *self._covered(VECTORS.format(partitions))

    def _covered(self, name: str) -> tuple[int, int]:
        with translated(self.store):
            indices = {index.name: index for index in self._chunks.list_indices()}
        if name not in indices:
            return 0, self.manifest.chunks
        return indices[name].num_indexed_rows, indices[name].num_unindexed_rows


_SELECTED = [*CHUNK_COLUMNS, "file_sha256", KEY_COLUMN, "vector"]


def _filtered(search: Any, where: str) -> Any:  # noqa: ANN401 - LanceDB's builders share no base
    """Filter before the limit is applied, so that a filter never loses results."""
    return search.where(where, prefilter=True) if where else search


def _found(rows: pa.Table, scores: NDArray[np.float32]) -> list[Hit]:
    vectors = vectors_of(rows)
    return [
        Hit(
            Chunk(**{name: row[name] for name in CHUNK_COLUMNS}),
            score,
            0.0,
            0.0,
            row["file_sha256"],
            vector=vector,
            key=row[KEY_COLUMN],
        )
        for row, vector, score in zip(
            rows.drop_columns("vector").to_pylist(), vectors, scores.tolist(), strict=True
        )
    ]


def vectors_of(rows: pa.Table) -> NDArray[np.float32]:
    """The vectors of chunk rows: float32, (rows, dimension)."""
    column = rows["vector"]
    values = [chunk.flatten().to_numpy() for chunk in column.chunks]
    flat = np.concatenate(values) if values else np.empty(0, np.float32)
    vectors: NDArray[np.float32] = flat.reshape(len(column), column.type.list_size)
    return vectors
