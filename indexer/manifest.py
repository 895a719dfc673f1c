"""The manifest: the one small file that says which version of the index is the index.

A commit of the store is the atomic replacement of this file. It names the LanceDB versions of the
two tables that belong together, so readers see both tables change in the same instant, a killed
writer leaves the last committed version in force, and `status` needs no LanceDB at all.

It is also what a reader holds on to (`hold`): a lock on the file that it read. The file that a
commit replaces stays under another name until nobody holds it, and what it names stays with it.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from indexer.errors import DamagedStore, IncompatibleStore, NoIndex
from indexer.records import Coverage, Fingerprint

STORE_NAME = ".corpus-agent"
MANIFEST_NAME = "manifest.json"
FORMER = "manifest.{}.json"  # by the time of its replacement
SCHEMA = 2  # 1: no keys of vectors in the chunk rows


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed version of an index.

    `root` is relative to the store's parent where the corpus lies below it, else absolute, so
    that a project moved as a whole keeps its index. `complete` is False while an `index` run that
    committed part of its work has not finished. `walked_ns` is when the last run that finished
    began to look at the folder, by the clock that files are stamped with; `updated` is ISO 8601.
    """

    version: int
    root: str
    fingerprint: Fingerprint
    chunks_version: int
    files_version: int
    chunks: int
    coverage: Coverage
    ignored: int
    complete: bool
    updated: str
    walked_ns: int = 0


def find_store(start: Path) -> Path | None:
    """The nearest store at or above `start`, as git finds `.git`; None where there is none."""
    for folder in (start, *start.parents):
        candidate = folder / STORE_NAME
        if (candidate / MANIFEST_NAME).is_file():
            return candidate
    return None


def root_for(store: Path, root: Path) -> str:
    """`root` as the manifest records it."""
    parent = store.resolve().parent
    return str(root.relative_to(parent)) if root.is_relative_to(parent) else str(root)


def root_of(store: Path, manifest: Manifest) -> Path:
    """The absolute corpus root of a store; need not exist."""
    return store.resolve().parent / manifest.root


def read_manifest(store: Path) -> Manifest:
    """The committed manifest of a store.

    Raises NoIndex, DamagedStore, or IncompatibleStore where another version made it.
    """
    return _manifest(store, _load(store))


def hold(store: Path) -> tuple[Manifest, int]:
    """The committed manifest, and a descriptor that keeps its version on the disk while it is open.

    Works on a read-only disk, blocks nobody, and ends with the process. Raises as `read_manifest`.
    """
    while True:
        descriptor = _open(store)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            if os.fstat(descriptor).st_nlink:  # else it was replaced and dropped just now
                return _manifest(store, _content(store, descriptor)), descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def count_former(store: Path) -> int:
    """How many manifests were replaced and are not forgotten yet, held or not."""
    return sum(1 for _ in store.glob(FORMER.format("*")))


def former(store: Path, *, drop: bool = False) -> list[Manifest]:
    """The former manifests that somebody holds, oldest first; forgets all others with `drop`."""
    left = []
    for path in store.glob(FORMER.format("*")):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if drop:
                path.unlink()  # under the lock: a reader who comes now sees that it is gone
        except BlockingIOError:
            left.append(_manifest(store, _content(store, descriptor)))
        finally:
            os.close(descriptor)
    return sorted(left, key=lambda manifest: manifest.version)


def is_outdated(store: Path) -> bool:
    """Whether an earlier version of this program made the index, so that it is made anew."""
    return (store / MANIFEST_NAME).exists() and _load(store)["schema"] < SCHEMA


def recorded_root(store: Path) -> Path | None:
    """The corpus root that a store was made for, also by an earlier version; None if it is new.

    Raises as `read_manifest` does where a later version made it.
    """
    if not (store / MANIFEST_NAME).exists():
        return None
    if not is_outdated(store):
        return root_of(store, read_manifest(store))
    root = _load(store).get("root")
    return store.resolve().parent / root if isinstance(root, str) else None


def _load(store: Path) -> dict[str, Any]:
    descriptor = _open(store)
    try:
        return _content(store, descriptor)
    finally:
        os.close(descriptor)


def _open(store: Path) -> int:
    try:
        return os.open(store / MANIFEST_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise NoIndex(f"There is no index in {str(store)!r}.", "Run: corpus-agent index") from None
    except PermissionError:
        raise NoIndex(
            f"The index in {str(store)!r} may not be read by this user.",
            "Run as its owner.",
        ) from None


def _content(store: Path, descriptor: int) -> dict[str, Any]:
    """What a manifest says, of whatever schema."""
    try:
        loaded = json.loads(os.pread(descriptor, os.fstat(descriptor).st_size, 0))
    except ValueError as error:
        raise damaged(store, f"{MANIFEST_NAME}: {error}") from None
    if not isinstance(loaded, dict) or not isinstance(loaded.get("schema"), int):
        raise damaged(store, f"{MANIFEST_NAME} is not a manifest")
    return loaded


def _manifest(store: Path, loaded: dict[str, Any]) -> Manifest:
    if loaded["schema"] != SCHEMA:
        newer = loaded["schema"] > SCHEMA
        raise IncompatibleStore(
            f"The index in {str(store)!r} has schema {loaded['schema']}; "
            f"this version of corpus-agent reads schema {SCHEMA}.",
            "Update corpus-agent." if newer else "Make it anew: corpus-agent index",
        )
    fields = {key: value for key, value in loaded.items() if key != "schema"}
    try:
        fields["fingerprint"] = Fingerprint(**fields["fingerprint"])
        fields["coverage"] = Coverage(**fields["coverage"])
        return Manifest(**fields)
    except (KeyError, TypeError) as error:
        raise damaged(store, f"{MANIFEST_NAME}: {error}") from None


def damaged(store: Path, detail: str) -> DamagedStore:
    """The error for a store that exists and does not open."""
    return DamagedStore(f"The index in {str(store)!r} is damaged ({detail}).", rebuild_hint(store))


def rebuild_hint(store: Path) -> str:
    """How to make the store anew; the documents themselves are never in it."""
    return f"Remove {str(store)!r} and run: corpus-agent index"


def write_manifest(store: Path, manifest: Manifest) -> None:
    """Commit: put the manifest in the place of the old one, atomically and durably.

    The old one stays as a former manifest, in case somebody holds it.
    """
    path = store / MANIFEST_NAME
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        json.dump({"schema": SCHEMA, **asdict(manifest)}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        (store / FORMER.format(time.time_ns())).hardlink_to(path)
    fresh.replace(path)
    descriptor = os.open(store, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
