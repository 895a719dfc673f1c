"""The embedding model: what is named, what an index was made with, what its languages need."""

from __future__ import annotations

import sys
from pathlib import Path

from corpus_agent.settings import Settings, model_folder
from indexer import (
    INSTALL_MULTILINGUAL,
    MANY_UNREAD,
    MULTILINGUAL,
    FolderEncoder,
    multilingual_model,
    share_in_other_languages,
    storage,
)


def encoder_for(settings: Settings, store: Path | None) -> FolderEncoder:
    """The embedding model for questions: the one that is named, else the index's own."""
    return FolderEncoder(_known_model(settings, store), store=store)


def encoder_to_index(settings: Settings, store: Path) -> FolderEncoder:
    """The embedding model for many texts, on a GPU if there is one.

    For a new index it is chosen by the languages of the documents, and standard error says so.
    """
    is_known = settings.model is not None or storage.recorded(store, "model")
    if is_known or settings.root is None:
        folder = _known_model(settings, store)
    else:
        folder, told = _model_by_languages(settings.root)
        sys.stderr.write(told)
    return FolderEncoder(folder, store=store, bulk=True, device=settings.device)


def _known_model(settings: Settings, store: Path | None) -> Path | None:
    """The model that is named, else the index's own; None: the packaged one, or not known yet."""
    if settings.model is not None:
        return model_folder(settings.model, "--model")
    made = storage.recorded(store, "model") if store is not None else None
    if made and made.startswith(MULTILINGUAL):
        return model_folder(Path("multilingual"), "--model")
    return None


def _model_by_languages(root: Path) -> tuple[Path | None, str]:
    """The model that reads the documents of a folder, and what a person is told of it."""
    if share_in_other_languages(root) < MANY_UNREAD:
        return None, ""
    found = multilingual_model()
    missing = f"a model that reads them is not installed. Run: {INSTALL_MULTILINGUAL}"
    told = f"these documents are read with {MULTILINGUAL}." if found else missing
    return found, f"Not only English: {told}\n"
