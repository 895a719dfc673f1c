"""The versions of an index that can be asked: the committed one, and the former ones it keeps.

Lists them, finds the one of a number or a day, and holds it for a reader. Needs no LanceDB.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time
from pathlib import Path

from indexer.errors import CorpusError, DamagedStore, NoIndex, UsageError
from indexer.store.former import former_files
from indexer.store.keeping import NOTHING, Keep, kept_versions
from indexer.store.manifest import MANIFEST_NAME, Manifest, damaged, hold, read_manifest, recorded

_DIGITS = 9
MAX_NAMED = 8  # versions in a message
_NO_KEEP = f"{MANIFEST_NAME}: keep is no number of versions or days"
LIST = "Those that are kept: corpus-agent history"


def when(store: Path, manifest: Manifest) -> datetime:
    """The time of a commit, in the user's time zone."""
    try:
        return datetime.fromisoformat(manifest.updated).astimezone()
    except (ValueError, OverflowError, OSError):
        raise damaged(store, f"version {manifest.version} has no time") from None


def keep_of(store: Path, manifest: Manifest) -> Keep:
    """Which former versions a manifest says are kept."""
    try:
        return Keep.parse(manifest.keep)
    except UsageError:
        raise damaged(store, _NO_KEEP) from None


def keep_before(store: Path) -> Keep:
    """Which former versions the committed manifest says are kept, of whatever schema it is.

    NOTHING where it does not say. Raises as `keep_of` does.
    """
    said = recorded(store, "keep")
    if said is None:
        return NOTHING
    try:
        return Keep.parse(said if isinstance(said, str) else "")
    except UsageError:
        raise damaged(store, _NO_KEEP) from None


def keep_of_last(store: Path) -> Keep:
    """As `keep_before`, of the last former version where the committed manifest cannot be read.

    NOTHING where none can.
    """
    with suppress(DamagedStore):
        return keep_before(store)
    with suppress(DamagedStore):
        last = _last_former(store)
        return keep_of(store, last) if last else NOTHING
    return NOTHING


def _last_former(store: Path) -> Manifest | None:
    every = (manifest for _, manifest in former_files(store).values())
    return max(every, key=lambda manifest: manifest.version, default=None)


def kept_of(store: Path, current: Manifest) -> list[Manifest]:
    """The former versions that are kept beside `current`, oldest first.

    What an interrupted run left between two of its commits is none of them, nor what was only
    tidied afterwards.
    """
    keep = keep_of(store, current)
    if not (keep.versions or keep.days):
        return []
    every = {number: manifest for number, (_, manifest) in former_files(store).items()}
    every[current.version] = current
    tidied = {number - 1 for number, manifest in every.items() if manifest.tidied}
    made = [
        every[number]
        for number in sorted(every.keys() - tidied)
        if every[number].complete and number < current.version
    ]
    timed = [(manifest.version, when(store, manifest)) for manifest in (*made, current)]
    numbers = kept_versions(timed, keep, datetime.now().astimezone())
    return [manifest for manifest in made if manifest.version in numbers]


def lost_with(store: Path, current: Manifest | None) -> int:
    """How many former versions are kept, which go where the tables are made anew.

    Without a committed manifest the last former one says which, and is one of them.
    """
    if current is not None:
        return len(kept_of(store, current))
    last = _last_former(store)
    if last is None:
        return 0
    return len(kept_of(store, last)) + (keep_of(store, last) != NOTHING)


def versions(store: Path) -> list[Manifest]:
    """All versions that can be asked, oldest first; the last one is the committed one."""
    current = read_manifest(store)
    return [*kept_of(store, current), current]


def version_at(store: Path, at: str) -> int:
    """The number of the version that `at` means: a number, or a day, at whose end it was current.

    Raises UsageError where it is neither, CorpusError where no such version is kept.
    """
    known = versions(store)
    text = at.strip()
    if text.isascii() and text.isdecimal() and len(text) <= _DIGITS:
        number = int(text)
        if all(manifest.version != number for manifest in known):
            raise not_kept(f"Version {number}", known)
        return number
    end = _end_of(_day(at))
    made = [manifest for manifest in known if when(store, manifest) <= end]
    if not made:
        raise not_kept(f"What the index held on {text}", known)
    return made[-1].version


def _end_of(day: date) -> datetime:
    """The last moment of a day, in the user's time zone; of one that has none there, in UTC."""
    end = datetime.combine(day, time.max)
    try:
        return end.astimezone()
    except (ValueError, OverflowError, OSError):  # the first year and the last
        return end.replace(tzinfo=UTC)


def _day(at: str) -> date:
    try:
        return date.fromisoformat(at.strip())
    except ValueError:
        raise UsageError(
            f"{at[:40]!r} is neither the number of a version nor a day.",
            "Write 42 or 2026-11-01.",
        ) from None


def not_kept(what: str, known: Sequence[Manifest]) -> CorpusError:
    """The error for a version that is none of the known ones."""
    numbers = sorted(manifest.version for manifest in known)
    kept = f"kept {'is' if len(numbers) == 1 else 'are'}: {', '.join(map(str, numbers))}"
    if len(numbers) > MAX_NAMED:
        kept = f"{len(numbers)} from {numbers[0]} to {numbers[-1]} are"
    keeps = max(known, key=lambda manifest: manifest.version).keep != "0"
    hint = (
        LIST
        if len(numbers) > 1 or keeps
        else "To keep former ones from now on: corpus-agent index --keep 30d"
    )
    return CorpusError(f"{what} is not kept; {kept}.", hint)


def hold_version(store: Path, number: int) -> tuple[Manifest, int]:
    """A version's manifest and a descriptor that holds it; see manifest.hold.

    Raises CorpusError if the version is not kept.
    """
    while True:
        known = {manifest.version for manifest in versions(store)}
        if number not in known:
            raise not_kept(f"Version {number}", versions(store))
        named = former_files(store).get(number)
        try:
            manifest, held = hold(store, named[0] if named else MANIFEST_NAME)
        except NoIndex:
            if named is None:
                raise
            continue  # a writer took it away a moment ago
        if manifest.version == number:
            return manifest, held
        os.close(held)  # of a commit a moment ago
