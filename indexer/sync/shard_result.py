"""Checks what the process of a shard wrote, field by field, before anything of it is stored.

That process has read documents, and one of them may have taken it over. It can then lie about the
text of its own documents, as a parser can, and about nothing else: rows of other files, rows that
no run makes, passages without a vector, vectors that are none are refused with the whole shard.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, fields
from itertools import chain
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

CHUNK_VALUES = ("text", "heading", "line_start", "line_end", "page_start", "page_end", "language")
MAX_NUMBER = 2**63 - 1
MAX_LINE = 2**31 - 1  # what a chunk's row can hold
MAX_WORDS_CHARS = 4_096
_ROW_KINDS = {
    field.name: (str(field.type).removesuffix(" | None"), "None" in str(field.type))
    for field in fields(FileRow)
}
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LANGUAGE = re.compile(r"[a-z]{0,3}")

Checked = tuple[FileRow, list[Chunk]]


@dataclass(frozen=True, slots=True)
class ShardResult:
    """What was made of a shard: documents in order, and the vectors that were embedded for them.

    `chunk_keys` are those of the vectors of each document's chunks, in order. `rest` are the
    documents that the process left for another shard, since these hold much text.
    """

    documents: list[Checked]
    chunk_keys: list[list[bytes]]
    keys: list[bytes]
    vectors: Vectors
    embedded: int
    rest: Shard | None = None

    @property
    def hashes(self) -> dict[str, str | None]:
        """The hashes of the documents by source."""
        return {row.source: row.sha256 for row, _ in self.documents}


def values_of(row: FileRow) -> dict[str, object]:
    """The values of a row as they are handed over."""
    return {name: getattr(row, name) for name in _ROW_KINDS}


def values_of_chunk(chunk: Chunk) -> list[object]:
    """The values of a chunk as they are handed over; its source and number are its place."""
    return [getattr(chunk, name) for name in CHUNK_VALUES]


def checked_result(
    store: Path,
    name: str,
    shard: Shard,
    chunker: Chunker,
    model: Fingerprint,
) -> ShardResult:
    """The result of a staged shard; raises BadShard, naming what is wrong."""
    documents: list[Checked] = []
    end: dict[str, Any] | None = None
    for line in staged_lines(store, name):
        if end is not None:
            raise BadShard("something behind its end")
        if isinstance(line, dict):
            end = line
        else:
            documents.append(_document(line, shard, len(documents)))
    if end is None or not documents:
        raise BadShard("no end" if documents else "no document")
    embedded, sha256 = end.get("embedded"), end.get("vectors")
    if type(embedded) is not int or not isinstance(sha256, str):
        raise BadShard("no number of what was embedded")
    found = staged_vectors(store, name, model, sha256)
    if found is None:
        raise BadShard("vectors of another model")
    keys, vectors = found
    if not 0 <= embedded <= len(keys):
        raise BadShard(f"{embedded:,} texts embedded as {len(keys):,} vectors")
    prefix = model.document_prefix
    needed = [  # computed here, from the texts
        [key_of(prefix + chunker.text_with_context(chunk)) for chunk in chunks]
        for _, chunks in documents
    ]
    _check_keys({*chain.from_iterable(needed)}, {*keys})
    rest = shard.files[len(documents) :]
    return ShardResult(documents, needed, keys, vectors, embedded, Shard(rest) if rest else None)


def _check_keys(needed: set[bytes], keys: set[bytes]) -> None:
    """Raise BadShard unless each passage has a vector, and each vector is that of a passage."""
    if keys - needed:
        raise BadShard("vectors of no passage")
    if needed - keys:
        raise BadShard("passages without a vector")


def _document(line: object, shard: Shard, number: int) -> Checked:
    """The row and chunks of the document with this number in the shard; raises BadShard."""
    if not (isinstance(line, list) and len(line) == 2 and isinstance(line[1], list)):
        raise BadShard("a line that is no document")
    if number >= len(shard.files):
        raise BadShard("more documents than it was given")
    row = _row(line[0])
    seen = shard.files[number]
    if (row.source, row.mtime_ns) != (seen.source, seen.mtime_ns):
        raise BadShard("a row of another file")
    chunks = [_chunk(row.source, at, values) for at, values in enumerate(line[1])]
    _check_agrees(row, chunks)
    return row, chunks


def _row(values: object) -> FileRow:
    if not isinstance(values, dict) or values.keys() != _ROW_KINDS.keys():
        raise BadShard("a row with other fields")
    for name, (kind, may_lack) in _ROW_KINDS.items():
        if (value := values[name]) is None and may_lack:
            continue
        most = MAX_LINKS_CHARS if name == "links" else MAX_WORDS_CHARS
        if not _is_of(kind, value, most) and not (name == "mtime_ns" and _is_time(value)):
            raise BadShard(f"a row whose {name} is of another kind")
    return FileRow(**values)


def _is_of(kind: str, value: object, most: int) -> bool:
    if kind == "int":
        return type(value) is int and 0 <= value <= MAX_NUMBER
    if kind == "float":
        return type(value) in (int, float) and 0 <= value <= sys.float_info.max  # type: ignore[operator]
    if kind == "Status":
        return value in STATUSES and value != "unreachable"
    return isinstance(value, str) and len(value) <= most and is_storable(value)


def _is_time(value: object) -> bool:
    return type(value) is int and abs(value) <= MAX_NUMBER  # before 1970 it is negative


def _check_agrees(row: FileRow, chunks: list[Chunk]) -> None:
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
    if any(chunk.line_end > (row.lines or 0) for chunk in chunks):
        raise BadShard("a passage behind the last line")


def _chunk(source: str, number: int, values: object) -> Chunk:
    if not isinstance(values, list) or len(values) != len(CHUNK_VALUES):
        raise BadShard("a passage with other fields")
    text, heading, start, end, first, last, language = values
    if not all(isinstance(words, str) and is_storable(words) for words in (text, heading)):
        raise BadShard("a passage without text")
    if not text.strip() or len(named_once(text)) > CHUNK_CHARS:
        raise BadShard(f"a passage of {len(text):,} characters")
    if not (isinstance(language, str) and _LANGUAGE.fullmatch(language)):
        raise BadShard("a passage in no language")
    if not (_is_line(start) and _is_line(end) and start <= end):
        raise BadShard("a passage without lines")
    pages = (first, last)
    if not (pages == (None, None) or (all(map(_is_line, pages)) and first <= last)):
        raise BadShard("a passage without pages")
    return Chunk(source, number, text, heading, start, end, first, last, language)


def _is_line(value: object) -> bool:
    return type(value) is int and 0 < value <= MAX_LINE
