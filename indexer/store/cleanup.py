"""Giving back the disk space that an index does not need: what could go, and letting it go."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from indexer.store.folder import Usage, usage
from indexer.store.manifest import former, read_manifest
from indexer.store.vectors import VectorCache
from indexer.store.writer import Writer


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Disk use of a store before and after; `after` is None where nothing was changed.

    `held` older versions stay since somebody reads them. `spare_vectors` are bytes of vectors, as
    they were before, that belong to no passage.
    """

    store: Path
    before: Usage
    after: Usage | None
    held: int
    spare_vectors: int


def clean_up(store: Path, *, dry_run: bool = False) -> Cleaned:
    """What was given back, or could be; raises StoreLocked while another process writes."""
    manifest = read_manifest(store)
    before = usage(store)
    spare = VectorCache(store, manifest.fingerprint).spare_bytes(manifest.chunks)
    if not dry_run:
        with Writer(store, manifest.fingerprint, manifest.root) as writer:
            writer.cleanup()
    held = len(former(store))
    return Cleaned(store, before, None if dry_run else usage(store), held, spare)
