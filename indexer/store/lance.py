"""LanceDB by its native module alone: what this program asks of a table.

`import lancedb` costs half a second of a processor, for pydantic and models of a remote service
that is never called, and hands each request on to this module. Its interface is LanceDB's own, and
changes with its releases: the store's tests say when, and pyproject.toml what was tested.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from indexer.store.folder import TABLES, damaged, translated

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

ROW_ID = "_rowid"
SCORE = "_score"
SOURCES_AT_ONCE = 500  # in one condition: a longer list of literals is slow to plan
MAX_ROUNDS = 4  # of merging: two do the work, and one more shows that nothing is left to do
_AGES_MS = 100 * 365 * 24 * 3_600 * 1_000  # no version is as old

# Read when it is loaded, and there is no other place for them.
ENVIRONMENT = {
    # Its notes about tables that it creates are not for our users; errors come as exceptions.
    "LANCEDB_LOG": "error",
    # Bytes of a scan that are read ahead, and threads that read. By default 2 GiB and eight, whose
    # buffers the allocator keeps: 500 MB after searches in 50,000 vectors, and no quicker.
    "LANCE_DEFAULT_IO_BUFFER_SIZE": str(16 * 2**20),
    "LANCE_IO_THREADS": "4",
}


@cache
def _native() -> Any:  # noqa: ANN401 - a module of another language
    """The native module, without the package around it, which an explicit import still gives."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    around = sys.modules.get("lancedb")
    if around is None:
        spec = find_spec("lancedb")
        assert spec is not None and spec.submodule_search_locations is not None
        bare = sys.modules["lancedb"] = ModuleType("lancedb")
        bare.__path__ = list(spec.submodule_search_locations)
    try:
        return import_module("lancedb._lancedb")
    finally:
        if around is None:
            del sys.modules["lancedb"]


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop that all requests are made on, in a thread of its own."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="lance", daemon=True).start()
    return loop


os.register_at_fork(after_in_child=_loop.cache_clear)  # a child has no such thread


def _asked(store: Path, method: Callable[..., Any], *given: object, **named: object) -> Any:  # noqa: ANN401
    """What a method of the native module answers; raises CorpusError for its errors."""

    async def ask() -> Any:  # noqa: ANN401 - called on the loop, as its answer needs one
        return await method(*given, **named)

    answer = asyncio.run_coroutine_threadsafe(ask(), _loop())
    try:
        with translated(store):
            return answer.result()
    finally:
        answer.cancel()


def _database(store: Path) -> Any:  # noqa: ANN401
    # An absolute path without "://" can never be taken for a cloud address.
    folder = str((store / TABLES).resolve())
    return _asked(store, _native().connect, folder, *[None] * 8)


def open_table(store: Path, name: str, version: int | None = None) -> Table:
    """A table of a store at its newest version, or for reading alone at another."""
    check_own_data(store, name)
    inner = _asked(store, _database(store).open_table, name)
    if version is not None:
        _asked(store, inner.checkout, version)
    return Table(store, inner)


def emptied_table(store: Path, name: str, schema: pa.Schema) -> Table:
    """A table whose newest version is empty."""
    made = _asked(store, _database(store).create_empty_table, name, "overwrite", schema)
    return Table(store, made)


def quoted(value: str) -> str:
    """`value` as an SQL string literal. The one place where text enters a condition."""
    return "'" + value.replace("'", "''") + "'"


def with_sources(sources: Iterable[str]) -> Iterator[str]:
    """Conditions one of which a row of these sources fulfils."""
    rest = iter(sources)
    while some := list(islice(rest, SOURCES_AT_ONCE)):
        yield f"source IN ({', '.join(map(quoted, some))})"


class Table:
    """A table at one of its versions; conditions are in SQL, "" for none."""

    def __init__(self, store: Path, inner: Any) -> None:  # noqa: ANN401
        self._asked, self._inner = partial(_asked, store), inner
        self.name: str = inner.name()

    # ---- Reading

    @property
    def version(self) -> int:
        """The number of the version."""
        return int(self._asked(self._inner.version))

    def count_rows(self) -> int:
        """How many rows there are."""
        return int(self._asked(self._inner.count_rows, None))

    def indices(self) -> list[Any]:
        """The indices, each with name, num_indexed_rows and num_unindexed_rows."""
        return list(self._asked(self._inner.list_indices))

    def counts(self) -> dict[str, int]:
        """Of rows, of those deleted and still on the disk, of fragments, of rows in no index."""
        stats = self._asked(self._inner.stats)
        rows, parts = stats["num_rows"], stats["fragment_stats"]
        fragments = parts["num_fragments"]
        deleted = round(parts["lengths"]["mean"] * fragments - rows)
        waiting = max((index.num_unindexed_rows or 0 for index in self.indices()), default=0)
        return {"rows": rows, "deleted": deleted, "fragments": fragments, "unindexed": waiting}

    def rows(self, columns: Sequence[str], where: str = "") -> pa.Table:
        """Columns of the rows that fulfil a condition."""
        return self._whole(self._read(self._inner.query(), columns, where))

    def batches(self, columns: Sequence[str], most_rows: int) -> Iterator[pa.RecordBatch]:
        """Columns of all rows, in parts."""
        return self._each(self._read(self._inner.query(), columns, "", most_rows))

    def take(self, ids: Sequence[int], columns: Sequence[str]) -> pa.Table:
        """Columns of the rows with these ids, and ROW_ID, in no order."""
        query = self._inner.take_row_ids(list(ids))
        query.select_columns([*columns, ROW_ID])
        return self._whole(self._asked(query.execute))

    def nearest(
        self, vector: NDArray[np.float32], limit: int, where: str, partitions: int
    ) -> pa.Table:
        """ROW_ID and vector of rows near to a vector, by an index of them."""
        import pyarrow as pa

        query = self._inner.query().nearest_to(pa.array(vector))
        query.column("vector")
        query.distance_type("cosine")
        query.limit(limit)
        query.nprobes(partitions)
        if where:  # all partitions: the nearest ones may have none of its rows
            query.maximum_nprobes(0)
        query.refine_factor(1)
        return self._whole(self._read(query, [ROW_ID, "vector"], where))

    def worded(
        self, text: str, column: str, limit: int, where: str, *, every_word: bool
    ) -> pa.Table:
        """ROW_ID and SCORE (BM25) of rows that share words with a text; none of it is syntax."""
        query = self._inner.query().nearest_to_text(
            {"query": MatchQuery(text, column, "AND" if every_word else "OR")}
        )
        query.limit(limit)
        return self._whole(self._read(query, [ROW_ID, SCORE], where))

    def _read(
        self,
        query: Any,  # noqa: ANN401
        columns: Sequence[str],
        where: str,
        most_rows: int | None = None,
    ) -> Any:  # noqa: ANN401
        """A query's stream; its condition comes before its limit, so that it loses no results."""
        query.select_columns(list(columns))
        if where:
            query.where(where)
        return self._asked(query.execute, most_rows, None)

    def _whole(self, stream: Any) -> pa.Table:  # noqa: ANN401
        import pyarrow as pa

        return pa.Table.from_batches(list(self._each(stream)), stream.schema)

    def _each(self, stream: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
        while True:
            try:
                yield self._asked(stream.__anext__)
            except StopAsyncIteration:
                return

    # ---- Writing

    def add(self, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        """Add rows."""
        import pyarrow as pa

        reader = pa.RecordBatchReader.from_batches(schema, batches)
        given = SimpleNamespace(
            schema=schema, num_rows=None, reader=lambda: reader, rescannable=False
        )
        self._asked(self._inner.add, given, "append")

    def delete(self, sources: Iterable[str]) -> None:
        """Delete the rows of these sources."""
        for where in with_sources(sources):
            self._asked(self._inner.delete, where)

    def renew(self) -> None:
        """Go to the newest version, which may be that of a call that was interrupted."""
        self._asked(self._inner.checkout_latest)

    def create_index(self, column: str, config: object, name: str) -> None:
        """Make an index over all rows."""
        self._asked(
            self._inner.create_index, column, index=config, replace=True, wait_timeout=None,
            name=name, train=True,
        )  # fmt: skip

    def drop_index(self, name: str) -> None:
        """Drop an index."""
        self._asked(self._inner.drop_index, name)

    def optimize(self) -> None:
        """Put rows into the indices, and merge the fragments that had none: others stay."""
        self._asked(self._inner.optimize, cleanup_since_ms=None, delete_unverified=False)

    def merge(self) -> None:
        """Put all rows into few fragments and into the indices."""
        for _ in range(MAX_ROUNDS):
            before = self.version
            self.optimize()
            if self.version == before:
                return

    def clean(self) -> None:
        """Delete all files that no version names."""
        self._asked(self._inner.optimize, cleanup_since_ms=_AGES_MS, delete_unverified=True)


# ---- What the native module knows by name and fields


class MatchQuery:
    """Words that are looked up in a column."""

    def __init__(self, query: str, column: str, operator: str) -> None:
        self.query, self.column, self.operator = query, column, operator
        self.boost, self.fuzziness, self.max_expansions, self.prefix_length = 1.0, 0, 50, 0
        self.document_granularity = None


class FTS:
    """An index of words; icu: words of scripts without spaces, and identifiers, stay whole."""

    with_position = prefix_only = False
    base_tokenizer, language, max_token_length = "icu", "English", 40
    lower_case = stem = remove_stop_words = ascii_folding = True
    ngram_min_length = ngram_max_length = 3
    block_size = 128
    custom_stop_words = memory_limit = num_workers = None
    document_granularity = "row"


class BTree:
    """An index of values."""


class IvfRq:
    """An index of vectors in partitions, with some bits a dimension."""

    distance_type, max_iterations, sample_rate = "cosine", 50, 256
    target_partition_size = accelerator = None

    def __init__(self, num_bits: int, num_partitions: int) -> None:
        self.num_bits, self.num_partitions = num_bits, num_partitions


def release_memory() -> None:
    """Give what LanceDB's threads have freed back to the system: glibc keeps their arenas."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


# ---- Whether a table keeps its data in the store

# A version may name other folders in which its data lies ("base paths": so a shallow copy works).
# No link is on the disk then, and without the seal whoever opens the table would read there. This
# program makes no such table. Source: lance-format, protos/table.proto, message Manifest; a
# version's file ends in the position of that message (8 bytes), two numbers and a magic word.
_TAIL, _LENGTH = struct.Struct("<Q4x4s"), struct.Struct("<I")
_MAGIC, _BASE_PATHS = b"LANC", 18
_WIDTHS = {0: 0, 1: 8, 5: 4}  # bytes by the wire type of a field; of 2 its number says them
_NUMBER = re.compile(rb"[\x80-\xff]{0,9}[\x00-\x7f]")  # seven bits a byte, the lowest first
_MAX_VERSION = 2**24  # bytes


def check_own_data(store: Path, table: str) -> None:
    """Raise DamagedStore if a version of the table keeps data elsewhere, or cannot be read."""
    for path in sorted((store / TABLES / f"{table}.lance" / "_versions").glob("*.manifest")):
        try:
            if path.stat().st_size > _MAX_VERSION:
                raise ValueError("no version")
            elsewhere = _BASE_PATHS in _fields(path.read_bytes())
        except FileNotFoundError:  # a writer has dropped it meanwhile
            continue
        except (IsADirectoryError, KeyError, OverflowError, ValueError, struct.error):
            raise damaged(store, f"{path.name} is no version of a table") from None
        if elsewhere:
            raise damaged(store, f"{path.name} keeps its data elsewhere")


def _fields(data: bytes) -> set[int]:
    """The numbers of the fields of a version's message, without those within its fields."""
    start, magic = _TAIL.unpack(data[-_TAIL.size :])
    (length,) = _LENGTH.unpack_from(data, start)
    at, end, found = start + _LENGTH.size, start + _LENGTH.size + length, set()
    while at < end:
        key, at = _number(data, at)
        found.add(key >> 3)
        number, at = _number(data, at) if key & 7 in (0, 2) else (0, at)
        at += number if key & 7 == 2 else _WIDTHS[key & 7]
    if magic != _MAGIC or at != end or end > len(data):
        raise ValueError("no version")
    return found


def _number(data: bytes, at: int) -> tuple[int, int]:
    """The number that stands there, and where it ends."""
    found = _NUMBER.match(data, at)
    if found is None:
        raise ValueError("no number")
    return sum((byte & 0x7F) << 7 * n for n, byte in enumerate(found[0])), found.end()
