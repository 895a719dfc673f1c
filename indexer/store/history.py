"""What an index held and what changed: its versions, two of them compared, one made current again.

`changes` and `passage_changes` are pure. Only `roll_back` writes, under the writer's lock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from indexer.errors import CorpusError
from indexer.records import Chunk, FileRow
from indexer.store.manifest import read_manifest
from indexer.store.moves import moves
from indexer.store.snapshot import Snapshot
from indexer.store.versions import kept_of, not_kept, versions, when
from indexer.store.writer import Writer

ChangeKind = Literal["added", "changed", "moved", "removed"]


@dataclass(frozen=True, slots=True)
class CommittedVersion:
    """A version that can be asked; `changes` counts its documents against the version before.

    They are None for the oldest. `made` is the time of its commit, ISO 8601 in the user's zone.
    `same_as` is an earlier version that held the same, as one has to which it was rolled back.
    """

    number: int
    made: str
    documents: int
    chunks: int
    complete: bool
    current: bool
    changes: dict[ChangeKind, int] | None
    same_as: int | None = None


@dataclass(frozen=True, slots=True)
class History:
    """The versions of an index, newest first; `keep` says which former ones are kept.

    `former_bytes` is the disk space that the former ones take besides the current one.
    """

    versions: tuple[CommittedVersion, ...]
    keep: str
    former_bytes: int


@dataclass(frozen=True, slots=True)
class PassageChange:
    """A passage that one version has in the place of another; None where it has none."""

    before: Chunk | None
    after: Chunk | None

    @property
    def kind(self) -> ChangeKind:
        """What happened to it."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A document that differs between two versions.

    `was` is its name before if it was moved. `passages` are those that differ, of a changed one;
    `chunks` counts those of the document, before and after.
    """

    source: str
    kind: ChangeKind
    was: str | None = None
    passages: tuple[PassageChange, ...] = ()
    chunks: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed from version `first` to `second`, by source; `unchanged` counts the others."""

    first: int
    second: int
    documents: tuple[DocumentChange, ...]
    unchanged: int


@dataclass(frozen=True, slots=True)
class RolledBack:
    """Version `before` was current; `version` has the content of `target` and is current now."""

    before: int
    target: int
    version: int


def history(store: Path) -> History:
    """The versions that can be asked, newest first, each with what changed in it."""
    known = versions(store)
    listed: list[CommittedVersion] = []
    before: dict[str, FileRow] | None = None
    sizes: dict[str, int] = {}
    held: dict[frozenset[tuple[str, str | None, int]], int] = {}  # the oldest version that did
    for manifest in known:
        snapshot = Snapshot(store, version=manifest.version)
        after = _documents(snapshot)
        snapshot.close()
        found = changes(before, after) if before is not None else None
        content = frozenset((row.source, row.sha256, row.chunks) for row in after.values())
        same_as = held.get(content) if found else None
        held.setdefault(content, manifest.version)
        listed.append(
            CommittedVersion(
                manifest.version,
                when(store, manifest).isoformat(timespec="seconds"),
                len(after),
                manifest.chunks,
                manifest.complete,
                manifest is known[-1],
                _counted(found) if found is not None else None,
                same_as,
            )
        )
        before = after
        sizes |= {name: int(sums.split()[0]) for name, sums in manifest.contents.items()}
    former = sum(size for name, size in sizes.items() if name not in known[-1].contents)
    return History(tuple(reversed(listed)), known[-1].keep, former)


def _documents(snapshot: Snapshot) -> dict[str, FileRow]:
    return {row.source: row for row in snapshot.files() if row.is_document}


def _counted(found: Sequence[DocumentChange]) -> dict[ChangeKind, int]:
    counts: dict[ChangeKind, int] = {"added": 0, "changed": 0, "moved": 0, "removed": 0}
    for change in found:
        counts[change.kind] += 1
    return counts


def changes(before: Mapping[str, FileRow], after: Mapping[str, FileRow]) -> list[DocumentChange]:
    """The documents that differ, by source; one that was moved is there once, by its new name."""
    moved = moves(
        [before[source] for source in before.keys() - after.keys()],
        [after[source] for source in after.keys() - before.keys()],
    )
    former = set(moved.values())
    found = []
    for source in sorted(before.keys() | after.keys()):
        old, new = before.get(source), after.get(source)
        chunks = old.chunks if old else 0, new.chunks if new else 0
        if new is None:
            if source not in former:
                found.append(DocumentChange(source, "removed", chunks=chunks))
        elif old is None:
            was = moved.get(source)
            kind: ChangeKind = "moved" if was else "added"
            found.append(DocumentChange(source, kind, was, chunks=chunks))
        elif old.sha256 != new.sha256:
            found.append(DocumentChange(source, "changed", chunks=chunks))
    return found


def passage_changes(before: Sequence[Chunk], after: Sequence[Chunk]) -> list[PassageChange]:
    """The passages of a document that differ, in order; one in another's place replaces it."""
    found: list[PassageChange] = []
    matcher = SequenceMatcher(a=[chunk.text for chunk in before], b=[chunk.text for chunk in after])
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            pairs = zip_longest(before[start:end], after[new_start:new_end])
            found += [PassageChange(old, new) for old, new in pairs]
    return found


def difference(store: Path, first: int, second: int) -> Difference:
    """What changed between two versions that are kept; raises CorpusError where one is not."""
    old, new = Snapshot(store, version=first), Snapshot(store, version=second)
    try:
        before, after = _documents(old), _documents(new)
        found = changes(before, after)
        edited = [change.source for change in found if change.kind == "changed"]
        had, has = old.passages(edited), new.passages(edited)
    finally:
        old.close()
        new.close()
    documents = tuple(
        DocumentChange(
            change.source,
            change.kind,
            change.was,
            tuple(passage_changes(had[change.source], has[change.source])),
            change.chunks,
        )
        if change.kind == "changed"
        else change
        for change in found
    )
    touched = sum(change.kind != "removed" for change in documents)
    return Difference(first, second, documents, len(after) - touched)


def roll_back(store: Path, number: int) -> RolledBack:
    """Make a kept version current, in one commit; the version that was current is kept as others.

    Raises CorpusError if it is not kept or is current, StoreLocked while another process writes.
    """
    manifest = read_manifest(store)
    with Writer(store, manifest.fingerprint, manifest.root) as writer:
        manifest = writer.manifest or manifest
        if number == manifest.version:
            raise CorpusError(
                f"Version {number} is the current one.", "Others: corpus-agent history"
            )
        kept = {former.version: former for former in kept_of(store, manifest)}
        if number not in kept:
            raise not_kept(f"Version {number}", [*kept.values(), manifest])
        done = writer.rollback(kept[number])
    return RolledBack(manifest.version, number, done.version)
