"""What settings in force mean: the stores to read and to write, folders, the engine."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import indexer
from corpus_agent.settings.record import MODEL_NAMES, NamedStore, Settings
from indexer import (
    INSTALL_MULTILINGUAL,
    MULTILINGUAL,
    CorpusError,
    NoIndex,
    UsageError,
    engine_for,
    multilingual_model,
    paths,
    storage,
)
from indexer.confine.extensions import Extension, installed


def model_folder(folder: Path | None, flag: str) -> Path | None:
    """The folder that `flag` names, None for the packaged model; raises UsageError for none.

    "minilm" is the packaged model, "multilingual" that of the extra: CorpusError where it is not.
    """
    if folder == Path("minilm"):
        return None
    if folder == Path("multilingual"):
        if (found := multilingual_model()) is not None:
            return found
        raise CorpusError(f"{MULTILINGUAL} is not installed.", f"Run: {INSTALL_MULTILINGUAL}")
    if folder is not None and not paths.is_folder(folder):
        raise UsageError(
            f"There is no model folder {str(folder)!r}.",
            f"Check {flag}, CORPUS_AGENT_{flag[2:].upper()} and the setting {flag[2:]}: "
            "one of them names it.",
        )
    return folder


def engine_of(settings: Settings) -> str:
    """What embeds under these settings, and why; nothing is loaded to say it."""
    packaged = settings.model is None
    return engine_for(settings.device, packaged=packaged, embedder=settings.embedder)


def extensions() -> tuple[Extension, ...]:
    """What installed packages bring; where there is none, no reader is imported to say so."""
    return indexer.all_extensions() if installed() else ()


def absolute(settings: Settings) -> Settings:
    """The same settings with absolute paths, independent of the working folder."""
    store = settings.store
    if store is None and not settings.several:
        store = storage.find_store(paths.working_folder())
    return replace(
        settings,
        store=paths.from_here(store) if store else None,
        model=_absolute_model(settings.model),
        llm=_absolute_place(settings.llm),
    )


def _absolute_model(model: Path | None) -> Path | None:
    return model if model is None or str(model) in MODEL_NAMES else paths.from_here(model)


def _absolute_place(place: str) -> str:
    """The address of a server, with the absolute path of a socket or a file of weights."""
    kind, _, path = place.partition(":")
    return f"{kind}:{paths.expanded(Path(path))}" if kind in ("unix", "gguf") else place


def stores_to_read(settings: Settings) -> tuple[NamedStore, ...]:
    """The stores to read, one alone without a name; raises NoIndex as `existing_store` does."""
    for one in settings.several:
        _check_index(one.store)
    return settings.several or (NamedStore("", existing_store(settings), settings.root),)


def one_by_one(settings: Settings) -> list[tuple[str, Settings]]:
    """The settings for each of several stores alone, with its name; as they are, with "", for one.

    Raises NoIndex as `existing_store` does.
    """
    return [
        (one.name, replace(settings, store=one.store, root=one.root, several=()))
        for one in stores_to_read(settings)
    ]


def existing_store(settings: Settings) -> Path:
    """The one store to read; raises NoIndex with the command that creates one.

    Raises UsageError where several are named.
    """
    check_one(settings)
    store = settings.store or storage.find_store(paths.working_folder())
    if store is None:
        raise NoIndex("There is no index here or in a folder above.", storage.MAKE_ONE)
    return _check_index(store)


def _check_index(store: Path) -> Path:
    if not os.path.lexists(store / storage.MANIFEST_NAME):
        raise storage.no_index(store)
    return store


def check_one(settings: Settings) -> None:
    """Raise UsageError where several stores are named, for what works on one."""
    if settings.several:
        names = ", ".join(one.name for one in settings.several)
        raise UsageError(
            f"This works on one index, and {len(settings.several)} are named: {names}.",
            f"Name one: -s {settings.several[0].name}",
        )


def existing_place(settings: Settings) -> tuple[Path, Path]:
    """The one store and its root of settings that a launch verified; see `existing_store`."""
    check_one(settings)
    assert settings.store is not None
    assert settings.root is not None
    return settings.store, settings.root
