"""Shards: parts of a plan's documents that sealed processes read, cut, embed and stage.

Pure. A shard holds names, sizes and times, never text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from indexer.files.walk import SeenFile
from indexer.parsers.limits import limits_for

MOST_BYTES = 8 * 2**20  # of documents: what a process that is killed loses
LEAST_BYTES = 32 * 2**10  # half a second of work, against some milliseconds to hand it over
MOST_FILES = 512
SHARDS_LEFT = 4  # for each slot, of the size of the next one: a document takes what its kind takes

# A process past the time of its shard is ended. Twenty times what a slow machine needs.
_SECONDS = 300.0
_SECONDS_PER_FILE = 2.0
_BYTES_PER_SECOND = 5_000  # of plain text; a text that fills the window takes a tenth of a second

Shard = tuple[SeenFile, ...]  # sources in order


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


def ordered(order: str | bytes) -> Shard:
    """The shard of an order; raises ValueError for what is none."""
    try:
        content = json.loads(order)
        return tuple(SeenFile(str(s), int(size), int(at)) for s, size, at in content)
    except (TypeError, OverflowError, RecursionError) as error:
        raise ValueError(f"no order of a shard: {error}") from None
