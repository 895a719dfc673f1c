"""Shards: parts of a plan's documents that sealed processes read, cut, embed and stage.

A shard holds names, sizes and times, never text. Here are how a plan is cut into them, who has them
made, and what such a process may do; its work is in sharded.py. Imported before the seal.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from indexer.confine import (
    FileRule,
    Policy,
    interpreter_files,
    sealed_calls,
    starting,
    system_files,
)
from indexer.errors import CorpusError, UnreadableDocument
from indexer.files.walk import SeenFile
from indexer.parsers.limits import DocumentLimits, limits_for
from indexer.parsers.pool import in_order
from indexer.parsers.process import Child
from indexer.store.folder import translated

MOST_BYTES = 8 * 2**20  # of documents: what a process that is killed loses
LEAST_BYTES = 32 * 2**10  # half a second of work, against some milliseconds to hand it over
MOST_FILES = 512
SHARDS_LEFT = 4  # for each slot, of the size of the next one: a document takes what its kind takes
TRIES = 3  # of a shard by one slot, before the writer reads its documents
STAGING = "staging"  # the folder of a store for what was made
OPENING = "CORPUS_AGENT_SHARDS"  # the variable that says which folder, store and model, as JSON

# A process past the time of its shard is ended. Twenty times what a slow machine needs.
_SECONDS = 300.0
_SECONDS_PER_FILE = 2.0
_BYTES_PER_SECOND = 5_000  # of plain text; a text that fills the window takes a tenth of a second
# One thread each: there are as many processes as there is to be work at a time.
_ONE_THREAD = dict.fromkeys((*starting.THREADS, "TOKENIZERS_PARALLELISM"), "1")
_UNBOUNDED = 2**62  # bytes and seconds: the model and the parser have bounds of their own

Shard = tuple[SeenFile, ...]  # sources in order
Order = tuple[str, str]  # the name and the shard as JSON
Made = tuple[int, str]


def bytes_of(shard: Shard) -> int:
    """The size of its documents."""
    return sum(seen.bytes for seen in shard)


def seconds_for(shard: Shard) -> float:
    """How long a shard may take."""
    longest = limits_for(max(seen.bytes for seen in shard)).wall_seconds
    return _SECONDS + longest + _SECONDS_PER_FILE * len(shard) + bytes_of(shard) / _BYTES_PER_SECOND


def shard_bytes(left: int, slots: int, least: int = LEAST_BYTES) -> int:
    """How many bytes of documents a shard has at most, where `left` are still shared by `slots`."""
    return max(least, min(MOST_BYTES, left // (slots * SHARDS_LEFT)))


def cut(
    files: Sequence[SeenFile], slots: int, least: int = LEAST_BYTES, most_files: int = MOST_FILES
) -> list[Shard]:
    """The files, in their order, as shards within all bounds; a larger file is one by itself.

    The less is left, the smaller they are, so that all slots end at about the same time (guided
    self-scheduling: Polychronopoulos and Kuck 1987).
    """
    shards: list[Shard] = []
    part: list[SeenFile] = []
    size, left = 0, sum(seen.bytes for seen in files)
    for seen in files:
        full = size + seen.bytes > shard_bytes(left, slots, least) or len(part) == most_files
        if part and full:
            shards.append(tuple(part))
            left -= size
            part, size = [], 0
        part.append(seen)
        size += seen.bytes
    return [*shards, tuple(part)] if part else shards


def order_of(shard: Shard) -> str:
    """The shard as JSON."""
    return json.dumps([[seen.source, seen.bytes, seen.mtime_ns] for seen in shard])


def ordered(order: str) -> Shard:
    """The shard of an order."""
    return tuple(SeenFile(*values) for values in json.loads(order))


def drop_staging(store: Path) -> None:
    """Remove all staged shards; of a link that stands in their place the link. For the writer."""
    path = store / STAGING
    with translated(store), suppress(FileNotFoundError):
        if path.is_symlink() or path.is_file():
            path.unlink()
        else:
            shutil.rmtree(path)


class Hands(Protocol):
    """Has shards made, `slots` at a time; less than `least_bytes` are not worth handing over.

    `where` names the cluster, `model` is the folder of the embedding model, None for the packaged
    one. `egress` says what leaves this machine, None if nothing does.
    """

    slots: int
    least_bytes: int
    where: str
    model: Path | None
    egress: str | None

    def made(self, opening: str, orders: Sequence[Order]) -> Generator[Made]:
        """The place of each order, once it was done, and why nothing is staged, "" if it is.

        Closing the iterator ends all processes. Raises CorpusError where no cluster is there.
        """
        ...


class ShardProcess:
    """One sealed process that makes shards; ends with the thread that made it."""

    def __init__(self, opening: str) -> None:
        environment = {**starting.common_variables(), **_ONE_THREAD, OPENING: opening}
        confined = bool(json.loads(opening)["confined"])
        self._child = Child("indexer.sync.shards", environment, confined=confined)
        self.stop, self.close = self._child.stop, self._child.close

    def make(self, name: str, order: str) -> str:
        """Have a shard made, by a new process if one is lost; "" or why it is not."""
        limits = DocumentLimits(_UNBOUNDED, _UNBOUNDED // 2**32, seconds_for(ordered(order)))
        why = ""
        for _ in range(TRIES):
            try:
                self._child.ask(lambda *_: None, "make", {"name": name, "order": order}, limits)
            except (UnreadableDocument, CorpusError) as error:
                why = str(error)
            else:
                return ""
            if self._child.runs:  # it said so itself, and would again
                break
        return why


class LocalHands:
    """Processes of this machine, one for each of `slots`."""

    egress: str | None = None

    def __init__(self, slots: int, model: Path | None = None) -> None:
        self.slots, self.least_bytes, self.model = slots, LEAST_BYTES, model
        self.where = f"local:{slots}"

    def made(self, opening: str, orders: Sequence[Order]) -> Generator[Made]:
        """See Hands; in their order."""

        def make(process: ShardProcess, order: Order) -> str:
            return process.make(*order)

        with in_order(
            make, orders, lambda _: 0, lambda: ShardProcess(opening), self.slots
        ) as results:
            yield from enumerate(results)


# ---- What their process may do, and its jobs: the names of a program, see indexer.parsers.child


def POLICY() -> Policy:  # noqa: N802
    """Documents, store and model to be read, staged shards to be written; no socket at all."""
    opening = json.loads(os.environ[OPENING])
    store = Path(opening["store"])
    rules = [
        FileRule(Path(opening["root"]), required=True, no_links=True),
        FileRule(store, required=True, no_links=True),
        FileRule(store / STAGING, "write", required=True, no_links=True),
    ]
    if opening["model"]:
        rules.append(FileRule(Path(opening["model"]), required=True))
    packages = [Path(starting.packages(), name) for name in ("corpus_agent", "indexer")]
    files = (*rules, *interpreter_files(*packages), *system_files())
    return Policy(calls=sealed_calls(), files=files)


def Jobs(_: object) -> Any:  # noqa: ANN401, N802 - imported once the process is sealed
    """The worker of this process."""
    work = import_module("indexer.sync.sharded")
    return work.ShardWorker(json.loads(os.environ[OPENING]))
