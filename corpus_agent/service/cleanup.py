"""`cleanup`: disk space that the index does not need is given back."""

from __future__ import annotations

from corpus_agent.settings import Settings, existing_store
from indexer import Cleaned, clean_up


def cleanup(settings: Settings, *, dry_run: bool = False) -> Cleaned:
    """What was given back, or could be; see clean_up."""
    return clean_up(existing_store(settings), dry_run=dry_run)
