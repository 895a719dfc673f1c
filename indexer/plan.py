"""What a run will do, decided from plain values: the folder as seen, the index as stored.

`plan` is pure. Only `changed_hashes` looks at bytes, and only where size or time give a reason to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import Refused
from indexer.extract import REGISTRY
from indexer.records import FileRow
from indexer.walk import SeenFile, Walk, hash_beneath

CLOCK_TICK_NS = 2_000_000_000  # of FAT, the coarsest; that of Linux's own file systems is 10 ms


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do, file by file. Sources in order; the groups do not overlap.

    `record` are files that get a row and no text (skipped and unreadable ones), `touch` files
    whose time changed and whose bytes did not.
    """

    add: tuple[SeenFile, ...] = ()
    update: tuple[SeenFile, ...] = ()
    record: tuple[SeenFile, ...] = ()
    touch: tuple[SeenFile, ...] = ()
    keep: tuple[SeenFile, ...] = ()
    remove: tuple[str, ...] = ()

    @property
    def work(self) -> tuple[SeenFile, ...]:
        """The files to extract and embed, by source."""
        return tuple(sorted((*self.add, *self.update), key=lambda seen: seen.source))

    @property
    def changes_nothing(self) -> bool:
        """Whether the index is already what the folder is."""
        return not (self.add or self.update or self.record or self.touch or self.remove)


def changed_hashes(
    root: Path,
    walk: Walk,
    stored: Mapping[str, FileRow],
    *,
    walked_ns: int = 0,
    verify: bool = False,
) -> dict[str, str]:
    """SHA-256 of the files whose size or time is not the stored one; of all, with `verify`.

    Also of those whose stored time is not clearly earlier than `walked_ns`, when the stored rows
    were begun: a file may be written twice within one tick of the clock that stamps it. Files that
    cannot be read are left out: applying the plan will say why.
    """
    hashes = {}
    settled = walked_ns - CLOCK_TICK_NS
    for seen in walk.files:
        row = stored.get(seen.source)
        if row is None or row.sha256 is None or seen.problem:
            continue
        changed = (row.bytes, row.mtime_ns) != (seen.bytes, seen.mtime_ns)
        if verify or changed or row.mtime_ns > settled:
            try:
                hashes[seen.source] = hash_beneath(root, seen.source)
            except (OSError, Refused):
                continue
    return hashes


def plan(
    walk: Walk,
    stored: Mapping[str, FileRow],
    hashes: Mapping[str, str],
    known_extractors: Mapping[str, str],
    *,
    force: bool = False,
) -> Plan:
    """What makes the index equal to the folder. Pure.

    `hashes` are today's of the files in question, `known_extractors` the registry under which
    the stored rows were made: a file that nobody could read is tried again when it grows.
    """
    registry = {extractor.name: str(extractor.version) for extractor in REGISTRY}
    groups: dict[str, list[SeenFile]] = {}
    for seen in walk.files:
        row = stored.get(seen.source)
        kind = _intent(seen, row, hashes.get(seen.source), registry, dict(known_extractors), force)
        groups.setdefault(kind, []).append(seen)
    present = {seen.source for seen in walk.files}
    removed = tuple(sorted(source for source in stored if source not in present))
    return Plan(**{kind: tuple(files) for kind, files in groups.items()}, remove=removed)


def _intent(
    seen: SeenFile,
    row: FileRow | None,
    sha256: str | None,
    registry: dict[str, str],
    known: dict[str, str],
    force: bool,
) -> str:
    if seen.problem:
        now = (seen.problem, seen.detail, seen.bytes, seen.mtime_ns)
        same = row is not None and (row.reason, row.detail, row.bytes, row.mtime_ns) == now
        return "keep" if same else "record"
    if row is None:
        return "add"
    if force or _made_otherwise(row, registry, known):
        return "update"
    same_times = (row.bytes, row.mtime_ns) == (seen.bytes, seen.mtime_ns)
    if sha256 is None:
        # Not hashed: either nothing suggests a change, or it could not be read just now.
        return "keep" if same_times and row.sha256 is not None else "update"
    if sha256 != row.sha256:
        return "update"
    return "keep" if same_times else "touch"


def _made_otherwise(row: FileRow, registry: dict[str, str], known: dict[str, str]) -> bool:
    """Whether today's extractors might read the file differently."""
    if row.extractor is None:
        return registry != known
    name, version = row.extractor.split("/")
    return registry.get(name) != version
