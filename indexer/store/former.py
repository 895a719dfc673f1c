"""Former manifests: the versions of an index that a reader holds, or that are kept for the user.

A replaced manifest stays under another name, by the time of its replacement, until a writer drops
it. Where a version had to be written anew, the one whose rows were written last counts for its
number. That is in the file's content, which has a sum: an archive can give a file any name.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from indexer.errors import DamagedStore, IncompatibleStore
from indexer.files.opening import READ_ONLY
from indexer.store.manifest import (
    FORMER,
    Manifest,
    content_of,
    parsed,
    put_in_place,
    write_new,
)


def count_former(store: Path) -> int:
    """Number of replaced manifests that still exist, held or not."""
    return sum(1 for _ in store.glob(FORMER.format("*")))


def former(store: Path, *, kept: Collection[int] = (), drop: bool = False) -> list[Manifest]:
    """Former manifests that a reader holds or whose numbers are in `kept`, oldest first.

    With `drop` all others are deleted. Where a version was written anew, the last one counts.
    Raises IncompatibleStore for one of another schema that a reader holds.
    """
    left = []
    wanted = {name for number, (name, _) in former_files(store).items() if number in kept}
    for path in _former_paths(store):
        try:
            descriptor = os.open(path, READ_ONLY)
        except FileNotFoundError:  # dropped by a writer meanwhile
            continue
        try:
            manifest = _readable(store, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if manifest is not None and path.name in wanted:
                left.append(manifest)
            elif drop and _is_manifest(store, descriptor):
                path.unlink()  # under the lock: a reader who comes now sees that it is gone
        except BlockingIOError:
            left.append(parsed(store, content_of(store, descriptor)))
        finally:
            os.close(descriptor)
    return sorted(left, key=lambda manifest: manifest.version)


def count_held(store: Path) -> int:
    """Number of former manifests that a reader holds, of whatever schema they are."""
    return sum(map(_is_held, _former_paths(store)))


def _is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, READ_ONLY)
    except FileNotFoundError:  # dropped by a writer meanwhile
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def former_files(store: Path) -> dict[int, tuple[str, Manifest]]:
    """Name and content of each former manifest by its number; that of the last rows.

    Those of other schemas, and what is no manifest, are left out.
    """
    found: dict[int, tuple[str, Manifest]] = {}
    for name, manifest in every_former(store):
        known = found.get(manifest.version)
        if known is None or _rows_of(manifest) > _rows_of(known[1]):
            found[manifest.version] = name, manifest
    return found


def every_former(store: Path) -> Iterator[tuple[str, Manifest]]:
    """As `former_files`, with those that were written anew since."""
    for path in _former_paths(store):
        try:
            descriptor = os.open(path, READ_ONLY)
        except FileNotFoundError:  # dropped by a writer meanwhile
            continue
        try:
            manifest = _readable(store, descriptor)
        finally:
            os.close(descriptor)
        if manifest is not None:
            yield path.name, manifest


def _former_paths(store: Path) -> list[Path]:
    """The files of former manifests, by name."""
    return sorted(store.glob(FORMER.format("*")))


def _rows_of(manifest: Manifest) -> tuple[int, int]:
    """When the rows of a version were written, as tables count; to write them anew counts on."""
    return manifest.chunks_version, manifest.files_version


def _readable(store: Path, descriptor: int) -> Manifest | None:
    try:
        return parsed(store, content_of(store, descriptor))
    except (DamagedStore, IncompatibleStore):
        return None


def _is_manifest(store: Path, descriptor: int) -> bool:
    """Whether an open file is a manifest, of any schema; other files are not deleted."""
    try:
        return content_of(store, descriptor).keys() >= {"version", "root", "fingerprint"}
    except DamagedStore:
        return False


def drop_former(store: Path) -> None:
    """Delete all former manifests, held or not: the versions that they name are gone."""
    for path in store.glob(FORMER.format("*")):
        path.unlink(missing_ok=True)


def write_former(store: Path, manifest: Manifest) -> None:
    """Put a former version's manifest beside the one that it replaces, atomically and durably."""
    put_in_place(write_new(store, manifest), store / FORMER.format(time.time_ns()))
