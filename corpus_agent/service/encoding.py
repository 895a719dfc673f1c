"""Which embedding model the settings and the index name."""

from __future__ import annotations

import sys
from pathlib import Path

from corpus_agent.settings import Settings, model_folder
from indexer import (
    INSTALL_MULTILINGUAL,
    MANY_UNREAD,
    MULTILINGUAL,
    FolderEncoder,
    InstalledEncoder,
    UsageError,
    multilingual_model,
    share_in_other_languages,
    storage,
)


def encoder_for(
    settings: Settings, store: Path | None, *, bulk: bool = False
) -> FolderEncoder | InstalledEncoder:
    """The embedding model that the settings name; `bulk` if many texts are to be embedded."""
    if settings.embedder is not None:
        if settings.model is not None:
            raise UsageError("--embedder and --model name two models.", "Leave one out.")
        return InstalledEncoder(settings.embedder)
    folder = _model(settings, store, choosing=bulk)
    return FolderEncoder(folder, store=store, bulk=bulk, device=settings.device)


def _model(settings: Settings, store: Path | None, *, choosing: bool) -> Path | None:
    """The model that is named, else the index's own; None: the packaged one."""
    if settings.model is not None:
        return model_folder(settings.model, "--model")
    if store is not None and (made := storage.recorded(store, "model")):
        is_theirs = made.startswith(MULTILINGUAL)
        return model_folder(Path("multilingual"), "--model") if is_theirs else None
    if not choosing or settings.root is None:
        return None
    if share_in_other_languages(settings.root) < MANY_UNREAD:
        return None
    found = multilingual_model()
    missing = f"a model that reads them is not installed. Run: {INSTALL_MULTILINGUAL}"
    told = f"these documents are read with {MULTILINGUAL}." if found else missing
    sys.stderr.write(f"Not only English: {told}\n")
    return found
