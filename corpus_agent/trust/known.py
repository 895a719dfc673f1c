"""The stores that this user has recorded, by name, and those that a command is asked for.

Reads the record and the stores' manifests; changes nothing. Whether a store may be used is decided
by `stores.place_of`, of each.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from corpus_agent.settings import NamedStore, Settings
from corpus_agent.trust import user_state
from corpus_agent.trust.names import name_for, names_of
from corpus_agent.trust.stores import STATE, absolute, entries, place_of, record_in
from indexer import CorpusError, NoIndex, UsageError, paths, storage

MAX_SEVERAL = 64  # stores in one search
MAX_NAMED = 8  # names in an error, the nearest first


@dataclass(frozen=True, slots=True)
class KnownStore:
    """A recorded store; `manifest` is None where it has no index, `problem` says why not."""

    name: str
    store: Path
    root: Path
    since: str
    manifest: storage.Manifest | None
    problem: str | None


def known_stores(settings: Settings) -> list[KnownStore]:
    """All recorded stores, by name. Raises NoUserState where no record can be read."""
    content = user_state.load(STATE)
    found = []
    for path, name in names_of(entries(content)).items():
        store = Path(path)
        record = record_in(content, store)
        if record is not None:
            since = entries(content)[path].get("since")
            manifest, problem = _looked_at(store, settings)
            found.append(KnownStore(name, store, record.root, str(since), manifest, problem))
    return sorted(found, key=lambda known: known.name)


def _looked_at(store: Path, settings: Settings) -> tuple[storage.Manifest | None, str | None]:
    """The manifest of a store that may be used, or None and why there is none."""
    if absent := paths.absence(store):
        return None, f"it {absent}"
    try:
        place_of(store, settings)
        return storage.read_manifest(store), None
    except CorpusError as error:
        return None, error.message


def chosen_stores(
    given: Sequence[Path], *, everything: bool = False, to_read: bool = False
) -> tuple[tuple[NamedStore, ...], tuple[str, ...]]:
    """The stores that are meant by names or paths, each once, and notices of what is left out.

    With `everything` all recorded ones that have an index which may be used: one folder that went
    bad does not stop the others. What is a store at a path is that store, else a recorded name;
    else a path where there is none yet, which is an error of the name where it is `to_read`. Raises
    UsageError for too many, NoIndex.
    """
    if not (given or everything):
        return (), ()
    try:
        content = user_state.load(STATE)
    except user_state.NoUserState:
        content = {}
        if everything:
            raise
    names = names_of(entries(content))
    by_name = {name: Path(path) for path, name in names.items()}
    wanted = [*map(Path, names)] if everything else [_meant(path, by_name) for path in given]
    if to_read and not everything:
        _check_known(given, wanted, list(by_name))
    notices = []
    found: dict[Path, NamedStore] = {}
    for store in wanted:
        if everything and not os.path.lexists(store / storage.MANIFEST_NAME):
            why = storage.no_index(store).message
            notices.append(f"{names[str(store)]!r} is left out: {why}")
            continue
        if everything and (problem := _looked_at(store, Settings())[1]):
            notices.append(f"{names[str(store)]!r} is left out: {problem}")
            continue
        place = absolute(store)
        taken = [*by_name, *(one.name for one in found.values())]
        name = names.get(str(place)) or name_for(place.parent, taken)
        found.setdefault(place, NamedStore(name, store))
    if everything and not found:
        none = " ".join(["No index of yours is there.", *notices[:MAX_NAMED]])
        raise NoIndex(none, storage.MAKE_ONE)
    if len(found) > MAX_SEVERAL:
        raise UsageError(
            f"{len(found)} indexes are asked for, at most {MAX_SEVERAL} together.",
            "Name some: -s NAME -s NAME",
        )
    return tuple(found.values()), tuple(notices)


def stores_from_here(
    given: Sequence[Path | str], *, everything: bool = False
) -> tuple[NamedStore, ...]:
    """The same with absolute paths, for programs; raises UsageError where none is meant."""
    found, _ = chosen_stores([Path(one) for one in given], everything=everything)
    if not found:
        raise UsageError("No index is named.", "Name one: its folder, or a name of stores")
    return tuple(
        replace(one, store=storage.named_store(paths.from_here(one.store))) for one in found
    )


def _check_known(given: Sequence[Path], wanted: Sequence[Path], names: Sequence[str]) -> None:
    """Raise NoIndex, with the names that there are, where nothing is known by a name or path."""
    for name, store in zip(map(str, given), wanted, strict=True):
        if os.path.lexists(store):
            continue
        if name in names:
            raise NoIndex(
                f"The index {name!r} is not where it was: its folder was moved, or is not mounted.",
                "Mount or restore it. If it was moved: corpus-agent trust ITS-NEW-PLACE",
            )
        ordered = sorted(names, key=lambda each: -SequenceMatcher(None, name, each).ratio())
        more = ", …" if len(ordered) > MAX_NAMED else ""
        yours = f"Known by name: {', '.join(ordered[:MAX_NAMED])}{more} (corpus-agent stores). "
        raise NoIndex(f"There is no index {name!r}.", f"{yours if names else ''}{storage.MAKE_ONE}")


def _meant(given: Path, by_name: dict[str, Path]) -> Path:
    """The store that a path or a name means."""
    store = storage.named_store(given)
    known = by_name.get(str(given)) if not storage.is_store(store) else None
    return known or store
