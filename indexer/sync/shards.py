"""Cuts a plan's documents into shards: parts of the work that other processes do.

Pure. A shard holds names, sizes and times, never text. It is named by its content and the store's
key: the same documents, as they were seen, under the same fingerprint have the same name in every
run of one store, and nobody else can name one that would be taken over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module

from indexer.files.walk import SeenFile
from indexer.parsers.limits import limits_for
from indexer.records import Fingerprint
from indexer.store.folder import keyed_sum

MOST_BYTES = 8 * 2**20  # of documents: what a process that is killed loses
LEAST_BYTES = 32 * 2**10  # half a second of work, against some milliseconds to hand it over
MOST_FILES = 512
SHARDS_LEFT = 4  # for each slot, of the size of the next one: a document takes what its kind takes
ORDER_BYTES = 8 * 2**20  # of 512 names of 4,096 bytes, each written as six

# Of this program. Not imported: all layers would stand below the package's own module.
VERSION = str(import_module("indexer").__version__)

NAME = re.compile(r"[0-9a-f]{32}")

# A shard past its time is halved and done again. Twenty times what a slow machine needs.
_SECONDS = 300.0
_SECONDS_PER_FILE = 2.0
_BYTES_PER_SECOND = 5_000  # of plain text; a text that fills the window takes a tenth of a second


@dataclass(frozen=True, slots=True)
class Shard:
    """Documents that one process reads, cuts and embeds; sources in order."""

    files: tuple[SeenFile, ...]

    @property
    def bytes(self) -> int:
        """The size of its documents."""
        return sum(seen.bytes for seen in self.files)

    @property
    def seconds(self) -> float:
        """How long it may take."""
        if len(self.files) == 1:
            return _SECONDS + limits_for(self.bytes).wall_seconds + self.bytes / _BYTES_PER_SECOND
        return _SECONDS + _SECONDS_PER_FILE * len(self.files) + self.bytes / _BYTES_PER_SECOND


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
            shards.append(Shard(tuple(part)))
            left -= size
            part, size = [], 0
        part.append(seen)
        size += seen.bytes
    return [*shards, Shard(tuple(part))] if part else shards


def halves(shard: Shard) -> tuple[Shard, Shard]:
    """A shard of two documents or more as two."""
    middle = len(shard.files) // 2
    return Shard(shard.files[:middle]), Shard(shard.files[middle:])


def name_of(shard: Shard, fingerprint: Fingerprint, key: bytes) -> str:
    """The name of a shard by the store's key: 32 hexadecimal digits that others cannot know."""
    content = [asdict(fingerprint), [_entry(seen) for seen in shard.files]]
    return keyed_sum(key, json.dumps(content, sort_keys=True).encode(), "shard").hex()[:32]


def order_of(shard: Shard, name: str) -> str:
    """One line of JSON that orders a shard."""
    return json.dumps({"shard": name, "files": [_entry(seen) for seen in shard.files]})


def ordered(line: str | bytes) -> tuple[str, Shard]:
    """The name and the shard of an order; raises ValueError for what is none."""
    try:
        content = json.loads(line)
        name = content["shard"]
        files = tuple(SeenFile(str(s), int(size), int(at)) for s, size, at in content["files"])
    except (TypeError, KeyError, OverflowError, RecursionError) as error:
        raise ValueError(f"no order of a shard: {error}") from None
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        raise ValueError(f"{name!r} is no name of a shard")
    return name, Shard(files)


def _entry(seen: SeenFile) -> list[str | int]:
    return [seen.source, seen.bytes, seen.mtime_ns]
