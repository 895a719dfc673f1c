"""Makes shards: opens their documents, parses, cuts and embeds them, and stages the result.

Runs in the sealed process of shards.py, one shard at a time. Writes to the staging folder and
nowhere else; commits nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from indexer.chunk import Chunker, Cut
from indexer.embed import Encoder, FolderEncoder
from indexer.errors import UnreadableDocument
from indexer.parsers.worker import Worker
from indexer.records import Chunk
from indexer.store.staging import StagedShard
from indexer.store.texts import Texts
from indexer.store.vectors import embed
from indexer.sync.read import read_with
from indexer.sync.run import BATCH_CHUNKS, fingerprint_of
from indexer.sync.shard_result import values_of, values_of_chunk
from indexer.sync.shards import Shard, ordered

MOST_CHARS = 32 * 2**20  # of passages in one shard; the writer reads the documents of a larger one
# Of this program. Not imported: all layers would stand below the package's own module.
VERSION = str(import_module("indexer").__version__)


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
        self._encoder = make_encoder(
            Path(opening["model"]) if opening["model"] else None, self._store
        )
        cut = Cut.stored(opening["fingerprint"]["chunker"])
        self._chunker = Chunker(self._encoder, cut)
        self._fingerprint = fingerprint_of(self._encoder, self._chunker)
        theirs, ours = opening["fingerprint"], asdict(self._fingerprint)
        self._other = [key for key in ours if theirs.get(key) != ours[key]]
        if opening["version"] != VERSION:
            self._other.append("corpus-agent")
        self._reuse: bool = opening["reuse"]
        self._parser = Worker()
        self._texts = Texts(self._store, keep=False, reuse=self._reuse)

    def make(self, name: str, order: str) -> tuple[dict[str, str], bytes]:
        """Stage a shard under its name.

        Raises UnreadableDocument for what the process that plans would have made otherwise.
        """
        if self._other:
            raise UnreadableDocument("other", f"another {self._other[0]} on that node")
        staged = StagedShard(self._store, name, self._texts, self._fingerprint)
        try:
            staged.finish(self._fill(staged, ordered(order)))
        except BaseException:
            staged.abandon()
            raise
        return {"made": name}, b""

    def close(self) -> None:
        """End the parser."""
        self._parser.close()

    def _fill(self, staged: StagedShard, files: Shard) -> int:
        """Read and embed the documents; the number of texts that were embedded."""
        embedded = chars = 0
        batch: list[Chunk] = []
        for _, row, chunks in read_with(self._parser, self._root, files, self._chunker, staged):
            staged.add(values_of(row), [values_of_chunk(chunk) for chunk in chunks])
            batch += chunks
            chars += sum(len(chunk.text) for chunk in chunks)
            if chars > MOST_CHARS and len(files) > 1:
                raise UnreadableDocument("output", "more text than a shard holds")
            if len(batch) >= BATCH_CHUNKS:
                embedded += self._embed(staged, batch)
                batch = []
        return embedded + self._embed(staged, batch)

    def _embed(self, staged: StagedShard, chunks: list[Chunk]) -> int:
        prefix = self._encoder.document_prefix
        texts = (prefix + self._chunker.embedded_text(chunk) for chunk in chunks)
        parts = embed(texts, self._encoder.encode, staged.vectors, reuse=self._reuse)
        return sum(made for _, made in parts)
