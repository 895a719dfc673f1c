"""Documents read, cut and embedded by other processes, shard by shard, and stored by the writer.

A shard's process (`ShardWorker`) stages one file, a line of JSON for each document. It has read
documents, and one of them may have taken it over: it can then lie about the text of its own
documents, as a parser can, and about nothing else. `checked_shard` looks at every field; what
nobody made, or not soundly, the writer reads itself, so that the index is that of one process.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import secrets
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from indexer.chunk import CHUNK_CHARS, Chunker, Cut, named_once
from indexer.embed import Encoder, FolderEncoder
from indexer.errors import CorpusError, Refused, UnreadableDocument
from indexer.extract import is_todays
from indexer.extract.normalise import is_storable
from indexer.extract.own_properties import is_day
from indexer.files.opening import open_beneath
from indexer.files.walk import SeenFile
from indexer.parsers.limits import TEXT_CHARS
from indexer.parsers.process import can_confine
from indexer.parsers.worker import Worker
from indexer.records import STATUSES, Chunk, FileRow, Fingerprint
from indexer.store.folder import translated
from indexer.store.texts import Texts
from indexer.store.vectors import Kept, KnownVectors, Vectors, embed, key_of
from indexer.sync.properties import MAX_LINKS_CHARS
from indexer.sync.read import read_all, read_with
from indexer.sync.run import BATCH_CHUNKS, fingerprint_of
from indexer.sync.shards import STAGING, Hands, Shard, cut, drop_staging, order_of, ordered

MOST_LOST = 8  # shards, one after the other, with no sound one between
MOST_CHARS = 32 * 2**20  # of passages in one shard; the writer reads the documents of a larger one
MAX_LINE_BYTES = 8 * TEXT_CHARS  # of a document's passages, a character written as six at most
MAX_FILE_BYTES = 4 * MAX_LINE_BYTES
MAX_NUMBER = 2**63 - 1
MAX_LINE = 2**31 - 1  # what a chunk's row can hold
MAX_WORDS_CHARS = 4_096
# Of this program. Not imported: all layers would stand below the package's own module.
VERSION = str(import_module("indexer").__version__)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LANGUAGE = re.compile(r"[a-z]{0,3}")
_UNIT = 1e-3  # how far from 1 the length of a vector may be

Made = tuple[FileRow, list[Chunk]]
Embedded = tuple[FileRow, list[Chunk], Vectors]


class BadShard(Exception):
    """What a shard's process staged is not what it should have written."""


def _kinds(of: type, *but: str) -> dict[str, str]:
    """The type of each field as annotated, in their order."""
    return {field.name: str(field.type) for field in fields(of) if field.name not in but}


# A passage's source and number are its place.
ROW, CHUNK = _kinds(FileRow), _kinds(Chunk, "source", "ordinal")
_LONGEST = {"links": MAX_LINKS_CHARS, "text": sys.maxsize, "heading": sys.maxsize}


# ---- In the shard's process


class ShardWorker:
    """Makes the shards of one run; keeps its model and its parser from one to the next."""

    def __init__(
        self,
        opening: Mapping[str, Any],
        make_encoder: Callable[[Path | None, Path], Encoder] = lambda folder, store: FolderEncoder(
            folder, store=store
        ),
    ) -> None:
        self._root, self._store = Path(opening["root"]), Path(opening["store"])
        model = Path(opening["model"]) if opening["model"] else None
        self._encoder = make_encoder(model, self._store)
        self._chunker = Chunker(self._encoder, Cut.stored(opening["fingerprint"]["chunker"]))
        theirs, ours = opening["fingerprint"], asdict(fingerprint_of(self._encoder, self._chunker))
        self._other = [key for key in ours if theirs.get(key) != ours[key]]
        if opening["version"] != VERSION:
            self._other.append("corpus-agent")
        self._parser = Worker()
        self._texts = Texts(self._store, keep=False, reuse=opening["reuse"])

    def make(self, name: str, order: str) -> tuple[dict[str, str], bytes]:
        """Stage a shard under its name.

        Raises UnreadableDocument for what the process that plans would have made otherwise.
        """
        if self._other:
            raise UnreadableDocument("other", f"another {self._other[0]} on that node")
        staged = self._store / STAGING / name
        fresh = staged.with_name(f"{name}.{secrets.token_hex(8)}.new")
        try:
            with translated(self._store), fresh.open("xb") as file:
                for line in self._lines(ordered(order)):
                    file.write(line)
                file.flush()
                os.fsync(file.fileno())
            fresh.rename(staged)
        finally:
            fresh.unlink(missing_ok=True)
        return {"made": name}, b""

    def close(self) -> None:
        """End the parser."""
        self._parser.close()

    def _lines(self, files: Shard) -> Iterator[bytes]:
        """A line for each document; a text that stands twice in a shard is embedded once."""
        vectors = KnownVectors(self._store)
        batch: list[Made] = []
        chars = waiting = 0
        for _, row, chunks in read_with(
            self._parser, self._root, files, self._chunker, self._texts
        ):
            batch.append((row, chunks))
            waiting += len(chunks)
            chars += sum(len(chunk.text) for chunk in chunks)
            if chars > MOST_CHARS and len(files) > 1:
                raise UnreadableDocument("output", "more text than a shard holds")
            if waiting >= BATCH_CHUNKS:
                yield from self._embedded(batch, vectors)
                batch, waiting = [], 0
        yield from self._embedded(batch, vectors)

    def _embedded(self, batch: Sequence[Made], vectors: KnownVectors) -> Iterator[bytes]:
        chunks = [chunk for _, some in batch for chunk in some]
        texts = (self._encoder.document_prefix + self._chunker.embedded_text(c) for c in chunks)
        embedded = embed(texts, self._encoder.encode, vectors)
        keys = iter([key for some, _ in embedded for key in some])
        for row, some in batch:
            passages = [
                [*_values_of(chunk, CHUNK), _written(vectors.at_hand[next(keys)])] for chunk in some
            ]
            yield json.dumps([_values_of(row, ROW), passages]).encode() + b"\n"


def _written(vector: Kept) -> str:
    return base64.b64encode(vector.tobytes()).decode()


def _values_of(record: FileRow | Chunk, kinds: Mapping[str, str]) -> list[object]:
    return [getattr(record, name) for name in kinds]


# ---- In the writer's


@dataclass(slots=True)
class ShardCounts:
    """What came of the shards of a run.

    `again` says for each one that was refused or lost what was wrong with it, `here` counts their
    documents, which were read by the writer.
    """

    where: str = ""
    egress: str | None = None
    shards: int = 0
    here: int = 0
    embedded: int = 0
    again: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ShardedReading:
    """The documents of one run, made by `hands`; `vectors` are the writer's.

    Without `reuse` nothing that was kept is used.
    """

    root: Path
    store: Path
    hands: Hands
    chunker: Chunker
    fingerprint: Fingerprint
    vectors: KnownVectors
    reuse: bool = True
    counts: ShardCounts = field(default_factory=ShardCounts)
    _lost: int = 0  # shards, since the last one that was sound

    def documents(
        self, files: Sequence[SeenFile]
    ) -> Generator[tuple[SeenFile, FileRow, list[Chunk]]]:
        """Each file's row and chunks as they are made; its vectors are at hand.

        Closing the iterator ends the processes.
        """
        drop_staging(self.store)
        with translated(self.store):
            (self.store / STAGING).mkdir(mode=0o700)
        shards = cut(files, self.hands.slots, self.hands.least_bytes)
        orders = [(secrets.token_hex(16), order_of(shard)) for shard in shards]
        self.counts.where, self.counts.egress = self.hands.where, self.hands.egress
        self.counts.shards = len(shards)
        try:
            with closing(self.hands.made(json.dumps(self.opening()), orders)) as made:
                for number, why in made:
                    yield from self._settled(shards[number], orders[number][0], why)
        finally:
            drop_staging(self.store)

    def opening(self) -> dict[str, Any]:
        """What a process is told before its first shard."""
        model = self.hands.model
        return {
            "version": VERSION,
            "root": str(self.root.absolute()),
            "store": str(self.store.absolute()),
            "model": str(model.absolute()) if model else None,
            "reuse": self.reuse,
            "confined": can_confine(),
            "fingerprint": asdict(self.fingerprint),
        }

    def _settled(
        self, shard: Shard, name: str, why: str
    ) -> Iterator[tuple[SeenFile, FileRow, list[Chunk]]]:
        """The documents of a shard; read here if it is not sound, or if it says `why` it is not."""
        try:
            if why:
                raise BadShard(why)
            made = checked_shard(self.store, name, shard, self.fingerprint.dimension)
            self._check_opened(made)
        except BadShard as error:
            self._note(shard, str(error))
            yield from read_all(self.root, shard, self.chunker, Texts(self.store, reuse=self.reuse))
        else:
            self._lost = 0
            for seen, (row, chunks, vectors) in zip(shard, made, strict=True):
                self._take(chunks, vectors)
                yield seen, row, chunks
        (self.store / STAGING / name).unlink(missing_ok=True)

    def _note(self, shard: Shard, what: str) -> None:
        more = f" and {len(shard) - 1:,} more" if len(shard) > 1 else ""
        self.counts.again.append(f"{shard[0].source}{more}: {what}")
        self.counts.here += len(shard)
        self._lost += 1
        if self._lost > MOST_LOST:
            raise CorpusError(
                f"The processes of {self.counts.where} do not come to an end: {what}.",
                "What was finished is kept. Without --cluster one process does the rest.",
            )

    def _check_opened(self, made: Sequence[Embedded]) -> None:
        """Raise BadShard if a node could not open what can be opened here."""
        for row, _, _ in made:
            if row.status == "failed" and row.reason in ("unreadable", "permission"):
                with contextlib.suppress(OSError, Refused):
                    os.close(open_beneath(self.root, row.source))
                    raise BadShard("files that cannot be opened there, and can be here")

    def _take(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Have the vectors of passages at hand, by keys that are made of the texts here.

        What the store has is not replaced: another document may have the same text.
        """
        prefix = self.fingerprint.document_prefix
        keys = [key_of(prefix + self.chunker.text_with_context(chunk)) for chunk in chunks]
        if self.reuse:
            self.vectors.find(keys)
        fresh = [at for at, key in enumerate(keys) if key not in self.vectors.at_hand]
        self.vectors.put([keys[at] for at in fresh], vectors[fresh])
        self.counts.embedded += len(fresh)


def checked_shard(store: Path, name: str, shard: Shard, dimension: int) -> list[Embedded]:
    """The documents of a staged shard, in order; raises BadShard, naming what is wrong."""
    made = [_document(line, dimension) for line in _staged_lines(store, name)]
    if len(made) != len(shard):
        raise BadShard(f"{len(made):,} documents of {len(shard):,}")
    seen = [(each.source, each.mtime_ns) for each in shard]
    if [(row.source, row.mtime_ns) for row, _, _ in made] != seen:
        raise BadShard("a row of another file")
    return made


def _staged_lines(store: Path, name: str) -> Iterator[Any]:
    """Each line of a staged file as JSON; nothing is opened through a link or read past a bound."""
    try:
        descriptor = open_beneath(store / STAGING, name)
    except (OSError, Refused):
        raise BadShard("no file") from None
    with os.fdopen(descriptor, "rb") as file:
        if os.fstat(descriptor).st_size > MAX_FILE_BYTES:
            raise BadShard(f"more than {MAX_FILE_BYTES:,} bytes")
        while line := file.readline(MAX_LINE_BYTES):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                raise BadShard("a document that is no JSON") from None


def _document(line: object, dimension: int) -> Embedded:
    """The row, the chunks and the vectors of a document; raises BadShard."""
    if not (isinstance(line, list) and len(line) == 2 and isinstance(line[1], list)):
        raise BadShard("a line that is no document")
    row = FileRow(**_values("row", ROW, line[0]))
    chunks, vectors = [], [np.empty(0, np.float32)]
    for at, values in enumerate(line[1]):
        if not isinstance(values, list) or not values:
            raise BadShard("a passage with other fields")
        chunks.append(Chunk(row.source, at, **_values("passage", CHUNK, values[:-1])))
        vectors.append(_vector(values[-1], dimension))
    _check_row(row, chunks)
    for chunk in chunks:
        _check_chunk(chunk, row.lines or 0)
    return row, chunks, np.concatenate(vectors).reshape(len(chunks), dimension)


def _vector(written: object, dimension: int) -> Vectors:
    """A vector of length 1, float32 (dimension,)."""
    try:
        kept = np.frombuffer(base64.b64decode(str(written), validate=True), np.float16)
    except ValueError:
        raise BadShard("a passage without a vector") from None
    vector = kept.astype(np.float32)
    with np.errstate(all="ignore"):  # squares of what is no vector may overflow
        length = np.linalg.norm(vector)
    if vector.shape != (dimension,) or not abs(length - 1.0) < _UNIT:  # NaN is not below it either
        raise BadShard("a vector of another length")
    return vector


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


def _check_row(row: FileRow, chunks: Sequence[Chunk]) -> None:
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
