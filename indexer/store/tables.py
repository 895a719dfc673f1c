"""The two LanceDB tables of a store: their rows, their versions, when they are indexed and merged.

Each change is a new version of a table, which no reader sees until a manifest names it. From
`Scale.exact_rows` rows on there is an IVF index: partitions are scanned with four bits a dimension
(RaBitQ: Gao et al. 2024), and the best candidates are rescored with the full vectors.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from indexer.chunk import context_of
from indexer.embed.languages import fragments
from indexer.records import Chunk, FileRow, is_other
from indexer.store.folder import TABLES, damaged, version_file, version_files
from indexer.store.lance import FTS, BTree, IvfRq, Table, emptied_table, open_table
from indexer.store.manifest import Manifest

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

FULL_TEXT_COLUMN = "lexical"
KEY_COLUMN, KEY_BYTES = "vector_key", 32  # of the text that the vector was made from
CHARS_COLUMN = "chars"  # of the passage, which stands in front of all else that is looked up
_OF_CHUNK = [field.name for field in fields(Chunk) if field.name != "text"]
CHUNK_COLUMNS = (*_OF_CHUNK, CHARS_COLUMN, FULL_TEXT_COLUMN)  # what a chunk is made of again
FILE_COLUMNS = [field.name for field in fields(FileRow)]
BATCH_ROWS = 512  # turned into Arrow's form together
READ_ROWS = 4_096  # of a table that is written anew, at a time

# ---- Rows

# As vectors are kept, in half the bytes. A cosine changes by .0001 at most, the hundredth part of
# what int8 arithmetic changes; a query's vector stays as it is.
Kept: TypeAlias = "NDArray[np.float16]"


def key_of(text: str) -> bytes:
    """The key of an embedded text, prefix included."""
    return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True, slots=True)
class Embedded:
    """A file ready to be stored: its row, its chunks, and the key of each chunk's vector."""

    row: FileRow
    chunks: Sequence[Chunk] = ()
    keys: Sequence[bytes] = ()


def chunk_of(row: Mapping[str, Any]) -> Chunk:
    """The chunk of a row with CHUNK_COLUMNS."""
    text = (row[FULL_TEXT_COLUMN] or "")[: row[CHARS_COLUMN]]
    return Chunk(text=text, **{name: row[name] for name in _OF_CHUNK})


def chunk_schema(dimension: int) -> pa.Schema:
    """The columns of the chunk table, for vectors of `dimension`."""
    import pyarrow as pa

    numbers = ("ordinal", "line_start", "line_end", "page_start", "page_end", CHARS_COLUMN)
    names = ("id", *_OF_CHUNK, CHARS_COLUMN, FULL_TEXT_COLUMN, "file_sha256")
    columns = [(name, pa.int32() if name in numbers else pa.string()) for name in names]
    columns.append((KEY_COLUMN, pa.binary(KEY_BYTES)))
    return pa.schema([*columns, ("vector", pa.list_(pa.float16(), dimension))])


def file_schema() -> pa.Schema:
    """The columns of the file table: the fields of FileRow."""
    import pyarrow as pa

    kinds = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "Status": pa.string()}
    return pa.schema(
        [(field.name, kinds[str(field.type).split(" |")[0]]) for field in fields(FileRow)]
    )


def file_batch(rows: Sequence[FileRow]) -> pa.RecordBatch:
    """File rows in Arrow's form."""
    import pyarrow as pa

    schema = file_schema()
    arrays = [pa.array([getattr(row, each.name) for row in rows], each.type) for each in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def chunk_batches(
    files: Iterable[Embedded], vectors: Mapping[bytes, Kept], dimension: int
) -> Iterator[pa.RecordBatch]:
    """The chunk rows of files, in batches; all their vectors are at hand."""
    import pyarrow as pa

    schema = chunk_schema(dimension)
    rows = (
        (chunk, key, file.row.sha256)
        for file in files
        for chunk, key in zip(file.chunks, file.keys, strict=True)
    )
    while some := list(islice(rows, BATCH_ROWS)):
        chunks, keys, hashes = zip(*some, strict=True)
        columns: dict[str, Any] = {
            name: [getattr(chunk, name) for chunk in chunks] for name in ("id", *_OF_CHUNK)
        }
        columns[CHARS_COLUMN] = [len(chunk.text) for chunk in chunks]
        columns[FULL_TEXT_COLUMN] = [_lexical_text(chunk) for chunk in chunks]
        columns["file_sha256"], columns[KEY_COLUMN] = hashes, keys
        arrays = [pa.array(columns[name], schema.field(name).type) for name in schema.names[:-1]]
        values = pa.array(np.concatenate([vectors[key] for key in keys]))
        arrays.append(pa.FixedSizeListArray.from_arrays(values, dimension))
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _lexical_text(chunk: Chunk) -> str:
    """The text of a chunk for the full-text index: text, path, headings, and fragments of them.

    Fragments only where it is in another language than English, which the index stems. Names joined
    by underscores are one word to the index (UAX 29): they are taken apart.
    """
    folders = chunk.source.rsplit("/", 1)[0].replace("/", " ") if "/" in chunk.source else ""
    context = f"{folders} {context_of(chunk.source, chunk.heading)}".replace("_", " ")
    text = f"{chunk.text}\n{context}"
    return f"{text}\n{fragments(text)}" if is_other(chunk.language) else text


# ---- Their versions


def file_rows_of(table: Table) -> dict[str, FileRow]:
    """All file rows by source, in no order."""
    return {row["source"]: FileRow(**row) for row in table.rows(FILE_COLUMNS).to_pylist()}


def languages_of(table: Table) -> dict[str, int]:
    """The number of chunk rows in each language, by code."""
    counted = table.rows(["language"])["language"].value_counts().to_pylist()
    return {str(row["values"]): int(row["counts"]) for row in counted}


def rewritten(store: Path, old: Table, schema: pa.Schema) -> Table:
    """The same rows without indices: no file holds a deleted row, which LanceDB only marks."""
    rows = old.batches(schema.names, READ_ROWS)
    new = emptied_table(store, old.name, schema)
    new.add(schema, rows)
    return new


def opened_at(store: Path, made: Manifest) -> tuple[Table, Table, bool]:
    """The tables of chunks and files at a manifest's versions, and whether there were later ones.

    These go: a killed writer leaves such, an archive may bring them, and LanceDB takes the first
    name for the newest version.
    """
    later, tables = False, []
    for name, wanted in (("chunks", made.chunks_version), ("files", made.files_version)):
        for path in version_files(store, name):
            if path < version_file(store, name, wanted):
                path.unlink()
                later = True
        table = open_table(store, name)
        if table.version != wanted:
            raise damaged(store, f"version {wanted} of {name} is another")
        tables.append(table)
    return tables[0], tables[1], later


def drop_versions(store: Path, table: Table, kept: Iterable[int]) -> None:
    """Delete all versions of a merged table but the newest and `kept`, and what none names."""
    own = {version_file(store, table.name, number) for number in (table.version, *kept)}
    for path in version_files(store, table.name):
        if path not in own:
            path.unlink()
    # Only a second writer would ask for them; they may name documents that were forgotten.
    for path in (store / TABLES).glob(f"{table.name}.lance/_transactions/*"):
        path.unlink()
    table.clean()


# ---- Indices

WORDS = f"{FULL_TEXT_COLUMN}_idx"
SOURCES = "source_idx"
VECTORS = "vector_{}"  # by the number of partitions that its training made
_VECTORS = re.compile(r"vector_(\d+)")

MAX_PARTITIONS = 2_048  # each trained on 256 vectors: 800 MB of 384 dimensions
BITS = 4  # of a dimension; with one, 3% of the ten best were lost among 64 dimensions
OUTGROWN = 4  # times as many partitions as were trained: train anew


@dataclass(frozen=True, slots=True)
class Scale:
    """The number of rows from which a vector index is used, and rows per partition."""

    exact_rows: int = 50_000
    partition_rows: int = 1_000

    def partitions(self, rows: int) -> int:
        """How many partitions an index over `rows` is trained with."""
        return min(max(1, rows // self.partition_rows), MAX_PARTITIONS)


def plan_indices(rows: int, existing: Collection[str], scale: Scale) -> tuple[set[str], set[str]]:
    """The indices to drop and then those to make, for `rows` rows with the indices `existing`."""
    trained = trained_partitions(existing)
    is_large = rows >= (scale.exact_rows // 2 if trained else scale.exact_rows)
    wanted = {WORDS} if rows else set()
    if is_large:
        fits = trained and scale.partitions(rows) < OUTGROWN * trained
        wanted |= {SOURCES, VECTORS.format(trained if fits else scale.partitions(rows))}
    ours = {name for name in existing if name in (WORDS, SOURCES) or _VECTORS.fullmatch(name)}
    drop = ours - wanted if rows else set[str]()
    return drop, wanted - ours


def trained_partitions(existing: Iterable[str]) -> int:
    """How many partitions the vector index has, 0 where there is none."""
    found = (_VECTORS.fullmatch(name) for name in existing)
    return max((int(one[1]) for one in found if one), default=0)


def make_indices(table: Table, rows: int, scale: Scale) -> bool:
    """Make the indices that the number of chunk rows requires; whether any changed."""
    drop, make = plan_indices(rows, [index.name for index in table.indices()], scale)
    for name in drop:
        table.drop_index(name)
    known = {WORDS: (FULL_TEXT_COLUMN, FTS()), SOURCES: ("source", BTree())}
    for name in make:
        of_vectors = "vector", IvfRq(BITS, trained_partitions([name]))
        table.create_index(*known.get(name, of_vectors), name)
    return bool(drop or make)


# ---- Merging

# Every search reads the rows that the full-text index does not cover yet: 100 cost 5 ms, 1,000 45.
# To cover them costs .5 s of a processor where there are 12,000 rows, 2 s where there are 100,000.
MAX_UNINDEXED_ROWS, UNINDEXED_SHARE = 1_000, 0.05
FEW_UNINDEXED_ROWS, FEW_UNINDEXED_SHARE = 100, 0.002  # of a finished run
MAX_DELETED_SHARE = 0.2
# A search fetches rows from every fragment that holds some of the best: 8 ms where 60,000 rows are
# in one fragment, 14 ms where they are in 30.
MAX_FRAGMENTS = 32
FEW_FRAGMENTS = 8  # of a finished run
SLACK_ROWS = 10_000  # of a table, for each fragment and version more that is worth leaving


def plan_tidying(
    rows: int, deleted: int = 0, fragments: int = 1, unindexed: int = 0, *, finished: bool
) -> Literal["nothing", "cover", "merge"]:
    """The maintenance that is due: none, index the remaining rows, or merge the table as well.

    Until a run is `finished` the thresholds are higher: indexing a few rows after each batch would
    take most of its time on a large table.
    """
    least = FEW_FRAGMENTS if finished else MAX_FRAGMENTS
    few = max(FEW_UNINDEXED_ROWS, FEW_UNINDEXED_SHARE * rows)
    few = min(few, MAX_UNINDEXED_ROWS, UNINDEXED_SHARE * rows)
    many = max(MAX_UNINDEXED_ROWS, UNINDEXED_SHARE * rows)
    if fragments > slack(least, rows) or deleted > MAX_DELETED_SHARE * rows:
        return "merge"
    return "cover" if unindexed > (few if finished else many) else "nothing"


def tidy(table: Table, *, due: bool, finished: bool) -> bool:
    """Merge fragments and index rows, all or as much as is due; whether they were merged."""
    what = "merge" if due else plan_tidying(**table.counts(), finished=finished)
    if what == "merge":
        table.merge()
    elif what == "cover":
        table.optimize()
    return what == "merge"


def slack(least: int, rows: int) -> int:
    """The number of fragments or versions allowed in a table; `least` for a small one."""
    return least + rows // SLACK_ROWS
