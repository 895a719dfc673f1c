"""Which of a user's indexes is meant where one stands, and where that of a folder lies.

An index lies in the folder whose documents it holds. It is found from within them, and in the
folders where `index` was typed, which the user's record names. Reads that record and looks whether
indexes are there; changes nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus_agent.settings import Settings, check_one
from corpus_agent.trust import user_state
from corpus_agent.trust.stores import STATE, absolute, entries, made_from, record_in
from indexer import NoIndex, UsageError, paths, storage


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A recorded store that has an index, its documents, and where `index` was typed for it."""

    store: Path
    root: Path
    made_from: tuple[str, ...]


def stores_here(here: Path) -> list[Path]:
    """The stores that a command without --store reads; several were made from this folder.

    That of the nearest folder of documents around it; else those that were made from it; else one
    that lies above it, whatever it is of.
    """
    here, above = absolute(here), storage.find_store(here)
    recorded = _recorded()
    made = [each.store for each in recorded if str(here) in each.made_from]
    around = [each for each in recorded if here.is_relative_to(each.root)]
    near = [(len(each.root.parts), each.store) for each in reversed(around)]
    if above is not None:
        known = next((each for each in recorded if each.store == absolute(above)), None)
        # One that is not recorded is refused later, unless others are meant.
        if known in around or (known is None and (not made or above.parent == here)):
            root = known.root if known is not None else above.parent
            near.insert(0, (len(root.parts), above))
    if near:
        return [max(near, key=lambda each: each[0])[1]]
    if not made and above is None and (gone := gone_from(here)):
        raise NoIndex(_gone_text(gone[-1]), MOVED)
    return made or ([above] if above is not None else [])


MOVED = "Mount or restore it. If it was moved: corpus-agent trust ITS-NEW-PLACE"


def gone_from(here: Path) -> list[Path]:
    """The folders that were indexed from here and are not there now, with their indexes."""
    content = _state() or {}
    found = []
    for store in map(Path, entries(content)):
        record, of = record_in(content, store), made_from(content, store)
        if record is None or str(absolute(here)) not in of or not store.is_relative_to(record.root):
            continue
        if not paths.is_folder(record.root):
            found.append(record.root)
    return found


def gone_notices(here: Path) -> list[str]:
    """What is not read here since it is not there, and how it is read again or forgotten."""
    return [
        f"{_gone_text(root)} {MOVED}; for good: corpus-agent stores --drop NAME"
        for root in gone_from(here)
    ]


def _gone_text(root: Path) -> str:
    why = paths.absence(root) or paths.NOT_THERE
    perhaps = ": moved, or not mounted" if why == paths.NOT_THERE else ""
    return f"The folder {str(root)!r} {why}, and its index lies in it{perhaps}."


def store_to_write(settings: Settings, root: Path | None) -> Path:
    """The store that `index` of the folder `root` writes, or of that which is found here.

    Raises UsageError where none is named and several were made from here.
    """
    check_one(settings)
    if settings.store is not None:
        return settings.store
    here = paths.working_folder()
    if root is not None:
        return _store_of(root, here)
    found = stores_here(here)
    if len(found) > 1:
        folders = ", ".join(repr(str(each.root)) for each in _recorded() if each.store in found)
        raise UsageError(
            f"{len(found)} indexes were made from here, of {folders}.",
            "Name the folder: corpus-agent index FOLDER",
        )
    return found[0] if found else here / storage.STORE_NAME


def being_made(here: Path) -> Path | None:
    """The recorded store around `here`, or made from here, whose first run goes on; None if none.

    The newest record of several.
    """
    here, content = absolute(here), _state() or {}
    for store in map(Path, reversed(entries(content))):
        record = record_in(content, store)
        near = str(here) in made_from(content, store) or (
            record is not None and here.is_relative_to(record.root)
        )
        if near and not os.path.lexists(store / storage.MANIFEST_NAME) and storage.writer_of(store):
            return store
    return None


def holding(root: Path) -> Path | None:
    """The nearest folder above `root` that has an index with its documents; None without one."""
    above = [each.root for each in _recorded() if each.root in root.parents]
    return max(above, key=lambda each: len(each.parts), default=None)


def _store_of(root: Path, here: Path) -> Path:
    """Where the index of a folder is, or will be: in it, unless it may not be written."""
    root, own = absolute(root), absolute(root) / storage.STORE_NAME
    # An earlier version made indexes where one stood.
    before = [each.store for each in _recorded() if each.root == root and each.made_from]
    if own in before or (not before and os.path.lexists(own)):
        return own
    if before:
        return before[-1]
    above = storage.find_store(here)
    if above is not None and _is_of_a_folder_gone(above):
        return above
    # Where nothing can be recorded an index is found by where it lies alone.
    may_be_there = _state() is not None and os.access(root, os.W_OK)
    return own if may_be_there else here / storage.STORE_NAME


def _is_of_a_folder_gone(store: Path) -> bool:
    """Whether a recorded store lies apart from its documents, and these are not there any more."""
    found = [each for each in _recorded() if each.store == absolute(store)]
    return any(paths.absence(each.root) == paths.NOT_THERE for each in found)


def _recorded() -> list[_Recorded]:
    """The recorded stores that have an index, the newest record last."""
    content = _state() or {}
    found = []
    for store in map(Path, entries(content)):
        record = record_in(content, store)
        if record is not None and os.path.lexists(store / storage.MANIFEST_NAME):
            found.append(_Recorded(store, record.root, made_from(content, store)))
    return found


def _state() -> dict[str, Any] | None:
    """The user's record, None where there can be none."""
    try:
        return user_state.load(STATE)
    except user_state.NoUserState:
        return None
