"""Former manifests: the versions of an index that a reader holds.

A replaced manifest stays under another name, by the time of its replacement, until a writer drops
it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from indexer.errors import DamagedStore, IncompatibleStore
from indexer.files.opening import READ_ONLY
from indexer.store.manifest import FORMER, Manifest, content_of, parsed


def count_former(store: Path) -> int:
    """Number of replaced manifests that still exist, held or not."""
    return sum(1 for _ in store.glob(FORMER.format("*")))


def held(store: Path, *, drop: bool = False) -> list[Manifest]:
    """Former manifests that a reader holds; with `drop` all others are deleted.

    Raises IncompatibleStore for one of another schema that a reader holds.
    """
    found = []
    for path, descriptor in _former(store):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if drop and _is_manifest(store, descriptor):
                path.unlink()  # under the lock: a reader who comes now sees that it is gone
        except BlockingIOError:
            found.append(parsed(store, content_of(store, descriptor)))
    return found


def count_held(store: Path) -> int:
    """Number of former manifests that a reader holds, of whatever schema they are."""
    return sum(_is_held(descriptor) for _, descriptor in _former(store))


def _is_held(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def every_former(store: Path) -> list[Manifest]:
    """All former manifests of this schema, held or not."""
    found = []
    for _, descriptor in _former(store):
        try:
            found.append(parsed(store, content_of(store, descriptor)))
        except (DamagedStore, IncompatibleStore):
            continue  # an archive can bring any file
    return found


def _former(store: Path) -> Iterator[tuple[Path, int]]:
    """The files of former manifests and a descriptor of each, open until the next one."""
    for path in sorted(store.glob(FORMER.format("*"))):
        try:
            descriptor = os.open(path, READ_ONLY)
        except FileNotFoundError:  # dropped by a writer meanwhile
            continue
        try:
            yield path, descriptor
        finally:
            os.close(descriptor)


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
