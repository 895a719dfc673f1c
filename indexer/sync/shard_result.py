"""Checks what the process of a shard wrote, field by field, before anything of it is stored.

That process has read documents, and one of them may have taken it over. It can then lie about the
text of its own documents, as a parser can, and about nothing else: rows of other files, rows that
no run makes, passages without a vector, vectors that are none are refused with the whole shard.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from indexer.chunk import CHUNK_CHARS, Chunker, named_once
from indexer.extract import is_todays
from indexer.extract.normalise import is_storable
from indexer.extract.own_properties import is_day
from indexer.records import STATUSES, Chunk, FileRow, Fingerprint
from indexer.store.staging import BadShard, staged_lines, staged_vectors
from indexer.store.vectors import Vectors, key_of
from indexer.sync.properties import MAX_LINKS_CHARS
from indexer.sync.shards import Shard

MAX_NUMBER = 2**63 - 1
MAX_LINE = 2**31 - 1  # what a chunk's row can hold
MAX_WORDS_CHARS = 4_096
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LANGUAGE = re.compile(r"[a-z]{0,3}")


def _kinds(of: type, *but: str) -> dict[str, str]:
    """The type of each field as annotated, in their order."""
    return {field.name: str(field.type) for field in fields(of) if field.name not in but}


ROW, CHUNK = _kinds(FileRow), _kinds(Chunk, "source", "ordinal")
_LONGEST = {"links": MAX_LINKS_CHARS, "text": sys.maxsize, "heading": sys.maxsize}


@dataclass(frozen=True, slots=True)
class ShardResult:
    """What was made of a shard: documents in order, and the vectors that were embedded for them."""

    documents: list[tuple[FileRow, list[Chunk]]]
    keys: list[bytes]
    vectors: Vectors
    embedded: int


def values_of(row: FileRow) -> list[object]:
    """The values of a row as they are handed over."""
    return [getattr(row, name) for name in ROW]


def values_of_chunk(chunk: Chunk) -> list[object]:
    """The values of a chunk as they are handed over; its source and number are its place."""
    return [getattr(chunk, name) for name in CHUNK]


def checked_result(
    store: Path, name: str, shard: Shard, chunker: Chunker, model: Fingerprint
) -> ShardResult:
    """The result of a staged shard; raises BadShard, naming what is wrong."""
    *lines, end = staged_lines(store, name) or [None]
    if not isinstance(end, dict) or type(embedded := end.get("embedded")) is not int:
        raise BadShard("no end that says what was embedded")
    if len(lines) != len(shard):
        raise BadShard(f"{len(lines):,} documents of {len(shard):,}")
    documents = [_document(line) for line in lines]
    seen = [(each.source, each.mtime_ns) for each in shard]
    if [(row.source, row.mtime_ns) for row, _ in documents] != seen:
        raise BadShard("a row of another file")
    keys, vectors = staged_vectors(store, name, model, str(end.get("vectors")))
    if not 0 <= embedded <= len(keys):
        raise BadShard(f"{embedded:,} texts embedded as {len(keys):,} vectors")
    prefix = model.document_prefix
    needed = {  # computed here, from the texts
        key_of(prefix + chunker.text_with_context(chunk))
        for _, chunks in documents
        for chunk in chunks
    }
    if needed != {*keys}:
        raise BadShard("vectors of no passage, or passages without a vector")
    return ShardResult(documents, keys, vectors, embedded)


def _document(line: object) -> tuple[FileRow, list[Chunk]]:
    """The row and chunks of a document; raises BadShard."""
    if not (isinstance(line, list) and len(line) == 2 and isinstance(line[1], list)):
        raise BadShard("a line that is no document")
    row = FileRow(**_values("row", ROW, line[0]))
    chunks = [
        Chunk(row.source, at, **_values("passage", CHUNK, values))
        for at, values in enumerate(line[1])
    ]
    _check_row(row, chunks)
    for chunk in chunks:
        _check_chunk(chunk, row.lines or 0)
    return row, chunks


def _values(what: str, kinds: Mapping[str, str], values: object) -> dict[str, Any]:
    """The values by the names of their fields; raises BadShard for one of another kind."""
    if not isinstance(values, list) or len(values) != len(kinds):
        raise BadShard(f"a {what} with other fields")
    for (name, kind), value in zip(kinds.items(), values, strict=True):
        if value is None and kind.endswith("| None"):
            continue
        if not _is_of(kind.removesuffix(" | None"), name, value):
            raise BadShard(f"a {what} whose {name} is of another kind")
    return dict(zip(kinds, values, strict=True))


def _is_of(kind: str, name: str, value: Any) -> bool:  # noqa: ANN401 - of a stranger
    if kind == "int":  # a time before 1970 is negative
        least = -MAX_NUMBER if name == "mtime_ns" else 0
        return type(value) is int and least <= value <= MAX_NUMBER
    if kind == "float":
        return type(value) in (int, float) and 0 <= value <= sys.float_info.max
    if kind == "Status":
        return value in STATUSES and value != "unreachable"
    most = _LONGEST.get(name, MAX_WORDS_CHARS)
    return isinstance(value, str) and len(value) <= most and is_storable(value)


def _check_row(row: FileRow, chunks: list[Chunk]) -> None:
    """Raise BadShard for a row that no reading of a file gives."""
    if row.sha256 is not None and not _SHA256.fullmatch(row.sha256):
        raise BadShard("a hash that is none")
    if row.chunks != len(chunks):
        raise BadShard(f"{len(chunks):,} passages of {row.chunks:,}")
    if row.status == "indexed":
        whole = row.sha256 and row.title is not None and row.lines is not None
        if not (whole and is_todays(row.extractor)):
            raise BadShard("a document that no reader of today has read")
    elif chunks or row.reason is None:
        raise BadShard("a file without text, and passages or no reason")
    if row.date is not None and not is_day(row.date):
        raise BadShard("a day that is none")


def _check_chunk(chunk: Chunk, lines: int) -> None:
    """Raise BadShard for a passage that no cutting of a document of so many lines gives."""
    if not chunk.text.strip() or len(named_once(chunk.text)) > CHUNK_CHARS:
        raise BadShard(f"a passage of {len(chunk.text):,} characters")
    if not _LANGUAGE.fullmatch(chunk.language):
        raise BadShard("a passage in no language")
    if not 0 < chunk.line_start <= chunk.line_end <= min(lines, MAX_LINE):
        raise BadShard("a passage without lines")
    first, last = chunk.page_start, chunk.page_end
    if (first is None) != (last is None) or not 0 < (first or 1) <= (last or 1) <= MAX_LINE:
        raise BadShard("a passage without pages")
