"""Plans a run from plain values: the folder as walked, the index as stored.

`plan` is pure. `changed_hashes` reads the files whose size or time differ, `with_moved` those that
may be one that is gone. What is embedded again is decided here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.errors import Refused
from indexer.extract import is_read_anew
from indexer.files.opening import hash_beneath
from indexer.files.walk import CLOCK_TICK_NS, UNREACHED, SeenFile, Walk
from indexer.records import USUAL, Choices, FileRow, Fingerprint
from indexer.store.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do, file by file. Sources in order; the groups do not overlap.

    `record` are files that get a row without text (skipped and unreadable ones), `touch` files
    whose time changed but not their content or that can be looked at again. `unreachable` are
    documents that could not be looked at and stay, `lost` those of them that could be before.
    `moved` are the former and the new source of documents among those added and removed, where they
    were looked for. `reasons` are messages on why unchanged files are processed again.
    """

    add: tuple[SeenFile, ...] = ()
    update: tuple[SeenFile, ...] = ()
    record: tuple[SeenFile, ...] = ()
    touch: tuple[SeenFile, ...] = ()
    keep: tuple[SeenFile, ...] = ()
    remove: tuple[str, ...] = ()
    unreachable: tuple[SeenFile, ...] = ()
    lost: tuple[SeenFile, ...] = ()
    reasons: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()

    @property
    def work(self) -> tuple[SeenFile, ...]:
        """The files to extract and embed, by source."""
        return tuple(sorted((*self.add, *self.update), key=lambda seen: seen.source))

    @property
    def changes_nothing(self) -> bool:
        """Whether the index already equals the folder."""
        changes = (self.add, self.update, self.record, self.touch, self.remove, self.lost)
        return not any(changes)


def make_plan(
    root: Path,
    walk: Walk,
    stored: Mapping[str, FileRow],
    manifest: Manifest | None,
    today: Fingerprint,
    choices: Choices = USUAL,
) -> Plan:
    """The plan for a walked folder, a committed index and the current fingerprint."""
    walked_ns = manifest.walked_ns if manifest else 0
    hashes = changed_hashes(root, walk, stored, walked_ns=walked_ns, verify=choices.verify)
    if manifest is None:
        return plan(walk, stored, hashes, {}, choices)
    known = manifest.fingerprint.extractors
    todo = plan(walk, stored, hashes, known, choices, manifest.mounts)
    reasons = rebuild_reasons(manifest.fingerprint, today, manifest.coverage.indexed)
    return replace(todo, reasons=(*reasons, *todo.reasons))


def changed_hashes(
    root: Path,
    walk: Walk,
    stored: Mapping[str, FileRow],
    *,
    walked_ns: int = 0,
    verify: bool = False,
) -> dict[str, str]:
    """SHA-256 of the files whose size or time differs from the stored one; of all with `verify`.

    Also of files whose stored time is not clearly before `walked_ns`, the start of the last walk: a
    file may be written twice within one clock tick. Unreadable files are omitted; applying the plan
    reports them.
    """
    hashes = {}
    settled = walked_ns - CLOCK_TICK_NS
    for seen in walk.files:
        row = stored.get(seen.source)
        if row is None or row.sha256 is None or seen.problem:
            continue
        changed = (row.bytes, row.mtime_ns) != (seen.bytes, seen.mtime_ns)
        if verify or changed or row.mtime_ns > settled:
            with suppress(OSError, Refused):
                hashes[seen.source] = hash_beneath(root, seen.source)
    return hashes


def with_moved(todo: Plan, root: Path, stored: Mapping[str, FileRow]) -> Plan:
    """The plan with the documents that only have another name, as a run finds when it is done."""
    gone = [row for row in map(stored.get, todo.remove) if row is not None and row.is_document]
    lengths = {row.bytes for row in gone}
    added = []
    for seen in todo.add:
        if seen.bytes in lengths and not seen.problem:
            with suppress(OSError, Refused):
                sha256 = hash_beneath(root, seen.source)
                added.append(FileRow(seen.source, "indexed", sha256=sha256))
    found = moves(gone, added)
    return replace(todo, moved=tuple(sorted((was, now) for now, was in found.items())))


def plan(
    walk: Walk,
    stored: Mapping[str, FileRow],
    hashes: Mapping[str, str],
    known: Mapping[str, str],
    choices: Choices = USUAL,
    mounts: Iterable[str] = (),
) -> Plan:
    """The changes that make index and folder equal. Pure.

    `hashes` are the current hashes of suspect files, `known` the versions of the extractors that
    made the stored rows, `mounts` the folders that were on other devices when the index was made.
    """
    barred = {} if choices.prune_unreachable else walk.out_of_reach(mounts)
    unreachable = tuple(sorted(_unreachable(walk, stored, barred), key=lambda seen: seen.source))
    left = {seen.source for seen in unreachable}
    outdated = {name for name, row in stored.items() if is_read_anew(row.extractor, name, known)}
    groups: dict[str, list[SeenFile]] = defaultdict(list)
    for seen in walk.files:
        if seen.source not in left:
            row, sha256 = stored.get(seen.source), hashes.get(seen.source)
            anew = choices.force or seen.source in outdated
            groups[_intent(seen, row, sha256, anew=anew)].append(seen)
    present = {seen.source for seen in walk.files}
    gone = tuple(
        source
        for source in sorted(stored.keys() - present - left)
        if barrier(source, barred) is None
    )
    return Plan(
        **{kind: tuple(files) for kind, files in groups.items()},
        remove=gone,
        unreachable=unreachable,
        lost=tuple(
            seen
            for seen in unreachable
            if (stored[seen.source].status, stored[seen.source].reason)
            != ("unreachable", seen.problem)
        ),
        reasons=tuple(_reasons(stored[s.source] for s in groups["update"] if s.source in outdated)),
        moved=(),
    )


def _unreachable(
    walk: Walk, stored: Mapping[str, FileRow], barred: Mapping[str, str]
) -> Iterator[SeenFile]:
    """The stored documents that the walk could not look at, with the reason as their problem."""
    seen = {each.source: each for each in walk.files}
    for source, row in stored.items():
        if not row.is_document:
            continue
        if (now := seen.get(source)) is not None:
            reason = now.problem if barred and now.problem in UNREACHED else None
        else:
            reason = barrier(source, barred)
        if reason is not None:
            yield SeenFile(source, row.bytes, row.mtime_ns, reason)


def barrier(source: str, barred: Mapping[str, str]) -> str | None:
    """Why the folder of a source, or one above it, could not be looked into; None if it could."""
    if not barred:
        return None
    parts = source.split("/")
    above = ("/".join(parts[:count]) + "/" * bool(count) for count in range(len(parts)))
    return next((barred[folder] for folder in above if folder in barred), None)


def _reasons(outdated: Iterable[FileRow]) -> Iterator[str]:
    """A message for each changed extractor, with the number of files that it reads again."""
    labels = (row.extractor or "others/" for row in outdated)
    for name, count in sorted(Counter(label.partition("/")[0] for label in labels).items()):
        yield f"This release reads these in another way: {name}. Files: {count:,}."


def rebuild_reasons(before: Fingerprint, today: Fingerprint, documents: int) -> list[str]:
    """Messages on why an index is rebuilt, and what that costs. Pure."""
    if not before.embeds_alike(today) or before.document_prefix != today.document_prefix:
        was, now = (f"{one.model} ({one.weights_sha256[:8]})" for one in (before, today))
        every = f"every passage of all documents ({documents:,}) is embedded"
        return [f"The model was {was} and is {now}: {every}."]
    if not before.makes_same_rows(today):
        return [f"Passages are cut in another way: all documents ({documents:,}) again."]
    return []


def _intent(seen: SeenFile, row: FileRow | None, sha256: str | None, *, anew: bool) -> str:
    """The group of a file; `anew`: its text is to be read again in any case."""
    if seen.problem:
        now = (seen.problem, seen.detail, seen.bytes, seen.mtime_ns)
        if row is None or row.is_document:
            return "record"
        return "keep" if (row.reason, row.detail, row.bytes, row.mtime_ns) == now else "record"
    if row is None:
        return "add"
    if anew:
        return "update"
    same_times = (row.bytes, row.mtime_ns) == (seen.bytes, seen.mtime_ns)
    same = "keep" if same_times and row.status != "unreachable" else "touch"
    if sha256 is None:
        # Not hashed: either nothing suggests a change, or it could not be read just now.
        return same if same_times and row.sha256 is not None else "update"
    return same if sha256 == row.sha256 else "update"


def moves(removed: Iterable[FileRow], added: Iterable[FileRow]) -> dict[str, str]:
    """The former name of each document that was moved, by its new one: the bytes are the same.

    Of several with the same bytes the first by name is the first, and each is moved once.
    """
    gone: dict[str | None, list[str]] = defaultdict(list)
    for row in sorted(removed, key=lambda row: row.source, reverse=True):
        gone[row.sha256].append(row.source)
    new = sorted(added, key=lambda row: row.source)
    return {row.source: gone[row.sha256].pop() for row in new if gone[row.sha256]}
