"""`forget`: a document leaves the index, and the rule that keeps it out, ready to be copied."""

from __future__ import annotations

from dataclasses import replace

from corpus_agent.settings import Settings, existing_store
from corpus_agent.text.sanitize import visible
from indexer import Forgotten, forget_document


def forget(settings: Settings, source: str) -> Forgotten:
    """Drop a document from the index; see forget_document."""
    done = forget_document(existing_store(settings), settings.root, source)
    return replace(done, rule=_copyable(done.rule)) if done.rule is not None else done


def _copyable(line: str) -> str:
    """`line` with `?`, which stands for any character, for each that would not be seen."""
    return "".join(char if char.isprintable() and visible(char) == char else "?" for char in line)
