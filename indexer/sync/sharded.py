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
from indexer.extract.own_properties import is_day
from indexer.files.opening import open_beneath
from indexer.files.walk import SeenFile
from indexer.parsers.limits import TEXT_CHARS
from indexer.parsers.process import can_confine
from indexer.parsers.worker import Worker
from indexer.records import MAX_TEXT_CHARS, STATUSES, Chunk, FileRow, Fingerprint, fits
from indexer.store.folder import translated
from indexer.store.texts import Texts
from indexer.store.vectors import UNIT, KnownVectors, Vectors, embed, key_of
from indexer.sync.properties import MAX_LINKS_CHARS
from indexer.sync.read import read_all, read_with
from indexer.sync.run import BATCH_CHUNKS, fingerprint_of
from indexer.sync.shards import STAGING, Hands, Shard, cut, drop_staging, order_of, ordered

MOST_LOST = 8  # shards, one after the other, with no sound one between
MOST_CHARS = 32 * 2**20  # of passages in one shard; the writer reads the documents of a larger one
MAX_LINE_BYTES = 8 * TEXT_CHARS  # of a document's passages, a character written as six at most
MAX_FILE_BYTES = 4 * MAX_LINE_BYTES
MAX_LINE = 2**31 - 1  # what a chunk's row can hold
# Of this program. Not imported: all layers would stand below the package's own module.
VERSION = str(import_module("indexer").__version__)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LANGUAGE = re.compile(r"[a-z]{0,3}")

Made = tuple[FileRow, list[Chunk]]
ShardDocument = tuple[FileRow, list[Chunk], Vectors]


class BadShard(Exception):
    """What a shard's process staged is not what it should have written."""


# The types of the fields as annotated, in their order. A passage's source and number are its place.
ROW = {each.name: str(each.type) for each in fields(FileRow)}
CHUNK = {each.name: str(each.type) for each in fields(Chunk)[2:]}
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
        theirs = {**opening["fingerprint"], "corpus-agent": opening["version"]}
        self._chunker = Chunker(self._encoder, Cut.stored(theirs["chunker"]))
        ours = asdict(fingerprint_of(self._encoder, self._chunker)) | {"corpus-agent": VERSION}
        self._other = [key for key in ours if theirs.get(key) != ours[key]]
        self._parser = Worker()
        self._texts = Texts(self._store, keep=False, reuse=opening["reuse"])
        self.close = self._parser.close

    def make(self, name: str, order: str) -> tuple[dict[str, str], bytes]:
        """Stage a shard under its name."""
        if self._other:
            raise UnreadableDocument("other", f"another {self._other[0]} on that node")
        staged = self._store / STAGING / name
        fresh = staged.with_name(f"{name}.{secrets.token_hex(8)}.new")
        try:
            with translated(self._store), fresh.open("xb") as file:
                file.writelines(self._lines(ordered(order)))
                file.flush()
                os.fsync(file.fileno())
            fresh.rename(staged)
        finally:
            fresh.unlink(missing_ok=True)
        return {"made": name}, b""

    def _lines(self, files: Shard) -> Iterator[bytes]:
        """A line for each document; a text that stands twice in a shard is embedded once."""
        vectors = KnownVectors(self._store)
        batch: list[Made] = []
        chars = waiting = 0
        read = read_with(self._parser, self._root, files, self._chunker, self._texts)
        for _, row, chunks in read:
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
        prefix, chunks = self._encoder.document_prefix, [c for _, some in batch for c in some]
        texts = (prefix + self._chunker.embedded_text(chunk) for chunk in chunks)
        embedded = embed(texts, self._encoder.encode, vectors)
        keys = iter([key for some, _ in embedded for key in some])
        for row, some in batch:
            passages = [
                [
                    *(getattr(chunk, name) for name in CHUNK),
                    base64.b64encode(vectors.at_hand[next(keys)].tobytes()).decode(),
                ]
                for chunk in some
            ]
            yield json.dumps([[getattr(row, name) for name in ROW], passages]).encode() + b"\n"


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
    """The documents of one run, made by `hands`; `vectors` are the writer's."""

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
        """Each file's row and chunks as they are made, its vectors at hand; ends its processes."""
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

    def _check_opened(self, made: Sequence[ShardDocument]) -> None:
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


def checked_shard(store: Path, name: str, shard: Shard, dimension: int) -> list[ShardDocument]:
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


def _document(line: object, dimension: int) -> ShardDocument:
    """The row, the chunks and the vectors of a document; raises BadShard."""
    match line:
        case [list(values), list(passages)]:
            row = FileRow(**_values("row", ROW, values))
        case _:
            raise BadShard("a line that is no document")
    chunks, vectors = [], [np.empty(0, np.float32)]
    for at, passage in enumerate(passages):
        *values, written = passage if isinstance(passage, list) and passage else [None]
        chunks.append(Chunk(row.source, at, **_values("passage", CHUNK, values)))
        vectors.append(_vector(written, dimension))
    for what, wrong in (*_of_row(row, chunks), *_of_chunks(chunks, row.lines or 0)):
        if wrong:
            raise BadShard(what)
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
    if vector.shape != (dimension,) or not abs(length - 1.0) < UNIT:  # NaN is not below it either
        raise BadShard("a vector of another length")
    return vector


def _values(what: str, kinds: Mapping[str, str], values: Sequence[Any]) -> dict[str, Any]:
    """The values by the names of their fields; raises BadShard for one of another kind."""
    if len(values) != len(kinds):
        raise BadShard(f"a {what} with other fields")
    for (name, kind), value in zip(kinds.items(), values, strict=True):
        if kind == "Status":
            right = value in STATUSES and value != "unreachable"
        elif name == "mtime_ns":  # before 1970 it is negative
            right = type(value) is int and fits(kind, abs(value))
        else:
            right = fits(kind, value, _LONGEST.get(name, MAX_TEXT_CHARS))
        if not right:
            raise BadShard(f"a {what} whose {name} is of another kind")
    return dict(zip(kinds, values, strict=True))


def _of_row(row: FileRow, chunks: Sequence[Chunk]) -> Iterator[tuple[str, bool]]:
    """What no reading of a file gives, and whether this row has it."""
    yield "a hash that is none", not (row.sha256 is None or _SHA256.fullmatch(row.sha256))
    yield f"{len(chunks):,} passages of {row.chunks:,}", row.chunks != len(chunks)
    if row.status == "indexed":
        whole = row.sha256 and row.title is not None and row.lines is not None
        no_reader = not (whole and is_todays(row.extractor))
        yield "a document that no reader of today has read", no_reader
    else:
        bare = not chunks and row.reason is not None
        yield "a file without text, and passages or no reason", not bare
    yield "a day that is none", row.date is not None and not is_day(row.date)


def _of_chunks(chunks: Sequence[Chunk], lines: int) -> Iterator[tuple[str, bool]]:
    """What no cutting of a document of so many lines gives, and whether one of these has it."""
    for each in chunks:
        size = len(each.text) if each.text.strip() else 0
        fit = size and len(named_once(each.text)) <= CHUNK_CHARS
        yield f"a passage of {len(each.text):,} characters", not fit
        yield "a passage in no language", not _LANGUAGE.fullmatch(each.language)
        in_lines = 0 < each.line_start <= each.line_end <= min(lines, MAX_LINE)
        yield "a passage without lines", not in_lines
        first, last = each.page_start, each.page_end
        in_pages = (first is None) == (last is None) and 0 < (first or 1) <= (last or 1) <= MAX_LINE
        yield "a passage without pages", not in_pages
