"""Makes shards: opens their documents, parses, cuts and embeds them, and stages the result.

Runs in the sealed process of shard_child.py, one shard at a time. Writes to the staging folder and
nowhere else; commits nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from indexer.chunk import Chunker, Cut
from indexer.embed import Encoder, FolderEncoder
from indexer.errors import CorpusError
from indexer.files.opening import time_of
from indexer.files.walk import SeenFile
from indexer.parsers.worker import Worker
from indexer.records import Chunk
from indexer.store.names import MARKER_NAME
from indexer.store.staging import StagedShard, digest_of
from indexer.store.texts import Texts
from indexer.store.vectors import embed
from indexer.sync.read import read_with
from indexer.sync.run import BATCH_CHUNKS, fingerprint_of
from indexer.sync.shard_result import values_of, values_of_chunk
from indexer.sync.shards import VERSION, ordered

MOST_CHARS = 32 * 2**20  # of text in one shard: what is beyond is left for another


class ShardWorker:
    """Makes the shards of one run; keeps its model and its parser from one to the next.

    The parser ends with the thread that makes the first shard, if not with `close`.

    Raises CorpusError if it sees another store, other documents or another model than the process
    that plans, which is found before any document is opened.
    """

    def __init__(
        self,
        opening: Mapping[str, Any],
        make_encoder: Callable[[Path | None, Path], Encoder] = lambda folder, store: FolderEncoder(
            folder, store=store
        ),
        most_chars: int = MOST_CHARS,
    ) -> None:
        self._root, self._store = Path(opening["root"]), Path(opening["store"])
        self._most_chars = most_chars
        _check_version(opening["version"])
        _check_view(opening, self._root, self._store)
        folder = Path(opening["model"]) if opening["model"] else None
        self._encoder = make_encoder(folder, self._store)
        cut = Cut.stored(opening["fingerprint"]["chunker"])
        self._chunker = Chunker(self._encoder, cut)
        self._fingerprint = fingerprint_of(self._encoder, self._chunker)
        _check_fingerprint(opening["fingerprint"], asdict(self._fingerprint))
        self._reuse: bool = opening["reuse"]
        self._parser = Worker()
        self._texts = Texts(self._store, keep=False, reuse=self._reuse)

    def make(self, order: bytes | str) -> str:
        """Make a shard; its name, under which it now is in the staging folder."""
        name, shard = ordered(order)
        staged = StagedShard(self._store, name, self._texts, self._fingerprint)
        try:
            embedded = self._fill(staged, shard.files)
            text = order if isinstance(order, str) else order.decode()
            staged.finish(text, embedded)
        except BaseException:
            staged.abandon()
            raise
        return name

    def close(self) -> None:
        """End the parser."""
        self._parser.close()

    def _fill(self, staged: StagedShard, files: tuple[SeenFile, ...]) -> int:
        """Read and embed the documents; the number of texts that were embedded."""
        embedded = chars = 0
        batch: list[Chunk] = []
        for _, row, chunks in read_with(self._parser, self._root, files, self._chunker, staged):
            staged.add(values_of(row), [values_of_chunk(chunk) for chunk in chunks])
            batch += chunks
            chars += sum(len(chunk.text) for chunk in chunks)
            if len(batch) >= BATCH_CHUNKS:
                embedded += self._embed(staged, batch)
                batch = []
            if chars > self._most_chars:
                break
        return embedded + self._embed(staged, batch)

    def _embed(self, staged: StagedShard, chunks: list[Chunk]) -> int:
        prefix = self._encoder.document_prefix
        texts = (prefix + self._chunker.embedded_text(chunk) for chunk in chunks)
        parts = embed(texts, self._encoder.encode, staged.vectors, reuse=self._reuse)
        return sum(made for _, made in parts)


def _check_version(theirs: str) -> None:
    if theirs != VERSION:
        raise CorpusError(
            f"corpus-agent {VERSION} here, and {theirs[:40]} where `index` was started.",
            "Install the same corpus-agent on every node.",
        )


def _check_view(opening: Mapping[str, Any], root: Path, store: Path) -> None:
    if digest_of(store / MARKER_NAME) != opening["marker"]:
        raise CorpusError(
            f"The index {str(store)!r} is another one here than where `index` was started.",
            "Mount the same folder at the same place on every node.",
        )
    if opening["marker"] and not _is_same_folder(opening, root):
        raise CorpusError(
            f"The folder {str(root)!r} holds other documents here than where `index` was started.",
            "Mount the same folder at the same place on every node.",
        )


def _is_same_folder(opening: Mapping[str, Any], root: Path) -> bool:
    """Whether the folder has the same inode, or any of the samples is as it was seen.

    Most network file systems number their inodes alike on every node, and a document may have been
    edited since.
    """

    def is_as_seen(source: str, size: int, at: int) -> bool:
        try:
            info = (root / source).lstat()
        except OSError:
            return False
        return (info.st_size, time_of(info)) == (size, at)

    try:
        if root.stat().st_ino == opening["root_inode"]:
            return True
    except OSError:
        return False
    return any(is_as_seen(*sample) for sample in opening["samples"])


def _check_fingerprint(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    if other := sorted(key for key in ours if theirs.get(key) != ours[key]):
        raise CorpusError(
            f"Another {other[0]} here than where `index` was started: {ours[other[0]]!r}, "
            f"not {theirs.get(other[0])!r}."[:500],
            "Install the same corpus-agent, and the same model, on every node.",
        )
