"""Reads and embeds a plan's documents shard by shard, by other processes.

Checks what was staged as soon as it is, takes the vectors and texts over into the store's caches,
and yields the documents as `read_all` does: the run stores them as if it had read them itself, so
the index is the same. What nobody made, the writer reads.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from indexer.chunk import Chunker
from indexer.errors import CorpusError, Refused
from indexer.files.opening import open_beneath
from indexer.files.walk import SeenFile
from indexer.parsers.process import can_confine
from indexer.records import Chunk, FileRow, Fingerprint
from indexer.store.staging import (
    BadShard,
    adopt_texts,
    drop_staging,
    make_staging,
)
from indexer.store.texts import Texts
from indexer.store.vectors import KnownVectors
from indexer.sync.read import read_all
from indexer.sync.shard_result import ShardResult, checked_result
from indexer.sync.shard_work import VERSION
from indexer.sync.shards import Hands, Shard, cut, order_of

MOST_LOST = 8  # one after the other, with no sound shard between


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


class ShardedReading:
    """The documents of one run, made by `hands`; see the module.

    `vectors` are the writer's. Without `reuse` nothing that was kept is used.
    """

    def __init__(
        self,
        root: Path,
        store: Path,
        hands: Hands,
        chunker: Chunker,
        fingerprint: Fingerprint,
        vectors: KnownVectors,
        *,
        reuse: bool = True,
    ) -> None:
        self._root = root
        self._store = store
        self._hands = hands
        self._chunker = chunker
        self._fingerprint = fingerprint
        self._vectors = vectors
        self._reuse = reuse
        self._texts = Texts(store, reuse=reuse)
        self._lost = 0  # shards, since the last one that was sound
        self.counts = ShardCounts(hands.where, hands.egress)

    def documents(
        self, files: Sequence[SeenFile]
    ) -> Generator[tuple[SeenFile, FileRow, list[Chunk]]]:
        """Each file's row and chunks as they are made; its vectors are at hand.

        Closing the iterator ends the processes.
        """
        make_staging(self._store)
        shards = cut(files, self._hands.slots, self._hands.least_bytes)
        orders = [(secrets.token_hex(16), order_of(shard)) for shard in shards]
        self.counts.shards = len(shards)
        try:
            with closing(self._hands.made(json.dumps(self._opening()), orders)) as made:
                for number, why in made:
                    yield from self._settled(shards[number], orders[number][0], why)
        finally:
            drop_staging(self._store)

    def _opening(self) -> dict[str, Any]:
        """What a process is told before its first shard."""
        model = self._hands.model
        return {
            "version": VERSION,
            "root": str(self._root.absolute()),
            "store": str(self._store.absolute()),
            "model": str(model.absolute()) if model else None,
            "reuse": self._reuse,
            "confined": can_confine(),
            "fingerprint": asdict(self._fingerprint),
        }

    def _settled(
        self, shard: Shard, name: str, why: str
    ) -> Iterator[tuple[SeenFile, FileRow, list[Chunk]]]:
        """The documents of a shard; read here if it is not sound, or if it says `why` it is not."""
        try:
            result = None if why else self._checked(name, shard)
        except BadShard as error:
            result, why = None, str(error)
        if result is None:
            self._note(shard, why)
            self.counts.here += len(shard)
            yield from read_all(self._root, shard, self._chunker, self._texts)
        else:
            self._lost = 0
            self._take(shard, name, result)
            for seen, (row, chunks) in zip(shard, result.documents, strict=True):
                yield seen, row, chunks
        drop_staging(self._store, name)

    def _note(self, shard: Shard, what: str) -> None:
        more = f" and {len(shard) - 1:,} more" if len(shard) > 1 else ""
        self.counts.again.append(f"{shard[0].source}{more}: {what}")
        self._lost += 1
        if self._lost > MOST_LOST:
            raise CorpusError(
                f"The processes of {self.counts.where} do not come to an end: {what}.",
                "What was finished is kept. Without --cluster one process does the rest.",
            )

    def _checked(self, name: str, shard: Shard) -> ShardResult:
        """The result that is staged under a name; raises BadShard."""
        result = checked_result(self._store, name, shard, self._chunker, self._fingerprint)
        for row, _ in result.documents:
            if row.status == "failed" and row.reason in ("unreadable", "permission"):
                with suppress(OSError, Refused):
                    os.close(open_beneath(self._root, row.source))
                    raise BadShard("files that cannot be opened there, and can be here")
        return result

    def _take(self, shard: Shard, name: str, result: ShardResult) -> None:
        """Take vectors and texts over."""
        if self._reuse:
            self._vectors.find(result.keys)
        # What the store has is not replaced: another document may have the same text.
        known = (self._reuse and self._vectors.get(key) is not None for key in result.keys)
        fresh = [at for at, had in enumerate(known) if not had]
        self._vectors.put([result.keys[at] for at in fresh], result.vectors[fresh])
        hashes = {row.source: row.sha256 for row, _ in result.documents}
        try:
            adopt_texts(self._store, name, self._texts, hashes)
        except BadShard as error:  # a cache: its documents are parsed again when they are read
            self._note(shard, str(error))
        self.counts.embedded += result.embedded
