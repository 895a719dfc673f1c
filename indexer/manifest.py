"""The manifest: the one small file that says which version of the index is the index.

A commit of the store is the atomic replacement of this file. It names the LanceDB versions of the
two tables that belong together, so readers see both tables change in the same instant, a killed
writer leaves the last committed version in force, and `status` needs no LanceDB at all.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from indexer.errors import DamagedStore, IncompatibleStore, NoIndex
from indexer.records import Coverage, Fingerprint

STORE_NAME = ".corpus-agent"
MANIFEST_NAME = "manifest.json"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed version of an index.

    `root` is relative to the store's parent where the corpus lies below it, else absolute, so
    that a project moved as a whole keeps its index. `complete` is False while an `index` run that
    committed part of its work has not finished. Times are ISO 8601, UTC.
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
    path = store / MANIFEST_NAME
    try:
        loaded = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise NoIndex(f"There is no index in {str(store)!r}.", "Run: corpus-agent index") from None
    except PermissionError:
        raise NoIndex(
            f"The index in {str(store)!r} may not be read by this user.",
            "Run as its owner.",
        ) from None
    except ValueError as error:
        raise damaged(store, f"{MANIFEST_NAME}: {error}") from None
    return _parse(store, loaded)


def _parse(store: Path, loaded: Any) -> Manifest:  # noqa: ANN401 - JSON may be anything
    if not isinstance(loaded, dict) or not isinstance(loaded.get("schema"), int):
        raise damaged(store, f"{MANIFEST_NAME} is not a manifest")
    if loaded["schema"] != SCHEMA:
        newer = loaded["schema"] > SCHEMA
        raise IncompatibleStore(
            f"The index in {str(store)!r} has schema {loaded['schema']}; "
            f"this version of corpus-agent reads schema {SCHEMA}.",
            "Update corpus-agent." if newer else rebuild_hint(store),
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
    """Commit: put the manifest in the place of the old one, atomically and durably."""
    path = store / MANIFEST_NAME
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        json.dump({"schema": SCHEMA, **asdict(manifest)}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    folder = os.open(store, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
