"""`cleanup`: frees disk space that the index does not need."""

from __future__ import annotations

from corpus_agent.settings import Settings, existing_store
from indexer import Cleaned, clean_up


def cleanup(settings: Settings, *, dry_run: bool = False) -> Cleaned:
    """The space that was freed, or with `dry_run` could be; see clean_up."""
    return clean_up(existing_store(settings), dry_run=dry_run)
