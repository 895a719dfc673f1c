"""Reads and embeds a plan's documents shard by shard, by other processes, in the plan's order.

Hands out shards, checks what was staged, takes the vectors and texts over into the store's caches,
and yields the documents as `read_all` does: the run stores them as if it had read them itself, so
the index is the same. What a killed run staged is taken when its documents are unchanged.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from indexer.chunk import Chunker
from indexer.errors import CorpusError, Refused
from indexer.files.opening import hash_beneath, open_beneath
from indexer.files.walk import SeenFile
from indexer.parsers.process import can_confine
from indexer.records import Chunk, FileRow, Fingerprint
from indexer.store.names import MARKER_NAME
from indexer.store.staging import (
    BadShard,
    adopt_texts,
    digest_of,
    drop_staging,
    make_staging,
    staged_names,
    staged_order,
)
from indexer.store.texts import Texts
from indexer.store.vectors import KnownVectors
from indexer.sync.hands import TOO_LONG, Hands, ShardLost
from indexer.sync.read import read_all
from indexer.sync.shard_result import ShardResult, checked_result
from indexer.sync.shards import (
    VERSION,
    Shard,
    cut,
    halves,
    name_of,
    order_of,
    ordered,
)

TRIES = 3  # of a shard, before it is halved; of one document, before it is read here
# One after the other, with no sound shard between: more than halving one to a document takes.
MOST_LOST = 40
MOST_SAMPLES = 16  # documents by which a process knows the folder

_Made = Future[str]


@dataclass(slots=True)
class ShardCounts:
    """What came of the shards of a run.

    `taken` counts those that an earlier run had staged. `again` says for each one that was refused
    or lost what was wrong with it, `here` counts the documents that were read by the writer since
    no other process came to an end with them.
    """

    where: str = ""
    egress: str | None = None
    shards: int = 0
    taken: int = 0
    here: int = 0
    embedded: int = 0
    again: list[str] = field(default_factory=list)


class ShardedReading:
    """The documents of one run, made by `hands`; see the module.

    `vectors` are the writer's. Without `reuse` nothing that was kept or
    staged is used.
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
        self._opening: dict[str, Any] = {}
        self._lost = 0  # shards, since the last one that was sound
        self._keys: dict[str, list[bytes]] = {}  # of the documents that were yielded, by source
        self.counts = ShardCounts(hands.where, hands.egress)

    def documents(
        self, files: Sequence[SeenFile]
    ) -> Generator[tuple[SeenFile, FileRow, list[Chunk]]]:
        """Each file's row and chunks, in about the order of the files; its vectors are cached.

        Closing the iterator ends the processes; what they have finished stays staged.
        """
        make_staging(self._store)
        staged = self._staged(files)
        within = {seen.source for shard in staged for seen in shard.files}
        left = [seen for seen in files if seen.source not in within]
        fresh = cut(left, self._hands.slots, self._hands.least_bytes)
        self._open(files)
        pool = ThreadPoolExecutor(self._hands.slots, "shard")
        try:
            waiting: list[tuple[Shard, _Made | None]] = [(shard, None) for shard in staged]
            waiting += [(shard, self._given(pool, shard)) for shard in fresh]
            for shard, made in sorted(waiting, key=lambda each: each[0].files[0].source):
                yield from self._settled(pool, shard, made)
        finally:
            self._hands.stop()
            pool.shutdown(cancel_futures=True)
            self._hands.close()
        drop_staging(self._store)

    def take_keys(self, source: str) -> list[bytes] | None:
        """The keys of a document's vectors, once; None for one that was read by the writer."""
        return self._keys.pop(source, None)

    def _open(self, files: Sequence[SeenFile]) -> None:
        if files:
            self._opening = opening_of(
                self._root, self._store, self._fingerprint, files,
                model=self._hands.model, reuse=self._reuse, confined=can_confine(),
            )  # fmt: skip

    def _name(self, shard: Shard) -> str:
        return name_of(shard, self._fingerprint, self._texts.key)

    # ---- What an earlier run has left

    def _staged(self, files: Sequence[SeenFile]) -> list[Shard]:
        """The staged shards all of whose documents are to be read, as they were seen then.

        All others are dropped.
        """
        seen = {each.source: each for each in files}
        found: list[Shard] = []
        taken: set[str] = set()
        for name in staged_names(self._store):
            shard = self._staged_shard(name, seen) if self._reuse else None
            sources = {each.source for each in shard.files} if shard else set[str]()
            if shard is None or sources & taken:
                drop_staging(self._store, name)
            else:
                found.append(shard)
                taken |= sources
        return found

    def _staged_shard(self, name: str, seen: dict[str, SeenFile]) -> Shard | None:
        try:
            _, shard = ordered(staged_order(self._store, name))
        except (BadShard, ValueError):
            return None
        known = [seen[each.source] for each in shard.files if each.source in seen]
        same = len(known) == len(shard.files) > 0
        return shard if same and self._name(Shard(tuple(known))) == name else None

    # ---- One shard

    def _given(self, pool: ThreadPoolExecutor, shard: Shard, *, fresh: bool = False) -> _Made:
        """The future name of a shard, once it is staged."""
        order = order_of(shard, self._name(shard))
        return pool.submit(self._hands.work, self._opening, order, shard.seconds, fresh=fresh)

    def _settled(
        self, pool: ThreadPoolExecutor, shard: Shard, made: _Made | None
    ) -> Iterator[tuple[SeenFile, FileRow, list[Chunk]]]:
        """The documents of a shard, which is done again until it is sound; `made`: not staged."""
        self.counts.shards += 1
        self.counts.taken += made is None
        result = self._sound(pool, shard, made)
        if result is None and len(shard.files) > 1:
            parts = [(half, self._given(pool, half, fresh=True)) for half in halves(shard)]
            for half, given in parts:
                yield from self._settled(pool, half, given)
            return
        if result is None:
            self.counts.here += 1
            yield from read_all(self._root, shard.files, self._chunker, self._texts)
            return
        rest = self._given(pool, result.rest) if result.rest else None
        self._take(shard, result)
        for seen, (row, chunks), keys in zip(
            shard.files, result.documents, result.chunk_keys, strict=False
        ):
            self._keys[row.source] = keys
            yield seen, row, chunks
        drop_staging(self._store, self._name(shard))
        if result.rest:
            yield from self._settled(pool, result.rest, rest)

    def _sound(
        self, pool: ThreadPoolExecutor, shard: Shard, made: _Made | None
    ) -> ShardResult | None:
        """The checked result; None after as many tries as a shard has, and one that took too long.

        Raises CorpusError for what a process says about itself, as that its disk is full, where
        another one says it too.
        """
        name = self._name(shard)
        refused: CorpusError | None = None
        for number in range(TRIES):
            if number:
                made = self._given(pool, shard, fresh=True)
            refused = None
            try:
                if made is not None:
                    made.result()
                result = self._checked(name, shard, unchanged=made is not None)
            except (ShardLost, BadShard) as error:
                self._note(shard, str(error))
                if str(error) == TOO_LONG:
                    break
            except CorpusError as error:
                refused = error
                self._note(shard, error.message)
            else:
                self._lost = 0
                return result
            drop_staging(self._store, name)
        if refused is not None:
            raise refused
        return None

    def _note(self, shard: Shard, what: str) -> None:
        first, more = shard.files[0].source, len(shard.files) - 1
        self.counts.again.append(f"{first}{f' and {more:,} more' if more else ''}: {what}")
        self._lost += 1
        if self._lost > MOST_LOST:
            raise CorpusError(
                f"The processes of {self.counts.where} do not come to an end: {what}.",
                "What was finished is kept. Without --cluster one process does the rest.",
            )

    def _checked(self, name: str, shard: Shard, *, unchanged: bool) -> ShardResult:
        """The result that is staged under a name; raises BadShard.

        Unless the files are known to be `unchanged` since, their hashes are compared.
        """
        result = checked_result(self._store, name, shard, self._chunker, self._fingerprint)
        for row, _ in result.documents:
            if _could_not_open(row) and self._can_open(row.source):
                raise BadShard("files that cannot be opened there, and can be here")
            if not unchanged and row.sha256 and self._hash(row.source) != row.sha256:
                raise BadShard("files that have changed since")
        return result

    def _can_open(self, source: str) -> bool:
        try:
            os.close(open_beneath(self._root, source))
        except (OSError, Refused):
            return False
        return True

    def _hash(self, source: str) -> str | None:
        try:
            return hash_beneath(self._root, source)
        except (OSError, Refused):
            return None

    def _take(self, shard: Shard, result: ShardResult) -> None:
        """Take vectors and texts over."""
        if self._reuse:
            self._vectors.find(result.keys)
        # What the store has is not replaced: another document may have the same text.
        known = (self._reuse and self._vectors.get(key) is not None for key in result.keys)
        fresh = [at for at, had in enumerate(known) if not had]
        self._vectors.put([result.keys[at] for at in fresh], result.vectors[fresh])
        name = self._name(shard)
        try:
            adopt_texts(self._store, name, self._texts, result.hashes)
        except BadShard as error:  # a cache: its documents are parsed again when they are read
            self._note(shard, str(error))
        self.counts.embedded += result.embedded


def opening_of(
    root: Path,
    store: Path,
    fingerprint: Fingerprint,
    files: Sequence[SeenFile],
    *,
    model: Path | None,
    reuse: bool,
    confined: bool,
) -> dict[str, Any]:
    """What a process is told before its first shard; the samples are some of the documents."""
    samples = files[:: -(-len(files) // MOST_SAMPLES)]
    return {
        "version": VERSION,
        "root": str(root.absolute()),
        "root_inode": root.stat().st_ino,
        "store": str(store.absolute()),
        "model": str(model.absolute()) if model else None,
        "reuse": reuse,
        "confined": confined,
        "fingerprint": asdict(fingerprint),
        "marker": digest_of(store / MARKER_NAME),
        "samples": [[seen.source, seen.bytes, seen.mtime_ns] for seen in samples],
    }


def _could_not_open(row: FileRow) -> bool:
    """Whether the file could not be opened where it was read, which says nothing of what it is."""
    return row.status == "failed" and row.reason in ("unreadable", "permission")
