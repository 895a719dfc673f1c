"""Takes stores that are gone off the user's record. The stores themselves are left alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpus_agent.trust import user_state
from corpus_agent.trust.names import names_of
from corpus_agent.trust.stores import STATE, Record, entries, record_in
from indexer import UsageError, paths


def drop(names: Sequence[str], *, unreachable: bool = False) -> list[Path]:
    """Take stores that are not there any more out of the record, by name; their paths.

    Raises UsageError for a name that is none, or of a store that is there; also of one that only
    cannot be looked at, if it is not to be dropped as `unreachable`.
    """
    content = user_state.load(STATE)
    by_name = {name: path for path, name in names_of(entries(content)).items()}
    for name in names:
        if name not in by_name:
            raise UsageError(
                f"The index {name!r} is not known.", "Those that are known: corpus-agent stores"
            )
        store = Path(by_name[name])
        if os.path.lexists(store):
            raise UsageError(
                f"The index {name!r} is there.",
                "Only the record of one that is gone is dropped. To delete an index, delete its "
                f"folder {str(store)!r}; the documents lie beside it.",
            )
        if not unreachable and (why := _unseen(store, record_in(content, store))):
            raise UsageError(
                f"The index {name!r} {why}: it may be there, and stays on the list.",
                "Mount its disk, or run as who may look at it. To take it off all the same: "
                "corpus-agent stores --drop NAME --unreachable",
            )
    gone = [by_name[name] for name in names]

    def change(content: dict[str, Any]) -> dict[str, Any]:
        left = {path: entry for path, entry in entries(content).items() if path not in gone}
        return {"stores": left}

    user_state.update(STATE, change)
    return [Path(path) for path in gone]


def _unseen(store: Path, record: Record | None) -> str | None:
    """Why a store that is not seen may be there all the same; None for one that is gone."""
    why = paths.absence(store)
    if why != paths.NOT_THERE:
        return why
    above = next(folder for folder in store.parents if paths.is_folder(folder))
    if record is not None and above.stat().st_dev != record.device:
        return "is not there, and neither is the disk that it was made on"
    return None
