"""`forget` and `cleanup`: removes a document, and frees disk space that the index does not need."""

from __future__ import annotations

from dataclasses import replace

from corpus_agent.settings import Settings, existing_store
from corpus_agent.text.sanitize import visible
from indexer import Cleaned, Forgotten, clean_up, forget_document


def forget(settings: Settings, source: str) -> Forgotten:
    """Remove a document from the index; see forget_document."""
    done = forget_document(existing_store(settings), settings.root, source)
    return replace(done, rule=_copyable(done.rule)) if done.rule is not None else done


def cleanup(settings: Settings, *, dry_run: bool = False) -> Cleaned:
    """The space that was freed, or with `dry_run` could be; see clean_up."""
    return clean_up(existing_store(settings), dry_run=dry_run)


def _copyable(line: str) -> str:
    """`line` with the wildcard `?` for each invisible character."""
    return "".join(char if char.isprintable() and visible(char) == char else "?" for char in line)
