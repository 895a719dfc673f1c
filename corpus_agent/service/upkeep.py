"""Removes a document and frees disk space."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import replace

from corpus_agent.settings import Settings, existing_store
from corpus_agent.text.naming import called
from corpus_agent.text.sanitize import visible
from indexer import Cleaned, Forgotten, Refused, clean_up, forget_document


def forget(settings: Settings, source: str) -> Forgotten:
    """Remove a document from the index; see forget_document.

    Raises Refused for a name that neither the index nor its folder has: a mistyped one.
    """
    done = forget_document(existing_store(settings), settings.root, source)
    # On the disk a name may be composed otherwise, as on a Mac.
    spelt = (source, unicodedata.normalize("NFD", source))
    if done.row is None and not any(os.path.lexists(done.rules.parent / one) for one in spelt):
        near = ", ".join(called(name) for name in done.near)
        raise Refused(
            f"{called(source)} is neither in the index nor in its folder; nothing changed.",
            f"Of a similar name: {near}" if near else "List them: corpus-agent files",
            code="not_indexed",
        )
    return replace(done, rule=_copyable(done.rule)) if done.rule is not None else done


def cleanup(settings: Settings, *, dry_run: bool = False) -> Cleaned:
    """The space that was freed, or with `dry_run` could be; see clean_up."""
    return clean_up(existing_store(settings), dry_run=dry_run)


def _copyable(line: str) -> str:
    """`line` with the wildcard `?` for each invisible character."""
    return "".join(char if char.isprintable() and visible(char) == char else "?" for char in line)
