"""`forget`: removes a document from the index, with the ignore rule that keeps it out."""

from __future__ import annotations

from dataclasses import replace

from corpus_agent.settings import Settings, existing_store
from corpus_agent.text.sanitize import visible
from indexer import Forgotten, forget_document


def forget(settings: Settings, source: str) -> Forgotten:
    """Remove a document from the index; see forget_document."""
    done = forget_document(existing_store(settings), settings.root, source)
    return replace(done, rule=_copyable(done.rule)) if done.rule is not None else done


def _copyable(line: str) -> str:
    """`line` with the wildcard `?` for each invisible character."""
    return "".join(char if char.isprintable() and visible(char) == char else "?" for char in line)
