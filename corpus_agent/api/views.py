"""What a caller from Python names: documents, selections of them, and a reranker's place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent import render, service
from corpus_agent.settings import is_address
from indexer import RunDisplay
from indexer import paths as file_paths

if TYPE_CHECKING:
    from indexer import Index, Progress


class Advances(RunDisplay):
    """The display of a run for a caller who follows its files alone."""

    def __init__(self, on_progress: Callable[[Progress], None]) -> None:
        self._on_progress = on_progress

    def advance(self, done: Progress) -> None:
        """Call the caller's function."""
        self._on_progress(done)


def reranker_place(reranker: Path | str | None) -> str | None:
    """A reranker's folder by its absolute path, or its address as it is."""
    if reranker is None or is_address(str(reranker)):
        return str(reranker) if reranker is not None else None
    return str(file_paths.from_here(Path(reranker)))


def document(view: Index, typed: str) -> str:
    """The source of a document, by its name as it is shown or its path."""
    names = render.names(row.source for row in view.files())
    return service.places.document(typed, names, view.roots)


def bounded(
    view: Index,
    path: str | Sequence[str],
    not_path: str | Sequence[str],
    where: str,
) -> Index:
    """The view with the documents that a path or several, and a filter, select."""
    paths, not_paths = (
        ([typed] if typed else ()) if isinstance(typed, str) else typed
        for typed in (path, not_path)
    )
    return service.places.bounded(view, paths, not_paths, where)
