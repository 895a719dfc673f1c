"""Frees the disk space that an index does not need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from indexer.store.folder import Usage, usage
from indexer.store.manifest import FORMER, read_manifest
from indexer.store.staging import drop_staging
from indexer.store.writer import Writer


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Disk use of a store before and after; `after` is None where nothing was changed.

    `held` is the number of older versions that other processes are reading.
    """

    store: Path
    before: Usage
    after: Usage | None
    held: int


def clean_up(store: Path, *, dry_run: bool = False) -> Cleaned:
    """Disk use before and after; raises StoreLocked while another process writes."""
    manifest = read_manifest(store)
    before = usage(store)
    if not dry_run:
        with Writer(store, manifest.fingerprint, manifest.root) as writer:
            drop_staging(store)
            writer.cleanup()
    after = None if dry_run else usage(store)
    return Cleaned(store, before, after, len([*store.glob(FORMER.format("*"))]))
